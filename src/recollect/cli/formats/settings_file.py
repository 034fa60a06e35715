"""The file that `config init` writes: every setting with its default and meaning, commented out."""

import inspect
import re
from collections.abc import Collection, Mapping
from dataclasses import fields
from typing import Any

from recollect import config
from recollect.domain.settings import Settings

_COMMENT = re.compile(r"^    (\w+): .*?  # (.*)$")

_USER = """\
# Settings of Recollect, each with its default. Remove the # of a line to change it.
# A project's .recollect.toml and variables such as RECOLLECT_BUDGETS__TURN_TOKENS override this file.
# `recollect config show` prints the settings of a folder, and where each comes from.
"""
_PROJECT = """\
# Settings of Recollect in this project, each with its default. Remove the # of a line to change it.
# They override each user's own file. `recollect config show` prints the settings here, and where each comes from.

#project = "name"  # the name of the project; default: its git remote or its folder
"""

_ADDED = """\
# A project adds to these lists; it removes nothing from the user's own.
[privacy]
#ignored_paths = []  # nothing from these files is stored: globs as in .gitignore
"""


def build_settings_file(*, for_project: bool) -> str:
    parts = []
    for section in fields(Settings):
        part = getattr(Settings(), section.name)
        if not for_project:
            parts.append(_section(section.name, part))
        elif section.name not in config.USER_ONLY:
            parts.append(_section(section.name, part, without=config.USER_ONLY_NAMES))
    if for_project:
        return "\n".join([_PROJECT, *parts, _ADDED])
    return "\n".join([_USER, *parts])


def meanings(part: type) -> dict[str, str]:
    """Return the meaning of each setting of a section: the comment beside it in the code."""
    matches = map(_COMMENT.match, inspect.getsource(part).splitlines())
    return {found[1]: found[2] for found in matches if found}


def toml_value(value: config.Value) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_quote, value))}]"
    if isinstance(value, str):
        return _quote(value)
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value).removesuffix(".0")


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _section(name: str, part: Any, *, without: Collection[str] = ()) -> str:
    meaning = meanings(type(part))
    lines = [f"[{name}]"]
    for field in fields(part):
        if f"{name}.{field.name}" in without:
            continue
        value = getattr(part, field.name)
        if isinstance(value, Mapping):
            lines += ["", f"[{name}.{field.name}]  # {meaning[field.name]}"]
            lines += [f"#{kind} = {toml_value(entry)}" for kind, entry in value.items()]
        else:
            lines.append(f"#{field.name} = {toml_value(value)}  # {meaning[field.name]}")
    return "\n".join(lines) + "\n"
