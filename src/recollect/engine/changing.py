"""What an agent may change by a tool, as a part of the engine: only what it may be told."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from recollect.domain.errors import InvalidValue
from recollect.domain.history import AGENT, DeedKind, doer
from recollect.domain.memory import Anchor, Draft, Memory, MemoryId, ScopeLevel, SessionId, Viewer
from recollect.domain.outcome import Refused, Stored
from recollect.engine import redaction
from recollect.engine.admission import admitted, is_ignored
from recollect.engine.belonging import Belonging
from recollect.engine.lookup import find_visible, found
from recollect.engine.remember import revise
from recollect.privacy.visibility import may_inject

MAX_JUDGED = 2000
TITLED_WORDS = 3  # a text that begins with the same is about the same


class Changing(Belonging):
    if TYPE_CHECKING:

        def _add_hashes(self, drafts: Sequence[Draft], folder: str | None) -> Sequence[Draft]: ...

    def told(self, id_or_beginning: str, viewer: Viewer, folder: str | None) -> Memory | None:
        """The memory with this id, if it may be put in front of this viewer's model; None: it may not, or there is
        none. An agent does not learn which."""
        known = find_visible(self._store, id_or_beginning, lambda memory: self.may_tell(memory, viewer, folder))
        return None if known is None else redaction.redact_memory(known)

    def may_tell(self, memory: Memory, viewer: Viewer, folder: str | None) -> bool:
        return may_inject(memory, viewer) and not is_ignored(memory, self._settings_for(folder).privacy)

    def answers_agents(self, folder: str | None) -> bool:
        """Whether agents are told anything at all."""
        settings = self._settings_for(folder)
        return settings.on_demand.enabled and settings.inject.enabled

    @property
    def forgets_for_good(self) -> bool:
        """Whether what is forgotten is gone at once."""
        return not self._settings_for(None).forget.undo_hours

    def note_helped(self, memory: Memory, session: SessionId, at: datetime, *, helped: bool) -> bool:
        """An agent's word on what it was told counts as use, once in a session; False: it has said so before."""
        if (session, memory.id) in self._judged:
            return False
        self._judged[session, memory.id] = None
        if len(self._judged) > MAX_JUDGED:
            del self._judged[next(iter(self._judged))]
        self._store.note_use([memory.id] if helped else [], [] if helped else [memory.id], at)
        return True

    @cached_property
    def _judged(self) -> dict[tuple[SessionId, MemoryId], None]:
        """Not kept: after a restart an agent may say so again."""
        return {}

    def keeps_nothing(self, session: SessionId) -> bool:
        """Whether its user wants nothing to be kept of this session."""
        known = self._store.session(session)
        return known is not None and not known.captures

    def propose_to_forget(self, memory: Memory, at: datetime) -> None:
        """What the user said, an agent does not remove: the user decides in `review`."""
        with self._store.writing():
            if not any(deed.detail["memory"] == memory.id for deed in self._store.proposals()):
                self._store.begin_deed(DeedKind.PROPOSE, at, AGENT, {"memory": memory.id})

    def revise(self, memory: Memory, draft: Draft, *, folder: str | None = None) -> Stored:
        """Another wording of a memory that is named, in its place where whoever says so may overrule it. Its files are
        looked at anew, its names and who may see it stay."""
        is_of_project = memory.scope.level is ScopeLevel.PROJECT
        draft = replace(
            draft,
            anchors=tuple(Anchor(one.path) if is_of_project else one for one in memory.anchors),
            aliases=memory.aliases,
            sensitivity=memory.sensitivity,
            title=memory.title if _begins_alike(memory.text, draft.text) else None,
        )
        (hashed,) = self._add_hashes([draft], folder)
        admissible = admitted(hashed, self._settings_for(folder).privacy)
        if isinstance(admissible, Refused):
            raise InvalidValue(admissible.why)
        with self._store.writing():
            known = found(self._store, memory.id)
            deed = self._store.begin_deed(DeedKind.REMEMBER, draft.at, doer(draft.source))
            done = revise(self._store, known, replace(admissible, importance=known.importance), deed)
        return redaction.redact_outcome(done)


def _begins_alike(one: str, other: str) -> bool:
    first, second = (text.casefold().split()[:TITLED_WORDS] for text in (one, other))
    return first == second
