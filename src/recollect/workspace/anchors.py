"""Files that memories speak of: are they as they were? Told by the id that git gives a content, with git or without.

Reads regular files inside of the project and nothing else: no path, link or device leads out of it or keeps it waiting.
Runs no program. A prompt waits for it only so long; what is not known then is unknown, and counts as fresh.
"""

import os
import re
import stat
import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import new
from pathlib import Path

from recollect.domain.errors import InvalidValue
from recollect.domain.freshness import FileState, SeenFile
from recollect.domain.memory import Anchor
from recollect.workspace import git
from recollect.workspace.git_index import Asked, Index, IndexEntry
from recollect.workspace.lru import LruCache

PROMPT_S = 0.1  # a prompt waits no longer than this
MAX_READ_BYTES = 4_000_000  # a larger file is compared by what git's index says of it
MAX_HASHED_BYTES = 64_000_000  # whoever names a file waits for its hash; of a larger one, none is kept
MAX_AT_WORK = 4  # threads that wait for a disk; while all of them do, nothing is known
SETTLED_NS = 2_000_000_000  # a file that was written just now may be written again and look the same

_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_ALGORITHM = {40: "sha1", 64: "sha256"}

Look = tuple[str, int, int, int, int, int, int]  # path, digits of the id, device, inode, size, mtime and ctime


@dataclass(frozen=True, slots=True)
class _Ids:
    """Of one content, in one format."""

    raw: str
    normal: str  # with the line ends that git keeps where it converts them; mostly the same

    def has(self, known: str) -> bool:
        return known in (self.raw, self.normal)


