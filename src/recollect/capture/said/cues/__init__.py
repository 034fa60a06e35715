"""Recognise phrases that make a statement lasting, or retract it: tables of words by language. Pure.

A table in `LANGUAGES` adds a language. Every text is searched for the cues of all languages, because developers mix
them. So a cue must mean the same in any text.
"""

import re
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
    return frozenset(cue for cue, pattern in _patterns().items() if pattern.search(said))


@lru_cache(maxsize=1)
def _patterns() -> dict[Cue, re.Pattern[str]]:
    """Compiled at the first message, not at every start."""
    return {cue: re.compile(_pattern(cue)) for cue in Cue}


def _pattern(cue: Cue) -> str:
    first: list[str] = []
    rest: list[str] = []
    for table in (ENGLISH, *LANGUAGES.values()):
        for phrase in split_phrases(table.get(cue, "")):
            if phrase.startswith("^"):
                first.append(phrase.removeprefix("^"))
            else:
                rest.append(phrase)
    unspaced = [phrase for table in UNSPACED.values() for phrase in split_phrases(table.get(cue, ""))]
    parts = [*_group_phrases(r"\A", first), *_group_phrases(r"(?<![\w-])", rest), *unspaced]
    return "|".join(parts) or r"(?!)"


def _group_phrases(before: str, phrases: list[str]) -> list[str]:
    return [rf"{before}(?:{'|'.join(phrases)})(?![\w-])"] if phrases else []


def split_phrases(block: str) -> list[str]:
    """Split a table into its phrases, at two spaces or the end of a line."""
    return [_fill_placeholders(phrase) for phrase in _GAP.split(block.strip()) if phrase]


def _fill_placeholders(phrase: str) -> str:
    for name, words in PLACEHOLDERS.items():
        phrase = phrase.replace(name, words)
    return phrase
