"""Answers one event of a session with a block. The event is recorded and learnt from like that of any host."""

from dataclasses import dataclass
from typing import Any

from recollect.api.operation import Operation, Request
from recollect.domain.injection import Injection


@dataclass(frozen=True, slots=True, kw_only=True)
class Inject(Request):
    event: dict[str, Any]  # in the form of the pipe; without `folder` and `project`, this folder counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Injected:
    injection: Injection
    took_ms: float


INJECT = Operation("inject", "Answers one event of a session.", Inject, Injected, writes=True)
# Never through a daemon: its rollback would undo the work of other clients too.
REHEARSE = Operation("rehearse", "Answers an event and stores nothing.", Inject, Injected)