class AnchoredFiles:
    def __init__(self, *, prompt_s: float = PROMPT_S) -> None:
        self._prompt_s = prompt_s
        self._known = LruCache[Look, _Ids]()  # the same look, the same content
        self._index = Index()
        self._at_work = threading.Semaphore(MAX_AT_WORK)

    def check_files(self, root: str, anchors: Sequence[Anchor], *, asked: bool) -> list[SeenFile]:
        """Each of them as it is now. `asked`: somebody wants to know and waits; otherwise a prompt does."""
        if asked:
            return self._looked_at(root, anchors)
        return self._known_fresh(root, anchors) or self._in_time(root, anchors)

    def add_hash(self, root: str, anchor: Anchor) -> Anchor:
        """With the hash of the file as it is now; unchanged where it has one, or where no such file is in the project.

        The path becomes relative to the root.
        """
        if anchor.hash is not None:
            return anchor
        try:
            name = _inside(root, anchor.path)
            return Anchor(name, self._id_now(root, name))
        except (OSError, ValueError, InvalidValue):
            return anchor

    def anchor(self, root: str, folder: str, path: str) -> Anchor:
        """The file that somebody names from a folder, as it is now."""
        named = repr(path[:80])
        try:
            name = _inside(root, str(Path(folder, path)))
            return Anchor(name, self._id_now(root, name))
        except (FileNotFoundError, NotADirectoryError):
            raise InvalidValue(f"There is no file {named}; give the path of one in this project.") from None
        except OSError as error:
            raise InvalidValue(f"The file {named} cannot be read: {error.strerror}. Give another one.") from None
        except ValueError as error:
            raise InvalidValue(f"The file {named} cannot be used: {error}. Give another one.") from None

    def _known_fresh(self, root: str, anchors: Sequence[Anchor]) -> list[SeenFile] | None:
        """Mostly all files look as they did: that takes no reading, and no thread. None: it is not so."""
        real_folder, until = cache(os.path.realpath), time.monotonic() + self._prompt_s
        seen = []
        for anchor in anchors:
            known = anchor.hash or ""
            if not _ID.fullmatch(known):
                seen.append(SeenFile(anchor.path, FileState.UNKNOWN))
                continue
            try:
                file, _ = _in_folder(root, anchor.path, real_folder)
                ids = self._known.get(_look_of(file, os.lstat(file), len(known)))
            except (OSError, ValueError):
                return None
            if ids is None or not ids.has(known) or time.monotonic() > until:
                return None
            seen.append(SeenFile(anchor.path, FileState.FRESH))
        return seen

    def _in_time(self, root: str, anchors: Sequence[Anchor]) -> list[SeenFile]:
        """In a thread of its own: nothing can interrupt a read from a disk that does not answer."""
        seen: list[SeenFile] = []

        def look() -> None:
            try:
                seen.extend(self._looked_at(root, anchors))
            finally:
                self._at_work.release()

        if anchors and self._at_work.acquire(blocking=False):
            worker = threading.Thread(target=look, name="files", daemon=True)
            worker.start()
            worker.join(self._prompt_s)  # it goes on alone: the next prompt finds what it has learnt
        return list(seen) or _unknown(anchors)

    def _looked_at(self, root: str, anchors: Sequence[Anchor]) -> list[SeenFile]:
        if not _is_there(root):
            return _unknown(anchors)
        real_folder = cache(os.path.realpath)  # most files lie in few folders
        seen = [self._look(root, anchor, real_folder) for anchor in anchors]
        doubtful = {one.asks_index for one in seen if one.asks_index is not None}
        entries = self._index.entries(root, doubtful) if doubtful else {}
        states = [one.state if one.asks_index is None else one.judged(entries.get(one.asks_index)) for one in seen]
        moved = self._moved(
            root, {one.known for one, state in zip(seen, states, strict=True) if state is FileState.GONE}
        )
        return [
            SeenFile(anchor.path, state, moved.get(one.known) if state is FileState.GONE else None)
            for anchor, one, state in zip(anchors, seen, states, strict=True)
        ]

    def _moved(self, root: str, gone: Collection[str]) -> dict[str, str]:
        """Where a content lies now, as far as git's index knows of one place for it."""
        return {known: path for known, path in self._index.holders(root, gone).items() if _is_file_of(root, path)}

    def _look(self, root: str, anchor: Anchor, real_folder: Callable[[str], str]) -> "_FileState":
        known = anchor.hash or ""
        if not _ID.fullmatch(known):
            return _FileState(known=known, state=FileState.UNKNOWN)
        asks = None
        try:
            file, name = _in_folder(root, anchor.path, real_folder)
            asks = name, len(known)
            look = os.lstat(file)
            if stat.S_ISLNK(look.st_mode):
                file, name = _resolved(root, anchor.path)
                asks, look = (name, len(known)), os.lstat(file)
            if not stat.S_ISREG(look.st_mode):
                return _FileState(known=known, state=FileState.UNKNOWN)
            if look.st_size > MAX_READ_BYTES:
                return _FileState(known=known, state=FileState.UNKNOWN, look=look, asks_index=asks)
            if self._ids(file, look, len(known)).has(known):
                return _FileState(known=known, state=FileState.FRESH)
            return _FileState(known=known, state=FileState.CHANGED, look=look, asks_index=asks)
        except (FileNotFoundError, NotADirectoryError):
            return _FileState(known=known, state=FileState.GONE, asks_index=asks)
        except (OSError, ValueError):  # not allowed, a NUL, a name too long, a way out of the project
            return _FileState(known=known, state=FileState.UNKNOWN)

    def _ids(self, file: str, look: os.stat_result, digits: int) -> _Ids:
        key = _look_of(file, look, digits)
        known = self._known.get(key)
        if known is None:
            known = _ids_of(_content(file, MAX_READ_BYTES), digits)
            if time.time_ns() - max(look.st_mtime_ns, look.st_ctime_ns) > SETTLED_NS:
                self._known.keep(key, known)
        return known

    def _id_now(self, root: str, name: str) -> str | None:
        """None: it is too large."""
        digits, file = git.id_digits(root), Path(root, name)
        if file.lstat().st_size > MAX_HASHED_BYTES:
            return None
        ids = _ids_of(_content(str(file), MAX_HASHED_BYTES), digits)
        if ids.normal == ids.raw:
            return ids.raw
        entry = self._index.entries(root, {(name, digits)}).get((name, digits))
        return ids.normal if entry is not None and entry.id == ids.normal else ids.raw


