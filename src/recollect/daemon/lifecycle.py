"""The life of the daemon that has the lock: open the database, listen, watch for idleness, end in time."""

import asyncio
import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from recollect import __version__, wiring
from recollect.connection import VERSION_HEADER
from recollect.daemon import log as daemon_log
from recollect.daemon.app import AppContext, create_app
from recollect.daemon.background import Background
from recollect.daemon.guard import Guard
from recollect.daemon.listening import Listeners, open_listeners
from recollect.daemon.protocol import ConnectionLimits, make_protocol
from recollect.daemon.request_queue import Activity
from recollect.daemon.settings import LiveSettings
from recollect.domain.errors import RecollectError
from recollect.engine.engine import Engine
from recollect.paths import Paths, fingerprint

log = logging.getLogger("recollect.daemon")

WATCH_INTERVAL_S = 1.0
TIDY_INTERVAL_S = 600.0
# After a session was deleted: when no request comes for MIN_QUIET_S, at the latest after MAX_TIDY_DELAY_S. It may fail,
# so there are MIN_TIDY_PAUSE_S before the next time.
MAX_TIDY_DELAY_S, MIN_QUIET_S, MIN_TIDY_PAUSE_S = 60.0, 2.0, 5.0
BOUNDS = ConnectionLimits()
GRACEFUL_SHUTDOWN_S = 2  # for running requests when it ends; uvicorn takes whole seconds
FORCED_EXIT_S = 2.8  # then the process exits, whatever still runs; SQLite loses nothing by that


def serve(places: Paths, bounds: ConnectionLimits = BOUNDS) -> int:
    """Run until stopped or idle. The caller must have the lock."""
    daemon_log.start_log(places.log)
    settings = LiveSettings(places.settings, os.environ)
    model = wiring.Model(places.model)
    activity = Activity()
    with (
        wiring.open_engine(settings, places.database, model.if_loaded, resident=True, pauses=places.pause) as engine,
        open_listeners(places, settings(None).daemon.port) as listeners,
        Background(engine, model, activity.is_calm) as background,
    ):
        activity.wake_background = background.wake
        server = _DaemonServer(settings, activity, listeners, engine)
        context = AppContext(
            engine=engine,
            model=model,
            activity=activity,
            stop=server.request_stop,
            is_ending=server.is_ending,
            environment=fingerprint(places, os.environ),
        )
        if engine.store.is_read_only:
            log.warning("the database can be read but not written: nothing is learnt", extra={"where": "database"})
        server.serve_app(Guard(create_app(context), listeners.tcp_access), bounds)
        _write_pending_events(engine)
    return 0


def _write_pending_events(engine: Engine) -> None:
    """Try once more to store the events that waited in memory for a full disk."""
    try:
        if engine.live.unwritten.events:
            from recollect.engine.learning.inbox import write_waiting_events

            write_waiting_events(engine.store, engine.live)
    except RecollectError as error:
        lost = len(engine.live.unwritten.events)
        log.error("%s: %d events are lost", error.code, lost, extra={"where": "database"})


class _DaemonServer:
    def __init__(self, settings: LiveSettings, activity: Activity, listeners: Listeners, engine: Engine) -> None:
        self._settings = settings
        self._engine = engine
        self._listeners = listeners
        self._activity = activity
        self._uvicorn: uvicorn.Server | None = None

    def request_stop(self) -> None:
        if self._uvicorn is not None:
            self._uvicorn.should_exit = True

    def is_ending(self) -> bool:
        return self._uvicorn is not None and self._uvicorn.should_exit

    def serve_app(self, app: ASGIApp, bounds: ConnectionLimits) -> None:
        self._uvicorn = _Uvicorn(
            uvicorn.Config(
                app,
                log_config=None,
                access_log=False,
                lifespan="off",
                loop="asyncio",
                http=make_protocol(bounds),
                ws="none",
                server_header=False,
                headers=[(VERSION_HEADER, __version__)],
                timeout_graceful_shutdown=GRACEFUL_SHUTDOWN_S,
            )
        )
        access = self._listeners.tcp_access
        log.info("listening, version %s%s", __version__, "" if access is None else f", 127.0.0.1:{access.port}")
        _detach_stderr()
        asyncio.run(self._run_until_stopped(self._uvicorn))
        log.info("ended after %d requests", self._activity.requests)

    async def _run_until_stopped(self, server: uvicorn.Server) -> None:
        asyncio.get_running_loop().set_exception_handler(_log_loop_error)
        watch = asyncio.create_task(self._watch())
        watch.add_done_callback(self._stop_if_watch_failed)
        try:
            await server.serve(sockets=self._listeners.sockets)
        finally:
            watch.cancel()

    def _stop_if_watch_failed(self, watch: "asyncio.Task[None]") -> None:
        """End the daemon if its watch failed: nothing else would ever end it."""
        if watch.cancelled():
            return
        error = watch.exception()
        if error is not None:
            log.error("%s at %s", type(error).__name__, daemon_log.code_places(error), extra={"where": "watch"})
            self.request_stop()

    async def _watch(self) -> None:
        tidied = float("-inf")
        while True:
            await asyncio.sleep(WATCH_INTERVAL_S)
            if self._is_time_to_tidy(time.monotonic() - tidied):
                await asyncio.to_thread(self._tidy_up)
                tidied = time.monotonic()
            if self._activity.idle_seconds() > await asyncio.to_thread(self._idle_limit_s):
                log.info("idle for %.0f s", self._activity.idle_seconds())
                self.request_stop()
            if not await asyncio.to_thread(lambda: self._engine.store.is_there):
                log.warning(
                    "the database or its log was moved or deleted: this daemon ends, the next one opens the new file"
                )
                self.request_stop()
            if not self._listeners.address_file.is_ours():
                log.warning("the socket was removed, so no client can reach this daemon: it ends")
                self.request_stop()

    def _is_time_to_tidy(self, since_s: float) -> bool:
        if since_s > TIDY_INTERVAL_S:
            return True
        return self._engine.live.needs_tidying and (
            since_s > MAX_TIDY_DELAY_S or (since_s > MIN_TIDY_PAUSE_S and self._activity.idle_seconds() > MIN_QUIET_S)
        )

    def _idle_limit_s(self) -> float:
        """Run this in a thread: a disk that hangs must not block other requests."""
        return self._settings(None).daemon.idle_minutes * 60 or float("inf")

    def _tidy_up(self) -> None:
        from recollect.engine.upkeep import tidy

        try:
            tidy(self._engine.context(None, datetime.now(UTC)))
        except (RecollectError, OSError) as error:  # a busy or full disk: tried again later
            code = error.code if isinstance(error, RecollectError) else type(error).__name__
            log.warning("%s", code, extra={"where": "tidying"})


class _Uvicorn(uvicorn.Server):
    """Ends in time. A signal works like a request to stop: answer first, then close everything."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        last = threading.Timer(FORCED_EXIT_S, os._exit, [0])
        last.daemon = True
        last.start()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self.handle_exit)
        yield  # uvicorn would raise the signal again, and the database would not be closed


def _detach_stderr() -> None:
    """The program that started us reads there why we failed to start; from now on problems go to the log."""
    if not os.isatty(2):
        nothing = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
        os.dup2(nothing, 2)
        os.close(nothing)


def _log_loop_error(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log an error of a task in the event loop without its message, which may have content in it."""
    error = context.get("exception")
    kind = "no exception" if error is None else type(error).__name__
    log.error("%s", kind, extra={"where": "event loop"})
