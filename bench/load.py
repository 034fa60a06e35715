"""Prompts under load: many clients, an import and the embedding of ten thousand memories at once, on a real daemon.

`python -m bench.load` measures this version; `BEFORE=/other/checkout/.venv/bin/python python -m bench.load` measures
another one first, in the same run and on the same memories: read the ratio between them. `SECONDS` sets how long each
part takes (20), `ONLY=hooks` runs only the parts with this word in their names.
"""

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from bench import corpus, traffic
from bench.measure import NAME_CHARS, times, verdict
from bench.traffic import Connection, Request
from recollect import client
from recollect.client import Client
from recollect.paths import Paths, find_paths

MEMORIES, IMPORTED_LINES = 10_000, 60_000
PROJECTS = 5
DEADLINE_MS = 400.0
MANY, FEW = 32, 8
EVERY_S = 2.0
FEW_PROMPTS = 2_000
HOOK_CALLS = 40
PATIENCE_S = 60.0


@dataclass(slots=True)
class PromptLog:
    """Waiting times of the prompts of a part, and the events that the daemon must have stored."""

    waited_ms: list[float] = field(default_factory=list)
    expected: list[tuple[str, str]] = field(default_factory=list)  # session and name of each event that must be stored
    failed: int = 0  # no answer, or an error

    def ask(self, socket: Path, asked: Request) -> None:
        """Send on a new connection, as a hook does."""
        began = time.monotonic()
        try:
            with Connection(socket) as connection:
                connection.ask(asked.path, asked.body)
        except (ValueError, OSError):
            self.failed += 1
        is_prompt = asked.body is not None and asked.body["type"] == "prompt"
        if is_prompt:
            self.waited_ms.append((time.monotonic() - began) * 1000)
        if asked.name is not None:
            self.expected.append(asked.name)


@dataclass(frozen=True, slots=True)
class Stage:
    """A daemon of one version, in its own home."""

    python: Path
    home: Path
    env: dict[str, str]

    @property
    def places(self) -> Paths:
        return find_paths(self.env)

    @property
    def recollect(self) -> Path:
        return self.python.with_name("recollect")

    def folder(self, number: int) -> str:
        return str(self.home / f"project-{number % PROJECTS}")

    def missing(self, expected: list[tuple[str, str]]) -> int:
        with closing(sqlite3.connect(self.places.database, timeout=30)) as connection:
            kept = set(connection.execute("SELECT session, name FROM inbox"))
        return len(set(expected) - kept)


def run(folder: Path, model: Path | None, pythons: list[Path], *, seconds: float, only: str = "") -> None:
    lines = folder / "more.jsonl"
    lines.write_text("".join(_records(IMPORTED_LINES, seed=5, named=False)))
    seed = folder / "seed.db"
    parts: dict[str, Callable[[Stage, float], PromptLog]] = {
        f"{MANY} clients, a prompt every {EVERY_S:.0f} s": _at_intervals,
        f"{MANY} clients, back to back": _back_to_back,
        f"{FEW} clients, {FEW_PROMPTS:,} prompts back to back": _few_clients,
        f"{HOOK_CALLS} prompts through the hook": _hooks,
    }
    for name, part in parts.items():
        if only not in name:
            continue
        before: float | None = None
        for number, python in enumerate(pythons):
            with _stage(folder, python, model, seed) as stage, _importing(stage, lines):
                p99 = _show(name, python, part(stage, seconds), stage, before)
            before = p99 if number == 0 and len(pythons) > 1 else None


