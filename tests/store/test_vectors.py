"""What waits for its vector, and for how long."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from recollect.domain.memory import MemoryId, ProjectId, Scope, Sensitivity, SessionId, Usage, Viewer
from recollect.domain.search import Filters, MemoryStatus
from recollect.engine.ports import Store
from tests.builders import NOW, OTHER_PROJECT, PROJECT, a_memory, a_turn
from tests.counting import count_unembedded
from tests.vectors import MODEL, OTHER_MODEL, asking, at_cosine, axis, embed_all, embedded

HERE = Viewer(project=PROJECT, session=SessionId("s1"))
THERE = Viewer(project=OTHER_PROJECT)


def waiting(store: Store) -> list[str]:
    return [what.of.text for what in store.next_unembedded(MODEL, limit=100)]


def found(store: Store, viewer: Viewer = HERE, *, past: bool = False, **asked: Any) -> dict[str, float | None]:
    """By meaning alone."""
    sighting = store.look_up([], viewer, past=past)
    filters = Filters(status=MemoryStatus.ANY) if past else Filters()
    return {one.memory.text: one.cosine for one in store.search(sighting, asking(**asked), limit=10, filters=filters)}


def near(cosine: float) -> Any:
    return pytest.approx(cosine, abs=2e-3)


def with_vector(store: Store, text: str = "Known.", cosine: float = 0.9, **fields: Any) -> None:
    store.add(a_memory(text, **fields))
    assert embed_all(store, lambda _: at_cosine(cosine)) == [text]


def test_what_is_new_waits_until_it_has_a_vector(store: Store) -> None:
    store.add(a_memory("New."))
    assert (waiting(store), count_unembedded(store, MODEL)) == (["New."], 1)
    assert found(store) == {}
    assert embed_all(store, lambda _: at_cosine(0.8)) == ["New."]
    assert (waiting(store), count_unembedded(store, MODEL)) == ([], 0)
    assert found(store) == {"New.": near(0.8)}


def test_what_is_forgotten_never_waits(store: Store) -> None:
    store.add(a_memory("Forgotten before it came.", forgotten_at=NOW))
    store.add(a_memory("Forgotten soon.", id=MemoryId("m2")))
    store.update(a_memory("Forgotten soon.", id=MemoryId("m2"), forgotten_at=NOW))
    assert (waiting(store), count_unembedded(store, MODEL)) == ([], 0)


def test_what_says_something_else_waits_again_and_is_not_found_by_what_it_said(store: Store) -> None:
    with_vector(store)
    store.update(a_memory("Changed."))
    assert waiting(store) == ["Changed."]
    assert found(store) == {}
    embed_all(store, lambda _: at_cosine(0.4))
    assert found(store) == {"Changed.": near(0.4)}


def test_a_title_is_part_of_what_it_means_and_other_names_are_not(store: Store) -> None:
    with_vector(store)
    store.update(a_memory("Known.", aliases=("also called",)))
    assert (waiting(store), found(store)) == ([], {"Known.": near(0.9)})
    store.update(a_memory("Known.", title="Called otherwise"))
    assert (waiting(store), found(store)) == (["Known."], {})


def test_what_comes_back_from_being_forgotten_waits_again(store: Store) -> None:
    with_vector(store)
    store.update(a_memory("Known.", forgotten_at=NOW))
    assert (waiting(store), found(store)) == ([], {})
    store.update(a_memory("Known."))
    assert (waiting(store), found(store)) == (["Known."], {})
    embed_all(store, lambda _: at_cosine(0.9))
    assert found(store) == {"Known.": near(0.9)}


def test_a_mere_count_is_nothing_new(store: Store) -> None:
    with_vector(store)
    store.update(a_memory("Known.", seen=7, use=Usage(shown=2, last_shown_at=NOW)))
    assert (waiting(store), found(store)) == ([], {"Known.": near(0.9)})


def test_what_moves_to_another_project_takes_its_vector_along(store: Store) -> None:
    with_vector(store)
    assert found(store, THERE) == {}
    store.update(a_memory("Known.", scope=Scope.project(OTHER_PROJECT)))
    assert waiting(store) == []
    assert (found(store), found(store, THERE)) == ({}, {"Known.": near(0.9)})


def test_what_is_no_longer_true_keeps_its_vector_for_whoever_looks_back(store: Store) -> None:
    with_vector(store)
    store.update(a_memory("Known.", superseded_by=MemoryId("later"), valid_to=NOW))
    assert waiting(store) == []
    assert (found(store), found(store, past=True)) == ({}, {"Known.": near(0.9)})
    store.update(a_memory("Known."))
    assert (waiting(store), found(store)) == ([], {"Known.": near(0.9)})


def test_what_becomes_public_is_found_by_meaning_from_everywhere(store: Store) -> None:
    with_vector(store)
    store.update(a_memory("Known.", sensitivity=Sensitivity.PUBLIC))
    assert waiting(store) == []
    assert found(store) == found(store, THERE) == {"Known.": near(0.9)}


def test_what_moves_and_says_something_else_is_only_known_as_it_is_now(store: Store) -> None:
    """It was seen in its old place, and would be seen there still by whoever sees both."""
    with_vector(store, scope="universal")
    assert found(store) == {"Known.": near(0.9)}
    store.update(a_memory("Changed."))
    embed_all(store, lambda _: at_cosine(0.3))
    assert found(store) == {"Changed.": near(0.3)}
    store.update(a_memory("Changed again.", scope="universal"))
    embed_all(store, lambda _: at_cosine(0.6))
    assert found(store) == {"Changed again.": near(0.6)}


def test_what_was_changed_while_it_was_embedded_keeps_waiting(store: Store) -> None:
    store.add(a_memory("Before."))
    (what,) = store.next_unembedded(MODEL, limit=9)
    store.update(a_memory("After."))
    store.keep_vectors(MODEL, [embedded(what, at_cosine(0.9))])
    assert (waiting(store), found(store)) == (["After."], {})


@pytest.mark.parametrize("gone", ["purged", "forgotten", "another with its number"])
def test_what_went_while_it_was_embedded_gets_no_vector(store: Store, gone: str) -> None:
    store.add(a_memory("Going."))
    (what,) = store.next_unembedded(MODEL, limit=9)
    if gone == "forgotten":
        store.update(a_memory("Going.", forgotten_at=NOW))
    else:
        store.purge([MemoryId("m1")])
        if gone == "another with its number":
            store.add(a_memory("Another.", id=MemoryId("m2")))
    store.keep_vectors(MODEL, [embedded(what, at_cosine(0.9))])
    assert found(store) == {}
    assert waiting(store) == (["Another."] if gone == "another with its number" else [])
    assert count_unembedded(store, MODEL) == len(waiting(store))


def test_memories_come_before_turns_and_the_newest_first(store: Store) -> None:
    store.add_turns([a_turn("Turn one.", message="m1"), a_turn("Turn two.", message="m2")])
    store.add(a_memory("Memory one."))
    store.add(a_memory("Memory two.", id=MemoryId("m2")))
    assert waiting(store) == ["Memory two.", "Memory one.", "Turn two.", "Turn one."]
    assert [what.of.text for what in store.next_unembedded(MODEL, limit=3)] == waiting(store)[:3]


def test_with_another_model_everything_waits_again_and_nothing_old_is_compared(store: Store) -> None:
    with_vector(store)
    store.add_turns([a_turn("Said.")])
    embed_all(store, lambda _: at_cosine(0.9))
    assert count_unembedded(store, OTHER_MODEL) == 2
    assert found(store, model=OTHER_MODEL) == {}
    assert [what.of.text for what in store.next_unembedded(OTHER_MODEL, limit=9)] == ["Known.", "Said."]
    assert found(store) == found(store, model=OTHER_MODEL) == {}
    turns = store.look_up_turns([], PROJECT)
    assert store.turn_cosines(turns, asking()) is None
    embed_all(store, lambda _: at_cosine(0.5), OTHER_MODEL)
    assert found(store, model=OTHER_MODEL) == {"Known.": near(0.5)}
    assert found(store) == {}


def test_vectors_of_a_model_that_is_no_longer_used_are_not_kept(store: Store) -> None:
    store.add(a_memory("Known."))
    late = store.next_unembedded(MODEL, limit=9)
    store.next_unembedded(OTHER_MODEL, limit=9)
    store.keep_vectors(MODEL, [embedded(what, axis(0)) for what in late])
    assert found(store, model=OTHER_MODEL) == {}
    assert count_unembedded(store, OTHER_MODEL) == 1


class TestSomebodyElse:
    """Another process that knows the vectors already, and hears of no change."""

    @pytest.fixture
    def mine(self, reopen: Callable[[], Store]) -> Store:
        return reopen()

    @pytest.fixture
    def theirs(self, reopen: Callable[[], Store], mine: Store) -> Store:
        mine.add(a_memory("One.", id=MemoryId("one")))
        mine.add(a_memory("Two.", id=MemoryId("two")))
        embed_all(mine, lambda of: at_cosine(0.9 if of.text == "One." else 0.8))
        other = reopen()
        assert found(other) == {"One.": near(0.9), "Two.": near(0.8)}
        return other

    def test_sees_what_is_new(self, mine: Store, theirs: Store) -> None:
        with_vector(mine, "Three.", 0.7, id=MemoryId("three"))
        assert found(theirs) == {"One.": near(0.9), "Two.": near(0.8), "Three.": near(0.7)}

    def test_does_not_see_what_was_forgotten(self, mine: Store, theirs: Store) -> None:
        mine.update(a_memory("One.", id=MemoryId("one"), forgotten_at=NOW))
        assert found(theirs) == {"Two.": near(0.8)}

    def test_does_not_see_what_was_purged(self, mine: Store, theirs: Store) -> None:
        mine.purge([MemoryId("one")])
        assert found(theirs) == {"Two.": near(0.8)}

    @pytest.mark.parametrize("has_vector", [True, False])
    def test_does_not_take_the_next_one_for_the_one_whose_number_it_got(
        self, mine: Store, theirs: Store, has_vector: bool
    ) -> None:
        mine.purge([MemoryId("two")])
        mine.add(a_memory("The next.", id=MemoryId("next")))
        if has_vector:
            embed_all(mine, lambda _: at_cosine(0.3))
        expected = {"One.": near(0.9), **({"The next.": near(0.3)} if has_vector else {})}
        assert found(theirs) == expected
        sighting = theirs.look_up(["next"], HERE)
        by_word = {one.memory.text: one.cosine for one in theirs.search(sighting, asking(), limit=10)}
        assert by_word["The next."] == (near(0.3) if has_vector else None)

    def test_does_not_see_what_went_to_another_project(self, mine: Store, theirs: Store) -> None:
        mine.update(a_memory("One.", id=MemoryId("one"), scope=Scope.project(OTHER_PROJECT)))
        assert found(theirs) == {"Two.": near(0.8)}
        assert found(theirs, THERE) == {"One.": near(0.9)}

    def test_does_not_take_what_has_ended_for_true(self, mine: Store, theirs: Store) -> None:
        mine.update(a_memory("One.", id=MemoryId("one"), superseded_by=MemoryId("two")))
        assert found(theirs) == {"Two.": near(0.8)}
        assert found(theirs, past=True) == {"One.": near(0.9), "Two.": near(0.8)}

    def test_compares_nothing_of_another_model(self, mine: Store, theirs: Store) -> None:
        mine.next_unembedded(OTHER_MODEL, limit=1)
        assert found(theirs) == found(theirs, model=OTHER_MODEL) == {}
        embed_all(mine, lambda _: at_cosine(0.5), OTHER_MODEL)
        assert found(theirs, model=OTHER_MODEL) == {"One.": near(0.5), "Two.": near(0.5)}

    def test_finds_others_where_much_was_forgotten(self, mine: Store, theirs: Store) -> None:
        with mine.transaction():
            for n in range(40):
                mine.add(a_memory(f"Fact {n}.", id=MemoryId(f"m{n}")))
        embed_all(mine, lambda of: at_cosine(0.95 - int(of.text[5:-1]) / 1000))
        assert min(found(theirs)) == "Fact 0."
        for n in range(35):
            mine.update(a_memory(f"Fact {n}.", id=MemoryId(f"m{n}"), forgotten_at=NOW))
        assert set(found(theirs)) == {"One.", "Two.", *(f"Fact {n}." for n in range(35, 40))}


class TestATurn:
    def test_is_embedded_with_what_was_said_before_it_in_its_session(self, store: Store) -> None:
        later = NOW + timedelta(minutes=1)
        store.add_turns(
            [
                a_turn("The answer.", message="m2", at=later),
                a_turn("The question.", message="m1"),
                a_turn("Elsewhere.", session="s2", message="m1", at=NOW + timedelta(seconds=30)),
                a_turn("The end.", message="m3", at=later),
            ]
        )
        before = {what.of.text: what.before and what.before.text for what in store.next_unembedded(MODEL, limit=9)}
        assert before == {
            "The question.": None,
            "The answer.": "The question.",
            "Elsewhere.": None,
            "The end.": "The answer.",
        }

    def test_waits_again_when_what_was_said_before_it_was_forgotten_meanwhile(self, store: Store) -> None:
        store.add(a_memory("The quokka knows it."))
        store.add_turns([a_turn("The quokka knows it.", message="m1"), a_turn("I see.", message="m2")])
        late = store.next_unembedded(MODEL, limit=9)
        store.purge([MemoryId("m1")])
        store.keep_vectors(MODEL, [embedded(what, (axis(0), axis(0))) for what in late])
        assert waiting(store) == ["I see.", "[forgotten]."]

    def test_that_comes_again_waits_again(self, store: Store) -> None:
        store.add_turns([a_turn("Half a sen")])
        assert embed_all(store, lambda _: (axis(0), axis(0))) == ["Half a sen"]
        store.add_turns([a_turn("Half a sentence, whole.")])
        assert waiting(store) == ["Half a sentence, whole."]

    def test_takes_its_vectors_along_to_another_project(self, store: Store) -> None:
        store.add_turns([a_turn("Said.")])
        embed_all(store, lambda _: (at_cosine(0.9), at_cosine(0.7)))
        store.move_sessions([SessionId("s1")], OTHER_PROJECT)
        assert waiting(store) == []
        assert cosines(store) == []
        assert cosines(store, OTHER_PROJECT) == [near(0.9)]
        numbers = store.look_up_turns([], OTHER_PROJECT).numbers.tolist()
        assert store.passage_cosines(numbers, axis(0)) == [(near(0.7),)]


def cosines(store: Store, project: ProjectId | None = PROJECT) -> list[float]:
    turns = store.look_up_turns([], project)
    found = store.turn_cosines(turns, asking())
    assert found is not None
    values: list[float] = found.tolist()
    return values


def test_what_waits_is_one_and_the_same_for_all_who_look(store: Store) -> None:
    store.add(replace(a_memory("Known."), title="A title"))
    first, second = store.next_unembedded(MODEL, limit=9), store.next_unembedded(MODEL, limit=9)
    assert first == second
    for made in (first, second):
        store.keep_vectors(MODEL, [embedded(what, at_cosine(0.9)) for what in made])
    assert found(store) == {"Known.": near(0.9)}
    assert count_unembedded(store, MODEL) == 0
