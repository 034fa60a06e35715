"""Checks whether the files that memories are about have changed, by the id that git gives to a content (also without git).

Reads regular files inside the project only: no path, link or device leads out of it or blocks. Runs no program. A
prompt waits a short time; a file that is not checked by then is unknown, and counts as fresh.
"""

import os
import re
import stat
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import new
from pathlib import Path

from recollect.domain.errors import InvalidValue
from recollect.domain.freshness import FileState, SeenFile
from recollect.domain.memory import Anchor
from recollect.workspace import git
from recollect.workspace.git_index import GitIndex, IndexEntry, LruCache, PathQuery

PROMPT_S = 0.1  # the longest wait of a prompt
MAX_READ_BYTES = 4_000_000  # a larger file is compared by its entry in git's index
MAX_HASHED_BYTES = 64_000_000  # the user waits for the hash; a larger file gets none
MAX_THREADS = 4  # that wait for a disk; while all of them do, every file is unknown
SETTLED_NS = 2_000_000_000  # a younger file may be written again with the same size and time

_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_ALGORITHM = {40: "sha1", 64: "sha256"}

FileKey = tuple[str, int, int, int, int, int, int]  # path, digits of the id, device, inode, size, mtime and ctime


@dataclass(frozen=True, slots=True)
class _ContentIds:
    raw: str
    normal: str  # with the line ends that git stores if it converts them; mostly the same

    def has(self, known: str) -> bool:
        return known in (self.raw, self.normal)


