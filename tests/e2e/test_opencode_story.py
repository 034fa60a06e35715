"""The whole idea on the real client: what one session says and meets, the next one knows. Nothing is taught by hand."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e import kept
from tests.e2e.fake_model import assert_prefix_kept
from tests.e2e.opencode import Project, Run, Server
from tests.e2e.taught import OFF_TOPIC, import_into, remembering_project
from tests.requirements import covers
from tests.waiting import wait_for

pytestmark = pytest.mark.paired

PREFERENCE = "I prefer short commit titles in the imperative."
DECISION = "We decided to keep sessions in Redis because the API runs on three hosts."
WORK = f"{PREFERENCE} {DECISION} Please run the checks and make them pass."
FIXED = "The check failed because settings.ini had no pool_size; I set pool_size = 5 and it passes now."
FACT = "The nightly export writes its files to a bucket, and the finance team reads them there at six."
ON_TOPIC = "Where does the nightly export put its files?"

ERROR = "ConfigError: no pool_size in settings.ini"
CHECK = f"""
grep -q pool_size settings.ini 2>/dev/null && echo "all good" && exit 0
echo "{ERROR}" >&2
exit 1
"""
TOPICS = {
    "auth": "How is auth handled?",
    "deployment": "Now help me set up the deployment pipeline",
    "database": "What about database?",
}
AUTH_AND_DEPLOYMENT = "Our auth uses JWT tokens in httpOnly cookies. Deployment is Kubernetes with Helm on GCP."


def calls(*steps: tuple[str, dict[str, str]]) -> str:
    return " ".join(f"[[tool {name} {json.dumps(given)}]]" for name, given in steps)


def mends(project: Project) -> str:
    """What the model does: the check fails, it writes what is missing, and the same check passes."""
    check = ("bash", {"command": "sh check.sh", "description": "Run the checks"})
    write = ("write", {"filePath": str(project.path / "settings.ini"), "content": "pool_size = 5\n"})
    return f"{calls(check, write, check)} [[say {FIXED}]]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    project: Project
    first: tuple[Run, ...]  # the processes of session one
    second: Run  # right after them
    server: Server  # and one more


@pytest.fixture(scope="module")
def _story(tmp_path_factory: pytest.TempPathFactory, model_folder: Path) -> Iterator[Story]:
    with remembering_project(tmp_path_factory.mktemp("machine"), model_folder) as project:
        project.write("check.sh", CHECK)
        project.machine.model.cue(WORK, mends(project))
        first = (project.run(WORK, title=None), project.run(FACT, "--continue", title=None))
        second = project.run(ON_TOPIC, title=None)
        with project.serve() as server:
            yield Story(project=project, first=first, second=second, server=server)


@pytest.fixture
def story(_story: Story) -> Iterator[Story]:
    yield _story
    _story.project.machine.model.assert_no_errors()


def test_a_new_process_starts_with_what_the_last_one_said_and_met(story: Story) -> None:
    """It began as soon as the other had ended: nothing was still on its way."""
    assert [run.exit_code for run in (*story.first, story.second)] == [0, 0, 0]
    assert "ConfigError" in story.first[0].chats[1].tool_results[0]
    assert "all good" in story.first[0].chats[-1].tool_results[-1]
    (chat,) = story.second.chats
    (start,) = chat.system_fences
    assert PREFERENCE in start
    assert DECISION in start
    assert ERROR not in start, "an error is told when it comes again"


def test_a_prompt_on_topic_carries_what_was_said_about_it_and_one_off_topic_nothing(story: Story) -> None:
    kept.settled(story.project.machine)
    on_topic, off_topic = (story.server.session().prompt(prompt).chats[0] for prompt in (ON_TOPIC, OFF_TOPIC))
    (block,) = on_topic.last_user_fences
    assert FACT in block
    assert PREFERENCE not in block
    assert off_topic.message_fences == [[]]
    assert [PREFERENCE in "".join(chat.system_fences) for chat in (on_topic, off_topic)] == [True, True]


def test_the_session_that_went_on_in_another_process_kept_its_bytes(story: Story) -> None:
    before, after = story.first[0].chats[-1], story.first[1].chats[0]
    assert_prefix_kept([before, after])
    assert before.session == after.session


def test_title_calls_carry_nothing_of_ours(story: Story) -> None:
    titles = [request for run in (*story.first, story.second) for request in run.requests if request.is_title]
    assert len(titles) == 2
    for title in titles:
        assert "recollect" not in title.prefix_text().lower()


def test_runs_print_nothing_of_ours(story: Story) -> None:
    for run in (*story.first, story.second):
        assert "recollect" not in (run.stdout + run.stderr).lower()


def test_the_client_is_told_once_in_its_log(tmp_path: Path, model_folder: Path) -> None:
    """By a server: a run that ends soon loses the end of the client's log."""
    with remembering_project(tmp_path, model_folder) as project, project.serve() as server:

        def welcomes() -> list[str]:
            return [line for line in project.machine.client_log().splitlines() if "Recollect" in line]

        server.session().prompt(OFF_TOPIC)
        wait_for(welcomes)
        server.session().prompt(OFF_TOPIC)
        time.sleep(2)  # longer than the client keeps lines back
        assert len(welcomes()) == 1


