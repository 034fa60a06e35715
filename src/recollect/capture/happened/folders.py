"""In which folder of the project a command runs. Pure.

The shell of Claude Code stays where a command has gone; others begin in the project's folder each time.
"""

import re

from recollect.capture.happened.calls import command_of, is_shell
from recollect.capture.happened.shell import folder_of
from recollect.capture.patterns import LazyPattern
from recollect.domain.event import Event, ToolFailed, ToolSucceeded

_FOLDER_KEYS = (
    "workdir",
    "cwd",
    "dir_path",
    "working_directory",
)  # the names that hosts give to the folder of a command
_CHANGES_FOLDER_LATER = LazyPattern(r"(?:&&|[;\n|])\s*(?:cd|pushd|popd)\b")  # on its way, and not at first
_PERSISTENT_SHELLS = frozenset({"claude-code"})


class Folders:
    def __init__(self) -> None:
        self._root = ""  # of the project, as the host named it first
        self._at: str | None = ""  # the folder of the shell below it; None: outside
        self._before: str | None = ""  # before the last command

    def hear(self, event: Event) -> None:
        if event.folder and not self._root:
            self._root = _use_slashes(event.folder)
        if not isinstance(event, ToolSucceeded | ToolFailed) or not is_shell(event.tool):
            return
        self._before = self._at
        if event.host in _PERSISTENT_SHELLS and isinstance(event, ToolSucceeded):
            self._at = (
                None
                if _CHANGES_FOLDER_LATER.search(command_of(event.tool, event.input))
                else self.folder_below_root(event)
            )

    def folder_below_root(self, event: ToolSucceeded | ToolFailed) -> str | None:
        """Below the project's own, which is empty; None: somewhere else, or not known."""
        gone = folder_of(command_of(event.tool, event.input))
        given = next((event.input[name] for name in _FOLDER_KEYS if isinstance(event.input.get(name), str)), "")
        base = self._before if event.host in _PERSISTENT_SHELLS else self._below(_use_slashes(event.folder or ""), "")
        for to in filter(None, (given, gone)):
            base = self._below(_use_slashes(to), base)
        return base

    def _below(self, folder: str, base: str | None) -> str | None:
        if re.match("[A-Za-z]:", self._root):  # a Windows shell writes /d/shop
            folder = re.sub(r"^/([A-Za-z])(?=/)", r"\1:", folder)
        if re.match(r"/|[A-Za-z]:", folder):
            if not self._root:
                return None
            if folder.lower() == self._root.lower():
                return ""
            return folder[len(self._root) + 1 :] if folder.lower().startswith(f"{self._root.lower()}/") else None
        if base is None or folder.startswith(("~", "$")):
            return None
        if base == folder or base.endswith(f"/{folder}"):  # the shell was set back before
            return base
        parts = [part for part in base.split("/") if part]
        for part in folder.split("/"):
            if part == ".." and not parts:
                return None
            parts = parts[:-1] if part == ".." else [*parts, part] if part not in ("", ".") else parts
        return "/".join(parts)


def _use_slashes(folder: str) -> str:
    return folder.replace("\\", "/").rstrip("/")
