"""Why something was or was not shown, as it is kept in the injection log: ids and numbers, never what was said."""

import json
from collections.abc import Collection, Sequence
from typing import Any

from recollect.domain.injection import Choice, Quoted, Verdict
from recollect.domain.memory import Kind, MemoryId, MessageId, SessionId

NO_REASONS = "[]"
OF_QUOTE = (2, 3)  # values; an earlier version kept no reasons


def dump(choices: Sequence[Choice], quoted: Sequence[Quoted] = ()) -> str:
    rows: list[list[Any]] = [_row(choice) for choice in choices]
    rows += [[one.session, one.message, dict(one.reasons)] for one in quoted]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))


def load(stored: str) -> tuple[tuple[Choice, ...], tuple[Quoted, ...]]:
    """No hash covers it: what cannot be read is as good as not kept."""
    try:
        rows = json.loads(stored)
        return (
            tuple(_choice(row) for row in rows if len(row) not in OF_QUOTE),
            tuple(_quoted(row) for row in rows if len(row) in OF_QUOTE),
        )
    except (ValueError, TypeError, KeyError):
        return (), ()


def without(stored: str, memories: Collection[MemoryId]) -> str:
    """The same after these memories are gone."""
    choices, quoted = load(stored)
    return dump([choice for choice in choices if choice.id not in memories], quoted)


def _row(choice: Choice) -> list[Any]:
    numbers = (choice.relevance, choice.score, choice.needed)
    return [choice.id, choice.kind, choice.verdict, *numbers, dict(choice.factors)]


def _quoted(row: list[Any]) -> Quoted:
    session, message, *reasons = row
    told = {name: float(value) for name, value in reasons[0].items()} if reasons else {}
    return Quoted(session=SessionId(session), message=MessageId(message), reasons=told)


def _choice(row: list[Any]) -> Choice:
    memory_id, kind, verdict, relevance, score, needed, factors = row
    return Choice(
        id=MemoryId(memory_id),
        kind=Kind(kind),
        verdict=Verdict(verdict),
        relevance=float(relevance),
        score=float(score),
        needed=float(needed),
        factors={name: float(value) for name, value in factors.items()},
    )
