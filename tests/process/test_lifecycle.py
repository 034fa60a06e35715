"""One daemon, whatever races, dies or is of another version; where it is heard, and how it ends."""

import json
import os
import signal
import socket
import stat
import subprocess
from pathlib import Path

import pytest

from recollect import __version__, client
from recollect.client import Client
from recollect.domain.errors import DaemonError
from tests.mounts import needs_mounts, read_only
from tests.process.conftest import Home, refused
from tests.process.test_daemon import PROMPT, START, wait_until_running
from tests.process.versions import another_version
from tests.requirements import covers
from tests.store.forgetting.victim import left_in
from tests.waiting import wait_for

OLDER, NEWER = "0.0.9", "99.1"
ASKED = b'{"session": "s1", "messages": []}'


def lives(home: Home) -> list[str]:
    """The versions of the daemons that have listened, one after the other."""
    lines = [json.loads(line) for line in home.places.log.read_text().splitlines()]
    return [line["says"].removeprefix("listening, version ") for line in lines if "listening, version" in line["says"]]


def serves(home: Home, version: str) -> bool:
    if home.client.pid() is None:
        return False
    asked = home.client
    try:
        asked.get("/v1/status")
    except DaemonError:  # just ending
        return False
    return asked.answered_by == version


@pytest.mark.alone
@covers("REL-2")
def test_twenty_newer_starts_make_one_upgrade(home: Home, tmp_path: Path) -> None:
    older = home.daemon(**another_version(tmp_path, OLDER))
    wait_until_running(home.client)
    racers = [home.daemon() for _ in range(20)]
    assert older.wait(timeout=30) == 0
    wait_for(lambda: serves(home, __version__))
    pid = home.client.pid()
    assert [racer.wait(timeout=30) for racer in racers if racer.pid != pid] == [0] * 19
    assert home.places.lock.read_text().split() == [__version__, str(pid)]
    assert lives(home) == [OLDER, __version__]


@pytest.mark.alone
@covers("REL-2")
def test_mixed_versions_do_not_take_turns(home: Home, tmp_path: Path) -> None:
    newer = another_version(tmp_path, NEWER)
    racers = [home.daemon(**env) for _ in range(4) for env in ({}, newer)]
    wait_for(lambda: serves(home, NEWER))
    pid = home.client.pid()
    assert [racer.wait(timeout=30) for racer in racers if racer.pid != pid] == [0] * 7
    assert lives(home).count(NEWER) == 1
    assert home.json("start")["started"] is False
    assert home.client.retire_older() is False
    assert home.client.pid() == pid
    assert lives(home)[-1] == NEWER


def test_start_replaces_an_older_daemon(home: Home, tmp_path: Path) -> None:
    older = home.daemon(**another_version(tmp_path, OLDER))
    wait_until_running(home.client)
    assert home.json("start")["started"] is True
    assert older.wait(timeout=10) == 0
    assert serves(home, __version__)


