"""What the tests of all readers share: an origin, and entries as a test likes to compare them."""

from collections.abc import Iterable

from recollect.domain.memory import Draft, ProjectId
from recollect.imports.entry import Entry, FileOrigin, KeptEntry, RejectedEntry, SkippedEntry
from tests.builders import IN_PROJECT, NOW

FILE = FileOrigin(name="CLAUDE.md", at=NOW, scope=IN_PROJECT)


def drafts(entries: Iterable[Entry]) -> list[Draft]:
    return [entry.draft for entry in entries if isinstance(entry, KeptEntry)]


def told(entries: Iterable[Entry]) -> list[tuple[int, str, str]]:
    """Line, kind and text of each memory."""
    return [(entry.line, entry.draft.kind.value, entry.draft.text) for entry in entries if isinstance(entry, KeptEntry)]


def bad(entries: Iterable[Entry]) -> list[tuple[int, str]]:
    return [(entry.line, entry.why) for entry in entries if isinstance(entry, RejectedEntry)]


def left(entries: Iterable[Entry]) -> list[tuple[int, str]]:
    return [(entry.line, entry.what) for entry in entries if isinstance(entry, SkippedEntry)]


def named(project: str) -> ProjectId:
    return ProjectId(f"name:{project}")
