import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.calibration import Calibration
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Kind
from recollect.domain.settings import Settings
from recollect.rank.calibrate import MINILM, NAMED_RELEVANCE, NO_WORDS, Coverage, coverage, relevance
from tests.unit.rank.by_words import lexical_relevance

shares = st.floats(0, 1)
cosines = st.floats(-1, 1)
weights = st.floats(0, 50)
coverages = st.builds(Coverage, of_asked=shares, of_known=shares, named=shares)
calibrations = st.builds(
    Calibration, bias=st.floats(-50, 50), cosine=weights, overlap=weights, named=weights
)  # fmt: skip
words = st.lists(st.sampled_from("auth cache token queue login retry".split()), unique=True)


@given(st.none() | cosines, coverages, calibrations)
def test_relevance_is_between_nothing_and_one(cosine: float | None, shared: Coverage, fit: Calibration) -> None:
    assert 0 <= relevance(cosine, shared, fit) <= 1


@given(cosines, cosines, coverages, calibrations)
def test_a_nearer_meaning_is_never_less_relevant(one: float, other: float, shared: Coverage, fit: Calibration) -> None:
    less, more = sorted((one, other))
    assert relevance(less, shared, fit) <= relevance(more, shared, fit)


@given(st.none() | cosines, coverages, coverages, calibrations)
def test_more_shared_words_are_never_less_relevant(
    cosine: float | None, one: Coverage, other: Coverage, fit: Calibration
) -> None:
    less, more = (
        Coverage(
            of_asked=pick(one.of_asked, other.of_asked),
            of_known=pick(one.of_known, other.of_known),
            named=pick(one.named, other.named),
        )
        for pick in (min, max)
    )
    assert relevance(cosine, less, fit) <= relevance(cosine, more, fit) + 1e-12


@given(words, words, shares)
def test_without_a_vector_words_decide(asked: list[str], known: list[str], named: float) -> None:
    even = dict.fromkeys(asked, 1.0)
    alone = lexical_relevance(asked, known, even, named=named)
    assert relevance(None, coverage(asked, known, even, named=named)) == alone
    assert (alone > 0) == bool(named or (set(asked) & set(known)))


def test_one_word_in_common_says_little_if_the_prompt_or_the_memory_has_many() -> None:
    asked, known = [f"a{n}" for n in range(20)], [f"k{n}" for n in range(20)]
    even = dict.fromkeys(("both", *asked), 1.0)
    lowest = min(Settings().kinds.threshold.values())
    assert lexical_relevance(["both", *asked], ["both"], even) < lowest
    assert lexical_relevance(["both", *asked], ["both", *known], even) < lowest


def test_a_long_memory_is_about_each_of_its_subjects() -> None:
    asked = ["redis", "eviction"]
    even = dict.fromkeys(asked, 1.0)
    long, longer = ([*asked, *(f"k{n}" for n in range(size))] for size in (30, 3000))
    assert lexical_relevance(asked, long, even) == lexical_relevance(asked, longer, even) > 0.4


def test_a_memory_called_by_its_name_needs_little_else() -> None:
    called = Coverage(of_asked=0.3, of_known=0.1, named=1.0)
    assert relevance(None, called) == NAMED_RELEVANCE
    assert relevance(0.3, called) > Settings().kinds.threshold[Kind.DECISION]


def test_the_shipped_calibration_keeps_silent_about_strangers() -> None:
    assert relevance(0.1, NO_WORDS, MINILM) < 0.05  # "How do I parse JSON?" beside "Use Redis for caching"


def test_a_cosine_below_one_half_is_not_enough_without_a_word_in_common() -> None:
    assert relevance(0.45, NO_WORDS, MINILM) < min(Settings().kinds.threshold.values())


@pytest.mark.parametrize("weight", [-0.1, math.nan, math.inf])
def test_no_sign_speaks_against_a_memory(weight: float) -> None:
    with pytest.raises(InvalidValue, match="cosine"):
        Calibration(bias=-5, cosine=weight, overlap=1, named=1)
