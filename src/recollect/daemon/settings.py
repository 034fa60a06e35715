"""The current settings of every folder. A file is read again only when it has changed.

A mistake stops the daemon only at its start. Later it is logged, once per change of the file and without its content: the
last good values of the user's file stay in force; a project's file is ignored, so the user's settings apply.
"""

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock

from recollect import config
from recollect.config import Layer
from recollect.domain.errors import InvalidSettings
from recollect.domain.settings import Settings
from recollect.paths import find_project_file

log = logging.getLogger("recollect.daemon")

_NOTHING: Layer = {}
MAX_PROJECTS = 200


class LiveSettings:
    def __init__(self, user_file: Path, env: Mapping[str, str]) -> None:
        self._environment = config.read_environment(env)
        self._user = _SettingsFile(user_file, config.read_user_file)
        self._user.read()
        self._projects: dict[Path, _SettingsFile] = {}  # of the projects used last
        self._merged: dict[Path | None, tuple[Layer, Layer, Settings]] = {}
        self._lock = Lock()

    def __call__(self, folder: str | None) -> Settings:
        file = find_project_file(folder) if folder else None
        with self._lock:
            user = self._user.current(otherwise=self._user.values)
            project = _NOTHING if file is None else self._project(file).current(otherwise=_NOTHING)
            return self._merge(file, user, project)

    def _project(self, file: Path) -> "_SettingsFile":
        known = self._projects.pop(file, None)
        self._projects[file] = known or _SettingsFile(file, config.read_project_file)
        if len(self._projects) > MAX_PROJECTS:
            longest_ago = next(iter(self._projects))
            del self._projects[longest_ago]
            self._merged.pop(longest_ago, None)
        return self._projects[file]

    def _merge(self, file: Path | None, user: Layer, project: Layer) -> Settings:
        known = self._merged.get(file)
        if known is not None and known[0] is user and known[1] is project:
            return known[2]
        settings = config.merge_layers(user, project, self._environment).settings
        self._merged[file] = (user, project, settings)
        return settings


class _SettingsFile:
    """The settings of one file; `values` stays the same object until the file changes."""

    def __init__(self, path: Path, parse: Callable[[Path], Layer]) -> None:
        self._path = path
        self._parse = parse
        self._stamp: object = _UNREAD
        self.values: Layer = _NOTHING

    def read(self) -> None:
        self._stamp = _stamp(self._path)  # before reading: a change meanwhile is noticed the next time
        self.values = self._parse(self._path)

    def current(self, *, otherwise: Layer) -> Layer:
        if _stamp(self._path) != self._stamp:
            try:
                self.read()
            except InvalidSettings:
                self.values = otherwise
                log.warning("%r has a mistake and is ignored; `recollect config show` explains it", str(self._path))
        return self.values


_UNREAD = object()


def _stamp(path: Path) -> tuple[int, int, int] | None:
    """Return a value that changes with the file; None if there is no file."""
    try:
        facts = path.stat()
    except (OSError, ValueError):
        return None
    return facts.st_mtime_ns, facts.st_size, facts.st_ino
