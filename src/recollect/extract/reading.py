"""What a model answered, read as if an attacker had written it. Pure, strict, item by item.

An item is dropped unless it has the fields, in their types and bounds; unless its evidence is a real quote of a turn;
and unless its text rests on what was said by those who may say such a thing. Whose words it is, and so what it may
become, is told by the quote and never by the model. Confirmed is only what a quote of the user's own words carries; the
rest is a candidate.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recollect.capture.grounding import Quote, allowed_speakers, find_quote, is_grounded, is_own_word
from recollect.domain.learning import Basis, Proposal
from recollect.domain.memory import Kind, Role, Tier
from recollect.domain.session import Turn
from recollect.privacy.secrets import redact
from recollect.privacy.trust import kind_for, reads_as_instruction

MIN_TEXT_CHARS, MAX_TEXT_CHARS = 10, 500
MAX_EVIDENCE_CHARS = 1_000
MAX_ANSWER_CHARS = 200_000  # thoughts included
MIN_CONFIRMED_DURABILITY = (
    0.5  # of its durability, for one that is confirmed: the model itself must expect it to matter in a month
)
_MAX_EXTRA_ITEMS = 4  # times as many items as are wanted; what comes after that is not even looked at

_FENCED = re.compile(r"```[a-zA-Z]{0,10}[ \t]*\n(.*?)```", re.DOTALL)
_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)


class UnreadableAnswer(Exception):
    """Not a list of items at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    proposals: tuple[Proposal, ...]
    dropped: tuple[str, ...]  # why, one for each item that was looked at and not taken; nothing of what it said


class _Drop(Exception):
    pass


def read_answer(answer: str, turns: Sequence[Turn], *, items: int) -> Reading:
    """Of an answer about these turns, as they were sent; Unreadable: it is none."""
    found: dict[tuple[Kind, str], Proposal] = {}
    dropped = []
    for item in _parse_items(answer)[: items * _MAX_EXTRA_ITEMS]:
        if len(found) == items:
            break
        try:
            proposal = _build_proposal(item, turns)
            found.setdefault((proposal.kind, proposal.text.casefold()), proposal)
        except _Drop as reason:
            dropped.append(str(reason))
    return Reading(proposals=tuple(found.values()), dropped=tuple(dropped))


def _parse_items(answer: str) -> list[object]:
    if len(answer) > MAX_ANSWER_CHARS:
        raise UnreadableAnswer
    text = _THOUGHTS.sub("", answer, count=1).strip()
    fenced = _FENCED.search(text)
    try:
        document = json.loads(fenced[1] if fenced else text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise UnreadableAnswer from None
    if isinstance(document, Mapping) and set(document) == {"items"}:
        document = document["items"]
    if not isinstance(document, list):
        raise UnreadableAnswer
    return document


def _refuse_constant(name: str) -> float:
    raise ValueError(name)  # NaN and Infinity are no JSON


def _build_proposal(item: object, turns: Sequence[Turn]) -> Proposal:
    if not isinstance(item, Mapping):
        raise _Drop("it is not an object")
    said = _read_kind(item.get("kind"))
    text = _read_text(item.get("text"))
    durability = _read_durability(item.get("durability"))
    quote = _find_quote(item.get("evidence"), turns)
    turn = quote.turn
    kind = kind_for(said, turn.role)
    speakers = allowed_speakers(said, turn.role)
    if not is_grounded(text, [other for other in turns if other.role in speakers]):
        raise _Drop("the text says what nobody said")
    # Only the user gives orders: with others, what they say beside it counts too.
    if reads_as_instruction(text) or reads_as_instruction(quote.words if turn.role is Role.USER else quote.around):
        raise _Drop("it reads as an order to an agent")
    return Proposal(
        text=text,
        kind=kind,
        tier=Tier.CONFIRMED if durability >= MIN_CONFIRMED_DURABILITY and is_own_word(text, quote) else Tier.CANDIDATE,
        basis=Basis.MODEL,
        role=turn.role,
        messages=(turn.message,),
        evidence=(redact(quote.words).text,),
        durability=durability,
    )


def _read_kind(value: object) -> Kind:
    if not isinstance(value, str) or value not in list(Kind):
        raise _Drop("there is no such kind")
    return Kind(value)


def _read_text(value: object) -> str:
    """One line; a character that nobody sees is no part of an honest answer."""
    text = " ".join(redact(value).text.split()) if isinstance(value, str) else ""
    if not MIN_TEXT_CHARS <= len(text) <= MAX_TEXT_CHARS or not text.isprintable():
        raise _Drop("the text is missing, too short, too long or not printable")
    return text


def _read_durability(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise _Drop("the durability is not a number from 0 to 1")
    return float(value)


def _find_quote(value: object, turns: Sequence[Turn]) -> Quote:
    if not isinstance(value, str) or len(value) > MAX_EVIDENCE_CHARS:
        raise _Drop("the evidence is missing or too long")
    found = find_quote(turns, value)
    if found is None:
        raise _Drop("the evidence is not a quote")
    return found
