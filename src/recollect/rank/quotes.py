"""Choose which passages of old exchanges answer a question. Pure: the same passages, the same choice.

An exchange counts if one of its passages is near to the question on its own. Of such an exchange the best passages are
taken, as far as the room goes; an exchange that is far behind the best one is left out.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

# How much each counts for the order.
BY_TURN, BY_WORDS, BY_MEANING = 20.0, 2.0, 4.0
OF_EXCHANGE = 0.5  # a turn counts for half, the best one of its exchange for the other half
MOST_EXCHANGES = 3
FAR_BEHIND = 8.0  # the best passage, in the units of `fit`
LINE_TOKENS = 22  # for the date, the session and the speakers

# How surely a prompt is about what was said here. Fitted on a corpus of our own (`python -m bench.relevance.topics`),
# but for the bias, which is so low that three everyday questions in a thousand pass.
TOPIC_BIAS, TOPIC_NEAREST, TOPIC_WORDS = -11.5, 29.8, 4.4
LEAST_WORDS = 4  # that say something, in a passage


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    turn: int  # in the order of the archive
    place: int  # in its turn
    exchange: int  # the turn that began it
    text: str
    words: frozenset[str]  # that say something
    tokens: int  # about, and more than none
    turn_score: float  # 0..1, of its turn
    exchange_score: float  # the best of its exchange
    asked: float  # 0..1, the share of the question that it has, by rarity
    cosine: float | None  # None: nothing is known of what it means

    @property
    def topical(self) -> float:
        return topical(self.cosine, self.asked)

    @property
    def fit(self) -> float:
        told = (1 - OF_EXCHANGE) * self.turn_score + OF_EXCHANGE * self.exchange_score
        return BY_TURN * told + BY_WORDS * self.asked + BY_MEANING * (self.cosine or 0.0)


def topical(nearest: float | None, asked: float) -> float:
    """How surely, 0..1, a text is about the same thing: `nearest` is a cosine, `asked` a share of words, by rarity."""
    if nearest is None:
        return asked
    return 1 / (1 + math.exp(-(TOPIC_BIAS + TOPIC_NEAREST * nearest + TOPIC_WORDS * asked)))


def choose(passages: Sequence[Passage], *, budget_tokens: int, least: float) -> list[Passage]:
    """The best passages of the best exchanges, best first. `least`: how topical one of an exchange has to be."""
    telling = [one for one in passages if len(one.words) >= LEAST_WORDS]
    by_exchange = sorted(telling, key=lambda one: (one.exchange, -one.fit))
    exchanges = [list(some) for _, some in groupby(by_exchange, key=lambda one: one.exchange)]
    near = [some for some in exchanges if max(one.topical for one in some) >= least]
    near.sort(key=lambda some: -some[0].fit)
    best = near[0][0].fit if near else 0.0
    ranked = [one for some in near[:MOST_EXCHANGES] for one in some if best - one.fit <= FAR_BEHIND]
    chosen: list[Passage] = []
    begun: set[int] = set()
    for one in sorted(ranked, key=lambda one: -one.fit):
        cost = one.tokens + (0 if one.exchange in begun else LINE_TOKENS)
        if cost <= budget_tokens:
            budget_tokens -= cost
            begun.add(one.exchange)
            chosen.append(one)
    return chosen
