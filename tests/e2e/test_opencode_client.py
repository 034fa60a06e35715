"""The bench itself, on the real client and without Recollect: what later tests rely on."""

import json
import sys
import threading
from pathlib import Path

import pytest

from tests.e2e import mcp_boom
from tests.e2e.fake_model import Wire, assert_prefix_kept
from tests.e2e.opencode import Project, Server

pytestmark = pytest.mark.paired

BOTH: list[Wire] = ["openai", "anthropic"]

PROBE = """
export const Probe = async () => ({
  "experimental.chat.system.transform": async (_input, output) => {
    output.system.push("The probe was here.")
  },
})
"""


def test_a_run_reaches_the_fake_model_and_exits_cleanly(project: Project) -> None:
    run = project.run('Say "pong",  please. -x\n[[say pong it is]]', wire="anthropic")
    assert (run.exit_code, "pong it is" in run.stdout) == (0, True)
    (request,) = run.requests
    assert (request.wire, request.is_chat) == ("anthropic", True)
    assert request.user_texts == ['Say "pong",  please. -x\n[[say pong it is]]']
    assert b"pong it is" in project.machine.host_history_bytes()


def test_the_title_call_is_recognised_and_apart(shared_server: Server) -> None:
    turn = shared_server.session(title=None).prompt("Hello [[say hi]]")
    assert sorted(request.is_title for request in turn.requests) == [False, True]
    assert [request.last_user_words for request in turn.chats] == ["Hello [[say hi]]"]


@pytest.mark.parametrize("wire", BOTH)
def test_a_tool_directive_runs_the_real_tool(shared_server: Server, wire: Wire) -> None:
    shared_server.project.write("here.txt", "found me")
    cat = '[[tool bash {"command": "cat here.txt", "description": "Read"}]]'
    turn = shared_server.session().prompt(f"Look. {cat} [[say seen]]", wire=wire)
    first, second = turn.requests
    assert first.tool_results == []
    assert "found me" in second.tool_results[0]
    assert turn.text == "seen"


def test_several_tools_run_one_after_another(shared_server: Server) -> None:
    one = '[[tool bash {"command": "echo eins", "description": "Speak"}]]'
    turn = shared_server.session().prompt(f"Go. {one} {one.replace('eins', 'zwei')}")
    assert [len(request.tool_results) for request in turn.requests] == [0, 1, 2]
    assert [result.strip() for result in turn.requests[-1].tool_results] == ["eins", "zwei"]


@pytest.mark.parametrize("wire", BOTH)
def test_turns_in_serve_keep_the_whole_prefix(shared_server: Server, wire: Wire) -> None:
    session = shared_server.session()
    list_files = '[[tool bash {"command": "ls", "description": "List"}]]'
    prompts = ("First.", f"Second. {list_files}", "Third.")
    requests = [request for prompt in prompts for request in session.prompt(prompt, wire=wire).requests]
    assert assert_prefix_kept(requests) == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("wire", BOTH)
def test_reported_usage_makes_the_client_compact(shared_server: Server, wire: Wire) -> None:
    turn = shared_server.session().prompt("Begin. [[usage 29000]]", wire=wire)
    assert [request.is_compaction for request in turn.requests] == [False, True, False]
    assert shared_server.model.summary in turn.requests[-1].prefix_text()


def test_a_session_can_be_summarised_forked_and_deleted(shared_server: Server) -> None:
    session = shared_server.session()
    session.prompt("Hello.")
    fork = session.fork()
    assert fork.id != session.id
    assert fork.prompt("And?").requests[0].user_texts == ["Hello.", "And?"]
    assert [request.is_compaction for request in session.summarize()] == [True]
    session.delete()
    assert shared_server.resume(fork.id).history()


def test_a_refused_request_is_reported_and_a_retried_one_is_answered(shared_server: Server) -> None:
    session = shared_server.session()
    refused = session.prompt("No. [[error 400]]")
    assert refused.error is not None
    assert session.prompt("Better? [[say yes]]").text == "yes"
    retried = session.prompt("Busy. [[error 503 1]] [[say at last]]")
    assert (retried.text, len(retried.requests)) == ("at last", 2)


def test_a_cue_directs_the_model_without_a_word_in_the_prompt(shared_server: Server) -> None:
    words = shared_server.model.cue(
        "Now do it.", '[[tool bash {"command": "echo done", "description": "Do"}]] [[say ok]]'
    )
    turn = shared_server.session().prompt(words)
    assert (turn.requests[-1].user_texts, turn.requests[-1].tool_results) == (["Now do it."], ["done\n"])
    assert turn.text == "ok"


def test_an_attachment_is_read_by_the_client_and_the_words_stay_the_users(shared_server: Server) -> None:
    notes = shared_server.project.write("notes.txt", "the inside of a file")
    turn = shared_server.session().prompt("What is in it? [[say seen]]", files=[notes])
    assert (turn.text, turn.requests[0].last_user_words) == ("seen", "What is in it? [[say seen]]")
    assert "the inside of a file" in turn.requests[0].last_user_text


def test_a_subagent_follows_the_directives_of_its_order_in_a_session_of_its_own(shared_server: Server) -> None:
    order = {"description": "look", "prompt": "Look there. [[say found]]", "subagent_type": "general"}
    session = shared_server.session()
    turn = session.prompt(f"Delegate it. [[tool task {json.dumps(order)}]] [[say all done]]")
    (child,) = session.children()
    assert [request.session for request in turn.requests] == [session.id, child.id, session.id]
    assert "found" in turn.requests[-1].tool_results[0]
    assert turn.text == "all done"


def test_a_turn_can_be_aborted_while_the_model_thinks(shared_server: Server) -> None:
    session, heard = shared_server.session(), shared_server.model.record()
    thinking = threading.Thread(target=session.prompt, args=("Think. [[wait 60000]]",))
    thinking.start()
    heard.wait_for(1)
    session.abort()
    thinking.join(timeout=20)
    assert not thinking.is_alive()
    assert session.prompt("Still there? [[say yes]]").text == "yes"


def test_one_server_works_in_several_projects_with_commands_plugins_and_mcp_servers(project: Project) -> None:
    other, bare = project.machine.project("other"), project.machine.folder("bare")
    project.write(".opencode/plugin/probe.js", PROBE)
    project.slash_command("greet", "Greet $ARGUMENTS, please. [[say hello]]")
    project.mcp_server("test", [sys.executable, Path(mcp_boom.__file__)])
    tree = project.worktree("tree")
    with project.serve() as server:
        greeted = server.session().command("greet", "Ann")
        boom = server.session().prompt('Fail. [[tool test_boom {"text": "no such table: jobs"}]]')
        places = [
            server.session(at=at).prompt('Where? [[tool bash {"command": "pwd", "description": "Where"}]]')
            for at in (other, tree, bare)
        ]
    assert (greeted.text, greeted.requests[0].last_user_words) == ("hello", "Greet Ann, please. [[say hello]]")
    assert greeted.requests[0].system[-1] == "The probe was here."
    assert "no such table: jobs" in boom.requests[-1].tool_results[0]
    assert [turn.requests[-1].tool_results[0].strip() for turn in places] == [
        str(at.path) for at in (other, tree, bare)
    ]
    assert "test_boom" not in places[0].requests[0].tool_names
