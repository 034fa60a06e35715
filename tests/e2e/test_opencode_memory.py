"""Memory in the real OpenCode client: what was taught is in the bytes that it sends, where it belongs."""

import json
from collections.abc import Iterator

import pytest

from tests.e2e.fake_model import FakeModel, Wire, assert_prefix_kept
from tests.e2e.kept import memories, until
from tests.e2e.opencode import OpenCodeMachine, Project, Server
from tests.e2e.relay import relay
from tests.e2e.request import FENCE
from tests.e2e.taught import (
    DEPLOYMENT,
    INVOICES,
    OFF_TOPIC,
    ON_TOPIC,
    STANDING,
    remembering_project,
    start_daemon,
    teach,
)
from tests.requirements import covers

pytestmark = pytest.mark.paired

BOTH: list[Wire] = ["openai", "anthropic"]

START_LIMIT_S, PROMPT_LIMIT_S = 1.8, 0.4  # the plugin's deadlines: what a user waits at most
MARGIN_S = 3.0  # the client's own work, also on a busy machine; a missing deadline would cost far more


@pytest.fixture
def taught(project: Project) -> Project:
    project.install_recollect()
    teach(project)
    start_daemon(project)
    return project


@pytest.fixture(scope="module")
def _serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with remembering_project(tmp_path_factory.mktemp("machine")) as project:
        teach(project)
        with project.serve() as server:
            yield server


@pytest.fixture
def serving(_serving: Server) -> Iterator[Server]:
    """One `opencode serve` with Recollect for the tests that need only a session of their own."""
    yield _serving
    _serving.model.assert_no_errors()


def another(server: Server, name: str) -> Project:
    """One more project for the same client, taught alike."""
    project = server.project.machine.project(name)
    project.install_recollect()
    teach(project)
    return project


def test_what_was_taught_in_one_process_is_sent_by_the_client_in_another(serving: Server) -> None:
    run = another(serving, "taught").run(ON_TOPIC, title=None)
    assert run.exit_code == 0, run.stderr
    (title,) = [request for request in run.requests if request.is_title]
    (chat,) = run.chats
    (start,) = chat.system_fences
    assert STANDING in start
    assert DEPLOYMENT not in start
    (turn,) = chat.last_user_fences
    assert DEPLOYMENT in turn
    assert INVOICES not in turn
    assert STANDING not in turn
    assert "recollect" not in title.prefix_text()


def test_a_prompt_off_topic_carries_no_turn_block(serving: Server) -> None:
    (chat,) = serving.session().prompt(OFF_TOPIC).chats
    assert len(chat.system_fences) == 1
    assert chat.message_fences == [[]]


@covers("SCN-C4")
def test_the_very_first_message_of_a_session_has_the_start_block(serving: Server) -> None:
    (chat,) = serving.session().prompt("Hello there, what can you do?").chats
    assert [STANDING in fence for fence in chat.system_fences] == [True]


def test_a_session_that_goes_on_in_another_process_sends_the_same_bytes(serving: Server) -> None:
    project = another(serving, "going-on")
    session = serving.session(at=project)
    before = [session.prompt(ON_TOPIC), session.prompt(OFF_TOPIC)]
    project.machine.recollect("stop")
    teach_more = project.machine.recollect("remember", "Helm releases need a GKE review.", cwd=project.path)
    assert teach_more.returncode == 0
    start_daemon(project)
    with project.serve() as server:
        after = server.resume(session.id).prompt("And do the invoice numbers have gaps?")
    assert_prefix_kept([chat for turn in (*before, after) for chat in turn.chats])
    assert len(after.chats[0].last_user_fences) == 1


def test_a_prompt_that_was_taken_back_and_asked_again_gets_its_memory_again(serving: Server) -> None:
    session = serving.session()
    session.prompt(OFF_TOPIC)
    turn = session.prompt(ON_TOPIC)
    session.undo(turn)
    again = session.prompt(ON_TOPIC)
    assert [len(asked.chats[0].last_user_fences) for asked in (turn, again)] == [1, 1]
    assert again.chats[0].prefix_text().count(DEPLOYMENT) == 1


