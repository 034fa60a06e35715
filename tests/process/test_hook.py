"""The hook, as a host runs it: whatever it meets, it exits with 0, complains nowhere, prints an answer or nothing."""

import fcntl
import json
import os
import re
import shlex
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from recollect import hook
from tests.mounts import needs_mounts, read_only
from tests.process.conftest import Home
from tests.process.hook_stage import (
    HOOK,
    PROMPT,
    START,
    Server,
    begun,
    call,
    dribbling,
    eventually,
    hanging_after,
    hook_command,
    hooks_of,
    in_place_of_the_daemon,
    installed,
    noted,
    saying,
    serving,
    whole,
)
from tests.process.versions import another_version
from tests.requirements import covers

pytestmark = pytest.mark.alone  # the hook and the daemon have their real deadlines here

BLOCK = b'{"block": "<recollect>"}'
ANOTHER = next((path for path in ("/usr/bin/python3",) if Path(path).exists()), sys.executable)  # Python than ours
START_BYTES = json.dumps(START).encode()
LATE = b"\r\nRecollect-Late: 1\r\n"
PATIENT = "start"  # the moment with the longest deadline, where only the answer matters: this machine may be busy


def in_time(daemon: Server) -> list[bytes]:
    """What it was asked by a hook, not by a courier."""
    return [request for request in daemon.requests if LATE not in request]


# ---- what is asked, and what is printed


def test_the_event_is_sent_as_it_came_and_the_answer_printed_as_it_is(home: Home) -> None:
    with in_place_of_the_daemon(home, saying(whole(BLOCK))) as daemon:
        assert call(home, "script", PATIENT, stdin=b'{"text": "\xff"}') == BLOCK + b"\n"
    (request,) = daemon.requests
    head, _, body = request.partition(b"\r\n\r\n")
    assert head.startswith(b"POST /v1/hosts/script HTTP/1.1\r\nHost: localhost\r\n")
    assert b"\r\nConnection: close" in head
    assert body == b'{"text": "\xff"}'


@pytest.mark.parametrize("body", [b"{}", b" { \n} "])
def test_where_there_is_nothing_to_say_nothing_is_printed(home: Home, body: bytes) -> None:
    with in_place_of_the_daemon(home, saying(whole(body))) as daemon:
        assert call(home, "script", PATIENT) == b""
    assert len(daemon.requests) == 1
    assert not (home.places.state / "hook.log").exists()


@covers("INJ-10")
@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"", "incomplete"),
        (b"hello\r\n\r\n", "not HTTP"),
        (whole(BLOCK)[:-4], "incomplete"),
        (b"HTTP/1.1 200 OK\r\n\r\n" + BLOCK, "no length"),
        (whole(b'{"block": "' + b"x" * 5_000_000 + b'"}'), "too long"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 5_000_000, "too long"),
        (whole(b'{"error": {"code": "internal"}}', status="500 Internal Server Error"), "500"),
        (whole(b"[1]"), "not a JSON object"),
        (whole(b"<html>"), "not a JSON object"),
    ],
    ids=["nothing", "no HTTP", "half", "no length", "5 MB", "5 MB of headers", "500", "list", "HTML"],
)
def test_an_answer_that_is_none_is_not_printed_and_noted(home: Home, answer: bytes, why: str) -> None:
    with in_place_of_the_daemon(home, saying(answer)):
        assert call(home, "script", PATIENT) == b""
    assert why in noted(home)
    assert "Helm" not in noted(home)


@covers("INJ-10")
@pytest.mark.parametrize(
    "answer", [hanging_after(b""), hanging_after(whole(BLOCK)[:-4]), dribbling(whole(BLOCK + b" " * 10_000))]
)
def test_after_a_daemon_that_was_too_slow_the_next_hooks_ask_nothing(home: Home, answer: object) -> None:
    with in_place_of_the_daemon(home, answer) as daemon:  # type: ignore[arg-type]
        assert [call(home, "script", "prompt"), call(home, "script", "tool")] == [b"", b""]
    assert len(in_time(daemon)) == 1
    assert noted(home).count("too long") == 1


