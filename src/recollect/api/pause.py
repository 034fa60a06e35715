"""Pausing and resuming. During a pause nothing is captured and nothing is injected."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from recollect.api.operation import Operation, OperationContext, Request
from recollect.api.request_scope import project_of
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import ProjectId
from recollect.domain.pause import Pause

if TYPE_CHECKING:
    from recollect.engine.pausing import KnowsPauses

MOST_MINUTES = 366 * 24 * 60


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseRequest(Request):
    minutes: int | None = None  # None: until `resume`
    here: bool = False  # only the project of the folder
    project: str | None = None  # only this project

    def __post_init__(self) -> None:
        if self.minutes is not None and not 1 <= self.minutes <= MOST_MINUTES:
            raise InvalidValue(f"A pause lasts from 1 minute to 366 days, not {self.minutes} minutes.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeRequest(Request):
    here: bool = False  # only the project of the folder
    project: str | None = None  # only this project


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused:
    pause: Pause


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    ended: list[Pause]  # those that were on
    still_on: list[Pause]


def pause(desk: OperationContext, asked: PauseRequest) -> Paused:
    return Paused(pause=begin(desk.engine.pauses, asked.minutes, _project(desk, asked), desk.now))


def resume(desk: OperationContext, asked: ResumeRequest) -> Resumed:
    return end(desk.engine.pauses, _project(desk, asked), desk.now)


def begin(pauses: "KnowsPauses", minutes: int | None, project: ProjectId | None, now: datetime) -> Pause:
    until = None if minutes is None else now + timedelta(minutes=minutes)
    return pauses.begin(Pause(since=now, until=until, project=project))


def end(pauses: "KnowsPauses", project: ProjectId | None, now: datetime) -> Resumed:
    ended = pauses.end(project, now)
    return Resumed(ended=[*ended], still_on=[*pauses.on()])


def _project(desk: OperationContext, asked: PauseRequest | ResumeRequest) -> ProjectId | None:
    if not asked.here and asked.project is None:
        return None
    return project_of(desk.engine, asked.folder, asked.project, may_be_new=True)


PAUSE = Operation("pause", "Captures and injects nothing until a time, or until `resume`.", PauseRequest, Paused, pause)
RESUME = Operation("resume", "Ends a pause.", ResumeRequest, Resumed, resume)
