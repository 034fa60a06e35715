"""Change files: show the changes as a diff, then make all of them or none.

A new file is written beside its place and moved there; a file with other names or another owner is overwritten if it
cannot be kept otherwise. If a step fails, also by Ctrl-C, the steps before it are undone. A link is followed and stays a
link. Refuses a read-only file, and one that another program changes meanwhile. One installation at a time: see `lock_installation`.
"""

import fcntl
import os
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from recollect.domain.errors import InstallError

LOCK = "install.lock"
WAIT_S = 10.0  # an installation takes a fraction of a second


class ChangeKind(StrEnum):
    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEdit:
    path: Path
    before: bytes | None  # None: it does not exist
    after: bytes | None  # None: it is removed
    is_ours: bool = True  # False: the user's own file; every changed line is shown
    is_private: bool = False  # its new folder is readable by the user only

    @property
    def change(self) -> ChangeKind:
        if self.before == self.after:
            return ChangeKind.UNCHANGED
        if self.before is None:
            return ChangeKind.CREATED
        return ChangeKind.REMOVED if self.after is None else ChangeKind.UPDATED


def content(path: Path) -> bytes | None:
    """Return None if there is no such file. Refuses a folder and a broken link."""
    try:
        if not os.path.lexists(path):
            return None
        if not path.is_file() and os.path.lexists(path):
            raise InstallError(f"{path} is not a file, or is a broken link. Move it away first.")
        return path.read_bytes()
    except FileNotFoundError:  # removed just now
        return None
    except OSError as error:
        raise InstallError(f"{path} cannot be read: {_reason(error)}.") from error


def diff_of(edit: FileEdit) -> list[str]:
    import difflib  # only needed if there are changes

    old_name = "/dev/null" if edit.before is None else str(edit.path)
    new_name = "/dev/null" if edit.after is None else str(edit.path)
    lines = difflib.unified_diff(_lines(edit.before), _lines(edit.after), old_name, new_name)
    return [line.rstrip("\r\n") for line in lines]


def _lines(content: bytes | None) -> list[str]:
    return (content or b"").decode("utf-8-sig", "replace").splitlines(keepends=True)


@contextmanager
def lock_installation(folder: Path, wait_s: float = WAIT_S) -> Iterator[None]:
    path = folder / LOCK
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise InstallError(f"{path} cannot be written: {_reason(error)}. Nothing was changed.") from error
    try:
        _wait_for_lock(descriptor, path, wait_s)
        yield
    finally:
        os.close(descriptor)  # this releases the lock


def _wait_for_lock(descriptor: int, path: Path, wait_s: float) -> None:
    until = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= until:
                raise InstallError(
                    f"Another `recollect install` or `uninstall` is running (it has locked {path}). Try again when it is "
                    "done. Nothing was changed."
                ) from None
        except OSError as error:
            raise InstallError(f"{path} cannot be locked: {_reason(error)}. Nothing was changed.") from error
        time.sleep(0.05)


def apply_edits(edits: Sequence[FileEdit], folders: Iterable[Path] = ()) -> None:
    """Make all edits in this order, or none; then remove those `folders` that are empty."""
    check_edits(edits)
    done: list[_UndoStep] = []
    try:
        for edit in edits:
            if edit.change is ChangeKind.UNCHANGED:
                continue
            if content(edit.path) != edit.before:  # not written by us: it is not undone
                raise InstallError(f"{edit.path} was changed by another program meanwhile; try again.")
            done.append(_UndoStep.before(edit))
            _replace_file(edit.path, edit.before, edit.after, is_private=edit.is_private)
    except BaseException as error:  # Ctrl-C too: nothing stays half done
        not_undone = [str(step.edit.path) for step in reversed(done) if not step.undo()]
        outcome = f"Could not restore {', '.join(not_undone)}." if not_undone else "Nothing was changed."
        if isinstance(error, OSError):
            raise InstallError(f"{done[-1].edit.path} cannot be written: {_reason(error)}. {outcome}") from error
        if isinstance(error, InstallError):
            raise InstallError(f"{error} {outcome}") from error
        raise
    for folder in folders:
        with suppress(OSError):  # it has other files
            folder.rmdir()


def check_edits(edits: Iterable[FileEdit]) -> None:
    """Refuse edits that will fail, as far as that is known before any file is touched."""
    for edit in edits:
        if edit.change is not ChangeKind.UNCHANGED:
            _check_edit(edit)


