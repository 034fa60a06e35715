"""The settings of every folder, as their files say now. A file is read again only when it has changed.

A mistake is refused only when the daemon starts. Later it is logged, once for each change of the file and without its
content: of the user's file the last good values hold, of a project's file none, so that the user's own go on.
"""

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock

from recollect import config
from recollect.config import Layer
from recollect.domain.errors import InvalidSettings
from recollect.domain.settings import Settings

log = logging.getLogger("recollect.daemon")

_NOTHING: Layer = {}
MAX_PROJECTS = 200


class LiveSettings:
    """A `SettingsFor` that many threads may ask at once."""

    def __init__(self, user_file: Path, env: Mapping[str, str]) -> None:
        self._environment = config.read_environment(env)
        self._user = _SettingsFile(user_file, config.read_user_file)
        self._user.read()
        self._projects: dict[Path, _SettingsFile] = {}  # the last ones in which somebody worked
        self._merged: dict[Path | None, tuple[Layer, Layer, Settings]] = {}
        self._lock = Lock()

    def __call__(self, folder: str | None) -> Settings:
        file = config.project_file(folder) if folder else None
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
    """What a file sets: the same object until the file changes."""

    def __init__(self, path: Path, parse: Callable[[Path], Layer]) -> None:
        self._path = path
        self._parse = parse
        self._stamp: object = _UNREAD
        self.values: Layer = _NOTHING

    def read(self) -> None:
        self._stamp = _stamp(self._path)  # before reading: what changes meanwhile is seen the next time
        self.values = self._parse(self._path)

    def current(self, *, otherwise: Layer) -> Layer:
        """The values of now; `otherwise` where the file has a mistake."""
        if _stamp(self._path) != self._stamp:
            try:
                self.read()
            except InvalidSettings:
                self.values = otherwise
                log.warning("%r cannot be used and is left out; `recollect config show` says why", str(self._path))
        return self.values


_UNREAD = object()


def _stamp(path: Path) -> tuple[int, int, int] | None:
    """Tells whether a file was changed or replaced; None: there is none."""
    try:
        facts = path.stat()
    except (OSError, ValueError):
        return None
    return facts.st_mtime_ns, facts.st_size, facts.st_ino
