import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from recollect.domain.search import TurnMatches
from recollect.rank.archive import RankedTurns, rank
from tests.builders import PROJECT
from tests.requirements import covers

Told = tuple[int, frozenset[str], bool, float]  # session, words, is wanted, cosine
WORDS = ("deploy", "queue", "maria")
WEIGHTS = dict.fromkeys(WORDS, 1.0)

told = st.tuples(
    st.integers(0, 4),
    st.frozensets(st.sampled_from(WORDS)),
    st.booleans(),
    st.floats(-1, 1, width=32) | st.just(float("nan")),
)
archives = st.lists(told, max_size=14)


def sighted(turns: Sequence[Told]) -> TurnMatches:
    having = {word: [at for at, turn in enumerate(turns) if word in turn[1]] for word in WORDS}
    return TurnMatches(
        project=PROJECT,
        numbers=np.arange(len(turns)) + 1,
        sessions=np.array([turn[0] for turn in turns], np.int64),
        at_ms=np.arange(len(turns)),
        from_user=np.zeros(len(turns), np.bool_),
        by_named_speaker=np.zeros(len(turns), np.bool_),
        passes_filters=np.array([turn[2] for turn in turns], np.bool_),
        positions_by_word={word: np.array(at, np.int64) for word, at in having.items()},
    )


def cosines(turns: Sequence[Told]) -> NDArray[np.float32]:
    return np.array([turn[3] for turn in turns], np.float32)


def ranked(turns: Sequence[Told], *, by_word: bool = False, passages: Mapping[int, float] | None = None) -> RankedTurns:
    ordered = sorted(turns, key=lambda turn: turn[0])
    return rank(sighted(ordered), WEIGHTS, None if by_word else cosines(ordered), passages or {})


def turn(*words: str, session: int = 0, wanted: bool = True, cosine: float = 0.0) -> Told:
    return (session, frozenset(words), wanted, cosine)


@given(archives, st.randoms(use_true_random=False), st.booleans())
@settings(max_examples=150)
def test_in_which_order_sessions_stand_changes_no_score(
    turns: list[Told], chance: random.Random, by_word: bool
) -> None:
    names = chance.sample(range(9), 5)
    renamed = [(names[turn[0]], *turn[1:]) for turn in turns]
    before, after = by_session(turns, by_word), by_session(renamed, by_word)
    for session, scores in before.items():
        assert scores == pytest.approx(after[names[session]], abs=1e-9)


def by_session(turns: Sequence[Told], by_word: bool) -> dict[int, list[float]]:
    scores: dict[int, list[float]] = {}
    codes = sorted(turn[0] for turn in turns)
    for code, score in zip(codes, ranked(turns, by_word=by_word).score.tolist(), strict=True):
        scores.setdefault(code, []).append(score)
    return scores


@given(archives, st.booleans())
@settings(max_examples=150)
def test_what_is_not_wanted_is_never_an_answer_and_every_answer_has_a_word_or_a_meaning(
    turns: list[Told], by_word: bool
) -> None:
    ordered = sorted(turns, key=lambda turn: turn[0])
    found = ranked(turns, by_word=by_word)
    best = found.best(100).tolist()
    assert len(set(best)) == len(best)
    assert all(ordered[at][2] for at in best)
    assert {at for at, turn in enumerate(ordered) if turn[1] and turn[2]} <= set(best), "a word is never in vain"
    assert all(ordered[at][1] or (not by_word and found.meaning[at] > 0) for at in best)
    assert np.isfinite(found.score[best]).all()
    assert np.isfinite(found.meaning).all()
    assert ((found.words >= 0) & (found.words <= 1 + 1e-9)).all()
    assert found.score[best].tolist() == sorted(found.score[best].tolist(), reverse=True)
    assert found.best(2).tolist() == best[:2]


def test_a_turn_with_all_rare_words_comes_before_one_with_none() -> None:
    turns = [turn("maria", session=n) for n in range(8)] + [turn("deploy", "queue", "maria", session=9)]
    assert ranked(turns, by_word=True).best(1).tolist() == [8]


def test_rare_words_count_more_than_common_ones() -> None:
    turns = [*(turn("maria", session=n) for n in range(6)), turn("queue", session=7)]
    assert ranked(turns, by_word=True).best(1).tolist() == [6]


@covers("RET-6")
def test_the_answer_that_follows_its_question_is_lifted_by_it() -> None:
    """It has no word of the question; a turn of another session, just as near in meaning, stands alone."""
    turns = [
        turn("deploy", "queue", cosine=0.6),
        turn(cosine=0.3),
        turn(session=1, cosine=0.3),
        turn(session=2, cosine=0.0),
    ]
    found = ranked(turns)
    assert found.best(3).tolist() == [0, 1, 2]
    assert found.score[1] > found.score[2]


