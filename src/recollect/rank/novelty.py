"""What a new statement is to a known one: the same, an update, a contradiction, or another matter. Pure."""

from enum import Enum, auto

from recollect.domain.memory import Draft, Memory
from recollect.text.words import index_words


class Verdict(Enum):
    SAME = auto()
    UPDATES = auto()
    CONTRADICTS = auto()
    UNRELATED = auto()


def compare(known: Memory, draft: Draft) -> Verdict:
    if known.kind is draft.kind and index_words(known.text) == index_words(draft.text):
        return Verdict.SAME
    return Verdict.UNRELATED
