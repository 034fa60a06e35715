"""What tools printed in a session, so that it is known again when somebody repeats it. Pure; bounded in space.

A page, a file or an error that an agent or a user says again is still not their word. Whole sentences are recognised,
also with other signs, capitals and line breaks; what somebody says about them in their own words is not.
"""

from hashlib import blake2b

from recollect.capture.happened.calls import is_edit, named
from recollect.capture.patterns import LazyPattern

WORDS = 4  # in a row
SHARE = 0.75  # of a sentence's runs that were printed
BITS = 1 << 20  # of a filter, 128 kB; a run sets two of them
FULL = 100_000  # runs, of which one in thirty others would be taken for known; then an older filter makes room
READ_CHARS = 40_000  # of what one tool printed
CHECKED_CHARS = 100_000  # of a message

_WORD = LazyPattern(r"\w+")
_SENTENCE = LazyPattern(r"(?<=[.!?;:])\s+|\n")
# What the user answered, what the agent planned, and what it wrote itself is nobody else's text.
_OWN = frozenset(
    "todowrite todoread updateplan exitplanmode question askuserquestion askuser requestuserinput task agent".split()
)


class Printed:
    def __init__(self) -> None:
        self._filters: list[bytearray] = []  # at most two: the newer one last
        self._count = 0

    def hear(self, tool: str, text: str) -> None:
        if is_edit(tool) or named(tool) in _OWN:
            return
        words = _words(text[:READ_CHARS])
        if len(words) < WORDS:
            return
        if not self._filters or self._count >= FULL:
            self._filters = [*self._filters[-1:], bytearray(BITS // 8)]
            self._count = 0
        newest = self._filters[-1]
        for run in _runs(words):
            self._count += 1
            for bit in _bits(run):
                newest[bit >> 3] |= 1 << (bit & 7)

    def without_repeated(self, text: str) -> str:
        """The text without the sentences that were printed before."""
        if not self._filters:
            return text
        checked, rest = text[:CHECKED_CHARS], text[CHECKED_CHARS:]
        kept, begin = [], 0
        for end in (*(found.span() for found in _SENTENCE.finditer(checked)), (len(checked), len(checked))):
            sentence = checked[begin : end[0]]
            kept.append(checked[end[0] : end[1]] if self._is_repeated(sentence) else checked[begin : end[1]])
            begin = end[1]
        return "".join(kept) + rest

    def _is_repeated(self, sentence: str) -> bool:
        runs = list(_runs(_words(sentence)))
        known = sum(self._is_known(run) for run in runs)
        return bool(runs) and known >= SHARE * len(runs)

    def _is_known(self, run: str) -> bool:
        bits = _bits(run)
        return any(all(one[bit >> 3] & 1 << (bit & 7) for bit in bits) for one in self._filters)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _runs(words: list[str]) -> list[str]:
    return [" ".join(words[at : at + WORDS]) for at in range(len(words) - WORDS + 1)]


def _bits(run: str) -> tuple[int, int]:
    digest = blake2b(run.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest[:4]) % BITS, int.from_bytes(digest[4:]) % BITS
