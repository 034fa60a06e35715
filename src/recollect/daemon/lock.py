"""One daemon per user: a lock held for life is the only truth, never a PID file. Only a newer version ends an older.

Light to import: of many that start at once, all but one end here.
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
from recollect.config import Paths
from recollect.domain.errors import DaemonError

LOCK_WAIT_S = 3.0  # for one that has the lock and does not listen: it has just begun, or is about to end
TAKE_OVER_S = 20.0  # of waiting, whatever the others do
POLL_S = 0.05
NO_LOCKS = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EIO, errno.EINVAL, errno.EBADF)


@contextmanager
def take_lock(places: Paths) -> Iterator[bool]:
    """Whether it is ours. What it says inside is for people; that it is held is the truth."""
    try:
        descriptor = os.open(places.lock, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        if error.errno == errno.ELOOP:  # what it leads to would be written over
            raise DaemonError(f"{places.lock} is a link, and the daemon follows none there. Remove it.") from error
        raise DaemonError(f"{places.lock} cannot be opened: {error.strerror}. Check owner and free space.") from error
    try:
        won = _wait_for_lock(descriptor, places)
        if won:
            with suppress(OSError):  # a full disk: nobody needs it
                os.ftruncate(descriptor, 0)
                os.write(descriptor, f"{__version__} {os.getpid()}\n".encode())
        yield won
    finally:
        os.close(descriptor)


def _wait_for_lock(descriptor: int, places: Paths) -> bool:
    """Waits for one that is ending, and ends one that is older. False: there is a daemon, and it shall stay."""
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
            f"The disk of {path} does not lock files ({error.strerror}): nothing would keep a second daemon away. Set "
            "XDG_RUNTIME_DIR, or XDG_STATE_HOME, to a folder on a disk of this machine."
        ) from error
    return True


def make_private_folder(folder: Path, variable: str = "XDG_RUNTIME_DIR") -> None:
    """`variable`: what says where it lies."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise DaemonError(
            f"The folder {folder} cannot be made: {error.strerror}. Check owner and free space."
        ) from error
    facts = folder.lstat()
    if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.getuid():
        raise DaemonError(
            f"{folder} belongs to another user, or is a link; remove it, or set {variable} to a folder of yours."
        )
    if facts.st_mode & 0o077:
        folder.chmod(0o700)
