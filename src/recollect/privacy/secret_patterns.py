"""Patterns that are compiled when first used: all of them together take 80 ms, and one text needs few of them."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

Match = re.Match[bytes]


class BytesPattern:
    """A pattern over bytes. After its first use it is as quick as a compiled one: its methods are those of that one."""

    match: Callable[..., Match | None]
    search: Callable[..., Match | None]
    finditer: Callable[..., Iterator[Match]]

    def __init__(self, pattern: bytes, flags: int = 0) -> None:
        self._pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Only asked for what is not there yet."""
        if name not in ("match", "search", "finditer"):
            raise AttributeError(name)
        compiled = re.compile(self._pattern, self._flags)
        self.match, self.search, self.finditer = compiled.match, compiled.search, compiled.finditer
        return getattr(compiled, name)


def find_places(text: bytes, words: Iterable[bytes]) -> list[int]:
    """Where one of these words begins, unsorted. One search for each: together they are quicker than one pattern."""
    places = []
    for word in words:
        place = text.find(word)
        while place >= 0:
            places.append(place)
            place = text.find(word, place + len(word))
    return places


def line_start(text: bytes, place: int, reach: int) -> int:
    """Where the line of this place begins, or how far it is followed back."""
    floor = max(0, place - reach)
    found = text.rfind(b"\n", floor, place)
    return found + 1 if found >= 0 else floor