def test_the_silence_after_a_time_out_ends(home: Home) -> None:
    with in_place_of_the_daemon(home, saying(whole(BLOCK))) as daemon:
        marker = home.places.runtime / os.fsdecode(hook.TIMED_OUT)
        marker.touch()
        assert call(home, "script", "prompt") == b""
        assert eventually(lambda: hooks_of(home) == []), "its courier brought it"
        assert in_time(daemon) == []
        os.utime(marker, (0, 0))
        call(home, "script", "prompt")
        assert len(in_time(daemon)) == 1


@covers("INJ-10")
def test_a_session_start_asks_a_daemon_that_was_late_and_ends_the_silence(home: Home) -> None:
    with in_place_of_the_daemon(home, saying(whole(BLOCK))):
        marker = home.places.runtime / os.fsdecode(hook.TIMED_OUT)
        marker.touch()
        assert call(home, "script", "start") == BLOCK + b"\n"
        assert not marker.exists()


# ---- what the host gives it


@pytest.mark.parametrize("arguments", [[], ["a/b"], ["script", "a\r\nb"], ["x" * 50]])
def test_what_is_no_name_of_a_host_is_never_sent(home: Home, arguments: list[str]) -> None:
    with in_place_of_the_daemon(home, saying(whole(BLOCK))) as daemon:
        assert call(home, *arguments) == b""
    assert daemon.requests == []
    assert "the name of a host" in noted(home)


def test_what_is_nothing_or_far_too_much_is_never_sent(home: Home) -> None:
    with in_place_of_the_daemon(home, saying(whole(BLOCK))) as daemon:
        assert call(home, "script", PATIENT, stdin=b" \n") == b""
        assert call(home, "script", PATIENT, stdin=b"x" * 10_000_000) == b""  # all of it is read: the host can go on
    assert daemon.requests == []
    assert noted(home).count("\n") == 2


@covers("INJ-10")
def test_a_standard_input_that_is_never_closed_ends_the_hook_at_its_deadline(home: Home) -> None:
    with in_place_of_the_daemon(home, saying(whole(BLOCK))) as daemon:
        blocked = {"preexec_fn": lambda: signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])}
        for options in ({}, blocked):
            with begun(home, "script", "prompt", **options) as hung:
                assert hung.stdin is not None
                hung.stdin.write(b'{"type": ')
                hung.stdin.flush()
                assert hung.wait(timeout=20) == 0
                assert hung.stdout is not None
                assert hung.stdout.read() == b""
    assert daemon.requests == []
    assert noted(home).count("reading: it took too long") == 2


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_hook_that_is_ended_exits_with_0_and_prints_nothing(home: Home, number: signal.Signals) -> None:
    with in_place_of_the_daemon(home, hanging_after(b"")) as daemon, begun(home, "script", "start") as hook_:
        assert hook_.stdin is not None
        hook_.stdin.write(START_BYTES)
        hook_.stdin.close()
        hook_.stdin = None
        assert eventually(lambda: len(daemon.requests) == 1)
        hook_.send_signal(number)
        assert hook_.communicate(timeout=20) == (b"", b"")
        assert hook_.returncode == 0


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", "| true"])
def test_a_host_that_closes_its_ends_is_not_told(home: Home, closed: str) -> None:
    line = f"{shlex.join(hook_command('script', 'prompt'))} {closed}; echo ${{PIPESTATUS[0]}} >{home.path}/code"
    with in_place_of_the_daemon(home, saying(whole(BLOCK))):
        command = ["bash", "-c", line]
        done = subprocess.run(command, input=b"{1}", env=home.env, capture_output=True, timeout=20)
    assert done.stderr == b""
    assert (home.path / "code").read_text() == "0\n"


