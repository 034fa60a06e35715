"""The closed loop: what a prompt brought, beside the replies to it. Only the order of what fits hangs on it."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.domain.memory import MemoryId, SessionId
from recollect.engine.ports import KeepsMemories
from recollect.engine.session_ports import CountsUse
from recollect.rank.use import was_used

MAX_SESSIONS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class _OpenPrompt:
    """What a prompt brought, and no reply has used yet."""

    prompt: str
    waiting: tuple[MemoryId, ...] = ()
    answered: bool = False  # where no host tells of replies, nothing is known of use


class UseTracker:
    """The last prompt of each session. Not kept: after a restart, nothing."""

    def __init__(self, memories: KeepsMemories, counters: CountsUse) -> None:
        self._memories = memories
        self._counters = counters
        self._open: dict[SessionId, _OpenPrompt] = {}

    def note_prompt(self, session: SessionId, prompt: str, brought: Collection[MemoryId], at: datetime) -> None:
        """A new prompt: what the one before it brought and no reply used was not needed."""
        self.close(session, at)
        self._open[session] = _OpenPrompt(prompt=prompt, waiting=tuple(brought))
        if len(self._open) > MAX_SESSIONS:
            del self._open[next(iter(self._open))]

    def note_tool_block(self, session: SessionId, brought: Collection[MemoryId]) -> None:
        """A tool failed meanwhile, and that brought something too."""
        question = self._open.get(session)
        if question is not None and brought:
            self._open[session] = replace(question, waiting=(*question.waiting, *brought))

    def note_reply(self, session: SessionId, reply: str, at: datetime) -> None:
        question = self._open.get(session)
        if question is None:
            return
        known = filter(None, map(self._memories.get, question.waiting))
        used = [memory.id for memory in known if was_used(memory, reply, question.prompt)]
        if used:
            self._counters.note_use(used, [], at)
        waiting = tuple(memory_id for memory_id in question.waiting if memory_id not in used)
        self._open[session] = replace(question, waiting=waiting, answered=True)

    def forget(self, session: SessionId) -> None:
        self._open.pop(session, None)

    def close(self, session: SessionId, at: datetime) -> None:
        question = self._open.pop(session, None)
        if question is not None and question.answered and question.waiting:
            self._counters.note_use([], question.waiting, at)
