import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from recollect.client import Client
from recollect.daemon.lock import make_private_folder
from recollect.domain.errors import DaemonError
from tests.process.conftest import Home
from tests.requirements import covers

START = {"hook": "session.start", "sessionID": "s1", "directory": "/"}
PROMPT = {
    "hook": "chat.message",
    "sessionID": "s1",
    "messageID": "m1",
    "directory": "/",
    "parts": [{"type": "text", "text": "How do we deploy with Helm?"}],
}


def wait_until_running(client: Client) -> int:
    give_up = time.monotonic() + 20
    while time.monotonic() < give_up:
        pid = client.pid()
        if pid is not None:
            return pid
        time.sleep(0.02)
    raise AssertionError("the daemon did not come up")


def test_start_status_stop_and_again(home: Home) -> None:
    assert home.recollect("status").returncode == 3
    assert home.json("start")["started"] is True
    assert home.json("start")["started"] is False
    status = home.json("status")
    assert (status["running"], status["memories"], status["pid"]) == (True, 0, home.client.pid())
    assert "version" in home.said("status")
    assert home.json("stop")["stopped"] is True
    assert home.json("stop")["stopped"] is False
    assert not home.places.socket.exists()


@covers("PRI-6")
def test_socket_lock_and_log_are_for_their_user_alone(home: Home) -> None:
    home.said("start")
    for folder in {home.places.runtime, home.places.state}:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for file in (home.places.socket, home.places.lock, home.places.log):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file


