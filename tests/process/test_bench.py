"""The bench of the daemon, small: it runs on a real one, and says whether each target is met."""

import re
import sys
from pathlib import Path

import pytest
from bench import daemon, load, opencode

ROWS = (
    "memory before anything is asked",
    "hello: connection kept",
    "an empty reply: a new connection",
    "a hook call",
    "memory after 30 events",
    "growth between them",
    "memory with MCP",
    "clients at once",
)


def test_a_small_bench_of_the_daemon_prints_every_row(
    tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    few = {
        "ROUND_TRIPS": 3,
        "HOOK_CALLS": 1,
        "COMMAND_CALLS": 1,
        "EVENTS": 15,
        "MORE_EVENTS": 30,
        "CLIENTS": 2,
        "FOR_S": 0.2,
        "QUIET_S": 0,
    }
    for what, number in few.items():
        monkeypatch.setattr(daemon, what, number)
    daemon.run(tmp_path_factory.mktemp("bench"), None)
    printed = capsys.readouterr().out
    assert [what for what in ROWS if what not in printed] == []
    # The figures themselves belong to `make bench`: another machine, or load beside the test, changes them.
    assert re.search(r"memory before anything is asked .*less than 40 MB: (met|MISSED)", printed)


def test_a_small_bench_of_prompts_under_load_says_that_all_were_written_down(
    tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for what, number in {"MEMORIES": 20, "IMPORTED_LINES": 2_000, "HOOK_CALLS": 2}.items():
        monkeypatch.setattr(load, what, number)
    load.run(tmp_path_factory.mktemp("bench"), None, [Path(sys.executable)], seconds=0.5, only="hook")
    assert "2 prompts through the hook" in (printed := capsys.readouterr().out)
    assert "written down: met" in printed


def test_the_bench_of_a_client_that_is_not_installed_says_what_installs_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opencode, "CLIENT", tmp_path / "opencode")
    opencode.run(tmp_path)
    assert "make setup" in capsys.readouterr().out
