"""What was done, in the order in which it was done, whatever the clock said."""

from dataclasses import replace
from datetime import timedelta

import pytest

from recollect.domain.changes import Change, ChangeAction, ChangeId
from recollect.domain.memory import MemoryId
from recollect.engine.ports import Store
from tests.builders import NOW, a_memory

A, B = MemoryId("a"), MemoryId("b")


def a_deed(store: Store, *changed: MemoryId, kind: ChangeAction = ChangeAction.REMEMBER, **detail: object) -> ChangeId:
    deed = store.begin_change(kind, NOW, "cli", detail)
    for memory_id in changed:
        store.note_memory_change(deed, memory_id, None)
    return deed


def test_a_deed_reads_back_with_what_it_did(store: Store) -> None:
    deed = a_deed(store, A, B, kind=ChangeAction.JOIN, source="x", sessions=["s1"])
    detail = {"source": "x", "sessions": ["s1"]}
    assert store.find_change(deed) == Change(
        id=deed, kind=ChangeAction.JOIN, at=NOW, by="cli", memories=2, detail=detail
    )
    assert store.find_change(ChangeId(deed + 1)) is None


def test_deeds_come_in_the_order_in_which_they_were_done_even_if_the_clock_went_back(store: Store) -> None:
    done = [store.begin_change(ChangeAction.JOIN, NOW - timedelta(days=days), "cli") for days in (0, 300, 2)]
    assert [deed.id for deed in store.recent_changes(limit=10)] == list(reversed(done))
    assert [deed.id for deed in store.recent_changes(limit=1)] == [done[-1]]


def test_a_change_of_memories_that_changed_none_does_not_use_up_the_limit(store: Store) -> None:
    done = a_deed(store, A)
    a_deed(store, kind=ChangeAction.IMPORT)
    assert [deed.id for deed in store.recent_changes(limit=1)] == [done]


def test_a_change_tells_the_state_before_it_with_everything(store: Store) -> None:
    before = a_memory('Was "so"; 日本語\nand two lines', id=A, aliases=("x",), evidence=("He said so.",), seen=4)
    first, second = a_deed(store, A), a_deed(store)
    store.note_memory_change(second, A, before)
    store.note_memory_change(second, B, None)
    assert [(change.deed.id, change.before) for change in store.memory_changes_of(A)] == [
        (first, None),
        (second, before),
    ]
    assert [(change.memory, change.before) for change in store.memory_changes_in(second)] == [(A, before), (B, None)]
    assert store.memory_changes_of(MemoryId("unknown")) == []


def test_the_newest_deed_that_holds_and_changed_something_can_be_undone(store: Store) -> None:
    assert store.last_undoable() is None
    first, second = a_deed(store, A), a_deed(store, A)
    a_deed(store)  # changed nothing
    undo = a_deed(store, A, kind=ChangeAction.UNDO, undoes=int(second))
    assert _id(store.last_undoable()) == second
    store.note_undone(second, undo)
    assert store.find_change(second) == replace(_known(store, second), undone_by=undo)
    assert _id(store.last_undoable()) == first
    store.note_undone(second, None)
    assert _id(store.last_undoable()) == second


def test_a_join_that_moved_no_memory_can_be_undone_too(store: Store) -> None:
    join = a_deed(store, kind=ChangeAction.JOIN)
    assert _id(store.last_undoable()) == join


def test_what_later_deeds_changed_is_known_unless_they_were_undone(store: Store) -> None:
    first, second = a_deed(store, A, B), a_deed(store, A)
    assert store.find_changed_since(first, [A, B, MemoryId("c")]) == [A]
    assert store.find_changed_since(second, [A, B]) == store.find_changed_since(first, []) == []
    undo = a_deed(store, A, kind=ChangeAction.UNDO, undoes=int(second))
    store.note_undone(second, undo)
    assert store.find_changed_since(first, [A, B]) == []


def test_the_undo_of_something_older_is_a_later_change(store: Store) -> None:
    first, second = a_deed(store, A), a_deed(store, A)
    undo = a_deed(store, A, kind=ChangeAction.UNDO, undoes=int(first))
    store.note_undone(first, undo)
    assert store.find_changed_since(second, [A]) == [A]


def test_what_a_failed_transaction_did_is_not_told(store: Store) -> None:
    def interrupted() -> None:
        with store.transaction():
            a_deed(store, A)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert store.recent_changes(limit=10) == []
    assert store.memory_changes_of(A) == []


def _known(store: Store, deed_id: ChangeId) -> Change:
    deed = store.find_change(deed_id)
    assert deed is not None
    return deed


def _id(deed: Change | None) -> ChangeId | None:
    return None if deed is None else deed.id
