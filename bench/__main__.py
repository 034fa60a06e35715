"""`make bench`: what a moment costs, beside plain yardsticks of the same run. Read the ratios: machines differ."""

import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from bench.corpus import drafts, project, prompts
from bench.measure import Times, timed
from recollect import wiring
from recollect.client import Client
from recollect.config import places
from recollect.domain.event import Prompt, SessionStarted
from recollect.domain.memory import MessageId, SessionId
from recollect.domain.settings import Settings
from recollect.engine.engine import Engine

SIZES = (1_000, 10_000)
PROJECTS = 5
NOW = datetime(2026, 2, 1, tzinfo=UTC)


def main() -> None:
    print(f"{'engine':34} {'p50 ms':>9} {'p95 ms':>9}   ratio to plain FTS5")
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            engine_at(size, Path(folder))
    print(f"\n{'processes':34} {'p50 ms':>9} {'p95 ms':>9}   ratio to bare Python")
    with tempfile.TemporaryDirectory() as folder:
        processes(Path(folder))


def engine_at(size: int, folder: Path) -> None:
    with wiring.open_engine(lambda _: Settings(), folder / "bench.db") as engine:
        began = time.perf_counter()
        for draft in drafts(size, PROJECTS):
            engine.remember(draft)
        written = size / (time.perf_counter() - began)
        print(f"{size:>6,} memories: written one by one {written:,.0f} per second, each in its own transaction")
        plain = timed(prompts(200), plain_search(folder / "plain.db", size))
        row(f"{size:>6,} memories: plain FTS5 join", plain, plain)
        row(f"{size:>6,} memories: a turn", timed(enumerate(prompts(200)), lambda p: turn(engine, *p)), plain)
        row(f"{size:>6,} memories: a session start", timed(range(50), lambda n: start(engine, n)), plain)


def turn(engine: Engine, number: int, text: str) -> None:
    session = SessionId(f"turn-{number}")
    where = project(number % PROJECTS)
    engine.handle(Prompt(session=session, at=NOW, project=where, message=MessageId("m"), text=text))


def start(engine: Engine, number: int) -> None:
    engine.handle(SessionStarted(session=SessionId(f"start-{number}"), at=NOW, project=project(number % PROJECTS)))


class plain_search:  # noqa: N801  # reads as the function that it is
    """The yardstick: the same texts in one FTS5 table, the project in a column beside it."""

    def __init__(self, path: Path, size: int) -> None:
        self._connection = sqlite3.connect(path)
        self._connection.execute("CREATE TABLE memory (n INTEGER PRIMARY KEY, project TEXT, text TEXT)")
        self._connection.execute("CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = 'porter')")
        for number, draft in enumerate(drafts(size, PROJECTS)):
            self._connection.execute("INSERT INTO memory VALUES (?, ?, ?)", (number, draft.scope.name, draft.text))
            self._connection.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (number, draft.text))
        self._connection.commit()

    def __call__(self, prompt: str) -> None:
        match = " OR ".join(f'"{word}"' for word in prompt.rstrip("?").split())
        self._connection.execute(
            "SELECT memory.text FROM words JOIN memory ON memory.n = words.rowid "
            "WHERE words MATCH ? AND memory.project = ? ORDER BY rank LIMIT 50",
            (match, project(0)),
        ).fetchall()


def processes(folder: Path) -> None:
    env = {"HOME": str(folder), "PATH": os.environ["PATH"], "TMPDIR": str(folder)}
    recollect = Path(sys.executable).with_name("recollect")

    def run(*command: str | Path) -> None:
        subprocess.run(command, env=env, cwd=folder, stdout=subprocess.DEVNULL, check=True)

    python = timed(range(15), lambda _: run(sys.executable, "-S", "-I", "-c", "pass"))
    row("bare Python", python, python)
    row("recollect remember", timed(range(15), lambda n: run(recollect, "remember", f"Fact {n} of the bench.")), python)
    row("recollect recall", timed(range(15), lambda _: run(recollect, "recall", "bench")), python)
    client = Client(places(env).socket)
    daemon = subprocess.Popen([sys.executable, "-m", "recollect.daemon"], env=env, cwd=folder)
    try:
        row("daemon: from nothing to an answer", timed([0], lambda _: until_up(client)), python)
        row("daemon: one round trip", timed(range(500), lambda _: client.get("/v1/status")), python)
    finally:
        client.stop()
        daemon.wait(timeout=10)


def until_up(client: Client) -> None:
    give_up = time.monotonic() + 30
    while not client.is_running() and time.monotonic() < give_up:
        time.sleep(0.005)
    client.get("/v1/status")


def row(name: str, times: Times, yardstick: Times) -> None:
    print(f"{name:34} {times}   {times.p50_ms / yardstick.p50_ms:6.2f}")


if __name__ == "__main__":
    main()
