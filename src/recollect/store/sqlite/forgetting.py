"""Forgets for good in SQLite: the rows, everything that quotes them, and the bytes that they leave behind. Deleting
rows is not enough: their words stay in the index's segments, in the write-ahead log and in backups. So a forgotten
memory or deleted session leaves its id in `trace` until all of these are clean. After a crash, the next process
continues from there."""

import json
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from pathlib import Path

from recollect.domain.changes import Erasures
from recollect.domain.memory import MemoryId, ProjectId, SessionId
from recollect.store.sqlite import delete_quotes, deletion, inbox, open_files, storage_counts, stored_secrets
from recollect.store.sqlite.database import BUSY_TIMEOUT_MS, Database, decode_text

PIECES, PIECE_CHARS = 16, 24  # pieces of a text to search for: a long text is spread over several pages
MANY_TEXTS = 50
MERGED_PAGES = 64  # of an index at a time, which takes some milliseconds
SECRET_TRACE = MemoryId("\t")  # no memory has this id
_NOTE_TRACE = "INSERT OR IGNORE INTO trace VALUES (?)"
PURGES, DELETIONS = (
    "\tpurges",
    "\tdeletions",
)  # their counters, in a table of counters by project: no project has such an id
_COUNT = "INSERT INTO turn_change VALUES (?, 1) ON CONFLICT DO UPDATE SET times = times + 1"


class Erasure:
    _database: Database

    def purge(self, memories: Collection[MemoryId]) -> list[str]:
        with self._database.translating_file_errors(), self._database.write() as connection:
            self._delete_unfinished()
            texts = delete_quotes.delete_memories(connection, memories, ())
            connection.executemany(_NOTE_TRACE, [(memory_id,) for memory_id in memories])
            connection.execute(_COUNT, (PURGES,))
        return texts

    def count_erasures(self) -> Erasures:
        rows = self._database.fetch_all("SELECT * FROM turn_change WHERE project IN (?, ?)", (PURGES, DELETIONS))
        counts = {row["project"]: row["times"] for row in rows}
        return Erasures(counts.get(PURGES, 0), counts.get(DELETIONS, 0))

    def delete_session(self, session: SessionId) -> bool:
        with self._database.translating_file_errors(), self._database.write() as connection:
            if not deletion.is_known(connection, session):
                return False
            self._delete_unfinished()
            deletion.delete_session(connection, session)
            connection.execute(_NOTE_TRACE, (deletion.session_trace(session),))
            connection.execute(_COUNT, (DELETIONS,))
        return True

    def delete_sessions(self, sessions: Collection[SessionId]) -> None:
        with self._database.translating_file_errors(), self._database.write() as connection:
            self._delete_unfinished()
            for session in sessions:
                names = inbox.find_erased(connection, session) | deletion.opt_out_names(connection, session)
                deletion.delete_session(connection, session, sessions)
                inbox.note_erased(connection, session, names)
                connection.execute(_NOTE_TRACE, (deletion.session_trace(session),))
            connection.execute(_COUNT, (DELETIONS,))

    def erase_project(self, project: ProjectId) -> None:
        with self._database.write() as connection:
            storage_counts.erase_names(connection, project)
            connection.execute(_NOTE_TRACE, (deletion.project_trace(project),))

    def remove_secrets(self) -> int:
        """Remove secrets from rows that an older version wrote, and from every copy; return their number. Copies come
        first: after a crash, a secret that is still in the database itself shows that there is work left."""
        with self._database.translating_file_errors():
            for copy in self._copies():
                rewrite_copy(copy, stored_secrets.remove_secrets, [])
            for aside in self._files_beside("damaged-*.jsonl"):
                rewrite_lines(aside, stored_secrets.line_without_secrets)
            with self._database.write() as connection:
                secrets = stored_secrets.remove_secrets(connection)
                if secrets:
                    connection.execute(_NOTE_TRACE, (SECRET_TRACE,))
        self.scrub(secrets)
        return len(secrets)

    def scrub(self, texts: Collection[str] = ()) -> bool:
        traces = [row["memory"] for row in self._database.fetch_all("SELECT memory FROM trace")]
        if not traces:
            return True
        memories, sessions = deletion.separate_traces(traces)
        for table in ("memory_words", "turn_words"):
            self._rewrite_index(table)
        with self._database.without_transaction() as connection:
            is_clean = _empty_log(connection)
        if is_clean and self._may_have_left(texts, sessions):  # other writers do not wait while the file is searched
            with self._database.without_transaction() as connection:
                connection.execute("VACUUM")
                is_clean = _empty_log(connection)

        def clean(line: str) -> str | None:
            return None if _mentions(line, memories, texts) or _belongs_to(line, sessions) else line

        with self._database.translating_file_errors():
            for copy in self._copies():
                rewrite_copy(
                    copy, lambda opened: deletion.delete_traces(opened, traces, texts), [*texts, *memories, *sessions]
                )
            for aside in self._files_beside("damaged-*.jsonl"):
                rewrite_lines(aside, clean)
        if is_clean:
            with self._database.write() as connection:  # only these: another process may have left new traces
                connection.executemany("DELETE FROM trace WHERE memory = ?", [(trace,) for trace in traces])
            with self._database.without_transaction() as connection:
                is_clean = _empty_log(connection)
        return is_clean

    def _rewrite_index(self, table: str) -> None:
        """As 'optimize' does, in steps: others write between them. The first step marks all of it for merging."""
        pages, has_more = -MERGED_PAGES, True
        while has_more:
            with self._database.without_transaction() as connection:
                before = connection.total_changes
                connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('merge', ?)", (pages,))
                has_more = connection.total_changes - before >= 2  # how FTS5 reports that it did something
            pages = MERGED_PAGES
            self._database.give_way()

    def _may_have_left(self, texts: Collection[str], sessions: Collection[SessionId]) -> bool:
        """A rearranged page may contain a copy that no table refers to, and only a search for the words finds it.
        Searching for very many texts takes longer than rewriting the file."""
        path = self._database.path
        if path is None:
            return False
        return bool(sessions) or not 0 < len(texts) <= MANY_TEXTS or _has_text(path, texts)

    def _copies(self) -> list[Path]:
        """Return every other database that may have the same content: backups, and damaged files that were kept."""
        path = self._database.path
        copies = self._database.backups()
        if path is not None:
            kept = self._files_beside(f"{path.name}.damaged-*")
            copies += [file for file in kept if not file.name.endswith(("-wal", "-shm"))]
        return [copy for copy in copies if not open_files.is_live(copy)]

    def _files_beside(self, pattern: str) -> list[Path]:
        """Leave out links to the open files, and their other names, which an interrupted repair leaves."""
        path = self._database.path
        files = [] if path is None else sorted(path.parent.glob(pattern))
        return [file for file in files if not open_files.is_live(file)]

    def _delete_unfinished(self) -> None:
        """Delete what a crash left of backups and repairs: no other process makes one while we write."""
        path, folder = self._database.path, self._database.backup_folder
        if path is None or folder is None:
            return
        repairs = [*self._files_beside(f"{path.name}.salvaged*"), *self._files_beside(f"{path.name}.headed")]
        for file in (*folder.glob("*.part*"), *repairs):
            file.unlink()


