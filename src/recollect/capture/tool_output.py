"""What tools printed in a session, so that it is known again when somebody repeats it. Pure; bounded in space.

A page, a file or an error that an agent or a user says again is still not their word. Whole sentences are recognised,
also with other signs, capitals and line breaks; what somebody says about them in their own words is not.
"""

from hashlib import blake2b

from recollect.capture.happened.calls import is_edit, normalise_tool
from recollect.capture.patterns import LazyPattern

RUN_WORDS = 4  # in a row
MIN_SHARE = 0.75  # of a sentence's runs that were printed
FILTER_BITS = 1 << 20  # of a filter, 128 kB; a run sets two of them
MAX_RUNS = 100_000  # runs, of which one in thirty others would be taken for known; then an older filter makes room
MAX_OUTPUT_CHARS = 40_000  # of what one tool printed
MAX_MESSAGE_CHARS = 100_000  # of a message

_WORD = LazyPattern(r"\w+")
_SENTENCE = LazyPattern(r"(?<=[.!?;:])\s+|\n")
# What the user answered, what the agent planned, and what it wrote itself is nobody else's text.
_OWN_TOOLS = frozenset(
    "todowrite todoread updateplan exitplanmode question askuserquestion askuser requestuserinput task agent".split()
)


class PrintedText:
    def __init__(self) -> None:
        self._filters: list[bytearray] = []  # at most two: the newer one last
        self._count = 0

    def hear(self, tool: str, text: str) -> None:
        if is_edit(tool) or normalise_tool(tool) in _OWN_TOOLS:
            return
        words = _words(text[:MAX_OUTPUT_CHARS])
        if len(words) < RUN_WORDS:
            return
        if not self._filters or self._count >= MAX_RUNS:
            self._filters = [*self._filters[-1:], bytearray(FILTER_BITS // 8)]
            self._count = 0
        newest = self._filters[-1]
        for run in _runs(words):
            self._count += 1
            for bit in _bits(run):
                newest[bit >> 3] |= 1 << (bit & 7)

    def remove_printed(self, text: str) -> str:
        """The text without the sentences that were printed before."""
        if not self._filters:
            return text
        checked, rest = text[:MAX_MESSAGE_CHARS], text[MAX_MESSAGE_CHARS:]
        kept, begin = [], 0
        for end in (*(found.span() for found in _SENTENCE.finditer(checked)), (len(checked), len(checked))):
            sentence = checked[begin : end[0]]
            kept.append(checked[end[0] : end[1]] if self._is_repeated(sentence) else checked[begin : end[1]])
            begin = end[1]
        return "".join(kept) + rest

    def _is_repeated(self, sentence: str) -> bool:
        runs = list(_runs(_words(sentence)))
        known = sum(self._is_known(run) for run in runs)
        return bool(runs) and known >= MIN_SHARE * len(runs)

    def _is_known(self, run: str) -> bool:
        bits = _bits(run)
        return any(all(one[bit >> 3] & 1 << (bit & 7) for bit in bits) for one in self._filters)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _runs(words: list[str]) -> list[str]:
    return [" ".join(words[at : at + RUN_WORDS]) for at in range(len(words) - RUN_WORDS + 1)]


def _bits(run: str) -> tuple[int, int]:
    digest = blake2b(run.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest[:4]) % FILTER_BITS, int.from_bytes(digest[4:]) % FILTER_BITS