def test_a_folder_that_nobody_may_look_into_ends_the_hook_all_the_same(home: Home) -> None:
    """From a folder that is gone, nothing can be asked about a path that is not whole."""
    gone = home.path / "gone"
    gone.mkdir()
    line = f"rmdir {gone}; exec {shlex.join(hook_command('script', 'prompt'))}"
    env = {"HOME": "nowhere"}
    done = subprocess.run(["bash", "-c", line], input=b"{1}", env=env, cwd=gone, capture_output=True, timeout=20)
    assert (done.returncode, done.stdout) == (0, b"")


def test_a_log_that_is_a_pipe_holds_nobody_up(home: Home) -> None:
    home.places.state.mkdir(parents=True)
    os.mkfifo(home.places.state / "hook.log")
    assert call(home, "script", "prompt", stdin=b"") == b""


@covers("INJ-10")
def test_a_daemon_that_takes_no_connection_is_one_that_hangs(home: Home) -> None:
    home.places.runtime.mkdir(mode=0o700, parents=True)
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as first:
        listener.bind(str(home.places.socket))
        listener.listen(0)
        first.connect(str(home.places.socket))  # the only place in its line
        assert call(home, "script", "prompt") == b""
        assert (home.places.runtime / os.fsdecode(hook.TIMED_OUT)).exists()
    assert "asking: it took too long" in noted(home)


def test_without_a_home_nothing_happens(home: Home) -> None:
    command = [sys.executable, "-S", "-I", str(HOOK), "script", "prompt"]
    for env in ({}, {"HOME": "/dev/null/none"}, {"HOME": "nowhere"}):
        env |= {"TMPDIR": str(home.path), "XDG_STATE_HOME": "/dev/null/none"}
        done = subprocess.run(command, input=b"{1}", env=env, cwd=home.path, capture_output=True, timeout=20)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_log_is_private_and_does_not_grow_without_end(home: Home) -> None:
    home.places.state.mkdir(parents=True)
    log = home.places.state / "hook.log"
    log.write_text("x" * (hook.MAX_LOG_BYTES + 1))
    call(home, "script", "prompt", stdin=b"")
    assert noted(home).endswith("script prompt: reading: standard input was empty\n")
    assert noted(home).count("\n") == 1
    log.unlink()
    call(home, "script", "prompt", stdin=b"")
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


# ---- a daemon that has to be started, or replaced


def test_an_absent_daemon_is_started_once_detached_and_without_the_keys_of_the_host(home: Home) -> None:
    installation = installed(home)
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    given = {"OPENAI_API_KEY": "sk-nothing", "RECOLLECT_DAEMON__IDLE_MINUTES": "5"}
    assert installation.call("script", "prompt", **given) == b""
    assert eventually(lambda: len(installation.starts()) == 1)
    assert installation.call("script", "prompt") == b""
    (facts,) = installation.starts()
    os.close(reading)
    os.close(writing)
    assert facts["open"] == {"0": "/dev/null", "1": "/dev/null", "2": "/dev/null"}
    assert (facts["folder"], facts["leads"]) == ("/", True)
    assert facts["environment"]["RECOLLECT_DAEMON__IDLE_MINUTES"] == "5"
    assert "OPENAI_API_KEY" not in facts["environment"]


def test_a_daemon_that_does_not_come_up_is_not_waited_for_again(home: Home) -> None:
    installation = installed(home)
    home.places.state.mkdir(parents=True)
    assert [installation.call("script", "start") for _ in range(3)] == [b""] * 3
    assert len(installation.starts()) == 1
    assert "did not start" in noted(home)


