"""The bench of the moments, small: it runs on what the search has left, and measures sessions that go on."""

from pathlib import Path

import pytest
from bench import corpus, moments, search
from bench.measure import Times, row
from bench.vectors import NO_MODEL, Vectors, synthetic

from recollect.domain.memory import SessionId

GIVEN = Vectors(NO_MODEL, synthetic(100))
QUESTIONS = synthetic(20, seed=7)
ROWS = (
    "plain FTS5 join",
    "a session start",
    "a turn by word",
    "a turn by word and meaning",
    "a turn after 3 others",
    "a tool that failed",
    "a question of the agent",
    "before a compaction",
)


@pytest.fixture(autouse=True)
def _few_of_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    for what, few in {"LOGGED_SESSIONS": 60, "SESSIONS": 2, "TURNS": 3, "LONG": 3}.items():
        monkeypatch.setattr(moments, what, few)


def test_a_small_bench_of_moments_prints_every_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    moments.run(tmp_path, [200], GIVEN, QUESTIONS)
    printed = capsys.readouterr().out
    assert all(f"200 memories: {what}" in printed for what in ROWS)
    assert "of 6 turns brought something" in printed


def test_the_database_of_the_search_is_not_written_again(tmp_path: Path) -> None:
    with search.open_store(search.database(tmp_path, 200)) as (store, _):
        assert store.count() == 0
    moments.run(tmp_path, [200], GIVEN, QUESTIONS)
    with search.open_store(search.database(tmp_path, 200)) as (store, _):
        assert store.count() == 0


def test_the_sessions_before_have_reasons_in_their_log_and_the_last_left_notes(tmp_path: Path) -> None:
    with search.open_store(tmp_path / "log.db") as (store, _):
        moments.log_sessions(store, sessions=300)
        logged = store.log_of(SessionId("before-0"))
        left = store.recaps(corpus.project(0), limit=10)
    assert [len(sent.injection.choices) for sent in logged] == [moments.REASONS_PER_TURN] * moments.TURNS
    assert len(left) == moments.RECAPS
    assert all(recap.notes and recap.summary for recap in left)


def test_a_row_says_whether_the_slowest_are_quick_enough(capsys: pytest.CaptureFixture[str]) -> None:
    row("a turn", Times(5.0, 50.0), target_ms=10, target_p95_ms=25)
    assert "at most 10 ms: met; p95 at most 25 ms: MISSED" in capsys.readouterr().out
