"""How likely a sentence matters in a later session: a small model of our own over what can be seen of it. Pure.

Its weights are made by `python -m bench.durability` from sentences that we wrote; with an embedder it also weighs what
the sentence means. It is an estimate: it ranks and it lets candidates wait, it never confirms anything.
"""

import math
from array import array
from base64 import b64decode
from collections.abc import Callable, Sequence
from functools import lru_cache

from recollect.capture.clauses import Sentence
from recollect.capture.traits import SIGNS, Turn, traits
from recollect.domain.memory import Role
from recollect.domain.vector import Vector

Embed = Callable[[str], Vector]
MAX_EMBEDDED = 24  # sentences of a message; the rest is weighed by what is seen of it


def durabilities(sentences: Sequence[Sentence], turn: Turn, role: Role, embed: Embed | None) -> list[float]:
    seen = [traits(sentences, at, turn) for at in range(len(sentences))]
    plain = [_chance(_seen_alone(role), values) for values in seen]
    if embed is None:
        return plain
    # Most sentences are told by what is seen of them; the model is asked about the more likely ones first.
    first = sorted(range(len(sentences)), key=lambda at: (-plain[at], at))[:MAX_EMBEDDED]
    for at in first:
        said, meant = _with_meaning(role)
        meaning = array("f", embed(sentences[at].text))
        plain[at] = _logistic(_sum(said, seen[at]) + sum(map(float.__mul__, meant, meaning)))
    return plain


def _chance(weights: Sequence[float], values: Sequence[float]) -> float:
    return _logistic(_sum(weights, values))


def _sum(weights: Sequence[float], values: Sequence[float]) -> float:
    return weights[0] + sum(weight * value for weight, value in zip(weights[1:], values, strict=True) if value)


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, x))))


@lru_cache(maxsize=2)
def _seen_alone(role: Role) -> list[float]:
    from recollect.capture import durability_weights as made

    return _checked(made.USER if role is Role.USER else made.ASSISTANT)


@lru_cache(maxsize=2)
def _with_meaning(role: Role) -> tuple[list[float], list[float]]:
    from recollect.capture import durability_weights as made

    said, meant = (
        (made.USER_WITH_MEANING, made.USER_MEANING)
        if role is Role.USER
        else (made.ASSISTANT_WITH_MEANING, made.ASSISTANT_MEANING)
    )
    return _checked(said), [weight * made.MEANING_STEP for weight in array("b", b64decode(meant))]


def _checked(weights: Sequence[float]) -> list[float]:
    if len(weights) != len(SIGNS) + 1:
        raise ValueError("The weights belong to other signs; run `python -m bench.durability`.")
    return list(weights)
