"""Where a sentence ends, for what has to be cut. Pure."""

import re

MORE = " …"
MAX_LOOKED_AT = 4000  # characters

# A full stop ends a sentence where a capital or a number comes next; so does an empty line, and a list.
_NEXT = r"(?=[\"'(\[`*_-]*[A-Z0-9\u00c0-\U0010ffff])"
_END = re.compile(rf"(?<=[.!?])[\"')\]]*\s+{_NEXT}|(?<=[。！？])|\n\s*\n|\n(?=\s*[-*•\d])")
_SHORT_FORM = re.compile(r"\b(?:e\.g|i\.e|cf|vs|etc|approx|resp|incl|Mr|Mrs|Dr|St|No|Nos|Fig|Sec|Inc|Ltd|[A-Z])\.$")


def sentences(text: str) -> list[str]:
    """All of them, in order; an entry of a list is one."""
    found, begin, at = list[str](), 0, 0
    for end in _END.finditer(text):
        piece, at = text[at : end.start()].strip(), end.end()
        if piece and not _SHORT_FORM.search(piece):
            found.append(text[begin : end.start()].strip())
            begin = at
    return [*found, *filter(None, [text[begin:].strip()])]


def first_sentence(text: str, *, chars: int) -> str | None:
    """With a mark that more follows. None: there is only one sentence, or the first is too long."""
    looked_at = text.strip()[:MAX_LOOKED_AT]
    for end in _END.finditer(looked_at):
        first = looked_at[: end.start()].rstrip()
        if len(first) > chars:
            return None
        if first and first != looked_at and not _SHORT_FORM.search(first):
            return first + MORE
    return None


def shortened(line: str, *, chars: int) -> str:
    """Cut where something ends: a sentence, a part of a list, at least a word. With a mark that more followed."""
    if len(line) <= chars:
        return line
    room = line[: chars - 1]
    for mark in (". ", "; ", ", ", " — ", " (", " "):
        at = room.rfind(mark)
        if at > chars * (0.4 if mark != " " else 0):
            return f"{room[:at].rstrip(' ,;:—(')}…"
    return f"{room}…"
