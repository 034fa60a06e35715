"""What readers of old sessions are tried with: records as lines, and what came of them."""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, TypeVar

from recollect.domain.event import Event
from recollect.domain.transcript import TranscriptRecord
from recollect.hosts.transcript import ReportBadLine

E = TypeVar("E")
OTHERWISE = datetime(2026, 1, 1, tzinfo=UTC)  # the time of what has none


class Heard:
    """The events of a transcript, and the lines that were of no use."""

    def __init__(self, parse: Callable[..., Iterator[Event]], values: Iterable[Any], **more: Any) -> None:
        self.bad: list[tuple[int, str]] = []
        told: ReportBadLine = lambda line, why: self.bad.append((line, why))  # noqa: E731  # one line says it
        records = (TranscriptRecord(number, value) for number, value in enumerate(values, start=1))
        self.events = list(parse(records, otherwise=OTHERWISE, bad=told, **more))

    def all(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    def only(self, kind: type[E]) -> E:
        (event,) = self.all(kind)
        return event

    @property
    def kinds(self) -> list[str]:
        return [type(event).__name__ for event in self.events]
