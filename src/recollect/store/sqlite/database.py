"""One SQLite file: opened safely, migrated, one writer at a time, readers beside it. Knows nothing about memories. The
writer is one connection, used by the thread that has the lock; a transaction runs in the thread that asked for it. A
file that cannot be written is opened read-only."""

import errno
import fcntl
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from functools import lru_cache
from operator import methodcaller
from pathlib import Path
from typing import Any

from recollect.domain.errors import StoreBusy, StoreDamaged, StoreError, StoreReadOnly, StoreTooNew, StoreUnusable
from recollect.store.sqlite import open_files
from recollect.store.sqlite.migrations import MIGRATIONS, Migration
from recollect.store.sqlite.writer_queue import STEP_S, WriterQueue
from recollect.system import create_private_file

BUSY_TIMEOUT_MS = 5_000
BACKUPS_KEPT = 3
# Upper limits, filled only as pages are used. A large import walks several indexes; there may be many readers.
WRITER_CACHE_KIB, READER_CACHE_KIB = 65_536, 8_192
RESIDENT_CACHE_KIB = 1_024  # in a long-running process: the system caches these pages too
MAX_IDLE_READERS = 3  # kept open for later reads; each has its own pages

# Accept invalid bytes: one damaged row must not stop the reading of all others.
decode_text = methodcaller("decode", "utf-8", "surrogateescape")

Values = Sequence[object] | Mapping[str, object]  # of a statement


