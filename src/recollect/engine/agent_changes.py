"""Changes that an agent may make by a tool, as a part of the engine: only to memories that it may see."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from recollect.domain.changes import AGENT, ChangeAction, author_of
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Anchor, Draft, Memory, MemoryId, ScopeLevel, SessionId, Viewer
from recollect.domain.outcome import Refused, Stored
from recollect.engine import redaction
from recollect.engine.admission import admit_draft, is_about_ignored_file
from recollect.engine.belonging import Belonging
from recollect.engine.lookup import find_memory, find_visible
from recollect.engine.remember import replace_named
from recollect.privacy.visibility import may_inject

MAX_JUDGEMENTS = 2000
SAME_TITLE_WORDS = 3  # a text that begins with the same words keeps the title


class Changing(Belonging):
    if TYPE_CHECKING:

        def _add_hashes(self, drafts: Sequence[Draft], folder: str | None) -> Sequence[Draft]: ...

    def find_for_agent(self, id_or_prefix: str, viewer: Viewer, folder: str | None) -> Memory | None:
        """Return None if there is no such memory or this agent may not see it. An agent does not learn which."""
        memory = find_visible(self._store, id_or_prefix, lambda memory: self.may_show(memory, viewer, folder))
        return None if memory is None else redaction.redact_memory(memory)

    def may_show(self, memory: Memory, viewer: Viewer, folder: str | None) -> bool:
        return may_inject(memory, viewer) and not is_about_ignored_file(memory, self._settings_for(folder).privacy)

    def may_answer_agents(self, folder: str | None) -> bool:
        settings = self._settings_for(folder)
        return settings.on_demand.enabled and settings.inject.enabled

    @property
    def has_no_undo(self) -> bool:
        """There is no undo window: forgotten memories are deleted at once."""
        return not self._settings_for(None).forget.undo_hours

    def note_helped(self, memory: Memory, session: SessionId, at: datetime, *, helped: bool) -> bool:
        """Count an agent's judgement as use, once per session. Return False if it was given before."""
        if (session, memory.id) in self._judgements:
            return False
        self._judgements[session, memory.id] = None
        if len(self._judgements) > MAX_JUDGEMENTS:
            del self._judgements[next(iter(self._judgements))]
        self._store.note_use([memory.id] if helped else [], [] if helped else [memory.id], at)
        return True

    @cached_property
    def _judgements(self) -> dict[tuple[SessionId, MemoryId], None]:
        """In memory only: after a restart an agent may judge again."""
        return {}

    def is_capture_off(self, session: SessionId) -> bool:
        known = self._store.session(session)
        return known is not None and not known.captures

    def propose_to_forget(self, memory: Memory, at: datetime) -> None:
        """An agent does not remove what the user said: the user decides in `review`."""
        with self._store.transaction():
            if not any(change.detail["memory"] == memory.id for change in self._store.proposals()):
                self._store.begin_change(ChangeAction.PROPOSE, at, AGENT, {"memory": memory.id})

    def revise(self, memory: Memory, draft: Draft, *, folder: str | None = None) -> Stored:
        """Reword a memory, if the speaker may overrule it. Anchors are hashed anew; aliases and sensitivity stay."""
        anchors = memory.anchors
        if memory.scope.level is ScopeLevel.PROJECT:
            anchors = tuple(Anchor(anchor.path) for anchor in anchors)
        draft = replace(
            draft,
            anchors=anchors,
            aliases=memory.aliases,
            sensitivity=memory.sensitivity,
            title=memory.title if _title_words(memory.text) == _title_words(draft.text) else None,
        )
        (hashed,) = self._add_hashes([draft], folder)
        checked = admit_draft(hashed, self._settings_for(folder).privacy)
        if isinstance(checked, Refused):
            raise InvalidValue(checked.why)
        with self._store.transaction():
            known = find_memory(self._store, memory.id)
            change = self._store.begin_change(ChangeAction.REMEMBER, draft.at, author_of(draft.source))
            done = replace_named(self._store, known, replace(checked, importance=known.importance), change)
        return redaction.redact_outcome(done)


def _title_words(text: str) -> list[str]:
    return text.casefold().split()[:SAME_TITLE_WORDS]
