"""Changes that an agent may make by a tool: only to memories that it may see."""

from recollect.domain.changes import AGENT, ChangeAction
from recollect.domain.memory import Memory, SessionId, Viewer
from recollect.engine.admission import is_about_ignored_file
from recollect.engine.context import Context
from recollect.engine.memories.lookup import find_visible
from recollect.engine.redaction import redact_memory
from recollect.engine.session_ports import KeepsSessions
from recollect.privacy.visibility import may_inject


def find_for_agent(ctx: Context, id_or_prefix: str, viewer: Viewer) -> Memory | None:
    """Return None if there is no such memory or this agent may not see it. An agent does not learn which."""
    memory = find_visible(ctx.store, id_or_prefix, lambda memory: may_show(ctx, memory, viewer))
    return None if memory is None else redact_memory(memory)


def may_show(ctx: Context, memory: Memory, viewer: Viewer) -> bool:
    return may_inject(memory, viewer) and not is_about_ignored_file(memory, ctx.settings.privacy)


def may_answer_agents(ctx: Context) -> bool:
    return ctx.settings.on_demand.enabled and ctx.settings.inject.enabled


def note_helped(ctx: Context, memory: Memory, session: SessionId, *, helped: bool) -> bool:
    """Count an agent's judgement as use, once per session. Return False if it was given before."""
    if not ctx.live.judgements.add(session, memory.id):
        return False
    ctx.store.note_use([memory.id] if helped else [], [] if helped else [memory.id], ctx.now)
    return True


def is_capture_off(sessions: KeepsSessions, session: SessionId) -> bool:
    known = sessions.session(session)
    return known is not None and not known.captures


def propose_to_forget(ctx: Context, memory: Memory) -> None:
    """An agent does not remove what the user said: the user decides in `review`."""
    with ctx.store.transaction():
        if not any(change.detail["memory"] == memory.id for change in ctx.store.proposals()):
            ctx.store.begin_change(ChangeAction.PROPOSE, ctx.now, AGENT, {"memory": memory.id})
