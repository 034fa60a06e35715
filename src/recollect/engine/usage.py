"""Count which shown memories the replies used. Use decides only the order of memories, never whether one fits."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.domain.memory import MemoryId, SessionId
from recollect.engine.ports import KeepsMemories
from recollect.engine.session_ports import CountsUse
from recollect.rank.score import was_used

MAX_SESSIONS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class _OpenPrompt:
    prompt: str
    unused: tuple[MemoryId, ...] = ()  # shown, and not used by a reply yet
    has_reply: bool = False  # a host that reports no replies says nothing about use


class UseTracker:
    """The last prompt of each session. In memory only."""

    def __init__(self, memories: KeepsMemories, counters: CountsUse) -> None:
        self._memories = memories
        self._counters = counters
        self._open: dict[SessionId, _OpenPrompt] = {}

    def note_prompt(self, session: SessionId, prompt: str, shown: Collection[MemoryId], at: datetime) -> None:
        """Start counting for this prompt. What the previous one showed and no reply used was not needed."""
        self.close(session, at)
        self._open[session] = _OpenPrompt(prompt=prompt, unused=tuple(shown))
        if len(self._open) > MAX_SESSIONS:
            del self._open[next(iter(self._open))]

    def note_tool_block(self, session: SessionId, shown: Collection[MemoryId]) -> None:
        """Add what the block on a failed tool showed."""
        open_prompt = self._open.get(session)
        if open_prompt is not None and shown:
            self._open[session] = replace(open_prompt, unused=(*open_prompt.unused, *shown))

    def note_reply(self, session: SessionId, reply: str, at: datetime) -> None:
        open_prompt = self._open.get(session)
        if open_prompt is None:
            return
        known = filter(None, map(self._memories.get, open_prompt.unused))
        used = [memory.id for memory in known if was_used(memory, reply, open_prompt.prompt)]
        if used:
            self._counters.note_use(used, [], at)
        unused = tuple(memory_id for memory_id in open_prompt.unused if memory_id not in used)
        self._open[session] = replace(open_prompt, unused=unused, has_reply=True)

    def forget(self, session: SessionId) -> None:
        self._open.pop(session, None)

    def close(self, session: SessionId, at: datetime) -> None:
        open_prompt = self._open.pop(session, None)
        if open_prompt is not None and open_prompt.has_reply and open_prompt.unused:
            self._counters.note_use([], open_prompt.unused, at)
