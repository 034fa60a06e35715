"""What was said again, merged, replaced or contradicted is forgotten as thoroughly as what was said once."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from recollect.domain.health import Health
from recollect.domain.memory import MemoryId, MessageId, Role, SessionId, Source
from recollect.domain.outcome import Same, Updates
from recollect.engine.memories.compare_draft import Comparison
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, PROJECT, a_draft, a_memory, a_turn
from tests.requirements import covers
from tests.searching import turns_found
from tests.store.forgetting.victim import back_up, engine_on, left_in

TEXT = "The quokka password hides behind the marmot painting."
OTHERWISE = "Behind the marmot painting, the wombat keeps it."
WORDS = (b"quokka", b"marmot", b"wombat", b"numbat")


def said_in(message: str, session: str = "s1") -> Source:
    return Source(role=Role.USER, host="opencode", session=SessionId(session), message=MessageId(message))


def turn_texts(store: SqliteStore) -> dict[str, str]:
    words = ["forgotten", "someth", "quokka", "numbat"]
    return {turn.message: turn.text for turn in turns_found(store, words, PROJECT, limit=99)}


@covers("PRI-7")
def test_every_message_that_said_it_again_is_cut_and_no_byte_is_left(path: Path, store: SqliteStore) -> None:
    engine = engine_on(store)
    memory = engine.remember(a_draft(TEXT, source=said_in("first"))).memory
    for message in ("second", "third"):
        assert isinstance(engine.remember(a_draft(TEXT.upper(), source=said_in(message, "s2"))), Same)
    engine.archive(
        [
            a_turn(f"Mind: {TEXT} Good?", message="first"),
            a_turn(f"As I said: {TEXT.lower()}", message="second", session="s2"),
            a_turn("The numbat knows where the quokka has it.", message="third", session="s2"),
            a_turn("Something else.", message="fourth", session="s2"),
        ]
    )
    back_up(path, "schema-008-20260101T000000")
    assert {name for name, _ in left_in(path.parent, WORDS)} >= {"schema-008-20260101T000000.db"}
    assert engine.forget_now([memory.id], at=NOW, by="cli").is_clean
    assert left_in(path.parent, WORDS) == set()
    assert turn_texts(store) == {
        "first": "Mind: [forgotten]. Good?",
        "second": "As I said: [forgotten].",
        "third": "[forgotten]",  # it says it in words of its own
        "fourth": "Something else.",
    }
    assert [finding.health for finding in store.check()] == [Health.FINE]


@covers("PRI-7")
def test_the_words_of_what_was_merged_go_with_it(
    path: Path, store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In whose words it was said is kept as evidence."""
    engine = engine_on(store)
    memory = engine.remember(a_draft(TEXT, source=said_in("first"))).memory
    monkeypatch.setattr("recollect.engine.memories.remember.compare", lambda *_: Comparison(same=store.get(memory.id)))
    merged = engine.remember(a_draft(OTHERWISE, source=said_in("second"), evidence=("A numbat told so.",)))
    assert set(merged.memory.evidence) == {OTHERWISE, "A numbat told so."}
    engine.archive([a_turn(f"Well. {OTHERWISE} A numbat told so.", message="else", session="s9")])
    assert engine.forget_now([memory.id], at=NOW, by="cli").is_clean
    assert left_in(path.parent, WORDS) == set()
    assert turn_texts(store) == {"else": "Well. [forgotten]. [forgotten]."}


def test_nothing_names_a_memory_that_is_gone(path: Path, store: SqliteStore) -> None:
    gone = a_memory(TEXT, id=MemoryId("gone"))
    store.add(gone)
    store.add(a_memory("Before it.", id=MemoryId("before"), days_old=3, valid_to=NOW, superseded_by=gone.id))
    store.add(a_memory("Imported, without an end.", id=MemoryId("open"), days_old=3, superseded_by=gone.id))
    store.add(a_memory("Against it.", id=MemoryId("against"), conflicts=(gone.id, MemoryId("before"))))
    store.add(a_memory("Against it alone.", id=MemoryId("alone"), conflicts=(gone.id,)))
    back_up(path, "schema-008-20260101T000000")
    engine = engine_on(store)
    engine.forget_now([gone.id], at=NOW, by="cli")
    kept = {memory.id: memory for memory in engine.all_memories()}
    assert [kept[MemoryId(name)].superseded_by for name in ("before", "open")] == [None, None]
    assert [kept[MemoryId(name)].valid_to for name in ("before", "open")] == [NOW, NOW]
    assert not any(kept[MemoryId(name)].is_live for name in ("before", "open")), "what it replaced does not come back"
    assert (kept[MemoryId("against")].conflicts, kept[MemoryId("alone")].conflicts) == (("before",), ())
    assert engine.cases() == []
    assert [engine.history(memory).after for memory in kept.values()] == [()] * 4
    assert [finding.health for finding in store.check()] == [Health.FINE]
    with closing(sqlite3.connect(path.parent / "backups" / "schema-008-20260101T000000.db")) as backup:
        named = "SELECT count(*) FROM memory WHERE superseded_by = 'gone' OR conflicts LIKE '%gone%'"
        assert backup.execute(named).fetchone() == (0,)


def test_review_and_history_go_on_after_one_side_of_a_conflict_is_gone(store: SqliteStore) -> None:
    engine = engine_on(store)
    first = engine.remember(a_draft("The API listens on port 8080.", days_old=2)).memory
    second = engine.remember(a_draft("The API listens on port 9090.", days_old=1))
    assert isinstance(second, Updates)
    engine.forget_now([second.memory.id], at=NOW, by="cli")
    known = engine.find(first.id)
    assert (known.superseded_by, engine.history(known).after, engine.cases()) == (None, (), [])
    assert not known.is_live, "what it replaced does not come back by itself"


def test_a_damaged_row_that_names_it_is_left_as_it_is(store: SqliteStore) -> None:
    store.add(a_memory(TEXT, id=MemoryId("gone")))
    store.add(a_memory("Against it.", id=MemoryId("against"), conflicts=(MemoryId("gone"),)))
    with store._database.write() as connection:
        connection.execute("UPDATE memory SET conflicts = '[\"gone\"', importance = 0.5 WHERE id = 'against'")
    assert engine_on(store).forget_now([MemoryId("gone")], at=NOW, by="cli").is_clean
    assert any("against" in finding.says for finding in store.check())