class AnchoredFiles:
    def __init__(self, *, prompt_s: float = PROMPT_S) -> None:
        self._prompt_s = prompt_s
        self._known = LruCache[FileKey, _ContentIds]()  # same key, same content
        self._index = GitIndex()
        self._at_work = threading.Semaphore(MAX_THREADS)

    def check_files(self, root: str, anchors: Sequence[Anchor], *, asked: bool) -> list[SeenFile]:
        """Check each file. `asked`: the user asked and waits; otherwise a prompt waits."""
        if asked:
            return self._check_all(root, anchors)
        return self._check_cached(root, anchors) or self._check_in_time(root, anchors)

    def add_hash(self, root: str, anchor: Anchor) -> Anchor:
        """Add the file's current hash, and make the path relative, unless it has a hash or there is no such file."""
        if anchor.hash is not None:
            return anchor
        try:
            name = _name_in_project(root, anchor.path)
            return replace(anchor, path=name, hash=self._current_id(root, name))
        except (OSError, ValueError, InvalidValue):
            return anchor

    def anchor(self, root: str, folder: str, path: str) -> Anchor:
        """Return an anchor for a file that the user names from a folder."""
        shown = repr(path[:80])
        try:
            name = _name_in_project(root, str(Path(folder, path)))
            return Anchor(name, self._current_id(root, name))
        except (FileNotFoundError, NotADirectoryError):
            raise InvalidValue(f"There is no file {shown}; give the path of one in this project.") from None
        except OSError as error:
            raise InvalidValue(f"The file {shown} cannot be read: {error.strerror}. Give another one.") from None
        except ValueError as error:
            raise InvalidValue(f"The file {shown} cannot be used: {error}. Give another one.") from None

    def _check_cached(self, root: str, anchors: Sequence[Anchor]) -> list[SeenFile] | None:
        """Answer without reading or a thread if all files look as before, the usual case; None: they do not."""
        real_folder, until = cache(os.path.realpath), time.monotonic() + self._prompt_s
        seen = []
        for anchor in anchors:
            known = anchor.hash or ""
            if not _ID.fullmatch(known):
                seen.append(SeenFile(anchor.path, FileState.UNKNOWN))
                continue
            try:
                file, _ = _resolve_folder(root, anchor.path, real_folder)
                ids = self._known.get(_cache_key(file, os.lstat(file), len(known)))
            except (OSError, ValueError):
                return None
            if ids is None or not ids.has(known) or time.monotonic() > until:
                return None
            seen.append(SeenFile(anchor.path, FileState.FRESH))
        return seen

    def _check_in_time(self, root: str, anchors: Sequence[Anchor]) -> list[SeenFile]:
        """Check in a thread: nothing can interrupt a read from a disk that does not answer."""
        seen: list[SeenFile] = []

        def look() -> None:
            try:
                seen.extend(self._check_all(root, anchors))
            finally:
                self._at_work.release()

        if anchors and self._at_work.acquire(blocking=False):
            worker = threading.Thread(target=look, name="files", daemon=True)
            worker.start()
            worker.join(self._prompt_s)  # it goes on alone: the next prompt finds its results in the cache
        return list(seen) or _unknown(anchors)

    def _check_all(self, root: str, anchors: Sequence[Anchor]) -> list[SeenFile]:
        if not _is_folder(root):
            return _unknown(anchors)
        real_folder = cache(os.path.realpath)  # most files are in few folders
        checks = [self._check_one(root, anchor, real_folder) for anchor in anchors]
        doubtful = {check.asks_index for check in checks if check.asks_index is not None}
        entries = self._index.entries(root, doubtful) if doubtful else {}
        states = [check.final_state(entries) for check in checks]
        gone = {check.known for check, state in zip(checks, states, strict=True) if state is FileState.GONE}
        moved = self._find_moved(root, gone)
        seen = []
        for anchor, check, state in zip(anchors, checks, states, strict=True):
            moved_to = moved.get(check.known) if state is FileState.GONE else None
            seen.append(SeenFile(anchor.path, state, moved_to))
        return seen

    def _find_moved(self, root: str, gone: Collection[str]) -> dict[str, str]:
        """Return the new path of each content that has exactly one path in git's index."""
        found = self._index.paths_by_id(root, gone)
        return {known: path for known, path in found.items() if _is_project_file(root, path)}

    def _check_one(self, root: str, anchor: Anchor, real_folder: Callable[[str], str]) -> "_FileCheck":
        known = anchor.hash or ""
        if not _ID.fullmatch(known):
            return _FileCheck(known=known, state=FileState.UNKNOWN)
        asks = None
        try:
            file, name = _resolve_folder(root, anchor.path, real_folder)
            asks = name, len(known)
            look = os.lstat(file)
            if stat.S_ISLNK(look.st_mode):
                file, name = _resolve(root, anchor.path)
                asks, look = (name, len(known)), os.lstat(file)
            if not stat.S_ISREG(look.st_mode):
                return _FileCheck(known=known, state=FileState.UNKNOWN)
            if look.st_size > MAX_READ_BYTES:
                return _FileCheck(known=known, state=FileState.UNKNOWN, look=look, asks_index=asks)
            if self._ids(file, look, len(known)).has(known):
                return _FileCheck(known=known, state=FileState.FRESH)
            return _FileCheck(known=known, state=FileState.CHANGED, look=look, asks_index=asks)
        except (FileNotFoundError, NotADirectoryError):
            return _FileCheck(known=known, state=FileState.GONE, asks_index=asks)
        except (OSError, ValueError):  # not readable, a NUL, a name too long, outside the project
            return _FileCheck(known=known, state=FileState.UNKNOWN)

    def _ids(self, file: str, look: os.stat_result, digits: int) -> _ContentIds:
        key = _cache_key(file, look, digits)
        known = self._known.get(key)
        if known is None:
            known = _ids_of(_read_file(file, MAX_READ_BYTES), digits)
            if time.time_ns() - max(look.st_mtime_ns, look.st_ctime_ns) > SETTLED_NS:
                self._known.keep(key, known)
        return known

    def _current_id(self, root: str, name: str) -> str | None:
        """None: the file is too large."""
        digits, file = git.id_digits(root), Path(root, name)
        if file.lstat().st_size > MAX_HASHED_BYTES:
            return None
        ids = _ids_of(_read_file(str(file), MAX_HASHED_BYTES), digits)
        if ids.normal == ids.raw:
            return ids.raw
        entry = self._index.entries(root, {(name, digits)}).get((name, digits))
        return ids.normal if entry is not None and entry.id == ids.normal else ids.raw


