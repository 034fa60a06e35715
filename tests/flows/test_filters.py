"""One rule and one wording for the filters of a search, whichever program asks: the command line, `pipe`, HTTP, an agent
over MCP, or a script with an `asked` event."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from recollect.cli.commands.pipe import Pipe
from recollect.cli.main import cli
from recollect.domain.memory import SessionId
from recollect.mcp.tools import Asker, call
from recollect.paths import find_paths
from tests.builders import NOW
from tests.served import post

RULE, DECISION, FIX = (
    "Deploy with Helm.",
    "Helm charts deploy on Mondays.",
    "If Helm hangs, deploy with a longer timeout.",
)
ALL = {RULE, DECISION, FIX}
MEMORIES = [
    {"text": RULE, "kind": "rule", "time": "2026-01-10"},
    {"text": DECISION, "kind": "decision", "time": "2026-02-10T15:00"},
    {"text": FIX, "kind": "bugfix", "time": "2026-02-10T15:00"},
]
CLI, PIPE, HTTP, MCP, EVENT = "CLI", "pipe", "HTTP", "MCP", "asked event"
JSON = (PIPE, HTTP, EVENT)
EVERY = (CLI, *JSON, MCP)
Given = Mapping[str, Any]
Answer = tuple[str, str]  # an error code, or ""; what was said
Ask = Callable[[str, Given], Answer]


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Ask]:
    """All programs use one database."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    database = find_paths().database
    database.parent.mkdir(parents=True)
    with Pipe(database) as pipe:
        pipe.answer(json.dumps({"op": "remember", "memories": MEMORIES}))
        yield lambda program, given: PROGRAMS[program](pipe, str(tmp_path), {"query": "helm deploy", **given})


def by_command(_: Pipe, __: str, given: Given) -> Answer:
    options = [
        part
        for name, value in given.items()
        if name != "query"
        for one in (value if isinstance(value, list) else [value])
        for part in (f"--{name.replace('_', '-').replace('kinds', 'kind')}", str(one))
    ]
    done = CliRunner().invoke(cli, ["recall", given["query"], *options])
    return {0: "", 2: "usage"}[done.exit_code], done.output


def by_pipe(pipe: Pipe, folder: str, given: Given) -> Answer:
    filters = {name: value for name, value in given.items() if name not in ("query", "limit")}
    request = {"op": "search", "query": given["query"], "k": given.get("limit"), "folder": folder, "filters": filters}
    return in_json(pipe.answer(json.dumps(request)))


def by_http(pipe: Pipe, folder: str, given: Given) -> Answer:
    return in_json(post(pipe._engine, "/v1/recall", {"folder": folder, **given})[1])


def by_agent(pipe: Pipe, folder: str, given: Given) -> Answer:
    answer = call(pipe._engine, Asker(session=SessionId("mcp"), at=NOW, folder=folder), "search", given)
    return answer.code or "", answer.text


def by_event(pipe: Pipe, folder: str, given: Given) -> Answer:
    event = {"type": "asked", "session": "s", "folder": folder, **given}
    return in_json(pipe.answer(json.dumps({"op": "event", "event": event})))


def in_json(answer: Mapping[str, Any]) -> Answer:
    error = answer.get("error", {"code": "", "message": json.dumps(answer)})
    return error["code"], error["message"]


PROGRAMS = {CLI: by_command, PIPE: by_pipe, HTTP: by_http, MCP: by_agent, EVENT: by_event}


def each(cases: list[tuple[Given, tuple[str, ...], Any]]) -> list[Any]:
    return [
        pytest.param(program, given, expected, id=f"{program} {json.dumps(given)}")
        for given, programs, expected in cases
        for program in programs
    ]