@pytest.mark.parametrize(("version", "replaced"), [("0.0.1", 1), (hook.VERSION, 0), ("99.0.0", 0), ("?", 0)])
def test_an_older_daemon_answers_and_is_replaced_once(home: Home, version: str, replaced: int) -> None:
    installation = installed(home)
    answers = [whole(BLOCK, version=version), whole(b"{}", status="400 Bad Request", version=version)]
    with in_place_of_the_daemon(home, lambda connection: connection.sendall(answers.pop())):
        assert [installation.call("script", PATIENT) for _ in range(2)] == [b"", BLOCK + b"\n"]
    assert (home.places.runtime / os.fsdecode(hook.REPLACED)).exists() == bool(replaced)
    assert eventually(lambda: len(installation.starts()) == replaced)


# ---- what happens while no daemon runs


@covers("REL-2")
def test_what_happens_while_no_daemon_runs_reaches_the_next_one_in_its_order(home: Home) -> None:
    home.said("remember", "We deploy with Helm.", "--kind", "research", "--scope", "universal")
    session = {"session": "s1", "folder": str(home.path)}
    events = {
        "prompt": PROMPT | session,
        "reply": session | {"type": "reply", "message": "m2", "text": "Helm it is.", "final": True},
        "end": session | {"type": "session_ended", "notes": ["next: write the rollback page"]},
    }
    for moment, event in events.items():
        assert call(home, "script", moment, stdin=json.dumps(event).encode()) == b""
    start = json.dumps(START | {"session": "s2", "folder": str(home.path)}).encode()
    assert eventually(lambda: hooks_of(home) == [])
    assert home.client.get("/v1/status")["requests"] == 4  # with this one
    assert b"write the rollback page" in call(home, "script", "start", stdin=start)
    again = json.dumps(PROMPT | session | {"message": "m3"}).encode()
    assert b"We deploy with Helm." in call(home, "script", PATIENT, stdin=again)  # nobody saw it the first time
    assert noted(home).count("no daemon was running") == 3
    kept = [path for path in home.places.runtime.rglob("hook.*") if b"Helm" in path.read_bytes()]
    assert kept == []


def test_couriers_go_one_after_the_other_and_say_that_they_are_late(home: Home) -> None:
    installation = installed(home)
    sent = [json.dumps(PROMPT | {"message": f"m{number}"}).encode() for number in range(5)]
    for event in sent:
        assert installation.tell("prompt", event) == b""
    with in_place_of_the_daemon(home, saying(whole(BLOCK))) as daemon:
        assert eventually(lambda: hooks_of(home) == [])
    heads, bodies = zip(*(request.split(b"\r\n\r\n") for request in daemon.requests), strict=True)
    assert list(bodies) == sent
    assert all(b"\r\nRecollect-Late: 1\r\n" in head for head in heads)


def test_a_courier_has_nothing_of_the_host_and_ends_by_itself(home: Home) -> None:
    installation = installed(home, COURIER_S="1.0")
    command = hook_command("script", "prompt", python=str(installation.python), script=installation.script)
    line = f"{shlex.join(command)} 7</dev/zero >&-"
    subprocess.run(["bash", "-c", line], input=START_BYTES, env=home.env, cwd=home.path, check=True, timeout=20)
    (courier,) = [Path(f"/proc/{pid}") for pid in hooks_of(home)]
    place = str(home.places.runtime / "hook.courier-0")
    assert eventually(lambda: sorted(map(os.readlink, (courier / "fd").iterdir())) == ["/dev/null"] * 3 + [place])
    assert (courier / "cwd").readlink() == Path("/")
    assert eventually(lambda: hooks_of(home) == [])


def test_there_are_only_so_many_couriers(home: Home) -> None:
    installation = installed(home, MAX_COURIERS="2")
    home.places.state.mkdir(parents=True)
    assert [installation.call("script", "prompt") for _ in range(3)] == [b""] * 3
    assert len(hooks_of(home)) == 2
    assert "too many events wait" in noted(home)
    with in_place_of_the_daemon(home, saying(whole(BLOCK))) as daemon:
        assert eventually(lambda: hooks_of(home) == [])
    assert len(daemon.requests) == 2


# ---- where the daemon is


