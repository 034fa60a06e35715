from datetime import timedelta

import pytest

from recollect.domain.memory import Kind, Viewer
from recollect.domain.settings import Settings
from recollect.rank.calibrate import NAMED_RELEVANCE, rarity
from recollect.rank.score import frequency, recency, start_factors, start_score, turn_factors, turn_score
from recollect.text.intent import Task, intent
from tests.builders import NOW, PROJECT, a_memory
from tests.unit.rank.by_words import lexical_relevance

EVEN = dict.fromkeys(("login", "timeout", "await", "css"), 1.0)


def test_a_memory_without_any_asked_word_is_not_relevant() -> None:
    assert lexical_relevance(["css"], {"login", "timeout"}, EVEN) == 0.0


def test_a_memory_with_every_asked_word_is_as_relevant_as_can_be() -> None:
    assert lexical_relevance(["login", "timeout"], {"login", "timeout", "missing"}, EVEN) == 1.0


def test_rare_words_count_more_than_common_ones() -> None:
    weight = rarity({"login": 1, "project": 180}, memories=200)
    others = {"one", "two", "three", "four"}
    rare = lexical_relevance(["login", "project"], {"login", *others}, weight)
    common = lexical_relevance(["login", "project"], {"project", *others}, weight)
    assert rare > 0.5 > common


def test_a_memory_that_is_called_by_its_name_is_meant() -> None:
    words = ["gha", "login", "timeout", "await"]
    assert lexical_relevance(words, {"gha", "pipelin"}, dict.fromkeys(words, 1.0), named=1.0) == NAMED_RELEVANCE


@pytest.mark.parametrize(
    ("kind", "days", "expected"),
    [
        (Kind.PREFERENCE, 5000, 1.0),
        (Kind.RULE, 5000, 1.0),
        (Kind.CORRECTION, 5000, 1.0),
        (Kind.DECISION, 180, 0.5),
        (Kind.FILE_CONTEXT, 90, 0.5),
        (Kind.RESEARCH, 45, 0.5),
        (Kind.ERROR_PATTERN, 30, 0.5),
        (Kind.OUTCOME, 14, 0.5),
        (Kind.OUTCOME, 28, 0.25),
    ],
)  # fmt: skip
def test_kinds_age_by_their_half_life(kind: Kind, days: int, expected: float) -> None:
    assert recency(a_memory(kind=kind, days_old=days), NOW, Settings().kinds) == pytest.approx(expected)


def test_a_clock_that_was_set_back_makes_nothing_younger_than_new() -> None:
    assert recency(a_memory(), NOW - timedelta(days=400), Settings().kinds) == 1.0


def test_the_first_repetitions_count_most() -> None:
    once, twice, often = (frequency(a_memory(seen=times)) for times in (1, 2, 10))
    assert once < twice < often < 1


def test_scores_stay_between_nothing_and_one() -> None:
    memory = a_memory(importance=2.0, kind=Kind.PREFERENCE, seen=1000, text="Helm.")
    assert 0.99 < turn_score(turn_factors(memory, 1.0, intent("helm"), NOW, Settings().kinds), Settings().turn) <= 1.0
    assert (
        0.99
        < start_score(
            start_factors(memory, Viewer(project=PROJECT), Task.GENERAL, NOW, Settings().kinds), Settings().start
        )
        <= 1.0
    )
