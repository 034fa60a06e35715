"""What edits did, in a few words; and paths as a project names them. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence

from recollect.capture.happened.calls import TextChange
from recollect.capture.patterns import LazyPattern

MAX_PART_CHARS = 70  # of a line of code that is quoted
MAX_CHANGES = 3
_WORDS = LazyPattern(r"\w")


def summarise_changes(changes: Sequence[TextChange]) -> str:
    """`a.py: `old` -> `new`.` where one line says it, else which file was changed."""
    told = [_summarise_change(change) for change in changes[:MAX_CHANGES]]
    return " ".join(dict.fromkeys(told))


def _summarise_change(change: TextChange) -> str:
    name = last_part(change.path)
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
    """Those that say something; not lone brackets."""
    return [line.strip() for line in text[:8000].splitlines() if _WORDS.search(line)]


def _quote_code(line: str) -> str:
    shown = line.replace("`", "'")
    return f"`{shown if len(shown) <= MAX_PART_CHARS else shown[: MAX_PART_CHARS - 1] + '…'}`"


def last_part(path: str) -> str:
    """What a file or folder is called."""
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1]


def relative_paths(paths: Iterable[str], folder: str | None) -> Iterator[str]:
    """As the project names them; what lies outside of it is none of its files."""
    root = (folder or "").rstrip("/\\")
    for path in paths:
        if root and path.startswith((f"{root}/", f"{root}\\")):
            yield path[len(root) + 1 :]
        elif not re.match(r"[/\\~]|[A-Za-z]:", path):
            yield path.removeprefix("./")
        elif not root:
            yield path
