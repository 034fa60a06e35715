"""What Recollect keeps, asked as its user would, or read from the last column of its database. Changes nothing."""

import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any, TypeVar

from tests.e2e.opencode import OpenCodeMachine, Project

T = TypeVar("T")

_BLOCKS = {"injection"}  # what was sent is logged: that is its place


def status(machine: OpenCodeMachine) -> dict[str, Any]:
    done = machine.recollect("status", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def memories(project: Project) -> list[dict[str, Any]]:
    """The memories of the project, candidates too."""
    return _asked(project, "list", "--limit", "1000")["memories"]  # type: ignore[no-any-return]


def said(project: Project, query: str) -> list[dict[str, Any]]:
    """What the archive of the project finds."""
    return _asked(project, "recall", query, "--archive", "--limit", "50")["hits"]  # type: ignore[no-any-return]


def moments(project: Project, session: str) -> list[dict[str, Any]]:
    """Everything that a session's model was given, or nearly, in its order."""
    return _asked(project, "why", session, "--all")["moments"]  # type: ignore[no-any-return]


def until(ask: Callable[[], T], holds: Callable[[T], bool], *, timeout_s: float = 20) -> T:
    """Asks until it holds; fails the test when that does not come in time."""
    deadline = time.monotonic() + timeout_s
    while not holds(answer := ask()):
        assert time.monotonic() < deadline, f"still so after {timeout_s} s: {answer}"
        time.sleep(0.05)
    return answer


def settled(machine: OpenCodeMachine) -> dict[str, Any]:
    """Once the daemon has learnt from everything that it was told."""
    return until(lambda: status(machine), lambda told: told["to_learn"] == told["to_embed"] == 0)


def texts(machine: OpenCodeMachine) -> dict[str, list[str]]:
    """Every text of every table but the log of blocks: what anybody could ever be shown of it again."""
    path = machine.home / ".local/share/recollect/recollect.db"
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {name: list(_texts(database, name)) for name in names if name not in _BLOCKS}


def _texts(database: sqlite3.Connection, table: str) -> Iterator[str]:
    for row in database.execute(f'SELECT * FROM "{table}"'):
        yield from (value for value in row if isinstance(value, str))


def _asked(project: Project, *args: str) -> Any:
    done = project.machine.recollect(*args, "--json", cwd=project.path)
    assert done.returncode == 0, f"{args}: {done.stdout}{done.stderr}"
    return json.loads(done.stdout)
