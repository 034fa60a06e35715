"""Shapes as OpenCode 1.18.33 keeps and exports them; the words are ours."""

from typing import Any

from recollect.domain.event import Compacted, Prompt, Reply, SessionStarted, ToolFailed, ToolSucceeded
from recollect.domain.learning import Origin
from recollect.hosts.opencode_transcript import parse
from tests.hosts.old_sessions import Heard

AT_MS = 1_771_581_600_000


def session(**more: Any) -> dict[str, Any]:
    about = {"id": "ses_1", "directory": "/home/dev/shop", "agent": "build", "time": {"created": AT_MS}}
    return {"session": about | more}


def message(name: str, role: str, *parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    info = {"id": name, "sessionID": "ses_1", "role": role, "time": {"created": AT_MS + 1000}, "agent": "plan"}
    return {"message": info | more, "parts": list(parts)}


def text(said: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": said, **more}


def tool(status: str, **state: Any) -> dict[str, Any]:
    about = {"status": status, "input": {"command": "make"}, "time": {"start": AT_MS + 1, "end": AT_MS + 2000}}
    return {"type": "tool", "tool": "bash", "callID": "call_1", "state": about | state}


def test_a_turn_becomes_its_prompt_its_reply_and_its_tools() -> None:
    heard = Heard(
        parse,
        [
            session(),
            message("msg_1", "user", text("Build it."), text("Called the Read tool", synthetic=True)),
            message(
                "msg_2",
                "assistant",
                {"type": "step-start"},
                text("Building."),
                tool("completed", output="built", metadata={"exit": 0}),
                tool("running"),
                finish="tool-calls",
            ),
            message("msg_3", "assistant", text("It is built."), finish="stop"),
        ],
    )
    assert heard.kinds == ["SessionStarted", "Prompt", "Reply", "ToolSucceeded", "Reply", "SessionEnded"]
    started, prompt, done = heard.only(SessionStarted), heard.only(Prompt), heard.only(ToolSucceeded)
    assert (started.session, started.folder, started.agent, started.host) == (
        "ses_1",
        "/home/dev/shop",
        "build",
        "opencode",
    )
    assert (prompt.message, prompt.text, prompt.origin, prompt.agent) == ("msg_1", "Build it.", Origin.USER, "plan")
    assert (done.tool, done.input, done.output, done.call) == ("bash", {"command": "make"}, "built", "call_1")
    assert done.at > prompt.at
    assert [(reply.message, reply.final) for reply in heard.all(Reply)] == [("msg_2", False), ("msg_3", True)]


def test_a_tool_failed_by_its_state_or_by_its_exit_code() -> None:
    parts = (tool("error", error="File not found"), tool("completed", output="broken", metadata={"exit": 2}))
    heard = Heard(parse, [session(), message("msg_2", "assistant", *parts)])
    assert [(failed.error, failed.message) for failed in heard.all(ToolFailed)] == [
        ("File not found", "msg_2"),
        ("broken", "msg_2"),
    ]


def test_a_compaction_comes_with_what_the_model_wrote() -> None:
    heard = Heard(
        parse,
        [
            session(),
            message("msg_1", "user", {"type": "compaction", "auto": True}),
            message("msg_2", "assistant", text("The queue is in Redis."), summary=True, mode="compaction"),
            message("msg_3", "user", text("Continue if you have next steps.", synthetic=True)),
        ],
    )
    assert heard.only(Compacted).summary == "The queue is in Redis."
    assert heard.all(Prompt) == []


def test_what_an_agent_orders_from_another_was_not_typed() -> None:
    heard = Heard(parse, [session(parentID="ses_0"), message("msg_1", "user", text("Look."))])
    assert (heard.only(SessionStarted).parent, heard.only(Prompt).origin) == ("ses_0", Origin.SUBAGENT)


def test_our_own_block_is_left_out() -> None:
    block = "<recollect>\n[PREF] Tabs. (2026-01-01, m1)\n</recollect>\nGo on."
    assert Heard(parse, [session(), message("msg_1", "user", text(block))]).only(Prompt).text == "Go on."


def test_what_cannot_be_used_is_named_and_the_rest_is_kept() -> None:
    nameless = message("", "user", text("Lost."))
    heard = Heard(parse, [session(), nameless, {"other": 1}, message("msg_1", "user", text("Kept."), None)])  # type: ignore[arg-type]
    assert heard.only(Prompt).text == "Kept."
    assert [number for number, _ in heard.bad] == [2, 3]


def test_a_question_has_all_that_was_picked() -> None:
    asked = [{"question": "Which stores?", "multiple": True, "options": [{"label": "SQLite"}, {"label": "Postgres"}]}]
    state = {"input": {"questions": asked}, "output": "...", "metadata": {"answers": [["SQLite", "Postgres"]]}}
    heard = Heard(parse, [session(), message("msg_1", "assistant", tool("completed", **state) | {"tool": "question"})])
    answers = {"Which stores?": "SQLite, Postgres"}
    assert heard.only(ToolSucceeded).input == {"questions": asked, "answers": answers}