DATED = (CLI, *JSON)
VALID: list[tuple[Given, tuple[str, ...], Any]] = [
    ({}, EVERY, ALL),
    ({"kinds": ["rule"]}, EVERY, {RULE}),
    ({"kinds": ["rule", "bugfix"]}, EVERY, {RULE, FIX}),
    ({"kinds": "bugfix"}, EVERY, {FIX}),
    ({"kind": "bugfix"}, DATED, {FIX}),
    ({"kinds": []}, EVERY, ALL),
    ({"scope": "universal"}, EVERY, ALL),
    ({"scope": "project"}, EVERY, set()),
    ({"scope": "language:Go"}, DATED, set()),
    ({"since": "2026-02-10"}, DATED, {DECISION, FIX}),
    ({"since": "2026-02-10T15:00"}, DATED, {DECISION, FIX}),
    ({"until": "2026-02-10T15:00:00Z", "kind": "rule"}, DATED, {RULE}),
    ({"status": "live"}, DATED, ALL),
    ({"as_of": "2026-02-01"}, (CLI, PIPE, HTTP), {RULE}),
    ({"status": "superseded"}, (CLI, PIPE, HTTP), set()),
    ({"scope": None, "status": None, "kinds": None, "since": None}, JSON, ALL),
    ({"language": ""}, DATED, ALL),
    ({"scope": "", "kind": "", "since": ""}, (EVENT,), ALL),
]
REFUSED: list[tuple[Given, tuple[str, ...], Any]] = [
    ({"kinds": ["desicion"]}, EVERY, "There is no kind 'desicion'; did you mean 'decision'?"),
    ({"kinds": "poem"}, EVERY, "There is no kind 'poem'; use one of preference, rule, correction, decision,"),
    (
        {"scope": "galaxy"},
        DATED,
        "There is no scope 'galaxy'; use one of universal, language:NAME, project, project:ID.",
    ),
    ({"scope": "galaxy"}, (MCP,), "There is no scope 'galaxy'; use one of universal, language, project."),
    (
        {"scope": "project:"},
        DATED,
        "The scope 'project:' is not complete; use universal, language:NAME, project, project:ID.",
    ),
    (
        {"scope": "session:s"},
        DATED,
        "A memory of one session is visible in that session alone; use the scope universal,",
    ),
    ({"scope": ""}, (CLI, PIPE, HTTP, MCP), "There is no scope ''; use one of universal"),
    ({"kinds": [""]}, EVERY, "There is no kind ''; use one of preference"),
    ({"since": "yesterday"}, DATED, "'yesterday' is not a date; write a day, 2026-05-31, or a time, 2026-05-31T14:00."),
    ({"as_of": "0001-01-01"}, DATED, "is out of range; use a year from 1970 to 9998."),
    ({"status": "dead"}, DATED, "There is no status 'dead'; use one of live, superseded, stale, any."),
    ({"since": "2026-02-01", "until": "2026-01-01"}, DATED, "Nothing can match: `until` is not after `since`."),
    ({"status": "any", "as_of": "2026-01-01"}, DATED, "`as of` finds what was valid at that time; do not combine it"),
    ({"query": " "}, (CLI, PIPE, HTTP, MCP), "The query is empty; say what to look for."),
    ({"limit": 0}, (CLI, PIPE, HTTP), "The limit is 0; it must be from 1 to 1,000."),
    (
        {"status": "superseded"},
        (EVENT,),
        "A model sees only memories that are valid now; leave out `status` and `as_of`.",
    ),
]
MALFORMED: list[tuple[Given, tuple[str, ...], Any]] = [
    ({"kinds": [1]}, JSON, "`kinds` is not a kind or a list of kinds."),
    ({"since": 5}, JSON, "`since` is not a text."),
    ({"kind": "rule", "kinds": ["rule"]}, JSON, "Give either `kind` or `kinds`."),
]


@pytest.mark.parametrize(("program", "given", "found"), each(VALID))
def test_a_filter_finds_the_same_memories_in_every_program(
    ask: Ask, program: str, given: Given, found: set[str]
) -> None:
    code, said = ask(program, given)
    said = " ".join(said.split())
    assert (code, {text for text in ALL if text in said}) == ("", found), said


@pytest.mark.parametrize(("program", "given", "sentence"), each(REFUSED))
def test_a_wrong_filter_is_refused_in_the_same_words(ask: Ask, program: str, given: Given, sentence: str) -> None:
    code, said = ask(program, given)
    assert sentence in " ".join(said.split())
    assert code == ("usage" if program == CLI else "invalid_value")


@pytest.mark.parametrize(("program", "given", "sentence"), each(MALFORMED))
def test_a_filter_of_the_wrong_form_is_refused_in_the_same_words(
    ask: Ask, program: str, given: Given, sentence: str
) -> None:
    assert ask(program, given) == ("bad_request", sentence)
