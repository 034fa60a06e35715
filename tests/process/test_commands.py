"""The commands on a real database, as a person or a script calls them."""

import json
import os
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import click
import pytest

from tests.docs.reference import every_command
from tests.process.conftest import RECOLLECT, Home, without_styles
from tests.repositories import a_repository, git
from tests.requirements import covers


def taught(home: Home, text: str = "We deploy with Helm.", *options: str, cwd: Path | None = None) -> str:
    return str(home.json("remember", text, *options, cwd=cwd)["id"])


def texts(home: Home, *options: str) -> list[str]:
    return [memory["text"] for memory in home.json("list", *options)["memories"]]


def refused(home: Home, *args: str, stdin: bytes = b"") -> str:
    """What a command says that fails; nothing goes to standard output then."""
    done = home.recollect(*args, stdin=stdin)
    assert (done.returncode, done.stdout) == (1, b"")
    return done.stderr.decode()


def test_a_memory_is_shown_with_all_that_is_known_by_the_beginning_of_its_id(home: Home) -> None:
    memory_id = taught(home, "We deploy with Helm.", "--title", "deploy", "--alias", "k8s", "--kind", "rule")
    shown = dict(line.split("\t", 1) for line in home.said("show", memory_id[:4]).splitlines())
    assert (shown["id"], shown["text"], shown["kind"]) == (memory_id, "We deploy with Helm.", "rule")
    assert (shown["title"], shown["aliases"], shown["status"]) == ("deploy", "k8s", "live")
    assert shown["source"].startswith("user through cli on ")
    assert home.json("show", memory_id)["source"]["host"] == "cli"


def test_an_id_that_nobody_has_or_that_is_too_short_is_said(home: Home) -> None:
    taught(home)
    assert "no memory 'zzzz'" in refused(home, "show", "zzzz")
    assert "at least 3 characters" in refused(home, "show", "")
    assert home.json("show", taught(home, "Another.").upper())["text"] == "Another."
    assert "no memory" in refused(home, "history", "x")
    assert "no memory" in refused(home, "forget", "zzzz")


def test_several_memories_with_the_same_beginning_are_named(home: Home) -> None:
    lines = [{"id": f"same{n}", "text": f"Fact {n}."} for n in range(3)]
    home.said("import", "-", stdin="\n".join(map(json.dumps, lines)).encode())
    assert "same0, same1, same2" in refused(home, "show", "same")


@covers("MEM-4")
def test_history_tells_the_source_of_a_memory(home: Home) -> None:
    source = {"role": "assistant", "host": "opencode", "session": "ses_1", "message": "msg_2", "agent": "plan"}
    record = {"id": "full", "text": "The port is 82.", "source": source, "evidence": ["Let us take 82."]}
    home.said("import", "-", stdin=json.dumps(record).encode())
    told = home.said("history", "full")
    assert "said by assistant through opencode in session ses_1 message msg_2 agent plan" in told
    assert "from: Let us take 82." in told


def test_history_tells_what_was_done_and_the_chain_of_what_replaced_what(home: Home) -> None:
    records = [
        {"id": "first", "text": "The port is 80.", "time": "2026-01-01", "valid_to": "2026-02-01",
         "superseded_by": "third"},
        {"id": "third", "text": "The port is 82.", "time": "2026-02-01", "evidence": ["Let us take 82 from now on."]},
    ]  # fmt: skip
    home.said("import", "-", stdin="\n".join(map(json.dumps, records)).encode())
    home.said("remember", "The port is 82.")
    told = home.said("history", "third")
    assert told.index("The port is 80.") < told.index("The port is 82.")
    assert "since 2026-01-01 until 2026-02-01" in told
    assert "from: Let us take 82 from now on." in told
    assert "imported through cli (deed 1)" in told
    assert "said again through cli (deed 2)" in told
    story = home.json("history", "first")
    assert [memory["id"] for memory in story["after"]] == ["third"]
    assert story["memory"]["status"] == "superseded"


def test_what_is_forgotten_is_seen_nowhere_and_undo_brings_it_back(home: Home) -> None:
    memory_id = taught(home)
    assert "recollect undo" in home.said("forget", memory_id)
    assert texts(home) == []
    assert home.said("recall", "helm") == ""
    assert home.said("export") == ""
    assert home.json("show", memory_id)["status"] == "forgotten"
    assert "forgotten already" in refused(home, "forget", memory_id)
    assert home.json("undo")["kind"] == "forget"
    assert texts(home) == ["We deploy with Helm."]
    assert "Helm" in home.said("recall", "helm")


