"""The operations of Recollect besides its moments, the same through the daemon and without it.

An operation is a frozen request, a frozen answer, and a function between them. The caller (command line, viewer, a
script over HTTP) never sees the engine; the operation never sees its caller.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from recollect.domain.errors import ModelError, StoreError
from recollect.domain.settings import Settings

if TYPE_CHECKING:  # a client of the daemon never loads these
    from recollect.engine.engine import Engine
    from recollect.engine.ports import Embeds

OVER_HTTP = "api"  # the name in the history of a caller that gives none


class LoadsModel(Protocol):
    problem: ModelError | None  # why there is none

    def __call__(self) -> "Embeds | None": ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationContext:
    engine: "Engine"  # with the settings of the caller's folder
    live: "Engine"  # the engine of the hosts' live sessions: only it knows what they said a moment ago
    settings: Settings
    model: LoadsModel
    now: datetime
    is_resident: bool = False  # True in a daemon: its background tidies and embeds, so that no caller waits for that


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    folder: str | None = None  # the caller's folder: it determines the project and the settings
    by: str = OVER_HTTP  # the caller's name in the history


RequestT = TypeVar("RequestT", bound=Request)
AnswerT = TypeVar("AnswerT")


@dataclass(frozen=True, slots=True)
class Operation(Generic[RequestT, AnswerT]):
    name: str  # also its path: /v1/NAME
    says: str  # in a sentence
    asks: type[RequestT]
    answers: type[AnswerT]
    run: Callable[[OperationContext, RequestT], AnswerT]
    writes: bool = False
    within_s: float = 60.0  # how long a client waits for the answer

    def answer(self, desk: OperationContext, request: RequestT) -> AnswerT:
        """Run it; after a write also tidy, so that ended undo windows take effect."""
        answer = self.run(desk, request)
        if self.writes and not desk.is_resident:
            with suppress(StoreError):  # the operation itself is done; the next one tidies
                desk.engine.tidy(desk.now)
        return answer


AnyOperation = Operation[Any, Any]
