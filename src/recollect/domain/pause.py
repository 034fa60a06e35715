"""Pauses: times in which nothing is captured and nothing is injected."""

from dataclasses import dataclass
from datetime import datetime

from recollect.domain.errors import RecollectError
from recollect.domain.memory import EARLIEST, ProjectId, check_name, check_time


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    since: datetime
    until: datetime | None = None  # None: until somebody resumes
    project: ProjectId | None = None  # None: everywhere

    def __post_init__(self) -> None:
        check_time(self.since)
        if self.until is not None:
            check_time(self.until)
        if self.project is not None:
            check_name(self.project, "project")

    def is_on(self, now: datetime) -> bool:
        """Also where the clock is before its beginning: it was set back, and nobody has resumed."""
        return self.until is None or now < self.until

    def has(self, moment: datetime) -> bool:
        return self.since <= moment and self.is_on(moment)


UNKNOWN = Pause(since=EARLIEST)  # what stands for a file that cannot be read: nobody knows since when


class PauseUnreadable(RecollectError):
    """The file that says whether Recollect is paused cannot be read; until `recollect resume` it counts as paused."""

    code = "pause_unreadable"
