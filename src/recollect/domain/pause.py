"""Pauses: while one lasts, nothing is captured and nothing is injected."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.domain.errors import RecollectError
from recollect.domain.memory import EARLIEST, ProjectId, check_names, check_time


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    since: datetime
    until: datetime | None = None  # None: until the user resumes
    project: ProjectId | None = None  # None: everywhere

    def __post_init__(self) -> None:
        check_time(self.since)
        if self.until is not None:
            check_time(self.until)
        check_names((self.project, "project"))

    def is_on(self, now: datetime) -> bool:
        """True also before `since`: the clock was set back, and the user has not resumed."""
        return self.until is None or now < self.until

    def includes(self, moment: datetime) -> bool:
        return self.since <= moment and self.is_on(moment)


UNKNOWN_PAUSE = Pause(since=EARLIEST)  # for a pause file that cannot be read: its start is not known


class PauseUnreadable(RecollectError):
    """The pause file cannot be read; Recollect counts as paused until `recollect resume`."""

    code = "pause_unreadable"


def new_pause(minutes: int | None, project: ProjectId | None, now: datetime) -> Pause:
    """A pause from now on; None: until it is ended."""
    until = None if minutes is None else now + timedelta(minutes=minutes)
    return Pause(since=now, until=until, project=project)
