"""Databases of every schema so far, and exports of every form so far: read whole, exported, edited, with their history."""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from recollect.api.edit import EDIT, Edit
from recollect.cli.formats.memory_json import draft_of, record_of
from recollect.domain.codec import field_types
from recollect.domain.event import SessionEnded
from recollect.domain.health import Health
from recollect.domain.memory import Memory, MessageId, Role, Source, Usage
from recollect.domain.outcome import Edited, New, Same
from recollect.domain.session import Summary
from recollect.imports import own_markdown
from recollect.store.sqlite.inbox import event_row
from recollect.store.sqlite.migrations import MIGRATIONS
from recollect.store.sqlite.rows import memory_row
from recollect.store.sqlite.store import SqliteStore
from tests.flows.conftest import engine_on
from tests.store import schemas
from tests.store.schemas.contents import (
    BLOCK,
    EARLIER,
    EVENTS,
    FULL,
    GONE,
    LOG,
    NOTES,
    PAST,
    PLAIN,
    PUBLIC,
    S1,
    SUMMARY,
    TURNS,
    T,
    as_of,
)

VISIBLE = (FULL, PLAIN, PAST, PUBLIC)
HISTORY_SINCE, TURNS_SINCE, RECAPS_SINCE, INBOX_SINCE = 4, 3, 7, 8
every_schema = pytest.mark.parametrize("schema", schemas.SCHEMAS)


@pytest.fixture
def path(tmp_path: Path, schema: int) -> Path:
    made = tmp_path / "data" / "recollect.db"
    schemas.restore(schema, made)
    return made


def rows(path: Path, statement: str) -> list[sqlite3.Row]:
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        return connection.execute(statement).fetchall()


def test_there_is_a_database_of_every_schema() -> None:
    """The next migration needs a file of the schema before it."""
    released = [number for number in range(1, len(MIGRATIONS) + 1) if number not in schemas.NEVER_RELEASED]
    assert released == schemas.SCHEMAS, "write the missing one: python -m tests.store.schemas"


def test_every_field_of_a_memory_has_a_value_in_the_files() -> None:
    """Otherwise they would not show that a codec forgets it."""
    for one in field_types(Memory):
        assert {getattr(memory, one.name) for memory in (*VISIBLE, GONE)} - {one.default}, one.name
    for name in Usage.__slots__:
        assert getattr(FULL.use, name), name
    for name in ("host", "session", "message", "agent"):
        assert getattr(FULL.source, name), name
        assert getattr(FULL.mentions[0], name), name


@every_schema
def test_every_memory_is_read_with_every_field_and_its_bytes_stay(path: Path, schema: int) -> None:
    before = {row["id"]: dict(row) for row in rows(path, "SELECT * FROM memory")}
    store = SqliteStore(path)
    assert [finding.health for finding in store.check()] == [Health.FINE]
    assert list(store.everything()) == [as_of(memory, schema) for memory in VISIBLE]
    if schema >= HISTORY_SINCE:
        assert store.get(GONE.id) == GONE
    for row in rows(path, "SELECT * FROM memory"):
        memory = store.get(row["id"])
        assert memory is not None
        assert memory_row(memory) == {name: row[name] for name in memory_row(memory)}
        known = before[memory.id]
        assert {name: row[name] for name in known} == known  # also the hash
    store.close()


@every_schema
def test_what_is_exported_comes_back_as_it_was(path: Path, tmp_path: Path) -> None:
    store, other = SqliteStore(path), SqliteStore(tmp_path / "other" / "recollect.db")
    exported = [json.loads(json.dumps(record_of(memory))) for memory in engine_on(store).all_memories()]
    assert [record["id"] for record in exported] == [memory.id for memory in VISIBLE]
    default = Source(role=Role.IMPORT)
    drafts = [draft_of(record, now=T, project=None, source=default) for record in exported]
    _, outcomes = engine_on(other).bring_back(drafts, at=T, by="cli")
    assert _kinds_of_outcomes(outcomes) == [New] * len(VISIBLE)
    assert list(other.everything()) == list(store.everything())
    store.close()
    other.close()


