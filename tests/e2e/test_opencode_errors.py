"""A tool fails in the real client: what helped the last time is in the very next request, on that tool's own part."""

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from tests.e2e import mcp_boom
from tests.e2e.at_once import calls_at_once
from tests.e2e.fake_model import Request, Wire, assert_prefix_kept
from tests.e2e.opencode import Server
from tests.e2e.shop import (
    BOTH,
    LEDGER,
    POOL,
    REFUSED,
    REJECTED,
    REJECTION,
    UNKNOWN_ERROR,
    Known,
    aside,
    ask,
    bash,
    taught_server,
)
from tests.e2e.shown import tool_blocks
from tests.e2e.taught import OFF_TOPIC, import_into
from tests.requirements import covers

pytestmark = pytest.mark.paired

CLOSED = Known(
    title="LedgerClosedError: the ledger is closed",
    says="LedgerClosedError: the ledger of 2026-11 is closed for postings",
    fix="A closed ledger is opened again by `make reopen`; post to it after that.",
    tool='[[tool test_boom {"text": "LedgerClosedError: the ledger of 2026-03 is closed for postings"}]]',
)
WARM_UPS = 4
PERMISSION = {"*": "allow", "bash": {"*": "allow", "make deploy*": "deny", "make release*": "ask"}}


@pytest.fixture(scope="module")
def _serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    boom = {"type": "local", "command": [sys.executable, str(Path(mcp_boom.__file__))]}
    root = tmp_path_factory.mktemp("machine")
    with taught_server(root, permission=PERMISSION, mcp={"test": boom}) as server:
        import_into(server.project, [CLOSED.record])
        calls_at_once(server.model)
        for _ in range(WARM_UPS):  # the first of a client and its daemon takes longer
            if fixes(ask(server.session(), f"Go ahead. {LEDGER.tool}").chats[-1]):
                break
        yield server


@pytest.fixture
def serving(_serving: Server) -> Iterator[Server]:
    yield _serving
    _serving.model.assert_no_errors()


def fixes(request: Request) -> list[str]:
    return [fence for fences in tool_blocks(request) for fence in fences]


@covers("INJ-1", "INJ-3", "SCN-A10")
@pytest.mark.parametrize("wire", BOTH)
@pytest.mark.parametrize(
    "known", [POOL, LEDGER, CLOSED, REFUSED], ids=["bash_exit", "missing_file", "mcp_error", "denied_permission"]
)
def test_the_fix_of_a_known_error_is_in_the_next_request_on_the_failing_tool_and_stays_there(
    serving: Server, wire: Wire, known: Known
) -> None:
    session = serving.session()
    failing = ask(session, f"Go ahead with it, please. {known.tool} {bash('true')}", wire=wire)
    later = session.prompt(OFF_TOPIC, wire=wire)
    first, second, *rest = (*failing.chats, *later.chats)
    assert first.fences == first.system_fences
    ((block,),) = tool_blocks(second)
    assert known.fix in block
    result = second.tool_results[0]
    for request in rest:
        assert request.tool_results[0] == result
        assert fixes(request) == [block]
        assert not any(request.message_fences[at] for at, said in enumerate(request.messages) if said.role != "tool")
    assert_prefix_kept([first, second, *rest])


@covers("SCN-A10")
@pytest.mark.parametrize("wire", BOTH)
def test_the_fix_stands_below_what_the_tool_said(serving: Server, wire: Wire) -> None:
    asked = ask(serving.session(), f"Go ahead. {LEDGER.tool}", wire=wire)
    assert asked.chats[-1].tool_results[0].startswith(LEDGER.says)


@covers("INJ-1", "SCN-A10")
def test_a_permission_that_the_user_refuses_when_asked_comes_with_what_is_known_of_it(serving: Server) -> None:
    """The client ends the turn there: the next request is that of the next prompt."""
    session = serving.session()
    asking = Thread(target=refuse, args=(serving, session.id))
    asking.start()
    refused = ask(session, f"Release it. {REJECTION.tool}")
    asking.join()
    after = [session.prompt(prompt).chats[0] for prompt in ("What now?", OFF_TOPIC)]
    assert len(refused.chats) == 1
    assert after[0].tool_results[0].startswith(REJECTED)
    assert [[REJECTION.fix in fence for fence in fixes(request)] for request in after] == [[True], [True]]
    assert_prefix_kept([*refused.chats, *after])


