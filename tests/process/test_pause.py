"""`recollect pause` and `resume` with real processes: daemon, hook and commands, whoever runs."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.process.conftest import Home, refused, shared_home, taught, without_styles
from tests.process.hook_stage import call
from tests.process.test_daemon import wait_until_running
from tests.process.transcripts import a_project, claude_lines

__all__ = ["shared_home"]

SECRETLY = "Always play the xylophone before a release."


@pytest.fixture(scope="module")
def shop(shared_home: Home) -> Path:
    folder = a_project(shared_home)
    taught(shared_home, "We deploy the shop with Helm.", cwd=folder)
    return folder


@pytest.fixture
def paused(shared_home: Home) -> Iterator[Home]:
    shared_home.said("pause")
    yield shared_home
    shared_home.said("resume")


def told(home: Home, folder: Path, text: str, message: str, session: str = "s1") -> str:
    """The block that a prompt is given. Not by the hook: on a busy machine its deadline would be silence too."""
    event = {"type": "prompt", "session": session, "message": message, "text": text, "folder": str(folder)}
    return str(home.post("/v1/hosts/script", event, timeout_s=20).get("block", ""))


def holds(home: Home, word: str) -> list[Path]:
    """The files that have a word of what was said."""
    files = [file for file in home.path.rglob("*") if file.is_file() and ".claude" not in file.parts]
    return [file for file in files if word.encode() in file.read_bytes()]


def test_the_next_prompt_after_a_pause_is_silent_and_the_next_after_resume_is_not(
    shared_home: Home, shop: Path
) -> None:
    asked = "How do we deploy the shop with Helm?"
    first = told(shared_home, shop, asked, "m1")
    assert "Helm" in first
    done = shared_home.json("pause", "--for", "1h")
    assert (done["paused"], done["pauses"][0]["project"]) == (True, None)
    assert told(shared_home, shop, f"{asked} {SECRETLY}", "m2") == ""
    assert told(shared_home, shop, asked, "m1") == first  # sent before: the same bytes
    shared_home.said("restart")
    assert told(shared_home, shop, f"{asked} {SECRETLY}", "m3", "s2") == ""
    assert shared_home.json("resume") == {"resumed": True, "paused": False, "pauses": []}
    assert told(shared_home, shop, f"{asked} {SECRETLY}", "m2") == ""  # what went out bare stays bare
    assert "Helm" in told(shared_home, shop, asked, "m4", "s3")
    assert holds(shared_home, "xylophone") == []


def test_commands_work_and_say_that_it_is_paused(paused: Home, shop: Path) -> None:
    event = '{"type": "prompt", "text": "How do we deploy the shop with Helm?"}'
    for way in ((), ("--direct",)):
        silent = paused.recollect("inject", event, *way, cwd=shop)
        assert (silent.returncode, silent.stdout) == (0, b"")
        assert b"Recollect was paused" in silent.stderr
    done = paused.recollect("recall", "Helm", cwd=shop)
    assert (done.returncode, b"Helm" in done.stdout, b"`recollect resume`" in done.stderr) == (0, True, True)
    known = taught(paused, "Prices are in cents.", cwd=shop)
    assert paused.json("show", known)["text"] == "Prices are in cents."
    paused.said("forget", known)


def test_status_and_doctor_say_that_it_is_paused_and_how_to_go_on(paused: Home) -> None:
    status = paused.json("status")
    assert len(status["pauses"]) == 1
    assert "PAUSED" in paused.said("status")
    found = [
        one for one in json.loads(paused.recollect("doctor", "--json").stdout)["findings"] if one["about"] == "pause"
    ]
    assert [(one["health"], "recollect resume" in one["says"]) for one in found] == [("note", True)]
    shown = without_styles(paused.in_terminal("status", columns=80))
    assert max(map(len, shown.split("\r\n")[:2])) <= 80


def test_without_a_daemon_it_holds_for_whoever_starts_one(home: Home) -> None:
    taught(home, "We deploy the shop with Helm.")
    home.said("pause")
    start = {"type": "session_started", "session": "s1", "folder": str(home.path)}
    assert call(home, "script", "start", stdin=json.dumps(start).encode()) == b""
    wait_until_running(home.client)
    assert told(home, home.path, f"How do we deploy the shop with Helm? {SECRETLY}", "m1") == ""
    pid = home.client.pid()
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    home.said("start")
    assert told(home, home.path, f"How do we deploy the shop with Helm? {SECRETLY}", "m2") == ""
    home.places.pause.write_text("not a pause")
    assert told(home, home.path, f"How do we deploy the shop with Helm? {SECRETLY}", "m3") == ""
    assert "is damaged" in refused(home, "pause")
    assert home.recollect("doctor").returncode == 4
    home.said("resume")
    assert "Helm" in told(home, home.path, "How do we deploy the shop with Helm?", "m4", "s2")
    assert holds(home, "xylophone") == []


def test_a_project_can_be_paused_by_itself(shared_home: Home, shop: Path) -> None:
    elsewhere = a_project(shared_home, "elsewhere")
    taught(shared_home, "We deploy the shop with Helm.", cwd=elsewhere)
    asked = "How do we deploy the shop with Helm?"
    shared_home.said("pause", "--project", "--for", "2d", cwd=shop)
    assert told(shared_home, shop, asked, "p1", "p") == ""
    assert "Helm" in told(shared_home, elsewhere, asked, "e1", "e")
    assert "This project itself was not paused" in shared_home.said("resume", "--project", cwd=elsewhere)
    assert "active again, in this project" in shared_home.said("resume", "--project", cwd=shop)
    assert "Helm" in told(shared_home, shop, asked, "p2", "p")


def test_an_old_session_is_captured_without_what_was_said_in_a_pause(home: Home) -> None:
    folder = a_project(home)
    home.said("pause")
    (since,) = json.loads(home.places.pause.read_text())["pauses"]
    lines = [json.loads(line) for line in claude_lines(folder)]
    for line in lines[:2]:
        line["timestamp"] = since["since"]
        line["message"]["content"] = f"{SECRETLY} " + json.dumps(line["message"]["content"])
    place = home.path / ".claude/projects" / str(folder).replace("/", "-")
    place.mkdir(parents=True)
    (place / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = json.loads(home.said("capture", "--yes", "--json", cwd=folder))
    assert done["turns"] == 2
    home.said("resume")
    assert holds(home, "xylophone") == []


@pytest.mark.parametrize("wrong", ["", "5x", "0m", "-1h", "h", "400d", "1.5h"])
def test_a_time_that_is_none_is_refused(shared_home: Home, wrong: str) -> None:
    assert "pause" in refused(shared_home, "pause", f"--for={wrong}")
    assert shared_home.json("status")["pauses"] == []
