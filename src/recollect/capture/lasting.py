"""How surely a user's clause holds for later sessions: a linear model over its words, its pairs of words and its signs.

Pure. Rules alone know the forms that their author thought of. The weights (`lasting.json`) were fitted on messages that
readers labelled (`bench/lasting.py`); names of tools, paths, code and numbers count as such, not by their letters.
"""

import json
import math
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise

from recollect.capture.cues import cues_of, spelt
from recollect.capture.development import is_about_work, names_tool
from recollect.capture.patterns import Pattern

_TOKEN = Pattern(r"`[^`]*`|[\w./@#+-]*\w[\w./@#+'-]*|[!?]")
_UNSPACED = Pattern(r"[\u3040-\u30ff\u4e00-\u9fff]")
_NUMBER = Pattern(r"v?\d[\d.,:%]*\w?$")
_PATH = Pattern(r"/|\.\w{1,5}$")
_NAME = Pattern(r"[a-z0-9][A-Z]|_|^[A-Z]{2,}$|\d[a-z]|[a-z]\d")
LENGTH_STEP, LONGEST = 3, 8  # words that count as one step


def lasts(text: str, signs: frozenset[str]) -> float:
    """How surely, 0..1. `signs`: what else is known of it, by name."""
    weights = _weights()
    total = weights[""] + sum(weights.get(one, 0.0) for one in features(text, signs))
    return 1 / (1 + math.exp(-total))


def features(text: str, signs: frozenset[str]) -> frozenset[str]:
    said = spelt(text)
    tokens = list(_tokens(said))
    found = {*tokens, *map(" ".join, pairwise(["^", *tokens, "$"]))}
    found |= {f"={cue.value}" for cue in cues_of(said)} | {f"={sign}" for sign in signs}
    found.add(f"=length {min(LONGEST, len(tokens) // LENGTH_STEP)}")
    return frozenset(found | ({"=work"} if is_about_work(said) else set()))


@lru_cache(maxsize=512)
def _tokens(text: str) -> tuple[str, ...]:
    found: list[str] = []
    for token in _TOKEN.findall(text):
        word = token.strip("./-")
        if token.startswith("`"):
            found.append("<code>")
        elif _UNSPACED.search(token):
            found += [*map("".join, pairwise(word))] or [word]
        elif _NUMBER.match(word):
            found.append("<number>")
        elif names_tool(word.lower()):
            found.append("<tool>")
        elif _PATH.search(word):
            found.append("<path>")
        elif _NAME.search(word):
            found.append("<name>")
        elif word:
            found.append(word.lower())
    return tuple(found)


@cache
def _weights() -> dict[str, float]:
    weights: dict[str, float] = json.loads(files("recollect.capture").joinpath("lasting.json").read_text("utf-8"))
    return weights
