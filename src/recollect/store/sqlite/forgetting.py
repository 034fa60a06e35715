"""Forgetting for good in SQLite: the rows, everything that quotes them, and the bytes that they leave behind.

Deleting is not enough: the words stay in the index's segments, in the write-ahead log and in backups. So a forgotten
memory leaves its id in `trace` until all of these are clean; whoever comes next goes on where a crash stopped it.
"""

import json
import re
import sqlite3
import time
from collections.abc import Collection, Iterator
from contextlib import closing
from pathlib import Path

from recollect.domain.memory import MemoryId
from recollect.store.sqlite import index
from recollect.store.sqlite.database import BUSY_TIMEOUT_MS, Database
from recollect.store.sqlite.rows import INJECTION_WORDS, TURN_WORDS, row_hash
from recollect.text.block import plain

FORGOTTEN = "[forgotten]"
SAMPLE_CHARS = 24  # a few pieces of a text tell whether it is still there: long texts lie on several pages
CHUNK_BYTES = 1 << 22


class Forgetting:
    _database: Database

    def purge(self, memories: Collection[MemoryId]) -> None:
        """The memories, their history and every quotation of them are deleted; `scrub` then cleans the bytes."""
        with self._database.write() as connection:
            for memory_id in memories:
                _delete(connection, memory_id, _tables(connection))
                connection.execute("INSERT OR IGNORE INTO trace VALUES (?)", (memory_id,))

    def scrub(self, words: Collection[str] = ()) -> bool:
        """Whether nothing is left behind. `words` are texts that must not be found in any file afterwards."""
        with self._database.read() as connection:
            traces = [MemoryId(row["memory"]) for row in connection.execute("SELECT memory FROM trace")]
        if not traces:
            return True
        with self._database.alone() as connection:
            for table in ("memory_words", "turn_words"):
                connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")
            clean = _empty_log(connection)
            if self._database.path is not None and any(_found(self._database.path, words)):
                connection.execute("VACUUM")  # a page that was rearranged may hold a copy that no table knows of
                clean = _empty_log(connection)
        for backup in self._database.backups():
            _rewrite(backup, traces)
        if clean:
            with self._database.write() as connection:
                connection.execute("DELETE FROM trace")
            with self._database.alone() as connection:
                clean = _empty_log(connection)
        return clean


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


def _rewrite(backup: Path, memories: Collection[MemoryId]) -> None:
    """A backup without them. One that cannot be rewritten is not kept: forgotten means gone."""
    try:
        with closing(sqlite3.connect(backup, isolation_level=None)) as connection:
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("BEGIN IMMEDIATE")
            tables = _tables(connection)
            for memory_id in memories:
                _delete(connection, memory_id, tables)
            connection.execute("COMMIT")
            for table in {"memory_words", "turn_words"} & tables:
                connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")
            connection.execute("VACUUM")
    except sqlite3.Error:
        backup.unlink()


def _tables(connection: sqlite3.Connection) -> frozenset[str]:
    """A backup may be older than some tables."""
    rows = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    return frozenset(row["name"] for row in rows)


def _delete(connection: sqlite3.Connection, memory_id: MemoryId, tables: frozenset[str]) -> None:
    row = connection.execute("SELECT * FROM memory WHERE id = ?", (memory_id,)).fetchone()
    if row is not None:
        index.drop_memory(connection, row["n"])
        connection.execute("DELETE FROM memory WHERE n = ?", (row["n"],))
        if "turn" in tables:
            _cut_from_turns(connection, row)
    if "change" in tables:
        connection.execute("DELETE FROM change WHERE memory = ?", (memory_id,))
    if "injection" in tables:
        _cut_from_blocks(connection, memory_id)


def _cut_from_turns(connection: sqlite3.Connection, memory: sqlite3.Row) -> None:
    """What the session said: the sentence wherever it stands word for word, else the whole message it came from."""
    for text in (memory["text"], *json.loads(memory["evidence"])):
        sentence = re.compile(r"\s+".join(map(re.escape, text.split())), re.IGNORECASE)
        for turn in _turns_with(connection, text):
            _rewrite_turn(connection, turn, sentence.sub(FORGOTTEN, turn["text"]))
    source = connection.execute(
        "SELECT * FROM turn WHERE session = ? AND message = ?", (memory["session"], memory["message"])
    ).fetchone()
    if source is not None and FORGOTTEN not in source["text"]:
        _rewrite_turn(connection, source, FORGOTTEN)


def _turns_with(connection: sqlite3.Connection, text: str) -> Iterator[sqlite3.Row]:
    """Turns with all words of a text: few, whatever the size of the archive."""
    query = index.all_of(text)
    if query:
        yield from connection.execute(
            "SELECT * FROM turn WHERE n IN (SELECT rowid FROM turn_words WHERE turn_words MATCH ?)", (query,)
        ).fetchall()


def _rewrite_turn(connection: sqlite3.Connection, turn: sqlite3.Row, text: str) -> None:
    if text == turn["text"]:
        return
    changed = row_hash({**dict(turn), "text": text}, TURN_WORDS)
    connection.execute("UPDATE turn SET text = ?, hash = ? WHERE n = ?", (text, changed, turn["n"]))
    index.drop_turn(connection, turn["n"])
    index.add_turn(connection, turn["n"], turn["project"], text)


def _cut_from_blocks(connection: sqlite3.Connection, memory_id: MemoryId) -> None:
    """The line of a memory in what was sent. A host that asks for that block again gets it without the line."""
    shown_as = plain(memory_id)
    rows = connection.execute("SELECT * FROM injection WHERE instr(block, ?)", (shown_as,)).fetchall()
    for row in rows:
        ids = [shown for shown in json.loads(row["ids"]) if shown != memory_id]
        lines = [line for line in row["block"].split("\n") if not line.endswith(f", {shown_as})")]
        changed = {**dict(row), "ids": json.dumps(ids), "block": "\n".join(lines) if ids else ""}
        changed["hash"] = row_hash(changed, INJECTION_WORDS)
        also = ", hash = :hash" if "hash" in row.keys() else ""  # noqa: SIM118  # a Row is asked for its columns
        connection.execute(
            f"UPDATE injection SET ids = :ids, block = :block{also} "
            "WHERE session = :session AND message = :message AND context = :context",
            changed,
        )


def _found(path: Path, words: Collection[str]) -> Iterator[bool]:
    """Whether pieces of these texts are in the bytes of a file."""
    pieces = [piece.encode() for text in words for piece in _pieces(text)]
    if not pieces:
        return
    longest = max(map(len, pieces))
    with path.open("rb") as file:
        tail = b""
        while chunk := file.read(CHUNK_BYTES):
            yield any(piece in tail + chunk for piece in pieces)
            tail = chunk[-longest:]


def _pieces(text: str) -> Iterator[str]:
    for start in {0, max(0, len(text) // 2 - SAMPLE_CHARS // 2), max(0, len(text) - SAMPLE_CHARS)}:
        yield text[start : start + SAMPLE_CHARS]
