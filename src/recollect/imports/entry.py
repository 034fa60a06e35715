"""Shared by all readers of foreign files: where a file comes from, and what becomes of each item in it.

Pure: text in, entries out, each with its line. A text is only data: no instruction in it is followed.
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

HOST = "import"  # `history` shows it as the host of imported memories
MAX_ANCHORS = 20


@dataclass(frozen=True, slots=True)
class KeptEntry:
    line: int  # or the number of the record
    draft: Draft


@dataclass(frozen=True, slots=True)
class RejectedEntry:
    """An item that was meant to be a memory and cannot be one."""

    line: int
    why: str


@dataclass(frozen=True, slots=True)
class SkippedEntry:
    """An item that is not a memory; the user may want to know that it was skipped."""

    line: int
    what: str


Entry = KeptEntry | RejectedEntry | SkippedEntry
FindsProject = Callable[[str], ProjectId]  # by the name that another tool has for it


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOrigin:
    """Facts about a file that are known before it is read."""

    name: str  # without its folder
    at: datetime  # when it was last changed: the time of items without their own
    scope: Scope  # of items without their own

    def draft(
        self, line: int, text: str, kind: Kind, *, session: str | None = None, **fields: Any
    ) -> KeptEntry | RejectedEntry:
        """Make an entry of this file; an invalid one becomes `RejectedEntry`, with its line."""
        message = MessageId(visible(f"{self.name}:{line}")[-MAX_NAME_CHARS:])
        defaults = {"at": self.at, "scope": self.scope, **fields}
        try:
            session_id = SessionId(session) if session else None
            source = Source(role=Role.IMPORT, host=HOST, message=message, session=session_id)
            return KeptEntry(line, Draft(text=text, kind=kind, source=source, **defaults))
        except InvalidValue as refusal:
            return RejectedEntry(line, str(refusal))


def title_of(text: str | None) -> str | None:
    """Return one line that fits: a memory is never refused because of its title."""
    line = visible(redact(text).text) if text else ""
    if not line:
        return None
    return line if len(line) <= MAX_TITLE_CHARS else line[: MAX_TITLE_CHARS - 1] + "…"


def is_name(text: str) -> bool:
    return text.isprintable() and 0 < len(text) <= MAX_NAME_CHARS


def anchors_of(paths: list[str]) -> tuple[Anchor, ...]:
    usable = filter(is_name, dict.fromkeys(map(str.strip, paths)))
    return tuple(map(Anchor, usable))[:MAX_ANCHORS]


def time_of(value: object) -> datetime | None:
    """Read ISO 8601, or seconds or milliseconds since 1970; None: not a usable time."""
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
