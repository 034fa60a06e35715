"""Forgetting for good in SQLite: the rows, everything that quotes them, and the bytes that they leave behind.

Deleting is not enough: the words stay in the index's segments, in the write-ahead log and in backups. So a forgotten
memory, and a deleted session, leaves its id in `trace` until all of these are clean; whoever comes next goes on where a
crash stopped it.
"""

import json
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from pathlib import Path

from recollect.domain.memory import MemoryId, ProjectId, SessionId
from recollect.store.sqlite import deletion, holdings, inbox, leaks, open_files, quotations
from recollect.store.sqlite.database import BUSY_TIMEOUT_MS, Database, decode_text

PIECES, PIECE_CHARS = 16, 24  # so much of a text tells whether it is still there: long texts lie on several pages
MANY_TEXTS = 50
MERGED_PAGES = 64  # of an index at a time, which takes some milliseconds
SECRET_TRACE = MemoryId("\t")  # the trace of one: no memory is called so


class Erasure:
    _database: Database

    def purge(self, memories: Collection[MemoryId]) -> list[str]:
        with self._database.translating_file_errors(), self._database.write() as connection:
            for unfinished in self._delete_unfinished():
                unfinished.unlink()
            said = quotations.delete_memories(connection, memories)
            connection.executemany("INSERT OR IGNORE INTO trace VALUES (?)", [(memory_id,) for memory_id in memories])
        return said

    def purges(self) -> int:
        with self._database.read() as connection:
            return int(connection.execute("SELECT count(*) AS n FROM deed WHERE kind = 'purge'").fetchone()["n"])

    def delete_session(self, session: SessionId) -> bool:
        with self._database.translating_file_errors(), self._database.write() as connection:
            if not deletion.is_known(connection, session):
                return False
            for unfinished in self._delete_unfinished():
                unfinished.unlink()
            deletion.delete_session(connection, session)
            connection.execute("INSERT OR IGNORE INTO trace VALUES (?)", (deletion.session_trace(session),))
        return True

    def delete_sessions(self, sessions: Collection[SessionId]) -> None:
        with self._database.translating_file_errors(), self._database.write() as connection:
            for unfinished in self._delete_unfinished():
                unfinished.unlink()
            for session in sessions:
                gone = inbox.erased_names(connection, session) | deletion.opt_out_names(connection, session)
                deletion.delete_session(connection, session, sessions)
                inbox.note_erased(connection, session, gone)
                connection.execute("INSERT OR IGNORE INTO trace VALUES (?)", (deletion.session_trace(session),))

    def erase_project(self, project: ProjectId) -> None:
        with self._database.write() as connection:
            holdings.erase_names(connection, project)
            connection.execute("INSERT OR IGNORE INTO trace VALUES (?)", (deletion.project_trace(project),))

    def remove_secrets(self) -> int:
        """From rows that an older version wrote, and from every copy; how many were taken out. Copies come first: as
        long as the database has one itself, whoever comes after a crash knows that there is something to do."""
        with self._database.translating_file_errors():
            for copy in self._copies():
                rewrite_copy(copy, leaks.remove_secrets, [])
            for aside in self._files_beside("damaged-*.jsonl"):
                rewrite_lines(aside, leaks.line_without_secrets)
            with self._database.write() as connection:
                secrets = leaks.remove_secrets(connection)
                if secrets:
                    connection.execute("INSERT OR IGNORE INTO trace VALUES (?)", (SECRET_TRACE,))
        self.scrub(secrets)
        return len(secrets)

    def scrub(self, said: Collection[str] = ()) -> bool:
        with self._database.read() as connection:
            traces = [row["memory"] for row in connection.execute("SELECT memory FROM trace")]
        if not traces:
            return True
        memories, sessions = deletion.split_traces(traces)
        for table in ("memory_words", "turn_words"):
            self._rewrite_index(table)
        with self._database.without_transaction() as connection:
            clean = _empty_log(connection)
        if clean and self._may_have_left(said, sessions):  # nobody waits while the file is searched
            with self._database.without_transaction() as connection:
                connection.execute("VACUUM")
                clean = _empty_log(connection)
        with self._database.translating_file_errors():
            for copy in self._copies():
                rewrite_copy(
                    copy, lambda opened: deletion.delete_traces(opened, traces, said), [*said, *memories, *sessions]
                )
            for aside in self._files_beside("damaged-*.jsonl"):
                rewrite_lines(
                    aside, lambda line: None if _speaks_of(line, memories, said) or _is_of(line, sessions) else line
                )
        if clean:
            with self._database.write() as connection:  # not those that somebody else has left meanwhile
                connection.executemany("DELETE FROM trace WHERE memory = ?", [(trace,) for trace in traces])
            with self._database.without_transaction() as connection:
                clean = _empty_log(connection)
        return clean

    def _rewrite_index(self, table: str) -> None:
        """As 'optimize' does, in steps: others write between them. The first one marks all of it to be merged."""
        pages, has_more = -MERGED_PAGES, True
        while has_more:
            with self._database.without_transaction() as connection:
                before = connection.total_changes
                connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('merge', ?)", (pages,))
                has_more = connection.total_changes - before >= 2  # so FTS5 says that it did something
            pages = MERGED_PAGES
            self._database.give_way()

    def _may_have_left(self, said: Collection[str], sessions: Collection[SessionId]) -> bool:
        """A page that was rearranged may hold a copy that no table knows of; only who knows the words can look. To look
        for very many takes longer than to write the file anew."""
        path = self._database.path
        if path is None:
            return False
        return bool(sessions) or not 0 < len(said) <= MANY_TEXTS or _found(path, said)

    def _copies(self) -> list[Path]:
        """Every other database that may hold what this one held: backups, and damaged files that were kept."""
        path = self._database.path
        kept = [] if path is None else self._files_beside(f"{path.name}.damaged-*")
        copies = [*self._database.backups(), *(copy for copy in kept if not copy.name.endswith(("-wal", "-shm")))]
        return [copy for copy in copies if not open_files.is_live(copy)]

    def _files_beside(self, pattern: str) -> list[Path]:
        """Not the open files themselves under another name, as a repair that was interrupted leaves them, and links."""
        path = self._database.path
        found = [] if path is None else sorted(path.parent.glob(pattern))
        return [file for file in found if not open_files.is_live(file)]

    def _delete_unfinished(self) -> list[Path]:
        """What a crash left of backups and repairs: nobody makes one while we write."""
        path, folder = self._database.path, self._database.backup_folder
        if path is None or folder is None:
            return []
        return [
            *folder.glob("*.part*"),
            *self._files_beside(f"{path.name}.salvaged*"),
            *self._files_beside(f"{path.name}.headed"),
        ]


