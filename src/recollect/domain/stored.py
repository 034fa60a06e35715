"""How much is kept of a project, or of a place that is none."""

from dataclasses import dataclass
from datetime import datetime

from recollect.domain.memory import ProjectId

HIDDEN = "forgotten:"  # begins the id under which a forgotten project's sessions wait for the end of the undo window


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """Counts, and never a word of it."""

    place: str  # a project's id, `universal`, `language:NAME`, `no project`, or `forgotten` for what can be undone
    memories: int = 0  # confirmed, and valid now
    candidates: int = 0
    past: int = 0  # memories that something newer replaced, or that ended: the history
    forgotten: int = 0  # memories that are out of sight and can still be brought back
    turns: int = 0
    sessions: int = 0
    notes: int = 0  # sessions that left notes or a summary
    blocks: int = 0  # that models were given
    waiting: int = 0  # events that wait to be learnt from
    text_bytes: int = 0  # of all of these texts
    oldest: datetime | None = None
    newest: datetime | None = None


def hidden_as(at: datetime, deed: int) -> ProjectId:
    return ProjectId(f"{HIDDEN}{int(at.timestamp() * 1000):015d}:{deed}")


def hidden_at_ms(hidden: ProjectId) -> int:
    """When it was hidden, as its id says."""
    return int(hidden.split(":")[1])
