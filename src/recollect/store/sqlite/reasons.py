"""Why something was or was not shown, as it is kept in the injection log: ids and numbers, never what was said."""

import json
from collections.abc import Collection, Sequence
from typing import Any

from recollect.domain.injection import Choice, Verdict
from recollect.domain.memory import Kind, MemoryId

NOTHING = "[]"


def written(choices: Sequence[Choice]) -> str:
    return json.dumps([_row(choice) for choice in choices], ensure_ascii=False, separators=(",", ":"))


def read(stored: str) -> tuple[Choice, ...]:
    """No hash covers it: what cannot be read is as good as not kept."""
    try:
        return tuple(map(_choice, json.loads(stored)))
    except (ValueError, TypeError, KeyError):
        return ()


def without(stored: str, memories: Collection[MemoryId]) -> str:
    """The same after these memories are gone."""
    return written([choice for choice in read(stored) if choice.id not in memories])


def _row(choice: Choice) -> list[Any]:
    numbers = (choice.relevance, choice.score, choice.needed)
    return [choice.id, choice.kind, choice.verdict, *numbers, dict(choice.factors)]


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
