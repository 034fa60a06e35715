"""Shapes as Codex 0.166 writes them, and as its first versions did; the words are ours."""

import json
from typing import Any

import pytest

from recollect.domain.event import Compacted, Event, Prompt, Reply, SessionStarted, ToolFailed, ToolSucceeded
from recollect.domain.learning import Origin
from recollect.hosts.codex import parse
from tests.hosts.old_sessions import Heard

SESSION = "0199d491-0000-7d51-9384-85984d07bdb1"


def wrapped(kind: str, second: int = 0, **payload: Any) -> dict[str, Any]:
    return {"timestamp": f"2026-02-20T10:00:{second:02}.000Z", "type": kind, "payload": payload}


META = wrapped("session_meta", id=SESSION, cwd="/home/dev/shop", originator="codex_cli_rs", source="cli")


def item(kind: str, **payload: Any) -> dict[str, Any]:
    return wrapped("response_item", 1, **{"type": kind, **payload})


def message(role: str, *texts: str, **more: Any) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": kind, "text": text} for text in texts], **more)


def tool(output: Any, name: str = "exec_command", **given: Any) -> list[dict[str, Any]]:
    return [
        item("function_call", name=name, arguments=json.dumps(given or {"cmd": "make"}), call_id="call_1"),
        item("function_call_output", call_id="call_1", output=output),
    ]


def test_a_rollout_becomes_prompts_tools_and_replies() -> None:
    heard = Heard(
        parse,
        [
            META,
            wrapped("turn_context", model="a-model"),
            message("developer", "You are careful."),
            message("user", "# AGENTS.md instructions for /home/dev/shop\n", "<environment_context>\n  <cwd>/x</cwd>"),
            message("user", "Run the build.", id="msg_1"),
            wrapped("event_msg", type="user_message", message="Run the build."),
            item("reasoning", summary=[], encrypted_content="x"),
            *tool("Chunk ID: 1\nProcess exited with code 0\nOutput:\nbuilt\n"),
            message("assistant", "Built.", id="msg_2"),
            wrapped("event_msg", type="agent_message", message="Built."),
        ],
    )
    assert heard.kinds == ["SessionStarted", "Prompt", "ToolSucceeded", "Reply", "SessionEnded"]
    started, prompt, done, reply = (
        heard.only(SessionStarted),
        heard.only(Prompt),
        heard.only(ToolSucceeded),
        heard.only(Reply),
    )
    assert (started.session, started.folder, started.host) == (SESSION, "/home/dev/shop", "codex")
    assert (prompt.text, prompt.message, prompt.origin) == ("Run the build.", "msg_1", Origin.USER)
    assert (done.tool, done.input["command"], done.output, done.call) == ("exec_command", "make", "built\n", "call_1")
    assert (reply.text, reply.message, reply.final) == ("Built.", "msg_2", True)
    assert heard.bad == []


@pytest.mark.parametrize(
    ("output", "kind", "said"),
    [
        ("Process exited with code 1\nOutput:\nno such file", ToolFailed, "no such file"),
        ("Exit code: 2\nWall time: 1 seconds\nOutput:\nbroken", ToolFailed, "broken"),
        (json.dumps({"output": "broken", "metadata": {"exit_code": 1}}), ToolFailed, "broken"),
        (json.dumps({"output": "fine", "metadata": {"exit_code": 0}}), ToolSucceeded, "fine"),
        ({"content": "refused", "success": False}, ToolFailed, "refused"),
        ([{"type": "input_text", "text": "a page"}], ToolSucceeded, "a page"),
        ("exec_command failed: no shell", ToolFailed, "exec_command failed: no shell"),
        ("{not JSON", ToolSucceeded, "{not JSON"),
    ],
)
def test_how_a_tool_went_is_read_from_its_output(output: Any, kind: type[Event], said: str) -> None:
    (event,) = [event for event in Heard(parse, [META, *tool(output)]).events if isinstance(event, kind)]
    assert (event.error if isinstance(event, ToolFailed) else getattr(event, "output", None)) == said