class Database:
    """`path` None: everything is in memory, on one connection. `resident`: for a long-running process."""

    def __init__(self, path: Path | None, *, resident: bool = False) -> None:
        self.path = None if path is None else path.absolute()  # SQLite gives some bare names a special meaning
        self._name = "in memory" if path is None else str(path)
        self._writer_cache_kib, self._reader_cache_kib = WRITER_CACHE_KIB, READER_CACHE_KIB
        if resident:
            self._writer_cache_kib = self._reader_cache_kib = RESIDENT_CACHE_KIB
        self._write_lock = threading.RLock()
        self._queue = WriterQueue(self.path)
        self._wait_ms = BUSY_TIMEOUT_MS
        self._writer_thread: int | None = None
        self._idle_readers: list[sqlite3.Connection] = []
        self._readers_lock = threading.Lock()
        self._read_only_uri: str | None = None  # set: the file can only be read
        self._lock_descriptor: int | None = None
        self._files = () if self.path is None else open_files.file_names(self.path)
        # Of the files when they were opened; None: not open yet.
        self._identities: list[tuple[int, int] | None] | None = None
        try:
            with self._translating_errors(), self.translating_file_errors():
                self._open()
        except BaseException:
            self._unlock()
            raise

    def _open(self) -> None:
        try:
            self._open_for_writing()
        except UnicodeDecodeError as error:  # SQLite quotes text that it cannot decode
            raise sqlite3.DatabaseError("the schema is malformed") from error
        except (sqlite3.OperationalError, OSError) as error:
            if not _is_about_writing(error) or not self._open_for_reading():
                raise

    def _unlock(self) -> None:
        if self._lock_descriptor is not None:
            os.close(self._lock_descriptor)
            self._lock_descriptor = None

    @property
    def is_read_only(self) -> bool:
        return self._read_only_uri is not None

    @property
    def is_there(self) -> bool:
        """Return False if the file or its log was moved, deleted or replaced since it was opened."""
        return self._identities is None or open_files.identities(self._files) == self._identities

    @property
    def backup_folder(self) -> Path | None:
        return None if self.path is None else self.path.parent / "backups"

    def backups(self) -> list[Path]:
        """Return the oldest first."""
        folder = self.backup_folder
        return sorted(folder.glob("*.db")) if folder is not None and folder.is_dir() else []

    def write(self) -> AbstractContextManager[sqlite3.Connection]:
        """Open a transaction. A nested `write` joins it."""
        return nullcontext(self._writer) if self._writer_thread == threading.get_ident() else self._transaction()

    def read(self) -> AbstractContextManager[sqlite3.Connection]:
        """Open a reader. Inside a transaction it sees what that has written so far."""
        return _Reading(self)

    def fetch_all(self, statement: str, values: Values = ()) -> list[sqlite3.Row]:
        with _Reading(self) as connection:
            return connection.execute(statement, values).fetchall()

    def fetch_one(self, statement: str, values: Values = ()) -> Any:
        """Return the first row, or None."""
        with _Reading(self) as connection:
            return connection.execute(statement, values).fetchone()

    def count(self, statement: str, values: Values = ()) -> int:
        return int(self.fetch_one(statement, values)[0])

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        if self._read_only_uri is not None:
            raise StoreReadOnly(self._name)
        if not self.is_there:  # it would write into a file that has no name any more
            raise self._gone("nothing was changed")
        self._queue.announce()
        try:
            with self._write_lock:
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
                if not self.is_there:  # rather than report success
                    raise self._gone("what was just written may be lost")
        except sqlite3.Error as error:
            raise self._translate(str(error)) from error
        finally:
            self._queue.withdraw()

    def _begin(self) -> None:
        """Wait for other processes in short steps: SQLite's own steps grow to a tenth of a second and miss many gaps."""
        if self.path is None:  # no other process has it
            self._writer.execute("BEGIN IMMEDIATE")
            return
        give_up = time.monotonic() + self._wait_ms / 1000
        self._writer.execute("PRAGMA busy_timeout = 0")
        try:
            while True:
                is_late = time.monotonic() > give_up
                try:
                    self._writer.execute("BEGIN IMMEDIATE")
                except sqlite3.OperationalError as error:
                    if is_late or not _is_busy(str(error)):
                        raise
                else:
                    return
                time.sleep(STEP_S)
        finally:
            self._writer.execute(f"PRAGMA busy_timeout = {self._wait_ms}")

    def give_way(self) -> None:
        """Let waiting writers of any process go first. Does nothing inside a transaction."""
        if self._writer_thread != threading.get_ident():
            self._queue.let_others_pass()

    def copy_to(self, other: "Database") -> None:
        """Replace all content of the other database."""
        with self.read() as source, other._write_lock:
            source.backup(other._writer)

    def _gone(self, outcome: str) -> StoreUnusable:
        return StoreUnusable(
            f"The database {self._name}, or its log, was moved or deleted while it was open. If the daemon is "
            f"running, run `recollect restart`; {outcome}."
        )

    def close(self) -> None:
        with self._write_lock, self._readers_lock:
            end = sqlite3.Connection.close if self.is_there else open_files.leave_open
            for connection in (*self._idle_readers, self._writer):
                end(connection)
            self._idle_readers.clear()
            if self.path is not None:
                open_files.note_closed(self.path)
            self._queue.close()
            self._unlock()

    @contextmanager
    def giving_up_after(self, wait_ms: int) -> Iterator[None]:
        """Inside, raise StoreBusy if another writer, in this process or another, takes longer than this."""
        if not self._write_lock.acquire(timeout=wait_ms / 1000):
            raise StoreBusy(self._name, wait_ms)
        try:
            self._wait_ms = wait_ms
            yield
        finally:
            self._wait_ms = BUSY_TIMEOUT_MS
            self._write_lock.release()

    @contextmanager
    def without_transaction(self) -> Iterator[sqlite3.Connection]:
        """Yield the writer outside a transaction, for statements that SQLite refuses inside one (VACUUM, checkpoints)."""
        if self.is_read_only:
            raise StoreReadOnly(self._name)
        with self._write_lock, self._translating_errors():
            yield self._writer

    def back_up(self, name: str, source: sqlite3.Connection) -> None:
        """Copy what the source sees into a private file, which gets its name only when it is complete."""
        if self.backup_folder is None:
            return
        self.backup_folder.mkdir(mode=0o700, exist_ok=True)
        made = self.backup_folder / f"{name}.db"
        unfinished = made.with_suffix(".part")
        try:
            unfinished.unlink(missing_ok=True)
            _make_private_file(unfinished)
            with closing(sqlite3.connect(unfinished)) as target:
                source.backup(target)
                target.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
            unfinished.replace(made)
        except (sqlite3.Error, OSError):
            with suppress(OSError):
                unfinished.unlink()
            raise
        # If a migration fails at every start, its backups must not push out those of earlier versions.
        schema = name.rpartition("-")[0]
        same_schema = [old for old in self.backups() if old != made and old.name.startswith(f"{schema}-")]
        others = [old for old in self.backups() if old not in same_schema]
        for old in (*same_schema, *others[:-BACKUPS_KEPT]):
            old.unlink()

    def _open_for_writing(self) -> None:
        if self.path is not None:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock_descriptor = _take_shared_lock(self.path)
            self._refuse_a_lone_log(self.path)
            _make_private_file(self.path)
            _refuse_if_not_writable(self.path)
        self._writer = self._connect()
        self._writer.execute(f"PRAGMA cache_size = -{self._writer_cache_kib}")
        try:
            self._refuse_what_is_not_ours()
            self._switch_to_wal()
            self._migrate()
        except BaseException:
            self._writer.close()
            raise
        if self.path is not None:
            open_files.note_open(self.path)
            self._identities = open_files.identities(self._files)

    def _refuse_a_lone_log(self, path: Path) -> None:
        if open_files.has_lone_log(path):
            raise StoreUnusable(
                f"The database {self._name} is not there, but its log {self._files[1]} is: the database was moved or "
                "deleted without its log, which may have the newest memories. Move the database back to its place; "
                "if it is gone for good, move the log away to start a new one. Nothing was changed."
            )

    def _open_for_reading(self) -> bool:
        """Try to open the file read-only. It counts as immutable only if it has no log."""
        if self.path is None or not self.path.is_file():
            return False
        log = self.path.with_name(self.path.name + "-wal")
        has_log = log.exists() and log.stat().st_size > 0
        modes = ["mode=ro"] if has_log else ["mode=ro", "immutable=1"]
        for mode in modes:
            self._read_only_uri = f"{self.path.as_uri()}?{mode}"
            with suppress(sqlite3.OperationalError):
                self._writer = self._connect()
                if self._version() == len(MIGRATIONS):
                    open_files.note_open(self.path)
                    return True
                self._writer.close()
        self._read_only_uri = None
        return False

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._read_only_uri or self.path or ":memory:",
            uri=self._read_only_uri is not None,
            isolation_level=None,
            check_same_thread=False,
            timeout=BUSY_TIMEOUT_MS / 1000,
        )
        connection.row_factory = sqlite3.Row
        connection.text_factory = decode_text
        try:
            # The wait comes first: the very next statement may meet another process.
            connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(f"PRAGMA cache_size = -{self._reader_cache_kib}")
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("PRAGMA foreign_keys = ON")
        except BaseException:
            connection.close()  # else the exception keeps it open, and a repair may follow
            raise
        return connection

    def _refuse_what_is_not_ours(self) -> None:
        """Check before anything is changed. Tables and version are written together, so one statement sees both or neither."""
        foreign = self._writer.execute(
            "SELECT 1 FROM pragma_user_version WHERE user_version = 0 AND EXISTS (SELECT 1 FROM sqlite_schema)"
        ).fetchone()
        if foreign:
            raise StoreUnusable(f"The database {self._name} belongs to another program; nothing was changed.")

    def _switch_to_wal(self) -> None:
        """Needed once per file. SQLite itself does not wait here when other processes open the new file too."""
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
                "it was edited, or put together from two files. `recollect doctor --repair` builds a new one from all "
                "its rows; the old file is kept beside it."
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
        """A reader beside the open transaction sees the state before it, and no other process can write meanwhile."""
        if self.path is not None:
            with closing(self._connect()) as before:
                self.back_up(f"schema-{number - 1:03}-{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}", before)

    def _schema(self) -> tuple[int, int]:
        """Return the version in the header and the last migration, from one snapshot: another process may be migrating."""
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
    def _translating_errors(self) -> Iterator[None]:
        """Turn SQLite's errors into messages that a person can act on."""
        try:
            yield
        except sqlite3.Error as error:
            raise self._translate(str(error)) from error

    @contextmanager
    def translating_file_errors(self) -> Iterator[None]:
        """Do the same for the file system. Never around a caller's code, whose file errors are not about the database."""
        try:
            yield
        except OSError as error:
            raise StoreUnusable(
                f"The database {self._name} cannot be used: {error.strerror or error}. "
                "Check the folder's owner, its permissions and the free space."
            ) from error

    def _translate(self, said: str) -> StoreError:
        if _is_busy(said):
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
        return StoreError(f"SQLite error in the database {self._name}: {said}.")


