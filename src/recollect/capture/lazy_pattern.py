"""Regular expressions that are compiled on first use, so that a start without events does not wait for them."""

import re
from collections.abc import Callable, Iterator

Replacement = str | Callable[[re.Match[str]], str]


class LazyPattern:
    """A pattern like `re.compile` returns. Compiling all patterns of capture takes longer than a daemon may start."""

    __slots__ = ("_compiled", "_flags", "_source")

    def __init__(self, source: str, flags: int = 0) -> None:
        self._source, self._flags = source, flags
        self._compiled: re.Pattern[str] | None = None

    @property
    def compiled(self) -> re.Pattern[str]:
        if self._compiled is None:  # two threads may both compile it: the result is the same
            self._compiled = re.compile(self._source, self._flags)
        return self._compiled

    def match(self, text: str) -> re.Match[str] | None:
        return self.compiled.match(text)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        return self.compiled.fullmatch(text)

    def search(self, text: str) -> re.Match[str] | None:
        return self.compiled.search(text)

    def finditer(self, text: str, *span: int) -> Iterator[re.Match[str]]:
        return self.compiled.finditer(text, *span)

    def findall(self, text: str) -> list[str]:
        """Return whole matches, even if the pattern has groups."""
        return [found[0] for found in self.compiled.finditer(text)]

    def sub(self, replacement: Replacement, text: str, count: int = 0) -> str:
        return self.compiled.sub(replacement, text, count=count)

    def split(self, text: str, maxsplit: int = 0) -> list[str]:
        return self.compiled.split(text, maxsplit=maxsplit)
