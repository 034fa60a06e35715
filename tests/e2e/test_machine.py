"""A test's own computer: nothing comes in from outside, nothing stays behind. No client needed."""

import os
import signal
import time
from pathlib import Path

import pytest

from tests.e2e import opencode
from tests.e2e.fake_model import FakeModel
from tests.e2e.machine import Machine
from tests.e2e.opencode import OpenCodeMachine

pytestmark = pytest.mark.paired


def a_process_that_leaves(machine: Machine) -> int:
    """A background process in a session of its own, as a daemon is; its id."""
    machine.run("sh", "-c", "setsid sleep 60 >/dev/null 2>&1 &")
    for _ in range(100):
        if len(machine.pids()) == 1:
            return machine.pids()[0]
        time.sleep(0.02)
    raise AssertionError("it did not start, or did not settle")


def lives(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_a_command_sees_only_the_environment_of_its_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENCODE_CONFIG", "/elsewhere")
    with Machine(tmp_path / "machine") as machine:
        seen = dict(line.split("=", 1) for line in machine.run("env").stdout.splitlines())
    assert seen == machine.env


def test_a_command_is_heard_whatever_its_exit_code(tmp_path: Path) -> None:
    with Machine(tmp_path / "machine") as machine:
        done = machine.run("sh", "-c", "cat; echo why >&2; exit 3", stdin="what")
    assert (done.returncode, done.stdout, done.stderr) == (3, "what", "why\n")


def test_an_overdue_command_is_ended_and_fails_the_test(tmp_path: Path) -> None:
    with Machine(tmp_path / "machine") as machine:
        with pytest.raises(AssertionError, match=r"(?s)did not end in 0\.3 s.*before"):
            machine.run("sh", "-c", "echo before; sleep 60", timeout_s=0.3)
        assert machine.pids() == []


@pytest.mark.parametrize("stopped", [False, True])
def test_what_left_its_parent_ends_with_the_machine(tmp_path: Path, stopped: bool) -> None:
    with Machine(tmp_path / "machine") as machine:
        pid = a_process_that_leaves(machine)
        if stopped:
            os.kill(pid, signal.SIGSTOP)
        assert lives(pid)
    assert not lives(pid)


def test_a_started_process_ends_with_the_machine(tmp_path: Path) -> None:
    with Machine(tmp_path / "machine") as machine:
        process = machine.start("sh", "-c", "echo up; sleep 60 & wait", cwd=tmp_path, log=tmp_path / "log")
    assert process.returncode is not None
    assert machine.pids() == []


def test_a_project_has_one_commit(machine: OpenCodeMachine) -> None:
    path = machine.project("tidy").path
    assert machine.run("git", "rev-list", "--count", "HEAD", cwd=path).stdout == "1\n"


def test_a_missing_client_fails_and_says_what_to_do(
    machine: OpenCodeMachine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opencode, "CLIENT", tmp_path / "opencode")
    with pytest.raises(pytest.fail.Exception, match="make test"):
        machine.project().run("Hello.")


def test_the_fake_model_is_the_only_one_that_the_client_knows(machine: OpenCodeMachine, model: FakeModel) -> None:
    text = (machine.project().path / "opencode.json").read_text()
    assert text.count(model.base_url) == 2
