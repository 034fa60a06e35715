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
from recollect.domain.injection import Injection, Sent, Session
from recollect.domain.memory import Draft, Hit, Memory, MessageId, Outcome, ProjectId, SessionId, Viewer
from recollect.domain.settings import Settings
from recollect.engine import recall, session_start, session_state, turn
from recollect.engine.ports import Measures, SeesPlaces, Store
from recollect.engine.projects import Resolved, note, resolve
from recollect.engine.remember import remember
from recollect.privacy.visibility import may_see

FORGETTING = (StartSource.CLEAR, StartSource.COMPACT)  # starts after which the model knows nothing of before


class Engine:
    def __init__(self, store: Store, settings: Settings, workspace: SeesPlaces, seconds: Measures) -> None:
        self._store = store
        self._settings = settings
        self._workspace = workspace
        self._seconds = seconds

    def remember(self, draft: Draft) -> Outcome:
        return remember(self._store, draft)

    def remember_all(self, drafts: Sequence[Draft]) -> list[Outcome]:
        """All of them, or none."""
        with self._store.writing():
            return [remember(self._store, draft) for draft in drafts]

    def recall(self, query: str, viewer: Viewer, *, limit: int, now: datetime) -> list[Hit]:
        return recall.recall(self._store, query, viewer, limit=limit, now=now, settings=self._settings)

    def newest(self, viewer: Viewer, *, limit: int) -> list[Memory]:
        return [memory for memory in self._store.newest(viewer, limit=limit) if may_see(memory, viewer)]

    def count(self) -> int:
        return self._store.count()

    def resolve(self, folder: str) -> Resolved:
        """The project of a folder, why it is that one, and what else it could be. A look-up: nothing is written."""
        return resolve(self._store, self._workspace.place_of(folder), self._workspace.root_commit)

    def project_of(self, folder: str) -> ProjectId:
        return self.resolve(folder).project

    def enter_project(self, folder: str, at: datetime) -> ProjectId:
        """The project of a folder where something is about to be kept: what is new about it is noted."""
        resolved = self.resolve(folder)
        note(self._store, resolved, self._workspace.root_commit, at)
        return resolved.project

    def handle(self, event: Event) -> Injection:
        """What the host is to put in front of the model now. Asked again about the same message: the same bytes."""
        session = session_state.enter(self._store, event, self.enter_project)
        match event:
            case SessionStarted():
                return self._start(session, event)
            case Prompt():
                return self._turn(session, event)
            case Compacted():
                self._store.begin_context(session.id)
                return turn.SILENCE
            case Reply() | ToolSucceeded() | ToolFailed() | Compacting() | SessionEnded():
                return turn.SILENCE
            case _ as never:
                assert_never(never)

    def replay(self, session: SessionId, messages: Sequence[MessageId]) -> dict[MessageId, str]:
        """What these messages were really sent with, after a restart of the host."""
        logged = self._store.sent_with(session, messages)
        return {message: sent.injection.block for message, sent in logged.items() if sent.confirmed}

    def confirm(self, session: SessionId, messages: Sequence[MessageId]) -> None:
        """The host has sent what it was offered: an answer that came too late for it is never confirmed."""
        self._store.confirm(session, messages)

    def _start(self, session: Session, event: SessionStarted) -> Injection:
        if event.source in FORGETTING:
            session = self._store.begin_context(session.id)
        logged = self._store.stable(session.id, session.context)
        if logged is not None:
            return logged.injection
        began = self._seconds()
        injection = session_start.build(self._store, session_state.viewer(session), event.at, self._settings)
        return self._record(session, None, injection, event, began)

    def _turn(self, session: Session, event: Prompt) -> Injection:
        logged = self._store.sent_with(session.id, [event.message]).get(event.message)
        if logged is not None:
            return logged.injection
        began = self._seconds()
        live = self._live(session, event.live)
        injection = turn.answer(
            self._store,
            event.text,
            session_state.viewer(session),
            shown=session_state.shown(live),
            first=all(sent.message is None for sent in live),
            now=event.at,
            settings=self._settings,
        )
        return self._record(session, event.message, injection, event, began)

    def _live(self, session: Session, carriers: Sequence[MessageId | None] | None) -> list[Sent]:
        """What is in front of the model; where the host does not say, everything of this context that was sent."""
        if carriers is None:
            return [sent for sent in self._store.in_context(session.id, session.context) if sent.confirmed]
        turns = self._store.sent_with(session.id, [message for message in carriers if message is not None])
        stable = self._store.stable(session.id, session.context) if None in carriers else None
        return [*turns.values()] if stable is None else [stable, *turns.values()]

    def _record(
        self, session: Session, message: MessageId | None, injection: Injection, event: Event, began: float
    ) -> Injection:
        sent = Sent(
            session=session.id,
            context=session.context,
            message=message,
            injection=injection,
            at=event.at,
            took_ms=(self._seconds() - began) * 1000,
            confirmed=not event.confirms,
        )
        return self._store.record(sent).injection
