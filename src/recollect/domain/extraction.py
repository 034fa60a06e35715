"""How it goes with the language model that reads sessions too, and what a host's plugin is given to ask its own."""

from dataclasses import dataclass
from datetime import datetime

from recollect.domain.memory import SessionId
from recollect.domain.settings import Provider


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractorState:
    """For whoever asks how it goes. Holds no key, no question and no answer."""

    provider: Provider
    model: str
    host: str = ""  # of the endpoint; empty: the agent's host is asked
    spent_tokens: int  # today, UTC
    tokens_per_day: int
    problem: str | None = None  # why the last exchange was left to the rules; None: it was not
    rests_until: datetime | None = None  # it is not asked before

    def __str__(self) -> str:
        asked = " at ".join(filter(None, [self.model or "the host's model", self.host]))
        spent = f"{self.spent_tokens:,} of {self.tokens_per_day:,} tokens today"
        problem = f"; {self.problem}" if self.problem else ""
        until = f"; asked again from {self.rests_until:%H:%M} UTC on" if self.rests_until else ""
        return f"{self.provider}: {asked}, {spent}{problem}{until}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a plugin asks its host's model: two messages, and how long the answer may be."""

    id: str
    session: SessionId
    system: str
    text: str
    answer_tokens: int
