"""Work in a thread of its own, for which no request waits: prepares start blocks, loads the model, learns and embeds."""

import logging
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime

from recollect.domain.errors import RecollectError
from recollect.engine.context import Context
from recollect.engine.engine import Engine
from recollect.system import lower_thread_priority, release_free_memory
from recollect.wiring import Model, prepare_to_search

log = logging.getLogger("recollect.daemon")

LOOK_S = 10.0  # other processes write too
NICENESS = 10  # of this thread only: an agent's tools come first
END_S = 1.0
PATIENCE_S, STEP_S = 1.0, 0.01
EMBEDDED_AT_ONCE = 4  # a tenth of a second if they are long
PAUSE_S = 0.02  # between two steps of a chore


class Background:
    """Loads the model at the first request: a daemon without requests needs none."""

    def __init__(self, engine: Engine, model: Model, is_calm: Callable[[], bool]) -> None:
        self._engine = engine
        self._model = model
        self._is_calm = is_calm
        self._wake = threading.Event()
        self._ending = False
        self._thread = threading.Thread(target=self._run, name="background", daemon=True)
        self._logged: dict[str, str] = {}  # the last problem of each part

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
            self._run_safely(self._learn_all)  # from events that another process stored; needs no model
        while not self._ending:
            self._wake.clear()
            self._run_safely(self._work)
            self._run_safely(self._do_chores)
            self._wake.wait(LOOK_S)

    def _run_safely(self, work: Callable[[], None]) -> None:
        try:
            work()
        except RecollectError as error:  # a busy or full disk: tried again later
            self._log_once("work", error.code)
        except Exception as error:  # noqa: BLE001  # the job loop: the thread must survive
            self._log_once("work", type(error).__name__)
        else:
            self._logged.pop("work", None)

    def _learn_all(self) -> None:
        engine = self._engine
        if engine.live.unwritten.events:
            from recollect.engine.learning.inbox import write_waiting_events

            write_waiting_events(engine.store, engine.live)
        if engine.store.count_waiting_events():
            from recollect.engine.learning.worker import learn_some  # a daemon without events loads no patterns

            prepare_to_search()
            while self._may_go_on() and learn_some(engine, limit=1):
                pass

    def _do_chores(self) -> None:
        from recollect.engine.upkeep import do_chores

        while self._may_go_on() and do_chores(self._ctx()) and not self._wake.is_set():
            pass  # at least one step each time, even if the daemon is busy

    def _work(self) -> None:
        # A daemon that was asked nothing has none of these in memory.
        from recollect.engine.learning.worker import extract_some
        from recollect.engine.moments.start import prepare_start_blocks
        from recollect.engine.upkeep import embed_some, recheck_some

        prepare_to_search()  # a session started: its first prompt must not wait for these imports
        self._learn_all()
        prepare_start_blocks(self._engine, datetime.now(UTC))
        if self._model() is None and self._model.problem is not None:
            self._log_once("model", self._model.problem.code)
        while self._may_go_on() and embed_some(self._ctx(), limit=EMBEDDED_AT_ONCE):
            if self._engine.store.count_waiting_events():  # an agent may need that soon; embedding an import can wait
                self._learn_all()
        while not self._ending and extract_some(self._engine):
            pass
        # Work left by an upgrade comes last, also after new work.
        while not self._wake.wait(PAUSE_S) and recheck_some(self._ctx()):
            pass
        release_free_memory()

    def _ctx(self) -> Context:
        return self._engine.context(None, datetime.now(UTC))

    def _may_go_on(self) -> bool:
        """Wait until no request needs the interpreter, but at most PATIENCE_S. False when the daemon ends."""
        give_up = time.monotonic() + PATIENCE_S
        while not self._ending and not self._is_calm() and time.monotonic() < give_up:
            time.sleep(STEP_S)
        return not self._ending

    def _log_once(self, part: str, problem: str) -> None:
        """Log a problem once, until the part works again: it is retried every few seconds."""
        if self._logged.get(part) != problem:
            self._logged[part] = problem
            log.warning("%s", problem, extra={"where": "background"})
