"""Find out whether the user has paused Recollect at a time and place."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from recollect.domain.memory import ProjectId
from recollect.domain.pause import Pause
from recollect.engine.memories.projects import project_by_alias
from recollect.engine.ports import KnowsProjects


class KnowsPauses(Protocol):
    @property
    def problem(self) -> str | None:
        """Why the pauses cannot be read, in a sentence. Recollect counts as paused then."""

    def on(self, at: datetime | None = None) -> Sequence[Pause]:
        """The pauses that are on now, or were on at this time."""

    def at(self, moment: datetime) -> Sequence[Pause]:
        """The pauses that were on at this time. Raises PauseUnreadable."""

    def begin(self, pause: Pause) -> Pause:
        """Start a pause. It replaces the current pause of the same project, or the current global one."""

    def end(self, project: ProjectId | None, now: datetime) -> Sequence[Pause]:
        """End the pause of a project, or every pause for None. Return those that were on."""


class NoPauses:
    """For an engine that no user can pause."""

    problem = None

    def on(self, at: datetime | None = None) -> Sequence[Pause]:  # noqa: ARG002
        return ()

    def at(self, moment: datetime) -> Sequence[Pause]:  # noqa: ARG002
        return ()

    def begin(self, pause: Pause) -> Pause:
        return pause

    def end(self, project: ProjectId | None, now: datetime) -> Sequence[Pause]:  # noqa: ARG002
        return ()


NO_PAUSES = NoPauses()


class PastPauses(NoPauses):
    """For replays of old sessions: pauses of that time count, a pause of today does not."""

    def __init__(self, known: KnowsPauses) -> None:
        self._known = known

    def on(self, at: datetime | None = None) -> Sequence[Pause]:
        return () if at is None else self.at(at)

    def at(self, moment: datetime) -> Sequence[Pause]:
        return self._known.at(moment)


def find_pause(
    pauses: Sequence[Pause], find_project: Callable[[], ProjectId | None], projects: KnowsProjects
) -> Pause | None:
    """Return the pause that applies to this project. Most pauses are global: the project is looked up only if needed."""
    if not pauses:
        return None
    for pause in pauses:
        if pause.project is None:
            return pause
    here = find_project()
    for pause in pauses:
        if pause.project is not None and project_by_alias(projects, pause.project) == here:
            return pause
    return None