def test_a_folder_of_another_user_is_never_trusted(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.said("start")
    monkeypatch.setattr(os, "getuid", lambda: 4242)
    with pytest.raises(DaemonError, match="belongs to another user"):
        home.client.pid()
    with pytest.raises(DaemonError, match="belongs to another user"):
        make_private_folder(home.places.runtime)
    monkeypatch.undo()
    assert home.client.is_running()


@covers("REL-2")
def test_twenty_racing_starts_leave_one_daemon(home: Home) -> None:
    racers = [home.daemon() for _ in range(20)]
    pid = wait_until_running(home.client)
    losers = [racer for racer in racers if racer.pid != pid]
    assert [racer.wait(timeout=20) for racer in losers] == [0] * 19
    assert home.client.pid() == pid
    assert home.client.stop()
    (winner,) = (racer for racer in racers if racer.pid == pid)
    assert winner.wait(timeout=10) == 0


@covers("REL-2")
def test_a_killed_daemon_leaves_a_socket_that_the_next_one_takes_over(home: Home) -> None:
    home.said("start")
    pid = home.client.pid()
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    wait_until_gone(home.client)
    assert home.places.socket.exists()
    assert home.recollect("status").returncode == 3
    assert home.json("start")["started"] is True
    assert home.client.pid() != pid


def wait_until_gone(client: Client) -> None:
    give_up = time.monotonic() + 10
    while client.is_running() and time.monotonic() < give_up:
        time.sleep(0.02)
    assert not client.is_running()


@covers("REL-2")
def test_a_daemon_that_is_just_being_killed_is_started_anew(home: Home) -> None:
    home.said("start")
    for _ in range(5):
        pid = home.client.pid()
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        home.said("start")


def test_a_hung_daemon_is_said_and_can_be_stopped(home: Home) -> None:
    home.said("start")
    pid = home.client.pid()
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(DaemonError, match="did not answer within"):
        home.client.get("/v1/status", timeout_s=0.3)
    assert home.json("stop")["stopped"] is True


@covers("REL-2")
def test_a_daemon_without_work_ends_by_itself(home: Home) -> None:
    daemon = home.daemon(RECOLLECT_DAEMON__IDLE_MINUTES="0.001")
    assert daemon.wait(timeout=20) == 0
    assert not home.places.socket.exists()


def test_a_daemon_survives_the_shell_that_started_it_and_holds_nothing_of_it(home: Home) -> None:
    read, write = os.pipe()
    os.set_inheritable(write, True)
    subprocess.run(
        ["setsid", "sh", "-c", "recollect start >/dev/null 2>&1"],
        env=home.env | {"PATH": f"{Path(sys.executable).parent}:{home.env['PATH']}"},
        close_fds=False,
        check=True,
        timeout=30,
    )
    os.close(write)
    os.set_blocking(read, False)
    assert os.read(read, 1) == b""  # end of file: nobody else has it open
    os.close(read)
    pid = home.client.get("/v1/hello")["pid"]
    assert [Path(f"/proc/{pid}/fd/{number}").readlink() for number in range(3)] == [Path(os.devnull)] * 3


def test_a_daemon_that_is_asked_to_stop_is_gone_when_stop_returns(home: Home) -> None:
    home.said("start")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as slow:
        slow.connect(str(home.places.socket))
        slow.sendall(b"POST /v1/replay HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")
        home.said("stop")
        assert home.json("start")["started"] is True


def test_a_daemon_whose_socket_was_taken_away_ends_and_the_next_one_serves(home: Home) -> None:
    daemon = home.daemon()
    wait_until_running(home.client)
    home.places.socket.unlink()
    home.places.socket.write_text("in the way")
    assert daemon.wait(timeout=20) == 0
    assert home.json("start")["started"] is True


def test_start_says_that_a_daemon_hangs(home: Home) -> None:
    home.said("start")
    pid = home.client.pid()
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    done = home.recollect("start")
    assert (done.returncode, b"did not answer" in done.stderr) == (1, True)


def test_a_folder_that_cannot_be_made_is_said(home: Home) -> None:
    (home.path / ".local").write_text("a file")
    done = home.recollect("start")
    assert done.returncode == 1
    assert b"cannot be created" in done.stderr


def test_settings_that_cannot_be_read_are_said_in_the_log(home: Home) -> None:
    home.places.settings.parent.mkdir(parents=True)
    home.places.settings.write_text("[daemom]\n")
    done = home.recollect("start")
    assert done.returncode == 1
    assert b"did you mean 'daemon'" in done.stderr
    assert "did you mean 'daemon'" in home.places.log.read_text()


def test_a_taught_sentence_comes_back_through_the_daemon(home: Home) -> None:
    home.said("remember", "We deploy with Helm.", "--kind", "research", "--scope", "universal")
    home.said("remember", "Always use tabs.", "--kind", "preference", "--scope", "universal")
    assert home.recollect("start", RECOLLECT_START__FACTS="0").returncode == 0  # facts are left to the turns
    start = home.post("/v1/hosts/opencode", START)
    assert "Always use tabs." in start["block"]
    turn = home.post("/v1/hosts/opencode", PROMPT)
    assert "We deploy with Helm." in turn["block"]
    asked = {"session": "s1", "messages": ["m1", "m2"]}
    assert home.post("/v1/replay", asked) == {"blocks": {}}
    assert home.post("/v1/sent", asked) == {}
    assert home.post("/v1/replay", asked) == {"blocks": {"m1": turn["block"]}}


def test_a_request_in_absolute_form_is_the_same_request(shared_home: Home) -> None:
    """As some clients send it when a proxy is set in their environment."""
    assert shared_home.client.get("http://localhost/v1/status")["memories"] == 0


def test_one_prompt_asked_by_many_at_once_gets_one_answer(home: Home) -> None:
    home.said("remember", "We deploy with Helm.", "--kind", "research", "--scope", "universal")
    home.said("start")
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: home.post("/v1/hosts/opencode", PROMPT), range(8)))
    assert "We deploy with Helm." in answers[0]["block"]
    assert answers == [answers[0]] * 8


