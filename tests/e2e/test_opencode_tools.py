"""Our tools in the real OpenCode client: there from the first request on, in the same bytes, and of use."""

import json
import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect.mcp.schema import INSTRUCTIONS, TOOLS
from tests.e2e.fake_model import Request, assert_prefix_kept, fake_model
from tests.e2e.machine import Machine
from tests.e2e.opencode import OpenCodeMachine, Project, Server, Session
from tests.flows.blocks import ids_in, priced
from tests.requirements import covers

pytestmark = pytest.mark.paired

OURS = [f"recollect_{name}" for name in sorted(TOOLS)]
RULE = "Database migrations are run by hand on Tuesdays, never by the pipeline."
WHY = "A locked table once stopped the shop for an hour, and somebody has to watch."
NOISE = "The staging cluster is named heron."
MOST_TOKENS = 1000


@pytest.fixture(scope="module")
def _serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with (
        fake_model() as model,
        OpenCodeMachine(tmp_path_factory.mktemp("machine"), model) as machine,
    ):
        project = installed(machine.project())
        assert machine.recollect("start").returncode == 0
        with project.serve() as server:
            yield server


@pytest.fixture
def serving(_serving: Server) -> Iterator[Server]:
    yield _serving
    _serving.model.assert_no_errors()


def installed(project: Project) -> Project:
    project.install_recollect()
    return project


def calls(*tools: tuple[str, dict[str, Any]]) -> str:
    """What the model is to do. In private: no user says it, so nothing may be learnt from it."""
    directives = (f"[[tool recollect_{name} {json.dumps(given)}]]" for name, given in tools)
    return f"<private>{' '.join(directives)}</private>"


def asked(session: Session, name: str, **given: Any) -> str:
    """What the model got for one call."""
    turn = session.prompt(f"Please look. {calls((name, given))}")
    assert (turn.error, turn.text) == (None, "Understood.")
    return turn.chats[-1].tool_results[-1]


def tools_of(request: Request) -> str:
    """As they went over the wire."""
    return json.dumps(request.body["tools"], ensure_ascii=False)


def until(done: Callable[[], bool], *, within_s: float = 20) -> None:
    give_up = time.monotonic() + within_s
    while not done():
        assert time.monotonic() < give_up
        time.sleep(0.02)


@covers("MCP-1")
def test_a_client_that_begins_before_the_daemon_does_has_the_tools_in_its_first_request(
    serving: Server, project: Project
) -> None:
    cold = installed(project).run(f"Hello. {calls(('search', {'query': 'migrations'}))}")
    assert cold.exit_code == 0, cold.stderr
    warm = serving.session().prompt("Hello.")
    first, second = cold.chats
    assert [name for name in first.tool_names if name.startswith("recollect")] == OURS
    assert tools_of(first) == tools_of(second)
    # `run` has no tool for questions to the user; ours are the same.
    assert ours_in(first) == ours_in(warm.chats[0])
    assert "Nothing is known" in second.tool_results[-1]


def ours_in(request: Request) -> list[str]:
    tools = (json.dumps(tool, ensure_ascii=False, separators=(",", ":")) for tool in request.body["tools"])
    return [tool for tool in tools if "recollect" in tool]


@covers("MCP-1")
def test_the_tools_and_what_is_said_of_them_cost_less_than_a_thousand_tokens(serving: Server) -> None:
    (chat,) = serving.session().prompt("Hello.").chats
    tokens = priced("\n".join(ours_in(chat))) + priced(INSTRUCTIONS)
    assert all(line in chat.system[0] for line in INSTRUCTIONS.splitlines())
    assert tokens < MOST_TOKENS


