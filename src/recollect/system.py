"""Calls that differ between Linux and macOS, one function each. Standard library only, and cheap to import.

Everything else uses POSIX calls that both have, such as `flock`. Windows is refused in `recollect/__init__.py`; `hook.py`
imports nothing of ours, so its few such calls are there. docs/reference/platforms.md lists what was tried where.
"""

import os
import re
import stat
import sys
from collections.abc import Callable, Collection, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import _socket

PROCESSES = Path("/proc")
DELETED = " (deleted)"  # Linux adds it to the name of an open file that was deleted
COMMAND_S = 20.0  # for `mount` and `lsof` on macOS
SOL_LOCAL, LOCAL_PEERPID = 0, 2  # of macOS' <sys/un.h>; Python's `socket` does not have them
_LINUX_ESCAPES = (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\"))
_MACOS_MOUNT = re.compile(r".*? on (/.*) \(([^,)]+)[,)]")  # //ann@nas/share on /Volumes/share (smbfs, nodev)


class Mount(NamedTuple):
    folder: Path
    kind: str  # of its file system


def _is_macos() -> bool:
    return sys.platform == "darwin"  # in a function: mypy would skip the code below an `if sys.platform`


def peer_pid(connection: "_socket.socket") -> int | None:
    """Return the process at the other end of a unix socket, as the kernel knows it; None over TCP or if it cannot tell."""
    import socket

    if connection.family != socket.AF_UNIX:
        return None
    if _is_macos():
        return connection.getsockopt(SOL_LOCAL, LOCAL_PEERPID)
    if not hasattr(socket, "SO_PEERCRED"):
        return None
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)  # pid, uid, gid
    return int.from_bytes(credentials[:4], sys.byteorder)


def memory_mb() -> float:
    """Return this process's main memory; on macOS the most it ever had, for want of a cheap call."""
    import resource

    try:
        pages = int((PROCESSES / "self/statm").read_text().split()[1])
        return round(pages * resource.getpagesize() / 1e6, 1)
    except (OSError, IndexError, ValueError):
        units_per_mb = 1e6 if _is_macos() else 1e3  # macOS counts bytes, Linux kilobytes
        return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / units_per_mb, 1)


def release_free_memory() -> None:
    """Give freed memory back to the system: glibc keeps 20 MB after the model has embedded a long text."""
    _find_release()()


@cache
def _find_release() -> Callable[[], object]:
    import ctypes

    try:
        library = ctypes.CDLL(None)
        if _is_macos():
            relieve = library.malloc_zone_pressure_relief
            relieve.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
            return lambda: relieve(None, 0)  # every zone, as much as possible
        trim = library.malloc_trim
    except (OSError, AttributeError, TypeError):  # musl has neither
        return lambda: None
    return lambda: trim(0)


def lower_thread_priority(niceness: int) -> None:
    """Let other work go first on Linux. Does nothing on macOS: there a thread's id would name an unrelated process."""
    import threading

    if _is_macos():
        return
    try:  # noqa: SIM105
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), niceness)
    except OSError:
        pass


def create_private_file(path: Path) -> None:
    """Create an empty file that only its user can read; FileExistsError if there is one.

    Never opens a file that exists: closing it would drop the locks of a database that is open in this process (POSIX).
    """
    if not _is_macos():
        os.mknod(path, stat.S_IFREG | 0o600)
        return
    if path.exists():  # macOS lets only root use mknod
        raise FileExistsError(path)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))


def read_mounts() -> list[Mount]:
    """Return every mounted file system in the order of mounting; empty if the system does not tell."""
    if _is_macos():
        found = [_MACOS_MOUNT.match(line) for line in _output_of("/sbin/mount").splitlines()]
        return [Mount(Path(match[1]), match[2]) for match in found if match is not None]
    try:
        text = (PROCESSES / "mounts").read_text(errors="surrogateescape")
    except OSError:
        return []
    lines = [line.split(" ") for line in text.splitlines()]
    return [Mount(Path(_unescape(parts[1])), parts[2]) for parts in lines if len(parts) > 2]


def _unescape(name: str) -> str:
    for code, character in _LINUX_ESCAPES:
        name = name.replace(code, character)
    return name


def find_replaced_files(files: Collection[str]) -> Iterator[tuple[int, str]]:
    """Find open files whose name now belongs to another file, or to none: yield the process id and the name.

    Sees only the processes of this user.
    """
    return _find_on_macos(files) if _is_macos() else _find_on_linux(files)


def _find_on_linux(files: Collection[str]) -> Iterator[tuple[int, str]]:
    try:
        processes = sorted(int(entry.name) for entry in PROCESSES.iterdir() if entry.name.isdigit())
    except OSError:
        return
    for process in processes:
        try:
            descriptors = list((PROCESSES / str(process) / "fd").iterdir())
        except OSError:  # it has ended, or belongs to another user
            continue
        for descriptor in descriptors:
            try:
                target = str(descriptor.readlink())
                name = target.removesuffix(DELETED)
                if name in files and not _is_same_file(descriptor, target):
                    yield process, name
            except OSError:  # closed meanwhile
                continue


def _is_same_file(descriptor: Path, name: str) -> bool:
    try:
        return descriptor.samefile(name)
    except OSError:
        return False


def _find_on_macos(files: Collection[str]) -> Iterator[tuple[int, str]]:
    """Read `lsof`, one field per line: p process, f descriptor, i inode, n name."""
    process = inode = 0
    for line in _output_of("/usr/sbin/lsof", "-nPw", "-u", str(os.getuid()), "-F", "pfin").splitlines():
        field, value = line[:1], line[1:]
        if field == "p":
            process = int(value)
        elif field == "f":
            inode = 0
        elif field == "i":
            inode = int(value)
        elif field == "n" and inode and value in files and inode != _inode(value):
            yield process, value


def _inode(path: str) -> int | None:
    try:
        return os.stat(path).st_ino  # noqa: PTH116
    except OSError:
        return None


def _output_of(*command: str) -> str:
    """Return what a program of the system prints; empty if it is missing or too slow."""
    import subprocess

    try:
        done = subprocess.run(command, capture_output=True, timeout=COMMAND_S, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return os.fsdecode(done.stdout)
