"""Work that nobody waits for, in a thread of its own: start blocks are prepared, the model is loaded, and what is kept
gets its meaning."""

import logging
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime

from recollect.api.learning import learn_some
from recollect.domain.errors import RecollectError
from recollect.engine.engine import Engine
from recollect.system import lower_thread_priority, release_free_memory
from recollect.wiring import Model, prepare_to_search

log = logging.getLogger("recollect.daemon")

LOOK_S = 10.0  # other processes write too
NICENESS = 10  # of this thread alone: an agent's tools come first
END_S = 1.0
PATIENCE_S, STEP_S = 1.0, 0.01
EMBEDDED_AT_ONCE = 4  # a tenth of a second, for long ones
PAUSE_S = 0.02  # between two steps of a chore


class Background:
    """Begins with the first request: a daemon that nobody has asked anything needs no model."""

    def __init__(self, engine: Engine, model: Model, is_calm: Callable[[], bool]) -> None:
        self._engine = engine
        self._model = model
        self._is_calm = is_calm
        self._wake = threading.Event()
        self._ending = False
        self._thread = threading.Thread(target=self._run, name="background", daemon=True)
        self._logged: dict[str, str] = {}

    def __enter__(self) -> "Background":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending = True
        self._wake.set()
        self._thread.join(END_S)

    def wake(self) -> None:
        self._wake.set()

    def _run(self) -> None:
        lower_thread_priority(NICENESS)
        while not self._wake.wait(LOOK_S) and not self._ending:
            self._run_safely(self._learn_all)  # what another process wrote down; nobody needs the model for that
        while not self._ending:
            self._wake.clear()
            self._run_safely(self._work)
            self._run_safely(self._do_chores)
            self._wake.wait(LOOK_S)

    def _run_safely(self, work: Callable[[], None]) -> None:
        try:
            work()
        except RecollectError as error:  # a busy or full disk now is tried again later
            self._log_once("work", error.code)
        except Exception as error:  # noqa: BLE001  # the job loop: one of the four places; the thread must live on
            self._log_once("work", type(error).__name__)
        else:
            self._logged.pop("work", None)

    def _learn_all(self) -> None:
        if self._engine.unwritten:
            self._engine.write_down()
        if self._engine.to_learn():
            while self._may_go_on() and learn_some(self._engine, limit=1):
                pass

    def _do_chores(self) -> None:
        while self._may_go_on() and self._engine.do_chores(datetime.now(UTC)) and not self._wake.is_set():
            pass  # a step each time, however busy it is

    def _work(self) -> None:
        prepare_to_search()  # a session began: its first prompt must not wait for it
        self._learn_all()
        self._engine.prepare(datetime.now(UTC))
        if self._model() is None and self._model.problem is not None:
            self._log_once("model", self._model.problem.code)
        while self._may_go_on() and self._engine.embed_some(limit=EMBEDDED_AT_ONCE):
            if self._engine.to_learn():  # an agent may ask for it soon; what was imported can wait
                self._learn_all()
        while not self._ending and self._engine.extract_some():
            pass
        # What an upgrade leaves to do waits for everything else, also for what comes meanwhile.
        while not self._wake.wait(PAUSE_S) and self._engine.look_again():
            pass
        release_free_memory()

    def _may_go_on(self) -> bool:
        """Between two small pieces of work: who waits for an answer has the interpreter for themselves. But not for
        ever: where there is always somebody, a piece is done all the same."""
        give_up = time.monotonic() + PATIENCE_S
        while not self._ending and not self._is_calm() and time.monotonic() < give_up:
            time.sleep(STEP_S)
        return not self._ending

    def _log_once(self, of: str, what: str) -> None:
        """Once, until it has gone well again: it is tried every few seconds."""
        if self._logged.get(of) != what:
            self._logged[of] = what
            log.warning("%s", what, extra={"where": "background"})
