"""Find the terms of a text that show its subject: names, words and numbers, whole and in parts. Pure.

Wider than the words of the index: nothing is stemmed or left out, so a term is the same in a command, a path or a
sentence.
"""

import re

MIN_CHARS = 4
_TERM = re.compile(r"[^\W\d]\w*(?:[./:-]\w+)*|\d{3,}")
_BETWEEN = re.compile(r"[./:_-]")


def terms(text: str) -> set[str]:
    """Return terms in lower case; `src/auth/login.py` also gives `auth` and `login`."""
    found: set[str] = set()
    for word in set(_TERM.findall(text)):
        whole = word.strip(".:-/").lower()
        found.update(part for part in (whole, *_BETWEEN.split(whole)) if len(part) >= MIN_CHARS)
    return found
