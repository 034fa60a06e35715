"""Forgotten means gone: after `forget_now` no byte of it is left in any file, and nothing else is lost."""

import itertools
import json
import random
import sqlite3
from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recollect.domain.health import Health
from recollect.domain.injection import Placement, Sent
from recollect.domain.memory import Kind, Memory, MemoryId, MessageId, ProjectId, Role, Scope, SessionId, Source, Viewer
from recollect.domain.session import Turn
from recollect.domain.settings import Forget, Settings
from recollect.domain.vector import Vector
from recollect.engine.engine import Engine
from recollect.rank.budget import Offer, fill
from recollect.store.sqlite import forgetting
from recollect.store.sqlite.database import Database
from recollect.store.sqlite.salvage import salvage
from recollect.store.sqlite.store import SqliteStore
from recollect.text.block import line_of
from recollect.text.words import index_words
from recollect.workspace import git
from tests.builders import NOW, OTHER_PROJECT, PROJECT, a_draft, a_memory, a_turn
from tests.requirements import covers
from tests.searching import memories_found, occurrences, turns_found
from tests.store import old_database
from tests.vectors import MODEL, any_vector, as_halves, embed_all

HERE = Viewer(project=PROJECT, session=SessionId("s1"))
VICTIM = MemoryId("victim")
OTHERS = 2_000
SAID_IN = Source(role=Role.USER, host="opencode", session=SessionId("s1"), message=MessageId("said"))

TEXTS = {
    "a sentence": "The quokka password hides behind the marmot painting.",
    "a long one": "quokka " + " ".join(f"marmot{n}zq" for n in range(1_300)) + " painting",
    "quotes and operators": "quokka \"marmot\" (.*)[a-z]+ \\d $^ 100% {x} 'painting' AND NEAR(",
    "several lines": "quokka first\n\tmarmot second\r\npainting third",
    "Chinese": "密碼藏在短尾矮袋鼠的畫後面",
    "names from code": "quokka_marmot in src/quokka/painting.py raises E90417zq",
}


def distinctive(memory: Memory) -> set[bytes]:
    """Every word of it that no other memory has, as it stands there and as the index has it."""
    said = [memory.text, memory.title or "", *memory.aliases, *memory.evidence]
    words = {word for text in said for word in (*text.split(), *index_words(text))}
    known = {word for text in COMMON for word in (*text.split(), *index_words(text))}
    return {word.encode() for word in words - known if len(word) > 3 or not word.isascii()}


COMMON = ("As you said: He said: behind the cache and that it raises.",)
WORDS = "alpha beta gamma delta cache index deploy token retry queue".split()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "recollect.db"


@pytest.fixture
def open_store(path: Path) -> Iterator[Callable[[], SqliteStore]]:
    opened: list[SqliteStore] = []

    def open_again() -> SqliteStore:
        opened.append(SqliteStore(path))
        return opened[-1]

    yield open_again
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: Callable[[], SqliteStore]) -> SqliteStore:
    return open_store()


def engine_on(store: SqliteStore, *, undo_hours: float = 24.0) -> Engine:
    ticks = itertools.count()
    settings = Settings(forget=Forget(undo_hours=undo_hours))
    return Engine(store, lambda _: settings, git, lambda: next(ticks) / 1000)


def the_victim(text: str = TEXTS["a sentence"]) -> Memory:
    return a_memory(
        text,
        id=VICTIM,
        title="Whereabouts wombatzq",
        aliases=("numbatzq", "短尾矮袋鼠"),
        evidence=('He said: the "bilbyzq" knows it.',),
        source=SAID_IN,
    )


def among_others(store: SqliteStore, victim: Memory, others: int = OTHERS) -> None:
    """The victim in the middle of many, so that its words share pages and segments with theirs."""
    chance = random.Random(7)
    with store.writing():
        for n in range(others):
            words = " ".join(chance.choices(WORDS, k=chance.randint(3, 60)))
            store.add(a_memory(f"{words} {n}.", id=MemoryId(f"{chance.getrandbits(48):012x}")))
            if n == others // 2:
                store.add(victim)


