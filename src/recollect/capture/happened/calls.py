"""Read a tool call of any host: its command line, its files, its changes. Pure.

Hosts name the same thing differently (`Bash`, `bash`, `shell`, `run_shell_command`; `file_path`, `filePath`); here it
has one name. Does not guess what a host did not say.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recollect.text.lazy_pattern import LazyPattern

MAX_VALUE_CHARS = 20_000  # that are read of an argument

_SHELLS = frozenset({"bash", "shell", "sh", "local_shell", "runshellcommand", "runcommand", "execcommand", "terminal"})
_EDITS = frozenset({"edit", "multiedit", "replace", "strreplace", "strreplaceeditor", "notebookedit", "editfile"})
_WRITES = frozenset({"write", "writefile", "createfile", "create"})
_PATCHES = frozenset({"patch", "applypatch"})
_NAME = LazyPattern(r"[^a-z0-9]+")
# OpenCode writes `recollect_search`, Claude Code `mcp__recollect__search`, others a dot, a slash or a colon.
_OWN = LazyPattern(r"(?:^|[^a-z0-9])recollect[^a-z0-9]+(?:search|details|context|profile|add|change)$", re.IGNORECASE)
_PATCHED_FILE = LazyPattern(r"^(?:\*\*\* (?:Update|Add|Delete) File: |\+\+\+ b?/?)(?P<path>\S.*)$", re.MULTILINE)
_SHELL_WRAPPER = LazyPattern(r"^(?:/\S+/)?(?:ba|z|da)?sh$")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextChange:
    path: str
    old: str  # empty: a new file, or one written anew
    new: str


def normalise_tool(tool: str) -> str:
    return _NAME.sub("", tool.lower())


def is_own(tool: str) -> bool:
    """Return True for our own tools: their output is known already, and their input is stored by themselves."""
    return bool(_OWN.search(tool))


def is_shell(tool: str) -> bool:
    return normalise_tool(tool) in _SHELLS


def is_edit(tool: str) -> bool:
    return normalise_tool(tool) in _EDITS | _WRITES | _PATCHES


def command_of(tool: str, given: Mapping[str, Any]) -> str:
    """Return the command line; empty: the tool runs none."""
    if not is_shell(tool):
        return ""
    command = given.get("command", given.get("cmd", given.get("script", "")))
    if isinstance(command, list):  # ["bash", "-lc", "make test"]
        words = [word for word in command if isinstance(word, str)]
        command = words[-1] if len(words) == 3 and _SHELL_WRAPPER.match(words[0]) else " ".join(words)
    return command[:MAX_VALUE_CHARS].strip() if isinstance(command, str) else ""


def path_of(given: Mapping[str, Any]) -> str:
    for name in ("file_path", "filePath", "path", "notebook_path", "filename", "file"):
        if isinstance(path := given.get(name), str) and path.strip():
            return path.strip()
    return ""


def target_of(given: Mapping[str, Any]) -> str:
    if path := path_of(given):
        return path
    for name in ("url", "query", "pattern", "name", "id"):
        if isinstance(value := given.get(name), str) and value.strip():
            return value.strip()[:200]
    return ""


def changes_of(tool: str, given: Mapping[str, Any]) -> list[TextChange]:
    if not is_edit(tool):
        return []
    if normalise_tool(tool) in _PATCHES:
        return _read_patch(_first_text(given, "patchText", "patch", "input", "diff", "content"))
    path = path_of(given)
    if not path:
        return []
    if normalise_tool(tool) in _WRITES or given.get("command") == "create":
        return [TextChange(path=path, old="", new=_first_text(given, "content", "file_text", "contents"))]
    edits = given.get("edits")
    changes = []
    for part in edits if isinstance(edits, list) else [given]:
        if isinstance(part, Mapping):
            old = _first_text(part, "old_string", "oldString", "old_str")
            new = _first_text(part, "new_string", "newString", "new_str", "new_source")
            changes.append(TextChange(path=path, old=old, new=new))
    return changes


def _read_patch(patch: str) -> list[TextChange]:
    found = list(_PATCHED_FILE.finditer(patch))
    ends = [*(after.start() for after in found[1:]), len(patch)]
    changes = []
    for header, end in zip(found, ends, strict=False):
        old, new = list[str](), list[str]()
        for line in patch[header.end() : end].splitlines():
            if line.startswith("-") and not line.startswith("---"):
                old.append(line[1:])
            elif line.startswith("+") and not line.startswith("+++"):
                new.append(line[1:])
        changes.append(TextChange(path=header["path"].strip(), old="\n".join(old), new="\n".join(new)))
    return changes


def _first_text(given: Mapping[str, Any], *names: str) -> str:
    for name in names:
        if isinstance(value := given.get(name), str):
            return value[:MAX_VALUE_CHARS]
    return ""
