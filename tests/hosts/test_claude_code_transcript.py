"""Shapes as Claude Code 2.1.325 writes them, and as older versions did; the words are ours."""

from typing import Any

import pytest

from recollect.domain.event import Compacted, Prompt, Reply, SessionEnded, SessionStarted, ToolFailed, ToolSucceeded
from recollect.domain.learning import Origin
from recollect.hosts.claude_code import parse
from tests.hosts.old_sessions import OTHERWISE, Heard

SESSION = "5f0d1b6e-3a54-4a7e-8a54-0f3a5c9d2b11"


def line(kind: str, number: int, **more: Any) -> dict[str, Any]:
    return {
        "parentUuid": None,
        "isSidechain": False,
        "type": kind,
        "uuid": f"uuid-{number}",
        "timestamp": f"2026-02-20T10:00:{number:02}.000Z",
        "userType": "external",
        "cwd": "/home/dev/shop",
        "sessionId": SESSION,
        "version": "2.1.325",
        **more,
    }


def user(number: int, content: Any, **more: Any) -> dict[str, Any]:
    return line("user", number, message={"role": "user", "content": content}, **more)


def assistant(number: int, *blocks: dict[str, Any], stop: str | None = None, **more: Any) -> dict[str, Any]:
    message = {"id": "msg_1", "role": "assistant", "model": "a-model", "content": list(blocks), "stop_reason": stop}
    return line("assistant", number, message=message, **more)


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def call(name: str = "Bash", call_id: str = "toolu_1", **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": given}


def result(content: Any, call_id: str = "toolu_1", *, is_error: bool = False) -> list[dict[str, Any]]:
    return [{"type": "tool_result", "tool_use_id": call_id, "content": content, "is_error": is_error}]


def test_a_turn_becomes_its_prompt_its_tools_and_its_replies() -> None:
    heard = Heard(
        parse,
        [
            {"type": "queue-operation", "operation": "enqueue", "sessionId": SESSION, "content": "Run the tests."},
            user(1, "Run the tests."),
            assistant(2, {"type": "thinking", "thinking": "hm", "signature": "x"}),
            assistant(3, text("Running.")),
            assistant(4, call(command="make test"), stop="tool_use"),
            user(5, result("3 passed")),
            assistant(6, text("They pass."), stop="end_turn"),
        ],
    )
    assert heard.kinds == ["SessionStarted", "Prompt", "Reply", "ToolSucceeded", "Reply", "SessionEnded"]
    started = heard.only(SessionStarted)
    assert (started.session, started.folder, started.host, started.parent) == (
        SESSION,
        "/home/dev/shop",
        "claude-code",
        None,
    )
    prompt, tool = heard.only(Prompt), heard.only(ToolSucceeded)
    assert (prompt.text, prompt.message, prompt.origin, prompt.at.second) == ("Run the tests.", "uuid-1", "user", 1)
    assert (tool.tool, tool.input, tool.output, tool.call) == ("Bash", {"command": "make test"}, "3 passed", "toolu_1")
    assert [(reply.text, reply.final) for reply in heard.all(Reply)] == [("Running.", False), ("They pass.", True)]
    assert heard.only(SessionEnded).at.second == 6
    assert heard.bad == []


def test_a_tool_that_failed_says_why() -> None:
    heard = Heard(
        parse,
        [
            user(1, "Go."),
            assistant(2, call(command="cat gone.txt")),
            user(3, result([text("Exit code 1\nNo such file")], is_error=True)),
        ],
    )
    failed = heard.only(ToolFailed)
    assert (failed.error, failed.input, failed.call) == (
        "Exit code 1\nNo such file",
        {"command": "cat gone.txt"},
        "toolu_1",
    )


@pytest.mark.parametrize(
    ("content", "more", "said", "origin"),
    [
        ("Use tabs here.", {}, "Use tabs here.", Origin.USER),
        ([text("Use tabs here."), {"type": "image", "source": {}}], {}, "Use tabs here.", Origin.USER),
        (
            "<command-name>/review</command-name>\n<command-args>the parser</command-args>",
            {},
            "/review the parser",
            Origin.COMMAND,
        ),
        ("<bash-input>git status</bash-input>", {}, "! git status", Origin.COMMAND),
        ("Implement the following plan:\n\n# Plan", {}, "Implement the following plan:\n\n# Plan", Origin.COMMAND),
        ("[Request interrupted by user]", {}, "[Request interrupted by user]", Origin.NOTIFICATION),
        (
            [text("[Request interrupted by user for tool use]"), text("Use uv here.")],
            {},
            "Use uv here.",
            Origin.USER,
        ),
        ("<system_instruction>\nAn app.\n</system_instruction>\n\nUse tabs.", {}, "Use tabs.", Origin.USER),
        ("[Image #1] Make it blue.", {}, "Make it blue.", Origin.USER),
        ("[Image #1]", {}, "[Image #1]", Origin.NOTIFICATION),
        ("Stop hook feedback:\n- lint", {}, "Stop hook feedback:\n- lint", Origin.NOTIFICATION),
        (
            "<ci-monitor-event>It failed.</ci-monitor-event>",
            {},
            "<ci-monitor-event>It failed.</ci-monitor-event>",
            Origin.NOTIFICATION,
        ),
        ("<my-tag> is not closed, why?", {}, "<my-tag> is not closed, why?", Origin.USER),
        ("Base directory for this skill: /s", {}, "Base directory for this skill: /s", Origin.NOTIFICATION),
        ("A skill was loaded.", {"isMeta": True}, "A skill was loaded.", Origin.NOTIFICATION),
        ("It is done.", {"origin": {"kind": "task-notification"}}, "It is done.", Origin.NOTIFICATION),
        ("Typed.", {"origin": {"kind": "human"}}, "Typed.", Origin.USER),
        ("<system-reminder>Be nice.</system-reminder>\nUse tabs.", {}, "Use tabs.", Origin.USER),
        ("<recollect>\n[PREF] Tabs. (2026-01-01, m1)\n</recollect>\nGo on.", {}, "Go on.", Origin.USER),
    ],
)
def test_who_really_speaks_is_told(content: Any, more: dict[str, Any], said: str, origin: Origin) -> None:
    prompt = Heard(parse, [user(1, content, **more)]).only(Prompt)
    assert (prompt.text, prompt.origin) == (said, origin)


def test_the_template_of_a_command_is_not_what_its_user_said() -> None:
    command = "<command-message>tidy</command-message>\n<command-name>/tidy</command-name>"
    heard = Heard(parse, [user(1, command), user(2, "Always tidy every file.", isMeta=True)])
    assert [prompt.origin for prompt in heard.all(Prompt)] == [Origin.COMMAND, Origin.COMMAND]


def test_another_agent_has_a_session_of_its_own() -> None:
    heard = Heard(
        parse,
        [
            user(1, "Find the bug."),
            user(2, "Look at all parsers.", isSidechain=True, agentId="a1"),
            assistant(3, text("It is in the lexer."), isSidechain=True, agentId="a1"),
            assistant(4, text("Found."), stop="end_turn"),
        ],
    )
    order = heard.all(Prompt)[1]
    assert (order.session, order.parent, order.origin) == (f"{SESSION}:a1", SESSION, Origin.SUBAGENT)
    assert [event.session for event in heard.all(SessionEnded)] == [SESSION, f"{SESSION}:a1"]


def test_agents_of_a_version_that_does_not_name_them_share_a_session() -> None:
    heard = Heard(parse, [user(1, "Look.", isSidechain=True)])
    assert heard.only(Prompt).session == f"{SESSION}:agents"


def test_a_compaction_comes_with_what_the_model_wrote() -> None:
    summary = (
        "This session is being continued from a previous conversation that ran out of context. It covers the rest.\n\n"
        "The queue was moved to Redis.\n\nIf you need specific details from before compaction, read on elsewhere."
    )
    boundary = line("system", 2, subtype="compact_boundary", content="Conversation compacted")
    heard = Heard(parse, [user(1, "Go."), boundary, user(3, summary, isCompactSummary=True), user(4, "Next.")])
    assert heard.only(Compacted).summary == "The queue was moved to Redis."
    assert [prompt.text for prompt in heard.all(Prompt)] == ["Go.", "Next."]


def test_a_compaction_without_a_summary_is_one_all_the_same() -> None:
    boundary = line("system", 2, subtype="compact_boundary")
    heard = Heard(parse, [user(1, "Go."), boundary, user(3, "Next."), boundary])
    assert heard.kinds == ["SessionStarted", "Prompt", "Compacted", "Prompt", "Compacted", "SessionEnded"]


def test_what_was_typed_while_the_agent_worked_counts_and_what_was_attached_does_not() -> None:
    def attached(number: int, **attachment: Any) -> dict[str, Any]:
        return line("attachment", number, attachment=attachment)

    heard = Heard(
        parse,
        [
            attached(1, type="hook_additional_context", content=["<recollect>old</recollect>"]),
            attached(2, type="queued_command", prompt="Also the docs.", commandMode="prompt"),
            attached(3, type="queued_command", prompt="<task-notification>x", commandMode="task-notification"),
        ],
    )
    assert [(prompt.text, prompt.origin) for prompt in heard.all(Prompt)] == [
        ("Also the docs.", Origin.USER),
        ("<task-notification>x", Origin.NOTIFICATION),
    ]


def test_what_no_model_said_is_no_reply() -> None:
    synthetic = assistant(2, text("No response requested."))
    synthetic["message"]["model"] = "<synthetic>"
    heard = Heard(parse, [user(1, "Go."), synthetic, assistant(3, text("API Error"), isApiErrorMessage=True)])
    assert heard.all(Reply) == []


@pytest.mark.parametrize(
    "strange",
    [
        {"type": "summary", "summary": "A title", "leafUuid": "x"},
        {"type": "file-history-snapshot", "snapshot": {}},
        {"type": "user", "message": {"content": "of no session"}},
        {"type": "something-new", "sessionId": SESSION, "timestamp": "2026-02-20T10:00:00Z"},
        user(2, None),
        user(2, [1, None, {"type": "text"}, {"type": "tool_result"}]),
        line("assistant", 2, message="text"),
        line("attachment", 2, attachment=[]),
    ],
)
def test_what_is_not_known_is_passed_over(strange: dict[str, Any]) -> None:
    heard = Heard(parse, [user(1, "Go."), strange, user(3, "On.")])
    assert [prompt.text for prompt in heard.all(Prompt)] == ["Go.", "On."]
    assert heard.bad == []


def test_a_line_that_cannot_be_used_is_named_and_the_rest_is_kept() -> None:
    heard = Heard(parse, [user(1, "Go."), user(2, "Odd.", sessionId="x" * 600), ["no object"], user(4, "On.")])
    assert [prompt.text for prompt in heard.all(Prompt)] == ["Go.", "On."]
    assert [number for number, _ in heard.bad] == [2, 3]


def test_a_line_without_a_time_is_as_late_as_the_one_before_it() -> None:
    heard = Heard(parse, [user(1, "A.", timestamp=None), user(2, "B."), user(3, "C.", timestamp="soon")])
    first, second, third = heard.all(Prompt)
    assert first.at == OTHERWISE
    assert third.at == second.at


def test_a_message_without_an_id_gets_the_same_one_each_time() -> None:
    lines = [user(1, "A.", uuid=None), user(2, "A.", uuid=None)]
    first, again = Heard(parse, lines).all(Prompt), Heard(parse, lines).all(Prompt)
    assert [prompt.message for prompt in first] == [prompt.message for prompt in again]
    assert len({prompt.message for prompt in first}) == 2


@pytest.mark.parametrize(("began_by", "headless"), [("sdk-cli", True), ("sdk-py", True), ("cli", False), (None, False)])
def test_it_says_whether_a_script_began_the_session(began_by: str | None, headless: bool) -> None:
    told = {} if began_by is None else {"entrypoint": began_by}
    heard = Heard(parse, [user(1, "Run the tests.", **told), assistant(2, text("They pass."), stop="end_turn", **told)])
    assert {event.headless for event in heard.events if not isinstance(event, SessionEnded)} == {headless}


def test_a_question_has_its_answer_and_what_was_written_besides() -> None:
    asked = {"question": "Tabs or spaces?", "options": [{"label": "Tabs"}, {"label": "Spaces"}]}
    account = {
        "answers": {"Tabs or spaces?": "Tabs"},
        "annotations": {"Tabs or spaces?": {"notes": 'As "gofmt" does.'}},
    }
    heard = Heard(
        parse,
        [
            user(1, "Format it."),
            assistant(2, call("AskUserQuestion", questions=[asked])),
            user(3, result("User has answered your questions: ..."), toolUseResult=account),
        ],
    )
    assert heard.only(ToolSucceeded).input == {
        "questions": [asked],
        "answers": {"Tabs or spaces?": "Tabs"},
        "notes": {"Tabs or spaces?": 'As "gofmt" does.'},
    }


def test_an_old_summary_is_a_compaction_though_nothing_marks_it() -> None:
    said = "This session is being continued from a previous conversation that ran out of context.\n\nThe parser works."
    assert Heard(parse, [user(1, said)]).only(Compacted).summary == "The parser works."
