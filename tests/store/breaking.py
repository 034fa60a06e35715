"""A database to break, ways to break it, and how to see what is left."""

from pathlib import Path
from typing import Any

from recollect.domain.health import Health
from recollect.domain.memory import MemoryId, Viewer
from recollect.store.sqlite.database import Database
from recollect.store.sqlite.store import SqliteStore
from recollect.text.words import index_words
from tests.builders import PROJECT, a_memory
from tests.searching import memories_found

HERE = Viewer(project=PROJECT)
VICTIM = MemoryId("victim")


def fill(path: Path, text: str = "Auth uses a zebra token.", *, others: int = 60, **fields: Any) -> None:
    store = SqliteStore(path)
    with store.transaction():
        for n in range(others):
            store.add(a_memory(f"Other fact {n}. " * (1 + n % 9), id=MemoryId(f"m{n}")))
            if n == others // 2:
                store.add(a_memory(text, id=VICTIM, **fields))
    store.close()


def flip(path: Path, sought: bytes, *, to: bytes | None = None, at: int = 0) -> None:
    """One byte of the file is not what it was: a bit, or one that makes no character at all."""
    data = bytearray(path.read_bytes())
    where = data.find(sought)
    assert where >= 0, "it is not in the file as it stands"
    data[where + at : where + at + 1] = to or bytes([data[where + at] ^ 1])
    path.write_bytes(data)


def back_up(path: Path, name: str = "schema-004-20260101T000000") -> None:
    database = Database(path)
    with database.read() as connection:
        database.back_up(name, connection)
    database.close()


def problems(store: SqliteStore) -> list[str]:
    return [finding.says for finding in store.check() if finding.health is not Health.FINE]


def texts_found(store: SqliteStore, query: str) -> list[str]:
    return [memory.text for memory in memories_found(store, index_words(query), HERE, limit=99, injectable=True)]
