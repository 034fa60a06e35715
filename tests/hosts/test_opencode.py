"""As the plugin tells them from OpenCode 1.18.33, cut."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from recollect.domain.errors import InvalidValue, PayloadError
from recollect.domain.event import (
    Compacted,
    Compacting,
    InitialMessage,
    Prompt,
    Reply,
    SessionDeleted,
    SessionEnded,
    SessionStarted,
    StartSource,
    ToolFailed,
    ToolSucceeded,
)
from recollect.domain.injection import Injection, Placement, QuietReason
from recollect.domain.learning import Origin
from recollect.hosts.opencode import AT_WORK, HOOKS, normalise, render
from tests.builders import NOW
from tests.requirements import covers

SESSION = "ses_e1a6ca9ebffeNO2Ncd1pTC0EE3"
NOW_MS = int(NOW.timestamp() * 1000)
ABOUT: dict[str, Any] = {"directory": "/home/dev/shop", "sessionID": SESSION, "agent": "build", "window": 30_000}
START: dict[str, Any] = {**ABOUT, "hook": "session.start"}
PROMPT: dict[str, Any] = {
    **ABOUT,
    "hook": "chat.message",
    "messageID": "msg_1e5936443001FZ1WJUDMJq9P5q",
    "at": NOW_MS - 40,
    "live": ["start", "msg_1e5935f4c001oM4bmvCqAwMpqi"],
    "parts": [
        {"type": "text", "text": "How is auth handled?"},
        {
            "type": "text",
            "text": 'Called the Read tool with the following input: {"filePath":"/home/dev/shop/auth.py"}',
            "synthetic": True,
        },
        {"type": "text", "text": "not for the model", "ignored": True},
        {"type": "file", "mime": "text/plain", "filename": "auth.py", "path": "/home/dev/shop/auth.py"},
    ],
}
TOOL: dict[str, Any] = {
    **ABOUT,
    "hook": "tool",
    "messageID": "msg_1e5935f9a001jLh9",
    "callID": "call_3",
    "at": NOW_MS - 17,
    "live": ["start"],
    "tool": "bash",
    "state": {
        "status": "completed",
        "input": {"command": "ls", "description": "x"},
        "output": "README.md\n",
        "metadata": {"output": "README.md\n", "exit": 0, "truncated": False},
        "title": "ls",
        "time": {"start": NOW_MS - 160, "end": NOW_MS - 17},
    },
}
BASH_FAILED = {
    "status": "completed",
    "input": {"command": "echo boom; exit 3", "description": "x"},
    "output": "boom\n",
    "metadata": {"output": "boom\n", "exit": 3, "truncated": False},
}
READ_FAILED = {
    "status": "error",
    "input": {"filePath": "/nowhere/x.txt"},
    "error": "File not found: /nowhere/x.txt",
    "time": {"start": NOW_MS - 34, "end": NOW_MS - 17},
}
CONTINUE = "Continue if you have next steps, or stop and ask for clarification if you are unsure how to proceed."


def the_prompt(**change: Any) -> Prompt:
    event = normalise(PROMPT | change, NOW)
    assert isinstance(event, Prompt)
    return event


def test_a_session_that_is_heard_of_starts() -> None:
    event = normalise(START, NOW)
    assert isinstance(event, SessionStarted)
    assert (event.session, event.folder, event.host, event.at) == (SESSION, "/home/dev/shop", "opencode", NOW)
    assert (event.source, event.window_tokens, event.parent) == (StartSource.STARTUP, 30_000, None)
    assert event.offered


def test_after_a_compaction_it_starts_again() -> None:
    event = normalise(START | {"source": "compact"}, NOW)
    assert isinstance(event, SessionStarted)
    assert event.source is StartSource.COMPACT


def test_a_session_says_what_it_begins_with() -> None:
    messages = [
        {"id": "msg_a", "at": NOW_MS - 5000, "calls": []},
        {"id": "msg_b", "at": NOW_MS - 4000, "calls": [{"id": "call_3", "at": NOW_MS - 3900}]},
        {"id": "msg_c", "at": 0},
    ]
    event = normalise(START | {"messages": messages}, NOW)
    assert isinstance(event, SessionStarted)
    first, second, third = event.holds
    assert first == InitialMessage(message=first.message, at=NOW - timedelta(seconds=5))
    assert second.calls == {"call_3": NOW - timedelta(seconds=3.9)}
    assert third.at.year == 1970


def test_a_prompt_is_what_the_user_typed() -> None:
    event = the_prompt()
    assert (event.text, event.message, event.agent) == ("How is auth handled?", PROMPT["messageID"], "build")
    assert event.live == (None, "msg_1e5935f4c001oM4bmvCqAwMpqi")
    assert event.origin is Origin.USER
    assert event.confirms


def test_what_was_attached_is_named() -> None:
    assert the_prompt().files == ("/home/dev/shop/auth.py",)
    picture = {"type": "file", "mime": "image/png", "filename": "screen.png"}
    unnamed = {"type": "file", "mime": "image/png"}
    event = the_prompt(parts=[picture, unnamed])
    assert (event.text, event.files, event.origin) == ("", ("screen.png",), Origin.USER)


def test_the_template_of_a_slash_command_is_not_the_user_speaking() -> None:
    event = the_prompt(command="greet", parts=[{"type": "text", "text": "Say hi to bob please."}])
    assert (event.text, event.origin) == ("Say hi to bob please.", Origin.COMMAND)


def test_the_prompt_of_a_subagent_is_not_the_user_speaking() -> None:
    event = the_prompt(parentID=SESSION, sessionID="ses_e1a6c991effeMDPK6EX1kFg3ni", agent="general")
    assert (event.origin, event.parent) == (Origin.SUBAGENT, SESSION)


@pytest.mark.parametrize(
    "parts",
    [
        [{"type": "text", "text": CONTINUE, "synthetic": True, "metadata": {"compaction_continue": True}}],
        [{"type": "compaction", "auto": True}],
        [{"type": "text", "text": "for the person", "ignored": True}],
    ],
)
def test_what_only_the_client_says_is_a_notice_without_words(parts: list[dict[str, Any]]) -> None:
    event = the_prompt(parts=parts)
    assert (event.text, event.origin) == ("", Origin.NOTIFICATION)


def test_what_happened_has_the_time_of_the_client() -> None:
    assert the_prompt().at == NOW - timedelta(milliseconds=40)


@pytest.mark.parametrize("at", [NOW_MS + 1, NOW_MS - 86_400_001, 0, 250_000_000_000_000, None])
def test_a_clock_that_is_wrong_is_not_believed(at: int | None) -> None:
    assert the_prompt(at=at).at == NOW


def test_a_tool_that_did_its_work_succeeded() -> None:
    event = normalise(TOOL, NOW)
    assert isinstance(event, ToolSucceeded)
    assert (event.tool, event.input["command"], event.output, event.call) == ("bash", "ls", "README.md\n", "call_3")
    assert event.at == NOW - timedelta(milliseconds=17)


def test_a_question_has_its_answer() -> None:
    asked = [{"question": "Tabs or spaces?", "options": [{"label": "Tabs"}, {"label": "Spaces"}]}]
    state = {"status": "completed", "input": {"questions": asked}, "output": "", "metadata": {"answers": [["Tabs"]]}}
    event = normalise(TOOL | {"tool": "question", "state": state}, NOW)
    assert isinstance(event, ToolSucceeded)
    assert event.input == {"questions": asked, "answers": {"Tabs or spaces?": "Tabs"}}


@pytest.mark.parametrize("code", [None, False, True, "1", 0])
def test_without_a_code_that_says_so_no_tool_failed(code: object) -> None:
    event = normalise(TOOL | {"state": BASH_FAILED | {"metadata": {"exit": code}}}, NOW)
    assert isinstance(event, ToolSucceeded)


def test_a_shell_that_ended_badly_failed_with_what_it_printed() -> None:
    event = normalise(TOOL | {"state": BASH_FAILED}, NOW)
    assert isinstance(event, ToolFailed)
    assert (event.tool, event.error, event.call) == ("bash", "boom\n", "call_3")
    assert (event.message, event.live) == (TOOL["messageID"], (None,))


def test_a_shell_that_ended_badly_without_a_word_failed_all_the_same() -> None:
    event = normalise(TOOL | {"state": {"status": "completed", "metadata": {"exit": 1}}}, NOW)
    assert isinstance(event, ToolFailed)
    assert event.error == ""


def test_a_tool_that_could_not_do_its_work_failed() -> None:
    event = normalise(TOOL | {"tool": "read", "state": READ_FAILED}, NOW)
    assert isinstance(event, ToolFailed)
    assert (event.error, event.input) == (READ_FAILED["error"], READ_FAILED["input"])


def test_a_reply_is_what_the_agent_said() -> None:
    told = {**ABOUT, "hook": "reply", "messageID": "msg_r", "at": NOW_MS, "text": "Understood.", "final": True}
    event = normalise(told, NOW)
    assert isinstance(event, Reply)
    assert (event.text, event.final, event.message) == ("Understood.", True, "msg_r")


def test_the_rest_of_the_life_of_a_session() -> None:
    def told(hook: str, **besides: object) -> object:
        return normalise({**ABOUT, "hook": hook, **besides}, NOW)

    assert isinstance(told("session.compacting"), Compacting)
    compacted = told("session.compacted", summary="Nothing is left to do.", at=NOW_MS)
    assert isinstance(compacted, Compacted)
    assert compacted.summary == "Nothing is left to do."
    assert isinstance(told("session.ended"), SessionEnded)
    assert isinstance(told("session.deleted"), SessionDeleted)


@pytest.mark.parametrize(
    ("payload", "change", "message"),
    [
        (PROMPT, {"hook": None}, "`hook`"),
        (PROMPT, {"hook": "chat.massage"}, "unknown hook 'chat.massage'"),
        (PROMPT, {"sessionID": ""}, "`sessionID`"),
        (PROMPT, {"sessionID": 7}, "`sessionID`"),
        (PROMPT, {"messageID": None}, "`messageID`"),
        (PROMPT, {"parts": "text"}, "`parts`"),
        (PROMPT, {"parts": None}, "`parts`"),
        (PROMPT, {"directory": 3}, "`directory`"),
        (PROMPT, {"directory": "relative"}, "`directory` is not an absolute path"),
        (PROMPT, {"directory": "~"}, "`directory` is not an absolute path"),
        (PROMPT, {"live": "m1"}, "`live`"),
        (PROMPT, {"live": [1]}, "`live`"),
        (PROMPT, {"at": "yesterday"}, "`at`"),
        (PROMPT, {"at": True}, "`at`"),
        (PROMPT, {"at": 1e300}, "`at`"),
        (PROMPT, {"at": float("nan")}, "`at`"),
        (PROMPT, {"parentID": 3}, "`parentID`"),
        (PROMPT, {"command": 3}, "`command`"),
        (START, {"source": "afresh"}, "`source`"),
        (START, {"messages": {}}, "`messages`"),
        (START, {"messages": ["m"]}, "`messages`"),
        (TOOL, {"tool": ""}, "`tool`"),
        (TOOL, {"callID": None}, "`callID`"),
        (TOOL, {"messageID": None}, "`messageID`"),
        (TOOL, {"state": None}, "`state`: `status`"),
        (TOOL, {"state": {"status": "running"}}, "`state`: `status`"),
        (TOOL, {"state": {"status": "error"}}, "`state`: `error`"),
        (TOOL, {"state": {"status": "completed", "input": "ls"}}, "`state`: `input`"),
        (TOOL, {"state": {"status": "completed", "output": 3}}, "`state`: `output`"),
        ({**ABOUT, "hook": "reply", "messageID": "m"}, {}, "`text`"),
        ({**ABOUT, "hook": "reply", "messageID": "m", "text": "x", "final": "yes"}, {}, "`final`"),
        ({**ABOUT, "hook": "session.compacted"}, {"summary": 3}, "`summary`"),
    ],
)
def test_a_payload_of_another_form_is_refused_with_the_field(
    payload: dict[str, Any], change: dict[str, Any], message: str
) -> None:
    with pytest.raises(PayloadError, match=message):
        normalise(payload | change, NOW)


@pytest.mark.parametrize("message", ["\ud83d", "m\n1", "m" * 1000])
def test_a_reply_whose_message_has_no_usable_name_is_refused(message: str) -> None:
    with pytest.raises(InvalidValue, match="message"):
        normalise({**ABOUT, "hook": "reply", "messageID": message, "text": "Done."}, NOW)


def test_what_a_newer_client_says_besides_is_left_alone() -> None:
    assert the_prompt(mood="good", variant={"a": 1}) == the_prompt()


@pytest.mark.parametrize("window", [0, -1, 1.5, 30_000.0, "large", True, [], 10**12, float("nan")])
def test_a_model_that_nobody_described_has_an_unknown_window(window: object) -> None:
    assert the_prompt(window=window).window_tokens is None
    assert normalise(START | {"window": window}, NOW).window_tokens is None


@pytest.mark.parametrize(
    "odd",
    [
        {"id": "m2"},
        {"at": NOW_MS},
        {"id": "m2", "at": "then"},
        {"id": "m2", "at": -5},
        {"id": "m" * 1000, "at": NOW_MS},
        {"id": "m\ud83d", "at": NOW_MS},
        {},
    ],
)
def test_an_odd_message_of_long_ago_is_passed_over(odd: dict[str, Any]) -> None:
    fine = {"id": "m1", "at": NOW_MS}
    begun = normalise(START | {"messages": [odd, fine]}, NOW)
    assert isinstance(begun, SessionStarted)
    assert [held.message for held in begun.holds] == ["m1"]


@pytest.mark.parametrize(
    "odd", [{"id": "c2"}, {"at": NOW_MS}, {"id": "c2", "at": None}, {"id": "c" * 1000, "at": NOW_MS}, "c2"]
)
def test_of_a_message_of_long_ago_an_odd_call_is_passed_over(odd: object) -> None:
    calls = [odd, {"id": "c1", "at": NOW_MS}]
    begun = normalise(START | {"messages": [{"id": "m1", "at": NOW_MS, "calls": calls}]}, NOW)
    assert isinstance(begun, SessionStarted)
    assert [(held.message, list(held.calls)) for held in begun.holds] == [("m1", ["c1"])]


def test_parts_of_a_strange_form_are_passed_over() -> None:
    assert the_prompt(parts=[None, 3, {"type": "text"}, {"type": "text", "text": "Hi"}]).text == "Hi"


anything = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(max_size=5),
    lambda inside: some.lists(inside, max_size=3) | some.dictionaries(some.text(max_size=5), inside, max_size=3),
    max_leaves=6,
)


@given(some.sampled_from(sorted(HOOKS)), some.sampled_from([START, PROMPT, TOOL]), some.data())
def test_whatever_is_told_becomes_an_event_or_is_refused(
    hook: str, payload: dict[str, Any], data: some.DataObject
) -> None:
    name = data.draw(some.sampled_from(sorted({*payload, "messages", "text", "summary"})))
    changed = payload | {"hook": hook, name: data.draw(anything)}
    try:
        event = normalise(changed, NOW)
    except (PayloadError, InvalidValue):
        return
    assert event.host == "opencode"


def test_the_answer_carries_the_block() -> None:
    assert render(Injection(placement=Placement.MESSAGE, block="b")) == {"block": "b", "placement": "message"}


def test_the_answer_to_a_start_has_a_line_for_the_person() -> None:
    started = Injection(placement=Placement.SYSTEM, block="b")
    assert render(started) == {"block": "b", "placement": "system", "notice": AT_WORK}
    assert render(replace(started, notice="Welcome."))["notice"] == "Welcome."


def test_where_it_is_switched_off_nobody_is_told_that_it_is_at_work() -> None:
    assert "notice" not in render(Injection(placement=Placement.SYSTEM, quiet=QuietReason.OFF))


def test_the_answer_says_that_the_disk_takes_nothing() -> None:
    assert render(Injection(placement=Placement.MESSAGE, kept=False))["kept"] is False


@pytest.mark.parametrize(
    ("sent", "typed"),
    [
        ('"Always use \\"pnpm\\" here"', 'Always use "pnpm" here'),
        ('"fix the\ntest now"\npiped text', "fix the\ntest now\npiped text"),
        ('fix "the test" now', 'fix "the test" now'),
        ('"one" and "two"', '"one" and "two"'),
        ('"word"', '"word"'),
    ],
)
@covers("OC-1", "CAP-6")
def test_what_is_given_to_run_loses_the_quotes_that_the_client_adds(sent: str, typed: str) -> None:
    prompt = {**PROMPT, "parts": [{"type": "text", "text": sent}]}
    told = normalise({**prompt, "run": True}, NOW)
    assert isinstance(told, Prompt)
    assert told.text == typed
    by_hand = normalise(prompt, NOW)
    assert isinstance(by_hand, Prompt)
    assert by_hand.text == sent


@covers("CAP-5")
def test_a_session_where_nobody_sits_says_so() -> None:
    assert normalise({**PROMPT, "headless": True}, NOW).headless
    assert not normalise(PROMPT, NOW).headless
