"""A whole project is forgotten: out of sight, brought back, and gone for good."""

from datetime import timedelta
from pathlib import Path

import pytest

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import ProjectId, SessionId, Viewer
from recollect.domain.outcome import Deleted, Hidden
from recollect.engine.memories.forget_project import is_forgotten
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, OTHER_PROJECT, PROJECT, a_draft, a_prompt, a_reply, a_start, an_end
from tests.driver import Engine
from tests.flows.conftest import engine_on
from tests.requirements import covers

HERE = Viewer(project=PROJECT)
LATER = NOW + timedelta(hours=1)
NEXT_DAY = NOW + timedelta(hours=25)
WORDS = ("xylophone", "trumpet", "harp", "example.org/shop/api")


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """A project with memories and a session, and another one beside it."""
    made = engine_on(SqliteStore(tmp_path / "recollect.db"))
    made.remember(a_draft("We deploy with the xylophone."))
    made.remember(a_draft("The web runs on Vercel.", scope=f"project:{OTHER_PROJECT}"))
    made.store.note_aliases(PROJECT, [ProjectId("path:/srv/harp")], NOW)
    for event in (
        a_start(),
        a_prompt("Always play the trumpet before a release."),
        a_reply("The trumpet is set up."),
        an_end("s1", "next: tune the trumpet"),
        a_prompt("Always look at the ledger first.", session="s2", project=OTHER_PROJECT),
    ):
        made.handle(event)
    while made.learn_some():
        pass
    return made


def held(engine: Engine) -> str:
    with engine.store._database.read() as connection:  # type: ignore[attr-defined]
        return "\n".join(connection.iterdump())


