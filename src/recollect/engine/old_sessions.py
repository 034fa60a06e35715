"""The sessions of one transcript, and what their users want of them."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from recollect.domain.errors import InvalidValue
from recollect.domain.event import Event, Prompt, SessionEnded, SessionStarted
from recollect.domain.injection import Session
from recollect.domain.learning import Origin
from recollect.domain.memory import ProjectId, SessionId
from recollect.engine import session_state
from recollect.engine.admission import check_event
from recollect.engine.ports import SettingsFor, Store
from recollect.engine.session_state import EntersProject, FindsLanguage
from recollect.text.optout import opted_out


@dataclass(slots=True)
class _Met:
    session: Session
    is_quiet: bool = False  # until the next prompt


class OldSessions:
    def __init__(
        self,
        store: Store,
        settings_for: SettingsFor,
        enter_project: EntersProject,
        language_of: FindsLanguage,
        project: ProjectId | None,
        *,
        begun: bool,
        is_own: bool,
        is_paused: Callable[[Event, ProjectId | None], bool] = lambda _event, _project: False,
    ) -> None:
        """`project`: of those that do not tell their folder; `begun`: some of this transcript was read before;
        `is_own`: False for what somebody else may have written; `is_paused`: whether an event happened in a pause."""
        self._store = store
        self._settings_for = settings_for
        self._enter_project = enter_project
        self._language_of = language_of
        self._project = project
        self._begun = begun
        self._is_paused = is_paused
        self._is_own = is_own
        self._met: dict[SessionId, _Met | None] = {}  # None: nothing of it is to be kept
        self._changed: dict[SessionId, Session] = {}
        self._asked_in_a_pause: set[SessionId] = set()  # the last prompt of these was
        self.known: set[SessionId] = set()  # from elsewhere: this transcript has nothing new to tell of them

    def of(self, event: Event) -> Session | None:
        """The session that may learn from this event; None: none may."""
        if self._is_paused(event, self._project):
            if isinstance(event, Prompt):  # what answers it is not kept either, whenever it came
                self._asked_in_a_pause.add(event.session)
            return None
        if isinstance(event, Prompt):
            self._asked_in_a_pause.discard(event.session)
        if event.session in self._asked_in_a_pause:
            return None
        if event.session not in self._met:
            self._met[event.session] = self._entered(event)
        met = self._met[event.session]
        if met is None:
            return None
        if isinstance(event, Prompt) and event.origin in (Origin.USER, Origin.COMMAND):
            self._obey(met, event.text)
        is_unheard = event.headless and not self._settings_for(event.folder).capture.headless
        if is_unheard or (isinstance(event, SessionStarted) and not event.captures):
            self._change(met, replace(met.session, captures=False))
        if isinstance(event, SessionEnded):
            return met.session if met.session.captures else None
        return None if met.is_quiet or not met.session.captures else met.session

    def end(self, event: Event) -> None:
        met = self._met.get(event.session)
        if not isinstance(event, SessionEnded) or met is None:
            return
        if met.session.ended_at is None or met.session.ended_at < event.at:
            self._change(met, replace(met.session, ended_at=event.at))

    def keep_wishes(self) -> None:
        """Inside a transaction: what has changed about the sessions."""
        for session in self._changed.values():
            self._store.keep_session(session)
        self._changed.clear()

    def _entered(self, event: Event) -> _Met | None:
        if not self._settings_for(event.folder).capture.enabled:
            return None
        try:
            check_event(event)
            if not (self._is_own or self._begun) and self._store.session(event.session) is not None:
                return None  # it bears the name of another session, to be taken for it
            told = event if event.folder or event.parent else replace(event, project=self._project)
            session = session_state.enter(self._store, told, self._enter_project, self._language_of)
        except InvalidValue:  # a name that looks like a secret, a folder that cannot be one
            return None
        if not self._begun and self._is_known(session.id):  # it was learnt from while it went on, or is in another file
            self.known.add(session.id)
            return None
        return _Met(session=session)

    def _is_known(self, session: SessionId) -> bool:
        return self._store.has_turns(session) or self._store.learning_deed(session) is not None

    def _obey(self, met: _Met, prompt: str) -> None:
        wish = opted_out(prompt)
        met.is_quiet = wish.capture
        if wish.session:
            recalls, captures = not wish.recall_session, not wish.capture_session
            session = met.session
            self._change(
                met, replace(session, recalls=session.recalls and recalls, captures=session.captures and captures)
            )

    def _change(self, met: _Met, session: Session) -> None:
        if session != met.session:
            met.session = self._changed[session.id] = session
