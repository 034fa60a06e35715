"""The moments of a session: events in, injections out. What was sent is final; see `sent_log`."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import assert_never

from recollect.domain.errors import StoreError
from recollect.domain.event import (
    Asked,
    Compacted,
    Compacting,
    Event,
    Prompt,
    Reply,
    SessionDeleted,
    SessionEnded,
    SessionStarted,
    StartSource,
    ToolFailed,
    ToolSucceeded,
)
from recollect.domain.injection import Injection, LogEntry, Moment, Placement, QuietReason
from recollect.domain.memory import MessageId, ProjectId, SessionId, Viewer
from recollect.domain.session import NoteCode, Recap, Session
from recollect.domain.settings import TurnPlacement
from recollect.engine import compaction, continuity, on_demand, session_start, session_state, turn
from recollect.engine.admission import MAX_CLOCK_AHEAD, check_event
from recollect.engine.anchoring import ChecksFreshness
from recollect.engine.corrections import find_corrections
from recollect.engine.forget import delete_session
from recollect.engine.forks import copy_parent_log, is_copy
from recollect.engine.inbox import Inbox, LearnableEvent, is_host_generated
from recollect.engine.injections import silence
from recollect.engine.pausing import KnowsPauses, find_pause
from recollect.engine.ports import Embeds, MonotonicClock, ReadsFolders, SettingsFor, Store
from recollect.engine.prepared_starts import PreparedBlocks, StartBlockKey
from recollect.engine.projects import resolve
from recollect.engine.redaction import redact_injection
from recollect.engine.sent_log import SentLog, injection_of
from recollect.engine.session_state import DeletedSessions, EntersProject
from recollect.engine.situation import LiveBlocks, Situation, load_live
from recollect.engine.usage import UseTracker
from recollect.rank.budget import block_budget
from recollect.text.intent import Task, task_of
from recollect.text.optout import find_opt_out, without_markers
from recollect.text.query import content_words
from recollect.text.tokens import estimate

NO_INJECTION = silence(Placement.MESSAGE)  # for events that need no answer
PAUSED_INJECTION = silence(Placement.MESSAGE, QuietReason.PAUSED)
PLACEHOLDER_SESSION = SessionId("nobody")  # the session that a start block is prepared for
RECENT_PROMPTS, RECENT_PROMPT_CHARS = 5, 2000
MAX_REVIEW_ITEMS = 500  # newest first
WELCOME = "Recollect has no memories here yet; `recollect remember` teaches it a sentence."


class Moments:
    def __init__(
        self,
        store: Store,
        settings_for: SettingsFor,
        enter_project: EntersProject,
        workspace: ReadsFolders,
        seconds: MonotonicClock,
        model: Callable[[], Embeds | None],
        freshness_lookup: Callable[[str | None], ChecksFreshness],
        unlearn: Callable[[SessionId], None],
        pauses: KnowsPauses,
        project_by_alias: Callable[[str], ProjectId],
    ) -> None:
        self._store = store
        self._model = model
        self._freshness_lookup = freshness_lookup
        self.inbox = Inbox(store, settings_for)
        self._settings_for = settings_for
        self._enter_project = enter_project
        self._workspace = workspace
        self._seconds = seconds
        self._files = session_state.RecentPerSession(session_state.RECENT_FILES)
        self._prompts = session_state.RecentPerSession(RECENT_PROMPTS)
        self._use = UseTracker(store, store)
        self._prepared = PreparedBlocks()
        self._deleted = DeletedSessions()
        self.sent = SentLog(store, seconds)
        self._unlearn = unlearn
        self._pauses = pauses
        self._project_by_alias = project_by_alias

    def handle(self, event: Event) -> Injection:
        check_event(event)
        if isinstance(event, SessionDeleted):
            self._delete(event)
            return NO_INJECTION
        if self._deleted.must_ignore(event):
            return NO_INJECTION
        if self._is_paused(event):
            return self._answer_while_paused(event)
        enter_project = self._look_up_project if isinstance(event, Asked) else self._enter_project
        session = session_state.enter(self._store, event, enter_project, self._workspace.language_of)
        if event.headless and not self._settings_for(event.folder).capture.headless:
            session = session_state.apply_opt_outs(self._store, session, recalls=True, captures=False)
        event = session_state.mark_subagent_prompt(session, event)
        is_kept = self._store_event(session, event)
        self._update_session(session, event)
        injection = self._answer(session, event) or NO_INJECTION
        return injection if is_kept else replace(injection, kept=False)

    def _is_paused(self, event: Event) -> bool:
        """Paused now, or when the event happened: a host may report it late."""

        def find_project() -> ProjectId | None:
            known = self._store.session(event.session)
            return self._build_unsaved_session(event).project if known is None else known.project

        return find_pause(self._pauses.on(event.at), find_project, self._project_by_alias) is not None

    def _answer_while_paused(self, event: Event) -> Injection:
        """Keep nothing and show nothing new; what was sent before is sent again. Of an unknown session nothing is noted
        at all. For a known one the log notes that this message was sent without a block, so that it stays so."""
        if isinstance(event, Prompt):
            self.inbox.mute(event.session)  # replies to it are not kept either, even after the pause
        session = self._store.session(event.session)
        if session is None and isinstance(event, SessionStarted) and (event.holds or event.parent):
            unsaved = self._build_unsaved_session(event)
            if is_copy(self._store, unsaved, event):  # a copy begins with what its original was sent
                session = self._store.begin_session(unsaved)
        if session is None:
            return PAUSED_INJECTION
        if isinstance(event, Compacted):
            session_state.start_new_context(self._store, session, event.at)
        if isinstance(event, SessionEnded):
            self._store.keep_session(replace(session, ended_at=event.at))
        return self._answer(session, event) or PAUSED_INJECTION

    def _build_unsaved_session(self, event: Event) -> Session:
        return session_state.new_session(event, self._look_up_project, self._workspace.language_of)

    def _delete(self, event: SessionDeleted) -> None:
        known = self._store.session(event.session)
        if known is not None and known.host != event.host:  # a host cannot delete another host's session
            return
        self._deleted.note(event)  # first: events that arrive meanwhile are late
        self.inbox.forget(event.session)
        for recent in (self._files, self._prompts, self._use):
            recent.forget(event.session)
        self._unlearn(event.session)
        delete_session(self._store, event.session, at=event.at, by=event.host)

    def _look_up_project(self, folder: str, _: datetime) -> ProjectId:
        """For a question: it makes no project known."""
        return resolve(self._store, self._workspace.place_of(folder), self._workspace.root_commit).project

    def _store_event(self, session: Session, event: Event) -> bool:
        """Return False if the disk is full: memories can be shown all the same."""
        if not isinstance(event, LearnableEvent):
            return True
        try:
            if isinstance(event, Prompt) and self._was_sent_in_pause(session, event):
                self.inbox.mute(session.id)
                return True
            return self.inbox.store(session, event)
        except StoreError:  # not even the opt-outs can be read
            return False

    def _was_sent_in_pause(self, session: Session, event: Prompt) -> bool:
        """A host may ask about a message again after the pause."""
        sent = self._store.find_sent(session.id, [event.message])
        return any(not one.call and one.injection.quiet is QuietReason.PAUSED for one in sent)

    def _update_session(self, session: Session, event: Event) -> None:
        match event:
            case Prompt():
                self._files.note(session.id, *event.files)
            case ToolFailed() | ToolSucceeded():
                self._files.note(session.id, *session_state.files_in(event.input))
            case Reply():
                self._use.note_reply(session.id, event.text, event.at)
            case Compacted():
                session_state.start_new_context(self._store, session, event.at)
            case SessionEnded():
                self._end_session(session, event)
            case _:
                pass

    def _answer(self, session: Session, event: Event) -> Injection | None:
        match event:
            case SessionStarted():
                return self._answer_start(session, event)
            case Prompt():
                return self._answer_prompt(session, event)
            case ToolFailed():
                return self._answer_tool_failure(session, event)
            case Compacting():
                return self._answer_compaction(session, event)
            case Asked():
                return self._answer_agent(session, event)
            case Reply() | ToolSucceeded() | Compacted() | SessionEnded() | SessionDeleted():
                return None
            case _ as never:
                assert_never(never)

    def _answer_start(self, session: Session, event: SessionStarted) -> Injection:
        session = session_state.apply_opt_outs(self._store, session, recalls=event.recalls, captures=event.captures)
        with suppress(StoreError):
            self.inbox.close_silent(event.at, except_for=session.id)
        if event.source in (StartSource.CLEAR, StartSource.COMPACT):
            session = session_state.start_new_context(self._store, session, event.at, source=event.source)
        session = copy_parent_log(self._store, session, event)
        logged = self._store.start_block(session.id, session.context)
        if logged is not None:
            return redact_injection(injection_of(logged, event))
        started_s = self._seconds()
        quiet = self._quiet_reason(session, self._settings_for(event.folder).start.enabled, event)
        if quiet is not None:
            built = silence(Placement.SYSTEM, quiet)
        else:
            live = load_live(self._store, session)  # a prompt may have come before the start
            prepared = None if live.sent else self._find_prepared_block(session, event)
            built = prepared or self._build_start_block(session, event, live)
        return self.sent.record(session, None, built, event, started_s, Moment.START)

    def _find_prepared_block(self, session: Session, event: SessionStarted) -> Injection | None:
        """Only a new session can use one: nothing is known of it but its place."""
        place = StartBlockKey(
            project=session.project, language=session.language, folder=event.folder, agent=event.agent
        )
        self._prepared.note(place)
        settings = self._settings_for(event.folder)
        budgets = settings.budgets
        usual_tokens = block_budget(budgets.start_tokens, budgets)
        has_small_window = block_budget(budgets.start_tokens, budgets, window_tokens=event.window_tokens) < usual_tokens
        is_new = session.started_at == event.at and event.source is StartSource.STARTUP
        if event.task or not is_new or has_small_window:
            return None
        return self._prepared.get(place, revision=self._store.revision(), settings=settings, now=self._seconds())

    def prepare_start_blocks(self, now: datetime) -> int:
        def build(place: StartBlockKey) -> Injection:
            session = Session(
                id=PLACEHOLDER_SESSION,
                host=PLACEHOLDER_SESSION,
                project=place.project,
                language=place.language,
                started_at=now,
            )
            event = SessionStarted(session=PLACEHOLDER_SESSION, at=now, folder=place.folder, agent=place.agent)
            return self._build_start_block(session, event, LiveBlocks())

        return self._prepared.renew(build, self._settings_for, revision=self._store.revision(), now=self._seconds())

    def _build_start_block(self, session: Session, event: Event, live: LiveBlocks) -> Injection:
        situation = self._situation(session, event, live)
        start = situation.settings.start
        recaps = self._recaps(session, start.sessions + start.older_sessions, event)
        branch = self._workspace.branch_of(event.folder) if event.folder else None
        task = _likely_task(event, branch, recaps)
        work = _open_work(branch, recaps)
        built = session_start.build_start_block(self._store, situation, recaps=recaps, task=task, work=work)
        if not built.block and not self._store.count(situation.viewer):
            return replace(built, notice=WELCOME)
        return built

    def _answer_prompt(self, session: Session, event: Prompt) -> Injection:
        logged = self._find_logged(session, event.message, call="")
        if logged is not None:
            return redact_injection(injection_of(logged, event))
        started_s = self._seconds()
        settings = self._settings_for(event.folder)
        opt_out = find_opt_out(event.text)
        if opt_out.session:
            session = session_state.apply_opt_outs(
                self._store, session, recalls=not opt_out.recall_session, captures=not opt_out.capture_session
            )
        quiet = self._quiet_reason(session, settings.turn.enabled, event)
        is_paused = quiet is QuietReason.PAUSED
        if opt_out.recall and not is_paused:
            quiet = QuietReason.OPTED_OUT
        if quiet is None and is_host_generated(event):
            quiet = QuietReason.IDLE
        if not is_paused:
            self._prompts.note(session.id, event.text[:RECENT_PROMPT_CHARS])
        if quiet is not None:
            answer = silence(Placement.MESSAGE, quiet)
        elif settings.inject.placement is TurnPlacement.SYSTEM:
            answer = self._build_system_block(session, event)
        else:
            situation = self._situation(session, event, self._live_context(session, event))
            corrections = find_corrections(self._store, situation)
            answer = turn.build_turn_block(
                self._store, self._model(), without_markers(event.text), situation, corrections
            )
        recorded = self.sent.record(session, event.message, answer, event, started_s, Moment.PROMPT)
        if settings.loop.enabled and not is_paused:
            self._use.note_prompt(session.id, event.text[:RECENT_PROMPT_CHARS], recorded.ids, event.at)
        return recorded

    def _find_logged(self, session: Session, message: MessageId, call: str) -> LogEntry | None:
        for sent in self._store.find_sent(session.id, [message], why=True):
            if sent.call == call:
                return sent
        return None

    def _build_system_block(self, session: Session, event: Prompt) -> Injection:
        """Build one block for the system prompt. It replaces the one before it, so that one is no longer live."""
        from_tools = load_live(self._store, session, event.live).from_tools
        start = self._build_start_block(session, event, from_tools)
        sent_start = LogEntry(
            session=session.id,
            context=session.context,
            message=None,
            injection=start,
            at=event.at,
            took_ms=0.0,
            point=Moment.START,
        )
        situation = self._situation(session, event, LiveBlocks((sent_start, *from_tools.sent)))
        fitting = turn.build_turn_block(self._store, self._model(), without_markers(event.text), situation)
        block = "\n".join(filter(None, [start.block, fitting.block]))
        return replace(
            fitting,
            placement=Placement.SYSTEM,
            block=block,
            tokens=estimate(block),
            budget_tokens=start.budget_tokens + fitting.budget_tokens,
            ids=(*start.ids, *fitting.ids),
            considered=max(start.considered, fitting.considered),
            choices=(*fitting.choices, *start.choices),
            quiet=None if block else fitting.quiet,
        )

    def _answer_tool_failure(self, session: Session, event: ToolFailed) -> Injection:
        call = event.call or event.message or ""
        if event.message is not None:
            logged = self._find_logged(session, event.message, call)
            if logged is not None:
                return redact_injection(injection_of(logged, event))
        started_s = self._seconds()
        quiet = self._quiet_reason(session, self._settings_for(event.folder).tool_error.enabled, event)
        if quiet is not None:
            answer = silence(Placement.TOOL, quiet)
        else:
            from recollect.capture.happened.failures import failure_text
            from recollect.engine import tool_error  # most tools do not fail, and it compiles many patterns

            situation = self._situation(session, event, self._live_context(session, event))
            answer = tool_error.answer(self._store, self._model(), failure_text(event), situation)
        self._use.note_tool_block(session.id, answer.ids)
        if event.message is None:
            return self.sent.record_unnamed(session, answer, event, started_s, Moment.TOOL_ERROR)
        return self.sent.record(session, event.message, answer, event, started_s, Moment.TOOL_ERROR, call=call)

    def _answer_compaction(self, session: Session, event: Compacting) -> Injection:
        started_s = self._seconds()
        settings = self._settings_for(event.folder)
        quiet = self._quiet_reason(session, settings.compaction.enabled, event)
        if quiet is not None:
            text = silence(Placement.SUMMARY, quiet)
        else:
            situation = self._situation(session, event, self._live_context(session, event))
            recaps = self._recaps(session, settings.compaction.sessions, event)
            said: set[str] = set()
            said.update(*map(content_words, self._prompts.of(session.id)))
            learns = session.captures and settings.capture.enabled and settings.capture.summaries
            asks = learns and self._store.count(situation.viewer) > 0  # an empty store says nothing
            text = compaction.build(self._store, self._store, situation, recaps=recaps, said=said, asks=asks)
        return self.sent.record_unnamed(session, text, event, started_s, Moment.COMPACTION)

    def _answer_agent(self, session: Session, event: Asked) -> Injection:
        started_s = self._seconds()
        quiet = self._quiet_reason(session, self._settings_for(event.folder).on_demand.enabled, event)
        if quiet in (QuietReason.OFF, QuietReason.PAUSED):  # a session that opted out of injections may still ask
            answer = silence(Placement.ANSWER, quiet)
        else:
            situation = self._situation(session, event, self._live_context(session, event))
            answer = on_demand.answer(self._store, self._model(), event, situation)
        return self.sent.record_unnamed(session, answer, event, started_s, Moment.ON_DEMAND)

    def _end_session(self, session: Session, event: SessionEnded) -> None:
        self._use.close(session.id, event.at)
        with self._store.transaction():
            self._store.keep_session(replace(session, ended_at=event.at))
            is_captured = session.captures and not self.inbox.is_muted(session)
            if is_captured and self._settings_for(None).archive.days > 0:
                session_state.save_recap(self._store, session, event, self._settings_for(event.folder).privacy)

    def _quiet_reason(self, session: Session, enabled: bool, event: Event) -> QuietReason | None:
        """Why nothing may be shown at this moment; None: something may."""
        if self._is_paused(event):
            return QuietReason.PAUSED
        if not enabled or not self._settings_for(event.folder).inject.enabled:
            return QuietReason.OFF
        return None if session.recalls else QuietReason.OPTED_OUT

    def _live_context(self, session: Session, event: Prompt | ToolFailed | Compacting | Asked) -> LiveBlocks:
        live = load_live(self._store, session, None if isinstance(event, Compacting) else event.live)
        if self._settings_for(event.folder).inject.placement is not TurnPlacement.SYSTEM:
            return live
        prompts = [sent for sent in live.sent if sent.point is Moment.PROMPT]
        return LiveBlocks((*prompts[-1:], *live.from_tools.sent))  # each block replaces the one before it

    def _situation(self, session: Session, event: Event, live: LiveBlocks) -> Situation:
        parents = () if session.parent is None else (session.parent,)
        # Only the user's own settings decide what is shared, never a file in a project.
        shares_preferences = self._settings_for(None).privacy.share_preferences
        return Situation(
            viewer=Viewer(
                project=session.project,
                language=session.language,
                session=session.id,
                shares_preferences=shares_preferences,
            ),
            now=event.at,
            settings=self._settings_for(event.folder),
            live=live,
            look_up_freshness=self._freshness_lookup(event.folder),
            agent=event.agent,
            window_tokens=event.window_tokens,
            recent_files=self._files.of(session.id),
            find_memory=self._store.get,
            list_disputing=cache(lambda: self._store.to_review(limit=MAX_REVIEW_ITEMS)),
            running_sessions=(session.id, *parents),
            conversation_sessions=(session.id, *parents) if session.forked else (session.id,),
            context_started_at=session_state.find_context_start(self._store, session, event.at),
        )

    def _recaps(self, session: Session, limit: int, event: Event) -> list[Recap]:
        """Recaps of other sessions. A session's own summary is in its context already, unless it was cleared."""
        if session.project is None:
            return []
        is_cleared = isinstance(event, SessionStarted) and event.source is StartSource.CLEAR
        found = self._store.recaps(session.project, limit=limit + 1, until=event.at + MAX_CLOCK_AHEAD)
        recaps = [recap for recap in found if recap.is_current and (is_cleared or recap.session != session.id)]
        return continuity.without_outdated_lines(self._store, recaps[:limit])


def _likely_task(event: Event, branch: str | None, recaps: Sequence[Recap]) -> Task | None:
    """From what the host says, the branch, or the open notes of the last session."""
    said = event.task if isinstance(event, SessionStarted) else None
    notes = recaps[0].notes if recaps else ()
    left = " ".join(note.text for note in notes if note.code in (NoteCode.NEXT, NoteCode.BLOCK))
    for text in filter(None, (said, branch, left)):
        task = task_of(text)
        if task is not Task.GENERAL:
            return task
    return None


def _open_work(branch: str | None, recaps: Sequence[Recap]) -> session_start.OpenWork:
    """The branch, and the files that the last session changed and did not commit."""
    files: Sequence[str] = ()
    if recaps and not recaps[0].summary.done:
        files = recaps[0].summary.files
    return session_start.OpenWork(branch=branch or "", files=frozenset(files))
