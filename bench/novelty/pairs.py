"""Pairs of statements as developers make them, each with what the second is to the first.

Several people have written them, without having seen how they are told apart. Of each set the first figures were taken
before anybody looked into it; after that it served to find out what was missing. `docs/explanation/remembering.md` has
both.
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
    label: Relation  # what a person says that it is


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
