"""Choose the passages of old exchanges that answer a question. Pure: same passages, same choice.

An exchange counts if one of its passages alone is near to the question. Its best passages are taken while the budget
lasts; an exchange far behind the best one is left out.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

# Weights for the order.
BY_TURN, BY_WORDS, BY_MEANING = 20.0, 2.0, 4.0
OF_EXCHANGE = 0.5  # half of the turn score comes from the best turn of the exchange
MOST_EXCHANGES = 3
FAR_BEHIND = 8.0  # from the best passage, in the units of `fit`
LINE_TOKENS = 22  # for the date, the session and the speakers

# Whether a prompt is about a topic of this archive. Fitted on a corpus of our own (`python -m bench.relevance.topics`),
# except the bias, which is so low that three everyday questions in a thousand pass.
TOPIC_BIAS, TOPIC_NEAREST, TOPIC_WORDS = -11.5, 29.8, 4.4
MIN_CONTENT_WORDS = 4  # in a passage


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    turn: int  # in the order of the archive
    place: int  # in its turn
    exchange: int  # its first turn
    text: str
    words: frozenset[str]  # content words
    tokens: int  # estimated, at least 1
    turn_score: float  # 0..1, of its turn
    exchange_score: float  # the best of its exchange
    asked: float  # 0..1, the share of the question that it has, by rarity
    cosine: float | None  # None: it has no vector

    @property
    def topicality(self) -> float:
        return topicality(self.cosine, self.asked)

    @property
    def fit(self) -> float:
        score = (1 - OF_EXCHANGE) * self.turn_score + OF_EXCHANGE * self.exchange_score
        return BY_TURN * score + BY_WORDS * self.asked + BY_MEANING * (self.cosine or 0.0)


def topicality(nearest: float | None, asked: float) -> float:
    """Return the probability that a text has the same topic. `nearest`: a cosine, `asked`: a share of words by rarity."""
    if nearest is None:
        return asked
    return 1 / (1 + math.exp(-(TOPIC_BIAS + TOPIC_NEAREST * nearest + TOPIC_WORDS * asked)))


def choose(passages: Sequence[Passage], *, budget_tokens: int, min_topicality: float) -> list[Passage]:
    """Return the best passages of the best exchanges, best first."""
    chosen: list[Passage] = []
    begun: set[int] = set()
    for passage in _rank(passages, min_topicality):
        cost = passage.tokens
        if passage.exchange not in begun:
            cost += LINE_TOKENS
        if cost <= budget_tokens:
            budget_tokens -= cost
            begun.add(passage.exchange)
            chosen.append(passage)
    return chosen


def _rank(passages: Sequence[Passage], least: float) -> list[Passage]:
    exchanges: dict[int, list[Passage]] = {}
    for passage in sorted(passages, key=lambda one: (one.exchange, -one.fit)):
        if len(passage.words) >= MIN_CONTENT_WORDS:
            exchanges.setdefault(passage.exchange, []).append(passage)
    near = [group for group in exchanges.values() if max(one.topicality for one in group) >= least]
    near.sort(key=lambda group: -group[0].fit)
    best = near[0][0].fit if near else 0.0
    ranked = [one for group in near[:MOST_EXCHANGES] for one in group if best - one.fit <= FAR_BEHIND]
    return sorted(ranked, key=lambda one: -one.fit)
