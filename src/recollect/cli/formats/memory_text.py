"""A memory as a small text to be edited: four named lines, then what it says."""

from recollect.api.edit import Edit
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Kind, Memory, parse_kind

BELOW = "---"
FIELDS = ("kind", "scope", "title", "aliases")
TEMPLATE = """\
# Change what you like, then save and close. Left as it is, or with an empty text, nothing happens.
# kind: {kinds}
# scope: universal, language:NAME, project (that of this folder) or project:ID; aliases with commas between
kind: {kind}
scope: {scope}
title: {title}
aliases: {aliases}
--- the text, from the next line on ---
{text}
"""


def written(memory: Memory) -> str:
    return TEMPLATE.format(
        kinds=", ".join(Kind),
        kind=memory.kind.value,
        scope=memory.scope,
        title=memory.title or "",
        aliases=", ".join(memory.aliases),
        text=memory.text,
    )


def read(said: str, memory: Memory, *, folder: str | None, by: str) -> Edit | None:
    """What was made of it; None: there is no text any more. InvalidValue: it cannot be understood."""
    head, text = _parts(said)
    if not text.strip():
        return None
    given: dict[str, str] = {}
    for number, line in head:
        name, colon, value = line.partition(":")
        if name.strip() not in FIELDS or not colon or name.strip() in given:
            raise InvalidValue(f"Line {number} is not one of {', '.join(FIELDS)}, each once: {line!r}.")
        given[name.strip()] = value.strip()
    aliases = tuple(alias.strip() for alias in given.get("aliases", "").split(",") if alias.strip())
    kept = tuple(memory.aliases) if aliases == _listed(memory) else aliases  # one may have a comma in it
    return Edit(
        id=memory.id,
        text=text,
        kind=parse_kind(given["kind"]) if given.get("kind") else None,
        scope=None if given.get("scope") in (None, "", str(memory.scope)) else given["scope"],
        title=given.get("title"),
        aliases=kept if "aliases" in given else None,
        instead_of=memory.text,
        folder=folder,
        by=by,
    )


def _listed(memory: Memory) -> tuple[str, ...]:
    return tuple(alias.strip() for alias in ", ".join(memory.aliases).split(",") if alias.strip())


def _parts(said: str) -> tuple[list[tuple[int, str]], str]:
    """The named lines with their numbers, and the text below."""
    lines = said.splitlines()
    below = next((at for at, line in enumerate(lines) if line.startswith(BELOW)), None)
    if below is None:
        raise InvalidValue(f"The line that begins with {BELOW} is missing: the text comes after it.")
    head = [(at + 1, line) for at, line in enumerate(lines[:below]) if line.strip() and not line.startswith("#")]
    return head, "\n".join(lines[below + 1 :])
