"""Find the sentence between an error and its fix that says why it failed, or what helped. Pure, deterministic.

It must name something of the error. Returns whole sentences as they were said; makes nothing up.
"""

import re
from collections.abc import Sequence
from itertools import chain

from recollect.text.lazy_pattern import LazyPattern
from recollect.text.query import content_words

MAX_REPLIES, MAX_REPLY_CHARS = 6, 6000
MIN_CHARS = 24
MIN_SHARED_WORDS = 2  # with the error's headline, where no symbol names the error
MAX_OVERLAP = 0.8

_FENCE = LazyPattern(r"(?:```|~~~).*?(?:```|~~~|\Z)", re.DOTALL)
_TAG = LazyPattern(r"</?[a-z][\w-]{1,30}(?: [^<>\n]{0,200})?>")
_MARKUP = LazyPattern(r"^\s*(?:#{1,6}\s+|[-*•]\s+|\d{1,2}[.)]\s+|>\s+)|\*\*|__(?=\S)", re.MULTILINE)
_HEADING = LazyPattern(r"^\s*#{1,6}\s+.*$|^\s*\*\*[^*\n]{1,60}\*\*:?\s*$|<summary>.*?</summary>", re.MULTILINE)
_TABLE = LazyPattern(r"^\s*\|.*\|\s*$")
_SENTENCE_END = LazyPattern(r"(?<=[.!?])[\"')`]?\s+(?=[A-Z`\"'(*0-9])|(?<=[.!?])\s*$")
_CAUSE = LazyPattern(
    r"\b(?:because|due to|caused by|root cause|turns out|the reason|comes from|which means|since|the fix|fixed by|"
    r"(?:issue|problem|cause|culprit|bug|error|failure|mismatch)s? (?:is|was|are|were|here|lies|comes))\b",
    re.IGNORECASE,
)
_EXPLAINS = LazyPattern(
    r"\b(?:so|expects?|requires?|needs?|must|only|without|already|missing|shadow\w*|conflict\w*|no longer|instead|"
    r"never|rather than|isn't|wasn't|aren't|doesn't|does not|didn't|can't|cannot|breaks?|strips?|drops?|ignor\w*|"
    r"fixed|solved|resolved|converts?|breaking|in[cv]\w*id|hard-?coded)\b",
    re.IGNORECASE,
)
_NARRATES = LazyPattern(
    r"^(?:(?:ok(?:ay)?|now|next|so|good|great|perfect|right|first|then|and|but|wait|hmm+|ah|interesting|actually)\b"
    r"[,.!—-]*\s*)*(?:let me|let's|i'll|i will|i'm going to|i need to|i want to|i should|going to|time to|all\b.*"
    r"\bpass)|^(?:all|everything|tests?)\b.{0,40}\b(?:pass|green|clean)|\?$|"
    r"\b(?:not sure|maybe|perhaps|i wonder|unrelated|pre-existing)\b",
    re.IGNORECASE,
)
_LEAD = LazyPattern(
    r"^(?:(?:perfect|great|got it|good|i see(?: the (?:issue|problem))?|ah|ok(?:ay)?|right|interesting|yes|expected|"
    r"now i see)\s*[!.,:—-]+\s*)+",
    re.IGNORECASE,
)
_NAME = LazyPattern(
    r"`[^`\n]{2,80}`|\b\w+(?:[._]\w+)+\b|\b[a-z]+[A-Z]\w+|\b[A-Z]{3,}[A-Z_0-9]*\b|(?<!\w)--?[a-z][\w-]+"
)


def find_explanation(replies: Sequence[str], headline: str, error: str, *, chars: int) -> str:
    """Return the last sentence that names something of the error and gives a cause, else what helped; empty: none."""
    error_words, error = frozenset(content_words(headline)), error.lower()
    best = ""
    for sentence in chain.from_iterable(map(split_prose, replies[-MAX_REPLIES:])):
        said = _LEAD.sub("", sentence).strip()
        is_cause = bool(_CAUSE.search(said))
        explains = is_cause or _EXPLAINS.search(said)
        if not MIN_CHARS <= len(said) <= chars or not explains or _NARRATES.search(said):
            continue
        words = frozenset(content_words(said))
        shared = len(error_words & words)
        names_error = any(name.strip("`").lower() in error for name in _NAME.findall(said))
        is_about = names_error or shared >= (1 if is_cause else MIN_SHARED_WORDS)
        if is_about and shared < MAX_OVERLAP * len(words) and (is_cause or not _CAUSE.search(best)):
            best = said if said.endswith((".", "!")) else f"{said.rstrip(':;,')}."
    return best


def split_prose(text: str) -> list[str]:
    """Return the sentences of the prose, without code, tables and marks."""
    prose = _HEADING.sub(" ", _FENCE.sub("\n", text[:MAX_REPLY_CHARS]))
    prose = _MARKUP.sub("", _TAG.sub(" ", prose))
    found: list[str] = []
    for line in prose.splitlines():
        if not _TABLE.match(line):
            found += filter(None, map(str.strip, _SENTENCE_END.split(line.strip())))
    return found
