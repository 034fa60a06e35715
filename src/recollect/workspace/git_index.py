"""What git's index says of files: their blob ids, and how each looked when git last saw it. Our own small reader.

Runs nothing and keeps no index in memory. Versions 2, 3 and 4; what it does not understand, it has not found.
"""

import os
import stat
import struct
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice, takewhile
from pathlib import Path
from typing import Literal

from recollect.workspace.lru import LruCache

MAX_INDEX_BYTES = 128_000_000  # about a million files
HEADER_BYTES, STAT_BYTES = 12, 40
ID_BYTES = {40: 20, 64: 32}  # by the hexadecimal digits of an id
WITH_WHOLE_PATHS, WITH_SHORT_PATHS = (2, 3), 4  # versions
SAMPLES, SAMPLE_BYTES = 16, 40_000  # some six thousand entries of any index, in a few milliseconds

PathQuery = tuple[str, int]  # a path from the root, and how many digits its id has
IndexKey = tuple[str, int, int, int]  # of an index: path, inode, mtime and size
NO_INDEX: IndexKey = ("", 0, 0, 0)

_STAT = struct.Struct(">10I")
_FLAGS = struct.Struct(">H")
_EXTENDED, _STAGE, _LENGTH = 0x4000, 0x3000, 0x0FFF
_MODE = struct.Struct(">24xI")
_FILES, _OTHERS = (0o100644, 0o100755), (0o120000, 0o160000, 0o040000)  # links, submodules, folders of a sparse index
_SKIP_WORKTREE = 0x4000  # of the extended flags: a sparse checkout has no such file, and that is right


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexEntry:
    id: str
    mtime_s: int
    mtime_ns: int
    inode: int
    size: int
    skips_worktree: bool
    is_settled: bool  # git saw the file some time before it wrote the index: what looks the same is the same

    def looks_like(self, seen: os.stat_result) -> bool:
        """Whether the file is as git last saw it, without reading it."""
        seconds, nanoseconds = divmod(seen.st_mtime_ns, 1_000_000_000)
        return (
            self.is_settled
            and self.mtime_s == seconds & 0xFFFFFFFF
            and self.mtime_ns in (0, nanoseconds)  # 0: a git that keeps whole seconds
            and self.size == seen.st_size & 0xFFFFFFFF
            and self.inode in (0, seen.st_ino & 0xFFFFFFFF)
        )


class GitIndex:
    """Asked once about each thing, as long as the index stays as it is."""

    def __init__(self) -> None:
        self._entries = LruCache[tuple[IndexKey, PathQuery], IndexEntry | Literal[False]]()  # False: it has none
        self._holders = LruCache[tuple[IndexKey, str], str]()  # "": none, or several

    def entries(self, root: str, asked: Collection[PathQuery]) -> dict[PathQuery, IndexEntry]:
        """What the index of the working tree at `root` has of these paths."""
        index, look = _find_index(root)
        if index is None:
            return {}
        found = {one: self._entries.get((look, one)) for one in asked}
        for digits in {digits for (_, digits), entry in found.items() if entry is None}:
            names = [name for (name, its_digits), entry in found.items() if entry is None and its_digits == digits]
            read = read_entries(index, names, digits)
            found |= {(name, digits): read.get(name, False) for name in names}
        for one, entry in found.items():
            self._entries.keep((look, one), entry or False)
        return {one: entry for one, entry in found.items() if isinstance(entry, IndexEntry)}

    def paths_by_id(self, root: str, ids: Collection[str]) -> dict[str, str]:
        """The path of each of these contents, where there is one and not several."""
        index, look = _find_index(root) if ids else (None, NO_INDEX)
        if index is None:
            return {}
        found = {known: self._holders.get((look, known)) for known in ids}
        unknown = [known for known, path in found.items() if path is None]
        found |= dict.fromkeys(unknown, "") | (paths_by_id(index, unknown) if unknown else {})
        for known, path in found.items():
            self._holders.keep((look, known), path or "")
        return {known: path for known, path in found.items() if path}


def _find_index(root: str) -> tuple[Path | None, IndexKey]:
    try:
        index = index_of(root)
        seen = None if index is None else index.stat()
    except (OSError, ValueError):
        return None, NO_INDEX
    return (None, NO_INDEX) if seen is None else (index, (str(index), seen.st_ino, seen.st_mtime_ns, seen.st_size))


def index_of(root: str) -> Path | None:
    """The index of the working tree at `root`, which a worktree has for itself; None: no git here."""
    git = Path(root) / ".git"
    if git.is_dir():
        return git / "index"
    pointer, _ = _read(git, 10_000)
    if not pointer.startswith(b"gitdir:"):
        return None
    target = os.fsdecode(pointer.removeprefix(b"gitdir:").strip())
    return None if "\x00" in target else Path(root, target, "index")


