"""What the readers of foreign files have in common: where a file comes from, and what becomes of each thing in it.

Pure: text in, entries out, each with its line. Whatever a text says, it is data: nothing in it is followed or obeyed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import (
    EARLIEST,
    LATEST,
    MAX_NAME_CHARS,
    MAX_TITLE_CHARS,
    Anchor,
    Draft,
    Kind,
    MessageId,
    ProjectId,
    Role,
    Scope,
    SessionId,
    Source,
)
from recollect.privacy.secrets import redact
from recollect.text.block import visible

HOST = "import"  # what `history` shows as the host of what came from a file
ANCHORS_AT_MOST = 20


@dataclass(frozen=True, slots=True)
class KeptEntry:
    line: int  # or the number of the record
    draft: Draft


@dataclass(frozen=True, slots=True)
class RejectedEntry:
    """It was meant to be a memory, and cannot be one."""

    line: int
    why: str


@dataclass(frozen=True, slots=True)
class SkippedEntry:
    """It is no memory, and somebody may want to know that it was left out."""

    line: int
    what: str


Entry = KeptEntry | RejectedEntry | SkippedEntry
NamesProject = Callable[[str], ProjectId]  # the project that another tool calls so


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOrigin:
    """What is known of a file before it is read."""

    name: str  # without its folder
    at: datetime  # when it was last changed: what does not tell its own time was said then
    scope: Scope  # where holds what does not tell its own place

    def draft(
        self, line: int, text: str, kind: Kind, *, session: str | None = None, **fields: Any
    ) -> KeptEntry | RejectedEntry:
        """Of this file; what the domain refuses is told with its line."""
        message = MessageId(visible(f"{self.name}:{line}")[-MAX_NAME_CHARS:])
        known = {"at": self.at, "scope": self.scope, **fields}
        try:
            source = Source(
                role=Role.IMPORT, host=HOST, message=message, session=SessionId(session) if session else None
            )
            return KeptEntry(line, Draft(text=text, kind=kind, source=source, **known))
        except InvalidValue as refusal:
            return RejectedEntry(line, str(refusal))


def title_of(text: str | None) -> str | None:
    """One line that fits; a title is never a reason to refuse what it stands for."""
    line = visible(redact(text).text) if text else ""
    if not line:
        return None
    return line if len(line) <= MAX_TITLE_CHARS else line[: MAX_TITLE_CHARS - 1] + "…"


def anchors_of(paths: list[str]) -> tuple[Anchor, ...]:
    """Those that can be named, each once."""
    usable = [
        path for path in dict.fromkeys(map(str.strip, paths)) if path.isprintable() and 0 < len(path) <= MAX_NAME_CHARS
    ]
    return tuple(map(Anchor, usable[:ANCHORS_AT_MOST]))


def time_of(value: object) -> datetime | None:
    """ISO 8601, or seconds or milliseconds since 1970; None: no time that can be used."""
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value.strip())
            moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            moment = datetime.fromtimestamp(value / 1000 if abs(value) > 1e11 else value, UTC)
        else:
            return None
        return moment if EARLIEST <= moment < LATEST else None
    except (ValueError, OverflowError, OSError):
        return None
