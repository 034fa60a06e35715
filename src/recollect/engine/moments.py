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
from recollect.domain.injection import Injection, Moment, Placement, Quiet, Sent
from recollect.domain.memory import ProjectId, SessionId, Viewer
from recollect.domain.session import Recap, Session
from recollect.domain.settings import Placing
from recollect.engine import compaction, continuity, on_demand, session_start, session_state, turn
from recollect.engine.admission import AHEAD, check_event
from recollect.engine.anchoring import Looks
from recollect.engine.corrections import corrections
from recollect.engine.forget import delete_session
from recollect.engine.forks import forked, is_copy
from recollect.engine.inbox import Inbox, LearntFrom, is_nobodys
from recollect.engine.pausing import KnowsPauses, NoPauses, pause_of
from recollect.engine.ports import Embeds, Measures, SeesPlaces, SettingsFor, Store
from recollect.engine.prepared import PreparedBlocks, StartPlace
from recollect.engine.projects import resolve
from recollect.engine.redaction import shown_again
from recollect.engine.sent_log import SentLog, answered
from recollect.engine.session_state import EntersProject
from recollect.engine.situation import Live, Situation, live, silence
from recollect.engine.tombstones import DeletedSessions
from recollect.engine.use import OpenQuestions
from recollect.rank.budget import allowance
from recollect.text.intent import Task, task_of
from recollect.text.optout import opted_out, without_markers
from recollect.text.query import content_words
from recollect.text.tokens import estimate

NOTHING_LIVE = Live()
NOTHING = silence(Placement.MESSAGE)  # the answer to what needs none
PAUSED = silence(Placement.MESSAGE, Quiet.PAUSED)
NOBODY = SessionId("nobody")  # the session that a start block is prepared for
RECENT_PROMPTS, RECENT_PROMPT_CHARS = 5, 2000
DISPUTES = 500  # of the newest, those that are looked at
WELCOME = "Recollect has no memories here yet; `recollect remember` teaches it a sentence."


