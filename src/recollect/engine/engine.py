"""The engine: one object with everything that Recollect can do, on one store. Events in, injections out."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from recollect.domain.errors import InvalidValue
from recollect.domain.extraction import Question
from recollect.domain.freshness import Freshness
from recollect.domain.health import Finding
from recollect.domain.history import Change, DeedId, DeedKind, doer
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
from recollect.domain.review import Case, Review
from recollect.domain.search import EVERYTHING, Filters, MemoryStatus, MissingVectors
from recollect.domain.session import Turn, TurnHit
from recollect.domain.settings import Settings
from recollect.domain.stored import Holding
from recollect.domain.transcript import Mark
from recollect.domain.vector import ModelId
from recollect.domain.wording import Edited, Wording
from recollect.engine import forget, forget_project, recall, redaction, review
from recollect.engine.admission import AHEAD, admitted, admitted_turn
from recollect.engine.anchoring import Ground, Looks, NoFiles, ground, looking, with_hashes
from recollect.engine.changing import Changing
from recollect.engine.edit import edit
from recollect.engine.embedding import AT_ONCE, embed_some
from recollect.engine.forget import ForgetOutcome
from recollect.engine.learning_ports import AsksHost, ReadsExchanges
from recollect.engine.lookup import found
from recollect.engine.pausing import KnowsPauses, NoPauses, find_pause
from recollect.engine.ports import Embeds, Measures, SeesFiles, SeesPlaces, SettingsFor, Store
from recollect.engine.remember import bring_back, remember
from recollect.engine.story import Story, build_story
from recollect.engine.undo import Undone, learnt_in, undo
from recollect.privacy.visibility import may_see

if TYPE_CHECKING:
    from recollect.domain.event import Event
    from recollect.domain.injection import Injection
    from recollect.engine.backfill import Backfill, Backfilled
    from recollect.engine.injection_log import InjectionLog
    from recollect.engine.learning import Learning
    from recollect.engine.moments import Moments


TRANSACTION_S = 0.015  # of much work: the longest that somebody else waits who has little to write


def no_model() -> Embeds | None:
    return None


def no_extractor() -> ReadsExchanges | None:
    return None


class _Rehearsed(Exception):
    """It was only tried."""


class Engine(Changing):
    def __init__(
        self,
        store: Store,
        settings_for: SettingsFor,
        workspace: SeesPlaces,
        seconds: Measures,
        model: Callable[[], Embeds | None] = no_model,
        files: Callable[[], SeesFiles] = NoFiles,
        extractor: Callable[[], ReadsExchanges | None] = no_extractor,
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
        self._parts: dict[str, Any] = {}
        self.is_untidy = False  # a session was deleted: its bytes wait for `tidy`

    def within(self, settings: Settings, model: Callable[[], Embeds | None]) -> "Engine":
        """The same store, as these settings have it, whatever the folder; for one question."""
        return Engine(
            self._store,
            lambda _: settings,
            self._workspace,
            self._seconds,
            model,
            self._open_files,
            self.extractor,
            self.pauses,
        )

    def is_paused(self, folder: str | None, at: datetime) -> bool:
        """Whether nothing is told to an agent in this folder, and nothing kept of it."""
        on = self.pauses.on(at)
        return find_pause(on, lambda: self.project_of(folder) if folder else None, self.project_named) is not None

    def remember(self, draft: Draft, *, folder: str | None = None, now: datetime | None = None) -> Stored:
        (outcome,) = self.remember_all([draft], folder=folder, now=now)
        if isinstance(outcome, Refused):
            raise InvalidValue(outcome.why)
        return outcome

    def remember_all(
        self, drafts: Sequence[Draft], *, folder: str | None = None, now: datetime | None = None
    ) -> list[Outcome]:
        """All of them, or none. `folder`: where the files of their project lie; `now`: what is dated later than that
        outdates nothing."""
        if not drafts:
            return []
        privacy = self._settings_for(None).privacy
        admissible = [admitted(draft, privacy) for draft in self._add_hashes(drafts, folder)]
        first = next((draft for draft in admissible if isinstance(draft, Draft)), None)
        if first is None:  # nothing of them is kept, nor that there was something
            return [draft for draft in admissible if isinstance(draft, Refused)]
        with self._store.writing():
            deed = self._store.begin_deed(DeedKind.REMEMBER, first.at, doer(first.source))
            done = [d if isinstance(d, Refused) else remember(self._store, d, deed, now=now) for d in admissible]
        return [redaction.redact_outcome(outcome) for outcome in done]

    def bring_back(
        self, drafts: Iterable[Draft], *, at: datetime, by: str, deed: DeedId | None = None, strict: bool = False
    ) -> tuple[DeedId, list[Outcome | InvalidValue]]:
        """From a file: each with its outcome or why it was refused; `strict` raises that.

        Several calls can be parts of one deed, which is undone as a whole. It takes many short transactions: an agent
        that has something to write goes first. One that ends half way leaves a deed that can be undone.
        """
        outcomes: list[Outcome | InvalidValue] = []
        rest = iter(drafts)
        is_done = False
        while not is_done:
            with self._store.writing():
                deed = self._store.begin_deed(DeedKind.IMPORT, at, by) if deed is None else deed
                until = self._seconds() + TRANSACTION_S
                is_done = True
                for draft in rest:
                    outcomes.append(self._brought_back(draft, deed, at, strict))
                    if self._seconds() > until:
                        is_done = False
                        break
            self._store.give_way()
        assert deed is not None
        return deed, outcomes

    def _brought_back(self, draft: Draft, deed: DeedId, at: datetime, strict: bool) -> Outcome | InvalidValue:
        try:
            if draft.at > at + AHEAD:  # what is never outdated would outdate everything
                raise InvalidValue(f"Its time, {draft.at.date()}, lies in the future.")
            may_be = admitted(draft, self._settings_for(None).privacy, from_file=True)
            if isinstance(may_be, Refused):
                raise InvalidValue(may_be.why)
            return redaction.redact_outcome(bring_back(self._store, may_be, deed, at))
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
        """`folder`: where somebody asks; only in its own project's folder does a memory turn out to be stale.
        `uncertain`: the nearest few of what does not fit."""
        if filters.status is MemoryStatus.STALE:
            self._refuse_elsewhere(viewer, folder)
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
        return [redaction.redact_hit(hit) for hit in hits]

    def freshness(self, memories: Sequence[Memory], folder: str | None) -> Mapping[MemoryId, Freshness]:
        """What became of the files of these memories, as far as the folder is that of their project."""
        return self._freshness_lookup(folder, asked=True)(memories)

    def anchor(self, folder: str, path: str, scope: Scope) -> Anchor:
        """A file that somebody names from a folder, for a memory that is to hold there."""
        here = self._ground(folder)
        if here is None or scope != Scope.project(here.project):
            raise InvalidValue(
                "A file belongs to the project of its folder; remember it there, with that project's scope."
            )
        return self._files.anchor(here.root, folder, path)

    def _add_hashes(self, drafts: Sequence[Draft], folder: str | None) -> Sequence[Draft]:
        here = self._ground(folder) if any(draft.anchors for draft in drafts) else None
        return drafts if here is None else [with_hashes(draft, self._files, here) for draft in drafts]

    def _freshness_lookup(self, folder: str | None, *, asked: bool = False) -> Looks:
        return looking(lambda: self._files, lambda: self._ground(folder, asked=asked), asked=asked)

    @cached_property
    def _files(self) -> SeesFiles:
        return self._open_files()  # a command that shows no memory with a file starts quicker without them

    def _ground(self, folder: str | None, *, asked: bool = True) -> Ground | None:
        return ground(self._store, self._workspace, folder, asked=asked)

    def _refuse_elsewhere(self, viewer: Viewer, folder: str | None) -> None:
        here = self._ground(folder)
        if here is None or here.project != viewer.project:
            raise InvalidValue("What is stale is known in the folder of its project alone; ask there.")

    def find(self, id_or_beginning: str) -> Memory:
        """By its id, or by the beginning of it where only one memory has that."""
        return redaction.redact_memory(found(self._store, id_or_beginning))

    def everything(self, project: ProjectId | None = None) -> Iterator[Memory]:
        return map(redaction.redact_memory, self._store.everything(project))

    def history(self, memory: Memory) -> Story:
        return redaction.redact_story(build_story(self._store, memory))

    def forget(self, memories: Sequence[MemoryId], *, at: datetime, by: str) -> ForgetOutcome:
        """Out of sight; gone at once where there is no undo window."""
        if not self._settings_for(None).forget.undo_hours:
            return self.forget_now(memories, at=at, by=by)
        done = forget.forget(self._store, memories, at=at, by=by)
        return done._replace(memories=[*redaction.redact_memories(done.memories)])

    def forget_now(self, memories: Sequence[MemoryId], *, at: datetime, by: str) -> ForgetOutcome:
        """Gone for good."""
        done = forget.forget_now(self._store, memories, at=at, by=by)
        return done._replace(memories=[*redaction.redact_memories(done.memories)])

    def holdings(self) -> list[Holding]:
        """How much is kept of each project and outside of all, the last used first."""
        return self._store.holdings()

    def forget_project(self, project: ProjectId, *, at: datetime, by: str, for_good: bool) -> tuple[DeedId, bool]:
        """Everything of a project: out of sight, or gone for good. Whether no byte is left of what should be gone."""
        sessions = self._store.sessions_in(project)
        deed = forget_project.hide(self._store, project, at=at, by=by)
        for session in sessions:
            self._unlearn(session)
        if not for_good:
            return deed, True
        return deed, self._store.scrub(forget_project.delete_now(self._store, project))

    def is_forgotten(self, project: ProjectId) -> bool:
        """Whether it was forgotten and can still be brought back."""
        return any(deed.detail["project"] == project for deed in self._store.forgotten_projects())

    def edit(self, memory_id: MemoryId, wording: Wording, *, at: datetime, by: str) -> Edited:
        """A person changes what a memory says. InvalidValue: it cannot be kept so; nothing was changed."""
        done = edit(self._store, memory_id, wording, self._settings_for(None).privacy, at=at, by=by)
        return replace(done, memory=redaction.redact_memory(done.memory), before=redaction.redact_memory(done.before))

    def out_of_sight(self, viewer: Viewer) -> list[Memory]:
        """What this viewer could see before it was forgotten, or what brought it was undone, and is not gone yet."""
        known = filter(None, map(self._store.get, self._store.forgotten_before(LATEST)))
        before = [memory for memory in known if may_see(replace(memory, forgotten_at=None), viewer)]
        return [*redaction.redact_memories(before)]

    def edited(self, viewer: Viewer) -> list[tuple[Memory, Memory]]:
        """What this viewer may see and a person has edited, each with how it was before: those words are still kept."""
        pairs = ((self._store.get(change.memory), change.before) for change in self._store.edits())
        seen = ((now, before) for now, before in pairs if now is not None and before is not None)
        return [(redaction.redact_memory(now), before) for now, before in seen if may_see(now, viewer)]

    def cases(self) -> list[Case]:
        """What waits for a person to decide."""
        return [redaction.redact_case(case) for case in review.cases(self._store)]

    def candidates(self) -> list[Memory]:
        """What was read in sessions and nothing has proven yet, the likeliest to matter first."""
        return list(redaction.redact_memories(review.candidates(self._store)))

    def dispute(self, memory: Memory) -> tuple[Case, list[Memory]]:
        """What it contradicts, and what contradicts it."""
        case, others = review.dispute(self._store, memory)
        return redaction.redact_case(case), list(redaction.redact_memories(others))

    def accept(self, memories: Sequence[MemoryId], *, at: datetime, by: str) -> Review:
        return redaction.redact_review(review.accept(self._store, memories, at=at, by=by))

    def keep(self, memories: Sequence[MemoryId], *, at: datetime, by: str) -> Review:
        return redaction.redact_review(review.keep(self._store, memories, at=at, by=by))

    def reject(self, memories: Sequence[MemoryId], *, at: datetime, by: str) -> Review:
        return redaction.redact_review(review.reject(self._store, memories, at=at, by=by))

    @contextmanager
    def rehearsing(self) -> Iterator[None]:
        """Whatever is written inside is not kept. Others wait meanwhile: for little, or see `rehearsal`."""
        try:
            with self._store.writing():
                yield
                raise _Rehearsed
        except _Rehearsed:
            pass

    @contextmanager
    def rehearsal(self) -> "Iterator[Engine]":
        """For much that is only tried: on a copy in memory, which nobody has to wait for."""
        with self._store.copied() as copy:
            yield Engine(
                copy,
                self._settings_for,
                self._workspace,
                self._seconds,
                self._model,
                self._open_files,
                self.extractor,
            )

    def undo(self, deed: DeedId | None, *, at: datetime, by: str) -> Undone:
        return redaction.redact_undone(undo(self._store, deed, at=at, by=by))

    def undo_learning(self, session: SessionId, *, at: datetime, by: str) -> Undone:
        """All that one session taught."""
        return redaction.redact_undone(undo(self._store, learnt_in(self._store, session), at=at, by=by))

    def deeds(self, *, limit: int) -> list[Change]:
        return [redaction.redact_change(deed) for deed in self._store.deeds(limit=limit)]

    def tidy(self, now: datetime) -> None:
        """What time alone brings. Nothing waits for it."""
        self.is_untidy = False
        if not self._store.is_read_only:
            settings = self._settings_for(None)
            forget_project.expire(self._store, now - timedelta(hours=settings.forget.undo_hours))
            if forget.tidy(self._store, now, settings) and "learning" in self._parts:
                self._learning.forget_all()

    def do_chores(self, now: datetime) -> bool:
        """Take one step of what an upgrade leaves for later. False: all of it is done."""
        if self._store.is_read_only:
            return False
        from recollect.engine import doubtful, rejudging  # after an upgrade alone

        doubtful.take_back(self._store, now)
        return rejudging.judge_some(self._store, now)

    def taken_back(self) -> Change | None:
        """The deed that took back what an older version had ended in doubt, as far as it holds."""
        from recollect.engine import doubtful  # who asks how it is going

        return doubtful.taken_back(self._store)

    def put_back(self) -> Change | None:
        """The deed that made candidates of captured memories which today's rules would not confirm, as far as it
        holds."""
        from recollect.engine import rejudging  # who asks how it is going

        return rejudging.put_back(self._store)

    @property
    def is_there(self) -> bool:
        """False: the database was moved or deleted while it was open."""
        return self._store.is_there

    @property
    def is_read_only(self) -> bool:
        return self._store.is_read_only

    def check(self) -> list[Finding]:
        return self._store.check()

    def mend(self, now: datetime) -> list[Finding]:
        done = self._store.mend()
        while self.do_chores(now):
            pass
        return done

    def archive(self, turns: Sequence[Turn]) -> None:
        gone = {session: self._store.gone(session) for session in {turn.session for turn in turns}}
        told = [turn for turn in turns if gone[turn.session].isdisjoint((turn.message, ""))]
        kept = [turn for turn in map(admitted_turn, told) if turn is not None]
        with self._store.writing():
            self._store.add_turns(kept)

    def backfill(
        self,
        transcript: Mark,
        events: "Callable[[], Iterable[Event]]",
        *,
        now: datetime,
        project: ProjectId | None = None,
        is_own: bool = True,
    ) -> "Backfilled":
        """An old session: what is new of it is kept, in several transactions; reading goes on where it was ended.

        `project`: of sessions that do not tell their folder. `is_own`: False for what somebody else may have written.
        """
        return self._backfill.run(transcript, events, now=now, project=project, is_own=is_own)

    def has_read(self, transcript: Mark) -> bool:
        """Whether an old session was read to its end, and is as it was."""
        return self._backfill.is_finished(transcript)

    def knows_session(self, session: SessionId) -> bool:
        return self._store.session(session) is not None

    @cached_property
    def _backfill(self) -> "Backfill":
        from recollect.engine.backfill import Backfill  # only who reads old sessions needs it
        from recollect.engine.old_sessions import OldSessions

        def sessions(project: ProjectId | None, begun: bool, is_own: bool) -> OldSessions:
            language_of = self._workspace.language_of
            known = (self._store, self._settings_for, self.enter_project, language_of, project)
            return OldSessions(*known, begun=begun, is_own=is_own, is_paused=self._was_paused)

        return Backfill(self._store, self._settings_for, sessions, self._learning)

    def _was_paused(self, event: "Event", project: ProjectId | None) -> bool:
        """Whether an event of an old session happened during a pause. PauseUnreadable: nobody knows."""

        def its_project() -> ProjectId | None:
            return event.project or (self.project_of(event.folder) if event.folder else project)

        return find_pause(self.pauses.at(event.at), its_project, self.project_named) is not None

    def recall_turns(
        self,
        query: str,
        project: ProjectId | None,
        *,
        limit: int,
        filters: Filters = EVERYTHING,
        fitting: bool = False,
    ) -> list[TurnHit]:
        """The best in their order; `fitting` leaves out what has neither a word nor the meaning of the question."""
        hits = recall.recall_turns(self._store, self._model(), query, project, limit=limit, filters=filters)
        fit = [hit for hit in hits if not fitting or recall.is_relevant(hit, self._settings_for(None))]
        return [redaction.redact_turn_hit(hit) for hit in fit]

    def embed_some(self, *, limit: int = AT_ONCE, wait_ms: int | None = None) -> int:
        """Work for the background: so many got their meaning. None: nothing waits, or there is no model."""
        model = None if self._store.is_read_only else self._model()
        return 0 if model is None else embed_some(self._store, model, limit=limit, wait_ms=wait_ms)

    def unembedded(self) -> int:
        """How much waits for its meaning; without a model, nothing does."""
        model = self._model()
        return 0 if model is None else self._store.unembedded(model.model)

    def waiting(self, model: ModelId | None) -> MissingVectors:
        """How much has no vector of this model yet; None: of any."""
        return self._store.waiting(model)

    def newest(self, viewer: Viewer, *, limit: int, kinds: Collection[Kind] = ()) -> list[Memory]:
        found = self._store.newest(viewer, limit=limit, kinds=kinds or None)
        return [redaction.redact_memory(memory) for memory in found if may_see(memory, viewer)]

    def count(self) -> int:
        return self._store.count()

    def handle(self, event: "Event") -> "Injection":
        """What the host is to put in front of the model now. Asked again about the same message: the same bytes."""
        return self._moments.handle(event)

    @property
    def unwritten(self) -> int:
        """How many events wait in memory: the disk took nothing when they came."""
        return self._moments.events_unwritten if "moments" in self._parts else 0  # nobody has said anything yet

    @property
    def dropped(self) -> int:
        """How many events are lost: neither the disk nor memory had room for them."""
        return self._moments.events_dropped if "moments" in self._parts else 0

    def write_down(self) -> None:
        """Work for the background: what waits for the disk. StoreError: it still takes nothing."""
        self._moments.write_waiting_events()

    def learn_some(self, *, limit: int = 20) -> int:
        """Work for the background: from so much of what happened something was learnt, or nothing is to be."""
        return self._learning.work(limit=limit)

    def extract_some(self) -> bool:
        """Work for the background that may take long: an exchange goes to the language model that its user has set."""
        return self._learning.extract()

    def question(
        self,
        host: str,
        folder: str | None,
        session: SessionId | None,
        now: datetime,
        *,
        working: Collection[SessionId] = (),
        client: int | None = None,
    ) -> Question | timedelta | None:
        """What the host's own model is to be asked about a session of this project. A time: ask again then."""
        from recollect.engine.questions import next_question  # off, as with most users, it is not needed

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
        """How many memories the answer brought."""
        from recollect.engine.questions import MOST

        reader = self.extractor()
        answered = reader.answered(question_id, text, tokens) if isinstance(reader, AsksHost) else None
        if answered is None or self.is_paused(folder, now):
            return 0
        session, proposals = answered
        self._store.note_asked(session, MOST)
        return self._learning.keep_read(session, proposals, folder, now)

    def look_again(self) -> bool:
        """Work for the background: some more of what an older version kept is looked at with the rules of this one."""
        return not self._store.is_read_only and self._store.look_again()

    def looked_again(self) -> str | None:
        """How far that is; None: it has not begun."""
        finding = self._store.looked_again()
        return None if finding is None else finding.says

    def to_learn(self) -> int:
        """How much waits to be learnt from."""
        return self._store.count_waiting_events()

    def warm_up(self, folder: str, now: datetime) -> None:
        """Work for the background: what the first prompt in this folder would have to wait for. It leaves no trace."""
        from recollect.engine.warmup import warmup_events  # once in a life

        self._model()  # not inside: nobody can write meanwhile
        with self.rehearsing():
            for event in warmup_events(folder, now):
                self.handle(event)

    def prepare(self, now: datetime) -> int:
        """Work for the background: start blocks for where somebody works; how many were built."""
        return self._moments.prepare(now)

    def replay_tools(self, session: SessionId, messages: Sequence[MessageId]) -> dict[MessageId, dict[str, str]]:
        """What the failed tools of these messages were really sent with, by message and call."""
        return self._moments.sent.replay_tools(session, messages)

    def replay(self, session: SessionId, messages: Sequence[MessageId]) -> dict[MessageId, str]:
        """What these messages were really sent with, after a restart of the host."""
        return self._moments.sent.replay(session, messages)

    def confirm(self, session: SessionId, carriers: Sequence[str]) -> None:
        """The host has sent what it was offered: an answer that came too late for it is never confirmed.

        A block is carried by a message, or by a tool's part in it (`message/call`).
        """
        self._store.confirm(session, carriers)

    def delivered(self, injection: "Injection") -> None:
        """Whoever asked has the answer: what was offered counts as sent from now on."""
        if injection.offered is not None:
            self._store.confirm_one(injection.offered)

    def feedback(self, memories: Sequence[MemoryId], *, useful: bool) -> None:
        """A person's word on what was shown; the opposite word takes it back."""
        self._store.note_feedback(memories, 1 if useful else -1)

    @cached_property
    def log(self) -> "InjectionLog":
        """What was sent, and why."""
        from recollect.engine.injection_log import InjectionLog  # only who asks afterwards needs it

        return InjectionLog(self._store)

    # These two remember what sessions said. Of two threads that ask first, both get the same one: a dictionary takes
    # the first, where a `cached_property` would keep the second.
    @property
    def _moments(self) -> "Moments":
        from recollect.engine.moments import Moments  # a command that teaches or asks starts quicker without them

        if "moments" not in self._parts:
            made = Moments(
                self._store,
                self._settings_for,
                self.enter_project,
                self._workspace,
                self._seconds,
                self._model,
                self._freshness_lookup,
                self._unlearn,
                self.pauses,
                self.project_named,
            )
            self._parts.setdefault("moments", made)
        moments: Moments = self._parts["moments"]
        return moments

    def _unlearn(self, session: SessionId) -> None:
        self._learning.forget(session)
        self.is_untidy = True

    @property
    def _learning(self) -> "Learning":
        from recollect.engine.learning import Learning  # what only asks or teaches by hand starts quicker without it

        if "learning" not in self._parts:
            made = Learning(self._store, self._settings_for, self._model, self._add_hashes, self.extractor)
            self._parts.setdefault("learning", made)
        learning: Learning = self._parts["learning"]
        return learning
