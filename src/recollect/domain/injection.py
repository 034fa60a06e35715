"""What is put in front of the model, why it and nothing else, and the record of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from recollect.domain.memory import Kind, MemoryId, MessageId, ProjectId, SessionId


class Placement(StrEnum):
    SYSTEM = "system"  # in the system prompt
    MESSAGE = "message"  # on the user message that asked for it
    TOOL = "tool"  # on the part of the tool that failed
    SUMMARY = "summary"  # at the end of the prompt for a summary
    ANSWER = "answer"  # as the answer of a tool that asked


class Moment(StrEnum):
    """The moments at which something can be injected."""

    START = "start"
    PROMPT = "prompt"
    TOOL_ERROR = "tool_error"
    COMPACTION = "compaction"
    ON_DEMAND = "on_demand"


class Verdict(StrEnum):
    """What became of a memory that was considered."""

    SHOWN = "shown"  # whole
    SHORT = "short"  # by its title or first sentence: that does not count as shown
    RECALLED = "recalled"  # in one line: it stands further up
    LISTED = "listed"  # in the index, to be opened by its id
    LIVE = "live"  # it is in front of the model already
    THRESHOLD = "threshold"  # not relevant enough for its kind
    CUT = "cut"  # too far behind the best
    OTHER = "other"  # about another error: it names nothing that this one names
    FLOOR = "floor"  # its score is too low for the start block
    LINES = "lines"  # no line was left
    BUDGET = "budget"  # no room was left
    SWITCHED_OFF = "switched_off"  # the settings leave its kind out
    HEARD = "heard"  # it was said in what the model has in front of it
    CANDIDATE = "candidate"  # nothing has proven it: the words that it was taken from are quoted, where they fit


class Quiet(StrEnum):
    """Why nothing was looked for at all."""

    OFF = "off"  # the settings say so
    PAUSED = "paused"  # the user has paused Recollect
    OPTED_OUT = "opted_out"  # the prompt or the session asked not to be helped
    IDLE = "idle"  # the prompt asks nothing
    OWN_CONTEXT = "own_context"  # the prompt is a command, a plan or a long text
    GENERIC = "generic"  # the error says nothing that could be known again
    CAP = "cap"  # as much as may be in front of the model is there already


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One memory that was considered, and why it was or was not shown. Never what it says."""

    id: MemoryId
    kind: Kind
    verdict: Verdict
    relevance: float
    score: float
    needed: float = 0.0  # what the relevance, or at the start the score, had to reach
    factors: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """A turn of an earlier session of which a block says something. Never what it says."""

    session: SessionId
    message: MessageId
    reasons: Mapping[str, float] = field(default_factory=dict)  # topic, needed: the prompt's; words, meaning: its own


@dataclass(frozen=True, slots=True, kw_only=True)
class LogKey:
    """Where the log has it."""

    session: SessionId
    context: int
    message: MessageId | None  # None: the stable block of this context
    call: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """A block for the model. An empty block is silence."""

    placement: Placement
    block: str = ""
    tokens: int = 0
    budget_tokens: int = 0  # what the block could have cost
    ids: tuple[MemoryId, ...] = ()  # the memories shown whole, in order
    corrected: tuple[MemoryId, ...] = ()  # what is in front of the model and no longer holds, as the block says
    considered: int = 0
    choices: tuple[Choice, ...] = ()  # the best of what was considered, first what was shown
    quoted: tuple[Quoted, ...] = ()  # the turns that the block quotes, in its order
    quiet: Quiet | None = None
    notice: str = ""  # for the person, not for the model
    offered: LogKey | None = None  # set: it counts as sent only when its answer was delivered
    kept: bool = True  # False: the event itself could not be written down yet; it waits in memory

    @property
    def relevance(self) -> float | None:
        """Of what was shown, on average."""
        shown = [choice.relevance for choice in self.choices if choice.verdict is Verdict.SHOWN]
        return sum(shown) / len(shown) if shown else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What is known of one session of a host."""

    id: SessionId
    host: str
    project: ProjectId | None  # None: outside of every project
    language: str | None
    started_at: datetime
    context: int = 0  # counts live contexts: compaction and clearing begin a new one
    parent: SessionId | None = None  # whose agent began this one, or of which it is a copy
    forked: bool = False  # it is a copy of its parent, and speaks with the same person; False: with its parent's agent
    recalls: bool = True  # False: its user wants nothing injected
    captures: bool = True  # False: its user wants nothing learnt from it
    ended_at: datetime | None = None  # may be resumed all the same


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One line of the injection log: the only truth about what a message carries."""

    session: SessionId
    context: int
    message: MessageId | None  # None: the stable block of this context
    injection: Injection
    at: datetime
    took_ms: float
    call: str = ""  # of the tool whose part carries it; "" = the message itself does
    point: Moment = Moment.PROMPT
    confirmed: bool = True  # False: offered, and perhaps never sent


@dataclass(frozen=True, slots=True, kw_only=True)
class MomentUsage:
    """What the blocks of one moment came to."""

    point: Moment
    injections: int  # how often it was asked
    blocks: int  # how often something was said
    tokens: int
    memories: int
    budget_tokens: int  # of those that said something
    took_ms: float  # on average
