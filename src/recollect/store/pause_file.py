"""The user's pauses, in one small private file. A file that cannot be read counts as a pause: privacy comes first.
Pauses that are over are kept too: `capture` may read an old session that ran during one."""

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
from recollect.domain.pause import UNKNOWN_PAUSE, Pause, PauseUnreadable

MAX_BYTES = 1_000_000
KEEP_DAYS = 400  # a little longer than the archive
MAX_PAUSES = 2000
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_ADVICE = "Recollect stays paused until you run `recollect resume`, which writes a new file."


class PauseFile:
    """Checks the file on every call and reads it again when it has changed. Thread-safe."""

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
            return (UNKNOWN_PAUSE,)
        if not pauses:
            return []
        now = self._clock()
        return [pause for pause in pauses if pause.is_on(now) or (at is not None and pause.includes(at))]

    def at(self, moment: datetime) -> Sequence[Pause]:
        return [pause for pause in self._pauses() if pause.includes(moment)]

    def begin(self, pause: Pause) -> Pause:
        with self._exclusive():
            replaced, others = [], []
            for known in self._pauses():
                if known.project == pause.project and known.is_on(pause.since):
                    replaced.append(known)
                else:
                    others.append(known)
            since = min([pause.since, *(old.since for old in replaced)])
            begun = Pause(since=since, until=pause.until, project=pause.project)
            self._write([*others, begun], pause.since)
        return begun

    def end(self, project: ProjectId | None, now: datetime) -> Sequence[Pause]:
        with self._exclusive():
            try:
                known = self._pauses()
            except PauseUnreadable:
                self._write([], now)
                return (UNKNOWN_PAUSE,)
            ended, remaining = [], []
            for pause in known:
                if not pause.is_on(now) or project not in (None, pause.project):
                    remaining.append(pause)
                    continue
                ended.append(pause)
                if pause.since < now:  # one that begins after now was begun before the clock was set back
                    remaining.append(Pause(since=pause.since, until=now, project=pause.project))
            self._write(remaining, now)
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
                    raise PauseUnreadable(
                        f"{self._path} is not a regular file, is not yours or is too large. {_ADVICE}"
                    )
                return tuple(map(_pause, json.loads(file.read())["pauses"]))
        except OSError as error:
            raise PauseUnreadable(f"{self._path} cannot be read: {error.strerror}. {_ADVICE}") from None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, InvalidValue):
            raise PauseUnreadable(f"{self._path} is damaged. {_ADVICE}") from None

    def _write(self, pauses: Sequence[Pause], now: datetime) -> None:
        """Replace the file as a whole; a link in its place is replaced, never followed."""
        oldest = now - timedelta(days=KEEP_DAYS)
        recent = [pause for pause in pauses if pause.until is None or pause.until > oldest]
        recent.sort(key=lambda pause: pause.since)
        content = json.dumps({"pauses": [_json(pause) for pause in recent[-MAX_PAUSES:]]})
        unfinished = self._path.with_name(f"{self._path.name}.part")
        try:
            unfinished.unlink(missing_ok=True)
            with os.fdopen(os.open(unfinished, _WRITE, 0o600), "w", encoding="utf-8") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(self._path)
        except OSError as error:
            raise StoreError(f"{self._path} cannot be written: {error.strerror}. Nothing was changed.") from None

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        """Lock the folder: of two processes that change the file at once, the second sees what the first wrote."""
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


def _pause(stored: dict[str, Any]) -> Pause:
    until, project = stored["until"], stored["project"]
    return Pause(
        since=datetime.fromisoformat(stored["since"]),
        until=None if until is None else datetime.fromisoformat(until),
        project=None if project is None else ProjectId(str(project)),
    )


def _json(pause: Pause) -> dict[str, str | None]:
    until = None if pause.until is None else pause.until.isoformat()
    return {"since": pause.since.isoformat(), "until": until, "project": pause.project}