def _check_edit(edit: FileEdit) -> None:
    for above in edit.path.parents:
        if above.is_symlink() and not above.exists():  # broken, or a link to itself
            raise InstallError(f"{above} is a broken link. Repair or remove it first. Nothing was changed.")
    place = edit.path.resolve()
    folder = next(parent for parent in place.parents if os.path.lexists(parent))
    if not folder.is_dir():
        raise InstallError(f"{folder} is not a folder; {edit.path} cannot be written. Nothing was changed.")
    if not os.access(folder, os.W_OK | os.X_OK) or not _may_be_written(folder):
        raise InstallError(f"The folder {folder} is read-only; {edit.path} cannot be written. Nothing was changed.")
    # A read-only file could still be replaced, but the user made it read-only for a reason.
    if edit.before is not None and not (os.access(place, os.W_OK) and _may_be_written(place)):
        raise InstallError(f"{edit.path} is read-only; `chmod u+w` it first. Nothing was changed.")


def _may_be_written(path: Path) -> bool:
    return bool(path.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))


@dataclass(frozen=True, slots=True)
class _UndoStep:
    edit: FileEdit
    link: str | None  # the target of a link that the edit may remove
    new_folders: tuple[Path, ...]  # that the edit will make, the innermost first

    @classmethod
    def before(cls, edit: FileEdit) -> "_UndoStep":
        link = os.readlink(edit.path) if edit.path.is_symlink() else None  # noqa: PTH115  # as it was written
        return cls(edit, link, tuple(_missing_folders(edit.path.parent)))

    def undo(self) -> bool:
        """Return True if the file is as before; never raise, so that the other edits are undone too."""
        edit = self.edit
        try:
            if self.link is not None and not edit.path.is_symlink():
                edit.path.symlink_to(self.link)
            elif content(edit.path) == edit.after:
                _replace_file(edit.path, edit.after, edit.before)
            is_undone = content(edit.path) == edit.before
        except (OSError, InstallError):
            is_undone = False
        for folder in self.new_folders:
            with suppress(OSError):
                folder.rmdir()
        return is_undone


def _missing_folders(folder: Path) -> Iterator[Path]:
    while not folder.exists():
        yield folder
        folder = folder.parent


def _replace_file(path: Path, before: bytes | None, after: bytes | None, *, is_private: bool = False) -> None:
    if after is None:
        path.unlink()
        return
    path.parent.mkdir(mode=0o700 if is_private else 0o777, parents=True, exist_ok=True)
    place = path.resolve()
    facts = None if before is None else place.stat()
    if before is not None and facts is not None and facts.st_nlink > 1:
        _overwrite(place, before, after)  # a new file would separate it from its other names
        return
    descriptor, name = tempfile.mkstemp(dir=place.parent, prefix=".recollect-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(after)
            file.flush()
            new_mode = 0o600 if is_private else 0o644
            os.fchmod(file.fileno(), new_mode if facts is None else stat.S_IMODE(facts.st_mode))
            has_owner = facts is None or _keep_owner(file.fileno(), facts)
            os.fsync(file.fileno())
        if before is None or has_owner:
            Path(name).replace(place)
            return
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    Path(name).unlink()
    _overwrite(place, before, after)


def _keep_owner(descriptor: int, facts: os.stat_result) -> bool:
    """Give a new file the owner of the file that it replaces; False if only root may do that."""
    if os.fstat(descriptor).st_uid == facts.st_uid and os.fstat(descriptor).st_gid == facts.st_gid:
        return True
    try:
        os.fchown(descriptor, facts.st_uid, facts.st_gid)
    except OSError:
        return False
    os.fchmod(descriptor, stat.S_IMODE(facts.st_mode))  # a change of owner may clear some mode bits
    return True


def _overwrite(place: Path, before: bytes, after: bytes) -> None:
    """Write into the same file. Unlike a new file this is not atomic: a failure is undone here."""
    try:
        _write(place, after)
    except BaseException:
        with suppress(OSError):
            _write(place, before)
        raise


def _write(place: Path, data: bytes) -> None:
    with place.open("r+b") as file:
        file.write(data)
        file.truncate()
        file.flush()
        os.fsync(file.fileno())


def _reason(error: OSError) -> str:
    return error.strerror or str(error)