def test_neighbours_of_other_sessions_lift_nothing() -> None:
    together = ranked([turn("deploy", cosine=0.5), turn(cosine=0.3), turn(session=1, cosine=0.0)])
    apart = ranked([turn("deploy", cosine=0.5), turn(session=1, cosine=0.3), turn(session=2, cosine=0.0)])
    assert together.score[1] > apart.score[1]


def test_a_question_is_lifted_more_by_its_answer_than_an_answer_by_its_question() -> None:
    first = ranked([turn("queue"), turn("deploy", "queue", "maria"), turn("queue")], by_word=True)
    assert first.score[0] > first.score[2]


def test_what_is_not_wanted_still_lifts_its_neighbours() -> None:
    others = [turn(cosine=0.3), turn(session=1, cosine=0.0)]
    wanted = ranked([turn("deploy", cosine=0.6), *others])
    unwanted = ranked([turn("deploy", cosine=0.6, wanted=False), *others])
    assert unwanted.best(9).tolist() == wanted.best(9).tolist()[1:] == [1]
    assert unwanted.score[1] == wanted.score[1]


def test_without_a_cosine_words_alone_decide() -> None:
    turns = [turn("deploy", session=0), turn("deploy", "queue", session=1), turn(session=2)]
    found = ranked(turns, by_word=True)
    assert found.best(9).tolist() == [1, 0]
    assert found.meaning.tolist() == [0, 0, 0]
    unknown = ranked([(*t[:3], float("nan")) for t in turns])
    assert unknown.score.tolist() == found.score.tolist()


def test_what_has_no_vector_yet_is_found_by_its_words_behind_what_fits_as_well() -> None:
    turns = [turn("deploy", session=0, cosine=float("nan")), turn("deploy", session=1, cosine=0.7), turn(session=2)]
    assert ranked(turns).best(9).tolist() == [1, 0]


def test_what_has_no_vector_yet_and_no_word_is_no_answer() -> None:
    turns = [turn(session=0, cosine=float("nan")), turn(session=1, cosine=0.7), turn(session=2, cosine=0.5)]
    found = ranked(turns)
    assert found.best(9).tolist() == [1, 2]
    assert found.meaning[0] == 0


def test_what_was_just_said_in_the_words_of_the_question_comes_before_what_is_hardly_near() -> None:
    turns = [turn("deploy", "queue", session=0, cosine=float("nan")), turn(session=1, cosine=0.04), turn(session=2)]
    assert ranked(turns).best(1).tolist() == [0]


def test_a_passage_that_is_near_lifts_its_turn() -> None:
    turns = [turn(session=0, cosine=0.3), turn(session=1, cosine=0.3), turn(session=2, cosine=0.1)]
    assert ranked(turns).best(1).tolist() == [0]
    found = ranked(turns, passages={1: 0.8})
    assert found.best(1).tolist() == [1]
    assert found.meaning[1] == pytest.approx(0.8)


def test_an_empty_archive_has_no_answer() -> None:
    for by_word in (True, False):
        assert ranked([], by_word=by_word).best(5).tolist() == []


@pytest.mark.parametrize("by_word", [True, False])
def test_a_single_turn_is_an_answer_if_anything_of_it_fits(by_word: bool) -> None:
    assert ranked([turn("deploy")], by_word=by_word).best(5).tolist() == [0]
    assert ranked([turn(cosine=-0.2)], by_word=by_word).best(5).tolist() == []


def test_who_is_asked_about_and_the_user_come_first_among_equals() -> None:
    plain = sighted([turn("deploy", session=n) for n in range(3)])
    spoken = TurnMatches(
        project=PROJECT,
        numbers=plain.numbers,
        sessions=plain.sessions,
        at_ms=plain.at_ms,
        from_user=np.array([False, True, False]),
        by_named_speaker=np.array([False, False, True]),
        passes_filters=plain.passes_filters,
        positions_by_word=plain.positions_by_word,
    )
    assert rank(spoken, WEIGHTS, None).best(9).tolist() == [2, 1, 0]


def test_a_reply_lifts_its_own_prompt_and_not_the_next_one() -> None:
    turns = sighted([turn(cosine=0.3), turn("deploy", "queue", cosine=0.6), turn(cosine=0.3)])
    spoken = replace(turns, from_user=np.array([True, False, True]))
    found = rank(spoken, WEIGHTS, np.array([0.3, 0.6, 0.3], np.float32))
    assert found.score[0] > found.score[2]
