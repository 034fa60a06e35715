"""Whether Recollect is paused where something happens."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from recollect.domain.memory import ProjectId
from recollect.domain.pause import Pause


class KnowsPauses(Protocol):
    @property
    def problem(self) -> str | None:
        """Why it is not known whether Recollect is paused, in a sentence; then it counts as paused."""
        ...

    def on(self, at: datetime | None = None) -> Sequence[Pause]:
        """The pauses that are on now, or were on at this time."""
        ...

    def at(self, moment: datetime) -> Sequence[Pause]:
        """The pauses that were on at this time. PauseUnreadable: nobody knows."""
        ...

    def begin(self, pause: Pause) -> Pause:
        """In place of one that is on for the same project, or everywhere."""
        ...

    def end(self, project: ProjectId | None, now: datetime) -> Sequence[Pause]:
        """Ends the pause of a project; None: every pause. Answers with those that were on."""
        ...


class NoPauses:
    """Where nobody can pause: a store of its own, as in a trial."""

    problem = None

    def on(self, at: datetime | None = None) -> Sequence[Pause]:  # noqa: ARG002
        return ()

    def at(self, moment: datetime) -> Sequence[Pause]:  # noqa: ARG002
        return ()

    def begin(self, pause: Pause) -> Pause:
        return pause

    def end(self, project: ProjectId | None, now: datetime) -> Sequence[Pause]:  # noqa: ARG002
        return ()


class PastPauses(NoPauses):
    """For old sessions that are played again: what was paused then was paused; whether it is now does not matter."""

    def __init__(self, known: KnowsPauses) -> None:
        self._known = known

    def on(self, at: datetime | None = None) -> Sequence[Pause]:
        return () if at is None else self.at(at)

    def at(self, moment: datetime) -> Sequence[Pause]:
        return self._known.at(moment)


def find_pause(
    pauses: Sequence[Pause], project: Callable[[], ProjectId | None], named: Callable[[str], ProjectId]
) -> Pause | None:
    """The pause that is meant for this project; None: none is. Most pauses are for all, and need no project."""
    everywhere = next((pause for pause in pauses if pause.project is None), None)
    if everywhere is not None or not pauses:
        return everywhere
    here = project()
    return next((pause for pause in pauses if pause.project is not None and named(pause.project) == here), None)
