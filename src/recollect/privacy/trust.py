"""Trust by source: the kind that a text may become, and whether it reads as an order that the user never gave. Pure.

Nothing here discards a text. A flag is a reason to ask the user before the memory is shown to a model.
"""

import re

from recollect.domain.memory import Kind, Role
from recollect.text.block import visible
from recollect.text.lookalikes import fold, to_latin

_ONLY_FROM_USER = frozenset({Kind.PREFERENCE, Kind.RULE, Kind.CORRECTION})  # only the user can state these
_AUTHORITATIVE = _ONLY_FROM_USER | {Kind.DECISION}  # later sessions follow these

# Letters that no screen shows, but a model reads. The emoji flag of a region has six of them.
_TAG_LETTERS = re.compile("[\U000e0020-\U000e007e]{8,}")
_DIGITS_AS_LETTERS = str.maketrans("013457@$!|", "oieastasil")
_NOT_LETTERS = re.compile(r"[^a-z]+")
_PLAIN_VERB = re.compile(r"\b(?:ignor(?:e|es|ed|ing)|disregard|forget)\b")
_PLAIN_NOUN = re.compile(r"\b(?:instruction|prompt|directive|guideline)s?\b")


def kind_for(kind: Kind, role: Role, *, is_own_save: bool = False) -> Kind:
    """Return the kind that a text of this role may become, else `research`. `is_own_save`: the agent saved the text with
    its tool; otherwise we read it in the agent's reply."""
    match role:
        case Role.USER | Role.IMPORT:
            return kind
        case Role.ASSISTANT:
            may_become = is_own_save or kind not in _ONLY_FROM_USER
        case Role.TOOL:
            may_become = kind not in _AUTHORITATIVE
    return kind if may_become else Kind.RESEARCH


def reads_as_instruction(text: str) -> str | None:
    """Return why a text reads as an order to an agent that its user did not give; None: it does not."""
    # A large table: imported late, as `kind_for` does not need it.
    from recollect.privacy.injection_signs import find_disguised_order, find_order, reasons

    if _TAG_LETTERS.search(text):
        return reasons.UNSEEN
    plain = fold(visible(text))
    readings = [plain] if plain.isascii() else list(dict.fromkeys([plain, to_latin(plain)]))
    for reading in readings:
        reason = find_order(reading)
        if reason is not None:
            return reason
    if _PLAIN_VERB.search(readings[-1]) and _PLAIN_NOUN.search(readings[-1]):
        return None  # nothing is disguised, and the plain text is harmless
    return find_disguised_order(_NOT_LETTERS.sub("", readings[-1].translate(_DIGITS_AS_LETTERS)))
