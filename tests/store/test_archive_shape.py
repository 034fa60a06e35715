"""What is known of a project's archive without reading it: order, sessions, speakers, words and meanings of its turns.

It is kept in memory and only brought up to date; after every change it is as if it were read for the first time.
"""

import random
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from recollect.domain.memory import MemoryId, MessageId, ProjectId, Role, SessionId
from recollect.domain.search import Filters, TurnMatches
from recollect.domain.session import Turn
from recollect.engine.ports import Store
from recollect.store.sqlite.archive_index import ArchiveIndex
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, OTHER_PROJECT, PROJECT, a_memory, a_turn
from tests.vectors import MODEL, OTHER_MODEL, asking, at_cosine, axis, embed_all

WORDS = ["deploy", "maria"]
MINUTE = timedelta(minutes=1)


def near(cosine: float) -> Any:
    return pytest.approx(cosine, abs=2e-3)


def texts(store: Store, turns: TurnMatches) -> list[str]:
    return [turn.text if turn else "gone" for turn in store.turns(turns.numbers.tolist())]


def told(store: Store, project: ProjectId | None = PROJECT, **filters: Any) -> list[tuple[Any, ...]]:
    """Session by session, for each turn all that is known of it."""
    turns = store.look_up_turns(WORDS, project, filters=Filters(**filters))
    cosines = store.turn_cosines(turns, asking())
    rows = []
    for at, text in enumerate(texts(store, turns)):
        session = turns.numbers[turns.sessions == turns.sessions[at]].tolist()
        has = [word for word in WORDS if at in turns.positions_by_word[word]]
        cosine = None if cosines is None or np.isnan(cosines[at]) else round(float(cosines[at]), 2)
        flags = (bool(turns.from_user[at]), bool(turns.by_named_speaker[at]), bool(turns.passes_filters[at]))
        rows.append((text, sorted(session), session.index(turns.numbers[at]), has, flags, cosine))
    return sorted(rows)


def order(store: Store, project: ProjectId | None = PROJECT) -> list[list[str]]:
    turns = store.look_up_turns([], project)
    said = dict(zip(turns.numbers.tolist(), texts(store, turns), strict=True))
    codes = list(dict.fromkeys(turns.sessions.tolist()))
    assert turns.sessions.tolist() == sorted(turns.sessions.tolist(), key=codes.index), "session by session"
    return sorted([[said[n] for n in turns.numbers[turns.sessions == code].tolist()] for code in codes])


def test_the_turns_of_a_session_stand_together_in_the_order_of_their_times(store: Store) -> None:
    store.add_turns(
        [
            a_turn("b", message="m1", at=NOW + MINUTE),
            a_turn("x", session="s2", message="m1", at=NOW + 3 * MINUTE),
            a_turn("a", message="m2", at=NOW),
            a_turn("y", session="s2", message="m2", at=NOW + 3 * MINUTE),
            a_turn("c", message="m3", at=NOW + 2 * MINUTE),
            a_turn("elsewhere", message="m4", project=OTHER_PROJECT),
            a_turn("nowhere", message="m5", project=None),
        ]
    )
    assert order(store) == [["a", "b", "c"], ["x", "y"]]
    assert order(store, OTHER_PROJECT) == [["elsewhere"]]
    assert order(store, None) == [["nowhere"]]
    assert order(store, ProjectId("unknown")) == []


def test_who_speaks_is_known_where_the_question_names_somebody(store: Store) -> None:
    store.add_turns(
        [
            a_turn("Maria: we deploy on Monday.", message="m1"),
            a_turn("Tom: ask Maria.", message="m2", role=Role.ASSISTANT),
            a_turn("We deploy.", message="m3"),
        ]
    )
    turns = store.look_up_turns(["maria", "deploy"], PROJECT)
    assert turns.by_named_speaker.tolist() == [True, False, False]
    assert turns.from_user.tolist() == [True, False, True]
    assert {word: at.tolist() for word, at in turns.positions_by_word.items()} == {"maria": [0, 1], "deploy": [0, 2]}
    assert turns.occurrences == {"maria": 2, "deploy": 2}


