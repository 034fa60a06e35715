"""How much is stored for a project, or outside of all projects."""

from dataclasses import dataclass
from datetime import datetime

from recollect.domain.memory import ProjectId

HIDDEN_PREFIX = (
    "forgotten:"  # prefix of the id under which a forgotten project's sessions wait until the undo window ends
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCounts:
    """Counts only, never any text."""

    place: str  # a project's id, `universal`, `language:NAME`, `no project`, or `forgotten` for what can be undone
    memories: int = 0  # confirmed, and valid now
    candidates: int = 0
    past: int = 0  # memories that ended or were replaced: the history
    forgotten: int = 0  # memories that can still be brought back
    turns: int = 0
    sessions: int = 0
    notes: int = 0  # sessions that left notes or a summary
    blocks: int = 0  # shown to models
    waiting: int = 0  # events that wait to be learnt from
    text_bytes: int = 0  # of all these texts
    oldest: datetime | None = None
    newest: datetime | None = None


def hidden_project_id(at: datetime, change: int) -> ProjectId:
    return ProjectId(f"{HIDDEN_PREFIX}{int(at.timestamp() * 1000):015d}:{change}")


def hidden_at_ms(hidden: ProjectId) -> int:
    """Read from the id when the project was hidden."""
    return int(hidden.split(":")[1])
