"""Read the lines between `---` at the top of a Markdown file as names and values. Pure; only the simplest part of YAML.

Lines that are not `name: value` (lists, blocks) are ignored: no file is refused because of its front matter.
"""

import re

MAX_LINES = 200
_PAIR = re.compile(r"^\s*(?P<name>[A-Za-z_][\w-]*)\s*:\s*(?P<value>.*?)\s*$")


def split(lines: list[str]) -> tuple[dict[str, str], int]:
    """Return the values, and how many lines they take; ({}, 0) if the file has no front matter."""
    if not lines or lines[0].strip() != "---":
        return {}, 0
    values: dict[str, str] = {}
    for number, line in enumerate(lines[1:MAX_LINES], start=1):
        if line.strip() in ("---", "..."):
            return (values, number + 1) if values else ({}, 0)  # without values: two rules with a text between them
        pair = _PAIR.match(line)
        if pair is not None:
            values[pair["name"].lower()] = _unquote(pair["value"])
    return {}, 0


def _unquote(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1]
    return value.split(" #")[0].strip()
