"""Measures the daemon from outside: round trips, whole hook calls, many clients at once, and memory use.

Uses real processes in a temporary home. Hook calls alternate with the processes that they are compared to, so that other
load on the machine affects all of them equally.
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count, islice, zip_longest
from pathlib import Path
from typing import Any

from bench import traffic
from bench.measure import NAME_CHARS, amount, measure, row, times
from bench.traffic import Connection, Request
from recollect import client, hook
from recollect.cli.commands.hook import arguments as hook_command
from recollect.client import Client
from recollect.paths import find_paths

ROUND_TRIPS, HOOK_CALLS = 2_000, 60
EVENTS, MORE_EVENTS, FULL_EVENTS = 1_000, 3_000, 10_000
SESSIONS_AT_ONCE, FOLDERS = 4, 5
CLIENTS, FOR_S = 32, 5.0
QUIET_S, PATIENCE_S = 2.0, 180.0
COMMAND_CALLS = 30
HELLO = "/v1/hello"
BRINGS_BLOCK = "a hook call that brings a block"
REPLY = {"type": "reply", "session": "empty", "message": "m", "text": ""}


@dataclass(frozen=True, slots=True)
class Daemon:
    process: "subprocess.Popen[bytes]"
    env: dict[str, str]
    socket: Path

    @property
    def resident_mb(self) -> float:
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024


def run(folder: Path, model: Path | None, *, full: bool = False) -> None:
    with _daemon(folder / "home", model) as daemon:
        time.sleep(QUIET_S)
        amount("memory before anything is asked", daemon.resident_mb, "MB", less_than=40)
        _round_trips(daemon)
        _hook_calls(daemon, folder / "hooked", has_model=model is not None)
        _memory(daemon, folder, FULL_EVENTS if full else MORE_EVENTS, has_model=model is not None)
        _many_at_once(daemon, folder)
        _with_mcp(daemon)
        _commands(daemon)


@contextmanager
def _daemon(home: Path, model: Path | None) -> Iterator[Daemon]:
    home.mkdir()
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "TMPDIR": str(home), "LANG": "C.UTF-8"}
    env |= client.DAEMON_OWN_ENV
    env |= {} if model is None else {"RECOLLECT_MODEL": str(model)}
    asks = Client(find_paths(env).socket)
    process = subprocess.Popen(client.DAEMON_COMMAND, env=env, cwd=home)
    try:
        row("from nothing to an answer", measure([0], lambda _: _until_up(asks)))
        yield Daemon(process, env, find_paths(env).socket)
    finally:
        asks.stop()
        process.wait(timeout=10)


def _until_up(asks: Client) -> None:
    give_up = time.monotonic() + 30
    while not asks.is_running() and time.monotonic() < give_up:
        time.sleep(0.002)


def _round_trips(daemon: Daemon) -> None:
    _round_trip(daemon, "hello", Request(path=HELLO))
    _round_trip(daemon, "an empty reply", Request(path=traffic.HOST_PATH, body=REPLY))


def _round_trip(daemon: Daemon, what: str, asked: Request) -> None:
    def reconnect_and_ask() -> None:
        with Connection(daemon.socket) as connection:
            connection.ask(asked.path, asked.body)

    with Connection(daemon.socket) as kept:
        kept.ask(asked.path, asked.body)  # the first request loads the code for it
        trips = measure(range(ROUND_TRIPS), lambda _: kept.ask(asked.path, asked.body))
        row(f"{what}: connection kept", trips, with_p99=True)
    row(f"{what}: a new connection", measure(range(ROUND_TRIPS), lambda _: reconnect_and_ask()), with_p99=True)


def _hook_calls(daemon: Daemon, project: Path, *, has_model: bool) -> None:
    """Measure whole processes, as a host runs them."""
    project.mkdir()
    whole = hook_command("script", "prompt")
    commands = {"true": ["true"], "bare Python": [*whole[:3], "-c", "pass"], "a hook call": whole, BRINGS_BLOCK: whole}
    spent_ms: dict[str, list[float]] = {name: [] for name in commands}
    late = 0
    with Connection(daemon.socket) as connection:
        connection.ask("/v1/remember", {"text": "We deploy with Helm to GKE, never by hand.", "folder": str(project)})
        _until(connection, "model", "loaded" if has_model else connection.ask("/v1/status")["model"])
    for number in range(HOOK_CALLS):
        for name, command in commands.items():
            prompt = {
                "type": "prompt",
                "session": "hooked",
                "message": "m",
                "folder": "/",
                "text": "How do we deploy?",
            }
            if name == BRINGS_BLOCK:  # nothing of it is known from an earlier call
                text = f"How do we deploy service {number} with Helm?"
                prompt |= {"session": f"hooked-{number}", "folder": str(project), "text": text}
            began = time.perf_counter()
            said = _run(command, prompt, daemon)
            spent_ms[name].append((time.perf_counter() - began) * 1000)
            if name == BRINGS_BLOCK and b"<recollect>" not in said:
                late += 1
                time.sleep(hook.QUIET_S)  # after a time-out, the next hooks would not even ask
        with Connection(daemon.socket) as connection:  # a new one: the daemon closes those that wait long
            _until(connection, "to_learn", 0)  # the next prompt of a user comes later
    measured = {name: times(spent) for name, spent in spent_ms.items()}
    bare = measured["bare Python"]
    row("true", measured["true"], bare)
    row("bare Python", bare, bare)
    row("a hook call", measured["a hook call"], bare, target_ratio=3)
    row(BRINGS_BLOCK, measured[BRINGS_BLOCK], bare, target_ratio=2.5)
    if late:
        print(f"{late} of them timed out without a block", flush=True)
    ratio = measured["a hook call"].p50_ms / measured["true"].p50_ms
    print(f"{'a hook call beside true':{NAME_CHARS}} {ratio:9.1f} times", flush=True)


def _run(command: Sequence[str], prompt: Mapping[str, str], daemon: Daemon) -> bytes:
    said = json.dumps(prompt).encode()
    return subprocess.run(command, input=said, env=daemon.env, cwd="/", stdout=subprocess.PIPE, check=True).stdout


def _commands(daemon: Daemon) -> None:
    """Measure whole commands that the daemon answers."""
    recollect = str(Path(sys.executable).with_name("recollect"))
    numbers = count()
    commands: dict[str, Callable[[], list[str]]] = {
        "bare Python": lambda: [sys.executable, "-S", "-I", "-c", "pass"],
        "recollect recall": lambda: [recollect, "recall", "how do we deploy"],
        "recollect remember": lambda: [recollect, "remember", f"Service {next(numbers)} is deployed on Fridays."],
    }
    spent_ms: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(COMMAND_CALLS):
        for name, command in commands.items():
            began = time.perf_counter()
            subprocess.run(command(), env=daemon.env, cwd=daemon.env["HOME"], stdout=subprocess.DEVNULL, check=True)
            spent_ms[name].append((time.perf_counter() - began) * 1000)
    bare = times(spent_ms.pop("bare Python"))
    for name, spent in spent_ms.items():
        row(f"{name}, answered by the daemon", times(spent), bare, target_ratio=12)


def _memory(daemon: Daemon, folder: Path, most: int, *, has_model: bool) -> None:
    """Compare memory after many events with memory after the first ones: steady growth would never end."""
    with Connection(daemon.socket) as connection:
        _until(connection, "model", "loaded" if has_model else connection.ask("/v1/status")["model"])
        amount("memory with the model", daemon.resident_mb, "MB", less_than=150)
        events = _events(folder)
        for each in islice(events, EVENTS):
            connection.ask(each.path, each.body)
        _until(connection, "to_learn", 0)
        before = daemon.resident_mb
        amount(f"memory after {EVENTS:,} events, learnt from", before, "MB", less_than=150)
        for each in islice(events, most - EVENTS):
            connection.ask(each.path, each.body)
        _until(connection, "to_learn", 0)
        after = daemon.resident_mb
        amount(f"memory after {most:,} events", after, "MB", less_than=150)
        amount("growth between them", (after / before - 1) * 100, "%", less_than=5)
        left = connection.ask("/v1/status")["to_learn"]
        if left:
            print(f"{left:,} of them were not learnt from within {PATIENCE_S:.0f} s", flush=True)


def _until(connection: Connection, name: str, value: object) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while connection.ask("/v1/status")[name] != value and time.monotonic() < give_up:
        time.sleep(0.2)


def _events(folder: Path) -> Iterator[Request]:
    """Yield events of parallel sessions in a few projects, without end."""
    folders = _projects(folder, FOLDERS)
    for first in count(step=SESSIONS_AT_ONCE):
        numbers = range(first, first + SESSIONS_AT_ONCE)
        beside = [traffic.session(f"s{number}", folders[number % FOLDERS], number) for number in numbers]
        for each in zip_longest(*beside):
            yield from filter(None, each)


def _projects(folder: Path, how_many: int) -> Sequence[str]:
    made = [folder / f"project-{number}" for number in range(how_many)]
    for project in made:
        (project / ".git").mkdir(parents=True, exist_ok=True)
    return [str(project) for project in made]


def _many_at_once(daemon: Daemon, folder: Path) -> None:
    project = _projects(folder, 1)[0]
    until = time.monotonic() + FOR_S
    spent_ms: list[float] = []

    def work(number: int) -> None:
        with Connection(daemon.socket) as connection:
            for again in count():
                for each in traffic.session(f"c{number}-{again}", project, 1_000 * number + again):
                    if time.monotonic() > until:
                        return
                    began = time.perf_counter()
                    connection.ask(each.path, each.body)
                    spent_ms.append((time.perf_counter() - began) * 1000)

    clients = [threading.Thread(target=work, args=(number,)) for number in range(CLIENTS)]
    for each in clients:
        each.start()
    for each in clients:
        each.join()
    row(f"{CLIENTS} clients at once for {FOR_S:.0f} s: one event", times(spent_ms), with_p99=True)
    amount("their events together", len(spent_ms) / FOR_S, "per second")
    amount("memory after them", daemon.resident_mb, "MB", less_than=150)


def _with_mcp(daemon: Daemon) -> None:
    """Let an MCP client list the tools, so that the daemon loads its MCP code."""
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    asked: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    command = [str(Path(sys.executable).with_name("recollect")), "mcp"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=daemon.env, cwd=daemon.env["HOME"], text=True
    ) as bridge:
        assert bridge.stdin is not None
        assert bridge.stdout is not None
        for message in asked:
            bridge.stdin.write(json.dumps(message) + "\n")
            bridge.stdin.flush()
            if "id" in message:
                bridge.stdout.readline()
        amount("memory with MCP, after all of this", daemon.resident_mb, "MB", less_than=200)
        bridge.stdin.close()
