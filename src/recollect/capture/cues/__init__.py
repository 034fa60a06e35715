"""How people say that something holds: tables of words, one file per language. Pure.

A language is added by a file with a table and its name in `TABLES`. A table may leave cues out; cues of all languages
are looked for in every text, since developers mix them. So a cue is a phrase that means the same wherever it stands.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

from recollect.capture.cues.cue import Cue
from recollect.capture.cues.english import ENGLISH
from recollect.capture.cues.english_words import ENGLISH_WORDS
from recollect.capture.cues.german import GERMAN
from recollect.capture.cues.phrases import Phrases
from recollect.capture.cues.spanish import SPANISH
from recollect.capture.cues.spelling import spelt

__all__ = ["TABLES", "Cue", "cues_of", "has", "spelt"]

_GAP = re.compile(r"\s{2,}|\n")
_NAMED = re.compile(r"<(\w+)>")
TABLES: tuple[Mapping[Cue, str], ...] = (ENGLISH, GERMAN, SPANISH)
WORDS: Mapping[str, str] = ENGLISH_WORDS  # which a phrase can name; those of all languages, where others have some


def has(cue: Cue, sentence: str) -> bool:
    return cue in cues_of(sentence)


@lru_cache(maxsize=1024)
def cues_of(sentence: str) -> frozenset[Cue]:
    return _phrases().found(spelt(sentence))


@lru_cache(maxsize=1)
def _phrases() -> Phrases[Cue]:
    """When the first message comes, not at every start."""
    return Phrases({cue: [phrase for table in TABLES for phrase in _parted(table.get(cue, ""))] for cue in Cue})


def _parted(block: str) -> list[str]:
    return [_NAMED.sub(_any_of, phrase) for phrase in _GAP.split(block.strip()) if phrase]


def _any_of(name: re.Match[str]) -> str:
    return f"(?:{'|'.join(WORDS[name[1]].split())})"
