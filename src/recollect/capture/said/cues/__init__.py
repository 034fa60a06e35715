"""Recognise phrases that make a statement lasting, or retract it: tables of words by language. Pure.

A table in `LANGUAGES` adds a language. Every text is searched for the cues of all languages, because developers mix
them. So a cue must mean the same in any text.
"""

import re
from functools import lru_cache

from recollect.capture.said.cues.cue import Cue
from recollect.capture.said.cues.english import ENGLISH, PLACEHOLDERS
from recollect.capture.said.cues.languages import LANGUAGES, UNSPACED
from recollect.text.lazy_pattern import LazyPattern

__all__ = ["LANGUAGES", "Cue", "cues_of", "fix_spelling", "has_cue"]

_GAP = re.compile(r"\s{2,}|\n")
_WITH_NOT = "do does did is are was were ca wo should would could has have had must need ai".split()
_OTHERS = {
    "thats": "that's",
    "whats": "what's",
    "youre": "you're",
    "theyre": "they're",
    "weve": "we've",
    "youve": "you've",
    "ive": "I've",
    "im": "I'm",
    "pls": "please",
    "plz": "please",
    "lets": "let's",
    "its": "it's",
}
_WORD = re.compile(r"\w+")
_FULL_FORMS = {**{f"{verb}nt": f"{verb}n't" for verb in _WITH_NOT}, **_OTHERS}
# "It lets callers wait" and "its name" are correct.
_MISSING_APOSTROPHE = LazyPattern(
    rf"\b(?:{'|'.join(word for word in _FULL_FORMS if word not in ('lets', 'its'))})\b(?![-_./(])|"
    r"(?:(?<=^)|(?<=[,.;:!] )|(?<=\bok )|(?<=\bno )|(?<=\byes ))lets(?= (?!(?:you|us|me|them|users|the|it|a)\b)\w)|"
    r"\bits(?= (?:a|an|the|not|called|always|never|better|fine|ok|too|just|so|still|only|already|\w{3,}ing)\b)",
    re.IGNORECASE,
)


@lru_cache(maxsize=1024)
def cues_of(sentence: str) -> frozenset[Cue]:
    said = fix_spelling(sentence).lower()
    return frozenset(cue for cue, pattern in _patterns().items() if pattern.search(said))


def has_cue(sentence: str, *wanted: Cue) -> bool:
    """Return True if a sentence has one of these cues; much quicker than `cues_of`, where a few cues decide."""
    said = fix_spelling(sentence).lower()
    return any(_patterns()[cue].search(said) for cue in wanted)


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


@lru_cache(maxsize=64)  # each sentence is asked several times in a row
def fix_spelling(text: str) -> str:
    """Add missing apostrophes, `dont` -> `don't`, before a text is judged. Stored texts stay as typed."""
    if text.isascii() and _FULL_FORMS.keys().isdisjoint(_WORD.findall(text.lower())):
        return text  # as almost always
    return _MISSING_APOSTROPHE.sub(_full_form, text)


def _full_form(found: re.Match[str]) -> str:
    full = _FULL_FORMS[found[0].lower()]
    return full[:1].upper() + full[1:] if found[0][:1].isupper() else full
