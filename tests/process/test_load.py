"""Thirty-two agents at once, for a minute, on one real daemon: each is answered, and all that they said is kept.

The only test that takes so long; how quick the answers were is printed, not asserted.
"""

import sqlite3
import statistics
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest
from bench import traffic
from bench.traffic import Asked, Connection

from tests.process.conftest import Home, taught
from tests.requirements import covers

pytestmark = pytest.mark.alone

FOR_S = 60.0
CLIENTS = 32
TURNS = 40  # of each session
STATUS = Asked(path="/v1/status")

Named = tuple[str, str]  # the session, and the event's name in it


class Agent:
    """One client, with one session after the other, on one connection."""

    def __init__(self, number: int, folder: Path) -> None:
        self._number, self._folder = number, folder
        self.acknowledged: list[Named] = []
        self.waited_ms: list[float] = []

    def work(self, socket: Path, until: float) -> None:
        with Connection(socket) as connection:
            for each in self._says():
                began = time.monotonic()
                if began > until:
                    return
                connection.ask(each.path, each.body)  # raises at anything but a 200
                self.waited_ms.append((time.monotonic() - began) * 1000)
                if each.name is not None:
                    self.acknowledged.append(each.name)

    def _says(self) -> Iterator[Asked]:
        for again in count():
            name, seed = f"agent-{self._number}-{again}", 1_000 * self._number + again
            yield from traffic.session(name, str(self._folder), seed, turns=TURNS, ends=False)
            yield STATUS


def kept(home: Home) -> set[Named]:
    """What is learnt from or waits to be, as long as its session goes on."""
    with closing(sqlite3.connect(home.places.database)) as connection:
        return set(connection.execute("SELECT session, name FROM inbox"))


@covers("CAP-5")
@pytest.mark.timeout(FOR_S + 120)
def test_many_agents_at_once_are_all_answered_and_nothing_they_said_is_lost(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    taught(home, "Deployments go through Helm.", "--scope", "universal")
    home.said("start")
    agents = [Agent(number, home.path) for number in range(CLIENTS)]
    until = time.monotonic() + FOR_S
    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(lambda agent: agent.work(home.places.socket, until), agents))
    said = [name for agent in agents for name in agent.acknowledged]
    assert min(len(agent.acknowledged) for agent in agents) > 0
    assert len(said) == len(set(said)) > 1_000
    assert set(said) <= kept(home)
    assert '"level": "error"' not in home.places.log.read_text()
    waited_ms = sorted(ms for agent in agents for ms in agent.waited_ms)
    with capsys.disabled():
        print(f"\n{CLIENTS} clients, {FOR_S:.0f} s: {_in_words(waited_ms)}")  # noqa: T201  # also where it passes
    home.said("stop")
    assert set(said) <= kept(home)


def _in_words(waited_ms: list[float]) -> str:
    p99 = waited_ms[int(len(waited_ms) * 0.99)]
    return f"{len(waited_ms):,} answers, p50 {statistics.median(waited_ms):.0f} ms, p99 {p99:.0f} ms"