def test_what_the_sessions_taught_is_in_the_list_and_says_where_it_comes_from(story: Story) -> None:
    kept.settled(story.project.machine)
    confirmed = [memory for memory in kept.memories(story.project) if memory["tier"] == "confirmed"]
    for told, kinds in (
        (PREFERENCE, {"preference"}),
        (DECISION, {"preference", "decision"}),
        (ERROR, {"error_pattern"}),
    ):
        (memory,) = [memory for memory in confirmed if told in memory["text"]]
        assert memory["kind"] in kinds
        assert memory["source"]["session"] == story.first[0].chats[0].session


# Topics that change


@covers("SCN-D1")
def test_each_topic_finds_what_an_earlier_session_said_about_it(story: Story) -> None:
    project = another_project(story, "said")
    story.server.session(at=project).prompt(AUTH_AND_DEPLOYMENT)
    kept.until(lambda: kept.said(project, "auth tokens"), bool)
    kept.settled(project.machine)
    session = story.server.session(at=project)
    auth, deployment, database = (session.prompt(prompt).chats[0] for prompt in TOPICS.values())
    ours = ["".join(chat.fences) for chat in (auth, deployment, database)]
    assert all(word in ours[0] for word in ("JWT", "httpOnly"))
    assert all(word in ours[1] for word in ("Kubernetes", "Helm", "GCP"))
    assert database.last_user_fences == []
    assert ours[2].count("httpOnly") == ours[0].count("httpOnly"), "nothing is told twice"


@covers("SCN-D1")
def test_each_turn_carries_the_block_of_its_own_topic_alone(story: Story) -> None:
    project = another_project(story, "taught")
    known = {
        "auth": "Our auth uses JWT tokens in httpOnly cookies.",
        "deployment": "The deployment is Kubernetes with Helm on GCP.",
        "database": "The database is PostgreSQL 16 with nightly backups.",
    }
    import_into(project, [{"text": text, "kind": "research", "time": "2026-01-02"} for text in known.values()])
    kept.settled(project.machine)
    session = story.server.session(at=project)
    chats = {topic: session.prompt(prompt).chats[0] for topic, prompt in TOPICS.items()}
    assert not any(text in "".join(chats["auth"].system_fences) for text in known.values())
    for topic, chat in chats.items():
        (block,) = chat.last_user_fences
        assert {other for other, text in known.items() if text in block} == {topic}


def another_project(story: Story, name: str) -> Project:
    project = story.project.machine.project(name)
    project.install_recollect()
    return project
