"""Waits for other processes."""

import time
from collections.abc import Callable

PATIENCE_S = 30


def wait_for(what: Callable[[], object]) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while not what():
        assert time.monotonic() < give_up, "it did not come to pass"
        time.sleep(0.02)
