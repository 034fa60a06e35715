"""Find the folder of the project in which a command runs. Pure.

The shell of Claude Code stays in the folder that a command entered; others begin in the project's folder each time.
"""

import re

from recollect.capture.happened.calls import command_of, is_shell
from recollect.capture.happened.shell import folder_of
from recollect.domain.event import Event, ToolFailed, ToolSucceeded
from recollect.text.lazy_pattern import LazyPattern

_FOLDER_KEYS = ("workdir", "cwd", "dir_path", "working_directory")  # as hosts name the folder of a command
_CHANGES_FOLDER_LATER = LazyPattern(r"(?:&&|[;\n|])\s*(?:cd|pushd|popd)\b")  # after the first command
_PERSISTENT_SHELLS = frozenset({"claude-code"})


class Folders:
    def __init__(self) -> None:
        self._root = ""  # of the project, as the host named it first
        self._at: str | None = ""  # the folder of the shell below the root; None: outside
        self._before: str | None = ""  # the folder before the last command

    def hear(self, event: Event) -> None:
        if event.folder and not self._root:
            self._root = _use_slashes(event.folder)
        if not isinstance(event, ToolSucceeded | ToolFailed) or not is_shell(event.tool):
            return
        self._before = self._at
        if event.host in _PERSISTENT_SHELLS and isinstance(event, ToolSucceeded):
            is_lost = _CHANGES_FOLDER_LATER.search(command_of(event.tool, event.input))
            self._at = None if is_lost else self.folder_below_root(event)

    def folder_below_root(self, event: ToolSucceeded | ToolFailed) -> str | None:
        """Return where the command runs; empty: in the project's folder; None: elsewhere, or unknown."""
        base = self._before
        if event.host not in _PERSISTENT_SHELLS:
            base = self._enter(_use_slashes(event.folder or ""), "")
        given = next((event.input[key] for key in _FOLDER_KEYS if isinstance(event.input.get(key), str)), "")
        for folder in (given, folder_of(command_of(event.tool, event.input))):
            if folder:
                base = self._enter(_use_slashes(folder), base)
        return base

    def _enter(self, folder: str, base: str | None) -> str | None:
        if re.match("[A-Za-z]:", self._root):  # a Windows shell writes /d/shop
            folder = re.sub(r"^/([A-Za-z])(?=/)", r"\1:", folder)
        if re.match(r"/|[A-Za-z]:", folder):
            return self._below_root(folder)
        if base is None or folder.startswith(("~", "$")):
            return None
        if base == folder or base.endswith(f"/{folder}"):  # the host had reset the shell
            return base
        parts = [part for part in base.split("/") if part]
        for part in folder.split("/"):
            if part == ".." and not parts:
                return None
            if part == "..":
                parts.pop()
            elif part not in ("", "."):
                parts.append(part)
        return "/".join(parts)

    def _below_root(self, folder: str) -> str | None:
        if self._root and folder.lower() == self._root.lower():
            return ""
        is_below = self._root and folder.lower().startswith(f"{self._root.lower()}/")
        return folder[len(self._root) + 1 :] if is_below else None


def _use_slashes(folder: str) -> str:
    return folder.replace("\\", "/").rstrip("/")