@pytest.mark.parametrize(
    ("given", "command"),
    [({"command": ["bash", "-lc", "ls -l"]}, "ls -l"), ({"command": ["ls", "-l"]}, "ls -l"), ({"cmd": "ls"}, "ls")],
)
def test_a_command_is_a_text_whatever_the_tool_takes(given: dict[str, Any], command: str) -> None:
    assert Heard(parse, [META, *tool("ok", "shell", **given)]).only(ToolSucceeded).input["command"] == command


def test_a_patch_is_a_tool() -> None:
    patch = item("custom_tool_call", name="apply_patch", input="*** Begin Patch", call_id="call_2")
    output = item("custom_tool_call_output", call_id="call_2", output="Success")
    done = Heard(parse, [META, patch, output]).only(ToolSucceeded)
    assert (done.tool, done.input) == ("apply_patch", {"input": "*** Begin Patch"})


@pytest.mark.parametrize(
    ("text", "said", "origin"),
    [
        ("<turn_aborted>\nThe user stopped it.</turn_aborted>", None, Origin.NOTIFICATION),
        ("<user_shell_command>\n<command>git status</command>", "! git status", Origin.COMMAND),
        (
            "# Context from my IDE setup:\n## Active file: a.py\n## My request for Codex:\nUse tabs.",
            "Use tabs.",
            Origin.USER,
        ),
    ],
)
def test_who_really_speaks_is_told(text: str, said: str | None, origin: Origin) -> None:
    prompt = Heard(parse, [META, message("user", text)]).only(Prompt)
    assert prompt.origin is origin
    assert said is None or prompt.text == said


def test_the_session_of_another_agent_has_a_parent() -> None:
    source = {"subagent": {"thread_spawn": {"parent_thread_id": "parent-1", "depth": 1}}}
    heard = Heard(parse, [wrapped("session_meta", id=SESSION, cwd="/x", source=source), message("user", "Look.")])
    assert (heard.only(SessionStarted).parent, heard.only(Prompt).origin) == ("parent-1", Origin.SUBAGENT)


def test_the_history_of_a_copy_stays_in_its_own_session() -> None:
    other = wrapped("session_meta", id="another", cwd="/elsewhere")
    assert Heard(parse, [META, other, message("user", "Go.")]).only(Prompt).session == SESSION


def test_a_compaction_comes_with_what_the_model_wrote() -> None:
    written = "Another language model started to solve this problem and wrote this.\nThe queue is in Redis now."
    heard = Heard(parse, [META, wrapped("compacted", message=written, replacement_history=[])])
    assert heard.only(Compacted).summary == "The queue is in Redis now."


def test_the_first_versions_wrote_the_records_bare() -> None:
    heard = Heard(
        parse,
        [
            {"id": SESSION, "timestamp": "2025-07-01T10:00:00.000Z", "instructions": None},
            {"record_type": "state"},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go."}]},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Gone."}]},
        ],
    )
    assert (heard.only(Prompt).text, heard.only(Reply).text, heard.bad) == ("Go.", "Gone.", [])
    assert heard.only(Prompt).message != heard.only(Reply).message


def test_what_comes_before_its_session_is_named_and_the_rest_is_kept() -> None:
    heard = Heard(parse, [message("user", "Lost."), META, message("user", "Kept."), wrapped("new_kind", x=1)])
    assert heard.only(Prompt).text == "Kept."
    assert [number for number, _ in heard.bad] == [1]


def test_a_question_has_its_answer_and_what_was_written_besides() -> None:
    asked = {"id": "indent", "question": "Tabs or spaces?", "options": [{"label": "Tabs"}, {"label": "Spaces"}]}
    output = json.dumps({"answers": {"indent": {"answers": ["Tabs", "user_note: As gofmt does."]}}})
    heard = Heard(parse, [META, *tool(output, name="request_user_input", questions=[asked])])
    assert heard.only(ToolSucceeded).input == {
        "questions": [asked],
        "answers": {"Tabs or spaces?": "Tabs"},
        "notes": {"Tabs or spaces?": "As gofmt does."},
    }
