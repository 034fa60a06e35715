"""Passages that stand alone: a sentence that may last, with the neighbours that belong to it. Pure."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from recollect.capture.clauses import Sentence
from recollect.capture.cues import Cue, cues_of
from recollect.capture.masking import Form
from recollect.capture.patterns import Pattern
from recollect.capture.reference import points_back, referent, topic_of

MAX_CHARS = 400  # of what is proposed; more is a document
MAX_LISTED = 24  # items that one sentence announces
MIN_WORDS = 3
MOST_CERTAIN = 8  # a message that states more outright is a document
_NEVER = frozenset({Cue.NARRATION, Cue.OFFER})
_CLOSED = ".!?:;。！？"
_ABOUT_NOW = Pattern(  # what the agent did, what it is to answer, what it should start with
    r"(?:you(?:'ve|'re| have| are| keep| missed| forgot| put| broke| did| added| made)\b|ask (?:me )?(?:any|if|when)\b|"
    r"(?:let's )?start with\b|proceed\b|go ahead\b|thanks\b|fix it\b|tell me\b|show me\b)",
    re.IGNORECASE,
)
_LABEL = Pattern(
    r"^\W*(?:(?:option|approach|alternative|choice|variant) )?(?:\d{1,2}|[a-h])(?:[,;:.)]| because| since)(?:\s|$)",
    re.I,
)
_ANNOUNCES = Pattern(
    r"(?:here(?:'s| is| are)|the changes?|what (?:changed|i did)|all \w+|changes?|summary|completed?|done|files?|"
    r"verification|notes?|details|overview|next|steps?|plan|implementation|options?|two|three|both|let's|let me|now|"
    r"note that)\b[^`/]*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    text: str
    sentences: tuple[int, ...]  # by their numbers
    core: int  # the one it was made for
    durability: float


Apart = Callable[[int, int], bool]  # by their numbers


def _never_apart(_: int, __: int) -> bool:
    return False


def passages(
    sentences: Sequence[Sentence],
    durable: Sequence[float],
    *,
    floor: float,
    joins: float,
    most: int,
    apart: Apart = _never_apart,
) -> list[Passage]:
    """The best ones, at most `most`, none of which shares a sentence with another. `floor`: how durable the sentence is
    for which a passage is made; `joins`: how durable a neighbour is that comes with it; `apart`: whether two of them
    are two matters."""
    taken: set[int] = set()
    found: list[Passage] = []
    for at in sorted(range(len(sentences)), key=lambda at: (-durable[at], at)):
        # What is certain (more than 1) comes in any case, up to a limit of its own.
        if durable[at] < floor or len(found) >= (MOST_CERTAIN if durable[at] > 1 else most):
            break
        if at in taken or not may_lead(sentences[at]):
            continue
        chosen = grown(sentences, durable, at, taken, joins, apart)
        if chosen is None:
            continue
        taken.update(chosen)
        found.append(Passage(text=joined(sentences, chosen), sentences=tuple(chosen), core=at, durability=durable[at]))
    return sorted(found, key=lambda passage: passage.sentences)


def may_lead(sentence: Sentence) -> bool:
    """Whether a passage may be made for it at all."""
    words = sentence.text.split()
    said = not sentence.is_question and not cues_of(sentence.text) & _NEVER and not _LABEL.match(sentence.text)
    return said and len(words) >= MIN_WORDS and len(sentence.text) <= MAX_CHARS


def grown(
    sentences: Sequence[Sentence],
    durable: Sequence[float],
    at: int,
    taken: set[int],
    joins: float,
    apart: Apart = _never_apart,
) -> list[int] | None:
    """The numbers of a passage around one sentence; None: it cannot be understood alone."""
    chosen = [at]
    while points_back(sentences[chosen[0]]):
        before = referent(sentences, chosen[0])
        if before is None or len(joined(sentences, [before, *chosen])) > MAX_CHARS:
            return None
        chosen.insert(0, before)
        if len(chosen) > 3:
            return None
    if sentences[at].text.endswith((":", "：")):
        listed = _listed(sentences, at)
        if not listed:
            return None
        chosen += listed
        while len(joined(sentences, chosen)) > MAX_CHARS and chosen[-1] != at:
            chosen.pop()
        if chosen[-1] == at:
            return None
    elif len(joined(sentences, chosen)) > MAX_CHARS:
        return None
    others = {number for number in range(len(sentences)) if number not in chosen and apart(at, number)}
    return _with_neighbours(sentences, durable, chosen, taken | others, joins)


def _with_neighbours(
    sentences: Sequence[Sentence], durable: Sequence[float], chosen: list[int], taken: set[int], joins: float
) -> list[int]:
    """Forwards first: what comes behind explains it. Never over what somebody else's passage has taken."""
    while True:
        for number in (chosen[-1] + 1, chosen[0] - 1):
            if not 0 <= number < len(sentences) or number in taken or not _belongs(sentences, number, chosen):
                continue
            if durable[number] < joins:
                continue
            wider = sorted([*chosen, number])
            if points_back(sentences[wider[0]]):  # and what it speaks of
                before = referent(sentences, wider[0])
                if before is None or before in taken:
                    continue
                wider = [before, *wider]
            if len(joined(sentences, wider)) <= MAX_CHARS:
                chosen = wider
                break
        else:
            return chosen


def _belongs(sentences: Sequence[Sentence], number: int, chosen: list[int]) -> bool:
    sentence = sentences[number]
    near = sentences[chosen[-1] if number > chosen[-1] else chosen[0]]
    if sentence.is_question or cues_of(sentence.text) & _NEVER or sentence.text.endswith((":", "：")):
        return False
    if _ABOUT_NOW.match(sentence.text):
        return False
    if sentence.form is not Form.PROSE or near.form is not Form.PROSE:
        return sentence.lead == near.lead
    return abs(sentence.block - near.block) <= 1


def _listed(sentences: Sequence[Sentence], at: int) -> list[int]:
    """The items below a sentence that ends with a colon."""
    lead = sentences[at].text.rstrip(" :：")
    found = []
    for number in range(at + 1, min(len(sentences), at + 1 + MAX_LISTED)):
        if sentences[number].form is Form.PROSE or not lead.endswith(sentences[number].lead):
            break
        found.append(number)
    return found


def joined(sentences: Sequence[Sentence], numbers: Sequence[int]) -> str:
    """As one text: the words above a list first, its items parted by a semicolon, gaps left out."""
    parts: list[str] = []
    lead = ""
    for number in numbers:
        sentence = sentences[number]
        text = topic_of(sentence) or sentence.text if sentence.is_question else sentence.text
        is_item = sentence.form is not Form.PROSE
        if is_item and sentence.lead != lead and tells(sentence.lead):
            lead = sentence.lead
            if not (parts and parts[-1].rstrip(":").endswith(lead)):
                parts = [*_ended(parts), f"{lead}:"]
        if parts and not parts[-1].endswith(tuple(_CLOSED)):
            parts[-1] += ";" if is_item else ("," if sentence.text[:1].islower() else ".")
        parts.append(f"{text}:" if sentence.is_question else text)
    return " ".join(parts)


def tells(lead: str) -> bool:
    """Whether the words above a list say something about its items: a file does, "Here is what changed" does not."""
    return bool(lead) and not _ANNOUNCES.match(lead) and Cue.PASSED not in cues_of(lead)


def _ended(parts: list[str]) -> list[str]:
    return [*parts[:-1], parts[-1] if parts[-1].endswith(tuple(_CLOSED)) else f"{parts[-1]}."] if parts else []
