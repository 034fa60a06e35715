"""Which passages of old turns are worth quoting. Pure: the same passages and the same budget, the same choice.

A passage is worth what it says that nothing before it has said, by rarity, times how well it fits, for each of its
tokens: so a question about one thing gets the whole of it, and one about many things a little of each.
"""

import heapq
import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

BY_TURN, BY_WORDS, BY_MEANING = 20.0, 2.0, 4.0  # how steeply the worth falls with each, as exponents
OF_EXCHANGE = 0.5  # a turn counts for half, the best one of its exchange for the other half
LEAST_WORTH = 0.0005  # of the best passage's worth: what has less says nothing about the question
WORTH_NOTHING = -math.log(LEAST_WORTH)  # so far behind the best, nothing can be worth enough
LEAST_NEW = 0.1  # of what a passage says: the rest may have been said already
LINE_TOKENS, SPEAKER_TOKENS = 18, 2  # what a line costs beside its words, and each change of the speaker

# How surely a prompt is about what was said here. Fitted on a corpus of our own (`python -m bench.relevance.topics`),
# but for the bias, which is so low that three everyday questions in a thousand pass.
TOPIC_BIAS, TOPIC_NEAREST, TOPIC_WORDS = -11.5, 29.8, 4.4
LEAST_TOPICAL = 0.05  # of a passage on its own, as surely
FAR_BEHIND = 2.0  # the best one, in exponents: what is left says nothing beside what the model has in front of it
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
        return fit(self.turn_score, self.exchange_score, self.asked, self.cosine or 0.0)


def fit(turn_score: float, exchange_score: float, asked: float, cosine: float) -> float:
    """How well something fits, as an exponent."""
    told = (1 - OF_EXCHANGE) * turn_score + OF_EXCHANGE * exchange_score
    return BY_TURN * told + BY_WORDS * asked + BY_MEANING * cosine


def topical(nearest: float | None, asked: float) -> float:
    """0..1, how surely a prompt is about what a project's sessions were about: `nearest` is the cosine of the passage
    that comes nearest, `asked` the largest share of the prompt, by rarity, that one exchange has."""
    if nearest is None:
        return asked
    return 1 / (1 + math.exp(-(TOPIC_BIAS + TOPIC_NEAREST * nearest + TOPIC_WORDS * asked)))


def left_to_quote(passages: Sequence[Passage], is_known: Callable[[Passage], bool], least: float) -> list[Passage]:
    """Without what is known or too short. Where that fits best, only what is near on its own: the rest are crumbs."""
    new, gone = list[Passage](), list[Passage]()
    for one in passages:
        (gone if len(one.words) < LEAST_WORDS or is_known(one) else new).append(one)
    if not new or not gone or (_best(new) > _best(gone) and _nearest(new) > _nearest(gone)):
        return new
    telling = [one for one in new if one.topical >= LEAST_TOPICAL]
    if not telling or _nearest(telling) < least:
        return []
    return telling if _best(gone) - _best(telling) <= FAR_BEHIND else []


def _best(passages: Sequence[Passage]) -> float:
    return max(one.fit for one in passages)


def _nearest(passages: Sequence[Passage]) -> float:
    return max(one.topical for one in passages)


def worth_quoting(passages: Sequence[Passage], *, budget_tokens: int, said: Collection[str] = ()) -> list[Passage]:
    """The best ones that fit, the best first. `said`: words that stand in the block already."""
    if not passages:
        return []
    return _Choice(passages, budget_tokens, frozenset(said)).made()


class _Choice:
    """Takes the passage that is worth most, again and again. What it says is worth nothing in any other."""

    def __init__(self, passages: Sequence[Passage], budget_tokens: int, said: frozenset[str]) -> None:
        self._passages = passages
        self._left = budget_tokens
        self._weight = _rarity(passages)
        self._having: dict[str, list[int]] = {}
        for at, passage in enumerate(passages):
            for word in passage.words:
                self._having.setdefault(word, []).append(at)
        best = max(passage.fit for passage in passages)
        self._fits = [math.exp(passage.fit - best) for passage in passages]
        self._all = [sum(self._weight[word] for word in sorted(passage.words)) for passage in passages]
        self._new = list(self._all)
        self._turns: set[int] = set()
        self._exchanges: set[int] = set()
        self._hear(said.intersection(self._having))

    def made(self) -> list[Passage]:
        """What a passage may be worth at most only falls, so most are never looked at twice."""
        waiting = [(-self._at_most(at), at) for at in range(len(self._passages))]
        heapq.heapify(waiting)
        chosen: list[Passage] = []
        least = 0.0
        while (best := self._best(waiting, least)) is not None:
            passage = self._passages[best]
            least = max(least, LEAST_WORTH * self._worth(best))
            self._left -= self._cost(passage)
            self._turns.add(passage.turn)
            self._exchanges.add(passage.exchange)
            self._hear(passage.words.intersection(self._having))
            chosen.append(passage)
        return chosen

    def _best(self, waiting: list[tuple[float, int]], least: float) -> int | None:
        """Takes it from those that wait; None: nothing that fits is worth more than this."""
        best, found = least, None
        others: list[int] = []
        while waiting and -waiting[0][0] > best:
            at = heapq.heappop(waiting)[1]
            if self._passages[at].tokens > self._left or self._at_most(at) <= least:
                continue
            worth = self._worth(at) if self._cost(self._passages[at]) <= self._left else 0.0
            if worth > best:
                if found is not None:
                    others.append(found)
                best, found = worth, at
            else:
                others.append(at)
        for at in others:
            heapq.heappush(waiting, (-self._at_most(at), at))
        return found

    def _at_most(self, at: int) -> float:
        """If its exchange were quoted already."""
        return self._fits[at] * self._new[at] / self._passages[at].tokens

    def _worth(self, at: int) -> float:
        if self._new[at] < LEAST_NEW * self._all[at]:
            return 0.0
        return self._fits[at] * self._new[at] / self._cost(self._passages[at])

    def _cost(self, passage: Passage) -> int:
        line = 0 if passage.exchange in self._exchanges else LINE_TOKENS
        return passage.tokens + line + (0 if passage.turn in self._turns else SPEAKER_TOKENS)

    def _hear(self, words: Collection[str]) -> None:
        for word in sorted(words):
            for at in self._having.pop(word):
                self._new[at] -= self._weight[word]


def _rarity(passages: Sequence[Passage]) -> Mapping[str, float]:
    having = Counter(word for passage in passages for word in passage.words)
    return {word: math.log(1 + len(passages) / count) for word, count in having.items()}
