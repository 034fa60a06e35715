"""One daemon per user, decided by a lock, never by a PID file. Only a newer version ends an older one.

Light to import: if many start at once, all but one end here.
"""

import errno
import fcntl
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from recollect import __version__
from recollect.client import Client
from recollect.domain.errors import DaemonError
from recollect.paths import Paths

LOCK_WAIT_S = 3.0  # for a daemon that has the lock and does not listen: it is just starting, or just ending
TAKE_OVER_S = 20.0  # to wait at most, whatever other daemons do
POLL_S = 0.05
NO_LOCKS = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EIO, errno.EINVAL, errno.EBADF)


@contextmanager
def take_lock(places: Paths) -> Iterator[bool]:
    """Yield True if the lock is ours. The text in the file is for people; only the lock itself counts."""
    try:
        descriptor = os.open(places.lock, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        if error.errno == errno.ELOOP:  # the target would be overwritten
            raise DaemonError(f"{places.lock} is a link, and the daemon does not follow it. Remove it.") from error
        raise DaemonError(
            f"{places.lock} cannot be opened: {error.strerror}. Check its owner and the free space."
        ) from error
    try:
        is_ours = _wait_for_lock(descriptor, places)
        if is_ours:
            with suppress(OSError):  # a full disk: the text is not needed
                os.ftruncate(descriptor, 0)
                os.write(descriptor, f"{__version__} {os.getpid()}\n".encode())
        yield is_ours
    finally:
        os.close(descriptor)


def _wait_for_lock(descriptor: int, places: Paths) -> bool:
    """Wait for a daemon that is ending, and end an older one. False if a daemon runs and stays."""
    client = Client(places.socket)
    last = time.monotonic() + TAKE_OVER_S
    give_up = time.monotonic() + LOCK_WAIT_S
    while not _try_lock(descriptor, places.lock):
        if time.monotonic() > last:
            return False
        if client.retire_older():
            give_up = time.monotonic() + LOCK_WAIT_S
        elif client.is_running() or time.monotonic() > give_up:
            return False
        else:
            time.sleep(POLL_S)
    return True


def _try_lock(descriptor: int, path: Path) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in NO_LOCKS:
            raise
        raise DaemonError(
            f"The disk of {path} does not lock files ({error.strerror}), so a second daemon could start. Set "
            "XDG_RUNTIME_DIR or XDG_STATE_HOME to a folder on a disk of this machine."
        ) from error
    return True


def make_private_folder(folder: Path, variable: str = "XDG_RUNTIME_DIR") -> None:
    """`variable` sets where the folder is."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise DaemonError(
            f"The folder {folder} cannot be created: {error.strerror}. Check its owner and the free space."
        ) from error
    facts = folder.lstat()
    if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.getuid():
        raise DaemonError(
            f"{folder} belongs to another user, or is a link. Remove it, or set {variable} to a folder of your own."
        )
    if facts.st_mode & 0o077:
        folder.chmod(0o700)