@pytest.mark.parametrize(
    ("filters", "wanted"),
    [
        ({}, [0, 1, 2]),
        ({"since": NOW + MINUTE}, [1, 2]),
        ({"until": NOW + MINUTE}, [0]),
        ({"as_of": NOW + MINUTE + MINUTE / 2}, [0, 1]),
        ({"since": NOW + MINUTE, "until": NOW + 2 * MINUTE}, [1]),
    ],
)
def test_turns_of_other_times_stay_as_neighbours_and_are_not_wanted(
    store: Store, filters: dict[str, Any], wanted: list[int]
) -> None:
    store.add_turns([a_turn(f"{n}", message=f"m{n}", at=NOW + n * MINUTE) for n in range(3)])
    turns = store.look_up_turns([], PROJECT, filters=Filters(**filters))
    assert len(turns.numbers) == 3
    assert np.flatnonzero(turns.passes_filters).tolist() == wanted


def test_the_meaning_of_a_turn_is_known_once_it_has_a_vector(store: Store) -> None:
    store.add_turns([a_turn("One.", message="m1")])
    turns = store.look_up_turns([], PROJECT)
    assert store.turn_cosines(turns, asking()) is None
    embed_all(store, lambda _: (at_cosine(0.4), at_cosine(0.3), at_cosine(0.8), at_cosine(0.5)))
    store.add_turns([a_turn("Two.", message="m2")])
    turns = store.look_up_turns([], PROJECT)
    cosines = store.turn_cosines(turns, asking())
    assert cosines is not None
    assert (float(cosines[0]), bool(np.isnan(cosines[1]))) == (near(0.4), True)
    first, second = turns.numbers.tolist()
    assert store.passage_cosines([second, first, 999], axis(0)) == [(), (near(0.3), near(0.8), near(0.5)), ()]
    assert store.passage_cosines([], axis(0)) == []
    assert store.turn_cosines(turns, asking(model=OTHER_MODEL)) is None


def test_a_turn_without_passages_is_known_by_its_context_alone(store: Store) -> None:
    store.add_turns([a_turn("", message="m1"), a_turn("Two.", message="m2")])
    embed_all(store, lambda of: (at_cosine(0.4),) if not of.text else (at_cosine(0.5), at_cosine(0.6)))
    turns = store.look_up_turns([], PROJECT)
    assert store.passage_cosines(turns.numbers.tolist(), axis(0)) == [(), (near(0.6),)]


def said_again(store: Store) -> None:
    """The newest message comes again: it gets the number that it had."""
    later = NOW - MINUTE
    store.add_turns([a_turn("Maria: and now otherwise.", message="m3", at=later, role=Role.ASSISTANT)])


def dropped_and_another(store: Store) -> None:
    store.add_turns([a_turn("Imported from long ago.", message="old", at=NOW - timedelta(days=99))])
    told(store)
    assert store.drop_turns_before(NOW - timedelta(days=9)) == 1
    store.add_turns([a_turn("In another session, with the same number.", session="s3")])


def moved_to_and_fro(store: Store) -> None:
    """As many as before, and the last one is the same."""
    store.add_turns([a_turn("Theirs.", session="s8", project=OTHER_PROJECT), a_turn("The last.", session="s9")])
    told(store)
    store.move_sessions([SessionId("s8")], PROJECT)
    store.move_sessions([SessionId("s2")], OTHER_PROJECT)


def forgotten(store: Store) -> None:
    store.add(a_memory("Maria: we deploy on Monday.", id=MemoryId("victim")))
    store.purge([MemoryId("victim")])


def another_model(store: Store) -> None:
    store.next_unembedded(OTHER_MODEL, limit=1)
    store.next_unembedded(MODEL, limit=1)


CHANGES: dict[str, Callable[[Store], object]] = {
    "more": lambda store: store.add_turns([a_turn("More.", message="m9"), a_turn("Tom: new.", session="s4")]),
    "one between": lambda store: store.add_turns([a_turn("Between.", message="m0", at=NOW + MINUTE / 2)]),
    "said again": said_again,
    "dropped": lambda store: store.drop_turns_before(NOW + MINUTE),
    "dropped, and another": dropped_and_another,
    "moved away": lambda store: store.move_sessions([SessionId("s2")], OTHER_PROJECT),
    "moved to and fro": moved_to_and_fro,
    "forgotten": forgotten,
    "another model": another_model,
}


