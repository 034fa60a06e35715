"""Secrets in rows: `doctor` finds them, and its repair removes them. New rows have none, but an older version knew
fewer kinds of secrets. Works on a copy of the database too, also with an older schema. Names that are keys stay as they
are."""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import MAX_NAME_CHARS, Memory, all_texts, rewrite_memory
from recollect.privacy.secrets import redact, redact_identifier
from recollect.store.sqlite import delete_quotes, inbox, index, recaps, vectors
from recollect.store.sqlite.database import assignments
from recollect.store.sqlite.rows import (
    INJECTION_HASHED,
    DamagedRow,
    current_row,
    is_sound,
    memory_of,
    memory_row,
    recap_of,
    row_hash,
)
from recollect.text.block import rewrite_texts, texts_in

TABLES = {
    "memory": "memories",
    "turn": "turns",
    "change": "entries of the history",
    "injection": "blocks",
    "recap": "notes of sessions",
    "inbox": "waiting events",
}


def count_rows(connection: sqlite3.Connection, table: str) -> int:
    """Count the rows that seem to have a secret."""
    return sum(has_secret(table, row) for row in connection.execute(f"SELECT * FROM {table}"))


def remove_secrets(connection: sqlite3.Connection) -> list[str]:
    """Remove them from every row that can be read, and return them."""
    secrets: list[str] = []
    for table in [table for table in TABLES if table in delete_quotes.table_names(connection)]:
        secrets += remove_from_rows(connection, table, connection.execute(f"SELECT * FROM {table}").fetchall())
    return list(dict.fromkeys(secrets))


def remove_from_rows(connection: sqlite3.Connection, table: str, rows: Iterable[sqlite3.Row]) -> list[str]:
    secrets: list[str] = []
    for row in rows:
        if has_secret(table, row):
            for text in _texts_in(table, row):
                secrets += [text[secret.start : secret.end] for secret in redact(text).found]
            _rewrite(connection, table, row)
    return list(dict.fromkeys(secrets))


def _rewrite(connection: sqlite3.Connection, table: str, row: sqlite3.Row) -> None:
    match table:
        case "memory":
            _rewrite_memory(connection, row)
        case "turn":
            delete_quotes.rewrite_turn(connection, row, _redact(row["text"]))
        case "change":
            _rewrite_change(connection, row)
        case "injection":
            _rewrite_block(connection, row)
        case "recap":
            _rewrite_recap(connection, row)
        case "inbox":
            inbox.rewrite_event(connection, row, _redact)


def without_secrets(row: Mapping[str, Any]) -> dict[str, Any]:
    """Redact a row that is written beside the database; any of its values may contain a path."""
    safe = dict(row)
    for name, value in row.items():
        if isinstance(value, str):
            safe[name] = redact_identifier(value)
    return safe


def line_without_secrets(line: str) -> str:
    try:
        row = json.loads(line)
    except ValueError:
        return redact_identifier(line)
    safe = without_secrets(row)
    return line if safe == row else json.dumps(safe, ensure_ascii=False)


def has_secret(table: str, row: sqlite3.Row) -> bool:
    return any(redact(text).found for text in _texts_in(table, row))


def _texts_in(table: str, row: sqlite3.Row) -> list[str]:
    """Return nothing for a damaged row, which the repair handles otherwise."""
    match table:
        case "turn":
            return [row["text"]]
        case "injection":
            return texts_in(row["block"])
        case "recap":
            recap = recap_of(row)
            return [] if recap is None else recap.lines
        case "inbox":
            return inbox.texts_of(row) if is_sound(row, inbox.INBOX_HASHED) else []
        case "memory":
            memory = _memory(dict(row))
        case _:
            memory = _before(row)
    if memory is None:
        return []
    texts = all_texts(memory)
    for anchor in memory.anchors:
        texts += [anchor.path, *anchor.path.split("/")]
    return texts


def _memory(row: Mapping[str, Any]) -> Memory | None:
    try:
        return memory_of(current_row({"n": 0, **row}))
    except (DamagedRow, InvalidValue, ValueError, KeyError):
        return None


def _before(change: sqlite3.Row) -> Memory | None:
    try:
        return None if change["before"] is None else _memory(json.loads(change["before"]))
    except ValueError:
        return None


def _redact(text: str) -> str:
    return redact(text).text


def _redact_memory(memory: Memory) -> Memory:
    anchors = tuple(replace(anchor, path=redact_identifier(anchor.path)[:MAX_NAME_CHARS]) for anchor in memory.anchors)
    return replace(rewrite_memory(memory, _redact), anchors=anchors)


def _rewrite_memory(connection: sqlite3.Connection, row: sqlite3.Row) -> None:
    memory = _memory(dict(row))
    assert memory is not None  # it was read a moment ago
    safe = _redact_memory(memory)
    columns = {name: value for name, value in memory_row(safe).items() if name in row.keys()}  # noqa: SIM118
    connection.execute(f"UPDATE memory SET {assignments(columns)} WHERE n = :n", {**columns, "n": row["n"]})
    if safe.forgotten_at is None:
        index.drop_memory(connection, row["n"])
        index.add_memory(connection, row["n"], index.memory_entry(safe))
        if "memory_vector" in delete_quotes.table_names(connection):
            vectors.enqueue_again(connection, "memory", row["n"])


def _rewrite_change(connection: sqlite3.Connection, row: sqlite3.Row) -> None:
    before = _before(row)
    assert before is not None  # it was read a moment ago
    safe = json.dumps(memory_row(_redact_memory(before)), ensure_ascii=False)
    connection.execute("UPDATE change SET before = ? WHERE n = ?", (safe, row["n"]))


def _rewrite_block(connection: sqlite3.Connection, row: sqlite3.Row) -> None:
    safe = {**dict(row), "block": rewrite_texts(row["block"], _redact)}
    condition = delete_quotes.block_condition(safe)
    if "hash" not in safe:
        connection.execute(f"UPDATE injection SET block = :block WHERE {condition}", safe)
    elif is_sound(row, INJECTION_HASHED):
        safe["hash"] = row_hash(safe, INJECTION_HASHED)
        connection.execute(f"UPDATE injection SET block = :block, hash = :hash WHERE {condition}", safe)
    else:
        connection.execute(f"DELETE FROM injection WHERE {condition}", safe)  # damaged: it is never shown


def _rewrite_recap(connection: sqlite3.Connection, row: sqlite3.Row) -> None:
    recap = recap_of(row)
    assert recap is not None  # it was read a moment ago
    recaps.rewrite(connection, recap.rewrite_lines(_redact))
