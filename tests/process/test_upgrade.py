"""A database of an older version: what it had ended in doubt is valid again after the upgrade, as commands show."""

import json
import sqlite3
from contextlib import closing

from recollect.domain.history import DeedKind
from recollect.domain.memory import MemoryId
from recollect.engine.remember import supersede
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW
from tests.process.conftest import Home
from tests.requirements import covers

DOUBTFUL = ("The billing service is written in Kotlin.", "The cache was moved out of the billing service.")
TRUE = ("The beta is on port 8080.", "The beta is now on port 9443, no longer on 8080.")


def as_an_older_version_left_it(home: Home) -> list[MemoryId]:
    """With replacements that sessions made, under the schema before."""
    ids = [(MemoryId("doubtful"), MemoryId("beside")), (MemoryId("outdated"), MemoryId("newer"))]
    told = zip((*ids[0], *ids[1]), (*DOUBTFUL, *TRUE), strict=True)
    records = [json.dumps({"id": memory_id, "text": text, "time": "2026-01-01"}) for memory_id, text in told]
    home.said("import", "-", stdin="\n".join(records).encode())
    store = SqliteStore(home.places.database)
    for old, new in ids:
        ended, taking = store.get(old), store.get(new)
        assert ended is not None
        assert taking is not None
        with store.writing():
            deed = store.begin_deed(DeedKind.LEARN, NOW, "opencode", {"session": "s1"})
            supersede(store, ended, taking, deed)
    store.close()
    with closing(sqlite3.connect(home.places.database)) as connection:
        connection.executescript("DROP TABLE chore; DELETE FROM migration WHERE number > 11; PRAGMA user_version = 11")
    return [old for old, _ in ids]


@covers("CAP-10")
def test_doctor_repairs_what_an_older_version_ended_in_doubt_and_undo_takes_it_back(home: Home) -> None:
    doubtful, outdated = as_an_older_version_left_it(home)
    assert "1 memory that an older version had ended in doubt" in home.recollect("doctor", "--repair").stdout.decode()
    assert home.json("show", doubtful)["status"] == "live"
    assert home.json("show", outdated)["status"] == "superseded"
    assert "valid again" in home.said("history", doubtful)
    assert "valid again" in home.recollect("status").stdout.decode()
    (line,) = [line for line in home.said("undo", "--list").splitlines() if "in doubt" in line]
    home.said("undo", line.split()[0])
    assert home.json("show", doubtful)["status"] == "superseded"
    assert list((home.places.database.parent / "backups").glob("*.db"))
