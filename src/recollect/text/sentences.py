"""Split texts into sentences, and shorten them at a good place. Pure."""

import re
from functools import cache

ELLIPSIS = " …"
MAX_CHARS = 4000  # searched for the first sentence

# A full stop ends a sentence if a capital or a number follows; so do an empty line and a list item.
_NEXT = r"(?=[\"'(\[`*_-]*[A-Z0-9\u00c0-\U0010ffff])"
_END = rf"(?<=[.!?])[\"')\]]*\s+{_NEXT}|(?<=[。！？])|\n\s*\n|\n(?=\s*[-*•\d])"
_SHORT_FORM = r"\b(?:e\.g|i\.e|cf|vs|etc|approx|resp|incl|Mr|Mrs|Dr|St|No|Nos|Fig|Sec|Inc|Ltd|[A-Z])\.$"

_pattern = cache(re.compile)  # at first use: most commands split nothing


def sentences(text: str) -> list[str]:
    """Return all sentences in order; an item of a list is one."""
    found: list[str] = []
    begin = at = 0
    for end in _pattern(_END).finditer(text):
        piece, at = text[at : end.start()].strip(), end.end()
        if piece and not _pattern(_SHORT_FORM).search(piece):
            found.append(text[begin : end.start()].strip())
            begin = at
    last = text[begin:].strip()
    return [*found, last] if last else found


def first_sentence(text: str, *, chars: int) -> str | None:
    """Return it with a mark that more follows. None: there is only one sentence, or the first is too long."""
    text = text.strip()[:MAX_CHARS]
    for end in _pattern(_END).finditer(text):
        first = text[: end.start()].rstrip()
        if len(first) > chars:
            return None
        if first and first != text and not _pattern(_SHORT_FORM).search(first):
            return first + ELLIPSIS
    return None


def shorten(line: str, *, chars: int) -> str:
    """Cut at the end of a sentence, of a list item, or at least of a word, and mark the cut."""
    if len(line) <= chars:
        return line
    room = line[: chars - 1]
    for mark in (". ", "; ", ", ", " — ", " (", " "):
        at = room.rfind(mark)
        if at > (0 if mark == " " else chars * 0.4):
            return f"{room[:at].rstrip(' ,;:—(')}…"
    return f"{room}…"
