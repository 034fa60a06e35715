"""The user's editor on a private file. What they wrote is never lost: it stays there unless it was taken."""

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from recollect.domain.errors import InvalidValue, RecollectError

USUAL = ("sensible-editor", "nano", "vi")


@dataclass(frozen=True, slots=True)
class EditorFile:
    path: Path
    said: str  # as the user left it


@contextmanager
def edited(text: str, name: str, folder: Path) -> Iterator[EditorFile]:
    """The text after the user edited it. Where what follows fails, the file stays, and the error says where."""
    command = _command()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # A folder of its own: editors leave copies beside what they edit.
    room = Path(tempfile.mkdtemp(prefix="edit-", dir=folder))
    path = room / name
    is_needed = False
    try:
        path.touch(mode=0o600)
        path.write_text(text, encoding="utf-8")
        _run(command, path)
        said = path.read_text(encoding="utf-8")
        is_needed = said != text
        yield EditorFile(path, said)
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
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    try:
        command = shlex.split(named or "") or [next(name for name in USUAL if shutil.which(name))]
    except ValueError:
        raise InvalidValue(f"$VISUAL or $EDITOR cannot be read as a command: {named!r}.") from None
    except StopIteration:
        raise InvalidValue("There is no editor: set $VISUAL or $EDITOR, or give the words with --text.") from None
    return command


def _run(command: list[str], path: Path) -> None:
    try:
        code = subprocess.run([*command, str(path)], check=False).returncode
    except OSError as error:
        raise InvalidValue(f"The editor {command[0]!r} cannot be started: {error.strerror}. Use --text.") from None
    if code:
        raise InvalidValue(f"The editor {command[0]!r} ended with {code}; nothing was changed.")
