"""The model that says what will matter: its corpus, its weights, and turns that nothing was fitted on."""

from bench.durability.corpus import turns, unseen

from recollect.capture import durability_weights as made
from recollect.capture.conversation import said
from recollect.capture.traits import SIGNS
from recollect.domain.learning import Proposal
from recollect.domain.memory import Role, Tier
from tests.requirements import covers
from tests.unit.capture.saying import a_prompt, a_reply


def words(text: str) -> set[str]:
    return set("".join(sign if sign.isalnum() else " " for sign in text.lower()).split())


def test_the_corpus_is_large_and_has_both_sides() -> None:
    corpus = turns()
    assert len(corpus) > 4000
    for role in (Role.USER, Role.ASSISTANT):
        marked = [bool(turn.lasting) for turn in corpus if turn.role is role]
        assert 0.3 < sum(marked) / len(marked) < 0.8
    assert all(part in turn.text for turn in corpus for part in turn.lasting)
    assert turns() == corpus


def test_the_weights_belong_to_the_signs() -> None:
    for weights in (made.USER, made.USER_WITH_MEANING, made.ASSISTANT, made.ASSISTANT_WITH_MEANING):
        assert len(weights) == len(SIGNS) + 1


@covers("SCO-10")
def test_of_turns_that_nothing_was_fitted_on_most_that_lasts_is_found_and_little_else() -> None:
    confirmed, candidates, found, lasting = list[bool](), list[bool](), 0, 0
    for turn in unseen():
        proposals = said(a_prompt(turn.text) if turn.role is Role.USER else a_reply(turn.text))
        for proposal in proposals:
            right = any(_holds(proposal, part) for part in turn.lasting)
            (confirmed if proposal.tier is Tier.CONFIRMED else candidates).append(right)
        lasting += len(turn.lasting)
        found += sum(any(_holds(proposal, part) for proposal in proposals) for part in turn.lasting)
    assert sum(confirmed) >= 0.9 * len(confirmed) > 0
    assert sum(candidates) >= 0.7 * len(candidates)
    assert found >= 0.8 * lasting


def _holds(proposal: Proposal, part: str) -> bool:
    return len(words(part) & words(proposal.text)) >= 0.7 * len(words(part))
