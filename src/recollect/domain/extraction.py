"""State of the language model that also reads sessions, and the question that a host's plugin asks its own model."""

from dataclasses import dataclass
from datetime import datetime

from recollect.domain.memory import SessionId
from recollect.domain.settings import Provider


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractorState:
    """Status of the extractor, for `recollect status`. It has no key, no question and no answer in it."""

    provider: Provider
    model: str
    host: str = ""  # of the endpoint; empty: the agent's host is asked
    spent_tokens: int  # today, UTC
    tokens_per_day: int
    problem: str | None = None  # why the model could not read the last exchange; None: it did
    rests_until: datetime | None = None  # it is not asked before this time

    def __str__(self) -> str:
        model = self.model or "the host's model"
        if self.host:
            model += f" at {self.host}"
        text = f"{self.provider}: {model}, {self.spent_tokens:,} of {self.tokens_per_day:,} tokens today"
        if self.problem:
            text += f"; {self.problem}"
        if self.rests_until:
            text += f"; asked again from {self.rests_until:%H:%M} UTC on"
        return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question for the host's model: two messages, and how long the answer may be."""

    id: str
    session: SessionId
    system: str
    text: str
    answer_tokens: int
