"""Check that an item rests on what was said. Pure. A model may invent, and a text may have ordered it to.

A quote is real if it occurs in a turn, white space aside. A text is grounded if the allowed speakers used its names and
numbers, and most of its words. It is the user's own word if one quote of the user contains all of it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from recollect.capture.said.masking import BLANK, blank_shown_text
from recollect.capture.said.pastes import bare_words, find_paste
from recollect.capture.said.voice import own_words
from recollect.domain.memory import Kind, Role
from recollect.domain.session import Turn
from recollect.privacy.trust import reads_as_instruction
from recollect.text.query import IDLE_WORDS
from recollect.text.words import EDGE_MARKS, chunks, index_words, is_identifier

MIN_QUOTE_CHARS = 12
_MIN_QUOTE_LETTERS = 8  # `------------` proves nothing
_AROUND_CHARS = 200  # on each side: an injected order is next to the words that it wants remembered
_MIN_KNOWN_SHARE = 0.5  # of a text's content words; a model rewords some
_MIN_OWN_SHARE = 0.5  # of a quote's words; the rest may look like reported speech
_ABBREVIATIONS = frozenset({"e.g", "i.e", "and/or", "etc", "vs", "w/o", "n/a"})  # look like names, but are none
_USER_KINDS = frozenset({Kind.PREFERENCE, Kind.RULE, Kind.CORRECTION})


@dataclass(frozen=True, slots=True)
class Quote:
    turn: Turn
    words: str  # as written in the turn
    around: str  # with the text before and after


def find_quote(turns: Sequence[Turn], evidence: str) -> Quote | None:
    """Find the evidence in the turns. The first speaker counts: an echo does not change who said it."""
    plain = " ".join(evidence.split())
    if len(plain) < MIN_QUOTE_CHARS or sum(map(str.isalnum, plain)) < _MIN_QUOTE_LETTERS:
        return None
    pattern = re.compile(r"\s++".join(map(re.escape, plain.split())))
    for turn in turns:
        found = pattern.search(turn.text)
        if found:
            has_much_space = len(found[0]) > 2 * len(plain)
            around = turn.text[max(0, found.start() - _AROUND_CHARS) : found.end() + _AROUND_CHARS]
            return Quote(turn, plain if has_much_space else found[0], around)
    return None


def allowed_speakers(kind: Kind, role: Role) -> frozenset[Role]:
    """Return whose words may support such a text: a user's "yes, do that" must not support the wish of a web page."""
    if role is Role.TOOL:
        return frozenset(Role)
    if kind in _USER_KINDS:
        return frozenset({role})
    return frozenset({Role.USER, Role.IMPORT, Role.ASSISTANT})


def is_own_word(text: str, quote: Quote) -> bool:
    """Return True if the user said this themselves: not in a paste, a log or a question, and all of it in the quote."""
    said = quote.turn.text
    begin = said.find(quote.words)
    end = begin + len(quote.words)
    if quote.turn.role is not Role.USER or begin < 0 or "?" in quote.words + said[end:].lstrip()[:1]:
        return False
    typed = blank_shown_text(said)
    if end > len(typed) or BLANK in typed[begin:end] or bare_words(quote.words) in find_paste(said):
        return False
    words, own = bare_words(quote.words).split(), set(bare_words(_own_words(said)).split())
    if sum(word in own for word in words) < _MIN_OWN_SHARE * len(words):
        return False
    return is_grounded(text, [replace(quote.turn, text=quote.words)]) and not reads_as_instruction(text)


def is_grounded(text: str, turns: Sequence[Turn]) -> bool:
    said = "\n".join(turn.text for turn in turns)
    known = _words(said)
    names = _names(text)
    folded = said.casefold() if names else ""
    if not all(_is_known(name, folded, known) for name in names):
        return False
    content = {word for word in index_words(text) if word not in IDLE_WORDS}
    return bool(content) and len(content & known) >= _MIN_KNOWN_SHARE * len(content)


def _names(text: str) -> list[str]:
    """Names from code, addresses and numbers: they cannot be reworded."""
    names = []
    for chunk in chunks(text):
        core = chunk.strip(EDGE_MARKS)
        is_name = is_identifier(core) or any(map(str.isdigit, core))
        if is_name and core.casefold() not in _ABBREVIATIONS:
            names.append(core)
    return names


def _is_known(name: str, said: str, known: frozenset[str]) -> bool:
    if re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", said):
        return True
    parts = set(index_words(name)[:-1])  # a name with parts has the whole name as its last word
    is_plain_pair = bool(parts) and name.replace("/", "").isalpha()  # `tabs/spaces`: two words, both said
    return is_plain_pair and parts <= known


_own_words = lru_cache(maxsize=4)(own_words)  # the items of one answer need the same few


@lru_cache(maxsize=4)
def _words(said: str) -> frozenset[str]:
    return frozenset(index_words(said))
