"""The engine: everything that Recollect can do, on one store. Events in, injections out."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from recollect.domain.changes import Change, ChangeAction, ChangeId, EditResult, Wording, author_of
from recollect.domain.errors import InvalidValue
from recollect.domain.extraction import Question
from recollect.domain.freshness import Freshness
from recollect.domain.health import Finding
from recollect.domain.memory import (
    LATEST,
    Anchor,
    Draft,
    Hit,
    Kind,
    Memory,
    MemoryId,
    MessageId,
    ProjectId,
    Scope,
    SessionId,
    Viewer,
)
from recollect.domain.outcome import Outcome, Refused, Stored
from recollect.domain.project import StoredCounts
from recollect.domain.review import Case, Review
from recollect.domain.search import EVERYTHING, Filters, MemoryStatus, MissingVectors
from recollect.domain.session import Turn, TurnHit
from recollect.domain.settings import Settings
from recollect.domain.transcript import Mark
from recollect.domain.vector import ModelId
from recollect.engine import forget, forget_project, recall, redaction, review
from recollect.engine.admission import MAX_CLOCK_AHEAD, admit_draft, admit_turn
from recollect.engine.agent_changes import Changing
from recollect.engine.anchoring import (
    ChecksFreshness,
    NoFiles,
    ProjectRoot,
    add_hashes,
    find_project_root,
    freshness_check,
)
from recollect.engine.edit import edit
from recollect.engine.embedding import BATCH_ITEMS, embed_some
from recollect.engine.forget import ForgetOutcome
from recollect.engine.learning_ports import AsksHost, ReadsExchanges
from recollect.engine.lookup import find_memory
from recollect.engine.memory_history import Story, build_story
from recollect.engine.pausing import KnowsPauses, NoPauses, find_pause
from recollect.engine.ports import Embeds, MonotonicClock, ReadsFolders, SeesFiles, SettingsFor, Store
from recollect.engine.remember import import_draft, remember
from recollect.engine.undo import UndoResult, learning_change, undo
from recollect.privacy.visibility import may_see

if TYPE_CHECKING:
    from recollect.domain.event import Event
    from recollect.domain.injection import Injection
    from recollect.engine.backfill import Backfill, BackfillResult
    from recollect.engine.injection_log import InjectionLog
    from recollect.engine.learning import Learning
    from recollect.engine.moments import Moments

TRANSACTION_S = 0.015  # of a long job: the longest wait of another process with little to write


def no_model() -> Embeds | None:
    return None


class _Rollback(Exception):
    """Raised to discard everything that a transaction wrote."""


class Engine(Changing):
    def __init__(
        self,
        store: Store,
        settings_for: SettingsFor,
        workspace: ReadsFolders,
        seconds: MonotonicClock,
        model: Callable[[], Embeds | None] = no_model,
        files: Callable[[], SeesFiles] = NoFiles,
        extractor: Callable[[], ReadsExchanges | None] = lambda: None,
        pauses: KnowsPauses | None = None,
    ) -> None:
        self._store = store
        self._model = model
        self._settings_for = settings_for
        self._workspace = workspace
        self._seconds = seconds
        self._open_files = files
        self.extractor = extractor
        self.pauses: KnowsPauses = pauses or NoPauses()
        self._parts: dict[str, Any] = {}  # built when first needed
        self.needs_tidying = False  # a session was deleted, and `tidy` has not removed its bytes yet

    def with_settings(self, settings: Settings, model: Callable[[], Embeds | None]) -> "Engine":
        """Return an engine on the same store for one request, with these settings in every folder."""
        places, seconds, files = self._workspace, self._seconds, self._open_files
        return Engine(self._store, lambda _: settings, places, seconds, model, files, self.extractor, self.pauses)

    def is_paused(self, folder: str | None, at: datetime) -> bool:
        """While paused, agents in this folder are shown nothing, and nothing is kept."""
        pauses = self.pauses.on(at)
        pause = find_pause(pauses, lambda: self.project_of(folder) if folder else None, self.project_by_alias)
        return pause is not None

    def remember(self, draft: Draft, *, folder: str | None = None, now: datetime | None = None) -> Stored:
        (outcome,) = self.remember_all([draft], folder=folder, now=now)
        if isinstance(outcome, Refused):
            raise InvalidValue(outcome.why)
        return outcome

    def remember_all(
        self, drafts: Sequence[Draft], *, folder: str | None = None, now: datetime | None = None
    ) -> list[Outcome]:
        """Store all drafts or none. `folder`: of the project's files; `now`: a draft from after it replaces nothing."""
        privacy = self._settings_for(None).privacy
        checked = [admit_draft(draft, privacy) for draft in self._add_hashes(drafts, folder)]
        first = next((draft for draft in checked if isinstance(draft, Draft)), None)
        if first is None:  # nothing is stored, not even that there was something
            return [draft for draft in checked if isinstance(draft, Refused)]
        outcomes: list[Outcome] = []
        with self._store.transaction():
            change = self._store.begin_change(ChangeAction.REMEMBER, first.at, author_of(first.source))
            for draft in checked:
                if isinstance(draft, Draft):
                    outcomes.append(remember(self._store, draft, change, now=now))
                else:
                    outcomes.append(draft)
        return list(map(redaction.redact_outcome, outcomes))

    def bring_back(
        self, drafts: Iterable[Draft], *, at: datetime, by: str, change: ChangeId | None = None, strict: bool = False
    ) -> tuple[ChangeId, list[Outcome | InvalidValue]]:
        """Import memories from a file, in many short transactions: an agent's writes go first. Several calls can be one
        change; an import that stops halfway can be undone. `strict`: raise a refusal instead of returning it."""
        outcomes: list[Outcome | InvalidValue] = []
        rest = iter(drafts)
        is_done = False
        while not is_done:
            with self._store.transaction():
                change = self._store.begin_change(ChangeAction.IMPORT, at, by) if change is None else change
                until = self._seconds() + TRANSACTION_S
                is_done = True
                for draft in rest:
                    outcomes.append(self._bring_one_back(draft, change, at, strict))
                    if self._seconds() > until:
                        is_done = False
                        break
            self._store.give_way()
        assert change is not None
        return change, outcomes

    def _bring_one_back(self, draft: Draft, change: ChangeId, at: datetime, strict: bool) -> Outcome | InvalidValue:
        try:
            if draft.at > at + MAX_CLOCK_AHEAD:  # nothing would ever replace it, and it would replace everything
                raise InvalidValue(f"Its time, {draft.at.date()}, is in the future.")
            checked = admit_draft(draft, self._settings_for(None).privacy, from_file=True)
            if isinstance(checked, Refused):
                raise InvalidValue(checked.why)
            return redaction.redact_outcome(import_draft(self._store, checked, change, at))
        except InvalidValue as refusal:
            if strict:
                raise
            return refusal

    def recall(
        self,
        query: str,
        viewer: Viewer,
        *,
        limit: int | None,
        now: datetime,
        filters: Filters = EVERYTHING,
        folder: str | None = None,
        uncertain: bool = False,
    ) -> list[Hit]:
        """`folder`: of the asker; a memory can be found stale only in its own project's folder. `uncertain`: return
        the nearest few of what does not fit."""
        if filters.status is MemoryStatus.STALE:
            self._require_own_folder(viewer, folder)
        hits = recall.recall(
            self._store,
            self._model(),
            query,
            viewer,
            limit=limit,
            now=now,
            settings=self._settings_for(None),
            filters=filters,
            look=self._freshness_lookup(folder, asked=True),
            uncertain=uncertain,
        )
        return list(map(redaction.redact_hit, hits))

    def freshness(self, memories: Sequence[Memory], folder: str | None) -> Mapping[MemoryId, Freshness]:
        """The state of the files of these memories; empty unless the folder is in their project."""
        return self._freshness_lookup(folder, asked=True)(memories)

    def anchor(self, folder: str, path: str, scope: Scope) -> Anchor:
        here = self._ground(folder)
        if here is None or scope != Scope.project(here.project):
            raise InvalidValue(
                "A file belongs to the project of its folder; remember it there, with that project's scope."
            )
        return self._files.anchor(here.root, folder, path)

    def _add_hashes(self, drafts: Sequence[Draft], folder: str | None) -> Sequence[Draft]:
        here = self._ground(folder) if any(draft.anchors for draft in drafts) else None
        return drafts if here is None else [add_hashes(draft, self._files, here) for draft in drafts]

    def _freshness_lookup(self, folder: str | None, *, asked: bool = False) -> ChecksFreshness:
        return freshness_check(lambda: self._files, lambda: self._ground(folder, asked=asked), asked=asked)

    @cached_property
    def _files(self) -> SeesFiles:
        return self._open_files()  # a command that shows no memory with a file starts quicker without them

    def _ground(self, folder: str | None, *, asked: bool = True) -> ProjectRoot | None:
        return find_project_root(self._store, self._workspace, folder, asked=asked)

    def _require_own_folder(self, viewer: Viewer, folder: str | None) -> None:
        here = self._ground(folder)
        if here is None or here.project != viewer.project:
            raise InvalidValue("The status `stale` works only inside the project's own folder.")

    def find(self, id_or_prefix: str) -> Memory:
        return redaction.redact_memory(find_memory(self._store, id_or_prefix))

    def all_memories(self, project: ProjectId | None = None) -> Iterator[Memory]:
        return map(redaction.redact_memory, self._store.everything(project))

    def history(self, memory: Memory) -> Story:
        return redaction.redact_story(build_story(self._store, memory))

    def forget(self, memories: Sequence[MemoryId], *, at: datetime, by: str) -> ForgetOutcome:
        """Hide memories until the undo window ends; without an undo window, delete them at once."""
        if self.has_no_undo:
            return self.forget_now(memories, at=at, by=by)
        done = forget.forget(self._store, memories, at=at, by=by)
        return done._replace(memories=[*redaction.redact_memories(done.memories)])

    def forget_now(self, memories: Sequence[MemoryId], *, at: datetime, by: str) -> ForgetOutcome:
        done = forget.forget_now(self._store, memories, at=at, by=by)
        return done._replace(memories=[*redaction.redact_memories(done.memories)])

    def holdings(self) -> list[StoredCounts]:
        return self._store.holdings()

    def forget_project(self, project: ProjectId, *, at: datetime, by: str, for_good: bool) -> tuple[ChangeId, bool]:
        """Hide everything of a project, or delete it for good. Return False if bytes of deleted data may be left."""
        sessions = self._store.session_ids_in(project)
        change = forget_project.hide(self._store, project, at=at, by=by)
        for session in sessions:
            self._unlearn(session)
        if not for_good:
            return change, True
        return change, self._store.scrub(forget_project.delete_now(self._store, project))

    def is_forgotten(self, project: ProjectId) -> bool:
        """The project was forgotten and can still be brought back."""
        return any(change.detail["project"] == project for change in self._store.find_forgotten_projects())

    def edit(self, memory_id: MemoryId, wording: Wording, *, at: datetime, by: str) -> EditResult:
        """Change the text of a memory. InvalidValue: it may not be stored so, and nothing was changed."""
        done = edit(self._store, memory_id, wording, self._settings_for(None).privacy, at=at, by=by)
        return replace(done, memory=redaction.redact_memory(done.memory), before=redaction.redact_memory(done.before))

    def hidden_memories(self, viewer: Viewer) -> list[Memory]:
        """Memories that were forgotten or undone, are not deleted yet, and were visible to this viewer."""
        forgotten = filter(None, map(self._store.get, self._store.find_forgotten_before(LATEST)))
        visible = (memory for memory in forgotten if may_see(replace(memory, forgotten_at=None), viewer))
        return [*redaction.redact_memories(visible)]

    def edits(self, viewer: Viewer) -> list[tuple[Memory, Memory]]:
        """Edited memories that this viewer may see, each with its old version, whose words are still stored."""
        pairs = []
        for change in self._store.edits():
            now = self._store.get(change.memory)
            if now is not None and change.before is not None and may_see(now, viewer):
                pairs.append((redaction.redact_memory(now), change.before))
        return pairs

    def cases(self) -> list[Case]:
        return list(map(redaction.redact_case, review.cases(self._store)))

    def candidates(self) -> list[Memory]:
        return list(redaction.redact_memories(self._store.candidates(limit=review.MAX_LISTED)))

    def dispute(self, memory: Memory) -> tuple[Case, list[Memory]]:
        """The memories that it contradicts, and those that contradict it."""
        case, others = review.dispute(self._store, memory)
        return redaction.redact_case(case), list(redaction.redact_memories(others))

    def accept(self, memories: Sequence[MemoryId], *, at: datetime, by: str) -> Review:
        return redaction.redact_review(review.accept(self._store, memories, at=at, by=by))

    def keep(self, memories: Sequence[MemoryId], *, at: datetime, by: str) -> Review:
        return redaction.redact_review(review.keep(self._store, memories, at=at, by=by))

    def reject(self, memories: Sequence[MemoryId], *, at: datetime, by: str) -> Review:
        return redaction.redact_review(review.reject(self._store, memories, at=at, by=by))

    @contextmanager
    def dry_run(self) -> Iterator[None]:
        """Discard whatever is written inside. Other writers wait meanwhile: for long trials use `dry_run_copy`."""
        try:
            with self._store.transaction():
                yield
                raise _Rollback
        except _Rollback:
            pass

    @contextmanager
    def dry_run_copy(self) -> "Iterator[Engine]":
        """For long trials: an engine on a copy in memory, so that no other writer waits."""
        settings_for, places, seconds, model = self._settings_for, self._workspace, self._seconds, self._model
        with self._store.copy_in_memory() as copy:
            yield Engine(copy, settings_for, places, seconds, model, self._open_files, self.extractor)

    def undo(self, change: ChangeId | None, *, at: datetime, by: str) -> UndoResult:
        return redaction.redact_undone(undo(self._store, change, at=at, by=by))

    def undo_learning(self, session: SessionId, *, at: datetime, by: str) -> UndoResult:
        return redaction.redact_undone(undo(self._store, learning_change(self._store, session), at=at, by=by))

    def changes(self, *, limit: int) -> list[Change]:
        return list(map(redaction.redact_change, self._store.recent_changes(limit=limit)))

    def tidy(self, now: datetime) -> None:
        """Background work: delete what has expired."""
        self.needs_tidying = False
        if self._store.is_read_only:
            return
        settings = self._settings_for(None)
        forget_project.expire(self._store, now - timedelta(hours=settings.forget.undo_hours))
        if forget.tidy(self._store, now, settings) and "learning" in self._parts:
            self._learning.forget_all()

    def do_chores(self, now: datetime) -> bool:
        """Take one step of the work that an upgrade left. Return False when all is done."""
        if self._store.is_read_only:
            return False
        from recollect.engine import (
            rejudging,  # needed only after an upgrade
            undo_doubtful,
        )

        undo_doubtful.take_back(self._store, now)
        return rejudging.judge_some(self._store, now)

    def find_restoring_change(self) -> Change | None:
        """The change that restored memories which an older version had replaced in doubt, unless it was undone."""
        from recollect.engine import undo_doubtful

        return undo_doubtful.current_change(self._store)

    def find_demoting_change(self) -> Change | None:
        """The change that made candidates of memories which today's rules would not confirm, unless it was undone."""
        from recollect.engine import rejudging

        return rejudging.current_change(self._store)

    @property
    def is_database_there(self) -> bool:
        return self._store.is_there

    @property
    def is_read_only(self) -> bool:
        return self._store.is_read_only

    def check(self) -> list[Finding]:
        return self._store.check()

    def repair(self, now: datetime) -> list[Finding]:
        done = self._store.mend()
        while self.do_chores(now):
            pass
        return done

    def archive(self, turns: Sequence[Turn]) -> None:
        """Add turns to the archive, without those of deleted sessions and messages."""
        gone = {session: self._store.find_erased(session) for session in {turn.session for turn in turns}}
        present = [turn for turn in turns if gone[turn.session].isdisjoint((turn.message, ""))]
        with self._store.transaction():
            self._store.add_turns(list(filter(None, map(admit_turn, present))))

    def backfill(
        self,
        transcript: Mark,
        events: "Callable[[], Iterable[Event]]",
        *,
        now: datetime,
        project: ProjectId | None = None,
        is_own: bool = True,
    ) -> "BackfillResult":
        """Learn from an old session; a second run continues where the first one stopped."""
        return self._backfill.run(transcript, events, now=now, project=project, is_own=is_own)

    def has_read(self, transcript: Mark) -> bool:
        """The old session was read to its end and has not changed since."""
        return self._backfill.is_finished(transcript)

    def knows_session(self, session: SessionId) -> bool:
        return self._store.session(session) is not None

    @cached_property
    def _backfill(self) -> "Backfill":
        from recollect.engine.backfill import Backfill  # only commands that read old sessions need it
        from recollect.engine.old_sessions import OldSessions

        def sessions(project: ProjectId | None, begun: bool, is_own: bool) -> OldSessions:
            return OldSessions(
                self._store,
                self._settings_for,
                self.enter_project,
                self._workspace.language_of,
                project,
                was_begun=begun,
                is_own=is_own,
                is_paused=self._was_paused,
            )

        return Backfill(self._store, self._settings_for, sessions, self._learning)

    def _was_paused(self, event: "Event", project: ProjectId | None) -> bool:
        """An event of an old session happened during a pause. Raises PauseUnreadable."""

        def find_project() -> ProjectId | None:
            return event.project or (self.project_of(event.folder) if event.folder else project)

        return find_pause(self.pauses.at(event.at), find_project, self.project_by_alias) is not None

    def recall_turns(
        self, query: str, project: ProjectId | None, *, limit: int, filters: Filters = EVERYTHING, fitting: bool = False
    ) -> list[TurnHit]:
        """Best first. `fitting`: leave out turns with neither a word nor the meaning of the question."""
        hits = recall.recall_turns(self._store, self._model(), query, project, limit=limit, filters=filters)
        if fitting:
            settings = self._settings_for(None)
            hits = [hit for hit in hits if recall.is_relevant(hit, settings)]
        return list(map(redaction.redact_turn_hit, hits))

    def embed_some(self, *, limit: int = BATCH_ITEMS, wait_ms: int | None = None) -> int:
        """Background work: compute some missing vectors. Return how many; 0 also without a model."""
        model = None if self._store.is_read_only else self._model()
        return 0 if model is None else embed_some(self._store, model, limit=limit, wait_ms=wait_ms)

    def missing_vectors(self, model: ModelId | None) -> MissingVectors:
        return self._store.count_missing_vectors(model)

    def newest(self, viewer: Viewer, *, limit: int, kinds: Collection[Kind] = ()) -> list[Memory]:
        found = self._store.newest(viewer, limit=limit, kinds=kinds or None)
        return [redaction.redact_memory(memory) for memory in found if may_see(memory, viewer)]

    def count(self) -> int:
        return self._store.count()

    def handle(self, event: "Event") -> "Injection":
        """Return what the host puts in front of the model now. Asked again about the same message: the same bytes."""
        return self._moments.handle(event)

    @property
    def events_unwritten(self) -> int:
        """Events that wait in memory because the disk was full."""
        return self._moments.inbox.unwritten if "moments" in self._parts else 0

    @property
    def events_dropped(self) -> int:
        """Events that are lost: neither the disk nor memory had room for them."""
        return self._moments.inbox.dropped if "moments" in self._parts else 0

    def write_waiting_events(self) -> None:
        """Background work: write the waiting events. StoreError: the disk is still full."""
        self._moments.inbox.catch_up()

    def learn_some(self, *, limit: int = 20) -> int:
        """Background work: learn from some events. Return how many were processed."""
        return self._learning.process_inbox(limit=limit)

    def extract_some(self) -> bool:
        """Background work that may take long: send an exchange to the language model that the user has configured."""
        return self._learning.extract()

    def next_question(
        self,
        host: str,
        folder: str | None,
        session: SessionId | None,
        now: datetime,
        *,
        working: Collection[SessionId] = (),
        client: int | None = None,
    ) -> Question | timedelta | None:
        """Return a question for the host's own model about a session of this project. A time: ask again then."""
        from recollect.engine.host_model_questions import next_question  # most users have it switched off

        reader = self.extractor()
        if not isinstance(reader, AsksHost) or self._store.is_read_only or self.is_paused(folder, now):
            return None
        project = self.project_of(folder) if folder else None
        idle = timedelta(minutes=self._settings_for(None).extractor.idle_minutes)
        return next_question(
            self._store, reader, host, project, session, working=working, client=client, idle=idle, now=now
        )

    def answer_question(
        self, question_id: str, text: str, tokens: int | None, folder: str | None, now: datetime
    ) -> int:
        """Learn from the answer of the host's model. Return how many memories it brought."""
        from recollect.engine.host_model_questions import MAX_QUESTIONS

        reader = self.extractor()
        answered = reader.read_answer(question_id, text, tokens) if isinstance(reader, AsksHost) else None
        if answered is None or self.is_paused(folder, now):
            return 0
        session, proposals = answered
        self._store.note_asked(session, MAX_QUESTIONS)
        return self._learning.store_proposals(session, proposals, folder, now)

    def recheck_some(self) -> bool:
        """Background work: check some more of an older version's data with the rules of this version."""
        return not self._store.is_read_only and self._store.rescan_some()

    def recheck_progress(self) -> str | None:
        """The progress of that check; None: it has not begun."""
        finding = self._store.rescan_state()
        return None if finding is None else finding.says

    def count_waiting_events(self) -> int:
        return self._store.count_waiting_events()

    def warm_up(self, folder: str, now: datetime) -> None:
        """Background work: load what the first prompt in this folder needs. It leaves no trace."""
        from recollect.engine.warmup import warmup_events  # once per process

        self._model()  # before the transaction: no process can write during it
        with self.dry_run():
            for event in warmup_events(folder, now):
                self.handle(event)

    def prepare_start_blocks(self, now: datetime) -> int:
        """Background work: build start blocks for recently used places. Return how many were built."""
        return self._moments.prepare_start_blocks(now)

    def replay_tools(self, session: SessionId, messages: Sequence[MessageId]) -> dict[MessageId, dict[str, str]]:
        return self._moments.sent.replay_tools(session, messages)

    def replay(self, session: SessionId, messages: Sequence[MessageId]) -> dict[MessageId, str]:
        return self._moments.sent.replay(session, messages)

    def confirm(self, session: SessionId, carriers: Sequence[str]) -> None:
        """Note that the host has sent these blocks. An answer that came too late for the host is never confirmed."""
        self._store.confirm(session, carriers)

    def confirm_delivery(self, injection: "Injection") -> None:
        """Note that the asker has the answer: from now on it counts as sent."""
        if injection.offered is not None:
            self._store.confirm_one(injection.offered)

    def note_feedback(self, memories: Sequence[MemoryId], *, useful: bool) -> None:
        """Count the user's feedback; the opposite feedback takes it back."""
        self._store.note_feedback(memories, 1 if useful else -1)

    @cached_property
    def log(self) -> "InjectionLog":
        from recollect.engine.injection_log import InjectionLog  # no moment needs it

        return InjectionLog(self._store)

    # These two keep state of sessions. Two threads that ask first at once must get the same object: `setdefault` keeps
    # the first one, where a `cached_property` would keep the second.
    @property
    def _moments(self) -> "Moments":
        from recollect.engine.moments import Moments  # a command that only stores or recalls starts quicker without it

        if "moments" not in self._parts:
            built = Moments(
                self._store,
                self._settings_for,
                self.enter_project,
                self._workspace,
                self._seconds,
                self._model,
                self._freshness_lookup,
                self._unlearn,
                self.pauses,
                self.project_by_alias,
            )
            self._parts.setdefault("moments", built)
        moments: Moments = self._parts["moments"]
        return moments

    def _unlearn(self, session: SessionId) -> None:
        self._learning.forget(session)
        self.needs_tidying = True

    @property
    def _learning(self) -> "Learning":
        from recollect.engine.learning import Learning  # as above

        if "learning" not in self._parts:
            built = Learning(self._store, self._settings_for, self._model, self._add_hashes, self.extractor)
            self._parts.setdefault("learning", built)
        learning: Learning = self._parts["learning"]
        return learning
