"""Patterns that are compiled on first use: all of them together take 80 ms, and one text needs few of them."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

Match = re.Match[bytes]
Found = tuple[int, int, str]  # start, end, rule


class BytesPattern:
    """A pattern over bytes. After its first use it is as quick as a compiled one, whose methods it takes over."""

    match: Callable[..., Match | None]
    search: Callable[..., Match | None]
    finditer: Callable[..., Iterator[Match]]

    def __init__(self, pattern: bytes, flags: int = 0) -> None:
        self._pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Compile the pattern; Python calls this only while the methods are missing."""
        if name not in ("match", "search", "finditer"):
            raise AttributeError(name)
        compiled = re.compile(self._pattern, self._flags)
        self.match, self.search, self.finditer = compiled.match, compiled.search, compiled.finditer
        return getattr(compiled, name)


def find_places(text: bytes, words: Iterable[bytes]) -> list[int]:
    """Return where one of these words begins, unsorted. One search per word is quicker than one pattern for all."""
    places = []
    for word in words:
        place = text.find(word)
        while place >= 0:
            places.append(place)
            place = text.find(word, place + len(word))
    return places


def line_start(text: bytes, place: int, reach: int) -> int:
    """Return where the line of this place begins, but at most `reach` bytes before it."""
    floor = max(0, place - reach)
    found = text.rfind(b"\n", floor, place)
    return found + 1 if found >= 0 else floor
