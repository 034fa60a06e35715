"""What is known of a project."""

from dataclasses import dataclass
from datetime import datetime

from recollect.domain.memory import ProjectId


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectFacts:
    id: ProjectId
    memories: int
    last_at: datetime  # when something was last written for it
    aliases: tuple[ProjectId, ...]  # everything that it is known as
