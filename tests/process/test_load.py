"""Agents at once on one real daemon, while a large file is imported: each is answered, and all that they said is kept.

A short form; `python -m bench.load` measures the long one.
"""

import json
import random
import signal
import sqlite3
import statistics
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path

import pytest
from bench import corpus, traffic
from bench.traffic import Connection, Request

from tests.process.conftest import RECOLLECT, Home, taught
from tests.requirements import covers

pytestmark = pytest.mark.alone

FOR_S = 3.0
CLIENTS = 12
TURNS = 40  # of each session
STATUS = Request(path="/v1/status")
AT_MOST = 8.0  # times as long as without an import, in the middle of all events

Named = tuple[str, str]  # the session, and the event's name in it


class Agent:
    """One client, with one session after the other, on one connection."""

    def __init__(self, number: int, folder: Path, when: str) -> None:
        self._number, self._folder, self._when = number, folder, when
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

    def _says(self) -> Iterator[Request]:
        for again in count():
            name, seed = f"{self._when}-{self._number}-{again}", 1_000 * self._number + again
            yield from traffic.session(name, str(self._folder), seed, turns=TURNS, ends=False)
            yield STATUS


def at_once(home: Home, when: str) -> list[Agent]:
    agents = [Agent(number, home.path, when) for number in range(CLIENTS)]
    until = time.monotonic() + FOR_S
    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(lambda agent: agent.work(home.places.socket, until), agents))
    return agents


@contextmanager
def importing(home: Home) -> Iterator[None]:
    """Of far more than is read meanwhile; then it is killed."""
    chance = random.Random(5)
    lines = home.path / "lines.jsonl"
    record = {"scope": "universal", "kind": "decision"}
    lines.write_text("".join(json.dumps({**record, "text": corpus.sentence(chance, n)}) + "\n" for n in range(20_000)))
    command = [str(RECOLLECT), "import", "--no-embed", str(lines)]
    process = subprocess.Popen(command, env=home.env, cwd=home.path, stdout=subprocess.DEVNULL)
    try:
        give_up = time.monotonic() + 20
        while not has_begun(home) and time.monotonic() < give_up:
            time.sleep(0.05)
        yield
        assert process.poll() is None, "it was done before the agents were"
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def has_begun(home: Home) -> bool:
    with closing(sqlite3.connect(home.places.database)) as connection:
        return connection.execute("SELECT 1 FROM deed WHERE kind = 'import'").fetchone() is not None


def kept(home: Home) -> set[Named]:
    """What is learnt from or waits to be, as long as its session goes on."""
    with closing(sqlite3.connect(home.places.database)) as connection:
        return set(connection.execute("SELECT session, name FROM inbox"))


@covers("CAP-5", "REL-1", "IMP-1")
@pytest.mark.timeout(120)
def test_agents_are_answered_and_kept_during_an_import_which_is_undone_as_a_whole(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    taught(home, "Deployments go through Helm.", "--scope", "universal")
    home.said("start")
    alone = at_once(home, "alone")
    with importing(home):
        beside = at_once(home, "beside")
    said = [name for agent in (*alone, *beside) for name in agent.acknowledged]
    assert min(len(agent.acknowledged) for agent in (*alone, *beside)) > 0
    assert len(said) == len(set(said))
    assert set(said) <= kept(home)
    assert '"level": "error"' not in home.places.log.read_text()
    middle, middle_beside = (
        statistics.median(ms for agent in agents for ms in agent.waited_ms) for agents in (alone, beside)
    )
    with capsys.disabled():
        told = f"{middle:.0f} ms alone, {middle_beside:.0f} ms beside an import"
        print(f"\n{CLIENTS} clients, {len(said):,} events: {told}")  # noqa: T201  # also where it passes
    assert middle_beside < AT_MOST * middle

    (deed,) = [deed for deed in home.json("undo", "--list", "-n", "1000")["deeds"] if deed["kind"] == "import"]
    undone = home.json("undo")
    assert undone["undone"] == deed["deed"], "killed, it is one deed all the same"
    assert len(undone["removed"]) + len(undone["restored"]) == deed["memories"] > 0
    home.said("stop")
    assert set(said) <= kept(home)
