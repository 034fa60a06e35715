"""The archive of sessions."""

from datetime import timedelta

import pytest

from recollect.domain.memory import MessageId, ProjectId, Role, SessionId
from recollect.engine.ports import Store
from recollect.text.words import index_words
from tests.builders import NOW, OTHER_PROJECT, PROJECT, a_turn
from tests.counting import count_turns
from tests.searching import turns_found


def texts_found(store: Store, query: str, project: ProjectId | None = PROJECT, *, limit: int = 10) -> list[str]:
    return [turn.text for turn in turns_found(store, index_words(query), project, limit=limit)]


def test_a_turn_reads_back_as_it_was_said(store: Store) -> None:
    turn = a_turn('Why "x" ≠ 日本語?\n\tBecause.', role=Role.ASSISTANT, at=NOW - timedelta(days=2))
    store.add_turns([turn])
    assert turns_found(store, ["becaus"], PROJECT, limit=5) == [turn]
    assert turns_found(store, [], PROJECT, limit=5) == []


def test_turns_are_found_by_any_word_and_the_best_match_comes_first(store: Store) -> None:
    said = ["The queue is full.", "The queue of the broker stalls: restart the broker.", "Lunch?"]
    store.add_turns([a_turn(text, message=f"m{n}") for n, text in enumerate(said)])
    assert texts_found(store, "queue broker") == [said[1], said[0]]
    assert texts_found(store, "queue broker", limit=1) == [said[1]]


def test_a_message_that_comes_again_is_kept_as_it_is_now(store: Store) -> None:
    store.add_turns([a_turn("The deploy beg"), a_turn("Another message.", message="m2")])
    store.add_turns([a_turn("The deploy began at noon.")])
    assert count_turns(store) == 2
    assert texts_found(store, "deploy") == texts_found(store, "noon") == ["The deploy began at noon."]
    assert texts_found(store, "beg") == []


def test_the_same_message_name_in_another_session_is_another_message(store: Store) -> None:
    store.add_turns([a_turn("One deploy."), a_turn("Two deploys.", session="s2")])
    assert sorted(texts_found(store, "deploy")) == ["One deploy.", "Two deploys."]


def test_turns_of_another_project_are_never_found(store: Store) -> None:
    store.add_turns(
        [
            a_turn("Ours: deploy.", message="m1"),
            a_turn("Theirs: deploy.", message="m2", project=OTHER_PROJECT),
            a_turn("Nowhere: deploy.", message="m3", project=None),
        ]
    )
    assert texts_found(store, "deploy") == ["Ours: deploy."]
    assert texts_found(store, "deploy", OTHER_PROJECT) == ["Theirs: deploy."]
    assert texts_found(store, "deploy", None) == ["Nowhere: deploy."]


def test_old_turns_are_dropped_and_found_no_more(store: Store) -> None:
    store.add_turns([a_turn(f"deploy {days}", message=f"m{days}", at=NOW - timedelta(days=days)) for days in (1, 9, 8)])
    assert store.drop_turns_before(NOW - timedelta(days=8)) == 1
    assert sorted(texts_found(store, "deploy")) == ["deploy 1", "deploy 8"]
    assert store.drop_turns_before(NOW - timedelta(days=8)) == 0
    assert count_turns(store) == 2


def test_several_turns_are_kept_all_or_none(store: Store) -> None:
    def interrupted() -> None:
        with store.transaction():
            store.add_turns([a_turn("deploy half")])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert count_turns(store) == 0
    assert texts_found(store, "deploy") == []


def test_moved_sessions_take_their_turns_along(store: Store) -> None:
    store.add_turns([a_turn("deploy one"), a_turn("deploy two", session="s2", message=MessageId("m1"))])
    store.move_sessions([SessionId("s1")], OTHER_PROJECT)
    assert texts_found(store, "deploy") == ["deploy two"]
    assert texts_found(store, "deploy", OTHER_PROJECT) == ["deploy one"]
