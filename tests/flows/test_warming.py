"""What a first prompt needs is loaded before it comes, and nothing of that is kept."""

from pathlib import Path

from recollect.domain.memory import SessionId
from recollect.engine.engine import Engine
from recollect.engine.warmup import SESSION
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, a_draft, a_prompt, a_start


def test_a_rehearsal_leaves_no_trace(engine: Engine, store: SqliteStore, tmp_path: Path) -> None:
    engine.remember(a_draft("We deploy with Helm from src/main."))
    deeds = engine.changes(limit=10)
    engine.warm_up(str(tmp_path), NOW)
    assert store.session(SESSION) is None
    assert store.log_of(SESSION) == []
    assert (engine.count_waiting_events(), engine.events_unwritten, engine.log.usage()) == (0, 0, [])
    assert engine.changes(limit=10) == deeds


def test_what_is_asked_after_a_rehearsal_is_answered_as_without(engine: Engine, tmp_path: Path) -> None:
    engine.remember(a_draft("The login pool times out after 30 s.", days_old=90))
    engine.warm_up(str(tmp_path), NOW)
    start = engine.handle(a_start("s1"))
    asked = engine.handle(a_prompt("Why does the login pool time out?", session="s1"))
    assert (start.block, "login pool" in asked.block) == ("", True)
    assert [sent.session for sent in engine.log.entries(SessionId("s1"))] == [SessionId("s1")] * 2
