"""Trust by source: what kind a text may become, and whether it reads as an order that its user never gave. Pure.

Nothing here throws a text away. A flag is a reason to ask the user before the memory is put in front of a model.
"""

import re

from recollect.domain.memory import Kind, Role
from recollect.text.block import visible
from recollect.text.lookalikes import fold, to_latin

_OF_THE_USER = frozenset({Kind.PREFERENCE, Kind.RULE, Kind.CORRECTION})  # only the user knows what they want
_AUTHORITATIVE = _OF_THE_USER | {Kind.DECISION}  # what later sessions follow

# Letters that no screen shows, but a model reads: a flag of a region has six of them.
_TAG_LETTERS = re.compile("[\U000e0020-\U000e007e]{8,}")
_DIGITS_AS_LETTERS = str.maketrans("013457@$!|", "oieastasil")
_NOT_LETTERS = re.compile(r"[^a-z]+")
_PLAIN_VERB = re.compile(r"\b(?:ignor(?:e|es|ed|ing)|disregard|forget)\b")
_PLAIN_NOUN = re.compile(r"\b(?:instruction|prompt|directive|guideline)s?\b")


def kind_for(kind: Kind, role: Role, *, is_own_save: bool = False) -> Kind:
    """The kind that a text of this role may become; what it may not be is `research`: something that was read.

    `is_own_save`: the agent saved it itself, by the tool that is there for it, rather than we read it in its reply.
    """
    match role:
        case Role.USER | Role.IMPORT:
            return kind
        case Role.ASSISTANT:
            return Kind.RESEARCH if kind in _OF_THE_USER and not is_own_save else kind
        case Role.TOOL:
            return Kind.RESEARCH if kind in _AUTHORITATIVE else kind


def reads_as_instruction(text: str) -> str | None:
    """Why a text reads as an order to an agent that did not come from its user; None: it does not."""
    # A large table: who only asks for a kind does not need it.
    from recollect.privacy.signs import SIGNS, SQUEEZED, reasons

    if _TAG_LETTERS.search(text):
        return reasons.UNSEEN
    plain = fold(visible(text))
    readings = [plain] if plain.isascii() else list(dict.fromkeys([plain, to_latin(plain)]))
    for reading in readings:
        for sign in SIGNS:
            if sign.is_in(reading):
                return sign.reason
    if _PLAIN_VERB.search(readings[-1]) and _PLAIN_NOUN.search(readings[-1]):
        return None  # nothing is disguised, and read as it stands it is harmless
    squeezed = _NOT_LETTERS.sub("", readings[-1].translate(_DIGITS_AS_LETTERS))
    return next((sign.reason for sign in SQUEEZED if sign.is_in(squeezed)), None)
