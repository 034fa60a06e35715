"""Forgotten means gone: after `forget_now` no byte of it is left in any file, and nothing else is lost."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from recollect.domain.health import Health
from recollect.domain.injection import LogEntry, Placement
from recollect.domain.memory import Kind, MemoryId, MessageId, ProjectId, SessionId
from recollect.domain.session import Turn
from recollect.rank.budget import item_for_memory
from recollect.store.sqlite import forgetting
from recollect.store.sqlite.store import SqliteStore
from recollect.text.block import line_of
from tests.builders import NOW, OTHER_PROJECT, PROJECT, a_draft, a_memory, a_turn
from tests.requirements import covers
from tests.searching import memories_found, occurrences, turns_found
from tests.store.forgetting.victim import (
    HERE,
    OTHERS,
    SAID_IN,
    TEXTS,
    VICTIM,
    among_others,
    back_up,
    engine_on,
    filled,
    left_of,
    quoted_everywhere,
    the_victim,
)


@covers("PRI-7")
@pytest.mark.parametrize("said", TEXTS)
def test_forgotten_now_means_gone_from_every_file(path: Path, store: SqliteStore, said: str) -> None:
    victim = the_victim(TEXTS[said])
    among_others(store, victim)
    quoted_everywhere(store, victim)
    back_up(path, "schema-004-20260101T000000")
    before = {memory.id: memory for memory in store.everything()}
    assert {name for name, _ in left_of(victim, path.parent)} >= {"schema-004-20260101T000000.db"}

    assert engine_on(store).forget_now([VICTIM], at=NOW, by="cli").is_clean

    assert left_of(victim, path.parent) == set()
    assert {memory.id: memory for memory in store.everything()} == {k: m for k, m in before.items() if k != VICTIM}
    assert [finding.health for finding in store.check()] == [Health.FINE]
    assert len(memories_found(store, ["cach"], HERE, limit=OTHERS, injectable=True)) > OTHERS / 2
    with closing(sqlite3.connect(path.parent / "backups" / "schema-004-20260101T000000.db")) as backup:
        assert backup.execute("SELECT count(*) FROM memory").fetchone() == (OTHERS,)
        assert backup.execute("SELECT count(*) FROM turn").fetchone() == (4,)


def test_a_block_is_replayed_without_the_line_of_what_is_gone(store: SqliteStore) -> None:
    victim, other = the_victim(), a_memory("The cache is Redis.", id=MemoryId("other"))
    for memory in (victim, other):
        store.add(memory)
    quoted_everywhere(store, victim)
    engine = engine_on(store)
    whole = engine.replay(SessionId("s1"), [MessageId("turn")])[MessageId("turn")]
    engine.forget_now([VICTIM], at=NOW, by="cli")
    assert engine.replay(SessionId("s1"), [MessageId("turn")]) == {"turn": whole.replace(line_of(victim) + "\n", "")}
    stable = store.start_block(SessionId("s1"), 0)
    assert stable is not None
    assert (stable.injection.block, stable.injection.ids) == ("", ())


def test_a_section_goes_with_its_last_line(store: SqliteStore) -> None:
    victim, other = the_victim(), a_memory("Tabs.", id=MemoryId("other"), kind=Kind.RULE)
    offers = [item_for_memory(other, "Project rules"), item_for_memory(victim, "Decisions")]
    block = filled(offers, Placement.SYSTEM, budget_tokens=900, sections=("Project rules", "Decisions"))
    store.add(victim)
    store.record(LogEntry(session=SessionId("s1"), context=0, message=None, injection=block, at=NOW, took_ms=1.0))
    store.purge([VICTIM])
    alone = filled(offers[:1], Placement.SYSTEM, budget_tokens=900, sections=("Project rules",))
    stable = store.start_block(SessionId("s1"), 0)
    assert stable is not None
    assert (stable.injection.block, stable.injection.ids) == (alone.block, (other.id,))


def test_what_others_said_stays_in_the_archive(store: SqliteStore) -> None:
    store.add(the_victim())
    quoted_everywhere(store, the_victim())
    store.purge([VICTIM])
    archived = {turn.message: turn.text for turn in (*turns(store, PROJECT), *turns(store, OTHER_PROJECT))}
    assert archived == {
        "said": "Note this. [forgotten]. Understood?",
        "again": "As you said: [forgotten].",
        "evidence": "And [forgotten].",
        "else": "Something else, about the cache.",
    }


def turns(store: SqliteStore, project: ProjectId) -> list[Turn]:
    return turns_found(store, ["forgotten", "someth"], project, limit=99)


def test_where_the_source_says_it_otherwise_the_whole_message_goes(store: SqliteStore) -> None:
    store.add(replace(the_victim(), evidence=()))
    store.add(a_memory("Short.", id=MemoryId("first"), source=SAID_IN))
    store.add_turns([a_turn("Short. The painting of a marmot has the password of the quokka.", message="said")])
    store.purge([MemoryId("first")])
    assert [turn.text for turn in turns_found(store, ["quokka"], PROJECT, limit=5)] != []
    store.purge([VICTIM])
    assert [turn.text for turn in turns_found(store, ["forgotten"], PROJECT, limit=5)] == ["[forgotten]"]


@pytest.mark.parametrize(
    ("text", "turn", "without"),
    [
        ("Use Redis.", "so use  redis, please", "so [forgotten], please"),
        ("use src/auth", "We use src/auth/login.py.", "We [forgotten]/login.py."),
        ("use", "They use it; users reuse it.", "They [forgotten] it; users reuse it."),
        ("我们用Redis", "因为我们用Redis缓存。", "因为[forgotten]缓存。"),
        ("用", "我们用它。", "我们[forgotten]它。"),
        ("parseDate", "parseDate.now() and myparseDate", "[forgotten].now() and myparseDate"),
        ("...", "Wait ... and ... go", "Wait [forgotten] and [forgotten] go"),
    ],
)
def test_a_quotation_is_cut_word_for_word(store: SqliteStore, text: str, turn: str, without: str) -> None:
    store.add(a_memory(text))
    store.add_turns([a_turn(turn)])
    store.purge([MemoryId("m1")])
    assert [turn.text for turn in turns_found(store, ["forgotten"], PROJECT, limit=5)] == [without]


def test_somebody_who_still_reads_delays_it_and_the_next_tidying_finishes(
    path: Path, store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = the_victim()
    among_others(store, victim)
    quoted_everywhere(store, victim)
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM memory").fetchone()
        with monkeypatch.context() as patience:
            patience.setattr(forgetting, "BUSY_TIMEOUT_MS", 50)
            with store._database.without_transaction() as connection:
                connection.execute("PRAGMA busy_timeout = 50")
            engine = engine_on(store)
            assert not engine.forget_now([VICTIM], at=NOW, by="cli").is_clean
            assert engine.live.needs_tidying, "a daemon tidies soon"
        assert store.get(VICTIM) is None
        assert [finding.about for finding in store.check()] == ["database", "forgetting"]
        assert left_of(victim, path.parent), "the reader still needs the log"
    engine_on(store).tidy(NOW)
    assert left_of(victim, path.parent) == set()
    assert [finding.health for finding in store.check()] == [Health.FINE]


def test_a_crash_before_the_cleaning_is_made_good_by_the_next_tidying(
    path: Path, open_store: Callable[[], SqliteStore]
) -> None:
    store, victim = open_store(), the_victim()
    among_others(store, victim)
    quoted_everywhere(store, victim)
    back_up(path, "schema-004-20260101T000000")
    store.purge([VICTIM])
    store.close()
    engine_on(open_store()).tidy(NOW)
    assert left_of(victim, path.parent) == set()


def test_what_is_brought_back_while_the_windows_end_is_not_purged(open_store: Callable[[], SqliteStore]) -> None:
    mine, theirs = open_store(), open_store()
    memory = engine_on(mine).remember(a_draft("Brought back.")).memory
    engine_on(mine).forget([memory.id], at=NOW, by="cli")

    class Interrupted(SqliteStore):
        """Somebody undoes between the look and the purge."""

        def __init__(self) -> None:
            self._database = mine._database
            self._looked = False

        def find_forgotten_before(self, moment: datetime) -> list[MemoryId]:
            found = super().find_forgotten_before(moment)
            if not self._looked:
                self._looked = True
                engine_on(theirs).undo(None, at=NOW, by="cli")
            return found

    engine_on(Interrupted()).tidy(NOW + timedelta(days=9))
    assert mine.get(memory.id) is not None


def test_forgotten_means_out_of_sight_at_once_everywhere(store: SqliteStore) -> None:
    victim, other = the_victim(), a_memory("The cache is Redis.", id=MemoryId("other"), superseded_by=VICTIM)
    for memory in (victim, other):
        store.add(memory)
    engine = engine_on(store)
    assert engine.forget([VICTIM], at=NOW, by="cli").memories == [victim]
    assert engine.recall("quokka", HERE, limit=5, now=NOW) == []
    assert engine.newest(HERE, limit=5) == []
    assert list(engine.all_memories()) == list(engine.all_memories(PROJECT)) == [other]
    assert store.find_same(a_draft(victim.text)) is None
    assert (store.count(), store.count(HERE), occurrences(store, ["quokka"], HERE)) == (1, 0, {"quokka": 0})
    assert engine.history(other).after == ()
    assert [facts.memories for facts in engine.store.projects()] == [1]


def test_a_forgotten_memory_comes_back_with_everything(store: SqliteStore) -> None:
    store.add(the_victim())
    engine = engine_on(store)
    engine.forget([VICTIM], at=NOW, by="cli")
    engine.undo(None, at=NOW, by="cli")
    assert store.get(VICTIM) == the_victim()
    assert [hit.memory for hit in engine.recall("quokka", HERE, limit=5, now=NOW)] == [the_victim()]


def test_when_the_window_ends_tidying_makes_it_gone(path: Path, store: SqliteStore) -> None:
    victim = the_victim()
    among_others(store, victim)
    quoted_everywhere(store, victim)
    engine = engine_on(store, undo_hours=24)
    engine.forget([VICTIM], at=NOW, by="cli")
    for hours in (-1000, 0, 23.9):  # a clock that went back ends no window
        engine.tidy(NOW + timedelta(hours=hours))
        assert store.get(VICTIM) is not None
    engine.tidy(NOW + timedelta(hours=24))
    assert store.get(VICTIM) is None
    assert left_of(victim, path.parent) == set()


def test_without_a_window_it_is_gone_at_once(path: Path, store: SqliteStore) -> None:
    store.add(the_victim())
    engine_on(store, undo_hours=0).forget([VICTIM], at=NOW, by="cli")
    assert left_of(the_victim(), path.parent) == set()


def test_a_damaged_memory_does_not_stop_the_tidying(path: Path, open_store: Callable[[], SqliteStore]) -> None:
    store = open_store()
    store.add(replace(the_victim(), forgotten_at=NOW))
    store.add(a_memory("Also over.", id=MemoryId("over"), forgotten_at=NOW))
    store.close()
    path.write_bytes(path.read_bytes().replace(b"quokka password", b"quokka passw\xffrd"))
    store = open_store()
    engine_on(store).tidy(NOW + timedelta(days=2))
    assert store.find_forgotten_before(NOW + timedelta(days=2)) == []
    assert b"quokka" not in path.read_bytes()


@covers("REL-1")
def test_others_write_between_the_steps_in_which_the_index_is_rewritten(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    among_others(store, the_victim())
    monkeypatch.setattr(forgetting, "MERGED_PAGES", 1)
    given_way: list[bool] = []
    monkeypatch.setattr(store._database, "give_way", lambda: given_way.append(store._database._writer.in_transaction))
    assert engine_on(store).forget_now([VICTIM], at=NOW, by="cli").is_clean
    assert len(given_way) > 4, "several steps, not one for each table"
    assert not any(given_way)
