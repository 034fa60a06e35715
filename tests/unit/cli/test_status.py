"""What `status` says of a daemon, from its own figures."""

from typing import Any

import pytest

from recollect import __version__
from recollect.cli.commands.status import daemon_rows

FACTS = {"version": __version__, "pid": 42, "uptime_s": 3.2, "memory_mb": 61.4, "memories": 1204, "model": "loaded"}


def said(**facts: Any) -> dict[str, str]:
    return dict(daemon_rows(42, FACTS | facts, {}))


def test_a_daemon_that_goes_well_takes_three_lines() -> None:
    assert said() == {
        "daemon": f"running for 3 s, version {__version__}, process 42, 61 MB",
        "memories": "1,204 in all projects, including replaced ones",
        "model": "loaded",
    }


@pytest.mark.parametrize(
    ("seconds", "says"),
    [
        (59.4, "59 s"),
        (60, "1 min"),
        (3599, "59 min"),
        (3660, "1 h 1 min"),
        (90_000, "1 day 1 h"),
        (180_000, "2 days 2 h"),
    ],
)
def test_a_time_is_told_in_its_two_largest_units(seconds: float, says: str) -> None:
    assert f"running for {says}, " in said(uptime_s=seconds)["daemon"]


def test_one_of_another_version_is_told_with_what_to_do() -> None:
    assert "`recollect restart` updates it" in said(version="0.0.1")[""]
    assert "commands bypass the daemon" in said(version="999.0.0")[""]


def test_what_waits_is_told_and_without_a_model_no_text_waits_for_its_meaning() -> None:
    assert said(to_learn=1, to_embed=20)["waiting"] == "1 event to learn from, 20 texts without a vector yet"
    without = said(to_learn=0, to_embed=20, model="model_missing")
    assert "waiting" not in without
    assert without["model"].startswith("model missing: ")


def test_the_last_problems_are_told_the_newest_first() -> None:
    noted = [{"at": f"2026-01-01T10:0{n}:00Z", "where": "/v1/recall", "code": f"code_{n}"} for n in range(5)]
    lines = [says for name, says in daemon_rows(42, FACTS | {"last_errors": noted}, {}) if name in ("problems", "")]
    assert [line.rpartition(": ")[2] for line in lines] == ["code_4", "code_3", "code_2"]


def test_one_that_hangs_is_no_daemon_that_does_not_run() -> None:
    assert "process 42 does not answer" in dict(daemon_rows(42, None, {}))["daemon"]
    assert dict(daemon_rows(None, None, {}))["daemon"].startswith("not running")


def test_without_a_daemon_the_database_tells_what_is_known_and_what_waits() -> None:
    kept = {"memories": 1, "to_review": 1, "candidates": 0, "to_learn": 2, "to_embed": 3}
    assert dict(daemon_rows(None, None, kept)) == {
        "daemon": "not running; hosts start it, or `recollect start`",
        "memories": "1 in all projects, including replaced ones",
        "review": "1 memory waits for your decision (`recollect review --all`)",
        "waiting": "2 events to learn from",
    }
