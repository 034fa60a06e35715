"""Summarise edits in a few words, and shorten paths as the project names them. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence

from recollect.capture.happened.calls import TextChange
from recollect.text.lazy_pattern import LazyPattern

MAX_PART_CHARS = 70  # of a quoted line of code
MAX_CHANGES = 3
_WORDS = LazyPattern(r"\w")


def summarise_changes(changes: Sequence[TextChange]) -> str:
    """Return `In a.py: `old` -> `new`.` if one line changed, else which file changed."""
    return " ".join(dict.fromkeys(map(_summarise_change, changes[:MAX_CHANGES])))


def _summarise_change(change: TextChange) -> str:
    name = re.split(r"[/\\]", change.path.rstrip("/\\"))[-1]
    gone, come = _lines(change.old), _lines(change.new)
    old = [line for line in gone if line not in come]
    new = [line for line in come if line not in gone]
    if not change.old.strip():
        return f"Wrote {name}."
    if len(old) == 1 and len(new) == 1:
        before, after = _differing(old[0], new[0])
        return f"In {name}: {before} -> {after}."
    if new and not old:
        return f"In {name}: added {_quote_code(new[0])}."
    if old and not new:
        return f"In {name}: removed {_quote_code(old[0])}."
    if new:
        return f"In {name}: {_quote_code(old[0])} -> {_quote_code(new[0])}."
    return f"Changed {name}."


def _differing(old: str, new: str) -> tuple[str, str]:
    if len(old) <= MAX_PART_CHARS and len(new) <= MAX_PART_CHARS:
        return _quote_code(old), _quote_code(new)
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    begin = max(0, start - 20)
    return _quote_code(old[begin:]), _quote_code(new[begin:])


def _lines(text: str) -> list[str]:
    """Lines with a word in them; no lone brackets."""
    return [line.strip() for line in text[:8000].splitlines() if _WORDS.search(line)]


def _quote_code(line: str) -> str:
    code = line.replace("`", "'")
    if len(code) > MAX_PART_CHARS:
        code = f"{code[: MAX_PART_CHARS - 1]}…"
    return f"`{code}`"


def relative_paths(paths: Iterable[str], folder: str | None) -> Iterator[str]:
    """Yield the paths below the folder; files outside of it are skipped."""
    root = (folder or "").rstrip("/\\")
    for path in paths:
        if root and path.startswith((f"{root}/", f"{root}\\")):
            yield path[len(root) + 1 :]
        elif not re.match(r"[/\\~]|[A-Za-z]:", path):
            yield path.removeprefix("./")
        elif not root:
            yield path
