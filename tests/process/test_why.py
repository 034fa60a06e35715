"""inject, why, feedback and the usage in `status`, as a person or a script calls them. One database for all of them."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from recollect.cli.exit_codes import EXIT_NOT_RUNNING
from recollect.domain.memory import SessionId
from recollect.domain.session import session_reference
from tests.process.conftest import Home, refused, taught, without_styles
from tests.requirements import covers

HELM = "We deploy with Helm to GKE; the chart is in deploy/chart."
CAKE = "The team meets on Mondays to plan what to deploy, whom to ask, where to sit and which cake to bring along."
OTHERS = ("Invoices are numbered per year.", "Dates are shown in UTC.", "Sizes are in millimetres.")
ASKS = "How do we deploy with Helm?"


def event(kind: str, **fields: Any) -> str:
    return json.dumps({"type": kind, **fields})


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home with one session, s-work: a start, three prompts, a failed tool; and another one, s-other, elsewhere."""
    path = tmp_path_factory.mktemp("worked")
    home = Home(path, {"HOME": str(path), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TMPDIR": str(path)})
    records = [{"id": f"other{n}", "text": text} for n, text in enumerate(OTHERS)]
    records += [{"id": "helm", "text": HELM}, {"id": "cake", "text": CAKE}]
    happened = [
        {"type": "prompt", "message": "msg_a", "text": ASKS},
        {"type": "prompt", "message": "msg_b", "text": f"{ASKS} Again?"},
        {"type": "prompt", "message": "msg_c", "text": "go on"},
        {"type": "tool_failed", "tool": "bash", "error": "exit status 1", "message": "msg_d", "call": "c1"},
    ]
    project = home.json("project", "show")["id"]
    lines: list[dict[str, Any]] = [
        {"op": "remember", "memories": [record | {"project": project} for record in records]}
    ]
    lines += [{"op": "event", "event": one | {"session": "s-work", "project": project}} for one in happened]
    lines += [{"op": "event", "event": {"type": "session_started", "session": "s-other", "project": "p"}}]
    home.places.database.parent.mkdir(parents=True, exist_ok=True)
    answers = home.said(
        "pipe", "--db", str(home.places.database), stdin="\n".join(map(json.dumps, lines)).encode()
    ).splitlines()
    assert not any("error" in json.loads(answer) for answer in answers), answers
    return home


def test_why_tells_what_was_shown_with_its_score_and_what_stopped_the_others(worked: Home) -> None:
    told = worked.said("why", "s-work", "1")
    assert told.startswith("prompt 1 of ")
    assert "Session s-work (pipe, " in told
    shown, others = told.split("Not shown, nearest first")
    assert f"helm  [DEC] {HELM}" in shown
    assert "(needed .40; words " in shown
    assert f"cake  [DEC] {CAKE}" in others
    assert ", a decision needs .40" in others


def test_why_tells_silence_and_what_the_model_had_already(worked: Home) -> None:
    assert "in the live context already, since prompt msg_a" in worked.said("why", "s-work", "msg_b")
    assert "Nothing shown: the prompt has no words to search for" in worked.said("why", "s-work", "3")
    assert "Nothing shown: the error text is too general to recognise" in worked.said("why")  # the last of this project


def test_plain_why_after_silence_points_to_the_last_block(worked: Home) -> None:
    pointer = "The last block was shown at prompt 1; `recollect why --all` lists every moment."
    assert pointer in worked.said("why")
    assert "`recollect why s-work --all`" in worked.said("why", "s-wo")
    assert "No block was shown in this session; `recollect why s-other --all`" in worked.said("why", "s-other")
    for turn in (["s-work", "3"], ["3"], ["s-work", "1"], ["tool_error"]):
        assert "lists every moment" not in worked.said("why", *turn)


RULE = "Always run make lint before you push to the main branch."
SESSIONS = ("ses_e18e4f2affeQkW7zLmN0pRsT", "ses_e18e4f2affeYb3XcVd8uHjKw")


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home with two sessions of one host whose ids begin alike, a candidate, and a third session that asks."""
    path = tmp_path_factory.mktemp("spoken")
    home = Home(path, {"HOME": str(path), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TMPDIR": str(path)})
    project = home.json("project", "show")["id"]
    said = ("The Redis cache of the API keeps every key for ten minutes.", "The worker pool has forty threads.")
    guess = {"id": "guess", "text": "The Redis cache of the API may keep every key.", "tier": "candidate"}
    lines: list[dict[str, Any]] = [{"op": "remember", "memories": [guess | {"project": project}]}]
    for session, text in zip(SESSIONS, said, strict=True):
        lines += [{"op": "event", "event": {"type": "prompt", "message": "m1", "text": text, "session": session,
                                            "project": project}}]  # fmt: skip
    asks = [
        f"Remember: {RULE}",
        "How long did we say that the Redis cache of the API keeps every key?",
        "What do we run before we push?",
    ]
    for number, text in enumerate(asks):
        lines += [{"op": "event", "event": {"type": "prompt", "message": f"q{number}", "text": text,
                                            "session": "s-asks", "project": project}}]  # fmt: skip
    home.places.database.parent.mkdir(parents=True, exist_ok=True)
    done = home.said("pipe", "--db", str(home.places.database), stdin="\n".join(map(json.dumps, lines)).encode())
    assert "error" not in done
    return home


def test_a_quote_names_its_session_by_a_reference_that_show_and_why_take(spoken: Home) -> None:
    (line,) = re.findall(r"\[SAID\].*", spoken.said("why", "s-asks", "2"))
    named = line.rpartition(", ")[2].rstrip(")")
    assert len({session_reference(SessionId(session)) for session in SESSIONS}) == len(SESSIONS)
    assert named == session_reference(SessionId(SESSIONS[0]))
    assert f"session\t{SESSIONS[0]}" in spoken.said("show", named)
    assert spoken.json("show", named)["session"] == SESSIONS[0]
    assert f"Session {SESSIONS[0]}" in spoken.said("why", named, "1")


def test_why_explains_quotes_candidates_and_what_was_just_said(spoken: Home) -> None:
    told = spoken.said("why", "s-asks", "2")
    assert f"quoted: message m1 of session {SESSIONS[0]}; the prompt is about earlier sessions by " in told
    assert "it is only a candidate" in told.partition("guess")[2]
    assert spoken.json("why", "s-asks", "2")["quoted"][0]["reasons"]["needed"] > 0
    assert "it was said in this session" in spoken.said("why", "s-asks", "3")


def test_why_says_that_a_block_was_not_confirmed_only_where_there_is_one(worked: Home) -> None:
    assert "has not confirmed" not in worked.said("why", "s-work", "3")
    assert "has not confirmed" not in worked.said("why", "s-other")


def test_why_as_json_has_everything(worked: Home) -> None:
    told = worked.json("why", "s-work", "msg_a")
    assert (told["session"], told["point"], told["message"], told["ids"]) == ("s-work", "prompt", "msg_a", ["helm"])
    assert (told["by_kind"], told["silence"]) == ({"decision": 1}, None)
    assert told["relevance"] == told["choices"][0]["relevance"]
    assert told["choices"][1]["why"].endswith("a decision needs .40")
    every = worked.json("why", "s-work", "--all")
    assert [moment["name"] for moment in every["moments"]] == ["prompt 1", "prompt 2", "prompt 3", "failed tool 1"]
    assert [usage["asked"] for usage in every["usage"]] == [3, 1]


def test_why_lists_every_moment_in_a_line(worked: Home) -> None:
    lines = worked.said("why", "s-wo", "--all").splitlines()
    assert [line.split("\t")[1] for line in lines] == ["prompt 1", "prompt 2", "prompt 3", "failed tool 1"]
    assert lines[0].endswith(" considered")
    assert "Nothing shown" in lines[3]
    shown = without_styles(worked.in_terminal("why", "s-work", "--all", columns=60))
    assert max(len(line.rstrip()) for line in shown.splitlines()) <= 60


def test_why_names_what_it_cannot_find(worked: Home, home: Home) -> None:
    assert "No session begins with 'ses_9'" in refused(worked, "why", "ses_9")
    assert "begin with 's-'" not in refused(worked, "why", "s-")  # too short to be one
    assert "it has tool_error, prompts 1 to 3 (messages msg_a" in refused(worked, "why", "s-work", "9")
    assert "Several moments begin with 'msg'" in refused(worked, "why", "s-work", "msg")
    assert "There is no session yet" in refused(home, "why")


def test_why_says_of_a_moment_that_never_came_that_no_host_asked_or_waited_for_it(worked: Home) -> None:
    """A host that gave up on a slow daemon leaves no start in the log: it is the one that knows why."""
    unasked = "did not ask for it, or gave up before the answer; it has"
    for turn in (["start"], ["s-work", "start"], ["s-other", "tool_error"]):
        assert unasked in refused(worked, "why", *turn)
    assert unasked not in refused(worked, "why", "9")


@covers("FMT-7")
def test_a_block_is_plain_when_piped_and_styled_within_the_width_of_a_terminal(worked: Home) -> None:
    asked = event("prompt", text=ASKS)
    piped = worked.recollect("inject", "--dry-run", asked)
    assert piped.stdout.startswith(b"<recollect>\n")
    assert HELM.encode() in piped.stdout
    assert b"tokens" in piped.stderr
    shown = worked.in_terminal("inject", "--dry-run", asked, columns=40)
    assert "\x1b[" in shown
    plain = without_styles(shown)
    words = plain.split()
    assert all(word in words for word in piped.stdout.decode().split())
    block = plain[: plain.index("</recollect>")]
    assert max(len(line.rstrip()) for line in block.splitlines() if "Reference" not in line) <= 40


@covers("FMT-7", "SCN-C1")
def test_the_first_session_ever_greets_the_person_and_leaves_a_pipe_empty(home: Home) -> None:
    done = home.recollect("inject", event("session_started", session="s1"))
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"no memories here yet" in done.stderr
    assert "no memories here yet" in home.in_terminal("inject", "--dry-run", event("session_started"))
    told = home.json("why")
    assert (told["block"], told["point"], told["host"]) == ("", "start", "cli")


def test_a_rehearsal_leaves_no_trace_and_the_real_one_is_explained(home: Home) -> None:
    memory_id = taught(home, HELM)
    asked = event("prompt", text=ASKS, session="s1", message="m1")
    assert HELM in home.said("inject", "--dry-run", stdin=asked.encode())
    assert "There is no session yet" in refused(home, "why")
    assert home.json("show", memory_id)["use"]["shown"] == 0
    given = home.json("inject", asked)
    assert (given["session"], given["ids"], given["choices"][0]["verdict"]) == ("s1", [memory_id], "shown")
    assert home.json("why")["message"] == "m1"
    assert home.json("show", memory_id)["use"]["shown"] == 1
    home.said("forget", memory_id, "--now", "--yes")
    assert HELM not in home.said("why", "s1")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("How do we deploy?", "not valid JSON"),
        ("[]", "An event is a JSON object"),
        ("{}", "An event has a `type`"),
        (event("compacted"), "`session` is missing"),
    ],
)
def test_an_event_that_is_none_is_refused(worked: Home, given: str, said: str) -> None:
    assert said in refused(worked, "inject", given)


def test_feedback_is_counted_and_shown(home: Home) -> None:
    memory_id = taught(home, HELM)
    assert f"{memory_id} is useful (feedback +1 in total)" in home.said("feedback", memory_id[:4], "--useful")
    assert home.json("feedback", memory_id, "--useful")["memories"][0]["use"]["feedback"] == 2
    assert "feedback +2" in home.said("show", memory_id)
    assert home.recollect("feedback", memory_id).returncode == 2
    assert "no memory" in refused(home, "feedback", "zzzz", "--not-useful")


def test_status_says_what_the_blocks_came_to(worked: Home, home: Home) -> None:
    done = worked.recollect("status")
    assert done.returncode == EXIT_NOT_RUNNING
    lines = {line.split()[0]: line.split()[1:] for line in done.stdout.decode().splitlines() if line}
    assert lines["blocks"] == ["times", "silent", "tokens", "budget", "used", "ms"]
    assert (lines["prompts"][:2], lines["prompts"][3]) == (["3", "67%"], "800")
    assert lines["errors"][:5] == ["1", "100%", "-", "-", "-"]
    usage = {one["point"]: one for one in json.loads(worked.recollect("status", "--json").stdout)["usage"]}
    assert (usage["prompt"]["asked"], usage["prompt"]["silent"], usage["prompt"]["memories"]) == (3, 2, 1)
    assert json.loads(home.recollect("status", "--json").stdout)["usage"] == []
    assert not home.places.database.exists()  # asking makes nothing


def test_sessions_are_completed(worked: Home, tmp_path: Path) -> None:
    line = ["recollect", "why", "s-w"]
    done = worked.recollect(
        cwd=tmp_path, _RECOLLECT_COMPLETE="bash_complete", COMP_WORDS="\n".join(line), COMP_CWORD="2"
    )
    assert done.stdout.decode().split(",")[-1].strip() == "s-work"
