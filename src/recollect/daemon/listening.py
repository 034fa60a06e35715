"""Where the daemon listens: its user's unix socket, and 127.0.0.1 with a token if a port is set or the disk has no sockets.

The daemon with the lock owns these files: any that exist are left over from a killed daemon.
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

from recollect.daemon.guard import TcpAccess
from recollect.domain.errors import DaemonError
from recollect.paths import Paths

log = logging.getLogger("recollect.daemon")

BACKLOG = 128
TOKEN_BYTES = 32
# Errors of a disk that stores files but no sockets.
NO_SOCKETS = frozenset(
    {errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.ENOSYS, errno.EINVAL}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listeners:
    sockets: list[socket.socket]
    address_file: "SocketFile"
    tcp_access: TcpAccess | None  # None: not on TCP


class SocketFile:
    """A file that we created; notices if another one has its name now."""

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
    _remove(places.socket)
    _remove(places.tcp)
    sockets = []
    unix = _bind_unix(places.socket)
    socket_file = SocketFile(places.socket)
    if unix is not None:
        unix.listen(BACKLOG)  # only now: no client may connect before we know which file is ours
        sockets.append(unix)
    tcp = None
    if port or unix is None:
        tcp = _listen_on_tcp(places, port, required=unix is None)
    if tcp is not None:
        sockets.append(tcp[0])
    tcp_file = SocketFile(places.tcp)
    try:
        yield Listeners(
            sockets=sockets,
            address_file=tcp_file if unix is None else socket_file,
            tcp_access=None if tcp is None else tcp[1],
        )
    finally:
        socket_file.remove()
        tcp_file.remove()
        for listener in sockets:
            listener.close()


def _listen_on_tcp(places: Paths, port: int, *, required: bool) -> tuple[socket.socket, TcpAccess] | None:
    try:
        listener = _bind_tcp(port)
        access = TcpAccess(port=listener.getsockname()[1], token=_load_token(places.token))
        _write_private(places.tcp, f"{access.port}\n{access.token}\n")
    except DaemonError as error:
        if required:
            raise
        log.error("%s", error)  # hosts use the unix socket
        return None
    return listener, access


def _identity(path: Path) -> tuple[int, int] | None:
    """Identify a file. The inode number is not enough: it is soon reused."""
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
    """None if the system or this disk has no unix sockets."""
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
            raise DaemonError(f"Cannot bind the socket {path}: {error.strerror}. Check the folder.") from error
        log.warning("no socket at %r (%s): 127.0.0.1 instead", str(path), errno.errorcode[error.errno])
        return None
    finally:
        os.umask(mask)
    return listener


def _bind_tcp(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a restart need not wait for old connections
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise DaemonError(f"Cannot listen on 127.0.0.1:{port}: {error.strerror}. Set another [daemon] port.") from error
    return listener


def _load_token(path: Path) -> str:
    """Return the token of the last daemon; a new one if other users could read that."""
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        with os.fdopen(descriptor, encoding="ascii", errors="replace") as file:
            facts = os.fstat(file.fileno())
            token = file.read(1000).strip()
        is_private = stat.S_ISREG(facts.st_mode) and facts.st_uid == os.getuid() and not facts.st_mode & 0o077
        if is_private and len(token) >= TOKEN_BYTES:
            return token
    token = secrets.token_urlsafe(TOKEN_BYTES)
    _write_private(path, f"{token}\n")
    return token


def _write_private(path: Path, text: str) -> None:
    """Write the whole file or nothing, readable for its user only."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.unlink(missing_ok=True)
        with open(draft, "x", encoding="ascii", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(text)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise DaemonError(f"{path} cannot be written: {error.strerror}. Check its owner and the free space.") from error
