"""A model folder: what lies in it, and whether it is whole. Every byte is checked before anything is made of it."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from recollect.domain.model import Condition, ModelState
from recollect.embed.manifest import CONTENTS, MANIFEST, FileFacts, Manifest, NotAManifest, OtherFormat, parse

MAX_MANIFEST_BYTES = 100_000  # a manifest is a page


class Checked(NamedTuple):
    state: ModelState
    contents: Mapping[str, bytes]  # of a model that is ready; else nothing


class _Unfit(Exception):
    def __init__(self, condition: Condition, says: str) -> None:
        super().__init__(says)
        self.condition = condition


def state(folder: Path) -> ModelState:
    return check(folder).state


def check(folder: Path) -> Checked:
    """Reads all of it: what is hashed is what will be used."""
    try:
        manifest = _manifest(folder)
        contents = {name: _content(folder / name, manifest.files[name]) for name in CONTENTS}
    except _Unfit as unfit:
        return Checked(ModelState(condition=unfit.condition, folder=str(folder), says=str(unfit)), {})
    says = f"{manifest.id} is ready in {folder}."
    return Checked(ModelState(condition=Condition.READY, folder=str(folder), says=says, facts=manifest.facts), contents)


def strangers(folder: Path) -> list[str]:
    """What lies in the folder and is not of a model, in order; it is never touched."""
    ours = {*CONTENTS, MANIFEST}
    return sorted(entry.name for entry in folder.iterdir() if entry.name not in ours or not entry.is_file())


def _manifest(folder: Path) -> Manifest:
    path = folder / MANIFEST
    try:
        if not folder.is_dir():
            if folder.exists() or folder.is_symlink():
                raise _Unfit(Condition.UNREADABLE, f"{folder} is not a folder.")
            raise _Unfit(Condition.MISSING, f"There is no model in {folder}.")
        if not any((folder / name).exists() for name in (*CONTENTS, MANIFEST)):
            raise _Unfit(Condition.MISSING, f"There is no model in {folder}.")
        return parse(_read(path, MAX_MANIFEST_BYTES))
    except FileNotFoundError:
        raise _Unfit(Condition.INCOMPLETE, f"The model in {folder} has no {MANIFEST}.") from None
    except NotAManifest as error:
        raise _Unfit(Condition.UNREADABLE, f"{path} cannot be read: {error}.") from error
    except OtherFormat as error:
        raise _Unfit(Condition.OTHER_VERSION, f"{path} was made for another Recollect: {error}.") from error
    except OSError as error:
        raise _Unfit(Condition.UNREADABLE, f"{folder} cannot be read: {error.strerror or error}.") from error


def _content(path: Path, expected: FileFacts) -> bytes:
    try:
        content = _read(path, expected.size_bytes)
    except FileNotFoundError:
        raise _Unfit(Condition.INCOMPLETE, f"The model has lost its file {path}.") from None
    except OSError as error:
        raise _Unfit(Condition.UNREADABLE, f"{path} cannot be read: {error.strerror or error}.") from error
    if FileFacts.of(content) != expected:
        raise _Unfit(Condition.DAMAGED, f"{path} is not what was built: it differs from its hash.")
    return content


def _read(path: Path, size_bytes: int) -> bytes:
    """At most one byte more than there should be; never waits for a pipe that somebody put there."""
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:  # noqa: PTH123
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError("it is not a file")
        return file.read(size_bytes + 1)
