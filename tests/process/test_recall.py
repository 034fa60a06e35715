"""recollect recall: by word and by meaning, narrowed, as of a day, and in what was said in old sessions."""

import json
import re
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.mounts import needs_mounts, read_only
from tests.process.conftest import Home, refused, taught, without_styles
from tests.process.test_shell import completed
from tests.requirements import covers

FACT, QUESTION = "Money is stored as integer cents.", "how do we represent currency amounts"
WORDS_ALONE = "Searched by words only; `recollect model build` adds search by meaning."


@pytest.fixture
def ports(home: Home) -> Home:
    """A decision that was superseded, and what holds elsewhere."""
    records = [
        {"id": "old", "text": "The port is 80.", "created_at": "2026-01-01", "superseded_by": "new"},
        {"id": "new", "text": "The port is 82.", "created_at": "2026-03-01T10:00:00Z"},
        {"id": "rule", "text": "Never bind a port below 1024.", "kind": "rule", "scope": "universal",
         "created_at": "2026-02-01"},
        {"id": "python", "text": "Read the port from os.environ.", "kind": "preference", "scope": "language:python",
         "created_at": "2026-02-15"},
        {"id": "other", "text": "The port of the shop is 99.", "scope": "project:shop", "created_at": "2026-02-20"},
    ]  # fmt: skip
    home.said("import", "-", stdin="\n".join(map(json.dumps, records)).encode())
    return home


@pytest.fixture
def sessions(home: Home) -> Home:
    """Two old sessions in the archive of this folder's project."""
    messages = [
        {"id": "u1", "session": "s1", "role": "user", "time": "2026-01-05", "text": "Where does the ledger live?"},
        {"id": "a1", "session": "s1", "role": "assistant", "time": "2026-01-05T00:01:00Z",
         "text": "Some words before it. " * 30 + "The ledger lives in Postgres on db7. " + "And more after it. " * 30},
        {"id": "u2", "session": "s2", "role": "user", "time": "2026-04-01",
         "text": "The ledger moves to\x1b[2J an Oracle database."},
    ]  # fmt: skip
    home.places.database.parent.mkdir(parents=True)
    request = {"op": "load", "project": f"path:{home.path}", "messages": messages}
    answer = home.said("pipe", "--db", str(home.places.database), stdin=json.dumps(request).encode())
    assert json.loads(answer) == {"loaded": 3}
    return home


def found(home: Home, *args: str) -> set[str]:
    return {hit["id"] for hit in home.json("recall", *args)["hits"]}


@covers("RET-5")
@pytest.mark.parametrize(
    ("options", "ids"),
    [
        ([], {"new", "rule"}),
        (["--kind", "rule"], {"rule"}),
        (["--kind", "rule", "--kind", "decision"], {"rule", "new"}),
        (["--kind", "guideline"], {"rule"}),
        (["--scope", "universal"], {"rule"}),
        (["--scope", "project"], {"new"}),
        (["--scope", "project:shop"], {"other"}),
        (["--project", "shop", "--scope", "project"], {"other"}),
        (["--scope", "language:Python"], {"python"}),
        (["--language", "python"], {"new", "rule", "python"}),
        (["--since", "2026-02-01"], {"new", "rule"}),
        (["--since", "2026-02-01T00:00:01"], {"new"}),
        (["--until", "2026-02-01"], set()),
        (["--until", "2026-03-01"], {"rule"}),
        (["--since", "2026-03-01", "--until", "2026-03-02"], {"new"}),
        (["--since", "2026-03-01T12:00+02:00", "--until", "2026-03-02"], {"new"}),
        (["--since", "2026-03-01T13:00+02:00", "--until", "2026-03-02"], set()),
        (["--status", "superseded"], {"old"}),
        (["--status", "any"], {"old", "new", "rule"}),
        (["--status", "live"], {"new", "rule"}),
    ],
)
def test_an_answer_is_narrowed(ports: Home, options: list[str], ids: set[str]) -> None:
    assert found(ports, "port", *options) == ids


