"""One SQLite file: opened safely, migrated, one writer at a time, readers beside it. Knows nothing of memories.

The writer is one connection, owned by the thread that has the lock; a transaction runs in the thread that asked for it.
A file that cannot be written is opened for reading alone.
"""

import errno
import fcntl
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from pathlib import Path

from recollect.domain.errors import StoreBusy, StoreDamaged, StoreError, StoreReadOnly, StoreTooNew, StoreUnusable
from recollect.store.sqlite import open_files
from recollect.store.sqlite.migrations import MIGRATIONS, Migration
from recollect.store.sqlite.writer_queue import STEP_S, WriterQueue
from recollect.system import create_private_file

BUSY_TIMEOUT_MS = 5_000
BACKUPS_KEPT = 3
# Of pages, at most and only as they are used. An import of many walks several indexes; readers may be many.
WRITER_CACHE_KIB, READER_CACHE_KIB = 65_536, 8_192
RESIDENT_CACHE_KIB = 1_024  # of a process that stays: the system keeps these pages too
IDLE_READERS = 3  # kept for the next who ask; each has its pages


class Database:
    """`path` None keeps everything in memory, on one connection. `resident`: in a process that stays."""

    def __init__(self, path: Path | None, *, resident: bool = False) -> None:
        self._path = None if path is None else path.absolute()  # SQLite has a meaning of its own for some bare names
        self._name = "in memory" if path is None else str(path)
        self._writer_cache_kib = RESIDENT_CACHE_KIB if resident else WRITER_CACHE_KIB
        self._reader_cache_kib = RESIDENT_CACHE_KIB if resident else READER_CACHE_KIB
        self._writing = threading.RLock()
        self._waiting = WriterQueue(self._path)
        self._wait_ms = BUSY_TIMEOUT_MS
        self._writer_thread: int | None = None
        self._idle_readers: list[sqlite3.Connection] = []
        self._readers_lock = threading.Lock()
        self._read_only_uri: str | None = None  # set: the file can be read, and that is all
        self._lock: int | None = None
        self._files = () if self._path is None else open_files.names(self._path)
        self._opened: list[tuple[int, int] | None] | None = None  # what they were on the disk; None: not yet open
        try:
            with self._speaking(), self.speaking_of_files():
                self._open()
        except BaseException:
            self._unlock()
            raise

    def _open(self) -> None:
        try:
            self._open_for_writing()
        except UnicodeDecodeError as error:  # SQLite quotes what it cannot read
            raise sqlite3.DatabaseError("the schema is malformed") from error
        except (sqlite3.OperationalError, OSError) as error:
            if not _is_about_writing(error) or not self._open_for_reading():
                raise

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    @property
    def path(self) -> Path | None:
        return self._path

    @property
    def is_read_only(self) -> bool:
        return self._read_only_uri is not None

    @property
    def is_there(self) -> bool:
        """Whether the file that was opened, and its log, still are those under their names."""
        return self._opened is None or open_files.identities(self._files) == self._opened

    @property
    def backup_folder(self) -> Path | None:
        return None if self._path is None else self._path.parent / "backups"

    def backups(self) -> list[Path]:
        """The oldest first."""
        folder = self.backup_folder
        return sorted(folder.glob("*.db")) if folder is not None and folder.is_dir() else []

    def write(self) -> AbstractContextManager[sqlite3.Connection]:
        """A transaction. Inside one, a further `write` joins it."""
        return self._joined() or self._transaction()

    def read(self) -> AbstractContextManager[sqlite3.Connection]:
        """Inside a transaction: what it has written so far."""
        return self._joined() or self._reading()

    def _joined(self) -> AbstractContextManager[sqlite3.Connection] | None:
        """The open transaction of this thread, if there is one; the outermost `write` speaks for all inside it."""
        return nullcontext(self._writer) if self._writer_thread == threading.get_ident() else None

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        if self.is_read_only:
            raise StoreReadOnly(self._name)
        self._refuse_if_gone()  # it would be written into a file that nobody finds
        with self._waiting.announced(), self._writing, self._speaking():
            self._begin()
            self._writer_thread = threading.get_ident()
            try:
                yield self._writer
                self._writer.execute("COMMIT")
            except BaseException:
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                raise
            finally:
                self._writer_thread = None
            self._refuse_if_gone("what was just written may be lost")  # rather than say that it is kept

    def _begin(self) -> None:
        """Waits for other processes in short steps: SQLite's own grow to a tenth of a second, and miss many a gap."""
        if self._path is None:  # there is no other one
            self._writer.execute("BEGIN IMMEDIATE")
            return
        give_up = time.monotonic() + self._wait_ms / 1000
        self._writer.execute("PRAGMA busy_timeout = 0")
        try:
            while not self._has_begun(raises=time.monotonic() > give_up):
                time.sleep(STEP_S)
        finally:
            self._writer.execute(f"PRAGMA busy_timeout = {self._wait_ms}")

    def _has_begun(self, *, raises: bool) -> bool:
        try:
            self._writer.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if raises or not _is_busy(error):
                raise
            return False
        return True

    def give_way(self) -> None:
        """Lets others write who wait for it, in whatever process. Inside a transaction nobody can."""
        if self._joined() is None:
            self._waiting.let_pass()

    def copied_to(self, other: "Database") -> None:
        """Everything that is here now takes the place of what is there."""
        with self.read() as source, other._writing:  # another one of us
            source.backup(other._writer)

    def _refuse_if_gone(self, outcome: str = "nothing was changed") -> None:
        if not self.is_there:
            raise StoreUnusable(
                f"The database {self._name}, or its log, was moved or deleted while it was open. If a daemon has it "
                f"open, `recollect restart`; {outcome}."
            )

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        if self._path is None:
            with self._writing, self._speaking():
                yield self._writer
            return
        self._refuse_if_gone()  # nobody else finds what it has; and for a new reader, SQLite would make a new one
        with self._readers_lock:
            reader = self._idle_readers.pop() if self._idle_readers else None
        with self._speaking():
            reader = reader or self._connect()
            try:
                yield reader
            finally:
                self._put_back(reader)

    def _put_back(self, reader: sqlite3.Connection) -> None:
        with self._readers_lock:
            is_wanted = len(self._idle_readers) < IDLE_READERS
            if is_wanted:
                self._idle_readers.append(reader)
        if not is_wanted:
            reader.close()

    def close(self) -> None:
        with self._writing, self._readers_lock:
            end = sqlite3.Connection.close if self.is_there else open_files.leave_open
            for connection in (*self._idle_readers, self._writer):
                end(connection)
            self._idle_readers.clear()
            self._note_closed()
            self._waiting.close()
            self._unlock()

    def _note_closed(self) -> None:
        if self._path is not None:
            open_files.note_closed(self._path)

    @contextmanager
    def giving_up_after(self, wait_ms: int) -> Iterator[None]:
        """Inside, nobody waits longer than so for somebody else who writes, in this process or another."""
        if not self._writing.acquire(timeout=wait_ms / 1000):
            raise StoreBusy(self._name, wait_ms)
        try:
            self._wait_ms = wait_ms
            yield
        finally:
            self._wait_ms = BUSY_TIMEOUT_MS
            self._writing.release()

    @contextmanager
    def alone(self) -> Iterator[sqlite3.Connection]:
        """The writer outside of a transaction, for what SQLite refuses inside of one (VACUUM, checkpoints)."""
        if self.is_read_only:
            raise StoreReadOnly(self._name)
        with self._writing, self._speaking():
            yield self._writer

    def back_up(self, name: str, source: sqlite3.Connection) -> Path | None:
        """A copy of what the source sees, private and whole: it has its name only when it is complete."""
        if self.backup_folder is None:
            return None
        self.backup_folder.mkdir(mode=0o700, exist_ok=True)
        made = self.backup_folder / f"{name}.db"
        unfinished = made.with_suffix(".part")
        try:
            unfinished.unlink(missing_ok=True)
            _make_private_file(unfinished)
            with closing(sqlite3.connect(unfinished)) as target:
                source.backup(target)
                target.execute("PRAGMA journal_mode = DELETE")  # one file, with no log beside it whoever opens it
            unfinished.replace(made)
        except (sqlite3.Error, OSError):
            with suppress(OSError):
                unfinished.unlink()
            raise
        # Where a migration fails at every start, its backups must not push out those of earlier versions.
        schema = name.rpartition("-")[0]
        again = [old for old in self.backups() if old != made and old.name.startswith(f"{schema}-")]
        for old in (*again, *[old for old in self.backups() if old not in again][:-BACKUPS_KEPT]):
            old.unlink()
        return made

    def _open_for_writing(self) -> None:
        if self._path is not None:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = _shared_lock(self._path)
            self._refuse_a_lone_log(self._path)
            _make_private_file(self._path)
            _refuse_if_not_writable(self._path)
        self._writer = self._connect()
        self._writer.execute(f"PRAGMA cache_size = -{self._writer_cache_kib}")
        try:
            self._refuse_what_is_not_ours()
            self._switch_to_wal()
            self._migrate()
        except BaseException:
            self._writer.close()
            raise
        if self._path is not None:
            open_files.note_open(self._path)
            self._opened = open_files.identities(self._files)

    def _refuse_a_lone_log(self, path: Path) -> None:
        if open_files.has_lone_log(path):
            raise StoreUnusable(
                f"The database {self._name} is not there, but its log {self._files[1]} is: it was moved or deleted "
                "without it, and what was written last may be in the log alone. Move the database back to its place; "
                "if it is gone for good, move the log away to begin anew. Nothing was changed."
            )

    def _open_for_reading(self) -> bool:
        """Whether the file can at least be read. It is only trusted not to change where nobody can write its log."""
        if self._path is None or not self._path.is_file():
            return False
        log = self._path.with_name(self._path.name + "-wal")
        has_log = log.exists() and log.stat().st_size > 0
        for how in ("mode=ro", *([] if has_log else ["immutable=1"])):
            self._read_only_uri = f"{self._path.as_uri()}?{how}"
            with suppress(sqlite3.OperationalError):
                self._writer = self._connect()
                if self._version() == len(MIGRATIONS):
                    open_files.note_open(self._path)
                    return True
                self._writer.close()
        self._read_only_uri = None
        return False

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._read_only_uri or self._path or ":memory:",
            uri=self._read_only_uri is not None,
            isolation_level=None,
            check_same_thread=False,
            timeout=BUSY_TIMEOUT_MS / 1000,
        )
        connection.row_factory = sqlite3.Row
        connection.text_factory = as_text
        try:
            # The wait comes first: the very next statement may meet another process.
            connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(f"PRAGMA cache_size = -{self._reader_cache_kib}")
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("PRAGMA foreign_keys = ON")
        except BaseException:
            connection.close()  # else the error itself would keep it open, and a repair comes next
            raise
        return connection

    def _refuse_what_is_not_ours(self) -> None:
        """Before anything is changed. Tables and version come together, so one statement sees both or neither."""
        foreign = self._writer.execute(
            "SELECT 1 FROM pragma_user_version WHERE user_version = 0 AND EXISTS (SELECT 1 FROM sqlite_schema)"
        ).fetchone()
        if foreign:
            raise StoreUnusable(f"The database {self._name} belongs to another program; nothing was changed.")

    def _switch_to_wal(self) -> None:
        """Once for the life of a file. SQLite does not wait here by itself when others open the new file too."""
        give_up = time.monotonic() + BUSY_TIMEOUT_MS / 1000
        while True:
            try:
                self._writer.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > give_up:
                    raise
                time.sleep(0.01)
            else:
                return

    def _migrate(self) -> None:
        done, noted = self._schema()
        newest = max(done, noted)
        if newest > len(MIGRATIONS):
            raise StoreTooNew(
                f"The database {self._name} was written by a newer Recollect (schema {newest}, this one knows "
                f"{len(MIGRATIONS)}). Update Recollect; nothing was changed."
            )
        if done != noted:
            raise StoreDamaged(
                f"The database {self._name} says that it is of schema {done}, but its tables are of schema {noted}: "
                "it was edited, or put together from two. `recollect doctor --repair` makes a new one of all its "
                "rows; the old file is kept beside it."
            )
        for number, migration in enumerate(MIGRATIONS[done:], start=done + 1):
            self._apply(number, migration, backed_up=number > done + 1)

    def _apply(self, number: int, migration: Migration, *, backed_up: bool) -> None:
        with self.write() as connection:
            if self._version() >= number:  # another process was faster
                return
            if number > 1 and not backed_up:
                self._back_up_before(number)
            connection.execute(
                "CREATE TABLE IF NOT EXISTS migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT"
            )
            for statement in migration.statements:
                connection.execute(statement)
            if migration.then is not None:
                migration.then(connection)
            connection.execute("INSERT INTO migration VALUES (?, ?)", (number, migration.name))
            connection.execute(f"PRAGMA user_version = {number}")

    def _back_up_before(self, number: int) -> None:
        """A reader beside the open transaction sees the state before it, and nobody else can write meanwhile."""
        if self._path is not None:
            with closing(self._connect()) as before:
                self.back_up(f"schema-{number - 1:03}-{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}", before)

    def _schema(self) -> tuple[int, int]:
        """As the header says, and as the migrations have noted: one snapshot, for another process may be migrating."""
        self._writer.execute("BEGIN")
        try:
            known = self._writer.execute("SELECT 1 FROM sqlite_schema WHERE name = 'migration'").fetchone()
            last = "SELECT coalesce(max(number), 0) FROM migration" if known else "SELECT 0"
            (noted,) = self._writer.execute(last).fetchone()
            return self._version(), int(noted)
        finally:
            self._writer.execute("COMMIT")

    def back_up_now(self) -> None:
        self._back_up_before(len(MIGRATIONS) + 1)

    def _version(self) -> int:
        (version,) = self._writer.execute("PRAGMA user_version").fetchone()
        return int(version)

    @contextmanager
    def _speaking(self) -> Iterator[None]:
        """Turn what SQLite says into what a person can act on."""
        try:
            yield
        except sqlite3.Error as error:
            raise self._in_words(error) from error

    @contextmanager
    def speaking_of_files(self) -> Iterator[None]:
        """The same for the file system; not around the code of others, whose files are none of our business."""
        try:
            yield
        except OSError as error:
            raise StoreUnusable(
                f"The database {self._name} cannot be used: {error.strerror or error}. "
                "Check the folder's owner, its permissions and the free space."
            ) from error

    def _in_words(self, error: sqlite3.Error) -> StoreError:
        said = str(error)
        if _is_busy(error):
            return StoreBusy(self._name, BUSY_TIMEOUT_MS)
        if "not a database" in said:
            return StoreDamaged(
                f"{self._name} is not a SQLite database; nothing was changed. If it was one, "
                "`recollect doctor --repair` saves what can be read; else move it away."
            )
        if "malformed" in said:
            return StoreDamaged(
                f"The database {self._name} is damaged ({said}). `recollect doctor --repair` saves what can be read; "
                "the damaged file is kept beside it."
            )
        if "readonly" in said or "unable to open" in said:
            return StoreUnusable(
                f"The database {self._name} cannot be opened or written ({said}). "
                "Check its folder's owner and permissions."
            )
        if "full" in said or "disk I/O error" in said:
            return StoreUnusable(f"{self._name} cannot be written ({said}). Is the disk full? Free some space.")
        return StoreError(f"The database {self._name} answered: {said}.")


