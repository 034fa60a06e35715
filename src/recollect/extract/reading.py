"""Reads the answer of a model as if an attacker had written it. Pure; checks each item strictly.

An item is dropped unless all fields have the right type and size, its evidence is a real quote of a turn, and its text
rests on turns of speakers who may say such a thing. The quote, never the model, decides who said it and so what it may
become. An item is confirmed only if a quote of the user's own words supports it; the others are candidates.
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
MAX_ANSWER_CHARS = 200_000  # including thoughts
MIN_CONFIRMED_DURABILITY = 0.5  # to be confirmed, the model itself must expect it to matter in a month
_CHECKED_PER_WANTED = 4  # at most this many items are checked for each wanted one; the rest is ignored

_FENCED = re.compile(r"```[a-zA-Z]{0,10}[ \t]*\n(.*?)```", re.DOTALL)
_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)


class UnreadableAnswer(Exception):
    """The answer is not a list of items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    proposals: tuple[Proposal, ...]
    dropped: tuple[str, ...]  # one reason for each rejected item, without any of its text


class _Drop(Exception):
    pass


def read_answer(answer: str, turns: Sequence[Turn], *, items: int) -> Reading:
    """Read an answer about these turns, given as they were sent. Raises UnreadableAnswer."""
    found: dict[tuple[Kind, str], Proposal] = {}
    dropped = []
    for item in _parse_items(answer)[: items * _CHECKED_PER_WANTED]:
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
    raise ValueError(name)  # NaN and Infinity are not JSON


def _build_proposal(item: object, turns: Sequence[Turn]) -> Proposal:
    if not isinstance(item, Mapping):
        raise _Drop("it is not an object")
    stated_kind = _read_kind(item.get("kind"))
    text = _read_text(item.get("text"))
    durability = _read_durability(item.get("durability"))
    quote = _find_quote(item.get("evidence"), turns)
    turn = quote.turn
    speakers = allowed_speakers(stated_kind, turn.role)
    if not is_grounded(text, [other for other in turns if other.role in speakers]):
        raise _Drop("the turns do not support the text")
    # Only the user may give orders: for others, the text around the quote is checked too.
    source = quote.words if turn.role is Role.USER else quote.around
    if reads_as_instruction(text) or reads_as_instruction(source):
        raise _Drop("it reads as an order to an agent")
    is_confirmed = durability >= MIN_CONFIRMED_DURABILITY and is_own_word(text, quote)
    return Proposal(
        text=text,
        kind=kind_for(stated_kind, turn.role),
        tier=Tier.CONFIRMED if is_confirmed else Tier.CANDIDATE,
        basis=Basis.MODEL,
        role=turn.role,
        messages=(turn.message,),
        evidence=(redact(quote.words).text,),
        durability=durability,
    )


def _read_kind(value: object) -> Kind:
    if not isinstance(value, str) or value not in list(Kind):
        raise _Drop("the kind does not exist")
    return Kind(value)


def _read_text(value: object) -> str:
    """Return one redacted line. Refuses invisible characters: an honest answer has none."""
    if not isinstance(value, str):
        raise _Drop("the text is missing")
    text = " ".join(redact(value).text.split())
    if not MIN_TEXT_CHARS <= len(text) <= MAX_TEXT_CHARS or not text.isprintable():
        raise _Drop("the text is too short, too long or not printable")
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
