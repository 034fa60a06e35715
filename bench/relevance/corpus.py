"""Fictional projects: their memories, prompts of developers, and the memories that each prompt should show.

A memory fits a prompt if a good colleague who knows it would mention it now. Written by hand for this purpose; contains no
texts of other benchmarks.
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from recollect.domain.memory import UNIVERSAL, Kind, Memory, MemoryId, ProjectId, Role, Scope, Source

FOLDER = Path(__file__).parent / "corpus"
EVERYWHERE = "everywhere.json"

_AT = datetime(2026, 3, 2, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Prompt:
    ask: str
    fits: frozenset[MemoryId]


@dataclass(frozen=True, slots=True)
class Project:
    name: str
    memories: list[Memory]  # including universal ones
    prompts: list[Prompt]


def projects() -> list[Project]:
    everywhere = _memories(json.loads((FOLDER / EVERYWHERE).read_text()), UNIVERSAL)
    return [_project(path, everywhere) for path in sorted(FOLDER.glob("*.json")) if path.name != EVERYWHERE]


def _project(path: Path, everywhere: list[Memory]) -> Project:
    written = json.loads(path.read_text())
    scope = Scope.project(ProjectId(f"name:{path.stem}"))
    prompts = [Prompt(asked["ask"], frozenset(asked["fits"])) for asked in written["prompts"]]
    return Project(path.stem, _memories(written, scope) + everywhere, prompts)


def _memories(written: dict[str, list[dict[str, str]]], scope: Scope) -> list[Memory]:
    return [
        Memory(
            id=MemoryId(known["id"]),
            kind=Kind(known["kind"]),
            text=known["text"],
            title=known.get("title"),
            aliases=tuple(known.get("aliases", ())),
            scope=scope,
            created_at=_AT,
            valid_from=_AT,
            source=Source(role=Role.USER),
        )
        for known in written["memories"]
    ]
