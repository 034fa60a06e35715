"""Reads git's index: the blob ids of files, and their size and time when git last saw them.

Runs no program and keeps no index in memory. Reads versions 2, 3 and 4; in any other it finds nothing.
"""

import os
import struct
import threading
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Generic, Literal, TypeVar

from recollect.workspace.git import open_regular

MAX_INDEX_BYTES = 128_000_000  # about a million files
HEADER_BYTES, STAT_BYTES = 12, 40
ID_BYTES = {40: 20, 64: 32}  # by the hexadecimal digits of an id
WITH_WHOLE_PATHS, WITH_SHORT_PATHS = (2, 3), 4  # versions
SAMPLES, SAMPLE_BYTES = 16, 40_000  # about six thousand entries of any index, in a few milliseconds

Key = TypeVar("Key")
Value = TypeVar("Value")
PathQuery = tuple[str, int]  # a path from the root, and the number of digits of its id
IndexKey = tuple[str, int, int, int]  # of an index: path, inode, mtime and size
MAX_CACHED = 4096
NO_INDEX: IndexKey = ("", 0, 0, 0)

_STAT = struct.Struct(">10I")
_FLAGS = struct.Struct(">H")
_EXTENDED, _STAGE, _LENGTH = 0x4000, 0x3000, 0x0FFF
_MODE = struct.Struct(">24xI")
_FILES, _OTHERS = (0o100644, 0o100755), (0o120000, 0o160000, 0o040000)  # links, submodules, folders of a sparse index
_SKIP_WORKTREE = 0x4000  # an extended flag: a sparse checkout leaves this file out on purpose


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexEntry:
    id: str
    mtime_s: int
    mtime_ns: int
    inode: int
    size: int
    skips_worktree: bool
    is_settled: bool  # git saw the file before it wrote the index: same size and time mean the same content

    def looks_like(self, seen: os.stat_result) -> bool:
        """Check whether the file is as git last saw it, without reading it."""
        seconds, nanoseconds = divmod(seen.st_mtime_ns, 1_000_000_000)
        return (
            self.is_settled
            and self.mtime_s == seconds & 0xFFFFFFFF
            and self.mtime_ns in (0, nanoseconds)  # 0: a git that keeps whole seconds
            and self.size == seen.st_size & 0xFFFFFFFF
            and self.inode in (0, seen.st_ino & 0xFFFFFFFF)
        )


class LruCache(Generic[Key, Value]):
    """For several threads: when it is full, the oldest entry is dropped."""

    def __init__(self) -> None:
        self._known: dict[Key, Value] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._known)

    def get(self, key: Key) -> Value | None:
        return self._known.get(key)

    def keep(self, key: Key, value: Value) -> None:
        with self._lock:
            while len(self._known) >= MAX_CACHED and key not in self._known:
                del self._known[next(iter(self._known))]
            self._known[key] = value


class GitIndex:
    """Remembers every answer for as long as the index does not change."""

    def __init__(self) -> None:
        self._entries = LruCache[tuple[IndexKey, PathQuery], IndexEntry | Literal[False]]()  # False: no entry
        self._paths = LruCache[tuple[IndexKey, str], str]()  # "": no path, or several

    def entries(self, root: str, queries: Collection[PathQuery]) -> dict[PathQuery, IndexEntry]:
        """Return the entries for these paths in the index of the working tree at `root`."""
        index, key = _find_index(root)
        if index is None:
            return {}
        found = {query: self._entries.get((key, query)) for query in queries}
        new_names: dict[int, list[str]] = {}  # by the digits of an id
        for (name, digits), entry in found.items():
            if entry is None:
                new_names.setdefault(digits, []).append(name)
        for digits, names in new_names.items():
            read = read_entries(index, names, digits)
            for name in names:
                found[name, digits] = read.get(name, False)
        for query, entry in found.items():
            self._entries.keep((key, query), entry or False)
        return {query: entry for query, entry in found.items() if isinstance(entry, IndexEntry)}

    def paths_by_id(self, root: str, ids: Collection[str]) -> dict[str, str]:
        index, key = _find_index(root) if ids else (None, NO_INDEX)
        if index is None:
            return {}
        found = {known: self._paths.get((key, known)) for known in ids}
        unknown = [known for known, path in found.items() if path is None]
        if unknown:
            found |= dict.fromkeys(unknown, "") | paths_by_id(index, unknown)
        for known, path in found.items():
            self._paths.keep((key, known), path or "")
        return {known: path for known, path in found.items() if path}


def _find_index(root: str) -> tuple[Path | None, IndexKey]:
    try:
        index = index_of(root)
        if index is None:
            return None, NO_INDEX
        seen = index.stat()
    except (OSError, ValueError):
        return None, NO_INDEX
    return index, (str(index), seen.st_ino, seen.st_mtime_ns, seen.st_size)