@covers("REL-2")
def test_an_older_daemon_that_hangs_is_ended(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    older = home.daemon(**another_version(tmp_path, OLDER))
    wait_until_running(home.client)
    os.kill(older.pid, signal.SIGSTOP)
    monkeypatch.setattr(client, "STOP_TIMEOUT_S", 0.3)
    assert home.client.retire_older() is True
    assert older.wait(timeout=10) == -signal.SIGKILL


def test_start_does_not_take_a_daemon_that_is_just_ending_for_a_running_one(home: Home) -> None:
    home.said("start")
    ending = home.client.pid()
    home.post("/v1/stop", {})
    assert home.json("start")["started"] is True
    assert home.client.pid() not in (None, ending)


def test_restart_says_what_happened(home: Home) -> None:
    assert home.said("restart") == "The daemon was not running; it was started.\n"
    pid = home.client.pid()
    assert home.said("restart") == "The daemon was restarted.\n"
    assert home.client.pid() != pid
    assert home.json("restart") == {"running": True, "stopped": True, "pid": home.client.pid()}


def test_a_restart_with_settings_that_cannot_be_read_leaves_the_daemon_alone(home: Home) -> None:
    home.said("start")
    pid = home.client.pid()
    assert pid is not None
    assert os.getsid(pid) == pid  # not ended with the shell
    home.places.settings.parent.mkdir(parents=True)
    home.places.settings.write_text("[daemon]\nport = true\n")
    assert "daemon.port" in refused(home, "restart")
    assert home.client.pid() == pid
    home.said("stop")
    assert "daemon.port" in refused(home, "start")
    assert not home.client.is_running()


@pytest.mark.alone
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@covers("REL-2")
def test_a_signal_ends_it_after_what_is_under_way_was_answered(home: Home, number: signal.Signals) -> None:
    daemon = home.daemon()
    wait_until_running(home.client)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as raw:
        raw.settimeout(10)
        raw.connect(str(home.places.socket))
        raw.sendall(b"POST /v1/replay HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(ASKED) + ASKED[:5])
        home.client.get("/v1/status")  # by now the other one was seen too
        daemon.send_signal(number)
        wait_for(lambda: not home.client.is_running())
        raw.sendall(ASKED[5:])
        assert raw.recv(100).startswith(b"HTTP/1.1 200 ")
    assert daemon.wait(timeout=10) == 0
    assert not home.places.socket.exists()
    assert "ended after" in home.places.log.read_text()


# ---- 127.0.0.1


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def without_sockets(folder: Path) -> dict[str, str]:
    """As on a disk that keeps files but no sockets."""
    (folder / "sitecustomize.py").write_text(
        "import errno, socket\n"
        "class Socket(socket.socket):\n"
        "    def bind(self, address):\n"
        "        if isinstance(address, str):\n"
        "            raise OSError(errno.EOPNOTSUPP, 'Operation not supported')\n"
        "        super().bind(address)\n"
        "socket.socket = Socket\n"
    )
    return {"PYTHONPATH": str(folder)}


@covers("PRI-6")
def test_where_sockets_do_not_serve_it_listens_on_127_0_0_1_for_who_has_its_token(home: Home, tmp_path: Path) -> None:
    daemon = home.daemon(**without_sockets(tmp_path))
    assert wait_until_running(home.client) == daemon.pid
    assert not home.places.socket.exists()
    for file in (home.places.tcp, home.places.token):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert home.post("/v1/hosts/opencode", START)["block"] == ""
    assert home.json("status")["pid"] == daemon.pid
    assert home.json("start")["started"] is False
    assert home.json("stop")["stopped"] is True
    assert daemon.wait(timeout=10) == 0
    assert not home.places.tcp.exists()
    assert home.places.token.exists()


@covers("PRI-6")
def test_nothing_is_sent_to_the_port_of_a_daemon_that_is_gone(home: Home) -> None:
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        stranger.settimeout(0)
        home.places.tcp.parent.mkdir(parents=True)
        home.places.tcp.write_text(f"{stranger.getsockname()[1]}\nthe-token\n")
        home.places.lock.touch()
        assert not home.client.is_running()
        with pytest.raises(DaemonError, match="not running"):
            home.client.get("/v1/status")
        with pytest.raises(BlockingIOError):
            stranger.accept()
        home.places.tcp.write_text("garbage")
        assert not home.client.is_running()


def test_a_port_that_is_taken_leaves_the_socket_and_is_said(home: Home) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = home.recollect("start", RECOLLECT_DAEMON__PORT=str(taken.getsockname()[1]))
    assert done.returncode == 0
    assert home.client.port() is None
    assert "Set another [daemon] port" in home.places.log.read_text()
    (noted,) = home.client.get("/v1/status")["last_errors"]
    assert "Set another [daemon] port" in noted["code"]


def test_a_token_outlives_its_daemon_but_not_its_privacy(home: Home) -> None:
    listening = Home(home.path, home.env | {"RECOLLECT_DAEMON__PORT": str(free_port())})
    tokens = []
    for mode in (0o600, 0o644, 0o600):
        listening.said("restart")
        tokens.append(home.places.tcp.read_text().split()[1])
        home.places.token.chmod(mode)
    assert tokens[0] == tokens[1] != tokens[2]
    assert stat.S_IMODE(home.places.token.stat().st_mode) == 0o600


# ---- disks


@needs_mounts
@covers("REL-1", "REL-2")
def test_on_a_read_only_home_it_lives_in_the_temporary_folder_and_says_what_it_cannot_do(home: Home) -> None:
    home.said("remember", "We deploy with Helm.", "--scope", "universal")
    scratch = home.path.with_name(f"{home.path.name}-scratch")
    scratch.mkdir()
    there = Home(home.path, home.env | {"TMPDIR": str(scratch)})
    with read_only(home.path):
        assert there.places.runtime.parent == scratch
        assert there.recollect("start").returncode == 0
        assert stat.S_IMODE(there.places.runtime.stat().st_mode) == 0o700
        assert there.client.get("/v1/status")["memories"] == 1
        with pytest.raises(DaemonError, match="can be read but not written"):
            there.post("/v1/hosts/opencode", PROMPT)
        assert "nothing is learnt" in there.places.log.read_text()
        assert "nothing can be learnt" in there.said("status")
        assert there.json("stop")["stopped"] is True


def test_a_disk_without_locks_is_said(home: Home, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import errno, fcntl\n"
        "def flock(*_):\n"
        "    raise OSError(errno.ENOLCK, 'No locks available')\n"
        "fcntl.flock = flock\n"
    )
    daemon = subprocess.run(
        [*client.DAEMON_COMMAND], env=home.env | {"PYTHONPATH": str(tmp_path)}, capture_output=True, timeout=30
    )
    assert daemon.returncode == 1
    assert b"does not lock files (No locks available)" in daemon.stderr
    assert b"XDG_RUNTIME_DIR" in daemon.stderr


def test_a_client_whose_folder_was_never_made_finds_nobody(tmp_path: Path) -> None:
    assert Client(tmp_path / "nothing" / "daemon.sock").pid() is None


def test_soon_after_a_session_is_deleted_its_bytes_are_gone(home: Home) -> None:
    home.daemon()
    wait_until_running(home.client)
    said = {**PROMPT, "parts": [{"type": "text", "text": "The quokka deployment lives behind the marmot proxy."}]}
    for told in (START, said, {**START, "hook": "session.ended"}):
        home.post("/v1/hosts/opencode", told)
    folder = home.places.database.parent
    assert left_in(folder, [b"quokka"])
    home.post("/v1/hosts/opencode", {**START, "hook": "session.deleted"})
    wait_for(lambda: not left_in(folder, [b"quokka", b"marmot"]))
