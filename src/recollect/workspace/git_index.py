"""What git's index says of files: their blob ids, and how each looked when git last saw it. Our own small reader.

Runs nothing and keeps no index in memory. Versions 2, 3 and 4; what it does not understand, it has not found.
"""

import os
import stat
import struct
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

MAX_INDEX_BYTES = 128_000_000  # about a million files
HEADER_BYTES, STAT_BYTES = 12, 40
ID_BYTES = {40: 20, 64: 32}  # by the hexadecimal digits of an id

_STAT = struct.Struct(">10I")
_FLAGS = struct.Struct(">H")
_EXTENDED, _STAGE, _LENGTH = 0x4000, 0x3000, 0x0FFF
_SKIP_WORKTREE = 0x4000  # of the extended flags: a sparse checkout has no such file, and that is right


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
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


def entries(index: Path, paths: Collection[str], id_digits: int) -> dict[str, Entry]:
    """What the index has of these paths."""
    data, written_ns = _read(index, MAX_INDEX_BYTES)
    if len(data) < HEADER_BYTES or data[:4] != b"DIRC":
        return {}
    version, count = struct.unpack_from(">II", data, 4)
    id_bytes = ID_BYTES[id_digits]
    names = {os.fsencode(path): path for path in paths}
    if version in (2, 3):
        found = _searched(data, names, id_bytes)
    elif version == 4:
        found = _walked(data, count, names, id_bytes)
    else:
        return {}
    return {names[name]: _entry(data, at, id_bytes, written_ns) for name, at in found}


def _searched(data: bytes, names: Collection[bytes], id_bytes: int) -> Iterator[tuple[bytes, int]]:
    """Paths stand there whole, so looking for their bytes is far quicker than reading every entry."""
    for name in names:
        at = data.find(name + b"\x00")
        while at >= 0:
            begin = _beginning(data, at, len(name), id_bytes)
            if begin is not None:
                yield name, begin
                break
            at = data.find(name + b"\x00", at + 1)


def _beginning(data: bytes, at: int, length: int, id_bytes: int) -> int | None:
    """Of the entry whose path begins at `at`; None: these bytes are the end of another path, or no path."""
    for extended in (0, 2):
        flags_at = at - 2 - extended
        begin = flags_at - id_bytes - STAT_BYTES
        # Entries are padded to eight bytes.
        if begin < HEADER_BYTES or (begin - HEADER_BYTES) % 8:
            continue
        (flags,) = _FLAGS.unpack_from(data, flags_at)
        if bool(flags & _EXTENDED) == bool(extended) and _is_of(flags, length):
            return begin
    return None


def _is_of(flags: int, length: int) -> bool:
    return not flags & _STAGE and flags & _LENGTH == min(length, _LENGTH)


def _walked(data: bytes, count: int, names: Collection[bytes], id_bytes: int) -> Iterator[tuple[bytes, int]]:
    """In version 4 a path is told by what differs from the one before."""
    wanted, last = frozenset(names), max(names, default=b"")
    at, path = HEADER_BYTES, b""
    for _ in range(count):
        begin, flags_at = at, at + STAT_BYTES + id_bytes
        if flags_at + 5 > len(data):  # of the flags and of what comes after them
            return
        (flags,) = _FLAGS.unpack_from(data, flags_at)
        at = flags_at + (4 if flags & _EXTENDED else 2)
        dropped, at = _varint(data, at)
        end = data.find(b"\x00", at)
        if end < 0 or dropped > len(path):
            return
        path = path[: len(path) - dropped] + data[at:end]
        at = end + 1
        if path in wanted and not flags & _STAGE:
            yield path, begin
        if path > last:
            return


def _varint(data: bytes, at: int) -> tuple[int, int]:
    byte = data[at]
    value = byte & 127
    while byte & 128 and at + 1 < len(data):
        at += 1
        byte = data[at]
        value = ((value + 1) << 7) + (byte & 127)
    return value, at + 1


def _entry(data: bytes, begin: int, id_bytes: int, written_ns: int) -> Entry:
    _, _, mtime_s, mtime_ns, _, inode, _, _, _, size = _STAT.unpack_from(data, begin)
    flags_at = begin + STAT_BYTES + id_bytes
    (flags,) = _FLAGS.unpack_from(data, flags_at)
    extended = _FLAGS.unpack_from(data, flags_at + 2)[0] if flags & _EXTENDED else 0
    return Entry(
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
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return b"", 0
    with open(descriptor, "rb") as file:  # noqa: PTH123  # it is open already
        seen = os.fstat(descriptor)
        if not stat.S_ISREG(seen.st_mode) or seen.st_size > at_most:
            return b"", 0
        try:
            return file.read(at_most), seen.st_mtime_ns
        except OSError:
            return b"", 0