def _is_busy(error: sqlite3.Error) -> bool:
    return any(word in str(error) for word in ("locked", "busy"))


def _shared_lock(path: Path) -> int | None:
    """Held while the database is open: nobody replaces the file under our feet. None where nothing can be written."""
    try:
        descriptor = os.open(lock_of(path), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError:
        return None
    give_up = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            if time.monotonic() > give_up:
                os.close(descriptor)
                raise StoreBusy(str(path), BUSY_TIMEOUT_MS) from None
            time.sleep(0.02)
        else:
            return descriptor


@contextmanager
def alone_on(path: Path) -> Iterator[None]:
    """Nobody else has the database open, or it is said that somebody has."""
    descriptor = os.open(lock_of(path), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise StoreUnusable(
                f"Other programs have the database {path} open. Close them first (`recollect stop`, agents, pipes)."
            ) from None
        yield
    finally:
        os.close(descriptor)


def lock_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")


def as_text(stored: bytes) -> str:
    """Also of bytes that the disk has changed: one broken row must not stop the reading of all others."""
    return stored.decode("utf-8", "surrogateescape")


def _is_about_writing(error: Exception) -> bool:
    """Whether reading may still work: the folder or the disk does not take writes, the file itself is fine."""
    if isinstance(error, OSError):
        return isinstance(error, PermissionError) or error.errno in (errno.EROFS, errno.ENOSPC, errno.EDQUOT)
    return any(word in str(error) for word in ("readonly", "unable to open", "disk is full", "disk I/O"))


def _make_private_file(path: Path) -> None:
    """The folder is 0700 and the file 0600 from their first moment on; SQLite gives its WAL the mode of the file. It is
    made without being opened: see `live`."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileExistsError):
        create_private_file(path.resolve())  # a link may lead to where it shall be made


def _refuse_if_not_writable(path: Path) -> None:
    if not os.access(path, os.R_OK | os.W_OK):
        number = errno.EROFS if os.statvfs(path).f_flag & os.ST_RDONLY else errno.EACCES
        raise OSError(number, os.strerror(number), str(path))