@dataclass(frozen=True, slots=True, kw_only=True)
class _FileCheck:
    """The state of a file by itself, before git's index is read."""

    known: str  # the id that the memory has
    state: FileState
    look: os.stat_result | None = None  # None: there is no file
    asks_index: PathQuery | None = None  # None: the state is final

    def final_state(self, entries: Mapping[PathQuery, IndexEntry]) -> FileState:
        """git may store another content than the folder has: filters, and files that a sparse checkout leaves out."""
        entry = None if self.asks_index is None else entries.get(self.asks_index)
        if entry is None:
            return self.state
        is_as_in_index = entry.skips_worktree if self.look is None else entry.looks_like(self.look)
        if is_as_in_index:
            return FileState.FRESH if entry.id == self.known else FileState.CHANGED
        has_other_size = self.look is not None and entry.size != self.look.st_size & 0xFFFFFFFF
        if self.state is FileState.UNKNOWN and entry.id == self.known and has_other_size:
            return FileState.CHANGED
        return self.state


def _cache_key(file: str, seen: os.stat_result, digits: int) -> FileKey:
    return file, digits, seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns


def _unknown(anchors: Sequence[Anchor]) -> list[SeenFile]:
    return [SeenFile(anchor.path, FileState.UNKNOWN) for anchor in anchors]


def _is_folder(root: str) -> bool:
    """Return False if, for example, a disk is not mounted: then no file counts as gone."""
    try:
        return stat.S_ISDIR(Path(root).stat().st_mode)
    except (OSError, ValueError):
        return False


def _name_in_project(root: str, path: str) -> str:
    """Return the path of a regular file from the project's root, without links; raise for anything else."""
    file, name = _resolve(root, path)
    mode = os.lstat(file).st_mode
    if not stat.S_ISREG(mode):
        raise ValueError("it is a folder" if stat.S_ISDIR(mode) else "it is not a regular file")
    return name


def _is_project_file(root: str, path: str) -> bool:
    """Check whether a path from an index may be shown as a file of this project: an index may contain any path."""
    try:
        return path.isprintable() and _name_in_project(root, path) == path
    except (OSError, ValueError):
        return False


def _resolve(root: str, path: str) -> tuple[str, str]:
    """Return the real path and the path from the root; raise if it is outside the project."""
    return _from_root(root, os.path.realpath(_absolute(root, path)))


def _resolve_folder(root: str, path: str, real_folder: Callable[[str], str]) -> tuple[str, str]:
    """Like `_resolve`, but the file itself may be a link."""
    folder, _, last = _absolute(root, path).rpartition("/")
    if not folder or last in ("", ".", ".."):
        return _resolve(root, path)
    return _from_root(root, f"{real_folder(folder)}/{last}")


def _absolute(root: str, path: str) -> str:
    """Works on strings: pathlib takes twice as long, and a prompt waits."""
    return path if path.startswith("/") else f"{root}/{path}"


def _from_root(root: str, file: str) -> tuple[str, str]:
    """`root` has no links in it."""
    top = f"{root.rstrip('/')}/"
    if not file.startswith(top):
        raise ValueError("it is a folder" if file == root else f"it is outside the project {root}")
    return file, file.removeprefix(top)


def _read_file(file: str, max_bytes: int) -> bytes:
    """Read the file that is there now; do not follow or wait for a link or a pipe that has replaced it."""
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    with open(descriptor, "rb") as handle:  # noqa: PTH123  # it is open already
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError("it is not a regular file")
        content = handle.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise ValueError("it grows while it is read")
    return content


def _ids_of(content: bytes, digits: int) -> _ContentIds:
    raw = _id_of(content, digits)
    if b"\r\n" not in content:
        return _ContentIds(raw, raw)
    return _ContentIds(raw, _id_of(content.replace(b"\r\n", b"\n"), digits))


def _id_of(content: bytes, digits: int) -> str:
    """Return the id that git gives to the content: the same in every clone."""
    digest = new(_ALGORITHM[digits], b"blob %d\x00" % len(content), usedforsecurity=False)
    digest.update(content)
    return digest.hexdigest()
