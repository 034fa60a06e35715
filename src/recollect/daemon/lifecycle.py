"""One daemon per user: a lock held for life is the only truth, never a PID file. The socket lives and dies with it."""

import asyncio
import fcntl
import logging
import os
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path

import uvicorn
from starlette.applications import Starlette

from recollect import __version__, config, wiring
from recollect.config import Places
from recollect.daemon.app import Activity, create_app
from recollect.domain.errors import DaemonError
from recollect.domain.settings import Settings

log = logging.getLogger("recollect.daemon")

LOG_BYTES = 1_000_000
LOG_FILES = 3
IDLE_CHECK_S = 1.0


def serve() -> int:
    """Run until stopped or idle. 0 also when another daemon is there already."""
    places = config.places()
    make_private_folder(places.runtime)
    make_private_folder(places.state)
    with _lock(places.lock) as won:
        if not won:
            return 0
        _log_to(places.log)
        settings = config.load(places.settings)
        with wiring.open_engine(settings, places.database) as engine, _listening(places) as listener:
            activity = Activity()
            server = _Server(settings, activity)
            server.serve_app(create_app(engine, activity, server.finish), listener)
    return 0


class _Server:
    """uvicorn on a socket that we own, ended by request, signal or idleness."""

    def __init__(self, settings: Settings, activity: Activity) -> None:
        self._idle_s = settings.daemon.idle_minutes * 60
        self._activity = activity
        self._uvicorn: uvicorn.Server | None = None

    def finish(self) -> None:
        if self._uvicorn is not None:
            self._uvicorn.should_exit = True

    def serve_app(self, app: Starlette, listener: socket.socket) -> None:
        self._uvicorn = uvicorn.Server(
            uvicorn.Config(
                app,
                log_config=None,
                access_log=False,
                lifespan="off",
                loop="asyncio",
                http="h11",
                ws="none",
                timeout_graceful_shutdown=2,
            )
        )
        log.info("listening, version %s", __version__)
        asyncio.run(self._until_done(self._uvicorn, listener))
        log.info("ended after %d requests", self._activity.requests)

    async def _until_done(self, server: uvicorn.Server, listener: socket.socket) -> None:
        watch = asyncio.create_task(self._watch())
        try:
            await server.serve(sockets=[listener])
        finally:
            watch.cancel()

    async def _watch(self) -> None:
        while self._idle_s:
            await asyncio.sleep(IDLE_CHECK_S)
            if self._activity.idle_seconds() > self._idle_s:
                log.info("idle for %.0f s", self._activity.idle_seconds())
                self.finish()


@contextmanager
def _lock(path: Path) -> Iterator[bool]:
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(descriptor)


@contextmanager
def _listening(places: Places) -> Iterator[socket.socket]:
    """Whoever holds the lock owns the path: what lies there is left over from a daemon that was killed."""
    with suppress(FileNotFoundError):
        places.socket.unlink()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o177)
    try:
        listener.bind(str(places.socket))
    finally:
        os.umask(mask)
    listener.listen(128)
    try:
        yield listener
    finally:
        with suppress(FileNotFoundError):
            places.socket.unlink()
        listener.close()


def make_private_folder(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    facts = folder.lstat()
    if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.getuid():
        raise DaemonError(f"{folder} belongs to another user, or is a link; remove it, or set XDG_STATE_HOME.")
    if facts.st_mode & 0o077:
        folder.chmod(0o700)


def _log_to(path: Path) -> None:
    handler = RotatingFileHandler(path, maxBytes=LOG_BYTES, backupCount=LOG_FILES - 1, encoding="utf-8")
    path.chmod(0o600)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    root = logging.getLogger("recollect")
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    logging.getLogger("uvicorn").addHandler(handler)
