"""export and import: what goes out comes back, and bad lines are named."""

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.process.conftest import RECOLLECT, Home, a_home, refused, taught, texts
from tests.requirements import covers


@covers("MEM-1")
def test_what_is_exported_comes_back_whole_and_twice_is_once(home: Home, tmp_path: Path) -> None:
    record = {
        "id": "full", "text": "Ünï 日本語.", "kind": "rule", "scope": "universal", "title": "t", "aliases": ["a", "b"],
        "sensitivity": "restricted", "importance": 1.5, "confidence": 0.5, "created_at": "2026-01-01T00:00:00+00:00",
        "valid_from": "2026-01-02T00:00:00+00:00", "valid_to": None, "superseded_by": None, "seen": 7,
        "source": {"role": "assistant", "host": "opencode", "session": "s", "message": "m", "agent": "plan"},
        "evidence": ["One sentence."], "anchors": [{"path": "src/a.py", "hash": "abc"}],
        "use": {
            "shown": 3, "used": 2, "unused": 1, "feedback": -1,
            "last_shown_at": "2026-01-03T00:00:00+00:00", "last_used_at": None,
        },
        "mentions": [
            {"role": "user", "host": "claude", "session": None, "message": "m9", "agent": None,
             "at": "2026-01-04T00:00:00+00:00"},
        ],
        "flag": "looks like an instruction", "conflicts": ["other"],
        "tier": "candidate", "durability": 0.4, "rules": 2,
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
        "stored": True, "files": 1, "new": 0, "same": 2, "updated": 0, "contradicting": 0, "flagged": 0,
        "here": home.json("project", "show")["id"], "elsewhere": {}, "namesakes": [],
        "refused": [], "left_out": [], "not_understood": 0, "unknown_fields": [],
    }  # fmt: skip
    assert home.said("export") == second.read_text()
    assert "exists" in refused(home, "export", str(second))
    home.said("export", str(second), "--force")


CANDIDATE = {"text": "Perhaps the cache lives in Redis.", "tier": "candidate", "scope": "universal"}


@pytest.mark.parametrize("options", [[], ["--format", "markdown", "--candidates"]])
def test_a_candidate_is_one_wherever_it_is_carried(home: Home, tmp_path: Path, options: list[str]) -> None:
    known = [CANDIDATE, {"text": "We deploy with Helm.", "scope": "universal"}]
    home.said("import", "-", stdin="\n".join(map(json.dumps, known)).encode())
    carried = tmp_path / ("all.md" if options else "all.jsonl")
    home.said("export", str(carried), *options)
    with a_home(tmp_path / "other") as other:
        other.path.mkdir()
        other.said("import", str(carried))
        tiers = {memory["text"]: memory["tier"] for memory in other.json("list")["memories"]}
    assert tiers == {CANDIDATE["text"]: "candidate", "We deploy with Helm.": "confirmed"}


def test_markdown_for_others_has_no_candidates_unless_asked(home: Home) -> None:
    home.said("import", "-", stdin=json.dumps(CANDIDATE).encode())
    exported = home.recollect("export", "--format", "markdown")
    assert b"Redis" not in exported.stdout
    assert b"`--candidates` includes them" in exported.stderr


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
    (b'{"text": "x", "importance": "high"}', "`importance` must be a number"),
    (b'{"text": "x", "importance": NaN}', "`importance` must be a number"),
    (b'{"text": "x", "importance": 3}', "importance is 3"),
    (b'{"text": "x", "seen": 1.5}', "`seen` must be a whole number"),
    (b'{"text": "x", "seen": 0}', "`seen` must be a whole number"),
    (b'{"text": "x", "aliases": "a"}', "`aliases` must be a list"),
    (b'{"text": "x", "time": "yesterday"}', "`time` is not an ISO 8601"),
    (b'{"text": "x", "valid_to": 7}', "`valid_to` is not an ISO 8601"),
    (b'{"text": "x", "sensitivty": "restricted"}', "did you mean 'sensitivity'"),
    (b'{"text": "x", "source": {"role": "god"}}', "no role 'god'"),
    (b'{"text": "x", "source": "me"}', "`source` must be an object"),
    (b'{"text": "x", "anchors": [3]}', "`anchors` must be a list"),
    (b'{"text": "a\\u0000b"}', "NUL"),
    (b'{"text": "\\ud800"}', "surrogate"),
    (b'{"text": "\xff"}', "not UTF-8"),
    (b'{"text": "' + b"x" * 30_000 + b'"}', "30,000 characters"),
    (b'{"text": "' + b"x" * 5_000_000 + b'"}', "5,000,013 bytes"),
    (b'{"id": "taken", "text": "Another text."}', "There is already a memory 'taken'"),
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
    assert b"Ignored unknown fields: colour." in done.stderr
    kinds = {memory["text"]: memory["kind"] for memory in home.json("list")["memories"]}
    assert kinds == {"A.": "error_pattern", "B.": "rule"}


