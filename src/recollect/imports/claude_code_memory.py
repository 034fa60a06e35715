"""Claude Code's own memory: a folder with an index, MEMORY.md, and one file with front matter per topic. Pure.

A short topic is one memory; a long one is read like any Markdown. The index repeats the topics: its links are skipped,
its own sentences are not.
"""

import re
from collections.abc import Iterator

from recollect.domain.memory import Kind
from recollect.imports import markdown
from recollect.imports.decoding import lines_of
from recollect.imports.entry import Entry, FileOrigin, is_name, time_of, title_of
from recollect.imports.inline import plain_words
from recollect.imports.kinds import kind_of
from recollect.imports.markdown import FileHints
from recollect.imports.markdown_blocks import split_front_matter

INDEX = "MEMORY.md"
KINDS = {"user": Kind.PREFERENCE, "feedback": Kind.RULE, "project": Kind.DECISION, "reference": Kind.RESEARCH}
ONE_MEMORY_CHARS = 1500  # a longer topic is several memories

_INDEX_LINE = re.compile(r"^\s*[-*+]\s+\[[^\[\]]*\]\((?!https?:)[^()]+\.md\)")
_STRUCTURE = re.compile(r"^\s*(?:#{1,6}\s|```|\|)")


def is_topic(text: str) -> bool:
    return split_front_matter(lines_of(text))[0].get("type") in KINDS


def parse(text: str, origin: FileOrigin) -> Iterator[Entry]:
    lines = lines_of(text)
    values, first = split_front_matter(lines)
    if not values:
        own = ["" if _INDEX_LINE.match(line) else line for line in lines]
        return markdown.parse("\n".join(own), origin)
    return _topic(lines, first, values, origin)


def _topic(lines: list[str], first: int, values: dict[str, str], origin: FileOrigin) -> Iterator[Entry]:
    kind = KINDS.get(values.get("type", ""))
    name, description = values.get("name", ""), values.get("description", "")
    body = "\n".join(lines[first:]).strip()
    at = time_of(values.get("updated") or values.get("modified") or values.get("date") or values.get("created"))
    if len(body) > ONE_MEMORY_CHARS or any(map(_STRUCTURE.match, lines[first:])):
        yield from markdown.parse("\n".join(lines), origin, FileHints(kind=kind, title=name or None))
        return
    text = "\n".join(filter(None, map(plain_words, body.split("\n")))) or description
    if not text:
        return
    if kind is Kind.RULE and kind_of(text) is Kind.PREFERENCE:
        kind = Kind.PREFERENCE
    blank_lines = 0
    while first + blank_lines < len(lines) and not lines[first + blank_lines].strip():
        blank_lines += 1
    yield origin.draft(
        first + blank_lines + 1 if body else 1,
        text,
        kind or Kind.DECISION,
        at=at or origin.at,
        title=title_of(description or name),
        aliases=(name,) if is_name(name) else (),
        evidence=(body,) if body else (),
    )
