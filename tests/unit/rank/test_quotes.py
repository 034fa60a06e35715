from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.rank.quotes import LINE_TOKENS, MOST_EXCHANGES, Passage, choose, topicality


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
    chosen = choose(passages, budget_tokens=budget_tokens, min_topicality=0.0)
    exchanges = {passage.exchange for passage in chosen}
    assert sum(passage.tokens for passage in chosen) + LINE_TOKENS * len(exchanges) <= budget_tokens or not chosen
    assert len(exchanges) <= MOST_EXCHANGES


@given(PASSAGES)
@settings(deadline=None)
def test_the_same_passages_give_the_same_choice(passages: list[Passage]) -> None:
    assert choose(passages, budget_tokens=90, min_topicality=0.0) == choose(
        list(passages), budget_tokens=90, min_topicality=0.0
    )


JWT, HELM = "jwt cookies auth header", "helm chart cluster node"


def test_what_fits_best_comes_first() -> None:
    near, far = a_passage(JWT, cosine=0.7, turn=1), a_passage(HELM, cosine=0.3, turn=2)
    assert choose([far, near], budget_tokens=200, min_topicality=0.0) == [near, far]


def test_an_exchange_needs_a_passage_that_is_near_on_its_own() -> None:
    near = a_passage(JWT, cosine=0.6, turn=1, exchange=1)
    beside = a_passage("cookies last for a week", cosine=0.1, turn=1, exchange=1)
    far = a_passage(HELM, cosine=0.1, asked=0.1, turn=2, exchange=2)
    assert choose([near, beside, far], budget_tokens=200, min_topicality=0.2) == [near, beside]


def test_what_is_far_behind_the_best_says_nothing_about_the_question() -> None:
    best = a_passage(JWT, turn_score=0.9, exchange_score=0.9, turn=1, exchange=1)
    weak = a_passage(HELM, turn_score=0.1, exchange_score=0.1, turn=2, exchange=2)
    assert choose([best, weak], budget_tokens=200, min_topicality=0.0) == [best]


def test_a_prompt_is_the_more_about_it_the_nearer_it_comes_and_the_more_words_it_shares() -> None:
    assert topicality(0.2, 0.0) < topicality(0.4, 0.0) < topicality(0.4, 0.5) < topicality(0.6, 0.5)
    assert topicality(0.2, 0.2) < 0.01
    assert topicality(0.5, 0.3) > 0.9
    assert topicality(None, 0.4) == 0.4


def test_nothing_comes_of_nothing() -> None:
    assert choose([], budget_tokens=100, min_topicality=0.0) == []
    assert choose([a_passage("just tag")], budget_tokens=100, min_topicality=0.0) == []  # too short to say anything
