"""What a model may cost in a day."""

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from recollect.extract.budget import Budget, max_cost
from recollect.extract.prompting import ModelQuestion, build_question
from recollect.text.tokens import estimate
from tests.exchanges import Counted, an_exchange

TODAY = date(2026, 3, 2)
REQUEST = build_question(an_exchange(), items=8, quote_chars=12)
COST = max_cost(REQUEST, answer_tokens=1000)


def test_the_cost_holds_question_and_answer_with_a_margin() -> None:
    assert (estimate(REQUEST.system) + estimate(REQUEST.text)) * 1.5 + 1000 <= COST


def test_tokens_are_spent_before_anybody_is_asked() -> None:
    counts = Counted()
    assert Budget(counts, per_day=50_000).reserve(REQUEST, answer_tokens=1000, day=TODAY)
    assert counts.spent_tokens(TODAY) == COST


def test_what_the_provider_reports_takes_the_place_of_the_estimate() -> None:
    budget = Budget(Counted(), per_day=50_000)
    for reported in (800, 2 * COST):
        reserved = budget.reserve(REQUEST, answer_tokens=1000, day=TODAY)
        assert reserved is not None
        before = budget.spent(TODAY) - COST
        budget.settle(reserved, reported)
        assert budget.spent(TODAY) == before + reported


def test_who_reports_nothing_or_what_cannot_be_is_counted_by_the_estimate() -> None:
    budget = Budget(Counted(), per_day=50_000)
    for number, reported in enumerate((None, 0, 1, 20), start=1):
        reserved = budget.reserve(REQUEST, answer_tokens=1000, day=TODAY)
        assert reserved is not None
        budget.settle(reserved, reported)
        assert budget.spent(TODAY) == number * COST


def test_what_was_not_asked_is_given_back() -> None:
    budget = Budget(Counted(), per_day=50_000)
    reserved = budget.reserve(REQUEST, answer_tokens=1000, day=TODAY)
    assert reserved is not None
    budget.give_back(reserved)
    assert budget.spent(TODAY) == 0


def test_a_new_day_begins_with_nothing_and_an_answer_after_midnight_counts_for_the_day_it_was_asked_on() -> None:
    budget = Budget(Counted(), per_day=COST)
    reserved = budget.reserve(REQUEST, answer_tokens=1000, day=TODAY)
    assert reserved is not None
    assert budget.reserve(REQUEST, answer_tokens=1000, day=TODAY) is None
    tomorrow = TODAY + timedelta(days=1)
    assert budget.reserve(REQUEST, answer_tokens=1000, day=tomorrow)
    budget.settle(reserved, 900)
    assert (budget.spent(TODAY), budget.spent(tomorrow)) == (900, COST)


@given(st.lists(st.tuples(st.text(max_size=500), st.integers(1, 2_000)), max_size=30), st.integers(0, 10_000))
def test_the_reserved_tokens_of_a_day_never_exceed_the_cap(asked: list[tuple[str, int]], cap: int) -> None:
    budget = Budget(Counted(), per_day=cap)
    for text, answer_tokens in asked:
        budget.reserve(ModelQuestion(system="", text=text), answer_tokens=answer_tokens, day=TODAY)
        assert budget.spent(TODAY) <= cap
