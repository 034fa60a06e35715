"""Add missing apostrophes (`dont` -> `don't`) before a text is judged. Stored texts stay as typed."""

import re

from recollect.capture.patterns import LazyPattern

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
_FULL_FORMS = {**{f"{verb}nt": f"{verb}n't" for verb in _WITH_NOT}, **_OTHERS}
# "It lets callers wait" and "its name" are correct.
_MISSING_APOSTROPHE = LazyPattern(
    rf"\b(?:{'|'.join(word for word in _FULL_FORMS if word not in ('lets', 'its'))})\b(?![-_./(])|"
    r"(?:(?<=^)|(?<=[,.;:!] )|(?<=\bok )|(?<=\bno )|(?<=\byes ))lets(?= (?!(?:you|us|me|them|users|the|it|a)\b)\w)|"
    r"\bits(?= (?:a|an|the|not|called|always|never|better|fine|ok|too|just|so|still|only|already|\w{3,}ing)\b)",
    re.IGNORECASE,
)


def fix_spelling(text: str) -> str:
    return _MISSING_APOSTROPHE.sub(_full_form, text)


def _full_form(found: re.Match[str]) -> str:
    full = _FULL_FORMS[found[0].lower()]
    return full[:1].upper() + full[1:] if found[0][:1].isupper() else full