@dataclass(frozen=True, slots=True, kw_only=True)
class _FileState:
    """What the file itself says, before git's index is asked."""

    known: str  # the id that it had
    state: FileState
    look: os.stat_result | None = None  # None: it is not there
    asks_index: Asked | None = None  # None: nothing is left to ask

    def judged(self, entry: IndexEntry | None) -> FileState:
        """git may keep another content than the folder has: filters, and what a sparse checkout leaves out."""
        if entry is None:
            return self.state
        if entry.skips_worktree if self.look is None else entry.looks_like(self.look):
            return FileState.FRESH if entry.id == self.known else FileState.CHANGED
        is_larger_or_smaller = self.look is not None and entry.size != self.look.st_size & 0xFFFFFFFF
        if self.state is FileState.UNKNOWN and entry.id == self.known and is_larger_or_smaller:
            return FileState.CHANGED
        return self.state


def _look_of(file: str, seen: os.stat_result, digits: int) -> Look:
    return file, digits, seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns


def _unknown(anchors: Sequence[Anchor]) -> list[SeenFile]:
    return [SeenFile(anchor.path, FileState.UNKNOWN) for anchor in anchors]


def _is_there(root: str) -> bool:
    """Not so: a disk that is not mounted, say. Then nothing is gone."""
    try:
        return stat.S_ISDIR(Path(root).stat().st_mode)
    except (OSError, ValueError):
        return False


def _inside(root: str, path: str) -> str:
    """The path of a regular file of this project, from its root and without links; raises otherwise."""
    file, name = _resolved(root, path)
    mode = os.lstat(file).st_mode
    if not stat.S_ISREG(mode):
        raise ValueError("it is a folder" if stat.S_ISDIR(mode) else "it is not a regular file")
    return name


def _is_file_of(root: str, path: str) -> bool:
    """Whether it may be shown as a file of this project; an index can say anything."""
    try:
        return path.isprintable() and _inside(root, path) == path
    except (OSError, ValueError):
        return False


def _resolved(root: str, path: str) -> tuple[str, str]:
    """Where it really lies, and its path from the root; a way out is refused."""
    return _from_root(root, os.path.realpath(_whole(root, path)))


def _in_folder(root: str, path: str, real_folder: Callable[[str], str]) -> tuple[str, str]:
    """The same, while the file itself may be a link."""
    folder, _, last = _whole(root, path).rpartition("/")
    if not folder or last in ("", ".", ".."):
        return _resolved(root, path)
    return _from_root(root, f"{real_folder(folder)}/{last}")


def _whole(root: str, path: str) -> str:
    """In strings: pathlib takes twice as long, and a prompt waits."""
    return path if path.startswith("/") else f"{root}/{path}"


def _from_root(root: str, file: str) -> tuple[str, str]:
    """`root` has no links in it."""
    top = f"{root.rstrip('/')}/"
    if not file.startswith(top):
        raise ValueError("it is a folder" if file == root else f"it is not inside of the project, {root}")
    return file, file.removeprefix(top)


def _content(file: str, at_most: int) -> bytes:
    """Of what lies there now: a link or a pipe that was put there since is not followed and not waited for."""
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    with open(descriptor, "rb") as opened:  # noqa: PTH123  # it is open already
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError("it is not a regular file")
        content = opened.read(at_most + 1)
    if len(content) > at_most:
        raise ValueError("it grows while it is read")
    return content


def _ids_of(content: bytes, digits: int) -> _Ids:
    raw = _id_of(content, digits)
    if b"\r\n" not in content:
        return _Ids(raw, raw)
    return _Ids(raw, _id_of(content.replace(b"\r\n", b"\n"), digits))


def _id_of(content: bytes, digits: int) -> str:
    """As git makes it: the same in every clone."""
    made = new(_ALGORITHM[digits], b"blob %d\x00" % len(content), usedforsecurity=False)
    made.update(content)
    return made.hexdigest()