def _show(name: str, python: Path, log: PromptLog, stage: Stage, before: float | None) -> float:
    measured = times(log.waited_ms)
    late = sum(ms > DEADLINE_MS for ms in log.waited_ms)
    lost = stage.missing(log.expected)
    ratio = "" if before is None else f"   {measured.p99_ms / before:.2f} of before"
    print(
        f"{name:{NAME_CHARS}} {measured} p99 {measured.p99_ms:8.1f} max {max(log.waited_ms):8.1f}"
        f"   {len(log.waited_ms):,} prompts, {late} later than {DEADLINE_MS:.0f} ms, {log.failed} failed"
        f"   written down: {verdict(not lost)}{f' ({lost} of {len(log.expected):,} are not)' if lost else ''}{ratio}"
        f"   {python.parent.parent.parent.name}",
        flush=True,
    )
    return measured.p99_ms


# ---- parts


def _at_intervals(stage: Stage, seconds: float) -> PromptLog:
    return _run_clients(MANY, lambda number, log: _send_at_intervals(stage, number, log, time.monotonic() + seconds))


def _send_at_intervals(stage: Stage, number: int, log: PromptLog, until: float) -> None:
    time.sleep(EVERY_S * number / MANY)
    following = time.monotonic()
    for asked in _requests(stage, f"paced-{number}", number):
        if asked.body is not None and asked.body["type"] == "prompt":
            following += EVERY_S
            time.sleep(max(0.0, following - EVERY_S - time.monotonic()))
        if time.monotonic() > until:
            return
        log.ask(stage.places.socket, asked)


def _back_to_back(stage: Stage, seconds: float) -> PromptLog:
    until = time.monotonic() + seconds

    def work(number: int, log: PromptLog) -> None:
        for asked in _requests(stage, f"busy-{number}", 100 + number):
            if time.monotonic() > until:
                return
            log.ask(stage.places.socket, asked)

    return _run_clients(MANY, work)


def _few_clients(stage: Stage, seconds: float) -> PromptLog:
    until = time.monotonic() + 10 * seconds  # a version that hangs would never end

    def work(number: int, log: PromptLog) -> None:
        for asked in _requests(stage, f"few-{number}", 200 + number):
            if len(log.waited_ms) >= FEW_PROMPTS // FEW or time.monotonic() > until:
                return
            log.ask(stage.places.socket, asked)

    return _run_clients(FEW, work)


def _hooks(stage: Stage, seconds: float) -> PromptLog:
    """Run whole hook processes, each with its deadline, as a host does."""
    log = PromptLog()
    hook = subprocess.run(
        [stage.python, "-c", "import recollect.hook as hook; print(hook.__file__)"],
        env=stage.env,
        capture_output=True,
        check=True,
        text=True,
    ).stdout.strip()
    for number, text in enumerate(corpus.prompts(HOOK_CALLS, seed=9)):
        prompt = {"type": "prompt", "session": "hooked", "message": f"m{number}", "folder": stage.folder(0)}
        began = time.monotonic()
        subprocess.run(
            [stage.python, "-S", "-I", hook, "script", "prompt"],
            input=json.dumps({**prompt, "text": text}).encode(),
            env=stage.env,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        log.waited_ms.append((time.monotonic() - began) * 1000)
        log.expected.append(("hooked", f"prompt/m{number}"))
        time.sleep(min(0.5, seconds / HOOK_CALLS))
    give_up = time.monotonic() + 15  # events that a courier delivers arrive later
    while stage.missing(log.expected) and time.monotonic() < give_up:
        time.sleep(0.5)
    return log


def _run_clients(clients: int, work: Callable[[int, PromptLog], None]) -> PromptLog:
    each = [PromptLog() for _ in range(clients)]
    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(work, range(clients), each))
    together = PromptLog()
    for log in each:
        together.waited_ms += log.waited_ms
        together.expected += log.expected
        together.failed += log.failed
    return together


def _requests(stage: Stage, name: str, seed: int) -> Iterator[Request]:
    """Yield prompts, tools and replies of one session after another, without other requests."""
    for again in count():
        session = traffic.session(f"{name}-{again}", stage.folder(seed), 1_000 * seed + again, turns=40, ends=False)
        yield from (asked for asked in session if asked.name is not None)


# ---- the stage