def test_the_daemon_is_not_given_the_keys_of_the_shell(home: Home) -> None:
    assert home.recollect("start", OPENAI_API_KEY="sk-nothing", RECOLLECT_DAEMON__IDLE_MINUTES="5").returncode == 0
    environ = Path(f"/proc/{home.client.pid()}/environ").read_bytes()
    assert b"OPENAI" not in environ
    assert b"RECOLLECT_DAEMON__IDLE_MINUTES=5" in environ


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        ("/v1/hosts/emacs", {}, "no host 'emacs'"),
        ("/v1/hosts/opencode", {}, "`hook`"),
        ("/v1/hosts/opencode", [1], "JSON object"),
        ("/v1/hosts/opencode", START | {"sessionID": "\ud800"}, "The session"),
        ("/v1/hosts/opencode", START | {"directory": "/a\x00b"}, "cannot be used"),
        ("/v1/replay", {"session": "\ud800", "messages": []}, "The id"),
        ("/v1/wake", {}, "`folder` is missing or not a text. This takes `folder`"),
        ("/v1/wake", {"folder": "/" + "a" * 5000}, "cannot be used"),
        ("/v1/replay", {"session": 3}, "This takes"),
        ("/v1/replay", {"session": "s", "messages": [1]}, "This takes"),
    ],
)
def test_bad_requests_are_answered_and_the_daemon_goes_on(
    shared_home: Home, path: str, body: object, message: str
) -> None:
    before = shared_home.client.get("/v1/status")
    with pytest.raises(DaemonError, match=message):
        shared_home.post(path, body)
    after = shared_home.client.get("/v1/status")
    assert (after["pid"], after["requests"]) == (before["pid"], before["requests"] + 2)


@pytest.mark.parametrize(
    "sent",
    [
        b"POST /v1/replay HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n{{{{",
        b"POST /v1/replay HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n\r\n" + b"x" * 9_000_000,
        b"not http at all\r\n\r\n",
        b"POST /v1/replay HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",  # and then hangs up
    ],
)
def test_garbage_on_the_socket_does_not_end_the_daemon(shared_home: Home, sent: bytes) -> None:
    pid = shared_home.client.pid()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as raw:
        raw.settimeout(5)
        raw.connect(str(shared_home.places.socket))
        with suppress(OSError):  # it hung up on us, which is an answer
            raw.sendall(sent)
    assert shared_home.client.get("/v1/status")["memories"] == 0
    assert shared_home.client.pid() == pid


def test_the_log_has_no_content(home: Home) -> None:
    home.said("remember", "We deploy with Helm.", "--scope", "universal")
    home.said("start")
    home.post("/v1/hosts/opencode", PROMPT)
    with pytest.raises(DaemonError):
        home.post("/v1/hosts/opencode", PROMPT | {"parts": "Helm"})
    home.said("stop")
    log = home.places.log.read_text()
    assert "listening" in log
    assert "bad_request" in log
    assert "Helm" not in log


def test_a_method_that_is_not_offered_is_refused(shared_home: Home) -> None:
    with pytest.raises(DaemonError):
        shared_home.client.get("/v1/stop")
    assert shared_home.client.is_running()


def test_an_answer_that_came_too_late_was_never_shown(home: Home) -> None:
    """A hook that had to end before it: what it was told nobody has seen, so it is told again."""
    home.said("remember", "We deploy with Helm.", "--kind", "research", "--scope", "universal")
    home.said("start")
    event = {"type": "prompt", "session": "late", "folder": "/", "text": "How do we deploy with Helm?"}
    body = json.dumps(event | {"message": "m1"}).encode()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as hook:
        hook.connect(str(home.places.socket))
        hook.sendall(b"POST /v1/hosts/script HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
    assert [sent["confirmed"] for sent in logged_of(home, "late")] == [False]
    again = home.post("/v1/hosts/script", event | {"message": "m2"})
    assert "We deploy with Helm." in again["block"]
    assert home.post("/v1/hosts/script", event | {"message": "m3"}) == {}


def logged_of(home: Home, session: str) -> Any:
    """As soon as there is something."""
    give_up = time.monotonic() + 20
    while time.monotonic() < give_up:
        with suppress(DaemonError):  # nobody has heard of it yet
            return home.post("/v1/why", {"session": session, "every": True})["log"]
        time.sleep(0.02)
    raise AssertionError(f"nothing is logged of {session}")