def quoted_everywhere(store: SqliteStore, victim: Memory) -> None:
    store.add_turns(
        [
            a_turn(f"Note this. {victim.text} Understood?", message="said"),
            a_turn(f"As you said: {victim.text}", message="again", role=Role.ASSISTANT),
            a_turn(f"And {victim.evidence[0].upper()}", message="evidence", project=OTHER_PROJECT),
            a_turn("Something else, about the cache.", message="else"),
        ]
    )
    blocks = fill(
        [Offer(a_memory("The cache is Redis.", id=MemoryId("other"))), Offer(victim)],
        Placement.MESSAGE,
        budget_tokens=20_000,
    )
    titles = fill([Offer(victim)], Placement.SYSTEM, budget_tokens=120)
    for message, block in ((MessageId("turn"), blocks), (None, titles)):
        store.record(Sent(session=SessionId("s1"), context=0, message=message, injection=block, at=NOW, took_ms=1.0))
    engine = engine_on(store)
    engine.remember(a_draft(victim.text, source=victim.source))  # seen again: its state before stands in the history


def back_up(path: Path, name: str) -> None:
    opened = Database(path)
    with opened.read() as connection:
        opened.back_up(name, connection)
    opened.close()


def left_of(victim: Memory, folder: Path) -> set[tuple[str, bytes]]:
    words = distinctive(victim)
    assert words
    return left_in(folder, words)


def left_in(folder: Path, pieces: Collection[bytes]) -> set[tuple[str, bytes]]:
    files = [file for file in folder.rglob("*") if file.is_file()]
    return {(file.name, piece) for file in files for data in [file.read_bytes()] for piece in pieces if piece in data}


class Meanings:
    """Every text gets vectors that no other text has, so that one can look for their bytes."""

    def __init__(self) -> None:
        self._chance = np.random.default_rng(3)
        self._made: dict[str, list[Vector]] = {}

    def of(self, what: Memory | Turn) -> list[Vector]:
        many = 1 if isinstance(what, Memory) else 1 + len(what.text) % 8
        self._made[what.text] = [any_vector(self._chance) for _ in range(many)]
        return self._made[what.text]

    def pieces(self, *texts: str) -> set[bytes]:
        """A vector may lie on several pages, and parts of it are too much already."""
        halves = [as_halves(vector) for text in texts for vector in self._made[text]]
        return {each[at : at + 32] for each in halves for at in range(0, len(each), 32)}


@covers("PRI-7")
@pytest.mark.parametrize("said", TEXTS)
def test_forgotten_now_means_gone_from_every_file(path: Path, store: SqliteStore, said: str) -> None:
    victim = the_victim(TEXTS[said])
    among_others(store, victim)
    quoted_everywhere(store, victim)
    back_up(path, "schema-004-20260101T000000")
    before = {memory.id: memory for memory in store.everything()}
    assert {name for name, _ in left_of(victim, path.parent)} >= {"schema-004-20260101T000000.db"}

    assert engine_on(store).forget_now([VICTIM], at=NOW, by="cli")[1]

    assert left_of(victim, path.parent) == set()
    assert {memory.id: memory for memory in store.everything()} == {k: m for k, m in before.items() if k != VICTIM}
    assert [finding.health for finding in store.check()] == [Health.FINE]
    assert len(memories_found(store, ["cach"], HERE, limit=OTHERS, injectable=True)) > OTHERS / 2
    with closing(sqlite3.connect(path.parent / "backups" / "schema-004-20260101T000000.db")) as backup:
        assert backup.execute("SELECT count(*) FROM memory").fetchone() == (OTHERS,)
        assert backup.execute("SELECT count(*) FROM turn").fetchone() == (4,)


@covers("PRI-7")
@pytest.mark.parametrize("busy", [False, True], ids=["at rest", "after much was moved and forgotten"])
def test_forgotten_now_means_that_nothing_is_left_of_its_meaning(path: Path, store: SqliteStore, busy: bool) -> None:
    """Neither of its own, nor of what quoted it, nor of what was understood together with a quotation."""
    victim, meanings = the_victim(), Meanings()
    among_others(store, victim, others=500)
    quoting = f"As you said: {victim.text}"
    said = ["Before.", quoting, "The next one.", "The one after that."]
    store.add_turns([a_turn(text, message=f"m{n}", at=NOW + timedelta(n)) for n, text in enumerate(said)])
    embed_all(store, meanings.of)
    if busy:
        chance, others = random.Random(4), [memory for memory in store.everything() if memory.id != VICTIM]
        changes: list[dict[str, Any]] = [{"forgotten_at": NOW}, {"scope": Scope.parse("universal")}]
        with store.writing():
            for memory in chance.sample(others, 300):
                store.update(replace(memory, **chance.choice(changes)))
    back_up(path, "schema-005-20260101T000000")
    gone, kept = meanings.pieces(victim.text, quoting, "The next one."), meanings.pieces("Before.")
    assert {name for name, _ in left_in(path.parent, gone)} >= {"schema-005-20260101T000000.db"}

    assert engine_on(store).forget_now([VICTIM], at=NOW, by="cli")[1]

    assert left_in(path.parent, gone) == set()
    waiting = [what.of.text for what in store.next_unembedded(MODEL, limit=9)]
    assert waiting == ["As you said: [forgotten].", "The next one."]
    store.close()
    assert {name for name, _ in left_in(path.parent, kept)} == {"recollect.db", "schema-005-20260101T000000.db"}


