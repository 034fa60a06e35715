"""What is known when something happens in a session: who looks, what is in front of the model, and what may be said."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from recollect.domain.event import Carriers
from recollect.domain.injection import Choice, Injection, Moment, Placement, Quiet, Sent, Verdict
from recollect.domain.memory import Hit, Memory, MemoryId, SessionId, Tier, Viewer
from recollect.domain.session import Session
from recollect.domain.settings import Mode, Settings
from recollect.engine.admission import OWN, is_ignored
from recollect.engine.anchoring import Looks, nobody_looks
from recollect.engine.session_ports import LogsInjections
from recollect.privacy.visibility import may_inject
from recollect.rank.budget import Filled

DIGITS = 3  # of what is logged
LOGGED_CHOICES = 20  # of those that were not shown, how many are kept with the reason


@dataclass(frozen=True)
class Live:
    """What is in front of the model: the blocks whose messages are in the request."""

    sent: tuple[Sent, ...] = ()

    @cached_property
    def shown(self) -> frozenset[MemoryId]:
        """What the model was told, and not told since that it no longer holds."""
        known: set[MemoryId] = set()
        for sent in self.sent:
            known = known.union(sent.injection.ids).difference(sent.injection.corrected)
        return frozenset(known)

    @cached_property
    def last_shown(self) -> Mapping[MemoryId, datetime]:
        return {told: sent.at for sent in self.sent for told in sent.injection.ids if told in self.shown}

    @property
    def of_tools(self) -> "Live":
        """What no block of a prompt or a start takes the place of."""
        return Live(tuple(sent for sent in self.sent if sent.point in (Moment.TOOL_ERROR, Moment.ON_DEMAND)))

    @property
    def has_prompts(self) -> bool:
        return any(sent.point is Moment.PROMPT for sent in self.sent)

    def tokens(self, *points: Moment) -> int:
        return sum(sent.injection.tokens for sent in self.sent if sent.point in points)


def live(log: LogsInjections, session: Session, carriers: Carriers = None) -> Live:
    """Where the host does not say what is in the request, everything of this context that was sent. What a summary is
    told is not: only whoever writes it reads that."""
    known = [sent for sent in log.in_context(session.id, session.context) if sent.point is not Moment.COMPACTION]
    if carriers is None:
        return Live(tuple(sent for sent in known if sent.confirmed))
    turns = log.sent_with(session.id, [message for message in carriers if message is not None])
    # What has a name of ours, no host can name: an answer that its agent asked for.
    unnamed = [sent for sent in known if sent.message is not None and sent.message.startswith(OWN)]
    stable = _stable(log, session) if None in carriers else None
    in_front = sorted([*turns, *unnamed], key=lambda sent: sent.at)
    return Live((*([] if stable is None else [stable]), *in_front))


def _stable(log: LogsInjections, session: Session) -> Sent | None:
    """After a compaction, until there is a new one, the block of the context before it."""
    blocks = (log.stable(session.id, context) for context in range(session.context, -1, -1))
    return next((block for block in blocks if block is not None), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    viewer: Viewer
    now: datetime
    settings: Settings
    live: Live = Live()
    look: Looks = nobody_looks
    agent: str | None = None
    window_tokens: int | None = None
    recent_files: Sequence[str] = ()
    known: Callable[[MemoryId], Memory | None] = lambda _: None  # also what does not hold or may not be told
    disputing: Callable[[], Sequence[Memory]] = tuple  # live memories that contradict others
    running: Collection[SessionId] = ()  # sessions whose words are in front of the model, or may be
    conversation: Collection[SessionId] = ()  # those of them whose words surely are: itself, and what it is a copy of
    since: datetime | None = (
        None  # so long the model has them: a summary took what was before; None: from the beginning
    )

    def may_show(self, memory: Memory) -> bool:
        """Unasked or asked, this is what a model may be told; whether its kind is switched off is another question."""
        return may_inject(memory, self.viewer) and not is_ignored(memory, self.settings.privacy)

    def is_heard(self, memory: Memory) -> bool:
        """It was said in what the model has in front of it: it is no news, and not from an earlier session. Once a
        summary has taken it, it may be told. An agent that another one started has not read that one's conversation,
        so it is told what the user confirmed there."""
        said = [(memory.source, memory.created_at), *((mention.source, mention.at) for mention in memory.mentions)]
        sessions = self.running if memory.tier is Tier.CANDIDATE else self.conversation
        return any(source.session in sessions and (self.since is None or at >= self.since) for source, at in said)

    @property
    def counts_rest(self) -> bool:
        return self.settings.inject.mode is Mode.CONSERVATIVE


def silence(placement: Placement, quiet: Quiet | None = None) -> Injection:
    return Injection(placement=placement, quiet=quiet)


def injection(
    placement: Placement,
    filled: Filled,
    hits: Iterable[Hit],
    *,
    budget_tokens: int,
    considered: int,
    needed: Mapping[MemoryId, float] | None = None,
    refused: Sequence[Choice] = (),
) -> Injection:
    """What was filled, with the reasons: `hits` were offered, `refused` were not."""
    offered = [
        _choice(hit, filled.verdicts[hit.memory.id], (needed or {}).get(hit.memory.id, 0.0))
        for hit in hits
        if hit.memory.id in filled.verdicts
    ]
    shown = [choice for choice in offered if choice.verdict is Verdict.SHOWN]
    others = [choice for choice in offered if choice.verdict is not Verdict.SHOWN]
    return Injection(
        placement=placement,
        block=filled.block,
        tokens=filled.tokens,
        budget_tokens=budget_tokens,
        ids=filled.shown,
        considered=considered,
        choices=(*shown, *[*others, *refused][:LOGGED_CHOICES]),
    )


def refused(hits: Collection[Hit], verdict: Verdict, needed: Mapping[MemoryId, float] | None = None) -> list[Choice]:
    return [_choice(hit, verdict, (needed or {}).get(hit.memory.id, 0.0)) for hit in hits]


def _choice(hit: Hit, verdict: Verdict, needed: float) -> Choice:
    return Choice(
        id=hit.memory.id,
        kind=hit.memory.kind,
        verdict=verdict,
        relevance=round(hit.relevance, DIGITS),
        score=round(hit.score, DIGITS),
        needed=round(needed, DIGITS),
        factors={name: round(value, DIGITS) for name, value in hit.factors.items()},
    )