def test_undo_goes_back_step_by_step_and_can_be_undone_itself(home: Home) -> None:
    taught(home, "One.")
    taught(home, "Two.")
    assert "nothing to undo" not in home.said("undo")
    assert texts(home) == ["One."]
    again = home.json("undo")
    assert texts(home) == []
    assert "There is nothing to undo." in refused(home, "undo")
    home.said("undo", str(again["by"]))
    assert texts(home) == ["One."]
    deeds = home.json("undo", "--list")["deeds"]
    assert [deed["kind"] for deed in deeds] == ["undo", "undo", "undo", "remember", "remember"]
    assert "was undone already" in refused(home, "undo", str(deeds[3]["deed"]))
    assert "no deed 99" in refused(home, "undo", "99")
    assert "leave the number out" in refused(home, "undo", "1", "--list")


def test_a_match_forgets_only_what_has_every_word_and_asks_first(home: Home) -> None:
    taught(home, "The old gateway uses nginx.")
    taught(home, "The new gateway uses envoy.")
    assert "add --yes" in refused(home, "forget", "--match", "gateway nginx")
    assert len(home.json("forget", "--match", "gateway nginx", "--dry-run")["memories"]) == 1
    assert len(texts(home)) == 2
    home.said("forget", "--match", "gateway nginx", "--yes")
    assert texts(home) == ["The new gateway uses envoy."]
    assert "Nothing matches" in home.said("forget", "--match", "kubernetes", "--yes")
    assert home.recollect("forget").returncode == home.recollect("forget", "x", "--match", "y").returncode == 2
    assert "no word" in refused(home, "forget", "--match", "...", "--yes")


@covers("PRI-7")
def test_forgotten_now_means_that_no_byte_is_left(home: Home) -> None:
    for n in range(40):
        taught(home, f"Filler number {n} about the ledger.")
    secret = "Zanzibar quicksilver heliotrope"
    memory_id = taught(home, f"{secret} is the code word.", "--title", "marmalade", "--alias", "xylograph")
    home.said("remember", f"{secret} is the code word.")
    assert "add --yes" in refused(home, "forget", memory_id, "--now")
    assert "gone for good" in home.said("forget", memory_id, "--now", "--yes")
    found = b"".join(file.read_bytes() for file in home.places.database.parent.rglob("*") if file.is_file()).lower()
    for word in (b"zanzibar", b"quicksilv", b"heliotrop", b"marmalad", b"xylograph"):
        assert word not in found, word
    assert len(texts(home)) == 40
    assert "no memory" in refused(home, "show", memory_id)
    assert home.json("doctor")["healthy"]


def test_without_an_undo_window_forgotten_is_gone_at_once(home: Home) -> None:
    memory_id = taught(home, "Zanzibar quicksilver.")
    done = home.recollect("forget", memory_id, RECOLLECT_FORGET__UNDO_HOURS="0")
    assert done.returncode == 0
    assert b"gone for good" in done.stdout
    assert "no memory" in refused(home, "show", memory_id)


def test_when_the_window_is_over_the_next_command_makes_it_gone(home: Home) -> None:
    memory_id = taught(home, "Zanzibar quicksilver.")
    home.said("forget", memory_id)
    taught(home, "Something else.")
    assert home.json("show", memory_id)["status"] == "forgotten"
    assert home.recollect("remember", "And more.", RECOLLECT_FORGET__UNDO_HOURS="0").returncode == 0
    assert "no memory" in refused(home, "show", memory_id)


