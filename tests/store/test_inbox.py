"""What happened in sessions waits in the store until somebody has learnt from it."""

import json
from typing import Any

import pytest

from recollect.domain.event import Event, ToolFailed, ToolSucceeded
from recollect.domain.learning import Origin
from recollect.domain.memory import MessageId, SessionId
from recollect.domain.session import Summary
from recollect.store.sqlite.inbox import event_row, rewrite_event, texts_of
from recollect.store.sqlite.rows import to_ms
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, a_failure, a_prompt, a_reply, an_end, compacted
from tests.requirements import covers

S1 = SessionId("s1")


def a_success(tool: str = "bash", **fields: Any) -> ToolSucceeded:
    return ToolSucceeded(session=S1, at=NOW, tool=tool, **fields)


EVENTS: list[Event] = [
    a_prompt("How do we deploy?", project=None, origin=Origin.COMMAND, agent="plan", folder="/srv/shop"),
    a_reply("With Helm.", final=True),
    a_success(input={"command": "make test", "many": ["a", {"b": 1, "c": None}]}, output="ok", call="c1"),
    ToolFailed(session=S1, at=NOW, tool="edit", input={"filePath": "a.py"}, error="no", message=MessageId("t1")),
    compacted(project=None, summary="We moved to Helm."),
    an_end("s1", "next: rotate the keys", project=None, summary=Summary(asked="Deploy", done=("Helm",))),
]


@covers("CAP-5")
@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_comes_out_of_the_inbox_as_it_was_put_there(store: SqliteStore, event: Event) -> None:
    store.put_event(event)
    (received,) = store.waiting_events(limit=5)
    assert received.event == event
    assert received.tries == 0


def test_the_names_of_messages_never_change() -> None:
    """A running database compares them with the names that older versions wrote."""
    stored = [(event_row(event)["name"], json.loads(str(event_row(event)["event"]))["type"]) for event in EVENTS]
    assert stored == [
        ("prompt/m1", "prompt"),
        ("reply/r1", "reply"),
        ("call/c1", "succeeded"),
        (None, "failed"),
        (None, "compacted"),
        (f"ended/{to_ms(NOW)}", "ended"),
    ]


def test_the_inbox_is_worked_off_in_the_order_in_which_it_was_filled(store: SqliteStore) -> None:
    for text in ("one", "two", "three"):
        store.put_event(a_success(output=text))
    first, *others = store.waiting_events(limit=5)
    store.finish_event(first)
    assert [one.number for one in store.waiting_events(limit=5)] == [one.number for one in others]
    assert store.count_waiting_events() == 2
    assert [event.output for event in store.past_events(S1, limit=9) if isinstance(event, ToolSucceeded)] == ["one"]


def test_the_same_message_is_heard_once_and_a_longer_one_again(store: SqliteStore) -> None:
    for text in ("With", "With", "With Helm."):
        store.put_event(a_reply(text))
    (received,) = store.waiting_events(limit=5)
    store.finish_event(received)
    store.put_event(a_reply("With Helm."))
    assert store.count_waiting_events() == 0
    store.put_event(a_reply("With Helm, on GCP."))
    (again,) = store.waiting_events(limit=5)
    assert again.event == a_reply("With Helm, on GCP.")


def test_two_calls_without_an_id_are_two(store: SqliteStore) -> None:
    store.put_event(a_failure("boom", message=None))
    store.put_event(a_failure("boom", message=None))
    assert store.count_waiting_events() == 2


def test_an_event_that_the_disk_has_changed_is_not_learnt_from(store: SqliteStore) -> None:
    store.put_event(a_reply("With Helm."))
    with store._database.write() as connection:
        connection.execute("UPDATE inbox SET event = replace(event, 'Helm', 'Bash')")
    (received,) = store.waiting_events(limit=5)
    assert received.event is None


def test_a_session_that_is_closed_leaves_only_what_still_waits(store: SqliteStore) -> None:
    store.put_event(a_reply("With Helm."))
    (received,) = store.waiting_events(limit=5)
    store.finish_event(received)
    store.put_event(a_reply("On GCP.", message=MessageId("r2")))
    store.drop_events(S1)
    assert store.past_events(S1, limit=9) == []
    assert store.count_waiting_events() == 1


def test_what_a_tool_calls_its_values_is_told_otherwise_like_what_they_say(store: SqliteStore) -> None:
    store.put_event(a_success(input={"Zorblatt": [{"of Zorblatt": "input"}], "input": "Zorblatt"}, output="input"))
    with store._database.write() as connection:
        row = connection.execute("SELECT * FROM inbox").fetchone()
        assert {"Zorblatt", "of Zorblatt"} <= set(texts_of(row))
        assert "output" not in texts_of(row), "that is our own name"
        rewrite_event(connection, row, lambda said: said.replace("Zorblatt", "...").replace("output", "..."))
    (received,) = store.waiting_events(limit=1)
    assert received.event == a_success(input={"...": [{"of ...": "input"}], "input": "..."}, output="input")
