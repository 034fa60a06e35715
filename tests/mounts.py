"""Disks that do not take writes, for real: a read-only mount and a small one that can be filled. Needs root."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

needs_mounts = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a disk")


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """The folder as on a disk that is mounted read-only, also for root."""
    _run("mount", "--bind", folder, folder)
    try:
        _run("mount", "-o", "remount,ro,bind", folder)
        yield
    finally:
        _unmount(folder)


class SmallDisk:
    """An empty disk of a few megabytes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ballast = folder / "ballast"
        self._ballast.write_bytes(b"x" * (1 << 20))  # what `free` gives back, even if others filled the disk

    def fill(self) -> None:
        """Until not one more byte fits."""
        with self._ballast.open("ab", buffering=0) as file:
            for size in (1 << 16, 1 << 12, 1):
                try:
                    while True:
                        file.write(b"x" * size)
                except OSError:
                    continue

    def free(self) -> None:
        self._ballast.unlink()


@contextmanager
def small_disk(folder: Path, *, megabytes: int = 4) -> Iterator[SmallDisk]:
    folder.mkdir(parents=True, exist_ok=True)
    _run("mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=700", "tmpfs", folder)
    try:
        yield SmallDisk(folder)
    finally:
        _unmount(folder)


def _unmount(folder: Path) -> None:
    _run("umount", "--lazy", folder)  # also if a test failed with a file still open


def _run(*command: str | Path) -> None:
    subprocess.run([str(word) for word in command], check=True, capture_output=True, timeout=30)