class _Reading:
    """A reader, given back at the end. Not a generator: every prompt opens a dozen."""

    __slots__ = ("_database", "_reader")

    def __init__(self, database: Database) -> None:
        self._database = database
        self._reader: sqlite3.Connection | None = None  # None: the transaction of this thread

    def __enter__(self) -> sqlite3.Connection:
        database = self._database
        if database._writer_thread == threading.get_ident():
            return database._writer
        if database.path is None:
            database._write_lock.acquire()
            self._reader = database._writer
            return self._reader
        if not database.is_there:  # others cannot see its content; and for a new reader, SQLite would create a new file
            raise database._gone("nothing was changed")
        with database._readers_lock:
            self._reader = database._idle_readers.pop() if database._idle_readers else None
        try:
            self._reader = self._reader or database._connect()
        except sqlite3.Error as error:
            raise database._translate(str(error)) from error
        return self._reader

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        database, reader = self._database, self._reader
        if reader is None:
            return  # only the outermost `write` translates errors
        if database.path is None:
            database._write_lock.release()
        else:
            with database._readers_lock:
                is_wanted = len(database._idle_readers) < MAX_IDLE_READERS
                if is_wanted:
                    database._idle_readers.append(reader)
            if not is_wanted:
                reader.close()
        if isinstance(error, sqlite3.Error):
            raise database._translate(str(error)) from error


