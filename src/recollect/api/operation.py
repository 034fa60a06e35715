"""What can be asked of Recollect besides its moments: one operation each, the same through the daemon and without it.

An operation is a frozen request, a frozen answer, and a function between them. Whoever asks (the command line, the
viewer, a script over HTTP) never sees the engine; whoever answers never sees who asked.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from recollect.domain.errors import ModelError, StoreError
from recollect.domain.settings import Settings

if TYPE_CHECKING:  # whoever asks the daemon never loads them
    from recollect.engine.engine import Engine
    from recollect.engine.ports import Embeds

OVER_HTTP = "api"  # what the history calls whoever does not say who they are


class LoadsModel(Protocol):
    """A model that is loaded when it is first asked for."""

    problem: ModelError | None  # why there is none

    def __call__(self) -> "Embeds | None": ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What an operation works with."""

    engine: "Engine"  # with the settings of the folder where somebody asks
    live: "Engine"  # the one that the hosts' sessions are at: only it knows what they said a moment ago
    settings: Settings
    model: LoadsModel
    now: datetime
    is_resident: bool = False  # in a daemon, whose background tidies and embeds: nobody who asks waits for that


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What every request may say."""

    folder: str | None = None  # where somebody asks: names the project, and the settings that hold
    by: str = OVER_HTTP  # what the history calls them


Asks = TypeVar("Asks", bound=Request)
Answers = TypeVar("Answers")


@dataclass(frozen=True, slots=True)
class Operation(Generic[Asks, Answers]):
    name: str  # also its path: /v1/NAME
    says: str  # in a sentence
    asks: type[Asks]
    answers: type[Answers]
    run: Callable[[Desk, Asks], Answers]
    writes: bool = False
    within_s: float = 60.0  # whoever asks waits so long for the answer

    def answer(self, desk: Desk, request: Asks) -> Answers:
        """Of one that writes, what time alone brings is done afterwards too: undo windows end."""
        answer = self.run(desk, request)
        if self.writes and not desk.is_resident:
            with suppress(StoreError):  # it is done itself; what waited this long waits for the next one
                desk.engine.tidy(desk.now)
        return answer


AnyOperation = Operation[Any, Any]