@covers("RET-5")
def test_what_held_on_a_day_is_found_before_and_after_it_was_superseded(ports: Home) -> None:
    assert found(ports, "port", "--as-of", "2025-12-31") == set()
    assert found(ports, "port", "--as-of", "2026-01-15") == {"old"}
    assert found(ports, "port", "--as-of", "2026-03-01") == {"old", "rule"}, "a day is its beginning"
    assert found(ports, "port", "--as-of", "2026-03-02", "--kind", "decision") == {"new"}
    assert "The port is 80." in ports.said("recall", "port", "--as-of", "2026-01-15")


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--kind", "desicion"], 2, "There is no kind 'desicion'; did you mean 'decision'?"),
        (["--kind", "xyz"], 2, "use one of preference, rule, correction"),
        (
            ["--since", "yesterday"],
            2,
            "'yesterday' is not a date; write a day, 2026-05-31, or a time, 2026-05-31T14:00.",
        ),
        (["--until", "2026-13-01"], 2, "is not a date"),
        (["--as-of", ""], 2, "is not a date"),
        (["--as-of", "0001-01-01"], 2, "out of range"),
        (["--status", "odd"], 2, "There is no status 'odd'; use one of live, superseded, stale, any."),
        (["--status", "stale", "--as-of", "2026-01-01"], 2, "do not combine it with a status"),
        (["--scope", "mars"], 2, "There is no scope 'mars'"),
        (["--scope", "session:s"], 2, "in that session alone"),
        (["--scope", "language"], 2, "The scope 'language' is not complete; use universal, language:NAME"),
        (["--scope", "project:nowhere"], 1, "There is no project 'nowhere'"),
        (["--as-of", "2026-01-01", "--status", "any"], 2, "do not combine it with a status"),
        (["--since", "2026-02-01", "--until", "2026-01-01"], 2, "`until` is not after `since`"),
        (["--archive", "--kind", "rule"], 2, "Turns have no kind, scope or status"),
        (["--archive", "--scope", "universal"], 2, "Turns have no kind, scope or status"),
    ],
)
def test_a_filter_that_cannot_be_is_said(home: Home, options: list[str], code: int, message: str) -> None:
    done = home.recollect("recall", "port", *options)
    assert (done.returncode, done.stdout) == (code, b"")
    assert message in " ".join(done.stderr.decode().split())
    assert b"Traceback" not in done.stderr


def test_kinds_are_completed(home: Home) -> None:
    assert completed(home, "recall", "x", "--kind", "pre") == ["preference"]
    assert completed(home, "recall", "x", "--status", "su") == ["superseded"]


@covers("RET-4")
def test_without_a_model_search_goes_by_words_and_says_so(home: Home) -> None:
    taught(home, FACT)
    done = home.recollect("recall", "cents")
    assert b"cents" in done.stdout
    assert done.stderr.decode().strip() == WORDS_ALONE
    answer = home.recollect("recall", "cents", "--json")
    assert (json.loads(answer.stdout)["by"], answer.stderr) == ("words", b"")
    nothing = home.recollect("recall", QUESTION)
    assert (nothing.stdout, nothing.stderr.decode().splitlines()) == (b"", ["Nothing found.", WORDS_ALONE])


@covers("RET-4")
def test_a_model_that_is_not_whole_is_named_and_words_still_find(home: Home, model_folder: Path) -> None:
    shutil.copytree(model_folder, home.places.model)
    (home.places.model / "tokenizer.json").unlink()
    taught(home, FACT)
    done = home.recollect("recall", "cents")
    assert b"cents" in done.stdout
    assert b"is missing. Rebuild it" in done.stderr
    assert b"Rebuild it with `recollect model build`. Until then, search uses words only." in done.stderr


@covers("RET-1")
def test_what_was_taught_a_moment_ago_is_found_by_its_meaning(home: Home, model_folder: Path) -> None:
    home = home.with_model(model_folder)
    taught(home, FACT)
    taught(home, "The cat sleeps on the sofa.")
    done = home.recollect("recall", QUESTION)
    assert (done.stdout.decode().split("\t")[-1], done.stderr) == (f"{FACT}\n", b"")
    answer = home.json("recall", QUESTION)
    assert (answer["by"], answer["by_words_only"]) == ("words and meaning", 0)
    (hit,) = answer["hits"]
    assert hit["factors"]["words"] == 0
    assert hit["factors"]["meaning"] > 0.3


def test_the_reasons_are_told_below_each_hit(home: Home, model_folder: Path) -> None:
    taught(home, FACT)
    line, reason = home.said("recall", "cents", "--why").splitlines()
    assert re.search(r"\tscore 0\.\d\d\tMoney", line)
    assert reason.startswith("  score 0.")
    by_words = r" \(words 0\.\d\d, named 0\.00\), recency 1\.00, importance 0\.50, frequency 0\.50, kind 0\."
    assert re.search(by_words, reason)
    assert ", meaning 0." in home.with_model(model_folder).said("recall", "cents", "--why")
    shown = " ".join(without_styles(home.in_terminal("recall", "cents", "--why", columns=60)).split())
    assert re.search(by_words[:40], shown)
    (hit,) = home.json("recall", "cents")["hits"]
    assert {"id", "text", "kind", "scope", "score", "relevance", "factors"} <= set(hit)


def test_asked_outright_the_nearest_few_are_shown_as_uncertain(home: Home, model_folder: Path) -> None:
    home = home.with_model(model_folder)
    asked = "how do we ship to production"
    taught(home, "We deploy with Helm to GKE")
    for text in ("Money is stored as integer cents.", "Dates are shown in UTC.", "Invoices are numbered per year."):
        taught(home, text)
    done = home.recollect("recall", asked)
    first = done.stdout.decode().splitlines()[0]
    assert re.search(r"\tscore 0\.\d\d, uncertain\tWe deploy with Helm", first)
    assert b"No good match" in done.stderr
    assert home.json("recall", asked)["uncertain"]
    assert len(home.json("recall", asked)["hits"]) <= 3
    assert not home.json("recall", "Helm")["uncertain"]
    event = json.dumps({"type": "prompt", "text": f"Tell me: {asked}?"})
    assert "Helm" not in home.said("inject", event), "unasked, it stays strict"