@covers("MEM-1")
def test_what_is_exported_comes_back_whole_and_twice_is_once(home: Home, tmp_path: Path) -> None:
    record = {
        "id": "full", "text": "Ünï 日本語.", "kind": "rule", "scope": "universal", "title": "t", "aliases": ["a", "b"],
        "sensitivity": "restricted", "importance": 1.5, "confidence": 0.5, "created_at": "2026-01-01T00:00:00+00:00",
        "valid_from": "2026-01-02T00:00:00+00:00", "valid_to": None, "superseded_by": None, "seen": 7,
        "source": {"role": "assistant", "host": "opencode", "session": "s", "message": "m", "agent": "plan"},
        "evidence": ["One sentence."], "anchors": [{"path": "src/a.py", "hash": "abc"}],
        "use": {"shown": 3, "used": 2, "last_shown_at": "2026-01-03T00:00:00+00:00", "last_used_at": None},
    }  # fmt: skip
    past = record | {"id": "past", "superseded_by": "full", "valid_to": "2026-01-05T00:00:00+00:00"}
    first = tmp_path / "first.jsonl"
    first.write_text("\n".join(map(json.dumps, [record, past])))
    assert home.json("import", str(first))["new"] == 2
    second = tmp_path / "second.jsonl"
    home.said("export", str(second))
    assert [json.loads(line) for line in second.read_text().splitlines()] == [record, past]
    assert second.stat().st_mode & 0o777 == 0o600
    assert home.json("import", str(second)) == {
        "stored": True, "new": 0, "same": 2, "refused": [], "unknown_fields": [],
    }  # fmt: skip
    assert home.said("export") == second.read_text()
    assert "exists" in refused(home, "export", str(second))
    home.said("export", str(second), "--force")


def test_what_no_longer_holds_is_read_once_too(home: Home) -> None:
    line = b'{"text": "The port was 80.", "superseded_by": "nobody"}'
    assert b"1 new" in home.recollect("import", "-", stdin=line).stdout
    assert b"0 new, 1 known already" in home.recollect("import", "-", stdin=line).stdout


def test_an_import_is_undone_as_a_whole(home: Home) -> None:
    lines = "\n".join(json.dumps({"text": f"Fact {n}."}) for n in range(2500))
    assert json.loads(home.said("import", "-", "--json", stdin=lines.encode()))["new"] == 2500
    assert len(home.json("undo")["removed"]) == 2500
    assert texts(home) == []


BAD_LINES: list[tuple[bytes, str]] = [
    (b"{", "not JSON"),
    (b"[1]", "not a JSON object"),
    (b'{"text": 5}', "`text` is missing or not a text"),
    (b'{"text": "  "}', "`text` is empty"),
    (b'{"text": "x", "kind": "wish"}', "no kind 'wish'"),
    (b'{"text": "x", "scope": "mars"}', "no scope 'mars'"),
    (b'{"text": "x", "importance": "high"}', "`importance` is a number"),
    (b'{"text": "x", "importance": NaN}', "`importance` is a number"),
    (b'{"text": "x", "importance": 3}', "importance is 3"),
    (b'{"text": "x", "seen": 1.5}', "`seen` is a whole number"),
    (b'{"text": "x", "seen": 0}', "`seen` is a whole number"),
    (b'{"text": "x", "aliases": "a"}', "`aliases` is a list"),
    (b'{"text": "x", "time": "yesterday"}', "`time` is not an ISO 8601"),
    (b'{"text": "x", "valid_to": 7}', "`valid_to` is not an ISO 8601"),
    (b'{"text": "x", "sensitivty": "restricted"}', "did you mean 'sensitivity'"),
    (b'{"text": "x", "source": {"role": "god"}}', "no role 'god'"),
    (b'{"text": "x", "source": "me"}', "`source` is an object"),
    (b'{"text": "x", "anchors": [3]}', "`anchors` is a list"),
    (b'{"text": "a\\u0000b"}', "NUL"),
    (b'{"text": "\\ud800"}', "surrogate"),
    (b'{"text": "\xff"}', "not UTF-8"),
    (b'{"text": "' + b"x" * 30_000 + b'"}', "30,000 characters"),
    (b'{"text": "' + b"x" * 5_000_000 + b'"}', "5,000,013 bytes"),
    (b'{"id": "taken", "text": "Another text."}', "There is a memory 'taken' already"),
]


@covers("SCN-B14")
def test_bad_lines_are_named_by_number_and_the_good_ones_kept(home: Home) -> None:
    lines = [b'{"id": "taken", "text": "First."}', b"", *(line for line, _ in BAD_LINES), b'{"text": "Last."}']
    done = home.recollect("import", "-", "--json", stdin=b"\n".join(lines))
    assert done.returncode == 4
    report = json.loads(done.stdout)
    assert [refusal["line"] for refusal in report["refused"]] == sorted(range(3, 3 + len(BAD_LINES)))
    told = {refusal["line"]: refusal["why"] for refusal in report["refused"]}
    for number, (_, message) in enumerate(BAD_LINES, start=3):
        assert message in told[number]
    assert report["new"] == 2
    assert sorted(texts(home)) == ["First.", "Last."]