@pytest.mark.parametrize("wire", BOTH)
def test_a_prompt_that_the_client_sends_again_after_an_overflow_keeps_its_memory(serving: Server, wire: Wire) -> None:
    """The client compacts and repeats the prompt under another id, without telling its plugins of a new prompt."""
    session = serving.session()
    session.prompt("Hello there, what can you do?", wire=wire)
    asked = session.prompt(
        "Is the Helm deployment chart rolled out to GKE from deploy/chart? [[error 413 1]]", wire=wire
    )
    first, again = asked.chats[:2]
    assert first.last_user_words == again.last_user_words
    assert [DEPLOYMENT in chat.last_user_text for chat in (first, again)] == [True, True]


def test_a_daemon_that_does_not_run_is_started_and_answers_in_time(taught: Project) -> None:
    assert taught.machine.recollect("stop").returncode == 0
    assert taught.machine.recollect("status").returncode == 3
    run = taught.run(ON_TOPIC)
    assert run.exit_code == 0
    assert len(run.chats[0].system_fences) == 1
    assert taught.machine.recollect("status").returncode == 0


def test_an_answer_that_came_too_late_is_not_sent_after_a_restart_either(taught: Project) -> None:
    with relay(taught.machine) as wire:
        with taught.serve() as server:
            session = server.session()
            first = session.prompt(OFF_TOPIC)
            wire.delay_s = PROMPT_LIMIT_S + 0.2
            late = session.prompt(ON_TOPIC)
        wire.delay_s = 0
        with taught.serve() as server:
            resumed = server.resume(session.id).prompt("Do invoice numbers have gaps?")
    assert_prefix_kept([chat for turn in (first, late, resumed) for chat in turn.chats])
    user_fences = [FENCE.findall(text) for text in resumed.chats[0].user_texts]
    assert [len(fences) for fences in user_fences] == [0, 0, 1]


def test_a_slow_daemon_does_not_keep_the_client_from_ending_cleanly(taught: Project) -> None:
    with relay(taught.machine) as wire:
        wire.delay_s = PROMPT_LIMIT_S - 0.05
        run = taught.run(ON_TOPIC)
    assert run.exit_code == 0
    locks = taught.machine.home / ".local/state/opencode/locks"
    assert list(locks.rglob("*")) == []


def test_client_and_daemon_meet_also_with_a_proxy_and_where_paths_are_too_long_for_a_socket(
    model: FakeModel, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with OpenCodeMachine(tmp_path_factory.mktemp("machine") / ("long" * 20), model) as machine:
        del machine.env["XDG_RUNTIME_DIR"]
        proxy = "http://127.0.0.1:9"
        machine.env |= {"HTTP_PROXY": proxy, "http_proxy": proxy, "NO_PROXY": "127.0.0.1"}
        project = machine.project()
        project.install_recollect()
        teach(project)
        start_daemon(project)
        assert json.loads(machine.recollect("status", "--json").stdout)["socket"].startswith("/tmp/recollect-")
        with project.serve() as server:
            (chat,) = server.session().prompt(ON_TOPIC).chats
    assert (len(chat.system_fences), len(chat.last_user_fences)) == (1, 1)


@covers("INJ-4")
def test_with_placement_system_the_whole_block_is_built_anew_in_the_system_prompt(serving: Server) -> None:
    project = another(serving, "system")
    project.write(".recollect.toml", '[inject]\nplacement = "system"\n')
    session = serving.session(at=project)
    (on_topic,) = session.prompt(ON_TOPIC).chats
    (off_topic,) = session.prompt(OFF_TOPIC).chats
    for chat in (on_topic, off_topic):
        assert STANDING in "".join(chat.system_fences)
        assert chat.last_user_fences == []
    assert DEPLOYMENT in "".join(on_topic.system_fences)
    assert DEPLOYMENT not in off_topic.prefix_text()


@covers("OC-1", "CAP-1")
def test_a_rule_given_to_run_as_one_argument_is_kept_without_the_quotes_of_the_client(taught: Project) -> None:
    run = taught.run('From now on always use "yarn" for scripts, never npx.', as_one=True)
    assert run.exit_code == 0, run.stderr
    kept = until(lambda: [one["text"] for one in memories(taught)], lambda texts: any("yarn" in text for text in texts))
    assert 'From now on always use "yarn" for scripts, never npx.' in kept
