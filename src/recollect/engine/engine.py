"""The engine: one object with everything that Recollect can do, on one store. Events in, injections out."""

from collections.abc import Sequence
from datetime import datetime
from typing import assert_never

from recollect.domain.event import (
    Compacted,
    Compacting,
    Event,
    Prompt,
    Reply,
    SessionEnded,
    SessionStarted,
    StartSource,
    ToolFailed,
    ToolSucceeded,
)
from recollect.domain.injection import Injection, Placement, Sent, Session
from recollect.domain.memory import Draft, Hit, Memory, MessageId, Outcome, ProjectId, SessionId, Viewer
from recollect.domain.settings import Settings
from recollect.engine import recall, session_start, session_state, turn
from recollect.engine.ports import IdentifiesProjects, Measures, Store
from recollect.engine.remember import remember

FORGETTING = (StartSource.CLEAR, StartSource.COMPACT)  # starts after which the model knows nothing of before


class Engine:
    def __init__(self, store: Store, settings: Settings, identify: IdentifiesProjects, seconds: Measures) -> None:
        self._store = store
        self._settings = settings
        self._identify = identify
        self._seconds = seconds

    def remember(self, draft: Draft) -> Outcome:
        return remember(self._store, draft)

    def recall(self, query: str, viewer: Viewer, *, limit: int, now: datetime) -> list[Hit]:
        return recall.recall(self._store, query, viewer, limit=limit, now=now, settings=self._settings)

    def newest(self, viewer: Viewer, *, limit: int) -> list[Memory]:
        return self._store.newest(viewer, limit=limit)

    def count(self) -> int:
        return self._store.count()

    def project_of(self, folder: str) -> ProjectId:
        return self._identify(folder)

    def handle(self, event: Event) -> Injection:
        """What the host is to put in front of the model now. Asked again about the same message: the same bytes."""
        session = session_state.enter(self._store, event, self._identify)
        match event:
            case SessionStarted():
                return self._start(session, event)
            case Prompt():
                return self._turn(session, event)
            case Compacted():
                session_state.begin_context(self._store, session)
                return turn.SILENCE
            case Reply() | ToolSucceeded() | ToolFailed() | Compacting() | SessionEnded():
                return turn.SILENCE
            case _ as never:
                assert_never(never)

    def replay(self, session: SessionId, messages: Sequence[MessageId]) -> dict[MessageId, str]:
        """What these messages were sent with, after a restart of the host."""
        return self._store.blocks(session, messages)

    def went_without(self, event: Event) -> None:
        """The host did not wait for the answer: what it sent, nothing, is final."""
        session = session_state.enter(self._store, event, self._identify)
        match event:
            case Prompt():
                nothing = turn.SILENCE
                self._store.withdraw(self._sent(session, event.message, nothing, event.at, took_ms=0.0))
            case SessionStarted():
                nothing = Injection(placement=Placement.SYSTEM)
                self._store.withdraw(self._sent(session, None, nothing, event.at, took_ms=0.0))
            case _:
                pass  # the other moments carry no block that a host could have missed

    def _start(self, session: Session, event: SessionStarted) -> Injection:
        if event.source in FORGETTING:
            session = session_state.begin_context(self._store, session)
        logged = self._store.stable(session.id, session.context)
        if logged is not None:
            return logged.injection
        began = self._seconds()
        injection = session_start.build(self._store, session_state.viewer(session), event.at, self._settings)
        return self._record(session, None, injection, event.at, began)

    def _turn(self, session: Session, event: Prompt) -> Injection:
        logged = self._store.sent(session.id, event.message)
        if logged is not None:
            return logged.injection
        began = self._seconds()
        live = self._store.in_context(session.id, session.context)
        injection = turn.answer(
            self._store,
            event.text,
            session_state.viewer(session),
            shown=session_state.shown(live),
            first=all(sent.message is None for sent in live),
            now=event.at,
            settings=self._settings,
        )
        return self._record(session, event.message, injection, event.at, began)

    def _record(
        self, session: Session, message: MessageId | None, injection: Injection, at: datetime, began: float
    ) -> Injection:
        took_ms = (self._seconds() - began) * 1000
        return self._store.record(self._sent(session, message, injection, at, took_ms)).injection

    @staticmethod
    def _sent(session: Session, message: MessageId | None, injection: Injection, at: datetime, took_ms: float) -> Sent:
        return Sent(
            session=session.id, context=session.context, message=message, injection=injection, at=at, took_ms=took_ms
        )
