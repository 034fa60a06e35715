"""The version before moments: what it sent is replayed byte for byte, and what came since begins empty."""

from pathlib import Path

import pytest

from recollect.domain.event import StartSource
from recollect.domain.health import Health
from recollect.domain.injection import Moment
from recollect.domain.memory import MessageId, SessionId
from recollect.store.sqlite.salvage import salvage
from recollect.store.sqlite.store import SqliteStore
from tests.builders import PROJECT, a_prompt, a_start
from tests.flows.conftest import engine_on
from tests.store import before_moments

S1 = SessionId("s1")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "data" / "recollect.db"
    before_moments.make(path)
    return path


def test_its_sessions_and_blocks_are_there_and_healthy(path: Path) -> None:
    store = SqliteStore(path)
    assert [finding.health for finding in store.check()] == [Health.FINE]
    session = store.session(S1)
    assert session is not None
    assert (session.context, session.recalls, session.captures, session.parent, session.ended_at) == (
        1,
        True,
        True,
        None,
        None,
    )
    log = store.log_of(S1)
    assert [(sent.message, sent.context, sent.point, sent.confirmed) for sent in log] == [
        (None, 0, Moment.START, True),
        (None, 1, Moment.START, True),
        ("u1", 1, Moment.PROMPT, True),
        ("u2", 1, Moment.PROMPT, False),
    ]
    assert all((sent.call, sent.injection.corrected, sent.injection.choices) == ("", (), ()) for sent in log)
    assert store.recaps(PROJECT, limit=9) == []
    store.close()


def test_what_it_sent_is_replayed_byte_for_byte(path: Path) -> None:
    store = SqliteStore(path)
    engine = engine_on(store)
    assert engine.handle(a_start(source=StartSource.RESUME)).block == before_moments.START
    assert engine.replay(S1, [MessageId("u1"), MessageId("u2")]) == {"u1": before_moments.TURN}
    assert engine.handle(a_prompt("How is auth handled?", message="u1")).block == before_moments.TURN
    store.close()


def test_a_damaged_file_of_it_is_salvaged_with_its_blocks(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(bytes(40) + data[40:])
    salvage(path)
    store = SqliteStore(path)
    assert engine_on(store).replay(S1, [MessageId("u1")]) == {"u1": before_moments.TURN}
    store.close()