@pytest.mark.parametrize("bad", [b'{"text": 5}', b'{"id": "taken", "text": "Another text."}'])
def test_strict_takes_all_lines_or_none(home: Home, bad: bytes) -> None:
    home.said("import", "-", stdin=b'{"id": "taken", "text": "First."}')
    said = refused(home, "import", "-", "--strict", stdin=b'{"text": "Good."}\n' + bad + b'\n{"text": "Good too."}')
    assert said.startswith("Error: Line 2: ")
    assert "Nothing was stored" in said
    assert texts(home) == ["First."]
    assert [deed["kind"] for deed in home.json("undo", "--list")["deeds"]] == ["import"]


def test_a_dry_run_stores_nothing(home: Home) -> None:
    done = home.recollect("import", "-", "--dry-run", stdin=b'{"text": "Good."}\n{"text": 5}')
    assert done.returncode == 4
    assert b"Nothing was stored; it would be: 1 new, 0 known already, 1 line refused" in done.stdout
    assert b"Line 2: `text`" in done.stderr
    assert texts(home) == []


@covers("MEM-2")
def test_kinds_of_other_tools_become_ours_and_unknown_fields_are_told(home: Home) -> None:
    lines = b'{"text": "A.", "kind": "bugfix", "colour": "red"}\n{"text": "B.", "kind": "guideline"}'
    done = home.recollect("import", "-", stdin=lines)
    assert b"Fields that are not known were left out: colour." in done.stderr
    kinds = {memory["text"]: memory["kind"] for memory in home.json("list")["memories"]}
    assert kinds == {"A.": "error_pattern", "B.": "rule"}


def test_a_file_that_is_not_there_is_said(home: Home) -> None:
    assert "cannot be read: No such file" in refused(home, "import", "nowhere.jsonl")
    assert "Is a directory" in refused(home, "import", str(home.path))


def test_a_healthy_installation_has_nothing_to_complain_about(home: Home) -> None:
    taught(home)
    report = home.json("doctor")
    assert report["healthy"] is True
    assert {"version", "settings", "database", "project", "daemon", "opencode"} <= {
        finding["about"] for finding in report["findings"]
    }
    assert "every row is what was written" in home.said("doctor")


def test_doctor_names_what_is_wrong_and_what_to_do(home: Home) -> None:
    taught(home)
    home.places.database.chmod(0o644)
    home.places.settings.parent.mkdir(parents=True)
    home.places.settings.write_text("[budget]\n")
    done = home.recollect("doctor")
    assert done.returncode == 4
    assert b"did you mean 'budgets'" in done.stdout
    home.places.settings.unlink()
    done = home.recollect("doctor")
    assert done.returncode == 4
    assert b"can be read by others" in done.stdout
    assert home.recollect("doctor", "--repair").returncode == 0
    assert home.places.database.stat().st_mode & 0o777 == 0o600


def flip(database: Path, text: bytes) -> None:
    """One byte of a text changes on the disk."""
    with sqlite3.connect(database) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    content = database.read_bytes()
    at = content.index(text)
    database.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])


def test_a_byte_that_the_disk_changed_is_found_not_shown_and_mended(home: Home) -> None:
    good, bad = taught(home, "The ledger is in Postgres."), taught(home, "Quicksilver goes to Zanzibar.")
    flip(home.places.database, b"Quicksilver goes")
    assert texts(home) == ["The ledger is in Postgres."]
    assert "is damaged on the disk" in refused(home, "show", bad)
    done = home.recollect("doctor")
    assert done.returncode == 4
    assert bad.encode() in done.stdout
    assert home.recollect("doctor", "--repair").returncode == 0
    assert home.json("doctor")["healthy"]
    (aside,) = home.places.database.parent.glob("damaged-*.jsonl")
    assert json.loads(aside.read_text())["id"] == bad
    assert texts(home) == ["The ledger is in Postgres."]
    assert home.json("show", good)["id"] == good