def test_plain_forgetting_lets_the_vector_go_at_once(path: Path, store: SqliteStore) -> None:
    meanings = Meanings()
    store.add(the_victim())
    embed_all(store, meanings.of)
    engine_on(store).forget([VICTIM], at=NOW, by="cli")
    store.close()
    assert left_in(path.parent, meanings.pieces(the_victim().text)) == set()


def test_a_block_is_replayed_without_the_line_of_what_is_gone(store: SqliteStore) -> None:
    victim, other = the_victim(), a_memory("The cache is Redis.", id=MemoryId("other"))
    for memory in (victim, other):
        store.add(memory)
    quoted_everywhere(store, victim)
    engine = engine_on(store)
    whole = engine.replay(SessionId("s1"), [MessageId("turn")])[MessageId("turn")]
    engine.forget_now([VICTIM], at=NOW, by="cli")
    assert engine.replay(SessionId("s1"), [MessageId("turn")]) == {"turn": whole.replace(line_of(victim) + "\n", "")}
    stable = store.stable(SessionId("s1"), 0)
    assert stable is not None
    assert (stable.injection.block, stable.injection.ids) == ("", ())


def test_a_section_goes_with_its_last_line(store: SqliteStore) -> None:
    victim, other = the_victim(), a_memory("Tabs.", id=MemoryId("other"), kind=Kind.RULE)
    offers = [Offer(other, "Project rules"), Offer(victim, "Decisions")]
    block = fill(offers, Placement.SYSTEM, budget_tokens=900, sections=("Project rules", "Decisions"))
    store.add(victim)
    store.record(Sent(session=SessionId("s1"), context=0, message=None, injection=block, at=NOW, took_ms=1.0))
    store.purge([VICTIM])
    alone = fill(offers[:1], Placement.SYSTEM, budget_tokens=900, sections=("Project rules",))
    stable = store.stable(SessionId("s1"), 0)
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
            with store._database.alone() as connection:
                connection.execute("PRAGMA busy_timeout = 50")
            assert not engine_on(store).forget_now([VICTIM], at=NOW, by="cli")[1]
        assert store.get(VICTIM) is None
        assert [finding.about for finding in store.check()] == ["forgetting"]
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


def test_an_old_backup_and_one_that_was_never_finished_hold_nothing_either(path: Path) -> None:
    old_database.make(path)
    store = SqliteStore(path)  # migrates, and keeps a backup
    unfinished = path.parent / "backups" / "schema-003-20260101T000000.part"
    unfinished.write_bytes(b"Auth uses JWT.")
    assert engine_on(store).forget_now([MemoryId("plain")], at=NOW, by="cli")[1]
    store.close()
    (backup,) = (path.parent / "backups").iterdir()
    assert [row[0] for row in old_database.rows(backup)] == [row[0] for row in old_database.ROWS if row[0] != "plain"]
    for file in (path, backup):
        assert b"JWT" not in file.read_bytes()
        assert b"jwt" not in file.read_bytes()


@pytest.mark.parametrize("version", [3, 4])
def test_what_an_older_backup_quotes_is_cut_out_of_it(path: Path, version: int) -> None:
    old_database.make(path, version)
    store = SqliteStore(path)  # migrates, and keeps a backup
    (backup,) = (path.parent / "backups").iterdir()
    assert b"JWT" in backup.read_bytes()
    assert engine_on(store).forget_now([MemoryId("plain")], at=NOW, by="cli")[1]
    assert turns_found(store, ["forgotten"], PROJECT, limit=5) != []
    store.close()
    for file in (path, backup):
        assert [word for word in (b"JWT", b"jwt") if word in file.read_bytes()] == [], file.name
    with closing(sqlite3.connect(backup)) as kept:
        assert kept.execute("SELECT text FROM turn ORDER BY n").fetchall() == [
            ("As agreed: [forgotten]. Right?",),
            ("Right.",),
        ]
        assert kept.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_what_was_kept_aside_as_damaged_is_cleaned_too(path: Path, open_store: Callable[[], SqliteStore]) -> None:
    store, victim = open_store(), the_victim()
    among_others(store, victim)
    store.close()
    data = path.read_bytes()
    path.write_bytes(data.replace(b"quokka password", b"quokka passwerd"))
    mended = open_store()
    mended.mend()
    mended.close()
    assert left_of(victim, path.parent), "it stands in damaged-*.jsonl"
    salvage(path)  # and the whole file once more beside it
    store = open_store()
    store.add(victim)
    assert engine_on(store).forget_now([VICTIM], at=NOW, by="cli")[1]
    assert left_of(victim, path.parent) == set()
    assert store.count() == OTHERS


