"""Pairs of statements as developers make them, each with the relation of the second to the first.

Several people wrote them without knowing how statements are compared. The first figures of each set were taken before its
pairs were read; after that the set showed what was missing. `docs/explanation/remembering.md` has both.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from recollect.domain.memory import Kind
from recollect.novelty.compare import Relation

SETS = ("first", "second", "third", "fourth", "fifth", "sixth")
LABELS = {
    "same": Relation.SAME,
    "update": Relation.UPDATES,
    "contradiction": Relation.CONTRADICTS,
    "unrelated": Relation.UNRELATED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """`new` was said some weeks after `old`, in the same project, by the same person."""

    id: str
    old: str
    new: str
    old_kind: Kind
    new_kind: Kind
    label: Relation  # given by a person


@cache
def pairs(name: str) -> tuple[Pair, ...]:
    lines = Path(__file__).with_name("pairs").joinpath(f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(map(_pair, map(json.loads, lines)))


def _pair(row: dict[str, str]) -> Pair:
    return Pair(
        id=row["id"],
        old=row["old"],
        new=row["new"],
        old_kind=Kind(row["kind"]),
        new_kind=Kind(row.get("new_kind") or row["kind"]),
        label=LABELS[row["label"]],
    )