def index_of(root: str) -> Path | None:
    """Return the index of the working tree at `root`; each worktree has its own. None: no git here."""
    git = Path(root) / ".git"
    if git.is_dir():
        return git / "index"
    pointer, _ = _read(git, 10_000)
    if not pointer.startswith(b"gitdir:"):
        return None
    target = os.fsdecode(pointer.removeprefix(b"gitdir:").strip())
    return None if "\x00" in target else Path(root, target, "index")


def read_entries(index: Path, paths: Collection[str], id_digits: int) -> dict[str, IndexEntry]:
    data, written_ns = _read(index, MAX_INDEX_BYTES)
    version, count = _header(data)
    id_bytes = ID_BYTES[id_digits]
    names = {os.fsencode(path): path for path in paths}
    found: dict[bytes, int] = {}
    if version == WITH_SHORT_PATHS:
        last = max(names, default=b"")
        for name, at in _walk(data, count, id_bytes):
            if name > last:  # entries are sorted
                break
            if name in names:
                found[name] = at
    elif version in WITH_WHOLE_PATHS:
        found = dict(_search_names(data, names, id_bytes))
    return {names[name]: _entry(data, at, id_bytes, written_ns) for name, at in found.items()}


def paths_by_id(index: Path, ids: Collection[str]) -> dict[str, str]:
    """Return the path of each content that has exactly one path in the index."""
    data, _ = _read(index, MAX_INDEX_BYTES)
    version, count = _header(data)
    found: dict[str, set[bytes]] = {known: set() for known in ids}
    if version == WITH_SHORT_PATHS:
        for id_bytes in {len(known) // 2 for known in ids}:
            for name, at in _walk(data, count, id_bytes):
                known = data[at + STAT_BYTES : at + STAT_BYTES + id_bytes].hex()
                if known in found:
                    found[known].add(name)
    elif version in WITH_WHOLE_PATHS:
        for known, names in found.items():
            names.update(islice(_names_with_id(data, bytes.fromhex(known)), 2))
    return {known: os.fsdecode(*names) for known, names in found.items() if len(names) == 1}


def sample_paths(index: Path, id_digits: int) -> list[str]:
    """Return paths of files: all of a small index, samples from all parts of a large one. Version 4: only the first paths
    of a large one, because each path builds on the one before."""
    id_bytes = ID_BYTES[id_digits]
    parts = list(_parts(index))
    version, count = _header(parts[0]) if parts else (0, 0)
    if version == WITH_SHORT_PATHS:
        found = [name for name, at in _walk(parts[0], count, id_bytes) if _mode(parts[0], at) in _FILES]
    elif version in WITH_WHOLE_PATHS:
        found = [name for part in parts for name in _names_in_part(part, id_bytes)][:count]
    else:
        found = []
    return [os.fsdecode(name) for name in found]


def _parts(index: Path) -> Iterator[bytes]:
    """Yield the whole file, or pieces of it that begin where an entry could."""
    file = open_regular(index)
    if file is None:
        return
    with file:
        size = os.fstat(file.fileno()).st_size
        try:
            version, _ = _header(file.read(HEADER_BYTES))
            if size <= SAMPLES * SAMPLE_BYTES or version == WITH_SHORT_PATHS:
                file.seek(0)
                yield file.read(SAMPLES * SAMPLE_BYTES)
                return
            for number in range(SAMPLES):
                at = number * (size // SAMPLES)
                file.seek(at if number == 0 else at - at % 8 + HEADER_BYTES % 8)
                yield file.read(SAMPLE_BYTES)
        except OSError:
            return


def _names_in_part(part: bytes, id_bytes: int) -> Iterator[bytes]:
    at = HEADER_BYTES if part.startswith(b"DIRC") else _first_entry(part, id_bytes)
    entry = _entry_at(part, at, id_bytes)
    while entry is not None:
        name, following = entry
        if _mode(part, at) in _FILES:
            yield name
        at, entry = following, _entry_at(part, following, id_bytes)


def _first_entry(part: bytes, id_bytes: int) -> int:
    """Return where the first of two entries in a row begins: no other bytes look like two entries."""
    for at in range(0, len(part), 8):
        entry = _entry_at(part, at, id_bytes)
        if entry is not None and _entry_at(part, entry[1], id_bytes) is not None:
            return at
    return len(part)


def _entry_at(part: bytes, at: int, id_bytes: int) -> tuple[bytes, int] | None:
    """Return the path of the entry at `at` and where the next one begins; None: there is no whole entry here."""
    flags_at = at + STAT_BYTES + id_bytes
    if flags_at + 4 > len(part) or _mode(part, at) not in _FILES + _OTHERS:
        return None
    (flags,) = _FLAGS.unpack_from(part, flags_at)
    name_at = flags_at + (4 if flags & _EXTENDED else 2)
    end = part.find(b"\x00", name_at)
    if end <= name_at or flags & _LENGTH != min(end - name_at, _LENGTH):
        return None
    return part[name_at:end], at + (end - at) // 8 * 8 + 8


def _mode(data: bytes, at: int) -> int:
    (mode,) = _MODE.unpack_from(data, at)
    return int(mode)


def _header(data: bytes) -> tuple[int, int]:
    """Its version, and how many entries follow; 0: it is no index."""
    if len(data) < HEADER_BYTES or data[:4] != b"DIRC":
        return 0, 0
    version, count = struct.unpack_from(">II", data, 4)
    return version, count


def _names_with_id(data: bytes, known: bytes) -> Iterator[bytes]:
    at = data.find(known)
    while at >= 0:
        begin, flags_at = at - STAT_BYTES, at + len(known)
        if begin >= HEADER_BYTES and not (begin - HEADER_BYTES) % 8 and flags_at + 4 <= len(data):
            (flags,) = _FLAGS.unpack_from(data, flags_at)
            name_at = flags_at + (4 if flags & _EXTENDED else 2)
            name = data[name_at : data.find(b"\x00", name_at)]
            if _is_entry_flags(flags, len(name)):
                yield name
        at = data.find(known, at + 1)


def _search_names(data: bytes, names: Collection[bytes], id_bytes: int) -> Iterator[tuple[bytes, int]]:
    """Find entries by the bytes of their paths: far quicker than reading every entry."""
    for name in names:
        at = data.find(name + b"\x00")
        while at >= 0:
            begin = _entry_start(data, at, len(name), id_bytes)
            if begin is not None:
                yield name, begin
                break
            at = data.find(name + b"\x00", at + 1)


def _entry_start(data: bytes, at: int, length: int, id_bytes: int) -> int | None:
    """Return the start of the entry whose path is at `at`; None: it is the end of another path, or no path."""
    for extended in (0, 2):
        flags_at = at - 2 - extended
        begin = flags_at - id_bytes - STAT_BYTES
        # Entries are padded to eight bytes.
        if begin < HEADER_BYTES or (begin - HEADER_BYTES) % 8:
            continue
        (flags,) = _FLAGS.unpack_from(data, flags_at)
        if bool(flags & _EXTENDED) == bool(extended) and _is_entry_flags(flags, length):
            return begin
    return None


def _is_entry_flags(flags: int, length: int) -> bool:
    return not flags & _STAGE and flags & _LENGTH == min(length, _LENGTH)


def _walk(data: bytes, count: int, id_bytes: int) -> Iterator[tuple[bytes, int]]:
    """Yield every path of version 4 with its entry: each path is stored as the difference to the one before."""
    at, path = HEADER_BYTES, b""
    for _ in range(count):
        begin, flags_at = at, at + STAT_BYTES + id_bytes
        if flags_at + 5 > len(data):  # the flags and the bytes after them
            return
        (flags,) = _FLAGS.unpack_from(data, flags_at)
        dropped, at = _varint(data, flags_at + (4 if flags & _EXTENDED else 2))
        end = data.find(b"\x00", at)
        if end < 0 or dropped > len(path):
            return
        path = path[: len(path) - dropped] + data[at:end]
        at = end + 1
        if not flags & _STAGE:
            yield path, begin


def _varint(data: bytes, at: int) -> tuple[int, int]:
    byte = data[at]
    value = byte & 127
    while byte & 128 and at + 1 < len(data):
        at += 1
        byte = data[at]
        value = ((value + 1) << 7) + (byte & 127)
    return value, at + 1


def _entry(data: bytes, begin: int, id_bytes: int, written_ns: int) -> IndexEntry:
    _, _, mtime_s, mtime_ns, _, inode, _, _, _, size = _STAT.unpack_from(data, begin)
    flags_at = begin + STAT_BYTES + id_bytes
    (flags,) = _FLAGS.unpack_from(data, flags_at)
    extended = _FLAGS.unpack_from(data, flags_at + 2)[0] if flags & _EXTENDED else 0
    return IndexEntry(
        id=data[begin + STAT_BYTES : flags_at].hex(),
        mtime_s=mtime_s,
        mtime_ns=mtime_ns,
        inode=inode,
        size=size,
        skips_worktree=bool(extended & _SKIP_WORKTREE),
        is_settled=mtime_s * 1_000_000_000 + mtime_ns < written_ns,
    )


def _read(path: Path, max_bytes: int) -> tuple[bytes, int]:
    """Return the content of a regular file and when it was written; nothing if it is larger than `max_bytes`."""
    file = open_regular(path)
    if file is None:
        return b"", 0
    with file:
        seen = os.fstat(file.fileno())
        if seen.st_size > max_bytes:
            return b"", 0
        try:
            return file.read(max_bytes), seen.st_mtime_ns
        except OSError:
            return b"", 0
