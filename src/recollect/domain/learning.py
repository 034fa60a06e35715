"""Learning from sessions: the true author of a message, and proposals of what to remember."""

from dataclasses import dataclass
from enum import StrEnum

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Kind, MessageId, Role, ScopeLevel, Tier


class Origin(StrEnum):
    """The true author of a message. Hosts know it; the text alone does not always show it."""

    USER = "user"  # typed by the person
    COMMAND = "command"  # the template of a slash command, or a plan that a program pasted
    SUBAGENT = "subagent"  # an agent's order to another agent
    NOTIFICATION = "notification"  # the host: a task ended, the user interrupted, a hook printed something
    SUMMARY = "summary"  # written by the host's model when the session was compacted
    ASSISTANT = "assistant"
    TOOL = "tool"


class Basis(StrEnum):
    """Evidence behind a proposal."""

    SAID = "said"  # a sentence that looks as if it would matter later
    ASKED = "asked"  # "remember ...", and the agent's own save
    PAIR = "pair"  # it failed, something was done, it works
    PICK = "pick"  # the agent offered options, and the user took one
    REJECTION = "rejection"  # the user refused or reverted, and accepted something else
    COMMAND = "command"  # it was run, and it works
    DEED = "deed"  # a commit, tests that pass
    SUMMARY = "summary"  # written by the host's model at compaction
    CLOSING = "closing"  # the last message of a turn
    MODEL = "model"  # proposed by a language model


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Something that may be worth keeping. `engine.learning` makes a draft of it; `engine.remember` decides."""

    text: str  # complete in itself: a later reader has nothing else
    kind: Kind
    tier: Tier
    basis: Basis
    role: Role  # whose words these are
    messages: tuple[MessageId, ...] = ()  # where it was said
    evidence: tuple[str, ...] = ()  # the words it was taken from, verbatim
    durability: float = 0.5  # 0..1, how likely it matters in a later session
    title: str | None = None
    aliases: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()  # the files it is about
    level: ScopeLevel = ScopeLevel.PROJECT  # universal: "in all my projects"; language: of the session's language
    explicit: bool = False  # stated outright as something to keep
    emphatic: bool = False  # NEVER, always!, IMPORTANT

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise InvalidValue("A proposal needs a text.")
        if not 0 <= self.durability <= 1:
            raise InvalidValue(f"The durability is {self.durability}; it must be from 0 to 1.")