class Moments:
    def __init__(
        self,
        store: Store,
        settings_for: SettingsFor,
        enter_project: EntersProject,
        workspace: SeesPlaces,
        seconds: Measures,
        model: Callable[[], Embeds | None],
        looking_from: Callable[[str | None], Looks],
        unlearn: Callable[[SessionId], None] = lambda _: None,
        pauses: KnowsPauses | None = None,
        project_named: Callable[[str], ProjectId] = ProjectId,
    ) -> None:
        self._store = store
        self._model = model
        self._looking_from = looking_from
        self._inbox = Inbox(store, settings_for)
        self._settings_for = settings_for
        self._enter_project = enter_project
        self._workspace = workspace
        self._seconds = seconds
        self._files = session_state.Recent(session_state.RECENT_FILES)
        self._prompts = session_state.Recent(RECENT_PROMPTS)
        self._questions = OpenQuestions(store, store)
        self._prepared = PreparedBlocks()
        self._deleted = DeletedSessions()
        self.sent = SentLog(store, seconds)
        self._unlearn = unlearn
        self._pauses = pauses or NoPauses()
        self._project_named = project_named

    def handle(self, event: Event) -> Injection:
        """What the host is to put in front of the model now. Asked again about the same message: the same bytes."""
        check_event(event)
        if isinstance(event, SessionDeleted):
            self._delete(event)
            return NOTHING
        if self._deleted.swallow(event):
            return NOTHING
        if self._is_paused(event):
            return self._while_paused(event)
        enters = self._looked_up if isinstance(event, Asked) else self._enter_project
        session = session_state.enter(self._store, event, enters, self._workspace.language_of)
        if event.headless and not self._settings_for(event.folder).capture.headless:
            session = session_state.wished(self._store, session, recalls=True, captures=False)
        event = session_state.as_spoken(session, event)
        kept = self._keep(session, event)
        injection = self._answer(session, event)
        return injection if kept else replace(injection, kept=False)

    def _is_paused(self, event: Event) -> bool:
        """Now, or when it happened: a host may tell of it late."""

        def project() -> ProjectId | None:
            known = self._store.session(event.session)
            return self._as_it_would_begin(event).project if known is None else known.project

        return pause_of(self._pauses.on(event.at), project, self._project_named) is not None

    def _while_paused(self, event: Event) -> Injection:
        """Keep nothing of it and say nothing new. What was sent before is said again. Of a session that is known, it is
        noted that this message went out bare, so that it stays so; of another one, nothing is noted at all."""
        if isinstance(event, Prompt):
            self._inbox.mute(event.session)  # what follows is an answer to it, also once the pause is over
        session = self._store.session(event.session)
        if session is None and isinstance(event, SessionStarted) and (event.holds or event.parent):
            begins = self._as_it_would_begin(event)
            # A copy begins with what its original was sent.
            session = self._store.begin_session(begins) if is_copy(self._store, begins, event) else None
        match event:
            case _ if session is None:
                return PAUSED
            case SessionStarted():
                return self._start(session, event)
            case Prompt():
                return self._turn(session, event)
            case ToolFailed():
                return self._tool_failed(session, event)
            case Compacting():
                return self._compacting(session, event)
            case Asked():
                return self._asked(session, event)
            case Compacted():
                session_state.forgotten(self._store, session, event.at)
            case SessionEnded():
                self._store.keep_session(replace(session, ended_at=event.at))
            case _:
                pass
        return PAUSED

    def _as_it_would_begin(self, event: Event) -> Session:
        """Nothing is written down of it."""
        return Session(
            id=event.session,
            host=event.host,
            project=event.project or (self._looked_up(event.folder, event.at) if event.folder else None),
            language=event.language or (self._workspace.language_of(event.folder) if event.folder else None),
            started_at=event.at,
            parent=event.parent,
            forked=isinstance(event, SessionStarted) and event.source is StartSource.FORK,
        )

    def _delete(self, event: SessionDeleted) -> None:
        """First it is noted: what comes meanwhile belongs to it. Nobody deletes the session of another host."""
        known = self._store.session(event.session)
        if known is not None and known.host != event.host:
            return
        self._deleted.note(event)
        self._inbox.forget(event.session)
        for recent in (self._files, self._prompts, self._questions):
            recent.forget(event.session)
        self._unlearn(event.session)
        delete_session(self._store, event.session, at=event.at, by=event.host)

    def _looked_up(self, folder: str, _: datetime) -> ProjectId:
        """Whoever only asks makes no project known."""
        return resolve(self._store, self._workspace.place_of(folder), self._workspace.root_commit).project

    @property
    def unwritten(self) -> int:
        """How many events wait in memory for a disk that took nothing."""
        return self._inbox.unwritten

    @property
    def dropped(self) -> int:
        return self._inbox.dropped

    def catch_up(self) -> None:
        """Writes down what waits for the disk."""
        self._inbox.catch_up()

    def _keep(self, session: Session, event: Event) -> bool:
        """A full disk: what is known can be told all the same."""
        if not isinstance(event, LearntFrom):
            return True
        try:
            if isinstance(event, Prompt) and self._was_told_in_a_pause(session, event):
                self._inbox.mute(session.id)
                return True
            return self._inbox.note(session, event)
        except StoreError:  # not even what was wished for can be read
            return False

    def _was_told_in_a_pause(self, session: Session, event: Prompt) -> bool:
        """A host may ask about a message again, once the pause is over."""
        sent = self._store.sent_with(session.id, [event.message])
        return any(not one.call and one.injection.quiet is Quiet.PAUSED for one in sent)

    def _answer(self, session: Session, event: Event) -> Injection:
        match event:
            case SessionStarted():
                return self._start(session, event)
            case Prompt():
                self._files.note(session.id, *event.files)
                return self._turn(session, event)
            case ToolFailed():
                self._files.note(session.id, *session_state.files_in(event.input))
                return self._tool_failed(session, event)
            case ToolSucceeded():
                self._files.note(session.id, *session_state.files_in(event.input))
                return NOTHING
            case Reply():
                self._questions.hear(session.id, event.text, event.at)
                return NOTHING
            case Compacting():
                return self._compacting(session, event)
            case Compacted():
                session_state.forgotten(self._store, session, event.at)
                return NOTHING
            case SessionEnded():
                self._end(session, event)
                return NOTHING
            case Asked():
                return self._asked(session, event)
            case SessionDeleted():
                raise AssertionError("A session that is deleted is not entered.")
            case _ as never:
                assert_never(never)

    def _start(self, session: Session, event: SessionStarted) -> Injection:
        session = session_state.wished(self._store, session, recalls=event.recalls, captures=event.captures)
        with suppress(StoreError):
            self._inbox.close_silent(event.at, besides=session.id)
        if event.source in (StartSource.CLEAR, StartSource.COMPACT):
            session = session_state.forgotten(self._store, session, event.at, source=event.source)
        session = forked(self._store, session, event)
        logged = self._store.stable(session.id, session.context)
        if logged is not None:
            return shown_again(answered(logged, event))
        began = self._seconds()
        quiet = self._quiet(session, self._settings_for(event.folder).start.enabled, event)
        if quiet is not None:
            built = silence(Placement.SYSTEM, quiet)
        else:
            in_front = live(self._store, session)  # a prompt may have come before it
            prepared = None if in_front.sent else self._prepared_block(session, event)
            built = prepared or self._stable_block(session, event, in_front)
        return self.sent.record(session, None, built, event, began, Moment.START)

    def _prepared_block(self, session: Session, event: SessionStarted) -> Injection | None:
        """For a session that has only begun: nothing is known of it but its place."""
        place = _place(session, event)
        self._prepared.note(place)
        if (
            event.task
            or self._is_narrow(event)
            or session.started_at != event.at
            or event.source is not StartSource.STARTUP
        ):
            return None
        settings = self._settings_for(event.folder)
        return self._prepared.get(place, revision=self._store.revision(), settings=settings, now=self._seconds())

    def _is_narrow(self, event: SessionStarted) -> bool:
        """Whether its model reads so little at once that its block is a smaller one."""
        budgets = self._settings_for(event.folder).budgets
        usual = allowance(budgets.start_tokens, budgets)
        return allowance(budgets.start_tokens, budgets, window_tokens=event.window_tokens) < usual

    def prepare(self, now: datetime) -> int:
        """Work for the background: start blocks for where somebody works; how many were built."""

        def build(place: StartPlace) -> Injection:
            session = Session(id=NOBODY, host=NOBODY, project=place.project, language=place.language, started_at=now)
            event = SessionStarted(session=NOBODY, at=now, folder=place.folder, agent=place.agent)
            return self._stable_block(session, event)

        return self._prepared.renew(build, self._settings_for, revision=self._store.revision(), now=self._seconds())

    def _stable_block(self, session: Session, event: Event, in_front: Live = NOTHING_LIVE) -> Injection:
        situation = self._situation(session, event, in_front)
        start = situation.settings.start
        recaps = self._recaps(session, start.sessions + start.older_sessions, event)
        task = self._task(event, recaps)
        work = self._open_work(event, recaps)
        built = session_start.build(self._store, situation, recaps=recaps, task=task, work=work)
        if not built.block and not self._store.count(situation.viewer):
            return replace(built, notice=WELCOME)
        return built

    def _turn(self, session: Session, event: Prompt) -> Injection:
        sent = self._store.sent_with(session.id, [event.message], why=True)
        logged = next((one for one in sent if not one.call), None)
        if logged is not None:
            return shown_again(answered(logged, event))
        began = self._seconds()
        settings = self._settings_for(event.folder)
        wish = opted_out(event.text)
        if wish.session:
            session = session_state.wished(
                self._store, session, recalls=not wish.recall_session, captures=not wish.capture_session
            )
        quiet = self._quiet(session, settings.turn.enabled, event)
        if wish.recall and quiet is not Quiet.PAUSED:
            quiet = Quiet.OPTED_OUT
        if quiet is None and is_nobodys(event):
            quiet = Quiet.IDLE
        if quiet is not Quiet.PAUSED:
            self._prompts.note(session.id, event.text[:RECENT_PROMPT_CHARS])
        if quiet is not None:
            answer = silence(Placement.MESSAGE, quiet)
        elif settings.inject.placement is Placing.SYSTEM:
            answer = self._everything_anew(session, event)
        else:
            situation = self._situation(session, event, self._in_front(session, event))
            known = corrections(self._store, situation)
            answer = turn.answer(self._store, self._model(), without_markers(event.text), situation, known)
        recorded = self.sent.record(session, event.message, answer, event, began, Moment.PROMPT)
        if settings.loop.enabled and quiet is not Quiet.PAUSED:
            self._questions.ask(session.id, event.text[:RECENT_PROMPT_CHARS], recorded.ids, event.at)
        return recorded

    def _everything_anew(self, session: Session, event: Prompt) -> Injection:
        """One block for the system prompt, in place of the one before it: what was shown then is no longer there."""
        of_tools = live(self._store, session, event.live).of_tools
        stable = self._stable_block(session, event, of_tools)
        at_start = Sent(
            session=session.id,
            context=session.context,
            message=None,
            injection=stable,
            at=event.at,
            took_ms=0.0,
            point=Moment.START,
        )
        situation = self._situation(session, event, Live((at_start, *of_tools.sent)))
        fitting = turn.answer(self._store, self._model(), without_markers(event.text), situation)
        block = "\n".join(filter(None, [stable.block, fitting.block]))
        return replace(
            fitting,
            placement=Placement.SYSTEM,
            block=block,
            tokens=estimate(block),
            budget_tokens=stable.budget_tokens + fitting.budget_tokens,
            ids=(*stable.ids, *fitting.ids),
            considered=max(stable.considered, fitting.considered),
            choices=(*fitting.choices, *stable.choices),
            quiet=None if block else fitting.quiet,
        )

    def _tool_failed(self, session: Session, event: ToolFailed) -> Injection:
        if event.message is not None:
            sent = self._store.sent_with(session.id, [event.message], why=True)
            logged = next((one for one in sent if one.call == (event.call or event.message)), None)
            if logged is not None:
                return shown_again(answered(logged, event))
        began = self._seconds()
        quiet = self._quiet(session, self._settings_for(event.folder).tool_error.enabled, event)
        if quiet is not None:
            answer = silence(Placement.TOOL, quiet)
        else:
            from recollect.capture.happened import permission
            from recollect.engine import tool_error  # most tools do not fail, and it has many patterns to make

            situation = self._situation(session, event, self._in_front(session, event))
            answer = tool_error.answer(self._store, self._model(), permission.what_failed(event), situation)
        self._questions.add(session.id, answer.ids)
        if event.message is None:
            return self.sent.record_unnamed(session, answer, event, began, Moment.TOOL_ERROR)
        call = event.call or event.message
        return self.sent.record(session, event.message, answer, event, began, Moment.TOOL_ERROR, call=call)

    def _compacting(self, session: Session, event: Compacting) -> Injection:
        began = self._seconds()
        settings = self._settings_for(event.folder)
        quiet = self._quiet(session, settings.compaction.enabled, event)
        if quiet is not None:
            text = silence(Placement.SUMMARY, quiet)
        else:
            situation = self._situation(session, event, self._in_front(session, event))
            recaps = self._recaps(session, settings.compaction.sessions, event)
            said = [word for prompt in self._prompts.of(session.id) for word in content_words(prompt)]
            learns = session.captures and settings.capture.enabled and settings.capture.summaries
            asks = learns and self._store.count(situation.viewer) > 0  # an empty store says nothing
            text = compaction.build(self._store, self._store, situation, recaps=recaps, said=frozenset(said), asks=asks)
        return self.sent.record_unnamed(session, text, event, began, Moment.COMPACTION)

    def _asked(self, session: Session, event: Asked) -> Injection:
        began = self._seconds()
        quiet = self._quiet(session, self._settings_for(event.folder).on_demand.enabled, event)
        if quiet in (Quiet.OFF, Quiet.PAUSED):  # whoever opted out of being told may ask all the same
            answer = silence(Placement.ANSWER, quiet)
        else:
            situation = self._situation(session, event, self._in_front(session, event))
            answer = on_demand.answer(self._store, self._model(), event, situation)
        return self.sent.record_unnamed(session, answer, event, began, Moment.ON_DEMAND)

    def _end(self, session: Session, event: SessionEnded) -> None:
        self._questions.close(session.id, event.at)
        with self._store.writing():
            self._store.keep_session(replace(session, ended_at=event.at))
            keeps = session.captures and not self._inbox.is_muted(session)
            if keeps and self._settings_for(None).archive.days > 0:
                session_state.leave(self._store, session, event, self._settings_for(event.folder).privacy)

    def _quiet(self, session: Session, enabled: bool, event: Event) -> Quiet | None:
        """Whether nothing is to be said at this moment; None: something may be."""
        if self._is_paused(event):
            return Quiet.PAUSED
        if not enabled or not self._settings_for(event.folder).inject.enabled:
            return Quiet.OFF
        return None if session.recalls else Quiet.OPTED_OUT

    def _in_front(self, session: Session, event: Prompt | ToolFailed | Compacting | Asked) -> Live:
        known = live(self._store, session, None if isinstance(event, Compacting) else event.live)
        if self._settings_for(event.folder).inject.placement is not Placing.SYSTEM:
            return known
        prompts = [sent for sent in known.sent if sent.point is Moment.PROMPT]
        return Live((*prompts[-1:], *known.of_tools.sent))  # each takes the place of the one before it

    def _situation(self, session: Session, event: Event, in_front: Live) -> Situation:
        parents = () if session.parent is None else (session.parent,)
        return Situation(
            viewer=self._viewer(session),
            now=event.at,
            settings=self._settings_for(event.folder),
            live=in_front,
            look=self._looking_from(event.folder),
            agent=event.agent,
            window_tokens=event.window_tokens,
            recent_files=self._files.of(session.id),
            known=self._store.get,
            disputing=cache(lambda: self._store.to_review(limit=DISPUTES)),
            running=(session.id, *parents),
            conversation=(session.id, *(parents if session.forked else ())),
            since=session_state.context_began(self._store, session, event.at),
        )

    def _recaps(self, session: Session, limit: int, event: Event) -> list[Recap]:
        """What others left. Of its own a session that goes on has its summary; one that was cleared has nothing."""
        if session.project is None:
            return []
        left = self._store.recaps(session.project, limit=limit + 1, until=event.at + AHEAD)
        is_cleared = isinstance(event, SessionStarted) and event.source is StartSource.CLEAR
        told = [recap for recap in left if recap.is_current and (is_cleared or recap.session != session.id)]
        return continuity.that_hold(self._store, told[:limit])

    def _task(self, event: Event, recaps: Sequence[Recap]) -> Task | None:
        """What a session is likely about: what the host says, its branch, or what the last one left open."""
        said = event.task if isinstance(event, SessionStarted) else None
        branch = self._workspace.branch_of(event.folder) if event.folder else None
        left = " ".join(note.text for recap in recaps[:1] for note in recap.notes if note.code in ("next", "block"))
        tasks = (task_of(text) for text in (said, branch, left) if text)
        return next((task for task in tasks if task is not Task.GENERAL), None)

    def _open_work(self, event: Event, recaps: Sequence[Recap]) -> session_start.OpenWork:
        """The branch, and the files that the last session changed and did not commit."""
        branch = self._workspace.branch_of(event.folder) if event.folder else None
        files = [path for recap in recaps[:1] if not recap.summary.done for path in recap.summary.files]
        return session_start.OpenWork(branch=branch or "", files=frozenset(files))

    def _viewer(self, session: Session) -> Viewer:
        # Only the user decides what is shared, never a project's file.
        return replace(
            session_state.viewer(session), shares_preferences=self._settings_for(None).privacy.share_preferences
        )


def _place(session: Session, event: Event) -> StartPlace:
    return StartPlace(project=session.project, language=session.language, folder=event.folder, agent=event.agent)
