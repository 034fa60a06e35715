"""The names that a prompt calls things by, and whether a word is one here. Pure.

A name is written as one: with inner marks, digits or capitals (`upload.py`, `realtime_measurements`, `CloudFront`), or
with a capital inside of a sentence. Whoever types fast writes `cloudfront`, so how earlier texts write it counts.
"""

import re
from collections.abc import Iterable

from recollect.text.query import IDLE, MAX_QUERY_CHARS
from recollect.text.words import EDGE, index_words, is_identifier

LEAST_CHARS = 3
OFTEN = 0.5  # of its places inside of sentences, written as a name

_CHUNK = re.compile(r"[^\W_][\w@#./+:-]*")
_ELSEWHERE = re.compile(r"://|^(?:Users|home|tmp|var|private|opt)/")  # an address, or a folder of one machine
_BEGINS = re.compile(r"(?:^|[.!?:;\n]|\n\s*[-*#>\d.)]+)[\s\"'(*_`]*$")
_CONTEXT = 12  # characters before a word, that tell whether a sentence begins there


def named_in(prompt: str) -> dict[str, str]:
    """The words that may be names, as the index has them, each with how the prompt spells it."""
    found: dict[str, str] = {}
    for chunk in _CHUNK.findall(prompt[:MAX_QUERY_CHARS]):
        spelt = chunk.strip(EDGE)
        if _ELSEWHERE.search(chunk) or len(spelt) < LEAST_CHARS or spelt.isdigit():
            continue
        last = spelt.replace("\\", "/").rsplit("/", 1)[-1]
        for name in {spelt, last}:
            words = index_words(name)
            if words and words[-1] not in IDLE and len(words[-1]) >= LEAST_CHARS:
                found.setdefault(words[-1], name)
    return found


def is_name(word: str, texts: Iterable[str]) -> bool:
    """Whether these texts mostly write it as a name."""
    as_name = others = 0
    for text in texts:
        for place in _CHUNK.finditer(text):
            chunk = place.group().strip(EDGE)
            if word[:2] not in chunk.lower() or word not in index_words(chunk):
                continue
            before = text[max(0, place.start() - _CONTEXT) : place.start()]
            if is_identifier(chunk) or before.endswith("`"):
                as_name += 1
            elif not _BEGINS.search(before):
                as_name += chunk[0].isupper()
                others += chunk[0].islower()
    return as_name > 0 and as_name >= OFTEN * (as_name + others)
