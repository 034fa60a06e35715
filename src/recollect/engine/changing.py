"""What an agent may change by a tool, as a part of the engine: only what it may be told."""

from dataclasses import replace

from recollect.domain.errors import InvalidValue
from recollect.domain.history import DeedKind
from recollect.domain.memory import Draft, Memory, ScopeLevel, SessionId, Viewer
from recollect.domain.outcome import Refused, Stored
from recollect.engine import showing
from recollect.engine.admission import admitted, is_ignored
from recollect.engine.belonging import Belonging
from recollect.engine.by_id import found
from recollect.engine.remember import revise
from recollect.privacy.visibility import may_inject


class Changing(Belonging):
    def told(self, id_or_beginning: str, viewer: Viewer, folder: str | None) -> Memory | None:
        """The memory with this id, if it may be put in front of this viewer's model; None: it may not, or there is
        none. An agent does not learn which."""
        try:
            memory = found(self._store, id_or_beginning)
        except InvalidValue:
            return None
        ignored = is_ignored(memory, self._settings_for(folder).privacy)
        return showing.shown(memory) if may_inject(memory, viewer) and not ignored else None

    def keeps_nothing(self, session: SessionId) -> bool:
        """Whether its user wants nothing to be kept of this session."""
        known = self._store.session(session)
        return known is not None and not known.captures

    def revise(self, memory: Memory, draft: Draft) -> Stored:
        """Another wording of a memory that is named, in its place where whoever says so may overrule it."""
        admissible = admitted(draft, self._settings_for(None).privacy)
        if isinstance(admissible, Refused):
            raise InvalidValue(admissible.why)
        with self._store.writing():
            known = found(self._store, memory.id)
            deed = self._store.begin_deed(DeedKind.REMEMBER, draft.at, draft.source.host or "engine")
            done = revise(self._store, known, replace(admissible, importance=known.importance), deed)
        return showing.shown_outcome(done)


def is_of_another_project(memory: Memory, viewer: Viewer) -> bool:
    """Seen from here because it is public or a shared preference; what becomes of it is decided there."""
    return memory.scope.level is ScopeLevel.PROJECT and memory.scope.name != viewer.project
