"""The client's own small model reads a session, once, where its user has switched that on."""

import json
import os
import shutil
import signal
import time
from typing import Any

import pytest

from tests.e2e.fake_model import FakeModel
from tests.e2e.kept import memories, until
from tests.e2e.opencode import OpenCodeMachine, Project, Server
from tests.e2e.request import Request
from tests.requirements import covers

pytestmark = pytest.mark.paired

RULE = "Stop touching anything below db/migrations, the schema tool writes those files."
FOUND = {
    "kind": "rule",
    "text": "Files below db/migrations are written by the schema tool: never touch them.",
    "evidence": "Stop touching anything below db/migrations, the schema tool writes those files.",
    "durability": 0.9,
}
ERRAND = "Please mend the pager of the invoices, which shows too few of them."
QUIET_S = 5.0  # counts where the last event of a client that ends did not arrive
WORK_S = 15.0
LATE_S = 60  # after its question an answer comes
MADE_UP = {**FOUND, "text": "Deploy only on Mondays.", "evidence": "we deploy only on Mondays"}


@pytest.fixture
def project(machine: OpenCodeMachine) -> Project:
    """Its small model is another one than the one that the user talks to."""
    made = machine.project()
    configured = json.loads((made.path / "opencode.json").read_text())["provider"]
    configured["fake"]["models"]["small"] = configured["fake"]["models"]["tiny"]
    made.configure({"provider": configured, "small_model": "fake/small"})
    return made


def switched_on(project: Project, *, idle_minutes: float) -> Project:
    done = project.machine.recollect("install", "opencode", "--project", "--extract", cwd=project.path)
    assert done.returncode == 0, done.stderr
    settings = project.machine.home / ".config/recollect/config.toml"
    settings.write_text(f"{settings.read_text()}idle_minutes = {idle_minutes}\n")
    return project


def teach_and_end(project: Project) -> None:
    assert project.run(RULE).exit_code == 0
    time.sleep(QUIET_S)
    unlock(project)


def unlock(project: Project) -> None:
    """Without a network, a client that ends on a busy machine may leave a lock that the next waits a minute for."""
    shutil.rmtree(project.machine.home / ".local/state/opencode/locks", ignore_errors=True)


def readings(model: FakeModel) -> list[Request]:
    return [request for request in model.requests if request.is_reading]


def about_the_rule(model: FakeModel) -> list[Request]:
    return [request for request in readings(model) if RULE in request.last_user_text]


def sessions(server: Server) -> list[str]:
    return sorted(session["id"] for session in server.call("GET", "/session"))


def the_find(project: Project) -> dict[str, Any]:
    """What the model named, once it is confirmed."""

    def confirmed() -> list[dict[str, Any]]:
        known = [memory for memory in memories(project) if memory["tier"] == "confirmed"]
        return [memory for memory in known if memory["text"] == FOUND["text"]]

    (find,) = until(confirmed, bool)
    return find


@covers("WOR-3", "CAP-12")
def test_off_by_default_the_model_is_asked_nothing_more(project: Project, model: FakeModel) -> None:
    project.install_recollect()
    with project.serve() as server:
        turn = server.session().prompt(RULE)
        time.sleep(3)
        assert len(turn.requests) == len(model.requests) == 1


@covers("WOR-3", "CAP-12", "CAP-13", "OC-1")
def test_on_a_quiet_session_is_asked_about_once_and_what_the_user_said_is_confirmed(
    project: Project, model: FakeModel
) -> None:
    model.found = json.dumps([FOUND, MADE_UP])
    with switched_on(project, idle_minutes=0.02).serve() as server:
        session = server.session()
        session.prompt(RULE)
        assert the_find(project)["evidence"] == [FOUND["evidence"]]
        until(lambda: sessions(server), lambda listed: listed == [session.id])
        session.prompt("Thanks, and now mend the pager of the invoices, which shows too few.")
        time.sleep(4)
        assert (sessions(server), session.children()) == ([session.id], [])
    (asked,) = readings(model)
    assert len(model.requests) == 3
    assert asked.body["model"] == "small"
    assert asked.body["max_tokens"] == 1000
    assert not asked.tool_names
    assert not asked.fences
    assert len(asked.system) == len(asked.messages) == 1
    assert RULE in asked.last_user_text
    assert not any("Mondays" in memory["text"] for memory in memories(project))
    assert "702 of 50,000 tokens" in project.machine.recollect("status").stdout


@covers("WOR-3")
def test_a_session_that_ended_before_is_asked_about_at_the_next_start(project: Project, model: FakeModel) -> None:
    model.found = json.dumps([FOUND])
    teach_and_end(switched_on(project, idle_minutes=QUIET_S / 60))
    assert not readings(model)
    with project.serve() as server:
        before = sessions(server)
        session = server.session()
        session.prompt(ERRAND)
        assert the_find(project)["evidence"] == [FOUND["evidence"]]
        until(lambda: sessions(server), lambda listed: listed == sorted([*before, session.id]))
    (asked,) = about_the_rule(model)
    assert "pager" not in asked.last_user_text


@covers("OC-1")
def test_a_client_that_ends_meanwhile_is_not_held_up_and_the_next_one_asks_again(
    project: Project, model: FakeModel
) -> None:
    teach_and_end(switched_on(project, idle_minutes=QUIET_S / 60))
    model.found_ms = LATE_S * 1000
    ended = project.run(f"{ERRAND} [[wait {WORK_S * 1000:.0f}]]")
    assert ended.exit_code == 0, ended.stderr
    (asked,) = readings(model)
    assert time.monotonic() < asked.arrived_s + LATE_S
    is_asked_again_and_nothing_is_left(project, model)


@covers("OC-1")
def test_a_client_that_is_killed_meanwhile_leaves_nothing_that_the_next_start_does_not_remove(
    project: Project, model: FakeModel
) -> None:
    teach_and_end(switched_on(project, idle_minutes=QUIET_S / 60))
    model.found_ms = LATE_S * 1000
    with project.serve() as server:
        server.session().prompt(ERRAND)
        until(lambda: readings(model), bool)
        assert len(sessions(server)) == 3
        os.killpg(server.process.pid, signal.SIGKILL)
        server.process.wait()
    is_asked_again_and_nothing_is_left(project, model)


def is_asked_again_and_nothing_is_left(project: Project, model: FakeModel) -> None:
    """At the next start; and at the one after it, no more."""
    model.found_ms, model.found = 0, json.dumps([FOUND])
    start_anew(project)
    start_anew(project)
    assert len(about_the_rule(model)) == 2


def start_anew(project: Project) -> None:
    unlock(project)
    with project.serve() as server:
        users = [one["id"] for one in server.call("GET", "/session") if not one.get("parentID")]
        session = server.session()
        session.prompt("Thanks, and now the same for the offers, which shows too many of them.")
        the_find(project)
        until(lambda: sessions(server), lambda listed: listed == sorted([*users, session.id]))
