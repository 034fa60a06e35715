"""`recollect data` and `recollect data forget`, through the daemon and past it."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from recollect.cli.diagnosis.own_files import measure_files
from tests.process.conftest import RECOLLECT, Home, all_shown, refused, taught, without_styles
from tests.process.transcripts import a_project
from tests.requirements import covers

TRUMPET = "Always play the trumpet before a release."


def filled(home: Home) -> tuple[Path, str]:
    """A project with a memory and a session, and another one; the first one's folder and id."""
    shop, web = a_project(home, "shop"), a_project(home, "web")
    taught(home, "We deploy the shop with the xylophone.", cwd=shop)
    taught(home, "The web runs on Vercel.", cwd=web)
    home.said("inject", json.dumps({"type": "prompt", "session": "s1", "text": TRUMPET}), cwd=shop)
    return shop, str(home.json("project", "show", cwd=shop)["id"])


def places(home: Home, *way: str) -> dict[str, dict[str, object]]:
    return {one["place"]: one for one in home.json("data", *way)["projects"]}


def holding(home: Home, *words: str) -> list[Path]:
    files = [file for file in (home.path / ".local").rglob("*") if file.is_file()]
    return [file for file in files if any(word.encode() in file.read_bytes() for word in words)]


@covers("PRI-7")
@pytest.mark.parametrize("way", [(), ("--direct",)])
def test_what_is_kept_is_counted_and_a_project_is_forgotten_for_good(home: Home, way: tuple[str, ...]) -> None:
    if not way:
        home.said("start")
    shop, project = filled(home)
    assert places(home) == places(home, "--direct")
    mine = places(home, *way)[project]
    assert (mine["turns"], mine["sessions"]) == (1, 1)
    assert mine["memories"] == 2
    files = {one["what"]: one for one in home.json("data", *way)["files"]}
    assert files["database"]["bytes"] >= home.places.database.stat().st_size
    assert files["database"]["path"] == str(home.places.database)

    assert "--yes" in refused(home, "data", "forget", project, *way)
    assert home.json("data", "forget", project, "--dry-run", *way)["outcome"] == "would be forgotten"
    done = home.json("data", "forget", project, "--yes", *way)
    assert (done["outcome"], done["held"]) == ("forgotten", mine)
    assert home.json("list", *way, cwd=shop)["memories"] == []
    home.said("undo", str(done["undo"]), *way)
    assert places(home, *way)[project] == mine

    if not way:  # what is deleted beside a running daemon is another test's
        home.said("stop")
    home.said("data", "forget", "--now", "--yes", cwd=shop)
    assert project not in places(home)
    assert holding(home, "trumpet", "xylophone", project) == []
    assert "Nothing is known" in refused(home, "data", "forget", project, "--yes")


def test_in_a_terminal_it_asks_and_fits(home: Home) -> None:
    _, project = filled(home)
    for columns in (80, 120):
        lines = without_styles(home.in_terminal("data", columns=columns)).replace("\r", "").splitlines()
        assert any(line.startswith("database") for line in lines)
        assert project in lines
        assert all(len(line) <= columns for line in lines if str(home.path) not in line)
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [RECOLLECT, "data", "forget", project],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env=home.env | {"TERM": "dumb", "COLUMNS": "200"},
        cwd=home.path,
    )
    os.write(leader, b"n\n")
    shown = all_shown(leader, follower).decode()
    assert process.wait(timeout=10) == 0
    assert "2 memories, 1 turn, 1 session" in shown
    assert "Nothing was changed." in shown
    assert project in places(home)


def test_where_nothing_is_kept_looking_makes_nothing(home: Home) -> None:
    assert home.json("data") == {"files": [], "projects": []}
    assert not home.places.database.exists()


def test_no_file_of_ours_is_opened_to_know_its_size(home: Home) -> None:
    """Opening and closing a live database drops SQLite's locks, and with them what was written."""
    taught(home, "We deploy with Helm.")
    opened: list[object] = []
    sys.addaudithook(lambda name, about: opened.append(about[0]) if name == "open" and watching else None)
    watching = [True]
    sizes = {one.what: one.size_bytes for one in measure_files(home.places)}
    watching.clear()
    assert sizes["database"] >= home.places.database.stat().st_size
    assert opened == []