def columns_and_values(row: Mapping[str, object]) -> str:
    return _columns_and_values(tuple(row))


@lru_cache(maxsize=64)
def _columns_and_values(names: tuple[str, ...]) -> str:
    return f"({', '.join(names)}) VALUES ({', '.join(f':{name}' for name in names)})"


def assignments(row: Mapping[str, object]) -> str:
    return ", ".join(f"{name} = :{name}" for name in row)


def _is_busy(said: str) -> bool:
    return "locked" in said or "busy" in said


def _take_shared_lock(path: Path) -> int | None:
    """While it is locked, no repair replaces the file. None: the folder is not writable."""
    try:
        descriptor = os.open(lock_path(path), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
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
def exclusive_use(path: Path) -> Iterator[None]:
    """Refuse if another process has the database open."""
    descriptor = os.open(lock_path(path), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
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


def lock_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")


def _is_about_writing(error: Exception) -> bool:
    """Check whether only writing fails, because of the folder or the disk, so that reading may still work."""
    if isinstance(error, OSError):
        return isinstance(error, PermissionError) or error.errno in (errno.EROFS, errno.ENOSPC, errno.EDQUOT)
    return any(word in str(error) for word in ("readonly", "unable to open", "disk is full", "disk I/O"))


def _make_private_file(path: Path) -> None:
    """Create it 0600 in a 0700 folder, without opening it (see `open_files`). SQLite gives the log the same mode."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileExistsError):
        create_private_file(path.resolve())  # a link may point to the place for it


def _refuse_if_not_writable(path: Path) -> None:
    if not os.access(path, os.R_OK | os.W_OK):
        number = errno.EROFS if os.statvfs(path).f_flag & os.ST_RDONLY else errno.EACCES
        raise OSError(number, os.strerror(number), str(path))