def bytes_in(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


def test_it_is_out_of_sight_at_once_and_an_undo_brings_all_of_it_back(engine: Engine) -> None:
    before = {one.place: one for one in engine.store.holdings()}
    hidden = engine.forget_project(PROJECT, at=LATER)
    assert isinstance(hidden, Hidden)
    assert engine.newest(HERE, limit=9) == []
    assert engine.recall_turns("trumpet", PROJECT, limit=9) == []
    assert [facts.id for facts in engine.store.projects()] == [OTHER_PROJECT]
    assert engine.handle(a_start("s3", at=LATER)).block == ""
    kept = {one.place: one for one in engine.store.holdings()}
    assert (kept["forgotten"].turns, kept["forgotten"].sessions) == (2, 1)
    undone = engine.undo(hidden.undo, at=LATER, by="cli")
    after = {one.place: one for one in engine.store.holdings()}
    assert after[PROJECT].turns == before[PROJECT].turns
    assert (after[PROJECT].memories, after[PROJECT].forgotten) == (before[PROJECT].memories, 0)
    assert engine.store.aliases_of(PROJECT) >= {"path:/srv/harp"}
    assert engine.recall_turns("trumpet", PROJECT, limit=9)
    again = engine.undo(undone.by, at=LATER, by="cli")
    assert again.removed
    assert engine.recall_turns("trumpet", PROJECT, limit=9) == []


@covers("PRI-7")
def test_when_the_window_ends_nothing_of_it_is_left_not_even_its_name(engine: Engine, tmp_path: Path) -> None:
    with engine.store._database.read() as connection:  # type: ignore[attr-defined]
        engine.store._database.back_up("12-before", connection)  # type: ignore[attr-defined]
    assert b"trumpet" in bytes_in(tmp_path / "backups")
    engine.forget_project(PROJECT, at=NOW)
    engine.tidy(NOW + timedelta(hours=23))
    assert "trumpet" in held(engine)
    engine.tidy(NEXT_DAY)
    left = bytes_in(tmp_path)
    assert [word for word in WORDS if word in held(engine) or word.encode() in left] == []
    assert b"Vercel" in left
    assert b"ledger" in left
    with pytest.raises(InvalidValue, match="for good"):
        engine.undo(None, at=NEXT_DAY, by="cli")
    engine.tidy(NEXT_DAY)


@covers("PRI-7")
@pytest.mark.parametrize("hidden_first", [False, True])
def test_now_means_now_also_of_what_was_forgotten_before(engine: Engine, tmp_path: Path, hidden_first: bool) -> None:
    if hidden_first:
        engine.forget_project(PROJECT, at=NOW)
    assert engine.forget_project(PROJECT, at=LATER, now=True) == Deleted(is_clean=True)
    left = bytes_in(tmp_path)
    assert [word for word in WORDS if word.encode() in left] == []
    assert not is_forgotten(engine.store, PROJECT)
    with pytest.raises(InvalidValue, match="There is no project"):
        engine.forget_project(PROJECT, at=LATER, now=True)


def test_who_works_there_again_keeps_what_is_new(engine: Engine) -> None:
    engine.forget_project(PROJECT, at=NOW)
    engine.handle(a_prompt("Always play the flute before a release.", session="s9", at=LATER))
    while engine.learn_some():
        pass
    engine.tidy(NEXT_DAY)
    assert [memory.text for memory in engine.newest(HERE, limit=9)] == ["Always play the flute before a release."]
    assert [turn.turn.session for turn in engine.recall_turns("flute", PROJECT, limit=9)] == [SessionId("s9")]
    assert engine.recall_turns("trumpet", PROJECT, limit=9) == []


def damage(engine: Engine, text: str) -> None:
    with engine.store._database.write() as connection:  # type: ignore[attr-defined]
        assert connection.execute("UPDATE memory SET title = 'x' WHERE text LIKE ?", (f"%{text}%",)).rowcount == 1


@covers("PRI-7", "REL-1")
@pytest.mark.parametrize("is_damaged_before", [True, False])
def test_a_damaged_memory_keeps_nothing_else_from_being_deleted(engine: Engine, is_damaged_before: bool) -> None:
    if is_damaged_before:
        damage(engine, "xylophone")
    engine.forget_project(PROJECT, at=NOW)
    if not is_damaged_before:
        damage(engine, "xylophone")
    vercel = next(memory for memory in engine.all_memories() if "Vercel" in memory.text)
    engine.forget([vercel.id], at=NOW, by="cli")
    engine.tidy(NEXT_DAY)
    kept = held(engine)
    assert ["trumpet" in kept, "Vercel" in kept, "xylophone" in kept] == [False, False, False]


@covers("PRI-7")
def test_now_deletes_a_damaged_memory_too(engine: Engine) -> None:
    damage(engine, "xylophone")
    engine.forget_project(PROJECT, at=LATER, now=True)
    assert [word for word in WORDS if word in held(engine)] == []


def test_a_repair_brings_back_no_damaged_memory_of_a_forgotten_project(engine: Engine) -> None:
    with engine.store._database.read() as connection:  # type: ignore[attr-defined]
        engine.store._database.back_up("12-before", connection)  # type: ignore[attr-defined]
    damage(engine, "xylophone")
    hidden = engine.forget_project(PROJECT, at=NOW)
    assert isinstance(hidden, Hidden)
    engine.store.mend()
    assert engine.newest(HERE, limit=9) == []
    engine.undo(hidden.undo, at=LATER, by="cli")
    assert "We deploy with the xylophone." in [memory.text for memory in engine.newest(HERE, limit=9)]
    engine.forget_project(PROJECT, at=LATER)
    engine.tidy(LATER + timedelta(days=2))
    assert "xylophone" not in held(engine)


def test_an_undo_brings_back_a_subagent_that_began_in_a_forgotten_session(engine: Engine) -> None:
    hidden = engine.forget_project(PROJECT, at=NOW)
    assert isinstance(hidden, Hidden)
    engine.handle(a_prompt("Look at the flute.", session="sub", parent=SessionId("s1"), project=None, at=LATER))
    while engine.learn_some():
        pass
    assert engine.recall_turns("flute", PROJECT, limit=9) == []
    engine.undo(hidden.undo, at=LATER, by="cli")
    assert [hit.turn.session for hit in engine.recall_turns("flute", PROJECT, limit=9)] == ["sub"]
    assert engine.store.hidden_sessions() == []