def test_hits_are_ordered_by_the_number_that_is_shown(ports: Home) -> None:
    shown = re.findall(r"score (\d\.\d\d)", ports.said("recall", "port", "--language", "python"))
    assert len(shown) == 3
    assert shown == sorted(shown, reverse=True)


@covers("RET-6")
def test_what_was_said_is_found_with_its_session_speaker_day_and_the_part_that_answers(sessions: Home) -> None:
    lines = [line.split("\t") for line in sessions.said("recall", "ledger in postgres", "--archive").splitlines()]
    (answer,) = (line for line in lines if line[0] == "a1")
    assert answer[1:4] == ["assistant", "2026-01-05", "session s1"]
    assert "The ledger lives in Postgres on db7." in answer[-1]
    assert len(answer[-1]) <= 302
    hit = next(hit for hit in sessions.json("recall", "ledger in postgres", "--archive")["hits"] if hit["id"] == "a1")
    assert (hit["session"], hit["role"], hit["time"]) == ("s1", "assistant", "2026-01-05T00:01:00+00:00")
    assert len(hit["text"]) > 1000
    assert set(hit) == {"id", "session", "role", "time", "text", "score", "relevance", "factors"}
    assert sessions.said("recall", "ledger") == "", "no memory speaks of it"
    assert "session 1.00" in sessions.said("recall", "ledger in postgres", "--archive", "--why")


@covers("RET-6")
def test_old_sessions_are_narrowed_by_time_and_project(sessions: Home, tmp_path: Path) -> None:
    assert found(sessions, "ledger", "--archive", "--since", "2026-02-01") == {"u2"}
    assert found(sessions, "ledger", "--archive", "--until", "2026-02-01") == {"u1", "a1"}
    assert found(sessions, "ledger", "--archive", "--as-of", "2026-01-06") == {"u1", "a1"}
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert sessions.said("recall", "ledger", "--archive", cwd=elsewhere) == ""
    assert "Oracle" in sessions.said("recall", "ledger", "--archive", "--project", f"path:{sessions.path}")


@covers("RET-6")
def test_what_was_said_is_found_by_its_meaning(sessions: Home, model_folder: Path) -> None:
    before = sessions.json("recall", "which commercial relational store is used", "--archive")
    assert (before["by"], before["hits"]) == ("words", [])
    after = sessions.with_model(model_folder).json("recall", "which commercial relational store is used", "--archive")
    assert after["by"] == "words and meaning"
    assert after["hits"][0]["id"] == "u2"


def test_a_terminal_shows_old_turns_within_its_width_and_obeys_none_of_them(sessions: Home) -> None:
    shown = sessions.in_terminal("recall", "ledger", "--archive", "--why", columns=60)
    assert "\x1b[2J" not in shown
    lines = without_styles(shown).splitlines()
    assert max(len(line.rstrip()) for line in lines) <= 60
    assert any("assistant" in line for line in lines)
    assert "\x1b" not in sessions.said("recall", "ledger", "--archive")


def test_a_locked_database_is_searched_and_what_waits_goes_on_waiting(home: Home, model_folder: Path) -> None:
    taught(home, FACT)
    home = home.with_model(model_folder)
    other = sqlite3.connect(home.places.database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    done = home.recollect("recall", "cents")
    assert b"cents" in done.stdout
    assert (
        b"In all projects, 1 memory has no vector yet; `recollect model embed` adds search by meaning." in done.stderr
    )
    assert home.json("recall", "cents")["by"] == "words"
    other.execute("ROLLBACK")
    other.close()
    assert home.json("recall", QUESTION)["by"] == "words and meaning"


@needs_mounts
def test_a_database_that_cannot_be_written_is_searched_by_words(home: Home, model_folder: Path) -> None:
    taught(home, FACT)
    home = home.with_model(model_folder)
    with read_only(home.places.database.parent):
        answer = home.json("recall", "cents")
        assert (answer["by"], answer["by_words_only"], len(answer["hits"])) == ("words", 1, 1)
        assert "can be read but not written" in refused(home, "model", "embed")


def test_more_than_a_moment_of_work_is_left_to_the_background(home: Home, model_folder: Path) -> None:
    records: list[dict[str, Any]] = [
        {"id": f"fact-{n}", "text": f"Fact {n} about the ledger. " + "Many words. " * 80} for n in range(300)
    ]
    home.said("import", "-", stdin="\n".join(map(json.dumps, records)).encode())
    answer = home.with_model(model_folder).json("recall", "ledger")
    assert 0 < answer["by_words_only"] < 300
    assert answer["by"] == "words and meaning"


def test_a_pipe_finds_by_its_meaning_what_a_command_has_taught(home: Home, model_folder: Path) -> None:
    taught(home, FACT)
    request = json.dumps({"op": "search", "query": QUESTION, "project": f"path:{home.path}"}).encode()
    found = home.with_model(model_folder).said("pipe", "--db", str(home.places.database), stdin=request)
    assert [hit["text"] for hit in json.loads(found)["hits"]] == [FACT]