def test_repair_waits_for_the_daemon_to_be_stopped(home: Home) -> None:
    taught(home)
    home.said("start")
    done = home.recollect("doctor", "--repair")
    assert done.returncode == 4
    assert b"recollect stop" in done.stdout


@pytest.mark.parametrize("damage", ["truncated", "garbage", "beheaded"])
def test_a_damaged_database_is_said_and_what_can_be_read_is_saved(home: Home, damage: str) -> None:
    lines = "\n".join(json.dumps({"id": f"m{n}", "text": f"Fact {n} about {'words ' * 40}"}) for n in range(400))
    home.said("import", "-", stdin=lines.encode())
    with sqlite3.connect(home.places.database) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    content = home.places.database.read_bytes()
    half = len(content) // 2 // 4096 * 4096
    damaged = {
        "truncated": content[:half],
        "garbage": content[:half] + os.urandom(40_960) + content[half + 40_960 :],
        "beheaded": b"\0" * 100 + content[100 : half + 4096],
    }[damage]
    home.places.database.write_bytes(damaged)
    done = home.recollect("doctor")
    assert done.returncode == 4
    assert b"--repair" in done.stdout
    assert b"Traceback" not in done.stderr
    repaired = home.recollect("doctor", "--repair")
    assert (repaired.returncode, b"not all could be read of" in repaired.stdout) == (4, True), repaired.stdout
    kept = list(home.places.database.parent.glob("*damaged-*"))
    assert kept
    assert home.json("doctor")["healthy"]
    found = home.json("list", "--limit", "1000")["memories"]
    assert all(memory["text"].startswith("Fact ") for memory in found)
    assert len(found) > 50
    taught(home, "Life goes on.")


def test_a_database_without_its_first_bytes_comes_back_whole(home: Home) -> None:
    for n in range(6):
        taught(home, f"Fact {n}.")
    with sqlite3.connect(home.places.database) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    home.places.database.write_bytes(bytes(100) + home.places.database.read_bytes()[100:])
    repaired = home.recollect("doctor", "--repair")
    assert repaired.returncode == 0, repaired.stdout
    assert len(texts(home)) == 6
    assert len(home.json("undo", "--list")["deeds"]) == 6


def test_a_damaged_file_is_kept_when_something_else_is_forgotten_and_goes_with_what_it_holds(home: Home) -> None:
    taught(home, "Quicksilver goes to Zanzibar.")
    home.places.database.write_bytes(
        b"broken" + home.places.database.read_bytes()[6:4096] + b"Quicksilver goes to Zanzibar."
    )
    home.recollect("doctor", "--repair")
    (damaged,) = home.places.database.parent.glob("*.damaged-*")
    other, again = taught(home, "Unrelated."), taught(home, "Quicksilver goes to Zanzibar.")
    home.said("forget", other, "--now", "--yes")
    assert damaged.exists()
    home.said("forget", again, "--now", "--yes")
    assert not damaged.exists()


def test_the_database_of_a_newer_version_is_refused_and_untouched(home: Home) -> None:
    taught(home)
    with sqlite3.connect(home.places.database) as connection:
        connection.execute("PRAGMA user_version = 999")
    connection.close()
    before = home.places.database.read_bytes()
    for command in (["list"], ["remember", "x"], ["recall", "x"]):
        assert "newer Recollect" in refused(home, *command)
    assert b"newer Recollect" in home.recollect("doctor", "--repair").stdout
    assert home.places.database.read_bytes() == before


