"""doctor: what is wrong is found, said and mended."""

import json
import os
import signal
import socket
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from recollect.store.sqlite.migrations import MIGRATIONS
from tests.mounts import needs_mounts, read_only
from tests.process.conftest import RECOLLECT, Home, refused, taught, texts, without_styles
from tests.store import previous_database


def test_a_healthy_installation_has_nothing_to_complain_about(home: Home) -> None:
    taught(home)
    report = home.json("doctor")
    assert report["healthy"] is True
    assert {"version", "settings", "folders", "database", "project", "daemon", "hooks", "opencode"} <= {
        finding["about"] for finding in report["findings"]
    }
    assert "every row matches its checksum" in home.said("doctor")


def test_doctor_names_what_is_wrong_and_what_to_do(home: Home) -> None:
    taught(home)
    home.places.database.chmod(0o644)
    home.places.settings.parent.mkdir(parents=True)
    home.places.settings.write_text("[budget]\n")
    done = home.recollect("doctor")
    assert done.returncode == 4
    assert b"did you mean 'budgets'" in done.stdout
    home.places.settings.unlink()
    done = home.recollect("doctor")
    assert done.returncode == 4
    assert b"can be read by others" in done.stdout
    assert b"every row matches its checksum" in done.stdout
    assert home.recollect("doctor", "--repair").returncode == 0
    assert home.places.database.stat().st_mode & 0o777 == 0o600


def flip(database: Path, text: bytes) -> None:
    """One byte of a text changes on the disk."""
    with sqlite3.connect(database) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    content = database.read_bytes()
    at = content.index(text)
    database.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])


def test_a_byte_that_the_disk_changed_is_found_not_shown_and_mended(home: Home) -> None:
    good, bad = taught(home, "The ledger is in Postgres."), taught(home, "Quicksilver goes to Zanzibar.")
    flip(home.places.database, b"Quicksilver goes")
    assert texts(home) == ["The ledger is in Postgres."]
    assert "is damaged on the disk" in refused(home, "show", bad)
    done = home.recollect("doctor")
    assert done.returncode == 4
    assert bad.encode() in done.stdout
    assert home.recollect("doctor", "--repair").returncode == 0
    assert home.json("doctor")["healthy"]
    (aside,) = home.places.database.parent.glob("damaged-*.jsonl")
    assert json.loads(aside.read_text())["id"] == bad
    assert texts(home) == ["The ledger is in Postgres."]
    assert home.json("show", good)["id"] == good


def test_repair_waits_for_the_daemon_to_be_stopped(home: Home) -> None:
    taught(home)
    home.said("start")
    done = home.recollect("doctor", "--repair")
    assert done.returncode == 4
    assert b"recollect stop" in done.stdout


@pytest.mark.parametrize("damage", ["truncated", "garbage", "beheaded"])
def test_a_damaged_database_is_said_and_what_can_be_read_is_saved(home: Home, damage: str) -> None:
    lines = "\n".join(json.dumps({"id": f"m{n}", "text": f"Fact {n} about {'words ' * 40}"}) for n in range(400))
    home.said("import", "-", stdin=lines.encode())
    with sqlite3.connect(home.places.database) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    content = home.places.database.read_bytes()
    half = len(content) // 2 // 4096 * 4096
    damaged = {
        "truncated": content[:half],
        "garbage": content[:half] + os.urandom(40_960) + content[half + 40_960 :],
        "beheaded": b"\0" * 100 + content[100 : half + 4096],
    }[damage]
    home.places.database.write_bytes(damaged)
    done = home.recollect("doctor")
    assert done.returncode == 4
    assert b"--repair" in done.stdout
    assert b"Traceback" not in done.stderr
    repaired = home.recollect("doctor", "--repair")
    assert (repaired.returncode, b"some rows could not be read" in repaired.stdout) == (4, True), repaired.stdout
    kept = list(home.places.database.parent.glob("*damaged-*"))
    assert kept
    assert home.json("doctor")["healthy"]
    found = home.json("list", "--limit", "1000")["memories"]
    assert all(memory["text"].startswith("Fact ") for memory in found)
    assert len(found) > 50
    taught(home, "Life goes on.")


def test_a_database_without_its_first_bytes_comes_back_whole(home: Home) -> None:
    for n in range(6):
        taught(home, f"Fact {n}.")
    with sqlite3.connect(home.places.database) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    home.places.database.write_bytes(bytes(100) + home.places.database.read_bytes()[100:])
    repaired = home.recollect("doctor", "--repair")
    assert repaired.returncode == 0, repaired.stdout
    assert len(texts(home)) == 6
    assert len(home.json("undo", "--list")["deeds"]) == 6


