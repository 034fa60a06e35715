"""A memory as a small text that the user edits: four named lines, then the text itself."""

from recollect.api.edit import Edit
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Kind, Memory, parse_kind

BELOW = "---"
FIELDS = ("kind", "scope", "title", "aliases")
TEMPLATE = """\
# Change what you like, then save and close. Nothing happens if you change nothing or delete the whole text.
# kind: {kinds}
# scope: universal, language:NAME, project (the one of this folder) or project:ID; separate aliases with commas
kind: {kind}
scope: {scope}
title: {title}
aliases: {aliases}
--- the text begins on the next line ---
{text}
"""


def format_memory(memory: Memory) -> str:
    return TEMPLATE.format(
        kinds=", ".join(Kind),
        kind=memory.kind.value,
        scope=memory.scope,
        title=memory.title or "",
        aliases=", ".join(memory.aliases),
        text=memory.text,
    )


def read_edit(said: str, memory: Memory, *, folder: str | None, by: str) -> Edit | None:
    """Read the edited text; None: the user deleted the text. Raises InvalidValue for lines that make no sense."""
    head, text = _separate_head(said)
    if not text.strip():
        return None
    given = _read_head(head)
    scope = given.get("scope")
    return Edit(
        id=memory.id,
        text=text,
        kind=parse_kind(given["kind"]) if given.get("kind") else None,
        scope=None if scope in (None, "", str(memory.scope)) else scope,
        title=given.get("title"),
        aliases=_aliases(given["aliases"], memory) if "aliases" in given else None,
        instead_of=memory.text,
        folder=folder,
        by=by,
    )


def _read_head(lines: list[tuple[int, str]]) -> dict[str, str]:
    given: dict[str, str] = {}
    for number, line in lines:
        name, colon, value = line.partition(":")
        name = name.strip()
        if name not in FIELDS or not colon or name in given:
            raise InvalidValue(f"Line {number} must be one of {', '.join(FIELDS)}, each at most once: {line!r}.")
        given[name] = value.strip()
    return given


def _aliases(text: str, memory: Memory) -> tuple[str, ...]:
    """Keep the memory's own aliases if the line is unchanged: one of them may contain a comma."""
    given = _parse_aliases(text)
    if given == _parse_aliases(", ".join(memory.aliases)):
        return tuple(memory.aliases)
    return given


def _parse_aliases(text: str) -> tuple[str, ...]:
    return tuple(alias.strip() for alias in text.split(",") if alias.strip())


def _separate_head(said: str) -> tuple[list[tuple[int, str]], str]:
    """Return the named lines with their numbers, and the text below them."""
    lines = said.splitlines()
    head: list[tuple[int, str]] = []
    for number, line in enumerate(lines, start=1):
        if line.startswith(BELOW):
            return head, "\n".join(lines[number:])
        if line.strip() and not line.startswith("#"):
            head.append((number, line))
    raise InvalidValue(f"The line that begins with {BELOW} is missing: the text comes after it.")
