"""The daemon's log: one JSON object per line, rotating, for its user only. The last problems are in memory too.

A line has the place and the kind of a problem, never content: of an unexpected error, its type and places in our code.
"""

import errno
import json
import logging
import os
import traceback
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime
from io import FileIO, TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from recollect.privacy.secrets import redact

MAX_BYTES = 1_000_000
FILES = 3
LAST = 10
# Problems that any user of this machine can cause a thousand times a second: refused requests, and invalid HTTP.
OUTSIDE = ("guard", "connection", "uvicorn.error")
OUTSIDE_S = 10.0  # between two lines of the same kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """A problem since this daemon started."""

    at: datetime
    where: str  # a route, or a part of the daemon
    code: str


_last: deque[Noted] = deque(maxlen=LAST)
_last_outside: dict[str, Noted] = {}  # the last of each kind; they displace nothing in _last


def last_errors() -> tuple[Noted, ...]:
    return tuple(sorted([*_last, *_last_outside.values()], key=lambda noted: noted.at))


def start_log(path: Path) -> None:
    """Send our log and uvicorn's to this file. If it cannot be written, problems are only kept in memory."""
    logging.raiseExceptions = False  # a full disk must not cause a second problem
    handlers: list[logging.Handler] = [_LastProblems(logging.WARNING)]
    try:
        file = _PrivateFile(path, maxBytes=MAX_BYTES, backupCount=FILES - 1, encoding="utf-8")
        file.addFilter(_RateLimit())
        handlers.append(file)
    except OSError as error:
        why = "it is a link; remove it" if error.errno == errno.ELOOP else type(error).__name__
        _last.append(Noted(at=datetime.now(UTC), where="log", code=why))
    for name, level in (("recollect", logging.INFO), ("uvicorn", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.setLevel(level)
        for handler in handlers:
            handler.setFormatter(_JsonLines())
            logger.addHandler(handler)


def code_places(error: BaseException) -> str:
    """Return where an error was raised, not its message, which may have content in it."""
    frames = traceback.extract_tb(error.__traceback__)
    return " > ".join(f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames)


class _PrivateFile(RotatingFileHandler):
    def _open(self) -> TextIOWrapper:
        how = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(self.baseFilename, how, 0o600)
        os.fchmod(descriptor, 0o600)
        return TextIOWrapper(FileIO(descriptor, "a"), encoding=self.encoding, write_through=True)


class _RateLimit(logging.Filter):
    """Lets one line of each kind from outside pass in OUTSIDE_S, with the number of those left out before it."""

    def __init__(self) -> None:
        super().__init__()
        self._kinds: dict[str, tuple[float, int]] = {}  # when it was last logged, and how often it was left out since

    def filter(self, record: logging.LogRecord) -> bool:
        if not _is_from_outside(record):
            return True
        kind = record.getMessage()
        logged_at, left_out = self._kinds.get(kind, (float("-inf"), 0))
        if 0 <= record.created - logged_at < OUTSIDE_S:
            self._kinds[kind] = (logged_at, left_out + 1)
            return False
        self._kinds[kind] = (record.created, 0)
        record.left_out = left_out
        return True


class _JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, str | int] = {
            "at": _at(record).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "where": _where(record),
            "says": redact(record.getMessage().strip()).text,
        }
        if getattr(record, "left_out", 0):
            line["left_out"] = record.left_out  # type: ignore[attr-defined]  # set by the filter
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            line |= {"error": type(error).__name__, "places": code_places(error)}
        return json.dumps(line, ensure_ascii=False)


class _LastProblems(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        message = record.getMessage().strip() if error is None else type(error).__name__
        code, *_ = redact(message).text.splitlines() or [""]
        noted = Noted(at=_at(record), where=_where(record), code=code)
        if _is_from_outside(record):
            _last_outside[code] = noted
        else:
            _last.append(noted)


def _is_from_outside(record: logging.LogRecord) -> bool:
    return _where(record) in OUTSIDE and not record.exc_info  # an exception is our own mistake


def _at(record: logging.LogRecord) -> datetime:
    return datetime.fromtimestamp(record.created, UTC)


def _where(record: logging.LogRecord) -> str:
    """Return the route or part (`extra={"where": ...}`), or the name of the logger."""
    return str(getattr(record, "where", record.name))