def test_a_damaged_file_is_kept_when_something_else_is_forgotten_and_goes_with_what_it_holds(home: Home) -> None:
    taught(home, "Quicksilver goes to Zanzibar.")
    home.places.database.write_bytes(
        b"broken" + home.places.database.read_bytes()[6:4096] + b"Quicksilver goes to Zanzibar."
    )
    home.recollect("doctor", "--repair")
    (damaged,) = home.places.database.parent.glob("*.damaged-*")
    other, again = taught(home, "Unrelated."), taught(home, "Quicksilver goes to Zanzibar.")
    home.said("forget", other, "--now", "--yes")
    assert damaged.exists()
    home.said("forget", again, "--now", "--yes")
    assert not damaged.exists()


def test_the_database_of_a_newer_version_is_refused_and_untouched(home: Home) -> None:
    taught(home)
    with sqlite3.connect(home.places.database) as connection:
        connection.execute("PRAGMA user_version = 999")
    connection.close()
    before = home.places.database.read_bytes()
    for command in (["list"], ["remember", "x"], ["recall", "x"]):
        assert "newer Recollect" in refused(home, *command)
    assert b"newer Recollect" in home.recollect("doctor", "--repair").stdout
    assert home.places.database.read_bytes() == before


@pytest.mark.parametrize("version", [8, len(MIGRATIONS)])
def test_a_database_whose_header_and_tables_are_of_different_schemas_is_mended(home: Home, version: int) -> None:
    if version < len(MIGRATIONS):
        taught(home)
    else:
        previous_database.make(home.places.database)
    with closing(sqlite3.connect(home.places.database)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    for command in (["list"], ["start"]):
        said = refused(home, *command)
        assert f"says that it is of schema {version}, but its tables" in said
        assert "recollect doctor --repair" in said
    assert b"recollect doctor --repair" in home.recollect("doctor").stdout
    home.said("doctor", "--repair")
    assert home.json("doctor")["healthy"]
    assert home.said("export").count("\n") == (1 if version < len(MIGRATIONS) else 2)
    assert len(home.json("undo", "--list")["deeds"]) == 1


def test_a_mistake_in_the_settings_is_one_problem_and_the_database_is_checked_anyway(home: Home) -> None:
    taught(home)
    home.places.settings.parent.mkdir(parents=True)
    home.places.settings.write_text("[budget]\n")
    report = json.loads(home.recollect("doctor", "--json").stdout)
    assert [f["about"] for f in report["findings"] if f["health"] == "problem"] == ["settings"]
    assert any("every row matches its checksum" in f["says"] for f in report["findings"])


def test_doctor_makes_no_database(home: Home) -> None:
    done = home.recollect("doctor")
    assert (done.returncode, b"no plugin is installed yet" in done.stdout) == (0, True)
    assert not home.places.database.exists()
    assert all(len(line) <= 80 or " " not in line[19:] for line in _lines(home.in_terminal("doctor")))


def _lines(shown: str) -> list[str]:
    return without_styles(shown).replace("\r", "").splitlines()


def test_a_port_that_is_set_and_that_the_daemon_did_not_get_is_said(home: Home) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        home.places.settings.parent.mkdir(parents=True)
        home.places.settings.write_text(f"[daemon]\nport = {taken.getsockname()[1]}\n")
        home.said("start")
        (told,) = [one for one in found(home) if one[1] == "daemon"]
    assert (told[0], "but does not" in told[2], "recollect restart" in told[3]) == ("problem", True, True)
    home.said("restart")
    assert [one for one in found(home) if one[1] == "daemon"] == []


def test_a_repair_waits_until_nobody_else_has_the_database_open(home: Home) -> None:
    taught(home)
    pipe = subprocess.Popen(
        [RECOLLECT, "pipe", "--db", str(home.places.database)],
        env=home.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert pipe.stdin is not None
    assert pipe.stdout is not None
    pipe.stdin.write(b'{"op": "search", "query": "helm"}\n')
    pipe.stdin.flush()
    pipe.stdout.readline()
    home.places.database.write_bytes(b"broken" + home.places.database.read_bytes()[6:])
    done = home.recollect("doctor", "--repair")
    assert done.returncode == 4
    assert b"Other programs have the database" in done.stdout
    pipe.communicate(timeout=10)
    assert home.recollect("doctor", "--repair").returncode == 0
    assert texts(home) == ["We deploy with Helm."]


def test_what_a_process_of_the_version_before_the_hashes_writes_is_seen(home: Home) -> None:
    memory_id = taught(home)
    with sqlite3.connect(home.places.database) as connection:
        connection.execute("UPDATE memory SET hash = ''")
    connection.close()
    assert texts(home) == ["We deploy with Helm."]
    assert home.json("doctor")["healthy"]
    home.said("doctor", "--repair")
    with sqlite3.connect(home.places.database) as connection:
        assert connection.execute("SELECT hash FROM memory WHERE id = ?", (memory_id,)).fetchone() != ("",)
    connection.close()


def found(home: Home, **env: str) -> list[tuple[str, str, str, str]]:
    """What doctor finds besides what is fine; it never fails itself."""
    done = home.recollect("doctor", "--json", stdin=b"", cwd=None, **env)
    assert done.returncode in (0, 4), done.stderr
    findings = json.loads(done.stdout)["findings"]
    return [(f["health"], f["about"], f["says"], f["advice"]) for f in findings if f["health"] != "fine"]


def test_folders_that_others_can_read_and_what_a_killed_daemon_left_are_said(home: Home) -> None:
    home.places.state.mkdir(parents=True, mode=0o700)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(home.places.socket))
    home.places.socket.chmod(0o600)
    assert [says for _, about, says, _ in found(home) if about == "daemon"] == [
        "not running; hosts start it when they need it; it then replaces the socket of a killed daemon"
    ]
    home.places.state.chmod(0o750)
    home.places.log.touch(mode=0o640)
    problems = [one for one in found(home) if one[0] == "problem"]
    assert [(about, advice) for _, about, _, advice in problems] == [
        ("privacy", f"chmod go-rwx {home.places.state}"),
        ("privacy", f"chmod go-rwx {home.places.log}"),
    ]


def test_a_python_that_is_gone_or_cannot_load_recollect_is_said_before_a_host_finds_out(home: Home) -> None:
    home.said("install", "opencode", "--project")
    assert [one for one in found(home) if one[0] == "problem"] == []
    for command, says in (
        ('{"command": ["/nowhere/python"]}', "no longer exists"),
        ('{"command": ["/bin/false"]}', "cannot load Recollect"),
        ("{", "cannot be read"),
    ):
        home.places.command.write_text(command)
        (told,) = [one for one in found(home) if one[0] == "problem"]
        assert (told[1], says in told[2], "recollect install" in told[3]) == ("hooks", True, True)


def test_a_daemon_that_hangs_or_has_another_environment_is_said(home: Home) -> None:
    taught(home)
    home.said("start")
    (told,) = [one for one in found(home, RECOLLECT_SEARCH__HITS="7") if one[1] == "daemon"]
    assert (told[0], "other RECOLLECT_ variables" in told[2]) == ("note", True)
    pid = home.client.pid()
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    (told,) = [one for one in found(home) if one[1] == "daemon"]
    assert (told[0], "gave no valid answer" in told[2], "recollect restart" in told[3]) == ("problem", True, True)
    assert "recollect restart" not in told[2]
    done = home.recollect("status")
    assert (done.returncode, f"process {pid} does not answer".encode() in done.stdout) == (1, True)
    assert json.loads(home.recollect("status", "--json").stdout)["memories"] == 1


def test_doctor_works_where_the_folder_is_gone_and_where_a_variable_is_wrong(home: Home, tmp_path: Path) -> None:
    gone = f"mkdir {tmp_path}/gone; cd {tmp_path}/gone; rmdir {tmp_path}/gone; exec {RECOLLECT} doctor"
    done = subprocess.run(["/bin/sh", "-c", gone], env=home.env, capture_output=True, timeout=30)
    assert (done.returncode, done.stdout.count(b"no longer exists")) == (4, 1)
    assert b"ok      folders" in done.stdout
    ((_, about, says, _),) = found(home, RECOLLECT_MODEL="here")
    assert (about, "RECOLLECT_MODEL is 'here'" in says) == ("settings", True)


@needs_mounts
def test_a_disk_that_is_mounted_read_only_is_said(home: Home) -> None:
    home.places.state.mkdir(parents=True, mode=0o700)
    with read_only(home.places.state):
        (told,) = [one for one in found(home) if one[0] == "problem"]
    assert (told[1], told[2]) == ("disk", f"{home.places.state} is on a disk that is mounted read-only")


@needs_mounts  # root alone can give a file away
def test_a_folder_of_another_user_is_said(home: Home) -> None:
    home.places.state.mkdir(parents=True, mode=0o700)
    os.chown(home.places.state, 65534, 65534)
    try:
        told = [one for one in found(home) if one[1] == "owner"]
    finally:
        os.chown(home.places.state, 0, 0)
    assert [f"sudo chown -R root {home.places.state}" in advice for *_, advice in told] == [True]
