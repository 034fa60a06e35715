"""The files of the open database belong to SQLite alone: locks are never dropped, and a split is noticed."""

import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from recollect.store.sqlite.rows import MEMORY_HASHED, row_hash
from tests.process.conftest import Home, a_home, refused, taught, texts
from tests.process.test_daemon import wait_until_running
from tests.process.test_doctor import found
from tests.requirements import covers
from tests.store import previous_database
from tests.store.forgetting.victim import left_in
from tests.waiting import PATIENCE_S, wait_for

LIVE = re.compile(r'^(\d+) +open(?:at)?\((?:AT_FDCWD, )?"[^"]*/recollect\.db(?:-wal|-shm)?", (\S+)[,)]')


def log_of(home: Home) -> Path:
    return home.places.database.with_name("recollect.db-wal")


@covers("REL-1")
def test_what_is_acknowledged_after_forgetting_for_good_is_kept(home: Home) -> None:
    home.said("start")
    taught(home, "The old zone is called qwertyzone.")
    log = log_of(home).stat().st_ino
    home.said("forget", "--now", "--yes", "--match", "qwertyzone")
    home.said("list", "--direct")
    taught(home, "Beta is the second release channel.")
    assert log_of(home).stat().st_ino == log
    pid = home.client.pid()
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    assert texts(home, "--direct") == ["Beta is the second release channel."]


@covers("REL-1")
def test_the_daemon_opens_no_file_of_the_database_but_through_sqlite(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    if shutil.which("strace") is None:
        pytest.fail("strace is missing, and this test sees with it what the daemon opens: `apt install strace`.")
    with a_home(tmp_path_factory.mktemp("home")) as home:
        a_previous_one_with_something_to_purge(home.places.database)
        calls = home.path / "calls"
        seen = ["strace", "-f", "-qq", "-e", "trace=open,openat,execve", "-o", str(calls)]
        daemon = subprocess.Popen([*seen, sys.executable, "-m", "recollect.daemon"], env=home.env, cwd=home.path)
        try:
            wait_until_running(home.client)
            wait_for(lambda: not left_in(home.places.database.parent, [b"Redis"]))
            taught(home, "The quokka lives behind the marmot proxy.")
            home.said("forget", "--now", "--yes", "--match", "quokka")
            home.said("export", str(home.path / "all.jsonl"))
            home.said("import", str(home.path / "all.jsonl"))
            home.said("recall", "auth")
            home.json("doctor")
            assert not left_in(home.places.database.parent, [b"quokka", b"marmot"])
            home.said("stop")
        finally:
            daemon.wait(timeout=PATIENCE_S)
        assert list((home.places.database.parent / "backups").glob("*.db"))
        others, sqlite = opened_by(calls.read_text())
        assert len(sqlite) > 3
        assert others == []


def a_previous_one_with_something_to_purge(database: Path) -> None:
    """A backup is made when it is opened; an undo window is over, so the daemon's first look at the clock purges."""
    previous_database.make(database)
    gone = {**previous_database.REPLACED, "forgotten_ms": previous_database.AT_MS}
    with closing(sqlite3.connect(database)) as connection, connection:
        values = (gone["forgotten_ms"], row_hash(gone, MEMORY_HASHED), gone["id"])
        connection.execute("UPDATE memory SET forgotten_ms = ?, hash = ? WHERE id = ?", values)


def opened_by(calls: str) -> tuple[list[str], list[str]]:
    """What Python opened in the process itself, and what SQLite did, which never follows a link. A child has locks of
    its own."""
    others: list[str] = []
    sqlite: list[str] = []
    children: set[str] = set()
    own = calls.split(" ", 1)[0]
    for line in calls.splitlines():
        thread = line.split(" ", 1)[0]
        if " execve(" in line and thread != own:
            children.add(thread)
        match = LIVE.match(line)
        if match and match[1] not in children:
            (sqlite if "O_NOFOLLOW" in match[2] else others).append(line)
    return others, sqlite


def test_a_link_in_a_project_does_not_make_the_daemon_open_its_database(home: Home) -> None:
    home.said("start")
    taught(home)
    log = log_of(home).stat().st_ino
    planted = home.path / "planted"
    (planted / ".git").mkdir(parents=True)
    for name in (".git/config", ".git/HEAD", "AGENTS.md", ".recollect.toml"):
        (planted / name).symlink_to(home.places.database)
        home.recollect("recall", "helm", cwd=planted)
        event = {"v": 1, "hook": "session.started", "session": f"ses_{name}", "directory": str(planted), "host": "x"}
        home.recollect("hook", "script", "start", stdin=str(event).encode(), cwd=planted)
        with sqlite3.connect(home.places.database) as another:  # as a command that goes past the daemon
            another.execute("SELECT count(*) FROM memory").fetchone()
        another.close()
        assert log_of(home).stat().st_ino == log, name


def test_a_log_that_is_deleted_under_the_daemon_is_noticed_and_nothing_is_said_to_be_kept_that_is_not(
    home: Home,
) -> None:
    taught(home)
    home.said("start")
    daemon = home.client.pid()
    log_of(home).unlink()
    done = home.recollect("remember", "Never push to main on Fridays.")
    assert b"Traceback" not in done.stderr  # refused, or written by the next one if this one has ended by then
    wait_for(lambda: home.client.pid() != daemon)
    taught(home, "Deploy on Mondays.")
    assert "Deploy on Mondays." in texts(home)
    assert ("Never push to main on Fridays." in texts(home)) is (done.returncode == 0)
    assert home.json("doctor")["healthy"]


@covers("REL-1")
def test_a_database_that_is_moved_without_its_log_is_not_made_anew_and_comes_back_whole(home: Home) -> None:
    home.said("start")
    taught(home, "Gamma is kept by Redis.")
    daemon = home.client.pid()
    moved = home.places.database.with_name("moved.db")
    home.places.database.rename(moved)
    assert "was moved or deleted" in refused(home, "list")  # by the daemon, or past it if it has ended by then
    wait_for(lambda: home.client.pid() != daemon)
    for command in (("list",), ("remember", "Never push to main on Fridays."), ("data",)):
        assert "Move the database back" in refused(home, *command)
    (told,) = [one for one in found(home) if one[1] == "database"]
    assert (told[0], "Move the database back" in told[2]) == ("problem", True)
    assert "Move the database back" in home.recollect("status").stderr.decode()
    assert not home.places.database.exists()
    moved.rename(home.places.database)
    assert texts(home) == ["Gamma is kept by Redis."]
    assert home.json("doctor")["healthy"]


def test_doctor_names_a_process_that_works_on_a_deleted_log(home: Home) -> None:
    taught(home)
    script = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('SELECT 1 FROM memory').fetchone()"
    script += "; print('open', flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", script, str(home.places.database)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        assert [one for one in found(home) if one[1] == "database"] == []
        log_of(home).unlink()
        (told,) = [one for one in found(home) if one[1] == "database"]
        other.kill()
    assert (told[0], f"process {other.pid} has a deleted or replaced file open: recollect.db-wal" in told[2]) == (
        "problem",
        True,
    )
    assert f"kill -9 {other.pid}" in told[3]
    assert home.json("doctor")["healthy"]


def test_an_export_never_takes_the_place_of_the_database(home: Home) -> None:
    taught(home)
    (home.path / "link").symlink_to(home.places.database)
    for target in (home.places.database, home.path / "link", log_of(home)):
        assert "is a file of the database itself" in refused(home, "export", "--force", str(target))
    assert texts(home) == ["We deploy with Helm."]
