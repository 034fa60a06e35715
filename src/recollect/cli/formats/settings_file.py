"""The file that `config init` writes: every setting with its default and meaning, as comments. It changes nothing."""

import inspect
import re
from collections.abc import Collection, Mapping
from dataclasses import fields
from typing import Any

from recollect import config
from recollect.domain.settings import Settings

_COMMENT = re.compile(r"^    (\w+): .*?  # (.*)$")

_USER = """\
# Settings of Recollect, each with its default. Take the # away from a line to change it.
# A project's .recollect.toml and variables such as RECOLLECT_BUDGETS__TURN_TOKENS come after this file.
# `recollect config show` says what holds in a folder, and why.
"""
_PROJECT = """\
# Settings of Recollect in this project, each with its default. Take the # away from a line to change it.
# They come after everybody's own file. `recollect config show` says what holds here, and why.

#project = "name"  # names the project; without it, its git remote or its folder does
"""

_ADDED = """\
# To these, a project only adds; nothing of its user's is taken away.
[privacy]
#ignored_paths = []  # nothing of these files is remembered: globs as in .gitignore
"""
_SECTIONS = fields(Settings)


def written(*, for_project: bool) -> str:
    if not for_project:
        return "\n".join([_USER, *(_section(section.name, getattr(Settings(), section.name)) for section in _SECTIONS)])
    parts = [
        _section(section.name, getattr(Settings(), section.name), without=config.USER_ONLY_NAMES)
        for section in _SECTIONS
        if section.name not in config.USER_ONLY
    ]
    return "\n".join([_PROJECT, *parts, _ADDED])


def meanings(part: type) -> dict[str, str]:
    """What each setting of a section means: the comments that stand beside them in the code."""
    lines = inspect.getsource(part).splitlines()
    return {found[1]: found[2] for line in lines if (found := _COMMENT.match(line))}


def shown(value: config.Value) -> str:
    """As TOML writes it."""
    if isinstance(value, tuple):
        return f"[{', '.join(_quoted(entry) for entry in value)}]"
    if isinstance(value, str):
        return _quoted(value)
    return str(value).lower() if isinstance(value, bool) else repr(value).removesuffix(".0")


def _quoted(text: str) -> str:
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
            lines += [f"#{kind} = {shown(entry)}" for kind, entry in value.items()]
        else:
            lines.append(f"#{field.name} = {shown(value)}  # {meaning[field.name]}")
    return "\n".join(lines) + "\n"
