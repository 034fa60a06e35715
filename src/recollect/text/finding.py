"""How surely a sentence of an agent is a finding: a cause, a trap, a constraint, a place, a reason. Pure.

Most sentences of a closing message report what was just done, and are useless later. The weights were fitted on
sentences that readers graded: `python -m bench.finding`.
"""

from functools import lru_cache

from recollect.text import linear

_BULLETS = ("-", "*", "•")


@lru_cache(maxsize=2048)  # the same passages are near again and again
def finding(text: str) -> float:
    return linear.sure(features(text), "recollect.text", "finding.json")


def features(text: str) -> set[str]:
    return linear.features(text) | ({"=bullet"} if text.startswith(_BULLETS) else set())