def test_unknown_fields_of_parts_are_told_and_misspelt_ones_refused(home: Home) -> None:
    unknown = {"text": "A.", "source": {"role": "user", "branch": "x"}, "anchors": [{"path": "a", "line": 1}]}
    done = home.recollect("import", "-", stdin=json.dumps(unknown).encode())
    assert b"Ignored unknown fields: anchors.line, source.branch." in done.stderr
    for part in ({"source": {"rol": "user"}}, {"use": {"shwn": 3}}, {"anchors": [{"path": "a", "hsh": "q"}]}):
        done = home.recollect("import", "-", stdin=json.dumps({"text": "B.", **part}).encode())
        assert b"There is no field" in done.stderr
        assert b"did you mean" in done.stderr


def test_lists_of_an_older_export_are_cut_to_their_last_entries(home: Home) -> None:
    mentions = [{"role": "user", "session": f"s{n}", "at": "2026-01-01T00:00:00Z"} for n in range(250)]
    record = {"id": "m1", "text": "A.", "scope": "universal", "mentions": mentions}
    home.said("import", "-", "--scopes-as-written", stdin=json.dumps(record).encode())
    (exported,) = map(json.loads, home.said("export").splitlines())
    assert [mention["session"] for mention in exported["mentions"]] == [f"s{n}" for n in range(50, 250)]


def test_a_file_that_is_not_there_is_said(home: Home) -> None:
    assert "cannot be read: No such file" in refused(home, "import", "nowhere.jsonl")
    assert "No known format" in refused(home, "import", str(home.path))


def test_an_import_that_is_interrupted_leaves_nothing_broken_and_can_be_done_again(home: Home, tmp_path: Path) -> None:
    lines = "".join(json.dumps({"id": f"m{n}", "text": f"Fact {n} about the ledger."}) + "\n" for n in range(2000))
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
    assert 0 < kept <= 2000
    again = tmp_path / "again.jsonl"
    again.write_text(lines)
    report = home.json("import", str(again))
    assert (report["new"], report["same"]) == (2000 - kept, kept)


def test_another_text_under_a_forgotten_id_is_refused(home: Home) -> None:
    home.said("import", "-", stdin=b'{"id": "m1", "text": "Old secret."}')
    home.said("forget", "m1")
    done = home.recollect("import", "-", stdin=b'{"id": "m1", "text": "Newer."}')
    assert done.returncode == 4
    assert b"There is already a memory 'm1'" in done.stderr
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


def test_nothing_that_was_imported_speaks_to_the_terminal(home: Home) -> None:
    record = {"id": "evil", "text": "x\x1b]0;pwn\x07y", "title": "t\x1b[2Jt", "fie\x1b]0;pwn\x07ld": 1}
    done = home.recollect("import", "-", stdin=json.dumps(record).encode())
    shown = home.said("show", "evil") + home.said("list") + home.said("history", "evil") + home.said("undo", "--list")
    assert b"\x1b" not in done.stderr
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "\x1b]" not in home.in_terminal("show", "evil")
