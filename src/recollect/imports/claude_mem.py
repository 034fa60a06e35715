"""claude-mem: its observations and session summaries, from its export file or from rows of its database. Pure.

An observation is one memory. Of a summary, what was learned and what was done are one each. What the user typed is left
out: that is a transcript, not a memory.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import KINDS_ELSEWHERE, MAX_NAME_CHARS, Kind, Scope, Sensitivity
from recollect.imports.entry import (
    Entry,
    FileOrigin,
    NamesProject,
    RejectedEntry,
    SkippedEntry,
    anchors_of,
    time_of,
    title_of,
)
from recollect.imports.objects import Fields, document, objects, several, words

# Labels that half of all observations have: as aliases they would find everything.
GENERIC_CONCEPTS = {
    *("how-it-works", "why-it-exists", "what-changed", "problem-solution", "gotcha", "pattern", "trade-off"),
}
SENSITIVE = "sensitive"  # "would not want leaking": found when asked for, never injected


def parse(text: str, origin: FileOrigin, named: NamesProject) -> Iterator[Entry]:
    """The file that its export script writes."""
    whole = document(text)
    if not isinstance(whole, dict) or not any(
        isinstance(whole.get(part), list) for part in ("observations", "summaries")
    ):
        raise InvalidValue("It is no export of claude-mem: it has no observations.")
    yield from observations(objects(whole.get("observations")), origin, named)
    yield from summaries(objects(whole.get("summaries")), origin, named)
    if prompts := objects(whole.get("prompts")):
        yield prompts_left(len(prompts))


def prompts_left(count: int) -> SkippedEntry:
    return SkippedEntry(0, f"what was typed in sessions ({count:,})")


def observations(rows: Iterable[Any], origin: FileOrigin, named: NamesProject) -> Iterator[Entry]:
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            yield RejectedEntry(number, "The observation is not an object.")
            continue
        title, facts = words(row, "title"), several(row, "facts")
        body = words(row, "narrative", "text", "subtitle")
        more = ([body] if body else []) + [f"- {fact}" for fact in facts if fact not in body]
        text = "\n".join(([_ended(title) if more else title] if title else []) + more)
        if not text:
            yield RejectedEntry(number, "The observation says nothing.")
            continue
        told = words(row, "type")
        yield _draft(
            number,
            text,
            KINDS_ELSEWHERE.get(told) or (Kind(told) if told in list(Kind) else Kind.RESEARCH),
            row,
            origin,
            named,
            title=title_of(title),
            aliases=_aliases(row),
            anchors=anchors_of(several(row, "files_modified") + several(row, "files_read")),
            sensitivity=Sensitivity.RESTRICTED if told == SENSITIVE else Sensitivity.PROJECT,
        )


def summaries(rows: Iterable[Any], origin: FileOrigin, named: NamesProject) -> Iterator[Entry]:
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            yield RejectedEntry(number, "The summary is not an object.")
            continue
        fields = {"title": title_of(words(row, "request")), "anchors": anchors_of(several(row, "files_edited"))}
        learned, completed, next_steps = (words(row, name) for name in ("learned", "completed", "next_steps"))
        if learned:
            yield _draft(number, learned, Kind.RESEARCH, row, origin, named, **fields)
        if completed:
            text = f"{completed}\nNext: {next_steps}" if next_steps else completed
            yield _draft(number, text, Kind.OUTCOME, row, origin, named, **fields)
        if not learned and not completed:
            yield SkippedEntry(number, "a summary of a session in which nothing was learned or done")


def _draft(
    number: int, text: str, kind: Kind, row: Fields, origin: FileOrigin, named: NamesProject, **fields: Any
) -> Entry:
    project, session = words(row, "project"), words(row, "memory_session_id", "sdk_session_id")
    try:
        scope = Scope.project(named(project)) if project else origin.scope
    except InvalidValue as refusal:
        return RejectedEntry(number, str(refusal))
    at = time_of(row.get("created_at_epoch")) or time_of(row.get("created_at")) or origin.at
    usable = session if session.isprintable() and len(session) <= MAX_NAME_CHARS else None
    return origin.draft(number, text, kind, session=usable or None, scope=scope, at=at, **fields)


def _ended(title: str) -> str:
    """Shown on one line with what follows, it stays a sentence of its own."""
    return title if title[-1] in ".!?:" else f"{title}."


def _aliases(row: Fields) -> tuple[str, ...]:
    concepts = [concept for concept in several(row, "concepts") if concept not in GENERIC_CONCEPTS]
    return tuple(dict.fromkeys(one for one in concepts if one.isprintable() and len(one) <= MAX_NAME_CHARS))
