"""Events as scripts write them: every field is taken, and what is wrong is named."""

from typing import Any

import pytest

from recollect.domain.errors import RecollectError
from recollect.domain.event import Asked, Prompt, SessionEnded, SessionStarted, StartSource, ToolFailed
from recollect.domain.injection import Injection, Placement
from recollect.domain.memory import Kind, MemoryId, MessageId
from recollect.domain.search import Filters
from recollect.hosts.script import NAME, TYPES, event_of, normalise, render
from tests.builders import NOW


def read(kind: str, **fields: Any) -> Any:
    return event_of({"type": kind, "session": "s1", **fields}, NOW)


def test_a_start_has_its_source_parent_task_wishes_and_window() -> None:
    event = read(
        "session_started",
        source="fork",
        parent="s0",
        task="fix the login",
        copied={"m1": "n1"},
        recalls=False,
        captures=False,
        window_tokens=200_000,
    )
    assert isinstance(event, SessionStarted)
    assert (event.source, event.parent, event.task) == (StartSource.FORK, "s0", "fix the login")
    assert (event.copied, event.recalls, event.captures, event.window_tokens) == ({"m1": "n1"}, False, False, 200_000)


def test_a_start_without_more_wants_everything() -> None:
    event = read("session_started", recalls=None)
    assert (event.source, event.recalls, event.captures, event.at, event.host) == ("startup", True, True, NOW, "pipe")


def test_what_is_in_front_of_the_model_is_a_list_with_null_for_the_stable_block() -> None:
    prompt = read("prompt", message="m2", text="Why?", live=[None, "m1"])
    assert isinstance(prompt, Prompt)
    assert prompt.live == (None, MessageId("m1"))
    assert read("prompt", message="m2", text="Why?").live is None
    assert read("prompt", message="m2", text="Why?", live=[]).live == ()


def test_a_failed_tool_has_the_message_and_call_that_carry_it() -> None:
    event = read("tool_failed", tool="bash", error="exit 1", message="a1", call="c1", live=["m1"])
    assert isinstance(event, ToolFailed)
    assert (event.message, event.call, event.live) == ("a1", "c1", ("m1",))


def test_an_end_leaves_notes_and_a_summary() -> None:
    summary = {"asked": "a login", "done": ["the form"], "decided": ["JWT"], "files": ["a.py"], "open": ["tests"]}
    event = read("session_ended", notes=["next: rotate the keys"], summary=summary)
    assert isinstance(event, SessionEnded)
    assert [str(note) for note in event.notes] == ["next: rotate the keys"]
    assert (event.summary.asked, dict(event.summary.lists)["open"]) == ("a login", ("tests",))
    assert not read("session_ended").summary


def test_a_question_is_asked_by_words_or_by_an_id() -> None:
    asked = read("asked", query="deploy", kinds=["rule"], scope="universal", budget_tokens=300)
    assert isinstance(asked, Asked)
    assert asked.filters == Filters(kinds=frozenset({Kind.RULE}), scope="universal")
    assert asked.budget_tokens == 300
    assert read("asked", id="abcd2345").id == "abcd2345"


def test_fields_that_an_event_does_not_have_are_left_alone() -> None:
    assert read("compacted", colour="red") == read("compacted")


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"type": None}, "`type`; known are session_started"),
        ({"type": "dance"}, "no event type 'dance'"),
        ({"type": ["prompt"]}, "no event type"),
        ({"type": "compacted", "session": " "}, "`session` is empty"),
        ({"type": "compacted", "window_tokens": 0}, "`window_tokens`"),
        ({"type": "compacted", "window_tokens": "many"}, "`window_tokens`"),
        ({"type": "compacted", "parent": 3}, "`parent`"),
        ({"type": "session_started", "source": "nap"}, "`source` is one of startup"),
        ({"type": "session_started", "copied": ["m1"]}, "`copied`"),
        ({"type": "session_started", "copied": {"m1": None}}, "`copied`"),
        ({"type": "session_started", "recalls": "no"}, "`recalls` must be true or false"),
        ({"type": "prompt", "text": "a"}, "`message`"),
        ({"type": "prompt", "message": "m", "text": "a", "live": "m1"}, "`live`"),
        ({"type": "prompt", "message": "m", "text": "a", "live": [""]}, "`live`"),
        ({"type": "reply", "message": "\ud83d", "text": "a"}, "message"),
        ({"type": "tool_failed", "tool": "bash"}, "`error`"),
        ({"type": "session_ended", "notes": "next: x"}, "`notes`"),
        ({"type": "session_ended", "notes": ["later: x"]}, "`notes`: 'later: x' is not a note"),
        ({"type": "session_ended", "summary": "all done"}, "`summary`"),
        ({"type": "session_ended", "summary": {"done": "all"}}, "`done`"),
        ({"type": "asked"}, "`query` or for the `id`"),
        ({"type": "asked", "query": "a", "id": "b"}, "`query` or for the `id`"),
        ({"type": "asked", "query": "a", "kinds": ["wish"]}, "`kinds`: There is no kind 'wish'"),
        ({"type": "asked", "query": "a", "scope": "mars"}, "`scope`: There is no scope 'mars'"),
        ({"type": "asked", "query": "a", "budget_tokens": 1.5}, "`budget_tokens`"),
    ],
)
def test_a_bad_value_is_refused_by_the_name_of_its_field(fields: dict[str, Any], named: str) -> None:
    with pytest.raises(RecollectError) as refused:
        event_of({"session": "s1", **fields}, NOW)
    assert named in str(refused.value)


def test_every_type_is_read_from_the_least_that_it_needs() -> None:
    least = {"message": "m", "text": "t", "tool": "bash", "error": "exit 1", "query": "q"}
    assert all(read(kind, **least).session == "s1" for kind in TYPES)


def test_the_event_of_a_script_says_that_it_is_one() -> None:
    event = normalise({"type": "prompt", "session": "s1", "message": "m1", "text": "Why?", "folder": "/shop"}, NOW)
    assert (event.host, event.folder, event.confirms) == (NAME, "/shop", False)


def test_a_block_comes_back_with_its_cost_and_its_memories() -> None:
    injection = Injection(placement=Placement.MESSAGE, block="<b>", tokens=7, ids=(MemoryId("a"),))
    assert render(injection) == {"block": "<b>", "tokens": 7, "ids": ["a"], "placement": "message"}


def test_silence_is_an_empty_object_and_a_notice_is_for_the_person() -> None:
    assert render(Injection(placement=Placement.MESSAGE)) == {}
    assert render(Injection(placement=Placement.SYSTEM, notice="Look.")) == {"notice": "Look."}