@pytest.mark.parametrize("embedded_again", [False, True], ids=["", "embedded again"])
@pytest.mark.parametrize("who", ["the same", "another"])
@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_is_seen_as_if_it_were_read_for_the_first_time(
    reopen: Callable[[], Store], change: str, who: str, embedded_again: bool
) -> None:
    writer = reopen()
    reader = writer if who == "the same" else reopen()
    writer.add_turns(
        [
            a_turn("Maria: we deploy on Monday.", message="m1"),
            a_turn("Fine.", message="m2", at=NOW + MINUTE, role=Role.ASSISTANT),
            a_turn("We deploy.", session="s2", message="m1"),
            a_turn("The newest.", message="m3", at=NOW + 2 * MINUTE),
        ]
    )
    embed_all(writer, by_length)
    assert [row[-1] for row in told(reader)] == [round(0.3 + n / 100, 2) for n in (5, 27, 11, 10)]
    CHANGES[change](writer)
    if embedded_again:
        embed_all(writer, by_length)
    for project in (PROJECT, OTHER_PROJECT):
        assert told(reader, project) == told(reopen(), project)


def by_length(of: Any) -> tuple[Any, Any]:
    return (at_cosine(0.3 + len(of.text) / 100), axis(1))


def test_what_is_forgotten_is_no_longer_found_by_what_it_meant(store: Store) -> None:
    store.add(a_memory("The quokka knows it.", id=MemoryId("victim")))
    store.add_turns([a_turn("The quokka knows it.", message="m1"), a_turn("I see.", message="m2")])
    embed_all(store, lambda _: (at_cosine(0.9), at_cosine(0.9)))
    assert [row[-1] for row in told(store)] == [0.9, 0.9]
    store.purge([MemoryId("victim")])
    assert [(row[0], row[-1]) for row in told(store)] == [("I see.", None), ("[forgotten].", None)]


def test_in_whatever_order_turns_come_and_go_the_archive_is_as_if_read_anew(reopen: Callable[[], Store]) -> None:
    chance = random.Random(3)
    mine, theirs = reopen(), reopen()
    assert isinstance(mine, SqliteStore)

    def a_random_turn() -> Turn:
        return a_turn(
            chance.choice(["Maria: deploy", "Tom: no", "deploy it", "fine"]),
            session=f"s{chance.randrange(4)}",
            message=f"m{chance.randrange(12)}",
            at=NOW + chance.randrange(30) * MINUTE,
            project=chance.choice([PROJECT, OTHER_PROJECT]),
            role=chance.choice([Role.USER, Role.ASSISTANT]),
        )

    for _ in range(60):
        match chance.randrange(5):
            case 0 | 1:
                mine.add_turns([a_random_turn() for _ in range(3)])
            case 2:
                embed_all(mine, by_length)
            case 3:
                mine.move_sessions([SessionId(f"s{chance.randrange(4)}")], chance.choice([PROJECT, OTHER_PROJECT]))
            case _:
                mine.drop_turns_before(NOW + chance.randrange(-5, 6) * MINUTE)
        for project in (PROJECT, OTHER_PROJECT):
            anew = told_anew(mine, project)
            assert told(mine, project) == told(theirs, project) == anew


def told_anew(store: SqliteStore, project: ProjectId) -> list[tuple[Any, ...]]:
    kept = store._archive_index, store._vector_cache
    store._archive_index, store._vector_cache = ArchiveIndex(), type(store._vector_cache)()
    try:
        return told(store, project)
    finally:
        store._archive_index, store._vector_cache = kept


def test_a_turn_that_is_gone_is_told_as_gone(store: Store) -> None:
    store.add_turns([a_turn("One."), a_turn("Two.", message=MessageId("m2"))])
    first, second = store.look_up_turns([], PROJECT).numbers.tolist()
    assert [turn and turn.text for turn in store.turns([second, 77, first])] == ["Two.", None, "One."]
