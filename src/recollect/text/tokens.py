"""Estimate how many tokens a text costs a model. Pure: a bound from tables and a regex, never a tokenizer, never I/O.

The bound rests on two facts about byte pair encoding (o200k). First, a text is cut into pieces (a word with the
character before it, up to three digits, punctuation, white space) and merges never cross a piece. Second, merges run
in rank order, so stopping after the first ones leaves at least as many tokens as the full run would. That alone is
half too much for English; so the tables list cheaper words, checked by the tests against the real tokenizer, every word
with every ending. For a word that is not listed, the estimate is too high, never too low.
"""

import re
from functools import lru_cache
from itertools import pairwise

from recollect.text.token_tables import AS_IS, E_ENDINGS, ENDINGS, MERGES, ROOTS, STEMS, WHOLE

_WHOLE_WORDS = frozenset((STEMS + WHOLE).split())
_BEFORE_ENDING = frozenset((STEMS + ROOTS).split())
_ONE_TOKEN = frozenset(piece.replace("·", " ").replace("¶", "\n") for piece in AS_IS.split())
_RANK = {pair.replace("·", " "): rank for rank, pair in enumerate(MERGES.split())}
_AFTER_E = frozenset(E_ENDINGS.split())
_AFTER_OTHERS = frozenset(ENDINGS.split())
_POSSESSIVE = frozenset({"'s"})
_NO_MERGE = len(_RANK)
_GLUE = frozenset('_-./(["`<=@:{,*#$')  # before a listed word they cost at most one token, two before a capital
_MAX_WORD_CHARS = 48  # merging is quadratic and results are cached; nothing longer is a word

# The pre-tokenizer, for ASCII only (`re` lacks its letter classes). \s would add \x1c-\x1f.
_SPACE = r" \t\n\x0b\x0c\r"
_PIECE = re.compile(
    r"[^\r\nA-Za-z0-9]?(?:[A-Z]*[a-z]+|[A-Z]+[a-z]*)(?:'(?:[sStTmMdD]|[rR][eE]|[vV][eE]|[lL][lL]))?"
    rf"|[0-9]{{1,3}}| ?[^{_SPACE}A-Za-z0-9]+[\r\n/]*|[{_SPACE}]*[\r\n]+|[{_SPACE}]+(?![^{_SPACE}])|[{_SPACE}]+"
)
_WORD = re.compile(r"([^A-Za-z]?)([A-Z]?[a-z]+(?:'s)?)")
_MARK = re.compile(r" ?[!-~]")  # every printable mark has a token, also with its space
_RULER = re.compile(r" ?([-=*#_.~/])\1{2,}\n{0,2}")  # long runs of these have long tokens
_CHUNK = re.compile(rf"[^{_SPACE}]+")
_TYPOGRAPHY = "–—‘’“”…•→←✓"  # common in prose, a token each; the placeholder below pays for their neighbours
_CHUNK_PART = re.compile(r"[A-Za-z]+|[^A-Za-z]")


def estimate(text: str) -> int:
    """Return at least as many tokens as o200k makes of the text; on ordinary text at most a quarter more."""
    tokens = 0
    if not text.isascii():
        tokens = sum(_foreign(chunk) for chunk in _CHUNK.findall(text) if not chunk.isascii())
        # A placeholder leaves the pieces around it unchanged, and its own cost pays for merges across the edges.
        text = _CHUNK.sub(lambda chunk: chunk[0] if chunk[0].isascii() else "^", text)
    pieces: list[str] = _PIECE.findall(text)
    are_short = len(max(pieces, key=len, default="")) <= _MAX_WORD_CHARS  # as almost always
    return tokens + sum(map(_short_piece if are_short else _piece, pieces))


def _foreign(chunk: str) -> int:
    """Cost of a chunk with characters beyond ASCII: its Latin letters merged, every other byte a token."""
    tokens = 0
    for part in _CHUNK_PART.findall(chunk):
        if part in _TYPOGRAPHY:
            tokens += 1
        elif not part.isascii() or len(part) > _MAX_WORD_CHARS:
            tokens += len(part.encode("utf-8", "surrogatepass"))
        else:
            tokens += _count_after_merges(part)
    return tokens


def _piece(piece: str) -> int:
    return _short_piece(piece) if len(piece) <= _MAX_WORD_CHARS else _other_piece(piece)


@lru_cache(maxsize=1 << 13)
def _short_piece(piece: str) -> int:
    if piece in _ONE_TOKEN:
        return 1
    if not piece[-1].isalpha():
        return _other_piece(piece)
    word = _WORD.fullmatch(piece)
    return (word and _word_in_tables(word[1], word[2])) or _count_after_merges(piece)


def _other_piece(piece: str) -> int:
    """Cost of digits, space, punctuation and of anything too long for a word: a token per byte, but for plain runs."""
    if piece.isdigit() or _MARK.fullmatch(piece):
        return 1
    if not piece.strip(" "):
        return 1 + len(piece) // 64
    if not piece.strip("\n"):
        return 1 + len(piece) // 8
    if _RULER.fullmatch(piece):
        return min(len(piece), 3 + len(piece) // 8)
    return len(piece)


def _word_in_tables(before: str, word: str) -> int | None:
    lower = word.lower()
    if lower in _WHOLE_WORDS:
        tokens = 1
    elif _has_listed_ending(lower):
        tokens = 2
    else:
        return None
    if before in ("", " "):
        return tokens
    if before not in _GLUE:
        return None
    return tokens + 1 if word == lower else tokens + 2


def _has_listed_ending(word: str) -> bool:
    return any(word[:cut] in _BEFORE_ENDING and word[cut:] in _endings_after(word[cut - 1]) for cut in range(-7, 0))


def _endings_after(letter: str) -> frozenset[str]:
    if letter == "e":
        return _AFTER_E
    return _POSSESSIVE if letter in "ao" else _AFTER_OTHERS


def _count_after_merges(piece: str) -> int:
    """Tokens left when only the first merges have run: never fewer than after all of them."""
    parts = list(piece)
    ranks = [_RANK.get(left + right, _NO_MERGE) for left, right in pairwise(parts)]
    while ranks and (best := min(ranks)) < _NO_MERGE:
        at = ranks.index(best)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
        del ranks[at]
        if at:
            ranks[at - 1] = _RANK.get(parts[at - 1] + parts[at], _NO_MERGE)
        if at < len(ranks):
            ranks[at] = _RANK.get(parts[at] + parts[at + 1], _NO_MERGE)
    return len(parts)
