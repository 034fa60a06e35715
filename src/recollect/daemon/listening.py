"""Where the daemon is heard: a unix socket for its user alone, and 127.0.0.1 with a token where that is asked for, or
where sockets do not serve.

Whoever holds the lock owns these files: what lies there is left over from a daemon that was killed.
"""

import errno
import logging
import os
import secrets
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from recollect.config import Paths
from recollect.daemon.guard import TcpAccess
from recollect.domain.errors import DaemonError

log = logging.getLogger("recollect.daemon")

BACKLOG = 128
TOKEN_BYTES = 32
# What a disk says that keeps files but no sockets: nothing that anybody here could mend.
NO_SOCKETS = frozenset(
    {errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.ENOSYS, errno.EINVAL}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listeners:
    """What the daemon listens on, and the file that everybody finds it by."""

    sockets: list[socket.socket]
    address_file: "SocketFile"
    tcp_access: TcpAccess | None  # None: not on TCP


class SocketFile:
    """A file of ours: somebody else's under the same name is none."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ours = _identity(path)

    def is_ours(self) -> bool:
        return self._ours is not None and _identity(self._path) == self._ours

    def remove(self) -> None:
        if self.is_ours():
            self._path.unlink(missing_ok=True)


@contextmanager
def open_listeners(places: Paths, port: int) -> Iterator[Listeners]:
    """On the unix socket; with a `port`, or where there are no sockets, on TCP as well."""
    _remove(places.socket)
    _remove(places.tcp)
    unix = _bind_unix(places.socket)
    socket_place = SocketFile(places.socket)
    if unix is not None:
        unix.listen(BACKLOG)  # only now: nobody can know of it before we know what is ours
    tcp, door = _listen_on_tcp(places, port, required=unix is None) if port or unix is None else (None, None)
    tcp_place = SocketFile(places.tcp)
    sockets = [one for one in (unix, tcp) if one is not None]
    try:
        yield Listeners(sockets=sockets, address_file=tcp_place if unix is None else socket_place, tcp_access=door)
    finally:
        socket_place.remove()
        tcp_place.remove()
        for one in sockets:
            one.close()


def _listen_on_tcp(places: Paths, port: int, *, required: bool) -> tuple[socket.socket, TcpAccess] | tuple[None, None]:
    try:
        listener = _bind_tcp(port)
        door = TcpAccess(port=listener.getsockname()[1], token=_load_token(places.token))
        _write_private(places.tcp, f"{door.port}\n{door.token}\n")
    except DaemonError as error:
        if required:
            raise
        log.error("%s", error)  # there is another way in, and hosts use that
        return None, None
    return listener, door


def _identity(path: Path) -> tuple[int, int] | None:
    """Tells one file from another under the same name: an inode number alone is soon used again."""
    try:
        facts = path.lstat()
    except OSError:
        return None
    return facts.st_ino, facts.st_ctime_ns


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise DaemonError(f"{path} cannot be replaced: {error.strerror}. Remove it.") from error


def _bind_unix(path: Path) -> socket.socket | None:
    """None: there are no sockets on this system, or not on this disk."""
    if not hasattr(socket, "AF_UNIX"):
        return None
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o177)
    try:
        listener.bind(str(path))
    except OSError as error:
        listener.close()
        with suppress(OSError):
            path.unlink()
        if error.errno not in NO_SOCKETS:
            raise DaemonError(f"Nobody can listen at {path}: {error.strerror}. Check the folder.") from error
        log.warning("no socket at %r (%s): 127.0.0.1 instead", str(path), errno.errorcode[error.errno])
        return None
    finally:
        os.umask(mask)
    return listener


def _bind_tcp(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a restart need not wait for the last connections
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise DaemonError(
            f"Nobody can listen on 127.0.0.1:{port}: {error.strerror}. Set another [daemon] port."
        ) from error
    return listener


def _load_token(path: Path) -> str:
    """The same one from daemon to daemon. One that others could have read is replaced."""
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        with os.fdopen(descriptor, encoding="ascii", errors="replace") as file:
            facts = os.fstat(file.fileno())
            known = file.read(1000).strip()
        is_private = stat.S_ISREG(facts.st_mode) and facts.st_uid == os.getuid() and not facts.st_mode & 0o077
        if is_private and len(known) >= TOKEN_BYTES:
            return known
    token = secrets.token_urlsafe(TOKEN_BYTES)
    _write_private(path, f"{token}\n")
    return token


def _write_private(path: Path, text: str) -> None:
    """The whole file or none of it, and never one that others can read."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.unlink(missing_ok=True)
        with open(draft, "x", encoding="ascii", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(text)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise DaemonError(f"{path} cannot be written: {error.strerror}. Check owner and free space.") from error
