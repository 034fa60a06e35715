"""Regular expressions that are compiled on first use: all of them together take longer than a start may take, and one
text needs few of them."""

import re
from collections.abc import Callable, Iterator
from typing import Any, AnyStr, Generic


class LazyPattern(Generic[AnyStr]):
    """A pattern like `re.compile` returns. Each method is taken over from the compiled pattern when it is first used;
    from then on it costs no more than there."""

    match: Callable[..., re.Match[AnyStr] | None]
    fullmatch: Callable[..., re.Match[AnyStr] | None]
    search: Callable[..., re.Match[AnyStr] | None]
    finditer: Callable[..., Iterator[re.Match[AnyStr]]]
    findall: Callable[..., list[AnyStr]]  # only for patterns without groups: they would change the result
    sub: Callable[..., AnyStr]
    split: Callable[..., list[AnyStr]]
    _compiled: re.Pattern[AnyStr]

    def __init__(self, source: AnyStr, flags: int = 0) -> None:
        self._source: AnyStr = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Take a method over; Python calls this only while the method is missing."""
        if name == "_compiled":  # two threads may both compile it: the result is the same
            self._compiled = re.compile(self._source, self._flags)
            return self._compiled
        if name not in LazyPattern.__annotations__:
            raise AttributeError(name)
        method = getattr(self._compiled, name)
        setattr(self, name, method)
        return method


class AnyCasePattern(LazyPattern[str]):
    """A pattern in small letters for text in any case. A match tells where it is; its text may be in small letters.

    The same as IGNORECASE, but several times as quick: the text is lower-cased first.
    """

    def __init__(self, source: str, flags: int = 0) -> None:
        super().__init__(source, flags)
        self._ignoring_case = LazyPattern(source, flags | re.IGNORECASE)

    def search(self, text: str) -> re.Match[str] | None:
        if text.isascii() or _OTHER_CASES.search(text) is None:
            return self._compiled.search(text.lower())
        return self._ignoring_case.search(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        if text.isascii() or _OTHER_CASES.search(text) is None:
            return self._compiled.finditer(text.lower())
        return self._ignoring_case.finditer(text)


# The letters of which IGNORECASE knows more than `lower`: dotless i, long s, old Cyrillic ones.
_OTHER_CASES = re.compile("[\u0130\u0131\u017f\u1c80-\u1c88]")
