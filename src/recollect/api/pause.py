"""Pausing and resuming. During a pause nothing is captured and nothing is injected."""

from dataclasses import dataclass

from recollect.api.operation import Operation, Request
from recollect.domain.errors import InvalidValue
from recollect.domain.pause import Pause

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


PAUSE = Operation("pause", "Captures and injects nothing until a time, or until `resume`.", PauseRequest, Paused)
RESUME = Operation("resume", "Ends a pause.", ResumeRequest, Resumed)
