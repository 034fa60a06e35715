"""One daemon per user: a lock held for life is the only truth, never a PID file. The socket lives and dies with it."""

import asyncio
import fcntl
import logging
import os
import socket
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path

import uvicorn
from starlette.applications import Starlette

from recollect import __version__, config, wiring
from recollect.client import Client
from recollect.config import Places
from recollect.daemon.app import Activity, Served, create_app
from recollect.daemon.background import Background
from recollect.daemon.settings import LiveSettings
from recollect.domain.errors import DaemonError, RecollectError

log = logging.getLogger("recollect.daemon")

LOG_BYTES = 1_000_000
LOG_FILES = 3
WATCH_S = 1.0
TIDY_S = 600.0
LOCK_WAIT_S = 3.0


def serve() -> int:
    """Run until stopped or idle. 0 also when another daemon is there already."""
    places = config.places()
    make_private_folder(places.runtime)
    make_private_folder(places.state)
    with _lock(places) as won:
        if not won:
            return 0
        _log_to(places.log)
        settings = LiveSettings(places.settings, os.environ)
        model = wiring.Model(places.model)
        with (
            wiring.open_engine(settings, places.database, model.if_loaded, resident=True) as engine,
            _listening(places) as listener,
            Background(engine, model) as background,
        ):
            activity = Activity(background.wake)
            server = _Server(settings, activity, places.socket, lambda: engine.tidy(datetime.now(UTC)))
            served = Served(
                engine=engine,
                settings_for=settings,
                model=model,
                activity=activity,
                stop=server.finish,
                environment=config.fingerprint(places, os.environ),
            )
            server.serve_app(create_app(served), listener)
    return 0


class _Server:
    """uvicorn on a socket that we own, ended by request, signal or idleness."""

    def __init__(self, settings: LiveSettings, activity: Activity, socket_path: Path, tidy: Callable[[], None]) -> None:
        self._settings = settings
        self._tidy = tidy
        self._socket_path = socket_path
        self._socket_identity = _identity(socket_path)
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
        tidied = float("-inf")
        while True:
            await asyncio.sleep(WATCH_S)
            if time.monotonic() - tidied > TIDY_S:
                await asyncio.to_thread(self._tidy_up)
                tidied = time.monotonic()
            idle_s = self._settings(None).daemon.idle_minutes * 60 or float("inf")
            if self._activity.idle_seconds() > idle_s:
                log.info("idle for %.0f s", self._activity.idle_seconds())
                self.finish()
            if _identity(self._socket_path) != self._socket_identity:
                log.warning("the socket was taken away: nobody can reach this daemon any more")
                self.finish()

    def _tidy_up(self) -> None:
        try:
            self._tidy()
        except RecollectError as error:  # a busy or full disk today is tried again later
            log.warning("tidying: %s", error.code)


def _identity(path: Path) -> tuple[int, int] | None:
    """Tells one file from another under the same name: an inode number alone is soon used again."""
    try:
        facts = path.lstat()
    except OSError:
        return None
    return facts.st_ino, facts.st_ctime_ns


@contextmanager
def _lock(places: Places) -> Iterator[bool]:
    """Whether it is ours. A holder that does not answer is about to end: it is worth a short wait."""
    descriptor = os.open(places.lock, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        yield _won(descriptor, places.socket)
    finally:
        os.close(descriptor)


def _won(descriptor: int, socket_path: Path) -> bool:
    give_up = time.monotonic() + LOCK_WAIT_S
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if Client(socket_path).is_running() or time.monotonic() > give_up:
                return False
            time.sleep(0.05)
        else:
            return True


@contextmanager
def _listening(places: Places) -> Iterator[socket.socket]:
    """Whoever holds the lock owns the path: what lies there is left over from a daemon that was killed."""
    try:
        places.socket.unlink(missing_ok=True)
    except OSError as error:
        raise DaemonError(f"{places.socket} cannot be replaced: {error.strerror}. Remove it.") from error
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o177)
    try:
        listener.bind(str(places.socket))
    finally:
        os.umask(mask)
    listener.listen(128)
    ours = _identity(places.socket)
    try:
        yield listener
    finally:
        if _identity(places.socket) == ours:  # not what somebody else may have put there meanwhile
            places.socket.unlink(missing_ok=True)
        listener.close()


def make_private_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise DaemonError(
            f"The folder {folder} cannot be made: {error.strerror}. Check owner and free space."
        ) from error
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
