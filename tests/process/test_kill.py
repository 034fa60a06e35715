"""Four processes write, and again and again one of them is killed: what was acknowledged is kept."""

import json
import random
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.process.conftest import RECOLLECT, Home
from tests.requirements import covers

pytestmark = pytest.mark.alone

WRITERS = 4
FOR_S = 6.0


class Writer:
    """A process that remembers one sentence after the other, and a list of those that it has acknowledged."""

    def __init__(self, home: Home, database: Path, name: str) -> None:
        self._home, self._database, self._name = home, database, name
        self._done = threading.Event()
        self.acknowledged: list[str] = []
        self.killed = 0
        self._process = self._start()
        self._thread = threading.Thread(target=self._write)
        self._thread.start()

    def kill(self) -> None:
        self.killed += 1
        self._process.kill()

    def finish(self) -> None:
        self._done.set()
        self._thread.join(timeout=30)
        self._process.kill()
        self._process.wait(timeout=10)

    def _start(self) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [RECOLLECT, "pipe", "--db", str(self._database)],
            env=self._home.env,
            cwd=self._home.path,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def _write(self) -> None:
        number = 0
        while not self._done.is_set():
            number += 1
            text = f"Fact {number} of writer {self._name} about the ledger."
            with suppress(OSError, ValueError):
                assert self._process.stdin is not None
                assert self._process.stdout is not None
                self._process.stdin.write(json.dumps({"op": "remember", "memories": [{"text": text}]}) + "\n")
                self._process.stdin.flush()
                answer = self._process.stdout.readline()
                if answer.endswith("\n"):
                    assert json.loads(answer)["outcomes"] == ["new"], answer
                    self.acknowledged.append(text)
                    continue
            if not self._done.is_set():  # killed: another one takes its place
                self._process.wait(timeout=10)
                self._process = self._start()


@contextmanager
def writers(home: Home, database: Path) -> Iterator[list[Writer]]:
    started = [Writer(home, database, str(number)) for number in range(WRITERS)]
    try:
        yield started
    finally:
        for writer in started:
            writer.finish()


@covers("REL-1")
def test_killed_at_any_moment_no_acknowledged_write_is_lost(home: Home) -> None:
    chance = random.Random(7)
    home.said("remember", "The first one.")
    with writers(home, home.places.database) as started:
        until = time.monotonic() + FOR_S
        while time.monotonic() < until:
            time.sleep(chance.uniform(0.1, 0.4))  # long enough for a new process to begin to write
            chance.choice(started).kill()
    acknowledged = {text for writer in started for text in writer.acknowledged}
    kept = {json.loads(line)["text"] for line in home.said("export").splitlines()}
    assert sum(writer.killed for writer in started) > 5
    assert len(acknowledged) > 100
    assert acknowledged <= kept
    report = home.json("doctor")
    assert report["healthy"], report
