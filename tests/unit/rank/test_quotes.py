from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.rank.quotes import LINE_TOKENS, SPEAKER_TOKENS, Passage, left_to_quote, topical, worth_quoting


def a_passage(words: str, **fields: Any) -> Passage:
    known: dict[str, Any] = {
        "turn": 0,
        "place": 0,
        "exchange": 0,
        "tokens": 10,
        "turn_score": 0.5,
        "exchange_score": 0.5,
        "asked": 0.5,
        "cosine": 0.5,
    }
    return Passage(text=words, words=frozenset(words.split()), **(known | fields))


PASSAGES = st.lists(
    st.builds(
        a_passage,
        st.lists(st.sampled_from("redis cache jwt helm orders stock email".split()), min_size=1).map(" ".join),
        turn=st.integers(0, 4),
        exchange=st.integers(0, 2),
        tokens=st.integers(1, 60),
        turn_score=st.floats(0, 1),
        asked=st.floats(0, 1),
        cosine=st.one_of(st.none(), st.floats(-1, 1)),
    ),
    max_size=20,
)


@given(PASSAGES, st.integers(0, 200))
@settings(deadline=None)
def test_a_choice_never_costs_more_than_its_budget(passages: list[Passage], budget_tokens: int) -> None:
    chosen = worth_quoting(passages, budget_tokens=budget_tokens)
    lines = LINE_TOKENS * len({passage.exchange for passage in chosen})
    speakers = SPEAKER_TOKENS * len({passage.turn for passage in chosen})
    assert sum(passage.tokens for passage in chosen) + lines + speakers <= budget_tokens or not chosen


@given(PASSAGES)
@settings(deadline=None)
def test_the_same_passages_give_the_same_choice(passages: list[Passage]) -> None:
    assert worth_quoting(passages, budget_tokens=90) == worth_quoting(list(passages), budget_tokens=90)


def test_what_fits_best_comes_first() -> None:
    near, far = a_passage("jwt cookies", cosine=0.7, turn=1), a_passage("helm chart", cosine=0.3, turn=2)
    assert worth_quoting([far, near], budget_tokens=200) == [near, far]


def test_what_was_said_already_is_not_said_again() -> None:
    once, again = a_passage("redis cache hours", turn=1), a_passage("redis cache hours", turn=2)
    assert worth_quoting([once, again], budget_tokens=200) == [once]
    assert worth_quoting([once], budget_tokens=200, said=["redis", "cache", "hours"]) == []


def test_what_is_far_behind_the_best_says_nothing_about_the_question() -> None:
    best = a_passage("jwt cookies", turn_score=0.9, exchange_score=0.9, turn=1, exchange=1)
    weak = a_passage("helm chart", turn_score=0.1, exchange_score=0.1, turn=2, exchange=2)
    assert worth_quoting([best, weak], budget_tokens=200) == [best]


def test_a_prompt_is_the_more_about_it_the_nearer_it_comes_and_the_more_words_it_shares() -> None:
    assert topical(0.2, 0.0) < topical(0.4, 0.0) < topical(0.4, 0.5) < topical(0.6, 0.5)
    assert topical(0.2, 0.2) < 0.01
    assert topical(0.5, 0.3) > 0.9
    assert topical(None, 0.4) == 0.4


def test_nothing_comes_of_nothing() -> None:
    assert worth_quoting([], budget_tokens=100) == []


def test_where_the_best_is_known_its_crumbs_are_not_quoted() -> None:
    answer = a_passage("redis cache lives ten minutes", cosine=0.7)
    crumb = a_passage("fine the rest stays unchanged", cosine=0.05, asked=0.0)
    near = a_passage("redis cache keys begin shop", cosine=0.6)
    assert left_to_quote([answer, crumb], lambda one: one is answer, 0.2) == []
    assert left_to_quote([answer, crumb, near], lambda one: one is answer, 0.2) == [near]
    assert left_to_quote([answer, crumb], lambda _: False, 0.2) == [answer, crumb]
    assert left_to_quote([a_passage("just tag")], lambda _: False, 0.2) == []