@covers("MCP-1")
def test_a_model_finds_opens_adds_rates_and_forgets(serving: Server) -> None:
    session = serving.session()
    turn = session.prompt(f"Note it. {calls(('add', {'text': f'{RULE} {WHY}', 'kind': 'rule'}))}")
    kept = turn.chats[-1].tool_results[-1]
    known = re.match(r"Kept as (\w+) ", kept)
    assert known, kept
    assert ids_in(asked(session, "search", query="who runs database migrations")) == [known[1]]
    assert WHY in asked(session, "details", id=known[1])
    assert "useful" in asked(session, "change", id=known[1], action="useful")
    (start,) = serving.session().prompt("Hello.").chats[0].system_fences
    assert RULE in start
    assert "recollect undo" in asked(session, "change", id=known[1], action="forget")
    assert "no memory with this id" in asked(session, "details", id=known[1])
    last = session.prompt("And now?").chats
    assert_prefix_kept([*turn.chats, *last])
    assert len({tools_of(chat) for chat in (*turn.chats, *last)}) == 1


@covers("INJ-5")
def test_what_the_start_block_showed_is_not_told_again_in_full(serving: Server) -> None:
    asked(serving.session(), "add", text=f"{RULE} {WHY}", kind="rule")
    session = serving.session()
    (start,) = session.prompt("Hello.").chats[0].system_fences
    assert WHY in start
    told = asked(session, "search", query="who runs database migrations")
    assert (len(ids_in(told)), WHY in told) == (1, False)


@covers("CAP-6")
def test_what_our_tools_answer_is_not_learnt_again(serving: Server) -> None:
    asked(serving.session(), "add", text=NOISE, kind="research")
    until(lambda: known_to(serving)["to_learn"] == 0)
    before = known_to(serving)
    session = serving.session()
    for query in ("staging cluster", "name of the staging cluster", "heron"):
        asked(session, "search", query=query)
    serving.dispose()
    until(lambda: stays_learnt(serving))
    assert known_to(serving) == before


def stays_learnt(server: Server) -> bool:
    """Nothing waits, and nothing more comes: a client that ends reports its last events a moment later."""
    if known_to(server)["to_learn"]:
        return False
    time.sleep(1)
    return known_to(server)["to_learn"] == 0


def known_to(server: Server) -> dict[str, int]:
    done = server.project.machine.recollect("status", "--json")
    status = json.loads(done.stdout)
    return {name: status[name] for name in ("memories", "candidates", "to_learn")}


@covers("REL-1")
def test_a_daemon_that_is_gone_costs_the_model_one_line_and_one_that_is_killed_nothing(serving: Server) -> None:
    session, machine = serving.session(), serving.project.machine
    query = {"query": "the staging cluster"}
    before = session.prompt(f"Hello. {calls(('search', query))}").chats
    os.kill(int(json.loads(machine.recollect("status", "--json").stdout)["pid"]), signal.SIGKILL)
    assert "Recollect's daemon" not in asked(session, "search", **query)
    assert machine.recollect("stop").returncode == 0
    place = Path(machine.env["XDG_RUNTIME_DIR"]) / "recollect"
    place.rename(place.with_name("elsewhere"))
    place.write_text("Here is no folder: no daemon can be started.")
    try:
        gone = session.prompt(f"Look. {calls(('search', query))}")
    finally:
        place.unlink()
        place.with_name("elsewhere").rename(place)
    assert (gone.error, gone.text) == (None, "Understood.")
    said = gone.chats[-1].tool_results[-1]
    assert ("Recollect's daemon cannot be reached" in said, len(said) < 400) == (True, True)
    after = session.prompt(f"Again. {calls(('search', query))}").chats
    assert "Recollect's daemon" not in after[-1].tool_results[-1]
    assert_prefix_kept([*before, *gone.chats, *after])
    assert len({tools_of(chat) for chat in (*before, *gone.chats, *after)}) == 1


def test_no_bridge_outlives_a_client_that_is_killed(machine: OpenCodeMachine) -> None:
    project = installed(machine.project())
    with project.serve() as server:
        server.session().prompt("Hello.")
        (bridge,) = bridges(machine)
        os.kill(server.process.pid, signal.SIGKILL)
        until(lambda: bridge not in machine.pids())


def bridges(machine: Machine) -> list[int]:
    return [pid for pid in machine.pids() if "mcp" in command_of(pid)]


def command_of(pid: int) -> list[str]:
    with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as line:  # noqa: PTH123
        return re.split(r"[\0/.]", line.read())
