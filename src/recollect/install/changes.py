"""Files before and after: told as a diff, and then made all of them or none of them.

Each file is written whole beside its place and moved there; one with other names or another owner is overwritten, where
it cannot be kept otherwise. What fails half-way, Ctrl-C too, is undone. A link is followed and stays a link. Refuses a
read-only file, and one that somebody changes meanwhile. One installation at a time: see `alone`.
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
    """One file, as it is and as it shall be."""

    path: Path
    before: bytes | None  # None: it is not there
    after: bytes | None  # None: it shall not be there
    is_ours: bool = True  # False: somebody's own, of which every changed line is told
    is_private: bool = False  # its folder is made for nobody else

    @property
    def change(self) -> ChangeKind:
        if self.before == self.after:
            return ChangeKind.UNCHANGED
        if self.before is None:
            return ChangeKind.CREATED
        return ChangeKind.REMOVED if self.after is None else ChangeKind.UPDATED


def content(path: Path) -> bytes | None:
    """None: there is no such file. Refuses what is no file, and a link that leads nowhere."""
    try:
        if not os.path.lexists(path):
            return None
        if not path.is_file() and os.path.lexists(path):
            raise InstallError(f"{path} is not a file, or a link that leads nowhere; move it away first.")
        return path.read_bytes()
    except FileNotFoundError:  # since just now
        return None
    except OSError as error:
        raise InstallError(f"{path} cannot be read: {_why(error)}.") from error


def diff_of(edit: FileEdit) -> list[str]:
    """The changed lines with what stands around them, as `diff -u` has it."""
    import difflib  # only who changes something needs it

    before, after = (_lines(side) for side in (edit.before, edit.after))
    was, will_be = ("/dev/null" if side is None else str(edit.path) for side in (edit.before, edit.after))
    return [line.rstrip("\r\n") for line in difflib.unified_diff(before, after, was, will_be)]


def _lines(content: bytes | None) -> list[str]:
    return (content or b"").decode("utf-8-sig", "replace").splitlines(keepends=True)


@contextmanager
def lock_installation(folder: Path, wait_s: float = WAIT_S) -> Iterator[None]:
    """Nobody else whose state is in this folder installs or uninstalls meanwhile: whoever comes second waits."""
    path = folder / LOCK
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise InstallError(f"{path} cannot be written: {_why(error)}. Nothing was changed.") from error
    try:
        _wait_for(descriptor, path, wait_s)
        yield
    finally:
        os.close(descriptor)  # and with it the lock


def _wait_for(descriptor: int, path: Path, wait_s: float) -> None:
    until = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= until:
                raise InstallError(
                    f"Another `recollect install` or `uninstall` is at work (it holds {path}); try again when it is "
                    "done. Nothing was changed."
                ) from None
        except OSError as error:
            raise InstallError(f"{path} cannot be locked: {_why(error)}. Nothing was changed.") from error
        time.sleep(0.05)


def apply_edits(edits: Sequence[FileEdit], folders: Iterable[Path] = ()) -> None:
    """In this order, all or none; of `folders`, those that are empty afterwards are removed."""
    check_edits(edits)
    done: list[_UndoStep] = []
    try:
        for edit in edits:
            if edit.change is ChangeKind.UNCHANGED:
                continue
            _expect(edit)  # what is refused here was not written by us, and is not undone
            done.append(_UndoStep.before(edit))
            _put(edit.path, edit.before, edit.after, is_private=edit.is_private)
    except BaseException as error:  # Ctrl-C too: nothing is left half done
        left = [str(step.edit.path) for step in reversed(done) if not step.undo()]
        outcome = f"This could not be put back: {', '.join(left)}." if left else "Nothing was changed."
        if isinstance(error, OSError):
            raise InstallError(f"{done[-1].edit.path} cannot be written: {_why(error)}. {outcome}") from error
        if isinstance(error, InstallError):
            raise InstallError(f"{error} {outcome}") from error
        raise
    for folder in folders:
        with suppress(OSError):  # somebody else's files are in it
            folder.rmdir()


def _expect(edit: FileEdit) -> None:
    if content(edit.path) != edit.before:
        raise InstallError(f"{edit.path} was changed by somebody else meanwhile; try again.")


def check_edits(edits: Iterable[FileEdit]) -> None:
    """Refuses what cannot be made, as far as that can be known before anything is touched."""
    for edit in edits:
        if edit.change is not ChangeKind.UNCHANGED:
            _check(edit)


def _check(edit: FileEdit) -> None:
    for above in edit.path.parents:
        if above.is_symlink() and not above.exists():  # nowhere, or to itself
            raise InstallError(f"{above} is a link that leads nowhere; mend or remove it first. Nothing was changed.")
    place = edit.path.resolve()
    folder = next(place for place in place.parents if os.path.lexists(place))
    if not folder.is_dir():
        raise InstallError(f"{folder} is no folder; {edit.path} cannot be written. Nothing was changed.")
    if not os.access(folder, os.W_OK | os.X_OK) or not _may_be_written(folder):
        raise InstallError(f"The folder {folder} is read-only; {edit.path} cannot be written. Nothing was changed.")
    # A file could be replaced all the same; whoever made it read-only did not want that.
    if edit.before is not None and not (os.access(place, os.W_OK) and _may_be_written(place)):
        raise InstallError(f"{edit.path} is read-only; `chmod u+w` it first. Nothing was changed.")


def _may_be_written(path: Path) -> bool:
    return bool(path.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))


@dataclass(frozen=True, slots=True)
class _UndoStep:
    """What it takes to undo one edit."""

    edit: FileEdit
    link: str | None  # where a link led that may be removed
    made: tuple[Path, ...]  # folders that are not there yet, the innermost first

    @classmethod
    def before(cls, edit: FileEdit) -> "_UndoStep":
        link = os.readlink(edit.path) if edit.path.is_symlink() else None  # noqa: PTH115  # as it was written
        return cls(edit, link, tuple(_missing(edit.path.parent)))

    def undo(self) -> bool:
        """Whether all is as it was. What cannot be undone does not keep the rest from it."""
        edit = self.edit
        try:
            if self.link is not None and not edit.path.is_symlink():
                edit.path.symlink_to(self.link)
            elif content(edit.path) == edit.after:
                _put(edit.path, edit.after, edit.before)
            is_undone = content(edit.path) == edit.before
        except (OSError, InstallError):
            is_undone = False
        for folder in self.made:
            with suppress(OSError):
                folder.rmdir()
        return is_undone


def _missing(folder: Path) -> Iterator[Path]:
    while not folder.exists():
        yield folder
        folder = folder.parent


def _put(path: Path, before: bytes | None, after: bytes | None, *, is_private: bool = False) -> None:
    if after is None:
        path.unlink()
        return
    path.parent.mkdir(mode=0o700 if is_private else 0o777, parents=True, exist_ok=True)
    place = path.resolve()
    facts = None if before is None else place.stat()
    if before is not None and facts is not None and facts.st_nlink > 1:
        _overwrite(place, before, after)  # a new file in its place would part it from its other names
        return
    descriptor, name = tempfile.mkstemp(dir=place.parent, prefix=".recollect-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(after)
            file.flush()
            os.fchmod(file.fileno(), (0o600 if is_private else 0o644) if facts is None else stat.S_IMODE(facts.st_mode))
            is_kept = facts is None or _keeps_owner(file.fileno(), facts)
            os.fsync(file.fileno())
        if before is None or is_kept:
            Path(name).replace(place)
            return
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    Path(name).unlink()
    _overwrite(place, before, after)


def _keeps_owner(descriptor: int, facts: os.stat_result) -> bool:
    """Gives a new file the owner of the one whose place it takes; root may, others only where it is theirs."""
    if os.fstat(descriptor).st_uid == facts.st_uid and os.fstat(descriptor).st_gid == facts.st_gid:
        return True
    try:
        os.fchown(descriptor, facts.st_uid, facts.st_gid)
    except OSError:
        return False
    os.fchmod(descriptor, stat.S_IMODE(facts.st_mode))  # a new owner may cost some of it
    return True


def _overwrite(place: Path, before: bytes, after: bytes) -> None:
    """The very same file. Not at one blow, as a new one: what fails is taken back here."""
    try:
        _write(place, after)
    except BaseException:
        with suppress(OSError):
            _write(place, before)
        raise


def _write(place: Path, held: bytes) -> None:
    with place.open("r+b") as file:
        file.write(held)
        file.truncate()
        file.flush()
        os.fsync(file.fileno())


def _why(error: OSError) -> str:
    return error.strerror or str(error)
