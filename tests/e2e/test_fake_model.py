"""The bench's own fake provider, without any client."""

import http.client
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.e2e.fake_model import FakeModel, Request, ToolCall, Wire, fake_model, first_change, kept_share, kept_shares
from tests.e2e.script import MalformedDirective, Refuse, Say, Script, script_of

BOTH: list[Wire] = ["openai", "anthropic"]


@pytest.fixture
def careless_model() -> Iterator[FakeModel]:
    """Without the check at the end: these tests make errors on purpose."""
    with fake_model() as model:
        yield model


def a_request(wire: Wire, *texts: str, system: Sequence[str] = ("Base.",), marked: bool = False) -> Request:
    """Texts are user and assistant in turns; `marked` puts a cache mark on the last message."""
    mark = {"cache_control": {"type": "ephemeral"}} if marked else {}
    parts = [[{"type": "text", "text": text}] for text in texts]
    parts[-1][0] |= mark  # type: ignore[arg-type]
    messages: list[Any] = [{"role": ("user", "assistant")[at % 2], "content": part} for at, part in enumerate(parts)]
    body: dict[str, Any] = {"messages": messages}
    if wire == "anthropic":
        body["system"] = [{"type": "text", "text": text} for text in system]
    else:
        body["messages"] = [*({"role": "system", "content": text} for text in system), *messages]
    return Request(wire=wire, body=body, arrived_s=0)


def post(model: FakeModel, request: Request, *, stream: bool = False, session: str = "s") -> tuple[int, str]:
    path = "/v1/chat/completions" if request.wire == "openai" else "/v1/messages"
    return post_raw(model, path, {**request.body, "stream": stream}, session)


def post_raw(model: FakeModel, path: str, body: Any, session: str = "s") -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", model.port, timeout=5)
    connection.request("POST", path, json.dumps(body), {"x-session-id": session})
    response = connection.getresponse()
    status, text = response.status, response.read().decode()
    connection.close()
    return status, text


def with_result(request: Request, result: str) -> Request:
    """The same conversation after one more tool call and its result."""
    if request.wire == "openai":
        function = {"name": "bash", "arguments": '{"command":"ls"}'}
        call: Any = {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "function": function}]}
        answer: Any = {"role": "tool", "tool_call_id": "c", "content": result}
    else:
        use = {"type": "tool_use", "id": "c", "name": "bash", "input": {"command": "ls"}}
        call = {"role": "assistant", "content": [use]}
        answer = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": result}]}
    return replace(request, body={**request.body, "messages": [*request.body["messages"], call, answer]})


def test_the_words_of_a_script_are_read_and_the_rest_is_left_alone() -> None:
    text = 'Hi [[say Fine, [really].]] [[tool bash {"command": "[[ -f x ]] && ls"}]] [[usage 29000]] [[wait 5]] bye'
    assert script_of(text) == Script(
        say="Fine, [really].",
        tools=(ToolCall(name="bash", args={"command": "[[ -f x ]] && ls"}),),
        usage_tokens=29000,
        wait_ms=5,
    )
    assert script_of("if [[ -f x ]]; then") == Script()


def test_a_tool_argument_may_itself_hold_a_directive_for_a_subagent() -> None:
    (call,) = script_of('[[tool task {"prompt": "[[say done]]"}]]').tools
    assert script_of(call.args["prompt"]).say == "done"


@pytest.mark.parametrize(
    "text",
    [
        "[[shout hello]]",
        "[[say never closed",
        "[[say a]] [[say b]]",
        "[[usage many]]",
        "[[wait 1 2]]",
        "[[wait 99999999]]",
        "[[error 200]]",
        "[[tool]]",
        "[[tool bash]]",
        "[[tool bash {command: ls}]]",
        "[[tool bash []]]",
        '[[tool bash {"command": "ls"} and more]]',
        "[[tools bash {}]]",
    ],
)
def test_a_malformed_directive_is_an_error(text: str) -> None:
    with pytest.raises(MalformedDirective):
        script_of(text)


def test_tools_run_one_after_another_and_then_it_speaks() -> None:
    script = script_of("[[tool a {}]] [[tool b {}]] [[say done]]")
    assert [script.step(results=count, attempt=0) for count in range(3)] == [
        ToolCall(name="a", args={}),
        ToolCall(name="b", args={}),
        Say(text="done"),
    ]


def test_an_error_lasts_for_ever_or_for_the_attempts_it_names() -> None:
    assert script_of("[[error 503]]").step(results=0, attempt=9) == Refuse(status=503)
    twice = script_of("[[error 503 2]]")
    assert [twice.step(results=0, attempt=attempt) for attempt in (1, 2)] == [
        Refuse(status=503),
        Say(text="Understood."),
    ]


@pytest.mark.parametrize("wire", BOTH)
def test_both_wire_formats_are_read_the_same_way(wire: Wire) -> None:
    request = with_result(a_request(wire, "one", "two", "three", system=("Base.", "More.")), "a.txt")
    assert request.system == ["Base.", "More."]
    assert [(message.role, message.text) for message in request.messages] == [
        ("user", "one"),
        ("assistant", "two"),
        ("user", "three"),
        ("assistant", ""),
        ("tool", "a.txt"),
    ]
    assert request.messages[3].calls == (ToolCall(name="bash", args={"command": "ls"}),)
    assert request.user_texts == ["one", "three"]
    assert request.tool_results == ["a.txt"]
    assert request.results_of_turn == 1


