"""Recollect's own Markdown: for people to read and for agents to be given; `import` reads it back. Pure.

The same memories give the same bytes, also after they were read back. Not a backup: only texts, kinds, scopes, days and
titles are kept. Restricted memories and those of one session are not written at all.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC
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
SCOPES = {ScopeLevel.LANGUAGE: "In the language ", ScopeLevel.PROJECT: "In the project "}
_KIND_BY_HEADING = {heading: kind for kind, heading in KINDS.items()}
# ` *(2026-03-02, candidate, public, importance 0.5; Commands)*`: the end of an item.
_TAIL = re.compile(
    r"(?P<text>.*) \*\((?P<day>\d{4}-\d\d-\d\d)(?P<candidate>, candidate)?(?P<public>, public)?"
    r"(?:, importance (?P<importance>[\d.]+))?"
    r"(?:; (?P<title>.*))?\)\*",
    re.DOTALL,
)


def is_own(text: str) -> bool:
    return text.startswith(FIRST_LINE)


def may_be_written_as_confirmed(memory: Memory) -> bool:
    return memory.tier is Tier.CONFIRMED and may_be_written(memory)


def may_be_written(memory: Memory) -> bool:
    """Return True also for candidates: the file marks them as unproven."""
    is_shared = memory.sensitivity in (Sensitivity.PUBLIC, Sensitivity.PROJECT)
    return memory.is_live and is_shared and memory.flag is None and memory.scope.level is not ScopeLevel.SESSION


def render(memories: Iterable[Memory]) -> Iterator[str]:
    yield f"{FIRST_LINE}\n"
    written = sorted(filter(may_be_written, memories), key=_order)
    for scope, in_scope in groupby(written, key=lambda memory: memory.scope):
        is_everywhere = scope.level is ScopeLevel.UNIVERSAL
        heading = EVERYWHERE if is_everywhere else f"{SCOPES[scope.level]}{scope.name}"
        yield f"\n## {heading}\n"
        for kind, of_kind in groupby(in_scope, key=lambda memory: memory.kind):
            yield f"\n### {KINDS[kind]}\n\n"
            for memory in of_kind:
                yield "\n  ".join(f"- {memory.text}{_tail(memory)}".split("\n")) + "\n"


def _order(memory: Memory) -> tuple[object, ...]:
    scope = memory.scope
    return list(ScopeLevel).index(scope.level), scope.name, list(KINDS).index(memory.kind), _day(memory), memory.text


def _day(memory: Memory) -> str:
    return f"{memory.created_at.astimezone(UTC):%Y-%m-%d}"


def _tail(memory: Memory) -> str:
    candidate = ", candidate" if memory.tier is Tier.CANDIDATE else ""
    public = ", public" if memory.sensitivity is Sensitivity.PUBLIC else ""
    importance = "" if memory.importance == 1 else f", importance {memory.importance:g}"
    title = visible(memory.title or "")
    heading = f"; {title}" if title and " *(" not in title else ""
    return f" *({_day(memory)}{candidate}{public}{importance}{heading})*"


def parse(text: str, origin: FileOrigin) -> Iterator[Entry]:
    """An item that the user added by hand, without a day, gets the day on which the file was last changed."""
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
            kind = _KIND_BY_HEADING.get(heading.strip(), Kind.DECISION)
        elif level == "-":
            if isinstance(scope, InvalidValue):
                yield RejectedEntry(line, str(scope))  # never put into another scope than it was meant for
            else:
                yield _entry(line, heading, kind, scope, origin)


def _parts(text: str) -> Iterator[tuple[int, str]]:
    """Yield headings and items, each with the lines that are indented below it."""
    start, part = 0, ""
    ending = "\r\n" if text.startswith(f"{FIRST_LINE}\r\n") else "\n"  # of the file; a memory may contain others
    for number, line in enumerate(text.split(ending), start=1):
        if line.startswith(("- ", "#")):
            yield start, part.rstrip("\n")
            start, part = number, line
        elif part.startswith("-"):
            part += f"\n{line.removeprefix('  ')}"
    yield start, part.rstrip("\n")


def _scope(heading: str, origin: FileOrigin) -> Scope:
    if heading == EVERYWHERE:
        return Scope(ScopeLevel.UNIVERSAL)
    for level, words in SCOPES.items():
        if heading.startswith(words):
            return Scope.parse(f"{level}:{heading.removeprefix(words)}")
    return origin.scope


def _entry(line: int, item: str, kind: Kind, scope: Scope, origin: FileOrigin) -> Entry:
    found = _TAIL.fullmatch(item)
    if found is None:
        return origin.draft(line, item, kind, scope=scope)
    try:
        importance = float(found["importance"] or 1)
    except ValueError:
        return RejectedEntry(line, f"The importance {found['importance']!r} is not a number.")
    return origin.draft(
        line,
        found["text"],
        kind,
        scope=scope,
        at=time_of(found["day"]) or origin.at,
        title=title_of(found["title"]),
        importance=importance,
        sensitivity=Sensitivity.PUBLIC if found["public"] else Sensitivity.PROJECT,
        tier=Tier.CANDIDATE if found["candidate"] else Tier.CONFIRMED,
    )