def read_entries(index: Path, paths: Collection[str], id_digits: int) -> dict[str, IndexEntry]:
    """What an index has of these paths."""
    data, written_ns = _read(index, MAX_INDEX_BYTES)
    version, count = _header(data)
    id_bytes = ID_BYTES[id_digits]
    names = {os.fsencode(path): path for path in paths}
    last = max(names, default=b"")
    if version == WITH_SHORT_PATHS:
        walk = takewhile(lambda step: step[0] <= last, _walk(data, count, id_bytes))
        found = [(name, at) for name, at in walk if name in names]
    else:
        found = list(_search_names(data, names, id_bytes)) if version in WITH_WHOLE_PATHS else []
    return {names[name]: _entry(data, at, id_bytes, written_ns) for name, at in found}


def paths_by_id(index: Path, ids: Collection[str]) -> dict[str, str]:
    """The one path in an index that has this content; a content with several has none."""
    data, _ = _read(index, MAX_INDEX_BYTES)
    version, count = _header(data)
    found: dict[str, set[bytes]] = {known: set() for known in ids}
    for id_bytes in {len(known) // 2 for known in ids}:
        if version == WITH_SHORT_PATHS:
            for name, at in _walk(data, count, id_bytes):
                known = data[at + STAT_BYTES : at + STAT_BYTES + id_bytes].hex()
                if known in found:
                    found[known].add(name)
        elif version in WITH_WHOLE_PATHS:
            for known in (known for known in ids if len(known) == 2 * id_bytes):
                found[known].update(islice(_names_with_id(data, bytes.fromhex(known)), 2))
    return {known: os.fsdecode(*names) for known, names in found.items() if len(names) == 1}


def sample_paths(index: Path, id_digits: int) -> list[str]:
    """Paths of files, all of a small index; of a large one some from everywhere, so that no part speaks for the rest.

    Of version 4 the first ones, because there a path is told by what differs from the one before.
    """
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
    """The whole file, or pieces of it that begin where an entry could."""
    descriptor = _open(index)
    if descriptor is None:
        return
    with open(descriptor, "rb") as file:  # noqa: PTH123  # it is open already
        seen = os.fstat(descriptor)
        if not stat.S_ISREG(seen.st_mode):
            return
        try:
            version, _ = _header(file.read(HEADER_BYTES))
            if seen.st_size <= SAMPLES * SAMPLE_BYTES or version == WITH_SHORT_PATHS:
                file.seek(0)
                yield file.read(SAMPLES * SAMPLE_BYTES)
                return
            for number in range(SAMPLES):
                at = number * (seen.st_size // SAMPLES)
                file.seek(at if number == 0 else at - at % 8 + HEADER_BYTES % 8)
                yield file.read(SAMPLE_BYTES)
        except OSError:
            return


def _names_in_part(part: bytes, id_bytes: int) -> Iterator[bytes]:
    at = HEADER_BYTES if part.startswith(b"DIRC") else _first_entry(part, id_bytes)
    while (entry := _entry_at(part, at, id_bytes)) is not None:
        if _mode(part, at) in _FILES:
            yield entry[0]
        at = entry[1]


def _first_entry(part: bytes, id_bytes: int) -> int:
    """Where an entry begins that another one follows: no other bytes look like two of them."""
    for at in range(0, len(part), 8):
        entry = _entry_at(part, at, id_bytes)
        if entry is not None and _entry_at(part, entry[1], id_bytes) is not None:
            return at
    return len(part)


def _entry_at(part: bytes, at: int, id_bytes: int) -> tuple[bytes, int] | None:
    """The path of the entry at `at` and where the next one begins; None: there is no whole entry here."""
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
    """Paths stand there whole, so looking for their bytes is far quicker than reading every entry."""
    for name in names:
        at = data.find(name + b"\x00")
        while at >= 0:
            begin = _entry_start(data, at, len(name), id_bytes)
            if begin is not None:
                yield name, begin
                break
            at = data.find(name + b"\x00", at + 1)


def _entry_start(data: bytes, at: int, length: int, id_bytes: int) -> int | None:
    """Of the entry whose path begins at `at`; None: these bytes are the end of another path, or no path."""
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
    """Every path with its entry. In version 4 a path is told by what differs from the one before."""
    at, path = HEADER_BYTES, b""
    for _ in range(count):
        begin, flags_at = at, at + STAT_BYTES + id_bytes
        if flags_at + 5 > len(data):  # of the flags and of what comes after them
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


def _read(path: Path, at_most: int) -> tuple[bytes, int]:
    """A regular file that is not larger, and when it was written. A pipe in its place would keep us waiting."""
    descriptor = _open(path)
    if descriptor is None:
        return b"", 0
    with open(descriptor, "rb") as file:  # noqa: PTH123  # it is open already
        seen = os.fstat(descriptor)
        if not stat.S_ISREG(seen.st_mode) or seen.st_size > at_most:
            return b"", 0
        try:
            return file.read(at_most), seen.st_mtime_ns
        except OSError:
            return b"", 0


def _open(path: Path) -> int | None:
    try:
        return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
