"""Recognise sentences that a tool printed earlier in the session. Pure; bounded in space.

An agent or a user who repeats a page, a file or an error does not make it their own word. Whole sentences are
recognised, also with other punctuation, capitals and line breaks; a rewording is not.
"""

from zlib import crc32

from recollect.capture.happened.calls import is_edit, normalise_tool
from recollect.text.lazy_pattern import LazyPattern

RUN_WORDS = 4  # words in a row that are stored together
MIN_SHARE = 0.75  # of a sentence's runs that were printed
FILTER_BITS = 1 << 20  # 128 kB; a run sets two bits
MIX = 0x9E3779B1  # spreads a checksum: its two bits must not depend on each other
MAX_RUNS = 100_000  # in one filter; with these, one unknown run in thirty seems known, so a new filter begins
MAX_OUTPUT_CHARS = 40_000  # that are read of one output
MAX_MESSAGE_CHARS = 100_000  # that are checked

_WORD = LazyPattern(r"\w+")
_SENTENCE = LazyPattern(r"(?<=[.!?;:])\s+|\n")
# The user's answers, the agent's plans and the agent's own texts are not foreign text.
_OWN_TOOLS = frozenset(
    "todowrite todoread updateplan exitplanmode question askuserquestion askuser requestuserinput task agent".split()
)


class PrintedText:
    def __init__(self) -> None:
        self._filters: list[bytearray] = []  # at most two, the newer one last
        self._count = 0

    def hear(self, tool: str, text: str) -> None:
        if is_edit(tool) or normalise_tool(tool) in _OWN_TOOLS:
            return
        runs = _runs(text[:MAX_OUTPUT_CHARS])
        if not runs:
            return
        if not self._filters or self._count >= MAX_RUNS:
            self._filters = [*self._filters[-1:], bytearray(FILTER_BITS // 8)]
            self._count = 0
        newest = self._filters[-1]
        for run in runs:
            self._count += 1
            for bit in _bits(run):
                newest[bit >> 3] |= 1 << (bit & 7)

    def remove_printed(self, text: str) -> str:
        if not self._filters:
            return text
        checked, rest = text[:MAX_MESSAGE_CHARS], text[MAX_MESSAGE_CHARS:]
        gaps = [found.span() for found in _SENTENCE.finditer(checked)]
        kept, begin = [], 0
        for gap_begin, gap_end in [*gaps, (len(checked), len(checked))]:
            if not self._is_repeated(checked[begin:gap_begin]):
                kept.append(checked[begin:gap_begin])
            kept.append(checked[gap_begin:gap_end])
            begin = gap_end
        return "".join(kept) + rest

    def _is_repeated(self, sentence: str) -> bool:
        runs = _runs(sentence)
        return bool(runs) and sum(map(self._is_known, runs)) >= MIN_SHARE * len(runs)

    def _is_known(self, run: str) -> bool:
        first, second = _bits(run)
        return any(one[first >> 3] >> (first & 7) & one[second >> 3] >> (second & 7) & 1 for one in self._filters)


def _runs(text: str) -> list[str]:
    words = _WORD.findall(text.lower())
    return [" ".join(words[at : at + RUN_WORDS]) for at in range(len(words) - RUN_WORDS + 1)]


def _bits(run: str) -> tuple[int, int]:
    checksum = crc32(run.encode("utf-8", "replace"))  # a cryptographic hash takes three times as long
    return checksum % FILTER_BITS, (checksum * MIX >> 20) % FILTER_BITS
