"""Recollect's own Markdown: for people to read and for agents to be given; `import` reads it back. Pure.

The same memories give the same bytes, and what was read back gives them again. No backup: texts, kinds, places, days
and titles are kept, the rest of a memory is not; what is restricted or belongs to one session is not written at all.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import groupby

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Kind, Memory, Scope, ScopeLevel, Sensitivity, Tier
from recollect.imports.entry import Entry, FileOrigin, RejectedEntry, time_of, title_of
from recollect.text.block import visible

FIRST_LINE = "# Memories kept by Recollect (`recollect import` reads this file back)"
KINDS = {
    Kind.RULE: "Rules",
    Kind.PREFERENCE: "Preferences",
    Kind.CORRECTION: "Corrections",
    Kind.DECISION: "Decisions",
    Kind.ERROR_PATTERN: "Known errors",
    Kind.FILE_CONTEXT: "Files",
    Kind.RESEARCH: "Findings",
    Kind.OUTCOME: "Outcomes",
}
EVERYWHERE = "Everywhere"
PLACES = {ScopeLevel.LANGUAGE: "In the language ", ScopeLevel.PROJECT: "In the project "}
_KIND_OF = {heading: kind for kind, heading in KINDS.items()}
# ` *(2026-03-02, candidate, public, importance 0.5; Commands)*`: always the last thing of an item.
_TAIL = re.compile(
    r"(?P<text>.*) \*\((?P<day>\d{4}-\d\d-\d\d)(?P<candidate>, candidate)?(?P<public>, public)?"
    r"(?:, importance (?P<importance>[\d.]+))?"
    r"(?:; (?P<title>.*))?\)\*",
    re.DOTALL,
)


def is_own(text: str) -> bool:
    return text.startswith(FIRST_LINE)


def may_be_written_as_confirmed(memory: Memory) -> bool:
    """What holds, is confirmed, and may be in a file that others are given."""
    return memory.tier is Tier.CONFIRMED and may_be_written(memory)


def may_be_written(memory: Memory) -> bool:
    """The same, with candidates: nothing has proven these, and the file says so."""
    is_shared = memory.sensitivity in (Sensitivity.PUBLIC, Sensitivity.PROJECT)
    return memory.is_live and is_shared and memory.flag is None and memory.scope.level is not ScopeLevel.SESSION


def render(memories: Iterable[Memory]) -> Iterator[str]:
    """Lines, each with its end."""
    yield f"{FIRST_LINE}\n"
    written = sorted(filter(may_be_written, memories), key=_order)
    for scope, inside in groupby(written, key=lambda memory: memory.scope):
        yield f"\n## {_heading(scope)}\n"
        for kind, alike in groupby(inside, key=lambda memory: memory.kind):
            yield f"\n### {KINDS[kind]}\n\n"
            for memory in alike:
                yield "\n  ".join(f"- {memory.text}{_tail(memory)}".split("\n")) + "\n"


def _order(memory: Memory) -> tuple[object, ...]:
    scope = memory.scope
    return list(ScopeLevel).index(scope.level), scope.name, list(KINDS).index(memory.kind), _day(memory), memory.text


def _day(memory: Memory) -> str:
    return f"{memory.created_at.astimezone(UTC):%Y-%m-%d}"


def _heading(scope: Scope) -> str:
    return EVERYWHERE if scope.level is ScopeLevel.UNIVERSAL else f"{PLACES[scope.level]}{scope.name}"


def _tail(memory: Memory) -> str:
    candidate = ", candidate" if memory.tier is Tier.CANDIDATE else ""
    public = ", public" if memory.sensitivity is Sensitivity.PUBLIC else ""
    importance = "" if memory.importance == 1 else f", importance {memory.importance:g}"
    title = visible(memory.title or "")
    heading = f"; {title}" if title and " *(" not in title else ""
    return f" *({_day(memory)}{candidate}{public}{importance}{heading})*"


def parse(text: str, origin: FileOrigin) -> Iterator[Entry]:
    """What somebody has added by hand, without a day, was said when the file was last changed."""
    scope: Scope | InvalidValue = origin.scope
    kind = Kind.DECISION
    for line, item in _parts(text):
        level, _, heading = item.partition(" ")
        if level == "##":
            try:
                scope = _scope(heading.strip(), origin)
            except InvalidValue as refusal:
                scope = refusal
        elif level == "###":
            kind = _KIND_OF.get(heading.strip(), Kind.DECISION)
        elif level == "-":
            # Nothing is put into another place than it was meant for.
            yield (
                RejectedEntry(line, str(scope))
                if isinstance(scope, InvalidValue)
                else _entry(line, heading, kind, scope, origin)
            )


def _parts(text: str) -> Iterator[tuple[int, str]]:
    """Headings and items, each with the lines that are indented below it."""
    begun, part = 0, ""
    ending = "\r\n" if text.startswith(f"{FIRST_LINE}\r\n") else "\n"  # of the file: a memory may have others inside
    for number, line in enumerate(text.split(ending), start=1):
        if line.startswith(("- ", "#")):
            yield begun, part.rstrip("\n")
            begun, part = number, line
        elif part.startswith("-"):
            part += f"\n{line.removeprefix('  ')}"
    yield begun, part.rstrip("\n")


def _scope(heading: str, origin: FileOrigin) -> Scope:
    if heading == EVERYWHERE:
        return Scope(ScopeLevel.UNIVERSAL)
    told = next((level for level, words in PLACES.items() if heading.startswith(words)), None)
    return origin.scope if told is None else Scope.parse(f"{told}:{heading.removeprefix(PLACES[told])}")


def _entry(line: int, item: str, kind: Kind, scope: Scope, origin: FileOrigin) -> Entry:
    told = _TAIL.fullmatch(item)
    if told is None:
        return origin.draft(line, item, kind, scope=scope)
    try:
        importance = float(told["importance"] or 1)
    except ValueError:
        return RejectedEntry(line, f"The importance {told['importance']!r} is no number.")
    return origin.draft(
        line,
        told["text"],
        kind,
        scope=scope,
        at=_moment(told["day"], origin),
        title=title_of(told["title"]),
        importance=importance,
        sensitivity=Sensitivity.PUBLIC if told["public"] else Sensitivity.PROJECT,
        tier=Tier.CANDIDATE if told["candidate"] else Tier.CONFIRMED,
    )


def _moment(day: str, origin: FileOrigin) -> datetime:
    return time_of(day) or origin.at
