"""Open the user's editor on a private file. A draft is never lost: the file stays unless its text was used."""

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recollect.domain.errors import InvalidValue, RecollectError

DEFAULT_EDITORS = ("sensible-editor", "nano", "vi")


@contextmanager
def edit_text(text: str, name: str, folder: Path) -> Iterator[str]:
    """Yield the text as the user left it. If the caller then fails, the file stays and the error names it."""
    command = _command()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # A folder of its own: editors leave copies beside the file they edit.
    room = Path(tempfile.mkdtemp(prefix="edit-", dir=folder))
    path = room / name
    is_needed = False
    try:
        path.touch(mode=0o600)
        path.write_text(text, encoding="utf-8")
        _run(command, path)
        draft = path.read_text(encoding="utf-8")
        is_needed = draft != text
        yield draft
        is_needed = False
    except UnicodeDecodeError as error:
        is_needed = True
        raise InvalidValue(f"The draft is not UTF-8 (byte {error.start}). It is kept in {path}.") from None
    except RecollectError as error:
        is_needed = is_needed or (path.exists() and path.read_bytes() != text.encode())
        kept = f" Your draft is kept in {path}." if is_needed else ""
        raise InvalidValue(f"{error}{kept}") from None
    finally:
        if not is_needed:
            shutil.rmtree(room, ignore_errors=True)


def _command() -> list[str]:
    configured = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        command = shlex.split(configured)
    except ValueError:
        raise InvalidValue(f"$VISUAL or $EDITOR is not a valid command: {configured!r}.") from None
    if command:
        return command
    for name in DEFAULT_EDITORS:
        if shutil.which(name):
            return [name]
    raise InvalidValue("No editor found: set $VISUAL or $EDITOR, or give the new text with --text.")


def _run(command: list[str], path: Path) -> None:
    try:
        code = subprocess.run([*command, str(path)], check=False).returncode
    except OSError as error:
        raise InvalidValue(f"The editor {command[0]!r} cannot be started: {error.strerror}. Use --text.") from None
    if code:
        raise InvalidValue(f"The editor {command[0]!r} ended with exit code {code}; nothing was changed.")