def _empty_log(connection: sqlite3.Connection) -> bool:
    """Whether everything is in the file itself now. Somebody who still reads an older state keeps the log busy."""
    give_up = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if not busy:
            return True
        if time.monotonic() > give_up:
            return False
        time.sleep(0.02)


def rewrite_copy(copy: Path, clean: Callable[[sqlite3.Connection], object], gone: Collection[str]) -> None:
    """A clean copy. One that cannot be rewritten goes if it has what must be gone, and only then: it may be all there
    is."""
    try:
        with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
            connection.row_factory = sqlite3.Row
            connection.text_factory = decode_text
            connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("BEGIN IMMEDIATE")
            clean(connection)
            connection.execute("COMMIT")
            for table in {"memory_words", "turn_words"} & quotations.table_names(connection):
                connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")
            connection.execute("VACUUM")
    except sqlite3.Error:
        files = [copy.with_name(copy.name + suffix) for suffix in ("", "-wal", "-shm", "-journal")]
        if any(_found(file, gone) for file in files if file.exists() and not open_files.is_live(file)):
            for file in files:
                file.unlink(missing_ok=True)


def rewrite_lines(aside: Path, clean: Callable[[str], str | None]) -> None:
    """Damaged rows that were written beside the database; None: such a line goes."""
    lines = aside.read_text(encoding="utf-8").split("\n")
    kept = [line for line in map(clean, lines) if line is not None]
    if kept != lines:
        unfinished = aside.with_name(f"{aside.name}.part")
        unfinished.unlink(missing_ok=True)
        unfinished.touch(mode=0o600, exist_ok=False)
        unfinished.write_text("\n".join(kept), encoding="utf-8")
        unfinished.replace(aside)


def _speaks_of(line: str, memories: Collection[MemoryId], said: Collection[str]) -> bool:
    try:
        row = json.loads(line)
    except ValueError:
        return any(text in line for text in (*memories, *said))
    if row.get("id") in memories or row.get("memory") in memories:
        return True
    values = [value for value in row.values() if isinstance(value, str)]
    plain = "\n".join([*values, *(value.encode().decode("unicode_escape", "replace") for value in values)])
    return any(text in plain or json.dumps(text, ensure_ascii=False)[1:-1] in plain for text in said)


def _is_of(line: str, sessions: Collection[SessionId]) -> bool:
    """Whether a row belongs to a session; a memory that was learnt in one belongs to nobody."""
    try:
        row = json.loads(line)
    except ValueError:
        return any(session in line for session in sessions)
    return row.get("session") in sessions and row.get("table") != "memory"


def _found(path: Path, texts: Collection[str]) -> bool:
    """Whether pieces of these texts are in the bytes of a file."""
    return open_files.has_bytes(
        path, [piece.encode("utf-8", "surrogateescape") for text in texts for piece in _pieces(text)]
    )


def _pieces(text: str) -> Iterator[str]:
    """A short text wholly; a long one at places that are spread over it."""
    step = max(PIECE_CHARS, len(text) // PIECES)
    for start in range(0, len(text), step):
        yield text[start : start + PIECE_CHARS]