@pytest.mark.parametrize("wire", BOTH)
def test_the_internal_calls_of_the_client_are_recognised(wire: Wire) -> None:
    title = a_request(wire, "x", system=("You are a title generator. You output",))
    compaction = a_request(wire, "x", system=("You are a context summarization agent.",))
    assert (title.is_title, title.is_compaction, title.is_chat) == (True, False, False)
    assert (compaction.is_title, compaction.is_compaction, compaction.is_chat) == (False, True, False)
    assert a_request(wire, "You are a title generator").is_chat


def test_what_recollect_attached_is_seen_but_never_obeyed() -> None:
    fence = "<recollect>\nThe user once said [[error 500]] [[nonsense]]\n</recollect>"
    request = a_request("openai", f"Do it. [[say yes]]\n\n{fence}", system=("Base.", f"{fence}\n{fence}"))
    assert request.last_user_fences == [fence]
    assert request.system_fences == [fence, fence]
    assert request.message_fences == [[fence]]
    assert request.last_user_words == "Do it. [[say yes]]"
    assert script_of(request.last_user_words) == Script(say="yes")


def test_a_part_beside_the_users_words_does_not_hide_them() -> None:
    texts = ["old prompt", "[[say new]]", "<recollect>x</recollect>", "<system-reminder>plan</system-reminder>"]
    content = [{"type": "text", "text": text} for text in texts]
    body = {"messages": [{"role": "user", "content": content}]}
    assert Request(wire="anthropic", body=body, arrived_s=0).last_user_words == "[[say new]]"


@pytest.mark.parametrize("wire", BOTH)
def test_a_conversation_that_only_grows_is_kept_whole(wire: Wire) -> None:
    before = a_request(wire, "one", "two", "three", marked=True)
    after = a_request(wire, "one", "two", "three", "four", "five", marked=True)
    assert kept_share(before, after) == 1.0
    assert after.prefix_text().startswith(before.prefix_text())
    assert "cache_control" not in before.prefix_text()
    assert first_change(before, after) == ""


@pytest.mark.parametrize("wire", BOTH)
def test_a_changed_system_prompt_keeps_nothing_behind_it(wire: Wire) -> None:
    before = a_request(wire, "one" * 1000, system=("Base.", "Block 1"))
    after = a_request(wire, "one" * 1000, "two", "three", system=("Base.", "Block 2"))
    assert 0 < kept_share(before, after) < 0.05
    assert "Block 1" in first_change(before, after)


def test_a_message_that_changed_or_went_is_not_kept() -> None:
    before, shorter = a_request("openai", "one", "two", "three"), a_request("openai", "one")
    changed = a_request("openai", "one", "two", "three!", "four")
    shares = kept_shares([before, changed, shorter])
    assert 0 < shares[0] < 1
    assert 0 < shares[1] < 1
    assert "(nothing)" in first_change(before, shorter)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("wire", BOTH)
def test_it_answers_and_records_in_both_wire_formats(careless_model: FakeModel, wire: Wire, stream: bool) -> None:
    heard = careless_model.record()
    status, text = post(careless_model, a_request(wire, "Hi [[say pong]] [[usage 77]]"), stream=stream)
    assert status == 200
    assert "pong" in text
    assert "77" in text
    assert text.startswith("{") is not stream
    (request,) = heard.requests
    assert (request.wire, request.session) == (wire, "s")
    careless_model.assert_no_errors()


@pytest.mark.parametrize("wire", BOTH)
def test_it_calls_a_tool_and_speaks_after_the_result(careless_model: FakeModel, wire: Wire) -> None:
    request = a_request(wire, 'Go [[tool bash {"command": "ls"}]] [[say done]]')
    assert '"bash"' in post(careless_model, request, stream=True)[1]
    assert "done" in post(careless_model, with_result(request, "a.txt"), stream=True)[1]


def test_an_error_directive_counts_the_attempts_of_one_session(careless_model: FakeModel) -> None:
    request = a_request("openai", "[[error 503 1]]")
    statuses = [post(careless_model, request, session=session)[0] for session in ("s1", "s1", "s2")]
    assert statuses == [503, 200, 503]
    careless_model.assert_no_errors()


def test_internal_calls_do_not_obey_the_directives_they_quote(careless_model: FakeModel) -> None:
    careless_model.title = "Named"
    status, text = post(careless_model, a_request("openai", "[[error 500]]", system=("You are a title generator.",)))
    assert (status, "Named" in text) == (200, True)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/messages", {"messages": [{"role": "user", "content": "[[shout]]"}]}),
        ("/v1/models", {}),
        ("/v1/messages", {"no": "messages"}),
    ],
)
def test_what_it_does_not_understand_fails_the_test_that_caused_it(
    careless_model: FakeModel, path: str, body: Any
) -> None:
    try:
        assert post_raw(careless_model, path, body)[0] >= 400
    except http.client.RemoteDisconnected:
        assert path == "/v1/messages"  # a broken handler has no answer to give
    with pytest.raises(AssertionError, match="the fake model met errors"):
        careless_model.assert_no_errors()
    careless_model.assert_no_errors()


def test_closing_does_not_wait_for_a_late_answer() -> None:
    with fake_model() as model:
        model.close()
        assert post(model, a_request("openai", "[[wait 60000]]"))[0] == 200
