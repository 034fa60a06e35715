"""`remember --file`, and where a person or a script sees that a file is not as it was."""

import json
import os
from pathlib import Path

import pytest

from tests.process.conftest import Home, without_styles
from tests.repositories import a_repository, git
from tests.requirements import covers


@pytest.fixture
def shop(home: Home) -> Path:
    root = a_repository(home.path / "shop", remote="https://example.org/shop.git")
    (root / "src").mkdir()
    (root / "src/pay.py").write_text("one\n")
    return root


def taught_about(home: Home, shop: Path, *options: str) -> str:
    told = ("remember", "Retries wait 3 s.", "--kind", "file_context", *options)
    return str(home.json(*told, cwd=shop / "src")["id"])


@covers("MEM-8")
def test_a_file_is_named_from_where_one_is_and_kept_from_the_root(home: Home, shop: Path) -> None:
    taught = home.json(
        "remember", "Retries wait 3 s.", "--file", "pay.py", "--file", "../src/../src/pay.py", cwd=shop / "src"
    )
    assert taught["anchors"] == [{"path": "src/pay.py", "hash": git(shop, "hash-object", "src/pay.py").strip()}]


@covers("MEM-8", "RET-5")
def test_everything_that_shows_a_memory_says_that_its_file_changed(home: Home, shop: Path) -> None:
    memory = taught_about(home, shop, "--file", "pay.py")
    home.said("remember", "Retries are logged.", cwd=shop)
    assert home.json("recall", "retries", "--status", "stale", cwd=shop)["hits"] == []
    assert "changed" not in home.said("list", cwd=shop) + home.said("show", memory, cwd=shop)
    (shop / "src/pay.py").write_text("two\n")
    (hit,) = home.json("recall", "retries", "--status", "stale", cwd=shop / "src")["hits"]
    assert (hit["id"], hit["stale"], hit["anchors"][0]["state"]) == (memory, True, "changed")
    assert hit["factors"]["freshness"] == 0.6
    assert ", src/pay.py changed since\tRetries wait 3 s." in home.said("recall", "retries", cwd=shop)
    assert "freshness 0.60" in home.said("recall", "retries", "--why", cwd=shop)
    assert "Retries wait 3 s. (src/pay.py changed since)\n" in home.said("list", cwd=shop)
    assert "(src/pay.py changed since)" in " ".join(without_styles(home.in_terminal("list", cwd=shop)).split())
    assert "  stale: src/pay.py changed since\n" in home.said("history", memory, cwd=shop)
    shown = home.said("show", memory, cwd=shop)
    assert "status\tlive, but stale\n" in shown
    assert "), changed since\n" in shown


@covers("MEM-8")
def test_scripts_read_the_state_of_each_file(home: Home, shop: Path) -> None:
    memory = taught_about(home, shop, "--file", "pay.py")
    (shop / "src/pay.py").unlink()
    (listed,) = home.json("list", cwd=shop)["memories"]
    told = [listed, home.json("show", memory, cwd=shop), home.json("history", memory, cwd=shop)["memory"]]
    assert [(one["stale"], one["anchors"][0]["state"]) for one in told] == [(True, "gone")] * 3
    (shop / "src/payment.py").write_text("one\n")
    git(shop, "add", "-A")
    (anchor,) = home.json("show", memory, cwd=shop)["anchors"]
    assert (anchor["state"], anchor["moved_to"]) == ("gone", "src/payment.py")
    assert "), moved to src/payment.py\n" in home.said("show", memory, cwd=shop)
    unseen = home.json("show", memory)  # from another folder: nothing is claimed
    assert (unseen["stale"], unseen["anchors"][0]["state"]) == (False, "unknown")


def test_what_is_shown_as_json_can_be_read_back(home: Home, shop: Path) -> None:
    memory = taught_about(home, shop, "--file", "pay.py")
    shown = home.json("show", memory, cwd=shop)
    home.said("forget", memory, "--now", "--yes", cwd=shop)
    home.said("import", "-", "--no-embed", stdin=json.dumps(shown).encode(), cwd=shop)
    again = home.json("show", memory, cwd=shop)
    assert (again["anchors"], again["stale"]) == (shown["anchors"], False)


@pytest.mark.parametrize(
    ("path", "scope", "message"),
    [
        ("nothing.py", "project", "There is no file 'nothing.py'; give the path of one in this project."),
        ("../../outside", "project", "it is outside the project"),
        ("link", "project", "it is outside the project"),
        (".", "project", "it is a folder"),
        ("pipe", "project", "it is not a regular file"),
        ("loop", "project", "'loop' cannot be"),
        ("x" * 300, "project", "File name too long"),
        ("\udcff.py", "project", "path of an anchor"),
        ("pay.py", "universal", "A file belongs to the project of its folder"),
        ("pay.py", "project:other", "A file belongs to the project of its folder"),
    ],
)
def test_a_file_that_cannot_be_is_refused_with_what_to_do(
    home: Home, shop: Path, path: str, scope: str, message: str
) -> None:
    (home.path / "outside").write_text("a secret")
    (shop / "src/link").symlink_to(home.path / "outside")
    (shop / "src/loop").symlink_to("loop")
    (shop / "src/\udcff.py").write_text("")
    os.mkfifo(shop / "src/pipe")
    done = home.recollect("remember", "Retries.", "--scope", scope, "--file", path, cwd=shop / "src")
    assert (done.returncode, done.stdout) == (1, b"")
    assert message in done.stderr.decode()
    assert home.json("list", cwd=shop)["memories"] == []


def test_what_is_stale_elsewhere_cannot_be_asked_for_here(home: Home, shop: Path) -> None:
    memory = home.json("remember", "Retries wait.", cwd=shop)
    project = memory["scope"].removeprefix("project:")
    done = home.recollect("recall", "retries", "--status", "stale", "--project", project)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"works only inside the project's own folder" in done.stderr


@covers("MEM-8")
def test_a_host_hears_of_it_through_the_daemon(home: Home, shop: Path) -> None:
    taught_about(home, shop, "--file", "pay.py")
    (shop / "src/pay.py").unlink()
    assert home.recollect("start", RECOLLECT_START__STYLE="full").returncode == 0

    def started(session: str) -> str:
        payload = {"hook": "session.start", "sessionID": session, "directory": str(shop)}
        return str(home.post("/v1/hosts/opencode", payload)["block"])

    # On a busy machine a session may begin before its files were looked at; then a later one knows.
    assert any("; src/pay.py is gone)" in started(f"s{number}") for number in range(100))