def test_a_folder_that_is_not_ours_is_not_trusted(home: Home) -> None:
    with in_place_of_the_daemon(home, saying(whole(BLOCK))) as daemon:
        home.places.runtime.rename(home.path / "elsewhere")
        home.places.runtime.symlink_to(home.path / "elsewhere")
        assert call(home, "script", "prompt") == b""
    assert daemon.requests == []


def test_a_daemon_without_a_socket_is_asked_by_tcp_while_it_lives(home: Home) -> None:
    installation = installed(home)
    runtime = home.places.runtime
    runtime.mkdir(mode=0o700, parents=True)
    with socket.socket() as listener, serving(listener, saying(whole(BLOCK))) as daemon:
        port = listener.getsockname()[1]
        (runtime / "daemon.tcp").write_text(f"{port}\nsecret\n")
        (runtime / "daemon.lock").touch()
        assert installation.call("script", "prompt") == b""
        assert daemon.requests == []  # nobody has the lock: the port may be anybody's
        with (runtime / "daemon.lock").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            assert installation.call("script", PATIENT) == BLOCK + b"\n"
            assert eventually(lambda: len(daemon.requests) == 2), "the courier of the first one was as careful"
        _, request = sorted(daemon.requests, key=lambda request: LATE not in request)
        assert all(LATE in one for one in daemon.requests if one is not request)
        assert f"\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer secret\r\n".encode() in request


# ---- with the real daemon


@covers("CAP-5", "INJ-10")
def test_what_a_busy_daemon_does_not_take_in_time_is_brought_by_couriers(home: Home) -> None:
    home.said("start")
    home.said("remember", "We deploy with Helm.")

    def written() -> set[str]:
        with closing(sqlite3.connect(home.places.database)) as connection:
            return {name for (name,) in connection.execute("SELECT name FROM inbox ORDER BY n")}

    with closing(sqlite3.connect(home.places.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")  # somebody writes, and takes long
        for number in range(3):  # the first asks in vain, the others do not even ask
            assert call(home, "script", "prompt", stdin=json.dumps(PROMPT | {"message": f"m{number}"}).encode()) == b""
        assert written() == set()
        other.execute("ROLLBACK")
    assert eventually(lambda: written() == {f"prompt/m{number}" for number in range(3)})
    assert eventually(lambda: hooks_of(home) == [])
    assert "it took too long; the event is delivered later" in noted(home)


@covers("INJ-10")
def test_a_session_begins_with_its_block_though_no_daemon_was_there(home: Home) -> None:
    home.said("remember", "We deploy with Helm.", "--kind", "research", "--scope", "universal")
    home.said("remember", "Always use tabs.", "--kind", "preference", "--scope", "universal")
    quiet = {"RECOLLECT_START__FACTS": "0"}  # facts are left to the turns
    start = json.loads(call(home, "script", "start", stdin=START_BYTES, env=quiet))
    assert "Always use tabs." in start["block"]
    assert home.client.is_running()
    home.post("/v1/hosts/script", PROMPT | {"session": "s0"})  # the first prompt of all loads what the rest use
    turn = json.loads(call(home, "script", PATIENT, python=ANOTHER))
    assert "We deploy with Helm." in turn["block"]
    assert turn.keys() == {"block", "tokens", "ids", "placement"}
    for event in ({"type": "asked", "query": "Helm"}, {"type": "compacting"}):
        assert b"Helm" in call(home, "script", PATIENT, stdin=json.dumps(event | {"session": "s1"}).encode())
    for stdin in (b"{", b"[]", b'{"type": "\xff"}', b"null"):
        assert call(home, "script", PATIENT, stdin=stdin) == b""
    assert call(home, "emacs", PATIENT) == b""
    assert noted(home).count("the daemon answered 400") == 5


def test_hooks_outlive_a_daemon_that_is_killed_and_one_that_hangs(home: Home) -> None:
    home.said("remember", "Always use tabs.", "--kind", "preference", "--scope", "universal")
    assert call(home, "script", "prompt", stdin=START_BYTES) == b""  # it does not wait for a daemon
    assert eventually(home.client.is_running)
    assert b"tabs" in call(home, "script", "start", stdin=START_BYTES)
    pid = home.client.pid()
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    assert eventually(lambda: not home.client.is_running())
    assert b"tabs" in call(home, "script", "start", stdin=START_BYTES)
    pid = home.client.pid()
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    assert call(home, "script", "prompt") == b""
    os.kill(pid, signal.SIGCONT)
    assert call(home, "script", "prompt") == b""  # for some seconds nothing is asked
    assert b"tabs" in call(home, "script", "start", stdin=START_BYTES), "a start is asked for all the same"
    assert eventually(lambda: hooks_of(home) == []), "couriers have brought both"


@covers("REL-2")
def test_a_hook_uses_the_answer_of_an_older_daemon_and_leaves_one_of_its_own_version(home: Home) -> None:
    home.said("remember", "Always use tabs.", "--kind", "preference", "--scope", "universal")
    older = home.daemon(**another_version(home.path, "0.0.1"))
    assert eventually(home.client.is_running)
    assert b"tabs" in call(home, "script", PATIENT, stdin=START_BYTES)
    assert older.wait(timeout=20) == 0
    assert eventually(home.client.is_running)
    newer = home.client.pid()
    assert b"tabs" in call(home, "script", PATIENT, stdin=START_BYTES)
    assert home.client.get("/v1/hello")["version"] == hook.VERSION
    assert home.client.pid() == newer


def test_a_daemon_that_a_hook_has_started_has_nothing_of_the_host(home: Home) -> None:
    def host() -> None:
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])

    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    command = [sys.executable, "-S", "-I", str(HOOK), "script", "start"]
    subprocess.run(command, input=START_BYTES, env=home.env, close_fds=False, check=True, timeout=20, preexec_fn=host)
    os.close(writing)
    os.set_blocking(reading, False)
    assert os.read(reading, 1) == b""  # end of file: nobody else has it open
    os.close(reading)
    facts = Path(f"/proc/{home.client.pid()}/status").read_text()
    signals = {name: int(value, 16) for name, value in re.findall(r"^(Sig\w+):\s+([0-9a-f]+)$", facts, re.MULTILINE)}
    assert signals["SigBlk"] == 0
    assert not signals["SigIgn"] & 1 << (signal.SIGCHLD - 1)


