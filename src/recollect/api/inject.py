"""One event of a session: what a model is given now. Recorded like the event of any host, and learnt from."""

import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from recollect.api.fresh_vectors import Bulk, embed_briefly
from recollect.api.learning import learn_some
from recollect.api.operation import Desk, Operation, Request
from recollect.domain.errors import StoreError
from recollect.domain.event import Asked, Event, Prompt, ToolFailed
from recollect.domain.injection import Injection
from recollect.hosts.script import event_of

LEARN_S = 5.0  # for what was just told a moment is enough


@dataclass(frozen=True, slots=True, kw_only=True)
class Inject(Request):
    event: dict[str, Any]  # in the form of the pipe; without its own `folder` and `project`, it is of this folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Injected:
    injection: Injection
    took_ms: float


def inject(desk: Desk, asked: Inject) -> Injected:
    event = _event(desk, asked)
    _catch_up(desk, event)
    injected = _answered(desk, event)
    _learn(desk)
    return injected


def rehearse(desk: Desk, asked: Inject) -> Injected:
    event = _event(desk, asked)
    _catch_up(desk, event)
    with desk.engine.rehearsing():
        return _answered(desk, event)


def _event(desk: Desk, asked: Inject) -> Event:
    is_placed = asked.event.get("folder") or asked.event.get("project")
    fields = asked.event if is_placed else {**asked.event, "folder": asked.folder}
    return event_of(fields, desk.now, host=asked.by)


def _catch_up(desk: Desk, event: Event) -> None:
    """What was taught a moment ago is found by its meaning."""
    if isinstance(event, Prompt | ToolFailed | Asked) and (loaded := desk.model()) is not None:
        embed_briefly(desk.engine, Bulk(model=loaded.model, turns=False), has_background=desk.is_resident)


def _answered(desk: Desk, event: Event) -> Injected:
    began = time.perf_counter()
    injection = desk.live.handle(event)  # where a daemon runs, its own engine: it knows what the session was told
    return Injected(injection=injection, took_ms=(time.perf_counter() - began) * 1000)


def _learn(desk: Desk) -> None:
    """From what was just told, before whoever told it looks; where much waits, the background does the rest."""
    give_up = time.perf_counter() + LEARN_S
    with suppress(StoreError):  # somebody else is at it, or the disk is full: it waits
        if desk.live.to_learn():
            desk.model()  # sentences are weighed by their meaning
        while time.perf_counter() < give_up and learn_some(desk.live):
            pass


INJECT = Operation("inject", "Answers one event of a session.", Inject, Injected, inject, writes=True)
# Never through a daemon: what is rolled back there would be rolled back for everybody.
REHEARSE = Operation("rehearse", "Answers an event and leaves no trace.", Inject, Injected, rehearse)
