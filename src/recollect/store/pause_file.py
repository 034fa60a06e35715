"""The pauses of this user, in one small private file. What cannot be read there counts as a pause: privacy comes first.

Pauses that are over are kept too: an old session that `capture` reads may have gone on during one.
"""

import fcntl
import json
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Lock
from typing import Any

from recollect.domain.errors import InvalidValue, StoreError
from recollect.domain.memory import ProjectId
from recollect.domain.pause import UNKNOWN, Pause, PauseUnreadable

MAX_BYTES = 1_000_000
KEPT_DAYS = 400  # a little longer than the archive
KEPT = 2000
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_ADVICE = "Recollect counts as paused; `recollect resume` writes it anew."


class PauseFile:
    """Looked at each time that somebody asks, and read again once it has changed. Many threads may ask at once."""

    def __init__(self, path: Path, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._path = path
        self._clock = clock
        self._known: tuple[object, tuple[Pause, ...]] | None = None
        self._lock = Lock()

    @property
    def problem(self) -> str | None:
        try:
            self._pauses()
        except PauseUnreadable as error:
            return str(error)
        return None

    def on(self, at: datetime | None = None) -> Sequence[Pause]:
        try:
            pauses = self._pauses()
        except PauseUnreadable:
            return (UNKNOWN,)
        now = self._clock() if pauses else None
        return [one for one in pauses if now and (one.is_on(now) or (at is not None and one.has(at)))]

    def at(self, moment: datetime) -> Sequence[Pause]:
        return [pause for pause in self._pauses() if pause.has(moment)]

    def begin(self, pause: Pause) -> Pause:
        with self._alone():
            known = self._pauses()
            before = [one for one in known if one.project == pause.project and one.is_on(pause.since)]
            since = min([pause.since, *(one.since for one in before)])
            begun = Pause(since=since, until=pause.until, project=pause.project)
            self._write([*(one for one in known if one not in before), begun], pause.since)
        return begun

    def end(self, project: ProjectId | None, now: datetime) -> Sequence[Pause]:
        with self._alone():
            try:
                known = self._pauses()
            except PauseUnreadable:
                self._write([], now)
                return (UNKNOWN,)
            ended = [one for one in known if one.is_on(now) and project in (None, one.project)]
            # One that begins after now was begun before the clock was set back.
            over = [Pause(since=one.since, until=now, project=one.project) for one in ended if one.since < now]
            self._write([*(one for one in known if one not in ended), *over], now)
        return ended

    def _pauses(self) -> tuple[Pause, ...]:
        try:
            facts = os.lstat(self._path)
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise PauseUnreadable(f"{self._path} cannot be read: {error.strerror}. {_ADVICE}") from None
        stamp = (facts.st_mtime_ns, facts.st_ctime_ns, facts.st_size, facts.st_ino)
        with self._lock:
            if self._known is None or self._known[0] != stamp:
                self._known = (stamp, self._read())
            return self._known[1]

    def _read(self) -> tuple[Pause, ...]:
        try:
            descriptor = os.open(self._path, _READ)
            with os.fdopen(descriptor, "rb") as file:
                facts = os.fstat(file.fileno())
                if not stat.S_ISREG(facts.st_mode) or facts.st_uid != os.getuid() or facts.st_size > MAX_BYTES:
                    raise PauseUnreadable(f"{self._path} is not a small file of yours. {_ADVICE}")
                return tuple(map(_pause, json.loads(file.read())["pauses"]))
        except OSError as error:
            raise PauseUnreadable(f"{self._path} cannot be read: {error.strerror}. {_ADVICE}") from None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, InvalidValue):
            raise PauseUnreadable(f"{self._path} is damaged. {_ADVICE}") from None

    def _write(self, pauses: Sequence[Pause], now: datetime) -> None:
        """Complete or not at all; a link in its place is replaced, never followed."""
        oldest = now - timedelta(days=KEPT_DAYS)
        kept = sorted((one for one in pauses if one.until is None or one.until > oldest), key=lambda one: one.since)
        said = json.dumps({"pauses": [_json(pause) for pause in kept[-KEPT:]]})
        unfinished = self._path.with_name(f"{self._path.name}.part")
        try:
            unfinished.unlink(missing_ok=True)
            with os.fdopen(os.open(unfinished, _WRITE, 0o600), "w", encoding="utf-8") as file:
                file.write(said)
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(self._path)
        except OSError as error:
            raise StoreError(f"{self._path} cannot be written: {error.strerror}. Nothing was changed.") from None

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Of two who change it at once, the second sees what the first has written."""
        folder = self._path.parent
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise StoreError(f"{folder} cannot be used: {error.strerror}. Nothing was changed.") from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)


def _pause(said: dict[str, Any]) -> Pause:
    until, project = said["until"], said["project"]
    return Pause(
        since=datetime.fromisoformat(said["since"]),
        until=None if until is None else datetime.fromisoformat(until),
        project=None if project is None else ProjectId(str(project)),
    )


def _json(pause: Pause) -> dict[str, str | None]:
    until = None if pause.until is None else pause.until.isoformat()
    return {"since": pause.since.isoformat(), "until": until, "project": pause.project}