@contextmanager
def _stage(folder: Path, python: Path, model: Path | None, seed: Path) -> Iterator[Stage]:
    with tempfile.TemporaryDirectory(dir=folder) as made:
        home = Path(made)
        env = {"HOME": str(home), "PATH": os.environ["PATH"], "TMPDIR": str(home), "LANG": "C.UTF-8"}
        env |= client.DAEMON_OWN_ENV
        env |= {} if model is None else {"RECOLLECT_MODEL": str(model)}
        stage = Stage(python, home, env)
        for number in range(PROJECTS):
            _repository(Path(stage.folder(number)), number)
        database = stage.places.database
        database.parent.mkdir(parents=True)
        if not seed.exists():
            _run(stage, "import", "--no-embed", "-", lines="".join(_records(MEMORIES, seed=1, named=True)))
            with closing(sqlite3.connect(database)) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            shutil.copy(database, seed)
        else:
            shutil.copy(seed, database)
        with _daemon(stage):
            yield stage


@contextmanager
def _daemon(stage: Stage) -> Iterator[None]:
    process = subprocess.Popen([stage.python, "-m", "recollect.daemon"], env=stage.env, cwd=stage.home)
    try:
        asks = Client(stage.places.socket)
        give_up = time.monotonic() + PATIENCE_S
        while not asks.is_running() and time.monotonic() < give_up:
            time.sleep(0.05)
        with Connection(stage.places.socket) as connection:  # a first session loads the model and starts the embedding
            start = {"type": "session_started", "session": "first", "folder": stage.folder(0)}
            connection.ask(traffic.HOST_PATH, start)
            while connection.ask("/v1/status")["model"] == "not loaded yet" and time.monotonic() < give_up:
                time.sleep(0.1)
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=10)
        if process.poll() is None:
            process.kill()
            process.wait()


@contextmanager
def _importing(stage: Stage, lines: Path) -> Iterator[None]:
    """Import a large file again and again meanwhile, as a user would."""
    ending = threading.Event()
    running: list[subprocess.Popen[bytes]] = []

    def work() -> None:
        while not ending.is_set():
            command = [str(stage.recollect), "import", "--no-embed", str(lines)]
            quiet = subprocess.DEVNULL
            running.append(subprocess.Popen(command, env=stage.env, cwd=stage.home, stdout=quiet, stderr=quiet))
            running[-1].wait()

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(1.0)
    try:
        yield
    finally:
        ending.set()
        running[-1].kill()
        thread.join()


def _repository(folder: Path, number: int) -> None:
    """Create a repository of the project that the memories belong to."""
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    origin = f'[remote "origin"]\n\turl = https://example.org/bench/p{number}.git\n'
    (folder / ".git" / "config").write_text(origin)


def _records(how_many: int, *, seed: int, named: bool) -> Iterator[str]:
    """`named`: with ids, as in an export; without ids, each is compared with the known ones, which takes longer."""
    chance = random.Random(seed)
    for number in range(how_many):
        text = corpus.sentence(chance, number)
        scope = f"project:{corpus.project(number % PROJECTS)}"
        record = {"text": text, "scope": scope, "kind": "decision", "time": corpus.NOW.isoformat()}
        yield json.dumps({**record, "id": f"{seed}-{number}"} if named else record) + "\n"


def _run(stage: Stage, *args: str, lines: str = "") -> None:
    subprocess.run(
        [stage.recollect, *args],
        input=lines.encode(),
        env=stage.env,
        cwd=stage.home,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )


def main() -> None:
    before = os.environ.get("BEFORE")
    pythons = [*([Path(before)] if before else []), Path(sys.executable)]
    model = find_paths().model
    with tempfile.TemporaryDirectory() as folder:
        run(
            Path(folder),
            model if model.exists() else None,
            pythons,
            seconds=float(os.environ.get("SECONDS", "20")),
            only=os.environ.get("ONLY", ""),
        )


if __name__ == "__main__":
    main()
