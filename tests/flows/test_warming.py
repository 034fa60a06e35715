"""What a first prompt needs is loaded before it comes, and nothing of that is kept."""

from pathlib import Path

from recollect.domain.memory import SessionId
from recollect.engine import upkeep
from recollect.engine.moments.start import prepare_start_blocks
from recollect.engine.moments.warmup import SESSION
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, a_draft, a_prompt, a_start
from tests.driver import Engine


def test_a_rehearsal_leaves_no_trace(engine: Engine, store: SqliteStore, tmp_path: Path) -> None:
    engine.remember(a_draft("We deploy with Helm from src/main."))
    deeds = engine.changes(limit=10)
    upkeep.warm_up(engine, str(tmp_path), NOW)
    assert store.session(SESSION) is None
    assert store.log_of(SESSION) == []
    assert (engine.store.count_waiting_events(), len(engine.live.unwritten.events), engine.log.usage()) == (0, 0, [])
    assert engine.changes(limit=10) == deeds


def test_what_is_asked_after_a_rehearsal_is_answered_as_without(engine: Engine, tmp_path: Path) -> None:
    engine.remember(a_draft("The login pool times out after 30 s.", days_old=90))
    upkeep.warm_up(engine, str(tmp_path), NOW)
    start = engine.handle(a_start("s1"))
    asked = engine.handle(a_prompt("Why does the login pool time out?", session="s1"))
    assert (start.block, "login pool" in asked.block) == ("", True)
    assert [sent.session for sent in engine.log.entries(SessionId("s1"))] == [SessionId("s1")] * 2


def test_the_start_block_of_a_folder_that_was_woken_is_prepared(engine: Engine, tmp_path: Path) -> None:
    upkeep.warm_up(engine, str(tmp_path), NOW)
    assert [place.folder for place in engine.live.prepared.places()] == [str(tmp_path)]
    assert prepare_start_blocks(engine, NOW) == 1
