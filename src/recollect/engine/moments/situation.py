"""The situation at one moment of a session: the viewer, the live context, and which memories may be shown."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from recollect.domain.event import Asked, Carriers, Compacting, Event, Prompt, ToolFailed
from recollect.domain.injection import LogEntry, Moment, QuietReason
from recollect.domain.memory import Memory, MemoryId, SessionId, Tier, Viewer
from recollect.domain.session import Session
from recollect.domain.settings import Mode, Settings, TurnPlacement
from recollect.engine.admission import OWN_PREFIX, is_about_ignored_file
from recollect.engine.anchoring import ChecksFreshness, freshness_check, no_freshness
from recollect.engine.context import Context
from recollect.engine.moments.session_state import find_context_start
from recollect.engine.session_ports import LogsInjections
from recollect.privacy.visibility import may_inject


@dataclass(frozen=True)
class LiveBlocks:
    """The live context: the blocks whose messages are in the request."""

    sent: tuple[LogEntry, ...] = ()

    @cached_property
    def memory_ids(self) -> frozenset[MemoryId]:
        """Memories that the model was shown, without those that a later block corrected."""
        shown: set[MemoryId] = set()
        for sent in self.sent:
            shown = shown.union(sent.injection.ids).difference(sent.injection.corrected)
        return frozenset(shown)

    @cached_property
    def last_shown(self) -> Mapping[MemoryId, datetime]:
        shown: dict[MemoryId, datetime] = {}
        for sent in self.sent:
            shown |= dict.fromkeys(filter(self.memory_ids.__contains__, sent.injection.ids), sent.at)
        return shown

    @property
    def from_tools(self) -> "LiveBlocks":
        """The part that no block of a prompt or a start replaces."""
        return LiveBlocks(tuple(sent for sent in self.sent if sent.point in (Moment.TOOL_ERROR, Moment.ON_DEMAND)))

    @property
    def has_prompts(self) -> bool:
        return any(sent.point is Moment.PROMPT for sent in self.sent)

    def tokens(self, *moments: Moment) -> int:
        return sum(sent.injection.tokens for sent in self.sent if sent.point in moments)


def load_live(log: LogsInjections, session: Session, carriers: Carriers = None) -> LiveBlocks:
    """Read the live context from the log: what the host says is in the request, else all that this context was sent."""
    # Only the model that writes a summary reads the text for it.
    known = [sent for sent in log.log_of_context(session.id, session.context) if sent.point is not Moment.COMPACTION]
    if carriers is None:
        return LiveBlocks(tuple(sent for sent in known if sent.confirmed))
    turns = log.find_sent(session.id, [message for message in carriers if message is not None])
    # Answers to an agent's question have a name of ours, which no host can list.
    unnamed = [sent for sent in known if sent.message is not None and sent.message.startswith(OWN_PREFIX)]
    in_request = sorted([*turns, *unnamed], key=lambda sent: sent.at)
    start = _start_block(log, session) if None in carriers else None
    if start is not None:
        in_request.insert(0, start)
    return LiveBlocks(tuple(in_request))


def _start_block(log: LogsInjections, session: Session) -> LogEntry | None:
    """After a compaction, until there is a new one: the start block of the context before."""
    for context in range(session.context, -1, -1):
        block = log.start_block(session.id, context)
        if block is not None:
            return block
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    viewer: Viewer
    now: datetime
    settings: Settings
    live: LiveBlocks = LiveBlocks()
    look_up_freshness: ChecksFreshness = no_freshness
    agent: str | None = None
    window_tokens: int | None = None
    recent_files: Sequence[str] = ()
    running_sessions: Collection[SessionId] = ()  # the model has, or may have, their words in its context
    conversation_sessions: Collection[SessionId] = ()  # the model surely has: this session and the one it is a copy of
    context_started_at: datetime | None = None  # None: no compaction yet

    def may_show(self, memory: Memory) -> bool:
        """Asked or unasked, the model may see this memory. Callers check whether its kind is switched on."""
        return may_inject(memory, self.viewer) and not is_about_ignored_file(memory, self.settings.privacy)

    def is_news(self, memory: Memory) -> bool:
        is_live = memory.id in self.live.memory_ids
        return not is_live and self.may_show(memory) and not self.is_said_here(memory)

    def is_said_here(self, memory: Memory) -> bool:
        """It was said in the conversation that the model still has in its context, so it is no news. A subagent has not
        read its parent's conversation, so it is shown what the user confirmed there."""
        sessions = self.running_sessions if memory.tier is Tier.CANDIDATE else self.conversation_sessions
        said = [(memory.source, memory.created_at), *((mention, mention.at) for mention in memory.mentions)]
        since = self.context_started_at
        return any(source.session in sessions and (since is None or at >= since) for source, at in said)

    @property
    def shows_omitted_count(self) -> bool:
        return self.settings.inject.mode is Mode.CONSERVATIVE


def find_situation(ctx: Context, session: Session, event: Event, live: LiveBlocks) -> Situation:
    running = (session.id,) if session.parent is None else (session.id, session.parent)
    return Situation(
        viewer=Viewer(
            project=session.project,
            language=session.language,
            session=session.id,
            shares_preferences=ctx.settings.privacy.share_preferences,
        ),
        now=event.at,
        settings=ctx.settings,
        live=live,
        look_up_freshness=freshness_check(ctx, asked=False),
        agent=event.agent,
        window_tokens=event.window_tokens,
        recent_files=ctx.live.files.of(session.id),
        running_sessions=running,
        conversation_sessions=running if session.forked else (session.id,),
        context_started_at=find_context_start(ctx.store, session, event.at),
    )


def load_live_context(ctx: Context, session: Session, event: Prompt | ToolFailed | Compacting | Asked) -> LiveBlocks:
    live = load_live(ctx.store, session, None if isinstance(event, Compacting) else event.live)
    if ctx.settings.inject.placement is not TurnPlacement.SYSTEM:
        return live
    prompts = [sent for sent in live.sent if sent.point is Moment.PROMPT]
    return LiveBlocks((*prompts[-1:], *live.from_tools.sent))  # each block replaces the one before it


def find_quiet_reason(ctx: Context, session: Session, *, enabled: bool) -> QuietReason | None:
    """Why nothing may be shown at this moment; None: something may."""
    if ctx.answers_paused:
        return QuietReason.PAUSED
    if not enabled or not ctx.settings.inject.enabled:
        return QuietReason.OFF
    return None if session.recalls else QuietReason.OPTED_OUT
