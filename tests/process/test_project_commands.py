"""project: a folder's memories stay with it, and with nobody else."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.process.conftest import Home, refused, taught
from tests.repositories import a_repository, commit, git
from tests.requirements import covers


@pytest.fixture
def repository(home: Home) -> Path:
    return a_repository(home.path / "repo", remote="git@example.org:shop/api.git")


@covers("PRI-5")
def test_a_project_is_shown_with_its_reason_and_its_aliases(home: Home, repository: Path) -> None:
    taught(home, cwd=repository)
    shown = home.json("project", "show", cwd=repository / ".git" / "..")
    assert (shown["id"], shown["memories"]) == ("git:example.org/shop/api", 1)
    assert [alias.partition(":")[0] for alias in shown["known_as"]] == ["path", "root"]
    assert "git:example.org/shop/api" in home.said("project", "show", cwd=repository)
    assert "git:example.org/shop/api\t1\t" in home.said("project", "list")


def test_git_runs_once_for_a_project_and_only_after_its_first_commit(home: Home) -> None:
    programs, calls = home.path / "programs", home.path / "calls"
    programs.mkdir()
    (programs / "git").write_text(f'#!/bin/sh\necho x >> {calls}\nexec {shutil.which("git")} "$@"\n')
    (programs / "git").chmod(0o700)
    here = replace(home, env=home.env | {"PATH": f"{programs}:{home.env['PATH']}"})
    folder = a_repository(home.path / "repo", commits=0)
    for number in range(5):
        taught(here, f"Service {number} listens on port 80{number}.", cwd=folder)
    assert not calls.exists()
    commit(folder)
    for number in range(5):
        taught(here, f"Queue {number} is named jobs-{number}.", cwd=folder)
    assert len(calls.read_text().splitlines()) == 1
    aliases = here.json("project", "show", cwd=folder)["known_as"]
    assert f"root:{git(folder, 'rev-parse', 'HEAD').strip()}" in aliases


def test_a_remote_that_comes_later_keeps_the_memories(home: Home) -> None:
    folder = a_repository(home.path / "repo")
    taught(home, cwd=folder)
    git(folder, "remote", "add", "origin", "git@example.org:shop/api.git")
    assert [memory["text"] for memory in home.json("list", cwd=folder)["memories"]] == ["We deploy with Helm."]
    taught(home, "Another.", cwd=folder)
    again = home.path / "again"
    git(home.path, "clone", "-q", str(folder), str(again))
    git(again, "remote", "set-url", "origin", "https://example.org/shop/api")
    assert len(home.json("list", cwd=again)["memories"]) == 2


def test_a_folder_without_git_that_moved_is_told_by_hand(home: Home) -> None:
    old, new = home.path / "old", home.path / "new"
    old.mkdir()
    taught(home, cwd=old)
    old.rename(new)
    assert home.json("list", cwd=new)["memories"] == []
    assert "pass --yes" in home.recollect("project", "move", f"path:{old}", cwd=new).stderr.decode()
    moved = home.json("project", "move", f"path:{old}", "--yes", cwd=new)
    assert moved["memories"] == 1
    assert len(home.json("list", cwd=new)["memories"]) == 1
    assert home.json("list", "--project", f"path:{old}")["memories"] != []
    home.said("undo", cwd=new)
    assert home.json("list", cwd=new)["memories"] == []


def test_projects_are_merged_once_for_what_both_know_and_taken_apart_again(home: Home) -> None:
    one, two = home.path / "one", home.path / "two"
    for folder, own in ((one, "Of one."), (two, "Of two.")):
        folder.mkdir()
        taught(home, own, cwd=folder)
        taught(home, "Both know.", cwd=folder)
    assert (
        "recollect project merge" in home.recollect("project", "move", f"path:{two}", "--yes", cwd=one).stderr.decode()
    )
    home.said("project", "merge", f"path:{two}", "--yes", cwd=one)
    assert sorted(memory["text"] for memory in home.json("list", cwd=one)["memories"]) == [
        "Both know.", "Of one.", "Of two.",
    ]  # fmt: skip
    assert home.json("project", "show", cwd=two)["id"] == f"path:{one}"
    home.said("undo")
    assert sorted(memory["text"] for memory in home.json("list", cwd=two)["memories"]) == ["Both know.", "Of two."]
    assert home.json("doctor")["healthy"]
    assert "There is no project" in refused(home, "project", "merge", "path:/nowhere", "--yes")


def test_a_name_makes_folders_one_project_and_takes_along_what_is_known(home: Home, repository: Path) -> None:
    taught(home, cwd=repository)
    assert home.json("project", "name", "shop", cwd=repository)["project"] == "name:shop"
    other = home.path / "other"
    other.mkdir()
    (other / ".recollect.toml").write_text('project = "shop"\n')
    home.said("project", "accept", cwd=other)
    assert [memory["text"] for memory in home.json("list", cwd=other)["memories"]] == ["We deploy with Helm."]
    assert b"already names this project name:shop" in home.recollect("project", "name", "again", cwd=repository).stderr
    assert home.json("project", "name", "shop", cwd=repository)["project"] == "name:shop"
    third = home.path / "third"
    third.mkdir()
    (third / ".recollect.toml").write_text("[turn]\nenabled = false\n")
    assert b"already exists" in home.recollect("project", "name", "shop", cwd=third).stderr
    home.said("project", "name", "shop", "--yes", cwd=third)
    assert (third / ".recollect.toml").read_text() == 'project = "shop"\n[turn]\nenabled = false\n'
    for bad in ("", 'a"b', "a\nb"):
        assert home.recollect("project", "name", bad).returncode == 1


@covers("PRI-4")
def test_preferences_cross_projects_only_where_that_is_set(home: Home) -> None:
    here, there = home.path / "here", home.path / "there"
    for folder in (here, there):
        folder.mkdir()
    taught(home, "Prefer tabs.", "--kind", "preference", cwd=here)
    taught(home, "Prefer secrets.", "--kind", "preference", "--sensitivity", "restricted", cwd=here)
    taught(home, "Cache in Redis.", cwd=here)
    assert home.json("list", cwd=there)["memories"] == []
    home.places.settings.parent.mkdir(parents=True)
    home.places.settings.write_text("[privacy]\nshare_preferences = true\n")
    assert [memory["text"] for memory in home.json("list", cwd=there)["memories"]] == ["Prefer tabs."]
    assert [hit["text"] for hit in home.json("recall", "prefer redis", cwd=there)["hits"]] == ["Prefer tabs."]


def test_an_accepted_name_can_be_taken_back(home: Home, repository: Path) -> None:
    home.said("project", "name", "shop", cwd=repository)
    taught(home, cwd=repository)
    other = a_repository(home.path / "other", remote="git@example.org:else/where.git")
    (other / ".recollect.toml").write_text('project = "shop"\n')
    assert home.json("list", cwd=other)["memories"] == []
    assert home.json("project", "show", cwd=other)["claimed"] == "name:shop"
    assert "recollect project accept" in home.said("project", "show", cwd=other)
    home.said("project", "accept", cwd=other)
    assert len(home.json("list", cwd=other)["memories"]) == 1
    home.said("undo", cwd=other)
    assert home.json("list", cwd=other)["memories"] == []
    assert b"No .recollect.toml here claims the name" in home.recollect("project", "accept", cwd=home.path).stderr


@pytest.mark.parametrize("settings", ["", "[turn]\nenabled = false\n"])
@pytest.mark.parametrize("knows", [True, False])
def test_a_name_is_taken_back_with_its_line_in_the_file_and_given_again(
    home: Home, repository: Path, settings: str, knows: bool
) -> None:
    file = repository / ".recollect.toml"
    if settings:
        file.write_text(settings)
    if knows:
        taught(home, cwd=repository)
    before = home.json("project", "show", cwd=repository)
    home.said("project", "name", "shop", cwd=repository)
    undone = home.json("undo", cwd=repository)
    assert (file.read_text() if file.exists() else "") == settings
    after = home.json("project", "show", cwd=repository)
    assert (after["id"], after["memories"]) == (before["id"], before["memories"])
    left = [deed["kind"] for deed in home.json("undo", "--list")["deeds"] if deed["undone_by"] is None]
    assert {"join", "accept"}.isdisjoint(left), "nothing is left of the name"
    home.said("undo", str(undone["by"]), cwd=repository)
    assert file.read_text() == f'project = "shop"\n{settings}'
    assert home.json("project", "show", cwd=repository)["id"] == "name:shop"


def test_a_match_leaves_alone_what_another_project_shares(home: Home) -> None:
    other = home.path / "other"
    other.mkdir()
    taught(home, "The gateway is public.", "--sensitivity", "public", cwd=other)
    taught(home, "The gateway is ours.")
    assert len(home.json("recall", "gateway")["hits"]) == 2
    assert [m["text"] for m in home.json("forget", "--match", "gateway", "--yes")["memories"]] == [
        "The gateway is ours."
    ]


def test_a_project_that_nobody_knows_is_said(home: Home) -> None:
    for command in (["list"], ["recall", "x"], ["export"], ["forget", "--match", "x", "--yes"]):
        assert "There is no project 'nope'" in refused(home, *command, "--project", "nope")


def test_what_a_chain_of_merges_has_copied_is_forgotten_with_it(home: Home) -> None:
    for name in ("p1", "p2", "p3"):
        taught(home, "Zanzibar quicksilver.", "--scope", f"project:{name}")
    home.said("project", "merge", "p1", "p2", "--yes")
    home.said("project", "merge", "p2", "p3", "--yes")
    (live,) = home.json("list", "--project", "p3")["memories"]
    home.said("forget", live["id"], "--now", "--yes")
    assert home.said("export") == ""
    assert b"quicksilv" not in home.places.database.read_bytes().lower()


def test_a_pipe_in_the_place_of_a_git_file_is_not_waited_for(home: Home) -> None:
    for name in ("config", "commondir"):
        folder = home.path / name
        (folder / ".git").mkdir(parents=True)
        os.mkfifo(folder / ".git" / name)
        assert "project:path:" in home.said("remember", "We deploy with Helm.", cwd=folder)
