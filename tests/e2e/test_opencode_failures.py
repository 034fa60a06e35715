"""The daemon is gone, killed, hung or answers nonsense: the real client goes on, after a bounded delay, in silence.

One `opencode serve` lives through all of it.
"""

import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.e2e.broken_daemon import ANSWERS, broken_daemon
from tests.e2e.fake_model import Request, assert_prefix_kept
from tests.e2e.opencode import OpenCodeMachine, Server, Turn
from tests.e2e.shop import ON_INVOICES, POOL, aside, ask, bash, taught_server
from tests.e2e.shown import assert_bare, tool_blocks
from tests.e2e.taught import DEPLOYMENT, OFF_TOPIC, ON_TOPIC, STANDING, start_daemon
from tests.requirements import covers
from tests.waiting import wait_for

pytestmark = pytest.mark.alone

START_LIMIT_S, PROMPT_LIMIT_S = 1.8, 0.4  # the plugin's deadlines: what a user waits at most
AND_DO = "How does the Helm deployment reach GKE, and what is in here?"
MARGIN_S = 3.0  # the client's own work, also on a busy machine; a missing deadline would cost far more
TELLING = (
    "is no HTTP",
    "is other nonsense each time",
    "is 5 MB long",
    "never comes",
)  # the plugin's own tests have all
COMES_BACK_S = 60.0  # silence after a time-out, the start of a daemon: both many times


@pytest.fixture(scope="module")
def _serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with taught_server(tmp_path_factory.mktemp("machine")) as server:
        yield server


@pytest.fixture
def serving(_serving: Server) -> Iterator[Server]:
    """With a healthy daemon, which the plugin asks again by the end of each test."""
    start_daemon(_serving.project)
    yield _serving
    _serving.model.assert_no_errors()
    assert said_nothing(_serving)


def until_remembered(server: Server) -> Turn:
    """A session of its own whose first request has its memory; nobody is told when the plugin asks again."""
    give_up = time.monotonic() + COMES_BACK_S
    while time.monotonic() < give_up:
        turn = server.session().prompt(ON_TOPIC)
        assert turn.error is None
        if turn.chats[0].system_fences and turn.chats[0].last_user_fences:
            assert STANDING in turn.chats[0].system_fences[0]
            assert DEPLOYMENT in turn.chats[0].last_user_fences[0]
            return turn
    raise AssertionError(f"no memory within {COMES_BACK_S} s after the daemon was healthy again")


def said_nothing(server: Server) -> bool:
    """Of ours on the terminal; the client's own lines are its own."""
    return "recollect" not in server.log.read_text().lower()


def daemon_pid(machine: OpenCodeMachine) -> int:
    status = machine.recollect("status", "--json")
    assert status.returncode == 0, status.stdout + status.stderr
    return int(json.loads(status.stdout)["pid"])


@contextmanager
def hung(machine: OpenCodeMachine) -> Iterator[None]:
    pid = daemon_pid(machine)
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)
        assert daemon_pid(machine) == pid  # it has read what waited for it


@contextmanager
def no_command(machine: OpenCodeMachine) -> Iterator[None]:
    """Nobody can start the daemon, as after a removed virtual environment."""
    file = machine.home / ".local/state/recollect/command.json"
    usual = file.read_text()
    gone = json.loads(usual) | {"command": ["/nowhere/python", "-m", "recollect.daemon"]}
    file.write_text(json.dumps(gone))
    try:
        yield
    finally:
        file.write_text(usual)


def assert_fine(turn: Turn, limit_s: float) -> None:
    assert turn.error is None
    assert turn.chats
    assert turn.seconds < limit_s + MARGIN_S


def chats(*turns: Turn) -> list[Request]:
    return [chat for turn in turns for chat in turn.chats]


@covers("INJ-10", "SCN-D4")
@pytest.mark.parametrize(
    "nonsense", [pytest.param(answer, marks=() if answer in TELLING else pytest.mark.soak) for answer in ANSWERS]
)
def test_a_daemon_whose_answer(serving: Server, nonsense: str) -> None:
    """... costs one bounded delay: the turn goes out bare, the next ones are quick, and a healthy one is used again."""
    known = serving.session()
    before = known.prompt(ON_TOPIC)
    with broken_daemon(serving.project.machine, ANSWERS[nonsense]) as daemon:
        session = serving.session()
        first = ask(session, f"{AND_DO} {bash('ls')} {POOL.tool}")
        second = session.prompt(ON_INVOICES)
        third = known.prompt(ON_INVOICES)
        asked = daemon.asked
    assert asked > 0
    assert_fine(first, START_LIMIT_S + 3 * PROMPT_LIMIT_S)
    assert_fine(second, PROMPT_LIMIT_S)
    assert_fine(third, PROMPT_LIMIT_S)
    for chat in chats(first, second):
        assert_bare(chat)
    assert third.chats[0].fences == before.chats[0].fences
    start_daemon(serving.project)
    until_remembered(serving)
    after = session.prompt(OFF_TOPIC)
    assert_prefix_kept(chats(first, second, after))
    assert_prefix_kept(chats(before, third))


@covers("INJ-10")
def test_a_daemon_that_nobody_can_start_costs_one_bounded_delay(serving: Server) -> None:
    machine = serving.project.machine
    with no_command(machine):
        machine.recollect("stop")
        session = serving.session()
        turns = [ask(session, prompt) for prompt in (ON_TOPIC, ON_INVOICES, f"Go. {POOL.tool}")]
        fresh = serving.session().prompt(ON_TOPIC)
    start_daemon(serving.project)
    until_remembered(serving)
    for turn in (*turns, fresh):
        assert_fine(turn, START_LIMIT_S + PROMPT_LIMIT_S)
    for chat in chats(*turns, fresh):
        assert_bare(chat)


