"""mem0: what `get_all` answers or an export holds, as one JSON document or a line each. Pure.

Its ids are kept as the source, not as ours: what mem0 has rewritten since is told apart by what it says.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import KINDS_ELSEWHERE, Kind
from recollect.imports.decoding import lines_of
from recollect.imports.entry import Entry, FileOrigin, RejectedEntry, SkippedEntry, time_of, title_of
from recollect.imports.objects import Fields, document, objects, several, words
from recollect.imports.wording import kind_of

LISTS = ("results", "memories", "data")


def parse(text: str, origin: FileOrigin) -> Iterator[Entry]:
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        lines = [(number, line) for number, line in enumerate(lines_of(text), 1) if line.strip()]
        if len(lines) < 2:
            whole = document(text)  # says what is wrong
        else:
            yield from _entries(_lines(lines), origin)
            return
    if isinstance(whole, dict):
        if relations := objects(whole.get("relations")):
            yield SkippedEntry(0, f"the relations of a graph ({len(relations):,}): the memories say the same in words")
        if words(whole, "memory"):
            whole = [whole]
        else:
            whole = next((whole[name] for name in LISTS if isinstance(whole.get(name), list)), None)
    if not isinstance(whole, list):
        raise InvalidValue("It is no export of mem0: it has no list of memories.")
    yield from _entries(enumerate(whole, start=1), origin)


def _lines(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, Any]]:
    for number, line in lines:
        try:
            yield number, document(line)
        except InvalidValue as refusal:
            yield number, refusal


def _entries(items: Iterable[tuple[int, Any]], origin: FileOrigin) -> Iterator[Entry]:
    for number, item in items:
        if not isinstance(item, dict):
            yield RejectedEntry(number, str(item) if isinstance(item, InvalidValue) else "The memory is not an object.")
            continue
        text = words(item, "memory", "content", "text")
        if not text:
            yield RejectedEntry(number, "`memory` is missing, empty or not a text.")
        elif (ended := _ended(item, origin)) is not None:
            yield SkippedEntry(number, ended)
        else:
            at = time_of(item.get("updated_at")) or time_of(item.get("created_at")) or origin.at
            yield origin.draft(number, text, _kind(item, text), at=at, title=title_of(words(item, "title")))


def _ended(item: Fields, origin: FileOrigin) -> str | None:
    """Why it no longer holds; None: it does."""
    expires = time_of(item.get("expiration_date"))
    if expires is not None and expires <= origin.at:
        return f"a memory that expired on {expires:%Y-%m-%d}"
    return f"a memory that is {item['state']}" if item.get("state") in ("deleted", "archived", "paused") else None


def _kind(item: Fields, text: str) -> Kind:
    """What its metadata or categories call it, where that is one of ours or known elsewhere; else its words tell."""
    metadata = item.get("metadata")
    about = metadata if isinstance(metadata, dict) else {}
    labels = [words(about, "kind"), words(about, "type"), words(about, "category"), *several(item, "categories")]
    spelled = [label.lower().replace(" ", "_") for label in labels if label]
    for label in (form for one in spelled for form in (one, one.removesuffix("s"))):
        if label in KINDS_ELSEWHERE or label in list(Kind):
            return KINDS_ELSEWHERE.get(label) or Kind(label)
    return kind_of(text, ("preferences",) if any("preference" in label for label in spelled) else ())