@needs_mounts
def test_a_state_folder_that_cannot_be_written_is_no_matter_for_the_host(home: Home) -> None:
    home.said("remember", "Always use tabs.", "--kind", "preference", "--scope", "universal")
    home.places.state.mkdir(parents=True)
    with read_only(home.places.state):
        assert home.places.runtime.parent == home.path  # the temporary folder of this home
        assert b"tabs" in call(home, "script", "start", stdin=START_BYTES)
        call(home, "script", "prompt", stdin=b"")
        assert "standard input was empty" in (home.places.log.parent / "hook.log").read_text()
        assert home.client.stop()


# ---- the command that says it


def test_the_command_for_a_host_is_whole_and_runs(home: Home) -> None:
    command = home.json("hook", "script", "start")
    assert command == hook_command("script", "start")
    assert shlex.split(home.said("hook", "script")) == command[:-1]
    with in_place_of_the_daemon(home, saying(whole(BLOCK))):
        done = subprocess.run(command, input=json.dumps(PROMPT).encode(), env=home.env, capture_output=True, timeout=20)
    assert done.stdout == BLOCK + b"\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["emacs"], "no host 'emacs'"),
        (["opencode"], "recollect install opencode"),
        (["script", "lunch"], "no moment 'lunch'"),
    ],
)
def test_a_host_or_moment_that_is_not_there_is_said(home: Home, arguments: list[str], said: str) -> None:
    done = home.recollect("hook", *arguments)
    assert (done.returncode, done.stdout) == (1, b"")
    assert said in done.stderr.decode()
