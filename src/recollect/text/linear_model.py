"""Estimate with a linear model over words how likely a text belongs to a labelled class. Pure.

The weights are in a file beside the code, fitted by `bench/`. Names, paths, code and numbers are replaced by
placeholders, so that the model learns nothing about a single project.
"""

import json
import math
import re
from collections.abc import Callable, Iterable
from functools import cache
from importlib.resources import files
from itertools import pairwise

_TOKEN = re.compile(r"`[^`]*`|[\w./@#+-]*\w[\w./@#+'-]*|[!?]")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_NUMBER = re.compile(r"v?\d[\d.,:%]*\w?$")
_PATH = re.compile(r"/|\.\w{1,5}$")
_NAME = re.compile(r"[a-z0-9][A-Z]|_|^[A-Z]{2,}$|\d[a-z]|[a-z]\d")
WORDS_PER_STEP, MAX_STEPS = 3, 8  # for the length of a text


def features(text: str, is_tool: Callable[[str], bool] = lambda _: False) -> set[str]:
    """Return its words, pairs of words and length. `is_tool` recognises the name of a tool."""
    tokens = list(_tokens(text, is_tool))
    pairs = map(" ".join, pairwise(["^", *tokens, "$"]))
    return {*tokens, *pairs, f"=length {min(MAX_STEPS, len(tokens) // WORDS_PER_STEP)}"}


def probability(found: Iterable[str], package: str, name: str) -> float:
    """Return the probability, 0..1, by the weights in a file of a package."""
    weights = _weights(package, name)
    total = weights[""] + sum(weights.get(one, 0.0) for one in found)
    return 1 / (1 + math.exp(-total))


def _tokens(text: str, is_tool: Callable[[str], bool]) -> Iterable[str]:
    for token in _TOKEN.findall(text):
        word = token.strip("./-")
        if token.startswith("`"):
            yield "<code>"
        elif _UNSPACED.search(token):
            yield from map("".join, pairwise(word)) if len(word) > 1 else [word]
        elif _NUMBER.match(word):
            yield "<number>"
        elif is_tool(word.lower()):
            yield "<tool>"
        elif _PATH.search(word):
            yield "<path>"
        elif _NAME.search(word):
            yield "<name>"
        elif word:
            yield word.lower()


@cache
def _weights(package: str, name: str) -> dict[str, float]:
    weights: dict[str, float] = json.loads(files(package).joinpath(name).read_text("utf-8"))
    return weights
