"""Claude Code's own memory: a folder with an index, MEMORY.md, and a file for each topic with front matter. Pure.

A short topic is one memory; a long one is read like any Markdown. The index only repeats the topics: its links are left
out, its own sentences are not.
"""

import re
from collections.abc import Iterator

from recollect.domain.memory import MAX_NAME_CHARS, Kind
from recollect.imports import front_matter, markdown
from recollect.imports.decoding import lines_of
from recollect.imports.entry import Entry, FileOrigin, time_of, title_of
from recollect.imports.inline import plain_words
from recollect.imports.markdown import Manner
from recollect.imports.wording import kind_of

INDEX = "MEMORY.md"
KINDS = {"user": Kind.PREFERENCE, "feedback": Kind.RULE, "project": Kind.DECISION, "reference": Kind.RESEARCH}
ONE_MEMORY_CHARS = 1500  # a topic that is longer has several

_INDEX_LINE = re.compile(r"^\s*[-*+]\s+\[[^\[\]]*\]\((?!https?:)[^()]+\.md\)")
_STRUCTURE = re.compile(r"^\s*(?:#{1,6}\s|```|\|)")


def is_topic(text: str) -> bool:
    return front_matter.split(lines_of(text))[0].get("type") in KINDS


def parse(text: str, origin: FileOrigin) -> Iterator[Entry]:
    lines = lines_of(text)
    values, first = front_matter.split(lines)
    if not values:
        return markdown.parse("\n".join("" if _INDEX_LINE.match(line) else line for line in lines), origin)
    return _topic(lines, first, values, origin)


def _topic(lines: list[str], first: int, values: dict[str, str], origin: FileOrigin) -> Iterator[Entry]:
    kind = KINDS.get(values.get("type", ""))
    name, description = values.get("name", ""), values.get("description", "")
    body = "\n".join(lines[first:]).strip()
    at = time_of(values.get("updated") or values.get("modified") or values.get("date") or values.get("created"))
    if len(body) > ONE_MEMORY_CHARS or any(map(_STRUCTURE.match, lines[first:])):
        yield from markdown.parse("\n".join(lines), origin, Manner(kind=kind, title=name or None))
        return
    text = "\n".join(words for line in body.split("\n") if (words := plain_words(line))) or description
    if not text:
        return
    said = kind or Kind.DECISION
    if said is Kind.RULE and kind_of(text) is Kind.PREFERENCE:
        said = Kind.PREFERENCE
    aliases = [name] if name and name.isprintable() and len(name) <= MAX_NAME_CHARS else []
    evidence = (body,) if body else ()
    line = next((number for number, found in enumerate(lines[first:], first + 1) if found.strip()), 1)
    yield origin.draft(
        line,
        text,
        said,
        at=at or origin.at,
        title=title_of(description or name),
        aliases=tuple(aliases),
        evidence=evidence,
    )
