"""A database of an older version after the upgrade, as commands show it: what had ended in doubt is valid again, what
today's rules would not confirm is a candidate."""

import json
import sqlite3
from contextlib import closing

from recollect.domain.changes import ChangeAction
from recollect.domain.memory import MemoryId, Role, SessionId, Source
from recollect.engine.memories.remember import remember, supersede
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, a_draft
from tests.process.conftest import Home
from tests.process.hook_stage import eventually
from tests.requirements import covers
from tests.store import schemas
from tests.store.schemas.contents import FULL

DOUBTFUL = ("The billing service is written in Kotlin.", "The cache was moved out of the billing service.")
LASTING, ONE_OFF = "Always run the migrations with alembic.", "Please look at the login page, it is broken again."
CAPTURED = Source(role=Role.USER, host="opencode", session=SessionId("s1"))
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
        with store.transaction():
            deed = store.begin_change(ChangeAction.LEARN, NOW, "opencode", {"session": "s1"})
            supersede(store, ended, taking, deed)
    store.close()
    under_the_schema_before(home)
    return [old for old, _ in ids]


def under_the_schema_before(home: Home) -> None:
    with closing(sqlite3.connect(home.places.database)) as connection:
        connection.executescript(
            "DROP TABLE chore; ALTER TABLE memory DROP COLUMN rules; ALTER TABLE session DROP COLUMN asked; "
            "DELETE FROM migration WHERE number > 11; PRAGMA user_version = 11"
        )


def captured_by_an_older_version(home: Home) -> None:
    """With what a session had taught, under the schema before."""
    home.said("remember", "The staging host is called heron.")
    store = SqliteStore(home.places.database)
    with store.transaction():
        deed = store.begin_change(ChangeAction.LEARN, NOW, "opencode", {"session": "s1"})
        for memory_id, text in (("lasting", LASTING), ("once", ONE_OFF)):
            remember(store, a_draft(text, id=MemoryId(memory_id), source=CAPTURED, evidence=(text,)), deed)
    store.close()
    under_the_schema_before(home)


@covers("CAP-10")
def test_doctor_repairs_what_an_older_version_ended_in_doubt_and_undo_takes_it_back(home: Home) -> None:
    doubtful, outdated = as_an_older_version_left_it(home)
    assert (
        "1 memory that an older version had replaced in doubt" in home.recollect("doctor", "--repair").stdout.decode()
    )
    assert home.json("show", doubtful)["status"] == "live"
    assert home.json("show", outdated)["status"] == "superseded"
    assert "valid again" in home.said("history", doubtful)
    assert "valid again" in home.recollect("status").stdout.decode()
    (line,) = [line for line in home.said("undo", "--list").splitlines() if "in doubt" in line]
    home.said("undo", line.split()[0])
    assert home.json("show", doubtful)["status"] == "superseded"
    assert list((home.places.database.parent / "backups").glob("*.db"))


@covers("CAP-13")
def test_the_daemon_makes_candidates_of_what_todays_rules_would_not_confirm_and_undo_confirms_it_again(
    home: Home,
) -> None:
    captured_by_an_older_version(home)
    home.said("start")
    home.said("recall", "heron")
    assert eventually(lambda: home.json("status")["put_back"] is not None)
    told = home.json("status")["put_back"]
    assert told["memories"] == 1
    assert [home.json("show", one)["tier"] for one in ("lasting", "once")] == ["confirmed", "candidate"]
    shown = home.in_terminal("status", columns=200)
    assert "1 captured memory is a candidate now: today's rules would not confirm it" in shown
    assert f"`recollect undo {told['deed']}` confirms it again" in shown
    assert "became a candidate" in home.said("history", "once")
    assert "demotion of 1 memory to candidates" in home.said("undo", "--list")
    home.said("undo", str(told["deed"]))
    assert home.json("show", "once")["tier"] == "confirmed"
    assert home.json("status")["put_back"] is None
    assert list((home.places.database.parent / "backups").glob("*.db"))


def test_doctor_judges_captured_memories_at_once_and_says_how_many(home: Home) -> None:
    captured_by_an_older_version(home)
    assert "1 captured memory is a candidate now" in home.recollect("doctor", "--repair").stdout.decode()
    assert home.json("show", "once")["tier"] == "candidate"


def test_the_rules_that_captured_a_memory_are_shown_and_an_old_export_has_none(home: Home) -> None:
    records = [{"id": "new", "text": LASTING, "rules": 2}, {"id": "old", "text": ONE_OFF}]
    home.said("import", "-", stdin="\n".join(map(json.dumps, records)).encode())
    assert "version 2 of the rules" in home.said("show", "new")
    assert "of the rules" not in home.said("show", "old")


def test_a_memory_of_the_first_version_has_a_history_without_changes(home: Home) -> None:
    schemas.restore(2, home.places.database)
    assert f"{FULL.id}  Sessions are kept in" in home.said("history", FULL.id)
