"""Opens files that may be anything: a pipe or a device in the place of a file would block the reader for ever."""

import os
import stat
from pathlib import Path
from typing import BinaryIO


def open_regular(path: Path) -> BinaryIO | None:
    """None: there is no regular file, or it may not be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    file = open(descriptor, "rb")  # noqa: PTH123, SIM115  # it is open already; the caller closes it
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return file
    file.close()
    return None
