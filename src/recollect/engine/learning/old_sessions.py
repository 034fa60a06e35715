"""The sessions of one transcript, and which of their events may be stored."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from recollect.domain.errors import InvalidValue, StoreDamaged
from recollect.domain.event import Event, Prompt, SessionEnded, SessionStarted
from recollect.domain.learning import Origin
from recollect.domain.memory import ProjectId, SessionId
from recollect.domain.session import Session
from recollect.engine.admission import check_event
from recollect.engine.context import Context
from recollect.engine.memories.folder_project import project_here
from recollect.engine.memories.projects import project_by_alias
from recollect.engine.moments import session_state
from recollect.engine.pausing import find_pause
from recollect.engine.ports import Store
from recollect.text.optout import find_opt_out

Entered = tuple[Context, Session, Event]  # the event as it may be stored


@dataclass(slots=True)
class _OldSession:
    session: Session
    is_new: bool  # it was not in the store
    is_quiet: bool = False  # opted out until the next prompt


class OldSessions:
    def __init__(self, store: Store, project: ProjectId | None, *, was_begun: bool, is_own: bool) -> None:
        """`project`: for sessions without a folder; `was_begun`: part of this transcript was read before; `is_own`:
        False if another person may have written it."""
        self._store = store
        self._project = project
        self._begun = was_begun
        self._is_own = is_own
        self._met: dict[SessionId, _OldSession | None] = {}  # None: nothing of it may be stored
        self._changed: dict[SessionId, Session] = {}
        self._prompted_in_pause: set[SessionId] = set()  # sessions whose last prompt was in a pause
        self.known: set[SessionId] = set()  # already captured from elsewhere: this transcript adds nothing

    def session_for(self, ctx: Context, event: Event) -> Session | None:
        """Return the session of an event that may be stored; None: it may not."""
        if self._is_in_pause(ctx, event):
            return None
        if event.session not in self._met:
            self._met[event.session] = self._enter(ctx, event)
        met = self._met[event.session]
        if met is None:
            return None
        if isinstance(event, Prompt) and event.origin in (Origin.USER, Origin.COMMAND):
            self._apply_opt_outs(met, event.text)
        is_headless = event.headless and not ctx.settings.capture.headless
        if is_headless or (isinstance(event, SessionStarted) and not event.captures):
            self._change(met, replace(met.session, captures=False))
        if not met.session.captures or (met.is_quiet and not isinstance(event, SessionEnded)):
            return None
        return met.session

    def _is_in_pause(self, ctx: Context, event: Event) -> bool:
        """A prompt in a pause is not stored, nor are the replies to it, whenever they came. Raises PauseUnreadable."""

        def find_project() -> ProjectId | None:
            return event.project or (project_here(ctx) if event.folder else self._given_project())

        is_paused = find_pause(ctx.pauses.at(event.at), find_project, ctx.store) is not None
        if isinstance(event, Prompt):
            if is_paused:
                self._prompted_in_pause.add(event.session)
            else:
                self._prompted_in_pause.discard(event.session)
        return is_paused or event.session in self._prompted_in_pause

    def read_again(self, entered: Sequence[Entered]) -> list[Entered]:
        """Take over the projects that the sessions have now; a forgotten one can be brought back. Leave the sessions that
        were deleted: nothing more of them may be stored. Return the events that may."""
        for name, met in self._met.items():
            if met is not None:
                self._met[name] = self._read_again(met)
        events: list[Entered] = []
        for ctx, session, event in entered:
            met = self._met[session.id]
            if met is not None:
                events.append((ctx, replace(session, project=met.session.project), event))
        return events

    def _read_again(self, met: _OldSession) -> _OldSession | None:
        now = self._stored(met.session.id)
        if now is None or now.key != met.session.key:
            self._changed.pop(met.session.id, None)
            return None
        met.session = replace(met.session, project=now.project)
        return met

    def _stored(self, session: SessionId) -> Session | None:
        """Return None also for a damaged session."""
        with suppress(StoreDamaged):
            return self._store.session(session)
        return None

    def is_new(self, session: SessionId) -> bool:
        """Return True for a session that began in this run."""
        met = self._met.get(session)
        return met is not None and met.is_new

    def _given_project(self) -> ProjectId | None:
        """Return the project for sessions without a folder. It may have been joined with another meanwhile."""
        return None if self._project is None else project_by_alias(self._store, self._project)

    def end(self, event: Event) -> None:
        met = self._met.get(event.session)
        if not isinstance(event, SessionEnded) or met is None:
            return
        if met.session.ended_at is None or met.session.ended_at < event.at:
            self._change(met, replace(met.session, ended_at=event.at))

    def store_changes(self) -> None:
        """Store opt-outs and ends of the sessions, inside a transaction."""
        for session in self._changed.values():
            now = self._stored(session.id)
            if now is not None:  # its user may have opted out meanwhile
                recalls, captures = session.recalls and now.recalls, session.captures and now.captures
                self._store.keep_session(replace(session, recalls=recalls, captures=captures))
        self._changed.clear()

    def _enter(self, ctx: Context, event: Event) -> _OldSession | None:
        if not ctx.settings.capture.enabled:
            return None
        try:
            check_event(event)
            known = self._store.session(event.session)
            if not (self._is_own or self._begun) and known is not None:
                return None  # it uses the id of another session, to be taken for it
            if not event.folder and not event.parent:
                event = replace(event, project=self._given_project())
            session = session_state.enter(ctx, event)
        except (InvalidValue, StoreDamaged):  # a name that looks like a secret, a folder that cannot exist
            return None
        if not self._begun and self._is_known(session.id):  # captured live, or from another file
            self.known.add(session.id)
            return None
        return _OldSession(session=session, is_new=known is None)

    def _is_known(self, session: SessionId) -> bool:
        return self._store.has_turns(session) or self._store.learning_change(session) is not None

    def _apply_opt_outs(self, met: _OldSession, prompt: str) -> None:
        wish = find_opt_out(prompt)
        met.is_quiet = wish.capture
        if wish.session:
            recalls = met.session.recalls and not wish.recall_session
            captures = met.session.captures and not wish.capture_session
            self._change(met, replace(met.session, recalls=recalls, captures=captures))

    def _change(self, met: _OldSession, session: Session) -> None:
        if session != met.session:
            met.session = self._changed[session.id] = session
