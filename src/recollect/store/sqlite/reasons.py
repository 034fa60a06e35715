"""Why a memory or quote was shown or not, as the injection log stores it: ids and numbers, never text."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from recollect.domain.injection import Choice, QuotedTurn, Verdict
from recollect.domain.memory import Kind, MemoryId, MessageId, SessionId

NO_REASONS = "[]"
QUOTE_LENGTHS = (2, 3)  # values in the row of a quote; an earlier version stored no reasons


def dump(choices: Sequence[Choice], quotes: Sequence[QuotedTurn]) -> str:
    rows: list[list[Any]] = []
    for choice in choices:
        numbers = (choice.relevance, choice.score, choice.needed)
        rows.append([choice.id, choice.kind, choice.verdict, *numbers, dict(choice.factors)])
    rows += [[quote.session, quote.message, dict(quote.reasons)] for quote in quotes]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))


def load(stored: str) -> tuple[tuple[Choice, ...], tuple[QuotedTurn, ...]]:
    """Return nothing for what cannot be read: no hash covers it."""
    choices, quotes = [], []
    try:
        for row in json.loads(stored):
            if len(row) in QUOTE_LENGTHS:
                quotes.append(_quote(row))
            else:
                choices.append(_choice(row))
    except (ValueError, TypeError, KeyError):
        return (), ()
    return tuple(choices), tuple(quotes)


def without(stored: str, memories: Collection[MemoryId]) -> str:
    choices, quotes = load(stored)
    return dump([choice for choice in choices if choice.id not in memories], quotes)


def _quote(row: list[Any]) -> QuotedTurn:
    session, message, *reasons = row
    return QuotedTurn(
        session=SessionId(session), message=MessageId(message), reasons=_floats(reasons[0]) if reasons else {}
    )


def _choice(row: list[Any]) -> Choice:
    memory_id, kind, verdict, relevance, score, needed, factors = row
    return Choice(
        id=MemoryId(memory_id),
        kind=Kind(kind),
        verdict=Verdict(verdict),
        relevance=float(relevance),
        score=float(score),
        needed=float(needed),
        factors=_floats(factors),
    )


def _floats(values: Mapping[str, Any]) -> dict[str, float]:
    return {name: float(value) for name, value in values.items()}