def test_a_locked_database_can_be_read_and_says_so_when_written(home: Home) -> None:
    taught(home)
    other = sqlite3.connect(home.places.database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert texts(home) == ["We deploy with Helm."]
    assert "is locked by another process" in refused(home, "remember", "Too late.")
    other.execute("ROLLBACK")
    other.close()
    taught(home, "In time.")
    assert len(texts(home)) == 2


@pytest.mark.parametrize(
    "query", ['"', "a AND b", "NEAR(x", "words:x", "*", "-", "^x", "(((", "'; DROP TABLE memory", "\\"]
)
def test_query_operators_and_quotes_are_only_words(home: Home, query: str) -> None:
    taught(home, "Some text.")
    assert home.said("recall", "--", query) == ""
    assert texts(home) == ["Some text."]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_gets_a_script_for_completion(home: Home, shell: str) -> None:
    assert "_RECOLLECT_COMPLETE" in home.said("completion", shell)


def completed(home: Home, *words: str) -> list[str]:
    """What bash would offer for the last of the words."""
    line = ["recollect", *words]
    done = home.recollect(
        _RECOLLECT_COMPLETE="bash_complete", COMP_WORDS="\n".join(line), COMP_CWORD=str(len(line) - 1)
    )
    assert done.returncode == 0, done.stderr
    return [item.partition(",")[2] for item in done.stdout.decode().splitlines()]


def test_commands_options_and_ids_are_completed(home: Home) -> None:
    memory_id = taught(home)
    assert completed(home, "reme") == ["remember"]
    assert "--kind" in completed(home, "remember", "--k")
    assert "error_pattern" in completed(home, "remember", "x", "--kind", "err")
    assert completed(home, "show", memory_id[:2]) == [memory_id]
    assert completed(home, "project", "me") == ["merge"]
    home.places.database.write_text("no database " * 100)
    assert completed(home, "show", "") in ([], [""])


def test_bash_really_completes(home: Home) -> None:
    script = (
        f"source <({RECOLLECT} completion bash); COMP_WORDS=({RECOLLECT} reme); COMP_CWORD=1; "
        f"_recollect_completion {RECOLLECT}; echo ${{COMPREPLY[0]}}"
    )
    done = subprocess.run(["bash", "-c", script], env=home.env, capture_output=True, text=True, timeout=30)
    assert done.stdout.strip() == "remember"


@pytest.mark.parametrize("command", ["list", "show", "history", "undo --list", "recall helm", "project show", "doctor"])
def test_a_terminal_shows_it_within_its_width(home: Home, command: str) -> None:
    memory_id = taught(home, "We deploy with Helm " + "and more words " * 20, "--scope", "universal")
    args = [*command.split(), *([memory_id] if command in ("show", "history") else [])]
    shown = home.in_terminal(*args, columns=60)
    assert "Helm" in shown or command in ("undo --list", "project show", "doctor")
    if command in ("list", "show", "recall helm", "undo --list"):
        assert max(len(line.rstrip()) for line in without_styles(shown).splitlines()) <= 60


def test_a_terminal_without_colours_gets_none(home: Home) -> None:
    taught(home)
    assert "\x1b[" in home.in_terminal("list")
    assert "\x1b[" not in home.in_terminal("list", NO_COLOR="1")
    assert "\x1b[" not in home.in_terminal("list", TERM="dumb")


def test_the_daemon_makes_forgotten_memories_gone_when_their_time_is_over(home: Home) -> None:
    memory_id = taught(home, "Zanzibar quicksilver.")
    home.said("forget", memory_id)
    daemon = home.daemon(RECOLLECT_FORGET__UNDO_HOURS="0")
    try:
        give_up = time.monotonic() + 20
        while home.recollect("show", memory_id).returncode == 0 and time.monotonic() < give_up:
            time.sleep(0.2)
        assert "no memory" in refused(home, "show", memory_id)
    finally:
        home.said("stop")
        daemon.wait(timeout=10)


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
    assert "Add --yes" in home.recollect("project", "move", f"path:{old}", cwd=new).stderr.decode()
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
    assert "Nothing is known of a project" in refused(home, "project", "merge", "path:/nowhere", "--yes")


def test_a_name_makes_folders_one_project_and_takes_along_what_is_known(home: Home, repository: Path) -> None:
    taught(home, cwd=repository)
    assert home.json("project", "name", "shop", cwd=repository)["project"] == "name:shop"
    other = home.path / "other"
    other.mkdir()
    (other / ".recollect.toml").write_text('project = "shop"\n')
    home.said("project", "accept", cwd=other)
    assert [memory["text"] for memory in home.json("list", cwd=other)["memories"]] == ["We deploy with Helm."]
    assert b"calls it name:shop already" in home.recollect("project", "name", "again", cwd=repository).stderr
    assert home.json("project", "name", "shop", cwd=repository)["project"] == "name:shop"
    third = home.path / "third"
    third.mkdir()
    (third / ".recollect.toml").write_text("[turn]\nenabled = false\n")
    assert b"is known already" in home.recollect("project", "name", "shop", cwd=third).stderr
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


@pytest.mark.parametrize("command", list(every_command()), ids=lambda context: context.command_path)
def test_every_command_answers_as_json(command: click.Context) -> None:
    options = [option for parameter in command.command.params for option in parameter.opts]
    # `pipe` speaks nothing but JSON, and what `completion` prints is for a shell.
    exempt = command.info_name in ("pipe", "completion") or isinstance(command.command, click.Group)
    assert exempt or "--json" in options


def test_an_import_that_is_interrupted_leaves_nothing_broken_and_can_be_done_again(home: Home, tmp_path: Path) -> None:
    lines = "".join(json.dumps({"id": f"m{n}", "text": f"Fact {n} about the ledger."}) + "\n" for n in range(5000))
    process = subprocess.Popen(
        [RECOLLECT, "import", "-"], env=home.env, cwd=home.path, stdin=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None
    process.stdin.write(lines.encode())
    process.stdin.flush()  # the end of the file never comes
    give_up = time.monotonic() + 20
    while not texts(home) and time.monotonic() < give_up:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert (process.returncode, said.strip()) == (130, b"Interrupted.")
    assert home.json("doctor")["healthy"]
    kept = len(home.said("export").splitlines())
    assert 0 < kept <= 5000
    again = tmp_path / "again.jsonl"
    again.write_text(lines)
    report = home.json("import", str(again))
    assert (report["new"], report["same"]) == (5000 - kept, kept)


def test_what_cannot_be_undone_is_not_replaced_by_what_came_before_it(home: Home) -> None:
    taught(home, "One.")
    home.said("forget", taught(home, "Two."), "--now", "--yes")
    said = refused(home, "undo")
    assert "cannot be undone" in said
    assert "`recollect undo 1`" in said
    assert texts(home) == ["One."]
    assert "forgetting of 1 memory for good" in home.said("undo", "--list")
    assert "cannot be undone" in refused(home, "undo", "3")
    assert "Nothing is left of deed 2" in refused(home, "undo", "2")
    home.said("undo", "1")


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
    assert b"No file here uses the name" in home.recollect("project", "accept", cwd=home.path).stderr


def test_a_forgotten_memory_says_how_and_until_when_it_comes_back(home: Home) -> None:
    memory_id = taught(home)
    home.said("forget", memory_id)
    taught(home, "Something else.")
    assert "`recollect undo 2` brings it back until 20" in home.said("show", memory_id)


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
        assert "Nothing is known of a project 'nope'" in refused(home, *command, "--project", "nope")


def test_a_mistake_in_the_settings_is_one_problem_and_the_database_is_checked_anyway(home: Home) -> None:
    taught(home)
    home.places.settings.parent.mkdir(parents=True)
    home.places.settings.write_text("[budget]\n")
    report = json.loads(home.recollect("doctor", "--json").stdout)
    assert [f["about"] for f in report["findings"] if f["health"] == "problem"] == ["settings"]
    assert any("every row is what was written" in f["says"] for f in report["findings"])


def test_doctor_makes_no_database(home: Home) -> None:
    assert home.recollect("doctor").returncode == 0
    assert not home.places.database.exists()


def test_a_path_that_is_not_there_is_said_and_not_made(home: Home) -> None:
    assert "There is no folder" in refused(home, "pipe", "--db", str(home.path / "no" / "x.db"))
    taught(home)
    assert "There is no folder" in refused(home, "export", str(home.path / "no" / "x.jsonl"))
    assert not (home.path / "no").exists()


def test_what_is_not_changed_by_saying_it_again_is_said(home: Home) -> None:
    taught(home, "We deploy with Helm.", "--importance", "1.5")
    said = home.said("remember", "We deploy with Helm.", "--sensitivity", "public")
    assert "It keeps its importance 1.5 and its sensitivity project." in said


def test_a_repair_waits_until_nobody_else_has_the_database_open(home: Home) -> None:
    taught(home)
    pipe = subprocess.Popen(
        [RECOLLECT, "pipe", "--db", str(home.places.database)],
        env=home.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert pipe.stdin is not None
    assert pipe.stdout is not None
    pipe.stdin.write(b'{"op": "search", "query": "helm"}\n')
    pipe.stdin.flush()
    pipe.stdout.readline()
    home.places.database.write_bytes(b"broken" + home.places.database.read_bytes()[6:])
    done = home.recollect("doctor", "--repair")
    assert done.returncode == 4
    assert b"Other programs have the database" in done.stdout
    pipe.communicate(timeout=10)
    assert home.recollect("doctor", "--repair").returncode == 0
    assert texts(home) == ["We deploy with Helm."]


def test_what_a_chain_of_merges_has_copied_is_forgotten_with_it(home: Home) -> None:
    for name in ("p1", "p2", "p3"):
        taught(home, "Zanzibar quicksilver.", "--scope", f"project:{name}")
    home.said("project", "merge", "p1", "p2", "--yes")
    home.said("project", "merge", "p2", "p3", "--yes")
    (live,) = home.json("list", "--project", "p3")["memories"]
    home.said("forget", live["id"], "--now", "--yes")
    assert home.said("export") == ""
    assert b"quicksilv" not in home.places.database.read_bytes().lower()


def test_another_text_under_a_forgotten_id_is_refused(home: Home) -> None:
    home.said("import", "-", stdin=b'{"id": "m1", "text": "Old secret."}')
    home.said("forget", "m1")
    done = home.recollect("import", "-", stdin=b'{"id": "m1", "text": "Newer."}')
    assert done.returncode == 4
    assert b"There is a memory 'm1' already" in done.stderr
    assert b"1 new" in home.recollect("import", "-", stdin=b'{"id": "m1", "text": "Old secret."}').stdout


def test_a_strict_import_that_waits_for_its_input_keeps_nobody_waiting(home: Home) -> None:
    taught(home)
    slow = subprocess.Popen(
        [RECOLLECT, "import", "--strict", "-"],
        env=home.env,
        cwd=home.path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert slow.stdin is not None
    slow.stdin.write(b'{"text": "Line one."}\n')
    slow.stdin.flush()
    time.sleep(0.6)
    taught(home, "Meanwhile.")
    out, _ = slow.communicate(b'{"text": "Line two."}\n', timeout=20)
    assert b"2 new" in out
    assert len(texts(home)) == 4


@pytest.mark.parametrize("command", ["show", "history", "forget"])
def test_an_id_that_is_no_text_is_said(home: Home, command: str) -> None:
    done = subprocess.run(
        [RECOLLECT, command, b"abc\xff"], env=home.env, cwd=home.path, capture_output=True, timeout=30
    )
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr


def test_a_line_of_a_pipe_that_is_no_text_is_answered_and_the_next_one_served(home: Home) -> None:
    lines = home.said("pipe", stdin=b'\xff\n{"op": "search", "query": "x"}\n').splitlines()
    assert [list(json.loads(line)) for line in lines] == [["error"], ["hits", "ms"]]


def test_nothing_that_was_imported_speaks_to_the_terminal(home: Home) -> None:
    record = {"id": "evil", "text": "x\x1b]0;pwn\x07y", "title": "t\x1b[2Jt", "fie\x1b]0;pwn\x07ld": 1}
    done = home.recollect("import", "-", stdin=json.dumps(record).encode())
    shown = home.said("show", "evil") + home.said("list") + home.said("history", "evil") + home.said("undo", "--list")
    assert b"\x1b" not in done.stderr
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "\x1b]" not in home.in_terminal("show", "evil")


def test_a_pipe_in_the_place_of_a_git_file_is_not_waited_for(home: Home) -> None:
    for name in ("config", "commondir"):
        folder = home.path / name
        (folder / ".git").mkdir(parents=True)
        os.mkfifo(folder / ".git" / name)
        assert "project:path:" in home.said("remember", "We deploy with Helm.", cwd=folder)


def test_what_a_process_of_the_version_before_the_hashes_writes_is_seen(home: Home) -> None:
    memory_id = taught(home)
    with sqlite3.connect(home.places.database) as connection:
        connection.execute("UPDATE memory SET hash = ''")
    connection.close()
    assert texts(home) == ["We deploy with Helm."]
    assert home.json("doctor")["healthy"]
    home.said("doctor", "--repair")
    with sqlite3.connect(home.places.database) as connection:
        assert connection.execute("SELECT hash FROM memory WHERE id = ?", (memory_id,)).fetchone() != ("",)
    connection.close()
