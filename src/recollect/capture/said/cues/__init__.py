"""How people say that something holds, and what takes it back: tables of words by language. Pure.

A language is added by a table in `LANGUAGES`. Cues of all languages are looked for in every text, since developers mix
them. So a cue is a phrase that means the same wherever it is.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from recollect.capture.said.cues.cue import Cue
from recollect.capture.said.cues.english import ENGLISH, PLACEHOLDERS
from recollect.capture.said.cues.languages import LANGUAGES, UNSPACED
from recollect.capture.said.cues.spelling import fix_spelling

__all__ = ["LANGUAGES", "Cue", "cues_of", "fix_spelling"]

_GAP = re.compile(r"\s{2,}|\n")


@lru_cache(maxsize=1024)
def cues_of(sentence: str) -> frozenset[Cue]:
    said = fix_spelling(sentence).lower()
    return frozenset(cue for cue, found in _patterns().items() if found.search(said))


@lru_cache(maxsize=1)
def _patterns() -> dict[Cue, re.Pattern[str]]:
    """When the first message comes, not at every start."""
    return {cue: re.compile(_pattern(cue)) for cue in Cue}


def _pattern(cue: Cue) -> str:
    spaced = [phrase for table in (ENGLISH, *LANGUAGES.values()) for phrase in split_phrases(table.get(cue, ""))]
    joined = [phrase for table in UNSPACED.values() for phrase in split_phrases(table.get(cue, ""))]
    first = [phrase.removeprefix("^") for phrase in spaced if phrase.startswith("^")]
    rest = [phrase for phrase in spaced if not phrase.startswith("^")]
    parts = [*_group_phrases(r"\A", first), *_group_phrases(r"(?<![\w-])", rest), *joined]
    return "|".join(parts) or r"(?!)"


def _group_phrases(before: str, phrases: Iterable[str]) -> list[str]:
    found = "|".join(phrases)
    return [rf"{before}(?:{found})(?![\w-])"] if found else []


def split_phrases(block: str) -> list[str]:
    """The phrases of a table, which are parted by two blanks or by the end of a line."""
    return [_fill_placeholders(phrase) for phrase in _GAP.split(block.strip()) if phrase]


def _fill_placeholders(phrase: str) -> str:
    for name, words in PLACEHOLDERS.items():
        phrase = phrase.replace(name, words)
    return phrase
