"""When the background may work."""

import time
from pathlib import Path

import pytest

from recollect.daemon import background
from recollect.daemon.background import Background
from recollect.daemon.request_queue import CALM_S, Activity
from recollect.store.sqlite.store import SqliteStore
from recollect.wiring import Model
from tests.flows.conftest import engine_on


def test_the_background_rests_while_somebody_waits_but_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "PATIENCE_S", 0.2)
    store, activity = SqliteStore(None), Activity()
    work = Background(engine_on(store), Model(Path("/nowhere")), activity.is_calm)
    with activity.answering():
        assert not activity.is_calm()
        began = time.monotonic()
        assert work._may_go_on()
        assert time.monotonic() - began >= 0.2
    assert not activity.is_calm(), "the next question may come at once"
    time.sleep(CALM_S * 1.5)
    began = time.monotonic()
    assert work._may_go_on()
    assert time.monotonic() - began < 0.1
    store.close()


def test_what_ends_does_not_wait_for_calm() -> None:
    store = SqliteStore(None)
    work = Background(engine_on(store), Model(Path("/nowhere")), lambda: False)
    work._ending = True
    assert not work._may_go_on()
    store.close()
