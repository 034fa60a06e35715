"""`recollect edit`, by options and in an editor, through the daemon and past it."""

import json
import pty
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.process.conftest import RECOLLECT, Home, all_shown, refused, shared_home, taught, without_styles
from tests.requirements import covers

__all__ = ["shared_home"]

HELM, ARGO = "We deploy the shop with Helm.", "We deploy the shop with Argo."
WAYS = [(), ("--direct",)]


@pytest.fixture
def helm(shared_home: Home) -> Iterator[str]:
    """Taught for one test; out of sight after it."""
    known = taught(shared_home, HELM)
    yield known
    shared_home.said("forget", known)


def an_editor(home: Home, script: str) -> str:
    """An editor of ours: a shell script that gets the file as $1."""
    made = home.path / "editor.sh"
    made.write_text(f"#!/bin/sh\n{script}\n")
    made.chmod(0o700)
    return str(made)


def in_editor(home: Home, memory_id: str, script: str, *options: str) -> tuple[int, str]:
    """How `edit` ends in a terminal, and what it shows there."""
    leader, follower = pty.openpty()
    env = home.env | {"EDITOR": an_editor(home, script), "TERM": "dumb", "COLUMNS": "200"}
    process = subprocess.Popen(
        [RECOLLECT, "edit", memory_id, *options],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env=env,
        cwd=home.path,
    )
    shown = all_shown(leader, follower)
    return process.wait(timeout=10), without_styles(shown.decode()).replace("\r\n", "\n")


def drafts(home: Home) -> list[Path]:
    return sorted(home.places.state.glob("edit-*/*"))


@pytest.mark.parametrize("way", WAYS)
def test_an_edited_memory_is_the_users_word_under_its_id(shared_home: Home, helm: str, way: tuple[str, ...]) -> None:
    done = json.loads(
        shared_home.said(
            "edit", helm[:5], "--text", ARGO, "--kind", "rule", "--title", "Argo", "--alias", "cd", "--json", *way
        )
    )
    assert (done["outcome"], done["id"], done["text"], done["kind"]) == ("edited", helm, ARGO, "rule")
    assert (done["title"], done["aliases"], done["tier"]) == ("Argo", ["cd"], "confirmed")
    assert done["source"] == {"role": "user", "host": "cli", "session": None, "message": None, "agent": None}
    assert done["before"]["text"] == HELM
    assert shared_home.json("show", helm, *way)["text"] == ARGO
    assert [hit["id"] for hit in shared_home.json("recall", "Argo", *way)["hits"]] == [helm]
    told = shared_home.said("history", helm, *way)
    assert f"text: {HELM} -> {ARGO}" in told
    assert "kind: decision -> rule" in told
    shared_home.said("undo", str(done["undo"]), *way)
    before = shared_home.json("show", helm)
    assert (before["text"], before["kind"], before["title"]) == (HELM, "decision", None)


@pytest.mark.parametrize("way", WAYS)
def test_what_changes_nothing_is_no_deed(shared_home: Home, helm: str, way: tuple[str, ...]) -> None:
    deeds = shared_home.json("undo", "--list")["deeds"]
    assert "Nothing to change" in shared_home.said("edit", helm, "--text", f"  {HELM}\n", *way)
    assert shared_home.json("undo", "--list")["deeds"] == deeds


def test_a_secret_is_redacted_and_that_is_said(shared_home: Home, helm: str) -> None:
    key = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
    said = shared_home.said("edit", helm, "--text", f"The key of the shop is {key} for payments.")
    assert "redacted" in said
    assert key not in said + shared_home.said("export", "-") + shared_home.said("history", helm)


def test_what_cannot_be_edited_says_why(shared_home: Home, helm: str) -> None:
    other = taught(shared_home, "The API listens on port 8080.")
    assert other in refused(shared_home, "edit", helm, "--text", "The API listens on port 8080.")
    assert "no visible characters" in refused(shared_home, "edit", helm, "--text", " \n ")
    assert "no scope" in refused(shared_home, "edit", helm, "--scope", "nowhere")
    assert "no memory" in refused(shared_home, "edit", "zzzzzzzz", "--text", "x")
    shared_home.said("forget", other)
    assert "is forgotten" in refused(shared_home, "edit", other, "--text", "x")
    assert shared_home.recollect("edit", helm).returncode == 2  # not in a terminal: nobody to edit it
    assert shared_home.json("show", helm)["text"] == HELM


@pytest.mark.parametrize("way", WAYS)
def test_an_editor_gets_a_readable_template(shared_home: Home, helm: str, way: tuple[str, ...]) -> None:
    seen = shared_home.path / "seen"
    look = f'cp "$1" {seen}; stat -c %a "$1" "$(dirname "$1")" > {seen}.mode'
    script = f'{look}; sed -i "s/Helm/Argo/; s/^kind:.*/kind: rule/" "$1"'
    code, shown = in_editor(shared_home, helm, script, *way)
    assert (code, drafts(shared_home)) == (0, [])
    assert f"text: {HELM} -> {ARGO}" in shown
    assert seen.read_text().splitlines()[3:7] == [
        "kind: decision",
        f"scope: {shared_home.json('show', helm)['scope']}",
        "title: ",
        "aliases: ",
    ]
    assert seen.read_text().endswith(f"---\n{HELM}\n")
    assert Path(f"{seen}.mode").read_text().split() == ["600", "700"]
    assert shared_home.json("show", helm)["kind"] == "rule"


@pytest.mark.parametrize("script", ["true", ': > "$1"', r'sed -i "/^---/q" "$1"', "exit 3"])
def test_an_editor_that_changes_nothing_or_takes_all_away_changes_nothing(
    shared_home: Home, helm: str, script: str
) -> None:
    code, shown = in_editor(shared_home, helm, script)
    kept = drafts(shared_home)
    for file in kept:
        file.unlink()
        file.parent.rmdir()
    assert shared_home.json("show", helm)["text"] == HELM
    assert (code == 0) == (script in ("true", r'sed -i "/^---/q" "$1"')), shown
    assert bool(kept) == (script == ': > "$1"')  # the line before the text is gone too: that may be a slip


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ('sed -i "s/^kind:.*/kind: whim/" "$1"', "no kind"),
        ('sed -i "s/^title:/tittle:/" "$1"', "Line 6"),
        ('sed -i "s/Helm/Argo/" "$1"; exit 1', "ended with exit code 1"),
        ('printf "\\377" >> "$1"', "UTF-8"),
        (
            f'sed -i "s/Helm/Argo/" "$1"; {RECOLLECT} edit "$(basename "$1" .txt)" --title Meanwhile --text "Other."',
            "in the meantime",
        ),
    ],
)
def test_a_draft_that_cannot_be_taken_is_kept_and_named(shared_home: Home, helm: str, script: str, why: str) -> None:
    code, shown = in_editor(shared_home, helm, script)
    (kept,) = drafts(shared_home)
    assert (code, kept.stat().st_mode & 0o777, kept.parent.stat().st_mode & 0o777) == (1, 0o600, 0o700)
    assert why in shown
    assert str(kept) in shown.replace("\n", "")
    kept.unlink()
    kept.parent.rmdir()


@covers("PRI-7")
def test_forgotten_for_good_by_its_earlier_words_these_are_gone_too(home: Home) -> None:
    known = taught(home, "The vault door opens with xylophone.")
    home.said("edit", known, "--text", "The vault has no door.")
    assert known in home.said("forget", "--match", "xylophone", "--now", "--yes")
    held = [file for file in home.path.rglob("*") if file.is_file() and b"xylophone" in file.read_bytes()]
    assert held == []
