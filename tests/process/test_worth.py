"""`recollect worth`: small transcripts, the real command."""

import json
import os
import pty
import re
import signal
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.process.conftest import RECOLLECT, Home, all_shown
from tests.process.transcripts import a_project, codex_file, opencode_database, opencode_session, specstory_file
from tests.requirements import covers

RULE = "Remember: we never mock the postgres <b & c> database in integration tests."
ERROR = "sqlite3.OperationalError: no such table: ledger_entries"


def a_transcript(home: Home, folder: Path, name: str, *, days_ago: float, said: str = RULE) -> Path:
    began = datetime.now(UTC) - timedelta(days=days_ago)
    call = {"type": "tool_use", "id": f"{name}-call", "name": "Bash", "input": {"command": "make migrate"}}
    failed = {"type": "tool_result", "tool_use_id": f"{name}-call", "is_error": True, "content": ERROR}
    messages: list[tuple[str, Any]] = [
        ("user", said),
        ("assistant", [{"type": "text", "text": "I run the migration."}, call]),
        ("user", [failed]),
        ("assistant", [{"type": "text", "text": "The table is missing."}]),
    ]
    lines = [
        {
            "type": role,
            "message": {"role": role, "content": content},
            "uuid": f"{name}-{number}",
            "sessionId": name,
            "cwd": str(folder),
            "timestamp": (began + timedelta(seconds=number)).isoformat(),
            "isSidechain": False,
        }
        for number, (role, content) in enumerate(messages)
    ]
    file = home.path / ".claude/projects/shop" / f"{name}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


@covers("WOR-2")
def test_sessions_of_this_machine_are_played_again_and_the_report_says_what_they_show(home: Home) -> None:
    shop = a_project(home)
    a_transcript(home, shop, "s1", days_ago=3)
    a_transcript(home, shop, "s2", days_ago=2)
    a_transcript(home, shop, "s0", days_ago=40)
    told = home.json("worth")
    assert (told["sessions"], told["played"], told["interrupted"]) == (2, 2, False)
    assert {point: one["asked"] for point, one in told["moments"].items()} == {"start": 2, "prompt": 2, "tool_error": 2}
    assert told["moments"]["start"]["spoken"] == 1
    (again,) = told["repeated"]
    assert again["first"]["text"] == again["again"]["text"]
    assert again["block_line"].startswith("[RULE]")
    assert [one["error"] for one in told["errors_met_again"]] == [ERROR]
    assert told["cost_usd"] == round(told["tokens"] * 3 / 1e6, 4)
    assert told["moments"]["prompt"]["helped"] is None


@covers("WOR-2")
def test_nothing_of_the_user_is_touched(home: Home) -> None:
    shop = a_project(home)
    a_transcript(home, shop, "s1", days_ago=3)
    home.json("worth")
    assert not home.places.database.exists()
    home.said("remember", "We deploy on Fridays.", cwd=shop)
    before = home.places.database.read_bytes()
    home.json("worth")
    assert home.places.database.read_bytes() == before
    assert [memory["text"] for memory in home.json("list", cwd=shop)["memories"]] == ["We deploy on Fridays."]


def test_sessions_of_every_host_are_found(home: Home) -> None:
    shop = a_project(home)
    a_transcript(home, shop, "s1", days_ago=3)
    codex_file(home, shop)
    opencode_database(home, opencode_session(shop))
    specstory_file(shop)
    assert home.json("worth", "--all", cwd=shop)["sessions"] == 4
    assert home.json("worth", "--all", "--from", "codex", cwd=shop)["sessions"] == 1


def test_the_oldest_can_be_learnt_from_alone(home: Home) -> None:
    shop = a_project(home)
    files = [a_transcript(home, shop, f"s{number}", days_ago=9 - number) for number in range(4)]
    told = home.json("worth", "--learn", "0.5", "--most", "1", *map(str, files))
    assert (told["learnt_only"], told["sessions"], told["moments"]["start"]["spoken"]) == (2, 1, 1)


def test_it_says_where_there_is_no_effect_and_what_it_costs(home: Home) -> None:
    shop = a_project(home)
    a_transcript(home, shop, "s1", days_ago=3, said="Please tidy the ledger up.")
    said = home.said("worth")
    assert "It would have shown nothing, and cost nothing." in said
    assert "Nothing here shows that it helped." in said
    a_transcript(home, shop, "s2", days_ago=2, said="And the importer, too.")
    a_transcript(home, shop, "s3", days_ago=1)
    said = home.said("worth", "--price", "5")
    assert re.search(
        r"It would have shown a block at \d of 9 moments: \d+ tokens per session, less than a cent in all\.", said
    )
    assert "at $5.00 per million input tokens" in said
    shown = home.in_terminal("worth", columns=80)
    assert "How often it shows a block" in shown
    assert max(len(re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", line).rstrip()) for line in shown.splitlines()) <= 80


@covers("WOR-2")
def test_the_page_stands_alone_and_escapes_every_text(home: Home) -> None:
    shop = a_project(home)
    a_transcript(home, shop, "s1", days_ago=3)
    a_transcript(home, shop, "s2", days_ago=2)
    page = home.path / "worth.html"
    home.said("worth", "--html", str(page))
    written = page.read_text()
    assert "mock the postgres &lt;b &amp; c&gt; database" in written
    assert not re.search(r"<script|<link|src=|https?://|<b &", written)
    assert "prefers-color-scheme: dark" in written


def test_a_line_that_cannot_be_read_is_named(home: Home) -> None:
    file = a_transcript(home, a_project(home), "s1", days_ago=3)
    file.write_text(file.read_text() + "no json\n")
    done = home.recollect("worth", str(file))
    assert (done.returncode, b"line 5" in done.stderr) == (4, True)


def test_what_is_wrong_is_said(home: Home) -> None:
    shop = a_project(home)
    assert b"No sessions were found on this machine" in home.recollect("worth").stderr
    file = a_transcript(home, shop, "s1", days_ago=40)
    assert b"--all for all of them" in home.recollect("worth", str(file)).stderr
    assert home.recollect("worth", "--days", "3", "--all").returncode == 2
    assert b"does not exist" in home.recollect("worth", str(file), "--html", "nowhere/page.html").stderr


@covers("WOR-2")
def test_ctrl_c_shows_the_report_of_what_there_is(home: Home) -> None:
    shop = a_project(home)
    for number in range(400):
        a_transcript(home, shop, f"s{number:03}", days_ago=20 - number / 100)
    leader, follower = pty.openpty()
    env = home.env | {"TERM": "xterm"}
    process = subprocess.Popen([RECOLLECT, "worth"], stdout=follower, stderr=follower, env=env)
    shown = b""
    while b"Replaying" not in shown:
        shown += os.read(leader, 65536)
    process.send_signal(signal.SIGINT)
    shown += all_shown(leader, follower)
    assert process.wait(timeout=20) == 130
    assert b"Interrupted after" in shown
    assert b"What Recollect was worth" in shown
