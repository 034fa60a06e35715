"""mem0: the answer of `get_all` or an export, as one JSON document or as JSON lines. Pure.

Its ids become the source, not our ids: if mem0 has rewritten a memory since, only the text shows that.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Kind
from recollect.imports.decoding import lines_of
from recollect.imports.entry import Entry, FileOrigin, RejectedEntry, SkippedEntry, time_of, title_of
from recollect.imports.kinds import kind_of
from recollect.imports.objects import Fields, first_text, kind_by_name, list_or_empty, parse_json, text_list

LISTS = ("results", "memories", "data")


def parse(text: str, origin: FileOrigin) -> Iterator[Entry]:
    try:
        export = json.loads(text)
    except (ValueError, RecursionError):
        lines = [(number, line) for number, line in enumerate(lines_of(text), 1) if line.strip()]
        if len(lines) > 1:
            yield from _entries(_parse_lines(lines), origin)
            return
        export = parse_json(text)  # raises, with the reason
    if isinstance(export, dict):
        relations = list_or_empty(export.get("relations"))
        if relations:
            yield SkippedEntry(0, f"the relations of a graph ({len(relations):,}): the memories say the same in words")
        export = _memories(export)
    if not isinstance(export, list):
        raise InvalidValue("This is not an export of mem0: it has no list of memories.")
    yield from _entries(enumerate(export, start=1), origin)


def _memories(export: Fields) -> object:
    if first_text(export, "memory"):
        return [export]
    for name in LISTS:
        if isinstance(export.get(name), list):
            return export[name]
    return None


def _parse_lines(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, Any]]:
    for number, line in lines:
        try:
            yield number, parse_json(line)
        except InvalidValue as refusal:
            yield number, refusal


def _entries(items: Iterable[tuple[int, Any]], origin: FileOrigin) -> Iterator[Entry]:
    for number, item in items:
        if not isinstance(item, dict):
            yield RejectedEntry(number, str(item) if isinstance(item, InvalidValue) else "The memory is not an object.")
            continue
        text, why_ended = first_text(item, "memory", "content", "text"), _why_ended(item, origin)
        if not text:
            yield RejectedEntry(number, "`memory` is missing, empty or not a text.")
        elif why_ended is not None:
            yield SkippedEntry(number, why_ended)
        else:
            at = time_of(item.get("updated_at")) or time_of(item.get("created_at")) or origin.at
            yield origin.draft(number, text, _kind(item, text), at=at, title=title_of(first_text(item, "title")))


def _why_ended(item: Fields, origin: FileOrigin) -> str | None:
    """Return why the memory is no longer valid; None: it is valid."""
    expires = time_of(item.get("expiration_date"))
    if expires is not None and expires <= origin.at:
        return f"a memory that expired on {expires:%Y-%m-%d}"
    return f"a memory that is {item['state']}" if item.get("state") in ("deleted", "archived", "paused") else None


def _kind(item: Fields, text: str) -> Kind:
    """Take the kind from the metadata or categories if they name one, else from the wording."""
    metadata = item.get("metadata")
    fields = metadata if isinstance(metadata, dict) else {}
    labels = [first_text(fields, name) for name in ("kind", "type", "category")] + text_list(item, "categories")
    names = [label.lower().replace(" ", "_") for label in labels if label]
    for name in names:
        kind = kind_by_name(name) or kind_by_name(name.removesuffix("s"))
        if kind is not None:
            return kind
    return kind_of(text, ("preferences",) if any("preference" in name for name in names) else ())
