"""The moments of a session: events in, injections out, and the log of what was sent."""

from collections.abc import Callable, Sequence
from dataclasses import replace
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
from recollect.domain.memory import MessageId, SessionId, Viewer
from recollect.engine import session_start, session_state, turn
from recollect.engine.admission import check_event
from recollect.engine.anchoring import Looks
from recollect.engine.ports import Embeds, Measures, SettingsFor, Store
from recollect.engine.session_state import EntersProject, FindsLanguage
from recollect.engine.showing import shown_again, shown_block

FORGETTING = (StartSource.CLEAR, StartSource.COMPACT)  # starts after which the model knows nothing of before


class Moments:
    def __init__(
        self,
        store: Store,
        settings_for: SettingsFor,
        enter_project: EntersProject,
        language_of: FindsLanguage,
        seconds: Measures,
        model: Callable[[], Embeds | None],
        looking_from: Callable[[str | None], Looks],
    ) -> None:
        self._store = store
        self._model = model
        self._looking_from = looking_from
        self._settings_for = settings_for
        self._enter_project = enter_project
        self._language_of = language_of
        self._seconds = seconds
        self._files = session_state.RecentFiles()

    def handle(self, event: Event) -> Injection:
        """What the host is to put in front of the model now. Asked again about the same message: the same bytes."""
        check_event(event)
        session = session_state.enter(self._store, event, self._enter_project, self._language_of)
        match event:
            case SessionStarted():
                return self._start(session, event)
            case Prompt():
                return self._turn(session, event)
            case Compacted():
                self._store.begin_context(session.id)
                return turn.SILENCE
            case ToolSucceeded() | ToolFailed():
                self._files.note(session.id, event.input)
                return turn.SILENCE
            case Reply() | Compacting() | SessionEnded():
                return turn.SILENCE
            case _ as never:
                assert_never(never)

    def replay(self, session: SessionId, messages: Sequence[MessageId]) -> dict[MessageId, str]:
        """What these messages were really sent with, after a restart of the host."""
        logged = self._store.sent_with(session, messages)
        return {message: shown_block(sent.injection.block) for message, sent in logged.items() if sent.confirmed}

    def _start(self, session: Session, event: SessionStarted) -> Injection:
        if event.source in FORGETTING:
            session = self._store.begin_context(session.id)
        logged = self._store.stable(session.id, session.context)
        if logged is not None:
            return shown_again(logged.injection)
        began = self._seconds()
        settings = self._settings_for(event.folder)
        injection = session_start.build(
            self._store, self._viewer(session), event.at, settings, self._looking_from(event.folder)
        )
        return self._record(session, None, injection, event, began)

    def _turn(self, session: Session, event: Prompt) -> Injection:
        logged = self._store.sent_with(session.id, [event.message]).get(event.message)
        if logged is not None:
            return shown_again(logged.injection)
        began = self._seconds()
        live = self._live(session, event.live)
        injection = turn.answer(
            self._store,
            self._model(),
            event.text,
            self._viewer(session),
            shown=session_state.shown(live),
            recent_files=self._files.of(session.id),
            first=all(sent.message is None for sent in live),
            now=event.at,
            settings=self._settings_for(event.folder),
            look=self._looking_from(event.folder),
        )
        return self._record(session, event.message, injection, event, began)

    def _viewer(self, session: Session) -> Viewer:
        # Only the user decides what is shared, never a project's file.
        return replace(
            session_state.viewer(session), shares_preferences=self._settings_for(None).privacy.share_preferences
        )

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