def test_rows_that_were_kept_aside_go_whole_and_alone(path: Path, store: SqliteStore) -> None:
    victim = replace(the_victim(), text='Two "lines"\u2028of the quokka password.')
    store.add(victim)
    rows = [
        {"table": "memory", "id": VICTIM, "text": victim.text},
        {"table": "change", "memory": "another", "before": json.dumps({"text": victim.text})},
        {"table": "memory", "id": "other", "text": "Something else."},
    ]
    aside = path.parent / "damaged-20260101T000000.jsonl"
    aside.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    assert engine_on(store).forget_now([VICTIM], at=NOW, by="cli")[1]
    assert [json.loads(line)["id"] for line in aside.read_text().splitlines()] == ["other"]


def test_what_a_repair_left_unfinished_goes_too(path: Path, store: SqliteStore) -> None:
    store.add(the_victim())
    left = path.with_name("recollect.db.salvaged")
    left.write_bytes(the_victim().text.encode())
    assert engine_on(store).forget_now([VICTIM], at=NOW, by="cli")[1]
    assert not left.exists()


def test_traces_of_somebody_else_are_left_to_be_cleaned(path: Path, store: SqliteStore) -> None:
    for n in range(2):
        store.add(a_memory(f"Fact {n}.", id=MemoryId(f"m{n}")))
    said = store.purge([MemoryId("m0")])
    with sqlite3.connect(path) as connection:  # another process purges meanwhile, and dies
        connection.execute(
            "CREATE TRIGGER meanwhile AFTER DELETE ON trace WHEN old.memory = 'm0' "
            "BEGIN INSERT INTO trace VALUES ('m1'); END"
        )
    connection.close()
    store.scrub(said)
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT memory FROM trace").fetchall() == [("m1",)]
    connection.close()


def test_what_is_brought_back_while_the_windows_end_is_not_purged(open_store: Callable[[], SqliteStore]) -> None:
    mine, theirs = open_store(), open_store()
    memory = engine_on(mine).remember(a_draft("Brought back.")).memory
    engine_on(mine).forget([memory.id], at=NOW, by="cli")

    class Interrupted(SqliteStore):
        """Somebody undoes between the look and the purge."""

        def __init__(self) -> None:
            self._database = mine._database
            self._looked = False

        def forgotten_before(self, moment: datetime) -> list[MemoryId]:
            found = super().forgotten_before(moment)
            if not self._looked:
                self._looked = True
                engine_on(theirs).undo(None, at=NOW, by="cli")
            return found

    engine_on(Interrupted()).tidy(NOW + timedelta(days=9))
    assert mine.get(memory.id) is not None


def test_a_backup_that_has_it_and_cannot_be_rewritten_is_not_kept(path: Path, store: SqliteStore) -> None:
    store.add(the_victim())
    broken = path.parent / "backups" / "schema-004-20260101T000000.db"
    broken.parent.mkdir(mode=0o700)
    broken.write_bytes(b"not a database, but it says: " + the_victim().text.encode())
    assert engine_on(store).forget_now([VICTIM], at=NOW, by="cli")[1]
    assert not broken.exists()


def test_forgotten_means_out_of_sight_at_once_everywhere(store: SqliteStore) -> None:
    victim, other = the_victim(), a_memory("The cache is Redis.", id=MemoryId("other"), superseded_by=VICTIM)
    for memory in (victim, other):
        store.add(memory)
    engine = engine_on(store)
    assert engine.forget([VICTIM], at=NOW, by="cli").memories == [victim]
    assert engine.recall("quokka", HERE, limit=5, now=NOW) == []
    assert engine.newest(HERE, limit=5) == []
    assert list(engine.everything()) == list(engine.everything(PROJECT)) == [other]
    assert store.find_same(a_draft(victim.text)) is None
    assert (store.count(), store.count(HERE), occurrences(store, ["quokka"], HERE)) == (1, 0, {"quokka": 0})
    assert engine.history(other).after == ()
    assert [facts.memories for facts in engine.projects()] == [1]


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
    assert store.forgotten_before(NOW + timedelta(days=2)) == []
    assert b"quokka" not in path.read_bytes()
