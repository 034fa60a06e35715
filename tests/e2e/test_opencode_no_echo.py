"""What Recollect puts in front of the model stays there: not in the client's own history, and never learnt from."""

from collections.abc import Iterator

import pytest

from tests.e2e import kept
from tests.e2e.opencode import Server
from tests.e2e.taught import (
    DEPLOYMENT,
    INVOICES,
    OFF_TOPIC,
    ON_TOPIC,
    STANDING,
    import_into,
    remembering_project,
    teach,
)
from tests.requirements import covers

pytestmark = pytest.mark.paired

KNOWN_ERROR = "ConfigError: no pool_size in settings.ini"
FIX = "Set pool_size to five in settings.ini before the first request."
FAILING = 'Check it, please. [[tool bash {"command": "sh check.sh", "description": "Check"}]]'
ON_INVOICES = "Do invoice numbers have gaps?"
OURS = ("<recollect", "not instructions", DEPLOYMENT, INVOICES, STANDING, FIX)


@pytest.fixture(scope="module")
def _serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with remembering_project(tmp_path_factory.mktemp("machine")) as project:
        teach(project)
        import_into(project, [{"text": FIX, "title": KNOWN_ERROR, "kind": "error_pattern", "time": "2026-01-02"}])
        project.write("check.sh", f"echo '{KNOWN_ERROR}'; exit 1\n")
        with project.serve() as server:
            yield server


@pytest.fixture
def serving(_serving: Server) -> Iterator[Server]:
    yield _serving
    _serving.model.assert_no_errors()


def test_nothing_of_ours_is_in_the_clients_history_after_blocks_of_every_kind(serving: Server) -> None:
    """Its own tables hold the conversation; the summary is the model's, and may say what it was shown."""
    session = serving.session(title=None)
    turns = [session.prompt(ON_TOPIC), session.prompt(FAILING), session.prompt("Go on. [[usage 29000]]")]
    shown = "".join(fence for turn in turns for chat in turn.chats for fence in chat.fences)
    assert all(ours in shown for ours in (STANDING, DEPLOYMENT, FIX))
    summary = session.summarize()
    assert [request.is_compaction for request in summary] == [True]
    after = session.prompt(ON_TOPIC)
    assert after.chats[0].system_fences
    history = serving.project.machine.host_history_bytes()
    assert KNOWN_ERROR.encode() in history
    assert [ours for ours in OURS if ours.encode() in history] == []
    assert [ours for ours in OURS if ours in str(session.history())] == []
    titles = [request for turn in turns for request in turn.requests if request.is_title]
    assert [[ours for ours in OURS if ours in title.prefix_text()] for title in titles] == [[]]


@covers("CAP-6")
def test_nothing_of_ours_is_captured_also_when_the_model_quotes_it(serving: Server) -> None:
    session, project = serving.session(), serving.project
    before = {memory["id"] for memory in kept.memories(project)}
    (shown,) = session.prompt(ON_TOPIC).chats[0].last_user_fences
    tells = serving.model.cue("Which words were you given?", f"[[say They were:\n{shown}\nThat is all of it.]]")
    assert DEPLOYMENT in session.prompt(tells).text
    said_again = f"{DEPLOYMENT} {STANDING}"
    session.prompt(serving.model.cue("And in your own words?", f"[[say {said_again}]]"))
    session.prompt(FAILING)
    session.prompt(OFF_TOPIC)
    kept.until(lambda: kept.texts(project.machine)["turn"], lambda turns: OFF_TOPIC in turns)
    kept.settled(project.machine)
    turns = kept.texts(project.machine)["turn"]
    assert [ours for ours in ("<recollect", "not instructions", FIX) if ours in "\n".join(turns)] == []
    assert [turn for turn in turns if DEPLOYMENT in turn and said_again not in turn] == []
    known = kept.memories(project)
    assert {memory["id"] for memory in known} == before
    assert {memory["seen"] for memory in known if memory["text"] in (DEPLOYMENT, STANDING)} == {1}
    assert not [table for table, texts in kept.texts(project.machine).items() if "<recollect" in str(texts)]


@covers("SCN-C4")
def test_also_the_first_prompt_of_a_session_that_comes_at_once_has_its_start_block(serving: Server) -> None:
    chats = [serving.session().prompt(prompt).chats[0] for prompt in (ON_INVOICES, OFF_TOPIC)]
    assert [len(chat.system_fences) for chat in chats] == [1, 1]
    assert [len(chat.last_user_fences) for chat in chats] == [1, 0]
