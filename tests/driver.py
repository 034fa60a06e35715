"""The engine as tests drive it: each use case in one short call, with the time and folder that matter to the test."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from recollect.api.data import FORGET_PROJECT, ForgetProject
from recollect.api.forget import FORGET, Forget, Forgotten
from recollect.api.operation import AnswerT, Operation, RequestT
from recollect.api.review import DECIDE, REVIEW, Decide, ToReview
from recollect.api.show import HISTORY, History, Told
from recollect.api.undo import DEEDS, UNDO, RecentChanges, TakenBack, Undo
from recollect.domain.changes import Change, ChangeId
from recollect.domain.errors import InvalidValue
from recollect.domain.event import Event
from recollect.domain.injection import Injection
from recollect.domain.memory import LATEST, Draft, Hit, Kind, Memory, MemoryId, MessageId, ProjectId, SessionId, Viewer
from recollect.domain.outcome import Deleted, Outcome, Removal, Stored
from recollect.domain.review import Case, Decision, Review
from recollect.domain.search import EVERYTHING, Filters
from recollect.domain.session import Turn, TurnHit
from recollect.domain.transcript import Mark
from recollect.engine import engine as engine_module
from recollect.engine import upkeep
from recollect.engine.anchoring import NoFiles
from recollect.engine.context import Context
from recollect.engine.engine import NO_MODEL, LoadedModel, NoModel, no_extractor
from recollect.engine.learning import backfill, worker
from recollect.engine.learning.backfill import BackfillResult
from recollect.engine.learning_ports import ReadsExchanges
from recollect.engine.live import Live
from recollect.engine.memories import folder_project, lookup, teaching
from recollect.engine.memories.embedding import BATCH_ITEMS
from recollect.engine.memories.join_projects import join
from recollect.engine.memories.projects import Resolution
from recollect.engine.moments import handle, sent_log
from recollect.engine.moments.why import InjectionLog
from recollect.engine.pausing import NO_PAUSES, KnowsPauses
from recollect.engine.ports import Embeds, MonotonicClock, ReadsFolders, SeesFiles, SettingsFor, Store
from recollect.engine.search import recall_archive, recall_memories
from recollect.operations import find_function

ANY_TIME = LATEST - timedelta(days=1)  # where the test does not care when something is asked


class Engine(engine_module.Engine):
    def __init__(
        self,
        store: Store,
        settings_for: SettingsFor,
        folders: ReadsFolders,
        seconds: MonotonicClock,
        model: Embeds | LoadedModel | NoModel | None = None,
        *,
        files: Callable[[], SeesFiles] = NoFiles,
        extractor: Callable[[], ReadsExchanges | None] = no_extractor,
        pauses: KnowsPauses = NO_PAUSES,
        is_resident: bool = False,
        live: Live | None = None,
    ) -> None:
        super().__init__(
            store=store,
            settings_for=settings_for,
            folders=folders,
            seconds=seconds,
            model=_loads(model),
            files=files,
            extractor=extractor,
            pauses=pauses,
            is_resident=is_resident,
            live=live or Live(),
        )

    def answer(self, operation: Operation[RequestT, AnswerT], request: RequestT, *, at: datetime = ANY_TIME) -> AnswerT:
        """Answer as `operations.answer` does, without tidying: `at` may be long after the undo window."""
        answered: AnswerT = find_function(operation.name)(self.context(request.folder, at), request)
        return answered

    def handle(self, event: Event) -> Injection:
        return handle.handle(self, event)

    def replay(self, session: SessionId, messages: Sequence[MessageId]) -> dict[str, str]:
        return {name: block for name, block in self._replay(session, messages) if "/" not in name}

    def replay_tools(self, session: SessionId, messages: Sequence[MessageId]) -> dict[str, dict[str, str]]:
        tools: dict[str, dict[str, str]] = {}
        for name, block in self._replay(session, messages):
            message, _, call = name.partition("/")
            if call:
                tools.setdefault(message, {})[call] = block
        return tools

    def _replay(self, session: SessionId, messages: Sequence[MessageId]) -> Iterable[tuple[str, str]]:
        return sent_log.replay(self.store, session, messages).items()

    @property
    def log(self) -> InjectionLog:
        return InjectionLog(self.store)

    def remember(self, draft: Draft, *, folder: str | None = None, now: datetime = ANY_TIME) -> Stored:
        return teaching.remember_one(self.context(folder, now), draft)

    def remember_all(
        self, drafts: Sequence[Draft], *, folder: str | None = None, now: datetime = ANY_TIME
    ) -> list[Outcome]:
        return teaching.remember_all(self.context(folder, now), drafts)

    def bring_back(
        self, drafts: Iterable[Draft], *, at: datetime, by: str, change: ChangeId | None = None, strict: bool = False
    ) -> tuple[ChangeId, list[Outcome | InvalidValue]]:
        return teaching.import_all(self.context(None, at), drafts, by=by, change=change, strict=strict)

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
        ctx = self.context(folder, now)
        return recall_memories(ctx, query, viewer, limit=limit, filters=filters, uncertain=uncertain)

    def recall_turns(
        self, query: str, project: ProjectId | None, *, limit: int, filters: Filters = EVERYTHING, fitting: bool = False
    ) -> list[TurnHit]:
        ctx = self.context(None, ANY_TIME)
        return recall_archive(ctx, query, project, limit=limit, filters=filters, fitting=fitting)

    def find(self, id_or_prefix: str) -> Memory:
        return lookup.find(self._ctx, id_or_prefix)

    def all_memories(self, project: ProjectId | None = None) -> Iterator[Memory]:
        return lookup.all_memories(self._ctx, project)

    def newest(self, viewer: Viewer, *, limit: int, kinds: Collection[Kind] = ()) -> list[Memory]:
        return lookup.newest(self._ctx, viewer, limit=limit, kinds=kinds)

    def history(self, memory: Memory) -> Told:
        return self.answer(HISTORY, History(id=memory.id))

    def forget(self, memories: Sequence[MemoryId], *, at: datetime, by: str) -> Forgotten:
        return self.answer(FORGET, Forget(ids=tuple(memories), by=by), at=at)

    def forget_now(self, memories: Sequence[MemoryId], *, at: datetime, by: str) -> Deleted:
        outcome = self.answer(FORGET, Forget(ids=tuple(memories), by=by, now=True), at=at).outcome
        assert isinstance(outcome, Deleted)
        return outcome

    def forget_project(self, project: ProjectId, *, at: datetime, now: bool = False) -> Removal:
        return self.answer(FORGET_PROJECT, ForgetProject(project=project, now=now), at=at).outcome

    def cases(self) -> list[Case]:
        return self.answer(REVIEW, ToReview(everywhere=True)).cases

    def decide(self, decision: Decision, *memories: MemoryId, at: datetime) -> Review:
        return self.answer(DECIDE, Decide(decision=decision, ids=memories), at=at)

    def undo(self, change: ChangeId | None, *, at: datetime, by: str) -> TakenBack:
        return self.answer(UNDO, Undo(deed=change, by=by), at=at)

    def changes(self, *, limit: int) -> list[Change]:
        return self.answer(DEEDS, RecentChanges(limit=limit)).deeds

    def resolve(self, folder: str) -> Resolution:
        return folder_project.resolve_here(self.context(folder, ANY_TIME))

    def enter_project(self, folder: str, at: datetime) -> ProjectId:
        return folder_project.enter_project(self.context(folder, at))

    def join(self, source: ProjectId, into: ProjectId, *, at: datetime, by: str) -> ChangeId:
        return join(self.store, source, into, at=at, by=by)

    def viewer(self, project: ProjectId | None, language: str | None = None) -> Viewer:
        return folder_project.viewer_of(self._ctx, project, language)

    def archive(self, turns: Sequence[Turn]) -> None:
        upkeep.archive_turns(self.store, turns)

    def backfill(
        self, transcript: Mark, events: Callable[[], Iterable[Event]], *, now: datetime, **about: Any
    ) -> BackfillResult:
        return backfill.read_transcript(self, transcript, events, now=now, **about)

    def learn_some(self, *, limit: int = worker.BATCH_EVENTS) -> int:
        return worker.learn_some(self, limit=limit)

    def tidy(self, now: datetime) -> None:
        upkeep.tidy(self.context(None, now))

    def do_chores(self, now: datetime) -> bool:
        return upkeep.do_chores(self.context(None, now))

    def embed_some(self, *, limit: int = BATCH_ITEMS, wait_ms: int | None = None) -> int:
        return upkeep.embed_some(self._ctx, limit=limit, wait_ms=wait_ms)

    def recheck_some(self) -> bool:
        return upkeep.recheck_some(self._ctx)

    @property
    def _ctx(self) -> Context:
        return self.context(None, ANY_TIME)


def _loads(model: Embeds | LoadedModel | NoModel | None) -> LoadedModel | NoModel:
    """`replace` gives the model as it is in the engine; tests give the one that embeds."""
    if isinstance(model, LoadedModel | NoModel):
        return model
    return NO_MODEL if model is None else LoadedModel(model)
