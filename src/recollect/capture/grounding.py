"""Does an item rest on what was said? Pure. A model may invent, and it may have been told to.

A quote is real if it occurs in a turn, white space aside. A text is grounded if those who may have said it used its
names and numbers, and most of its words. It is the user's own word if one quote of what they said carries all of it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from recollect.capture.said.masking import BLANK, blanked
from recollect.capture.said.pastes import bare_words, find_paste
from recollect.capture.said.voice import own_words
from recollect.domain.memory import Kind, Role
from recollect.domain.session import Turn
from recollect.privacy.trust import reads_as_instruction
from recollect.text.query import IDLE
from recollect.text.words import EDGE, chunks, index_words, is_identifier

MIN_QUOTE_CHARS = 12
_MIN_QUOTE_LETTERS = 8  # `------------` proves nothing
_AROUND_CHARS = 200  # characters on each side: an order stands beside what it wants to be remembered
_MIN_KNOWN_SHARE = 0.5  # of a text's telling words; a model says some things in other words
_MIN_OWN_SHARE = 0.5  # of a quote's words; the rest may look as if it told what others say
_ABBREVIATIONS = frozenset({"e.g", "i.e", "and/or", "etc", "vs", "w/o", "n/a"})
_USER_KINDS = frozenset({Kind.PREFERENCE, Kind.RULE, Kind.CORRECTION})


@dataclass(frozen=True, slots=True)
class Quote:
    turn: Turn
    words: str  # as they stand there
    around: str  # with what stands before and after them


def quote_in(turns: Sequence[Turn], evidence: str) -> Quote | None:
    """Of whoever said it first: an echo does not make it somebody else's."""
    plain = " ".join(evidence.split())
    if len(plain) < MIN_QUOTE_CHARS or sum(character.isalnum() for character in plain) < _MIN_QUOTE_LETTERS:
        return None
    pattern = re.compile(r"\s++".join(map(re.escape, plain.split())))
    for turn in turns:
        if found := pattern.search(turn.text):
            words = found[0] if len(found[0]) <= 2 * len(plain) else plain  # not with pages of white space
            return Quote(turn, words, turn.text[max(0, found.start() - _AROUND_CHARS) : found.end() + _AROUND_CHARS])
    return None


def speakers_of(kind: Kind, role: Role) -> frozenset[Role]:
    """Whose words a text of this kind and role may be made of. Without this, a quote of the user ("yes, do that") could
    carry what a web page wants."""
    if role is Role.TOOL:
        return frozenset(Role)
    return frozenset({role}) if kind in _USER_KINDS else frozenset({Role.USER, Role.IMPORT, Role.ASSISTANT})


def is_own_word(text: str, quote: Quote) -> bool:
    """Whether the user said this themselves: not in a paste, a log or a question, and all of it in the one quote."""
    said, words = quote.turn.text, bare_words(quote.words).split()
    begin = said.find(quote.words)
    end = begin + len(quote.words)
    if quote.turn.role is not Role.USER or begin < 0 or "?" in quote.words + said[end:].lstrip()[:1]:
        return False
    typed, own = blanked(said), set(bare_words(_own_words(said)).split())
    is_shown = end > len(typed) or BLANK in typed[begin:end] or bare_words(quote.words) in find_paste(said)
    if is_shown or sum(word in own for word in words) < _MIN_OWN_SHARE * len(words):
        return False
    return is_grounded(text, [replace(quote.turn, text=quote.words)]) and not reads_as_instruction(text)


def is_grounded(text: str, turns: Sequence[Turn]) -> bool:
    said = "\n".join(turn.text for turn in turns)
    known = _words(said)
    names = _names(text)
    folded = said.casefold() if names else ""
    if not all(_is_known(name, folded, known) for name in names):
        return False
    telling = {word for word in index_words(text) if word not in IDLE}
    return bool(telling) and len(telling & known) >= _MIN_KNOWN_SHARE * len(telling)


def _names(text: str) -> list[str]:
    """What cannot be said in other words: names from code, addresses, numbers."""
    cores = (chunk.strip(EDGE) for chunk in chunks(text))
    named = (core for core in cores if is_identifier(core) or any(character.isdigit() for character in core))
    return [core for core in named if core.casefold() not in _ABBREVIATIONS]


def _is_known(name: str, said: str, known: frozenset[str]) -> bool:
    if re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", said):
        return True
    parts = set(index_words(name)[:-1])  # the last one is the whole, where it has parts
    is_plain_pair = bool(parts) and name.replace("/", "").isalpha()  # `tabs/spaces`: two words, both said
    return is_plain_pair and parts <= known


@lru_cache(maxsize=4)  # the items of one answer ask for the same few
def _own_words(said: str) -> str:
    return own_words(said)


@lru_cache(maxsize=4)
def _words(said: str) -> frozenset[str]:
    return frozenset(index_words(said))
