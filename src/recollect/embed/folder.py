"""Checks a model folder: every byte is compared with its hash before the model is used."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from recollect.domain.model import Condition, ModelState
from recollect.embed.manifest import CONTENTS, MANIFEST, FileFacts, Manifest, NotAManifest, OtherFormat, parse

MAX_MANIFEST_BYTES = 100_000  # a real manifest is about 1 kB


class CheckedFolder(NamedTuple):
    state: ModelState
    contents: Mapping[str, bytes]  # empty unless the model is ready


class _UnusableFolder(Exception):
    def __init__(self, condition: Condition, says: str) -> None:
        super().__init__(says)
        self.condition = condition


def state(folder: Path) -> ModelState:
    return check(folder).state


def check(folder: Path) -> CheckedFolder:
    """Read every file once: the bytes that are hashed are the bytes that are used."""
    try:
        manifest = _read_manifest(folder)
        contents = {name: _read_content(folder / name, manifest.files[name]) for name in CONTENTS}
    except _UnusableFolder as unfit:
        return CheckedFolder(ModelState(condition=unfit.condition, folder=str(folder), says=str(unfit)), {})
    says = f"{manifest.id} is ready in {folder}."
    return CheckedFolder(
        ModelState(condition=Condition.READY, folder=str(folder), says=says, facts=manifest.facts), contents
    )


def foreign_entries(folder: Path) -> list[str]:
    """Return the sorted names of entries that are not part of a model; Recollect never touches them."""
    ours = {*CONTENTS, MANIFEST}
    return sorted(entry.name for entry in folder.iterdir() if entry.name not in ours or not entry.is_file())


def _read_manifest(folder: Path) -> Manifest:
    path = folder / MANIFEST
    try:
        if not folder.is_dir() and (folder.exists() or folder.is_symlink()):
            raise _UnusableFolder(Condition.UNREADABLE, f"{folder} is not a folder.")
        if not any((folder / name).exists() for name in (*CONTENTS, MANIFEST)):
            raise _UnusableFolder(Condition.MISSING, f"There is no model in {folder}.")
        return parse(_read_file(path, MAX_MANIFEST_BYTES))
    except FileNotFoundError:
        raise _UnusableFolder(Condition.INCOMPLETE, f"The model in {folder} has no {MANIFEST}.") from None
    except NotAManifest as error:
        raise _UnusableFolder(Condition.UNREADABLE, f"Cannot read {path}: {error}.") from error
    except OtherFormat as error:
        raise _UnusableFolder(
            Condition.OTHER_VERSION, f"{path} belongs to another Recollect version: {error}."
        ) from error
    except OSError as error:
        raise _UnusableFolder(Condition.UNREADABLE, f"Cannot read {folder}: {error.strerror or error}.") from error


def _read_content(path: Path, expected: FileFacts) -> bytes:
    try:
        content = _read_file(path, expected.size_bytes)
    except FileNotFoundError:
        raise _UnusableFolder(Condition.INCOMPLETE, f"The model file {path} is missing.") from None
    except OSError as error:
        raise _UnusableFolder(Condition.UNREADABLE, f"Cannot read {path}: {error.strerror or error}.") from error
    if FileFacts.of(content) != expected:
        raise _UnusableFolder(Condition.DAMAGED, f"{path} is damaged: its hash differs from the one of the build.")
    return content


def _read_file(path: Path, size_bytes: int) -> bytes:
    """Read at most one byte more than expected. Never waits, even if the path is a pipe."""
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:  # noqa: PTH123
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError("it is not a file")
        return file.read(size_bytes + 1)
