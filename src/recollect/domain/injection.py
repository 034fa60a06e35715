"""Injections: blocks shown to the model, the reasons for them, and the log of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from recollect.domain.memory import Kind, MemoryId, MessageId, SessionId


class Placement(StrEnum):
    SYSTEM = "system"  # in the system prompt
    MESSAGE = "message"  # on the user message that asked for it
    TOOL = "tool"  # on the part of the tool that failed
    SUMMARY = "summary"  # at the end of the prompt for a summary
    ANSWER = "answer"  # as the result of a tool that the agent called


class Moment(StrEnum):
    START = "start"
    PROMPT = "prompt"
    TOOL_ERROR = "tool_error"
    COMPACTION = "compaction"
    ON_DEMAND = "on_demand"


class Verdict(StrEnum):
    """Why a memory that was considered was or was not shown."""

    SHOWN = "shown"  # whole
    SHORT = "short"  # only its title or first sentence: does not count as shown
    RECALLED = "recalled"  # as one line: it is in the conversation already, further up
    LISTED = "listed"  # in the index, to be opened by its id
    LIVE = "live"  # it is in the live context already
    THRESHOLD = "threshold"  # not relevant enough for its kind
    CUT = "cut"  # too far behind the best
    OTHER = "other"  # about another error: it names nothing that this one names
    FLOOR = "floor"  # its score is too low for the start block
    LINES = "lines"  # the limit on lines was reached
    BUDGET = "budget"  # the budget was used up
    SWITCHED_OFF = "switched_off"  # the settings exclude its kind
    HEARD = "heard"  # the live context has the sentence it was learnt from
    CANDIDATE = "candidate"  # not confirmed: the words it was taken from are quoted instead, where they fit


class QuietReason(StrEnum):
    """Why no search was made."""

    OFF = "off"  # the settings say so
    PAUSED = "paused"  # the user has paused Recollect
    OPTED_OUT = "opted_out"  # the prompt or the session opted out
    IDLE = "idle"  # the prompt has no question in it
    OWN_CONTEXT = "own_context"  # the prompt is a command, a plan or a long text: it brings its own context
    GENERIC = "generic"  # the error text is too general to recognise again
    CAP = "cap"  # the live context has as much from Recollect as it may


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A memory that was considered, and why it was or was not shown. Never its text."""

    id: MemoryId
    kind: Kind
    verdict: Verdict
    relevance: float
    score: float
    needed: float = 0.0  # the minimum relevance, or at the start the minimum score
    factors: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedTurn:
    """A turn of an earlier session that a block quotes. Never its text."""

    session: SessionId
    message: MessageId
    # topic and needed: of the prompt; words and meaning: of the turn
    reasons: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogKey:
    session: SessionId
    context: int
    message: MessageId | None  # None: the start block of this context
    call: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """A block for the model. With an empty block, nothing is shown."""

    placement: Placement
    block: str = ""
    tokens: int = 0
    budget_tokens: int = 0  # maximum size of the block
    ids: tuple[MemoryId, ...] = ()  # the memories shown whole, in order
    corrected: tuple[MemoryId, ...] = ()  # memories in the live context that the block reports as no longer valid
    considered: int = 0
    choices: tuple[Choice, ...] = ()  # the best memories considered; those shown come first
    quoted: tuple[QuotedTurn, ...] = ()  # the turns that the block quotes, in order
    quiet: QuietReason | None = None
    notice: str = ""  # for the person, not for the model
    offered: LogKey | None = None  # set: it counts as sent only once the answer was delivered
    kept: bool = True  # False: the event could not be stored yet and waits in memory

    @property
    def relevance(self) -> float | None:
        """Return the mean relevance of the memories that were shown."""
        shown = [choice.relevance for choice in self.choices if choice.verdict is Verdict.SHOWN]
        return sum(shown) / len(shown) if shown else None


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """An entry of the injection log: the only truth about the block on a message."""

    session: SessionId
    context: int
    message: MessageId | None  # None: the start block of this context
    injection: Injection
    at: datetime
    took_ms: float
    call: str = ""  # the tool call that carries the block; "" = the message itself does
    point: Moment = Moment.PROMPT
    confirmed: bool = True  # False: offered, perhaps never sent


@dataclass(frozen=True, slots=True, kw_only=True)
class MomentUsage:
    """Totals of the injections at one moment."""

    point: Moment
    injections: int  # how often Recollect was asked
    blocks: int  # how often a block was shown
    tokens: int
    memories: int
    budget_tokens: int  # of the blocks that were shown
    took_ms: float  # on average
