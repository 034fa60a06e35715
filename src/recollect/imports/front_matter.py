"""The lines between `---` that a Markdown file may begin with, as names and values. Pure; only the plain part of YAML.

What is more than `name: value` (lists, blocks) is passed over: no file is refused for its front matter.
"""

import re

MAX_LINES = 200
_PAIR = re.compile(r"^\s*(?P<name>[A-Za-z_][\w-]*)\s*:\s*(?P<value>.*?)\s*$")


def split(lines: list[str]) -> tuple[dict[str, str], int]:
    """Its values, and how many lines it takes; none where the file does not begin with it."""
    if not lines or lines[0].strip() != "---":
        return {}, 0
    end = next((number for number, line in enumerate(lines[1:MAX_LINES], 1) if line.strip() in ("---", "...")), None)
    if end is None:
        return {}, 0
    pairs = [pair for line in lines[1:end] if (pair := _PAIR.match(line))]
    if not pairs:  # two rules with a text between them
        return {}, 0
    return {pair["name"].lower(): _unquoted(pair["value"]) for pair in pairs}, end + 1


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1]
    return value.split(" #")[0].strip()