def _empty_log(connection: sqlite3.Connection) -> bool:
    """Move the log into the file. False: a reader of an older state keeps the log busy."""
    give_up = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if not busy:
            return True
        if time.monotonic() > give_up:
            return False
        time.sleep(0.02)


def rewrite_copy(copy: Path, clean: Callable[[sqlite3.Connection], object], gone: Collection[str]) -> None:
    """Clean a copy. If that fails, delete it only if it has a text that must be gone: it may be the only copy."""
    try:
        with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
            connection.row_factory = sqlite3.Row
            connection.text_factory = decode_text
            connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("BEGIN IMMEDIATE")
            clean(connection)
            connection.execute("COMMIT")
            for table in {"memory_words", "turn_words"} & delete_quotes.table_names(connection):
                connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")
            connection.execute("VACUUM")
    except sqlite3.Error:
        files = [*open_files.side_files(copy), copy.with_name(f"{copy.name}-journal")]
        if any(_has_text(file, gone) for file in files if file.exists() and not open_files.is_live(file)):
            for file in files:
                file.unlink(missing_ok=True)


def rewrite_lines(aside: Path, clean: Callable[[str], str | None]) -> None:
    """Clean a file of damaged rows; `clean` returns None for a line to delete."""
    lines = aside.read_text(encoding="utf-8").split("\n")
    kept = [line for line in map(clean, lines) if line is not None]
    if kept != lines:
        unfinished = aside.with_name(f"{aside.name}.part")
        unfinished.unlink(missing_ok=True)
        unfinished.touch(mode=0o600, exist_ok=False)
        unfinished.write_text("\n".join(kept), encoding="utf-8")
        unfinished.replace(aside)


def _mentions(line: str, memories: Collection[MemoryId], texts: Collection[str]) -> bool:
    try:
        row = json.loads(line)
    except ValueError:
        return any(text in line for text in (*memories, *texts))
    if row.get("id") in memories or row.get("memory") in memories:
        return True
    values = [value for value in row.values() if isinstance(value, str)]
    unescaped = [value.encode().decode("unicode_escape", "replace") for value in values]
    content = "\n".join([*values, *unescaped])
    return any(text in content or json.dumps(text, ensure_ascii=False)[1:-1] in content for text in texts)


def _belongs_to(line: str, sessions: Collection[SessionId]) -> bool:
    """Check whether a row belongs to one of the sessions; a memory belongs to none, also one learnt there."""
    try:
        row = json.loads(line)
    except ValueError:
        return any(session in line for session in sessions)
    return row.get("session") in sessions and row.get("table") != "memory"


def _has_text(path: Path, texts: Collection[str]) -> bool:
    pieces: list[bytes] = []
    for text in texts:
        pieces += [piece.encode("utf-8", "surrogateescape") for piece in _pieces(text)]
    return open_files.has_bytes(path, pieces)


def _pieces(text: str) -> Iterator[str]:
    """Yield the whole of a short text, and pieces spread over a long one."""
    step = max(PIECE_CHARS, len(text) // PIECES)
    for start in range(0, len(text), step):
        yield text[start : start + PIECE_CHARS]