@every_schema
def test_a_memory_can_be_edited_and_its_history_read_and_undone(path: Path, schema: int) -> None:
    store = SqliteStore(path)
    engine = engine_on(store)
    known = as_of(FULL, schema)
    done = engine.answer(EDIT, Edit(id=FULL.id, text="Sessions are kept in MariaDB."), at=T).outcome
    assert isinstance(done, Edited)
    assert (done.before, done.memory.use, done.memory.seen) == (known, known.use, known.seen)
    story = engine.history(engine.find("full"))
    assert [memory.id for memory in story.before] == ["past"]
    earlier = [None, as_of(EARLIER, schema)] if schema >= HISTORY_SINCE else []
    assert [change.before for change in story.changes] == [*earlier, known]
    engine.undo(done.undo, at=T, by="cli")
    assert store.get(FULL.id) == known
    assert [finding.health for finding in store.check()] == [Health.FINE]
    store.close()


@every_schema
def test_what_was_sent_is_in_the_log(path: Path, schema: int) -> None:
    store = SqliteStore(path)
    log = store.log_of(S1)
    sent = {(entry.message, entry.call): entry for entry in LOG}
    assert len(log) == (len(sent) if schema >= RECAPS_SINCE else 2)
    for entry in log:
        known = sent[entry.message, entry.call].injection
        assert (entry.injection.block, entry.injection.ids) == (known.block, known.ids)
        if schema > RECAPS_SINCE:  # the first of them kept no quotes, the next ones no reasons for them
            quoted = entry.injection.quoted
            assert [quote.message for quote in quoted] == [quote.message for quote in known.quoted]
            assert entry == replace(sent[entry.message, entry.call], injection=replace(known, quoted=quoted))
    assert engine_on(store).replay(S1, [MessageId("u1")]) == {"u1": BLOCK}
    store.close()


@every_schema
def test_turns_and_recaps_are_there(path: Path, schema: int) -> None:
    store = SqliteStore(path)
    if schema >= TURNS_SINCE:
        turns = TURNS if schema >= INBOX_SINCE else (*TURNS[:2], replace(TURNS[2], origin=None))
        assert store.turns_of(S1) == list(turns)
    if schema >= RECAPS_SINCE:
        recap = store.recap(S1)
        assert recap is not None
        assert (recap.notes, _first_parts(recap.summary)) == (NOTES, _first_parts(SUMMARY))
    store.close()


@every_schema
def test_events_that_wait_are_read_and_do_not_wait_twice(path: Path, schema: int) -> None:
    store = SqliteStore(path)
    waiting = [entry.event for entry in store.waiting_events(limit=99)]
    assert len(waiting) == (len(EVENTS) if schema >= INBOX_SINCE else 0)
    for event, known in zip(waiting, EVENTS, strict=False):
        if isinstance(event, SessionEnded) and isinstance(known, SessionEnded):
            assert (event.notes, _first_parts(event.summary)) == (NOTES, _first_parts(known.summary))
        else:
            assert event == known
            stored = rows(path, f"SELECT event, hash FROM inbox WHERE event = {_quoted(event_row(known)['event'])}")
            assert [row["hash"] for row in stored] == [event_row(known)["hash"]]
    store.close()


def _first_parts(summary: Summary) -> Summary:
    """Leave out what the first recaps did not have."""
    return replace(summary, later="", ended="")


def _quoted(text: object) -> str:
    return "'" + str(text).replace("'", "''") + "'"


@pytest.mark.parametrize("name", [name for name in schemas.EXPORTS if name.endswith(".jsonl")])
def test_an_export_of_every_form_is_imported_whole(tmp_path: Path, name: str) -> None:
    schema = int(name.removeprefix("export-").removesuffix(".jsonl"))
    lines = (schemas.HERE / name).read_text(encoding="utf-8").splitlines()
    drafts = [draft_of(json.loads(line), now=T, project=None, source=Source(role=Role.IMPORT)) for line in lines]
    store = SqliteStore(tmp_path / "data" / "recollect.db")
    engine = engine_on(store)
    assert _kinds_of_outcomes(engine.bring_back(drafts, at=T, by="cli")[1]) == [New] * len(VISIBLE)
    kept = list(store.everything())
    assert kept == [as_of(memory, schema) for memory in VISIBLE]
    assert _kinds_of_outcomes(engine.bring_back(drafts, at=T, by="cli")[1]) == [Same] * len(VISIBLE)
    assert list(store.everything()) == kept
    store.close()


def _kinds_of_outcomes(outcomes: Sequence[object]) -> list[type]:
    return list(map(type, outcomes))


def test_an_export_in_markdown_is_still_written_the_same() -> None:
    (name,) = (name for name in schemas.EXPORTS if name.endswith(".md"))
    assert "".join(own_markdown.render(VISIBLE)) == (schemas.HERE / name).read_text(encoding="utf-8")
