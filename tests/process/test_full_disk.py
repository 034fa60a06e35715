"""A disk that is full while sessions go on: nothing that was acknowledged is lost, and it is said."""

import sqlite3
import time
from contextlib import suppress
from typing import Any

from recollect.domain.errors import DaemonError
from tests.mounts import needs_mounts, small_disk
from tests.process.conftest import Home, taught, texts
from tests.requirements import covers

PATIENCE_S = 40.0


def told(home: Home, number: int, filling: str = "") -> Any:
    return home.post(
        "/v1/hosts/opencode",
        {
            "hook": "chat.message",
            "sessionID": "s1",
            "messageID": f"m{number}",
            "directory": str(home.path),
            "parts": [{"type": "text", "text": f"Please rename the table number {number}. {filling}"}],
        },
    )


def kept_messages(home: Home) -> set[str]:
    """Learnt from already, or waiting for it."""
    with sqlite3.connect(home.places.database) as connection:
        rows = connection.execute("SELECT name FROM inbox UNION SELECT message FROM turn").fetchall()
    return {name.removeprefix("prompt/") for (name,) in rows if name is not None}


@needs_mounts
@covers("CAP-5", "REL-1")
def test_what_was_acknowledged_survives_a_full_disk_and_what_was_not_is_written_when_there_is_space(home: Home) -> None:
    with small_disk(home.places.database.parent, megabytes=6) as disk:
        home.said("start")
        acknowledged = {f"m{n}" for n in range(5) if told(home, n).get("kept", True)}
        assert len(acknowledged) == 5
        disk.fill()
        waiting: set[str] = set()
        refused = []
        for n in range(5, 25):
            try:
                (acknowledged if told(home, n, "word " * 3000).get("kept", True) else waiting).add(f"m{n}")
            except DaemonError as error:  # its answer could not be logged: the host knows that it was not heard
                refused.append(str(error))
        assert waiting or refused
        assert all("Free some space" in why for why in refused), refused
        assert home.json("status")["unwritten"] >= len(waiting)
        if waiting:  # else each that found no space was refused
            assert "cannot be written" in home.said("status")
        disk.free()
        wait_until_written(home)
        assert acknowledged | waiting <= kept_messages(home), "also what was only in memory"
        assert home.said("stop")


def wait_until_written(home: Home) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while home.client.get("/v1/status")["unwritten"]:
        assert time.monotonic() < give_up
        time.sleep(0.1)


def test_a_database_that_is_deleted_under_the_daemon_takes_nothing_and_the_next_one_begins_anew(home: Home) -> None:
    taught(home)
    home.said("start")
    daemon = home.client.pid()
    for file in home.places.database.parent.glob("recollect.db*"):
        file.unlink()
    done = home.recollect("remember", "Never push to main on Fridays.")
    assert done.returncode == 0 or b"moved or deleted" in done.stderr  # the daemon may have noticed and ended by then
    give_up = time.monotonic() + PATIENCE_S
    while home.client.pid() == daemon:
        assert time.monotonic() < give_up
        time.sleep(0.05)
    home.said("remember", "Deploy on Mondays.")
    assert "Deploy on Mondays." in texts(home)
    assert ("Never push to main on Fridays." in texts(home)) is (done.returncode == 0)


@needs_mounts
def test_what_waits_in_memory_is_written_when_the_daemon_ends(home: Home) -> None:
    with small_disk(home.places.database.parent, megabytes=6) as disk:
        home.said("start")
        told(home, 0)
        disk.fill()
        for n in range(1, 10):
            with suppress(DaemonError):
                told(home, n, "word " * 3000)
        assert home.client.get("/v1/status")["unwritten"]
        disk.free()
        home.said("stop")
        assert {f"m{n}" for n in range(10)} <= kept_messages(home)
