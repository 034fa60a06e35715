"""Count which shown memories the replies used. Use decides only the order of memories, never whether one fits."""

from collections.abc import Collection

from recollect.domain.memory import MemoryId, SessionId
from recollect.engine.context import Context
from recollect.engine.live import Live, OpenPrompt
from recollect.rank.score import was_used


def note_prompt(ctx: Context, session: SessionId, prompt: str, shown: Collection[MemoryId]) -> None:
    """Start counting for this prompt. What the previous one showed and no reply used was not needed."""
    close_prompt(ctx, session)
    ctx.live.open_prompts.put(session, OpenPrompt(prompt=prompt, unused=set(shown)))


def note_tool_block(live: Live, session: SessionId, shown: Collection[MemoryId]) -> None:
    """Add what the block on a failed tool showed."""
    open_prompt = live.open_prompts.get(session)
    if open_prompt is not None:
        open_prompt.unused.update(shown)


def note_reply(ctx: Context, session: SessionId, reply: str) -> None:
    open_prompt = ctx.live.open_prompts.get(session)
    if open_prompt is None:
        return
    known = ctx.store.find_readable(tuple(open_prompt.unused))
    used = [memory.id for memory in known if was_used(memory, reply, open_prompt.prompt)]
    if used:
        ctx.store.note_use(used, [], ctx.now)
    open_prompt.unused.difference_update(used)
    open_prompt.has_reply = True


def close_prompt(ctx: Context, session: SessionId) -> None:
    open_prompt = ctx.live.open_prompts.pop(session)
    if open_prompt is not None and open_prompt.has_reply and open_prompt.unused:
        ctx.store.note_use([], open_prompt.unused, ctx.now)
