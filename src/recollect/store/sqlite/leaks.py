"""Secrets in rows: found by `doctor`, and taken out by its repair.

Nothing of the kind is written any more, but an older version knew fewer kinds of secrets. Works on a copy of the
database too, also of an older schema. Names, which are keys, are left as they are.
"""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import MAX_NAME_CHARS, MAX_TEXT_CHARS, MAX_TITLE_CHARS, Anchor, Memory
from recollect.privacy.secrets import redact, redact_name
from recollect.store.sqlite import inbox, index, quotations, recaps, vectors
from recollect.store.sqlite.rows import (
    INJECTION_HASH_COLUMNS,
    DamagedRow,
    current_row,
    is_sound,
    memory_of,
    memory_row,
    row_hash,
)
from recollect.store.sqlite.session_rows import recap_of
from recollect.text.block import retold, sayings

TABLES = {
    "memory": "memories",
    "turn": "turns",
    "change": "entries of the history",
    "injection": "blocks",
    "recap": "notes of sessions",
    "inbox": "events that wait",
}


def count_rows(connection: sqlite3.Connection, table: str) -> int:
    """How many rows of a table hold what looks like a secret."""
    return sum(1 for row in connection.execute(f"SELECT * FROM {table}") if has_secret(table, row))


def remove_secrets(connection: sqlite3.Connection) -> list[str]:
    """From every row that can be read; what was taken out."""
    secrets: list[str] = []
    for table in [table for table in TABLES if table in quotations.table_names(connection)]:
        secrets += remove_from_rows(connection, table, connection.execute(f"SELECT * FROM {table}").fetchall())
    return list(dict.fromkeys(secrets))


def remove_from_rows(connection: sqlite3.Connection, table: str, rows: Iterable[sqlite3.Row]) -> list[str]:
    """From these rows of a table; what was taken out."""
    rewrite: dict[str, Callable[[sqlite3.Connection, sqlite3.Row], None]] = {
        "memory": _rewrite_memory,
        "turn": lambda kept, row: quotations.rewrite_turn(kept, row, redact(row["text"]).text),
        "change": _rewrite_change,
        "injection": _rewrite_block,
        "recap": _rewrite_recap,
        "inbox": lambda kept, row: inbox.rewrite_event(kept, row, lambda said: redact(said).text),
    }
    secrets: list[str] = []
    for row in rows:
        if has_secret(table, row):
            secrets += [secret for said in _said_in(table, row) for secret in _secrets_of(said)]
            rewrite[table](connection, row)
    return list(dict.fromkeys(secrets))


def without_secrets(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row that is written beside the database; it may have a path in any of its values."""
    return {name: redact_name(value) if isinstance(value, str) else value for name, value in row.items()}


def line_without_secrets(line: str) -> str:
    try:
        row = json.loads(line)
    except ValueError:
        return redact_name(line)
    safe = without_secrets(row)
    return line if safe == row else json.dumps(safe, ensure_ascii=False)


def has_secret(table: str, row: sqlite3.Row) -> bool:
    return any(redact(said).found for said in _said_in(table, row))


def _secrets_of(said: str) -> Iterator[str]:
    for secret in redact(said).found:
        yield said[secret.start : secret.end]


def _said_in(table: str, row: sqlite3.Row) -> list[str]:
    """The words of a row; nothing of a damaged one, which is mended otherwise."""
    match table:
        case "turn":
            return [row["text"]]
        case "injection":
            return sayings(row["block"])
        case "recap":
            recap = recap_of(row)
            return [] if recap is None else recap.lines
        case "inbox":
            return inbox.texts_of(row) if is_sound(row, inbox.INBOX_HASH_COLUMNS) else []
        case "memory":
            memory = _memory(dict(row))
        case _:
            memory = _before(row)
    if memory is None:
        return []
    names = [part for anchor in memory.anchors for part in (anchor.path, *anchor.path.split("/"))]
    return [memory.text, memory.title or "", *memory.aliases, *memory.evidence, *names]


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


def _redacted(memory: Memory) -> Memory:
    return replace(
        memory,
        text=_safe(memory.text, MAX_TEXT_CHARS),
        title=None if memory.title is None else _safe(memory.title, MAX_TITLE_CHARS),
        aliases=tuple(_safe(alias, MAX_NAME_CHARS) for alias in memory.aliases),
        evidence=tuple(_safe(sentence, MAX_TEXT_CHARS) for sentence in memory.evidence),
        anchors=tuple(Anchor(redact_name(anchor.path)[:MAX_NAME_CHARS], anchor.hash) for anchor in memory.anchors),
    )


def _safe(text: str, most: int) -> str:
    """A mark may be longer than the secret was."""
    return redact(text).text[:most]


def _rewrite_memory(connection: sqlite3.Connection, row: sqlite3.Row) -> None:
    memory = _memory(dict(row))
    assert memory is not None  # it was read a moment ago
    safe = _redacted(memory)
    columns = {name: value for name, value in memory_row(safe).items() if name in row.keys()}  # noqa: SIM118
    named = ", ".join(f"{name} = :{name}" for name in columns)
    connection.execute(f"UPDATE memory SET {named} WHERE n = :n", {**columns, "n": row["n"]})
    if safe.forgotten_at is None:
        index.drop_memory(connection, row["n"])
        index.add_memory(connection, row["n"], index.memory_entry(safe))
        if "memory_vector" in quotations.table_names(connection):
            vectors.enqueue_again(connection, "memory", row["n"])


def _rewrite_change(connection: sqlite3.Connection, row: sqlite3.Row) -> None:
    before = _before(row)
    assert before is not None
    told = json.dumps(memory_row(_redacted(before)), ensure_ascii=False)
    connection.execute("UPDATE change SET before = ? WHERE n = ?", (told, row["n"]))


def _rewrite_block(connection: sqlite3.Connection, row: sqlite3.Row) -> None:
    safe = {**dict(row), "block": retold(row["block"], lambda said: redact(said).text)}
    if "hash" in safe and not is_sound(row, INJECTION_HASH_COLUMNS):
        connection.execute(
            f"DELETE FROM injection WHERE {quotations.block_condition(safe)}", safe
        )  # damaged: nobody gets it anyhow
        return
    hashed = ", hash = :hash" if "hash" in safe else ""
    safe["hash"] = row_hash(safe, INJECTION_HASH_COLUMNS)
    connection.execute(f"UPDATE injection SET block = :block{hashed} WHERE {quotations.block_condition(safe)}", safe)


def _rewrite_recap(connection: sqlite3.Connection, row: sqlite3.Row) -> None:
    recap = recap_of(row)
    assert recap is not None  # it was read a moment ago
    recaps.rewrite(connection, recap.retold(lambda line: redact(line).text))