@covers("INJ-10")
def test_a_daemon_killed_while_a_tool_runs_changes_nothing_that_was_sent(serving: Server) -> None:
    pid = daemon_pid(serving.project.machine)
    session = serving.session()
    before = session.prompt(ON_TOPIC)
    turn = ask(session, f"Go. {bash(f'kill -9 {pid}')} {POOL.tool} {bash('ls')}")
    until_remembered(serving)
    after = session.prompt(ON_INVOICES)
    assert_fine(turn, 2 * PROMPT_LIMIT_S)
    assert len(before.chats[0].last_user_fences) == 1
    assert_prefix_kept(chats(before, turn, after))


@covers("INJ-10", "SCN-D4")
def test_a_daemon_hung_when_a_session_starts_costs_one_bounded_delay(serving: Server) -> None:
    session = serving.session()
    with hung(serving.project.machine):
        other = serving.session()
        first, second = other.prompt(ON_TOPIC), other.prompt(ON_INVOICES)
    until_remembered(serving)
    after = other.prompt(OFF_TOPIC)
    assert_fine(first, START_LIMIT_S + 2 * PROMPT_LIMIT_S)
    assert_fine(second, PROMPT_LIMIT_S)
    assert_prefix_kept(chats(first, second, after))
    for chat in chats(first, second):
        assert_bare(chat)
    assert session.prompt(ON_TOPIC).error is None


@covers("INJ-1", "INJ-10")
def test_a_daemon_that_was_late_once_costs_the_next_session_nothing(serving: Server) -> None:
    session = serving.session()
    session.prompt(OFF_TOPIC)
    with hung(serving.project.machine):
        late = session.prompt(ON_TOPIC)
    turn = serving.session().prompt(ON_TOPIC)
    assert late.chats[0].last_user_fences == []
    assert STANDING in turn.chats[0].system_fences[0]
    assert DEPLOYMENT in turn.chats[0].last_user_fences[0]


@covers("INJ-10", "SCN-D4")
def test_a_daemon_hung_at_a_prompt_and_at_a_failing_tool_leaves_both_bare_for_good(serving: Server) -> None:
    session = serving.session()
    before = session.prompt(OFF_TOPIC)
    with hung(serving.project.machine):
        turn = ask(session, f"{AND_DO} {POOL.tool} {bash('ls')}")
        quiet = session.prompt(ON_INVOICES)
    until_remembered(serving)
    after = session.prompt("Good. Let us leave it at that for today.")
    assert_fine(turn, 2 * PROMPT_LIMIT_S)
    assert_fine(quiet, PROMPT_LIMIT_S)
    assert_prefix_kept(chats(before, turn, quiet, after))
    assert not any(after.chats[0].message_fences[: len(quiet.chats[-1].messages)])


@covers("INJ-10", "SCN-D4")
def test_a_daemon_that_hangs_while_a_tool_fails_leaves_the_tool_bare_for_good(serving: Server) -> None:
    """The prompt was answered; the daemon stops when the tool runs."""
    pid = daemon_pid(serving.project.machine)
    session = serving.session()
    before = session.prompt(ON_TOPIC)
    try:
        turn = ask(session, f"Go. {bash(f'kill -STOP {pid}')} {POOL.tool}")
    finally:
        os.kill(pid, signal.SIGCONT)
    until_remembered(serving)
    after = session.prompt(OFF_TOPIC)
    assert_fine(turn, 2 * PROMPT_LIMIT_S)
    assert len(before.chats[0].last_user_fences) == 1
    assert tool_blocks(after.chats[0]) == [[], []]
    assert_prefix_kept(chats(before, turn, after))


@covers("INJ-10")
def test_a_daemon_hung_at_compaction_does_not_hold_it_up(serving: Server) -> None:
    session = serving.session()
    before = session.prompt(ON_TOPIC)
    with hung(serving.project.machine):
        began = time.monotonic()
        (summary,) = session.summarize()
        took_s = time.monotonic() - began
        first = session.prompt(OFF_TOPIC)
    until_remembered(serving)
    second = session.prompt(ON_TOPIC)
    assert took_s < START_LIMIT_S + PROMPT_LIMIT_S + MARGIN_S
    assert summary.is_compaction
    assert_fine(first, START_LIMIT_S + PROMPT_LIMIT_S)
    assert_fine(second, PROMPT_LIMIT_S)
    assert first.chats[0].system_fences == before.chats[0].system_fences
    assert_prefix_kept(chats(first, second))


@covers("INJ-10")
def test_a_daemon_hung_at_the_end_does_not_keep_a_run_from_ending(serving: Server) -> None:
    project = serving.project
    pid = daemon_pid(project.machine)
    try:
        run = project.run(aside(serving.model, f"{AND_DO} {bash(f'kill -STOP {pid}')}"))
    finally:
        os.kill(pid, signal.SIGCONT)
    assert run.exit_code == 0
    assert len(run.chats[0].last_user_fences) == 1
    assert "recollect" not in (run.stdout + run.stderr).lower().replace(str(project.path).lower(), "")
    locks = project.machine.home / ".local/state/opencode/locks"
    wait_for(lambda: not list(locks.rglob("*")))  # the server beside a run may hold a lock for a moment


@covers("INJ-10")
def test_a_run_ends_cleanly_and_in_silence_without_any_answer(serving: Server) -> None:
    with broken_daemon(serving.project.machine, ANSWERS["never comes"]):
        run = serving.project.run(ON_TOPIC)
    start_daemon(serving.project)
    until_remembered(serving)
    assert (run.exit_code, "recollect" in (run.stdout + run.stderr).lower()) == (0, False)
    for chat in run.chats:
        assert_bare(chat)
