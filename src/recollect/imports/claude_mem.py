"""claude-mem: its observations and session summaries, from its export file or from rows of its database. Pure.

An observation is one memory. A summary gives up to two: what was learned, and what was done. Prompts are skipped: they
are a transcript, not memories.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Kind, Scope, Sensitivity
from recollect.imports.entry import (
    Entry,
    FileOrigin,
    FindsProject,
    RejectedEntry,
    SkippedEntry,
    anchors_of,
    is_name,
    time_of,
    title_of,
)
from recollect.imports.objects import Fields, first_text, kind_by_name, list_or_empty, parse_json, text_list

# Half of all observations have these labels: as aliases they would match everything.
GENERIC_CONCEPTS = (
    "how-it-works",
    "why-it-exists",
    "what-changed",
    "problem-solution",
    "gotcha",
    "pattern",
    "trade-off",
)
SENSITIVE = "sensitive"  # "would not want leaking": recalled on request, never injected


def parse(text: str, origin: FileOrigin, find_project: FindsProject) -> Iterator[Entry]:
    export = parse_json(text)
    lists = [export.get("observations"), export.get("summaries")] if isinstance(export, dict) else []
    if not any(isinstance(rows, list) for rows in lists):
        raise InvalidValue("This is not an export of claude-mem: it has no observations.")
    yield from observations(list_or_empty(lists[0]), origin, find_project)
    yield from summaries(list_or_empty(lists[1]), origin, find_project)
    if prompts := list_or_empty(export.get("prompts")):
        yield prompts_left(len(prompts))


def prompts_left(count: int) -> SkippedEntry:
    return SkippedEntry(0, f"prompts typed in sessions ({count:,})")


def observations(rows: Iterable[Any], origin: FileOrigin, find_project: FindsProject) -> Iterator[Entry]:
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            yield RejectedEntry(number, "The observation is not an object.")
            continue
        text = _observation_text(row)
        if not text:
            yield RejectedEntry(number, "The observation has no text.")
            continue
        label = first_text(row, "type")
        fields = {
            "title": title_of(first_text(row, "title")),
            "aliases": _aliases(row),
            "anchors": anchors_of(text_list(row, "files_modified") + text_list(row, "files_read")),
            "sensitivity": Sensitivity.RESTRICTED if label == SENSITIVE else Sensitivity.PROJECT,
        }
        yield _draft(number, text, kind_by_name(label) or Kind.RESEARCH, row, origin, find_project, **fields)


def _observation_text(row: Fields) -> str:
    title, body = first_text(row, "title"), first_text(row, "narrative", "text", "subtitle")
    details = [body] if body else []
    details += [f"- {fact}" for fact in text_list(row, "facts") if fact not in body]
    if title and details and title[-1] not in ".!?:":
        title += "."  # it stays a sentence of its own when all is shown on one line
    return "\n".join([title, *details] if title else details)


def summaries(rows: Iterable[Any], origin: FileOrigin, find_project: FindsProject) -> Iterator[Entry]:
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            yield RejectedEntry(number, "The summary is not an object.")
            continue
        fields = {"title": title_of(first_text(row, "request")), "anchors": anchors_of(text_list(row, "files_edited"))}
        learned, completed = first_text(row, "learned"), first_text(row, "completed")
        next_steps = first_text(row, "next_steps")
        if learned:
            yield _draft(number, learned, Kind.RESEARCH, row, origin, find_project, **fields)
        if completed:
            text = f"{completed}\nNext: {next_steps}" if next_steps else completed
            yield _draft(number, text, Kind.OUTCOME, row, origin, find_project, **fields)
        if not learned and not completed:
            yield SkippedEntry(number, "a summary of a session that learned and did nothing")


def _draft(
    number: int, text: str, kind: Kind, row: Fields, origin: FileOrigin, find_project: FindsProject, **fields: Any
) -> Entry:
    project, session = first_text(row, "project"), first_text(row, "memory_session_id", "sdk_session_id")
    try:
        scope = Scope.project(find_project(project)) if project else origin.scope
    except InvalidValue as refusal:
        return RejectedEntry(number, str(refusal))
    at = time_of(row.get("created_at_epoch")) or time_of(row.get("created_at")) or origin.at
    return origin.draft(number, text, kind, session=session if is_name(session) else None, scope=scope, at=at, **fields)


def _aliases(row: Fields) -> tuple[str, ...]:
    usable = [concept for concept in text_list(row, "concepts") if concept not in GENERIC_CONCEPTS and is_name(concept)]
    return tuple(dict.fromkeys(usable))