def refuse(server: Server, session: str) -> None:
    give_up = time.monotonic() + 20
    while time.monotonic() < give_up:
        for asked in server.call("GET", "/permission"):
            if asked["sessionID"] == session:
                server.call("POST", f"/permission/{asked['id']}/reply", {"reply": "reject"})
                return
        time.sleep(0.05)


@covers("SCN-A10")
@pytest.mark.parametrize("wire", BOTH)
def test_an_unknown_error_brings_nothing(serving: Server, wire: Wire) -> None:
    missing = LEDGER.tool.replace("ledger", "gauges")
    tools = f"{UNKNOWN_ERROR} {missing} {bash('exit 3')} {bash('make deployment-notes')}"
    asked = ask(serving.session(), f"Go ahead. {tools}", wire=wire)
    assert len(asked.chats) == 5
    assert [chat.fences for chat in asked.chats] == [chat.system_fences for chat in asked.chats]


@covers("INJ-5")
@pytest.mark.parametrize("wire", BOTH)
def test_the_same_error_again_is_not_answered_again_while_the_first_answer_is_live(serving: Server, wire: Wire) -> None:
    session = serving.session()
    turns = [ask(session, f"Try it. {POOL.tool}", wire=wire) for _ in range(2)]
    chats = [chat for turn in turns for chat in turn.chats]
    assert [len(fences) for fences in tool_blocks(chats[-1])] == [1, 0]
    assert_prefix_kept(chats)


def test_two_tools_that_fail_in_one_message_carry_a_fix_each(serving: Server) -> None:
    session = serving.session()
    turn = ask(session, f"Do both at once. {POOL.tool} {LEDGER.tool}")
    later = session.prompt(OFF_TOPIC)
    assert len(turn.chats) == 2
    told = [[POOL.fix in "".join(fences), LEDGER.fix in "".join(fences)] for fences in tool_blocks(turn.chats[-1])]
    assert told == [[True, False], [False, True]]
    assert_prefix_kept([*turn.chats, *later.chats])


def test_the_same_failure_twice_in_one_message_is_answered_once(serving: Server) -> None:
    turn = ask(serving.session(), f"Do both at once. {POOL.tool} {POOL.tool}")
    assert sorted(len(fences) for fences in tool_blocks(turn.chats[-1])) == [0, 1]


@covers("INJ-1")
def test_a_tool_that_fails_for_a_subagent_has_its_fix_there_and_not_with_its_parent(serving: Server) -> None:
    orders = aside(serving.model, f"Run the orders for me. {POOL.tool}")
    task = {"description": "d", "prompt": orders, "subagent_type": "general"}
    session = serving.session()
    turn = ask(session, f"Delegate this. [[tool task {json.dumps(task)}]]")
    parent = [chat for chat in turn.chats if chat.session == session.id]
    child = [chat for chat in turn.chats if chat.session != session.id]
    assert (len(parent), len(child)) == (2, 2)
    assert [POOL.fix in fence for fence in fixes(child[-1])] == [True]
    assert not any(fixes(chat) for chat in parent)
    assert_prefix_kept(parent)
    assert_prefix_kept(child)


@covers("INJ-6")
@pytest.mark.parametrize("wire", BOTH)
def test_a_session_that_goes_on_in_another_process_has_the_fix_at_the_same_place(serving: Server, wire: Wire) -> None:
    session = serving.session()
    before = ask(session, f"Go ahead. {POOL.tool} {LEDGER.tool}", wire=wire)
    with serving.project.serve() as other:
        after = other.resume(session.id).prompt(OFF_TOPIC, wire=wire)
    assert [len(fences) for fences in tool_blocks(after.chats[0])] == [1, 1]
    assert_prefix_kept([*before.chats, *after.chats])


def test_a_fix_that_was_not_sent_before_the_process_ended_is_sent_first_by_the_next_one(serving: Server) -> None:
    """The refusal ends the turn: what is known of it was asked for, but no request has carried it yet."""
    with serving.project.serve() as ending:
        session = ending.session()
        asking = Thread(target=refuse, args=(ending, session.id))
        asking.start()
        before = ask(session, f"Release it. {REJECTION.tool}")
        asking.join()
    with serving.project.serve() as other:
        resumed = other.resume(session.id)
        after = [resumed.prompt(prompt).chats[0] for prompt in ("What now?", OFF_TOPIC)]
    assert_prefix_kept([*before.chats, *after])
    assert fixes(after[0]) == fixes(after[1])
