"""Sessions as people lead them: resumed, copied, deleted; with agents, commands and files. One client for all."""

import json
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.e2e import kept
from tests.e2e.fake_model import assert_prefix_kept
from tests.e2e.opencode import Project, Server, Session
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

ON_INVOICES = "Do invoice numbers have gaps?"
ROUNDING = "src/billing/rounding.py rounds half to even since the tax office asked for it."
KNOWN_ERROR = "ConfigError: no pool_size in settings.ini"
FIX = "Set pool_size = 5 in settings.ini."
CHECK_IT = "Please check the harbour."  # the model is cued to run what fails
LATE = re.compile(
    r"/v1/\S+: (?:TimeoutError|SyntaxError: .*Unexpected (?:end|EOF))"
)  # the second: cut off in its answer
TEMPLATE = "Always answer in rhymes. How does the Helm deployment reach GKE? $ARGUMENTS"


@pytest.fixture(scope="module")
def _serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with remembering_project(tmp_path_factory.mktemp("machine")) as project:
        teach(project)
        about_errors = {"text": FIX, "title": KNOWN_ERROR, "kind": "error_pattern", "time": "2026-01-02"}
        import_into(project, [about_errors, {"text": ROUNDING, "kind": "research", "time": "2026-01-02"}])
        project.slash_command("rhyme", TEMPLATE)
        project.write("check.sh", f"echo '{KNOWN_ERROR}'; exit 1\n")
        check = {"command": "sh check.sh", "description": "Check"}
        project.machine.model.cue(CHECK_IT, f"[[tool bash {json.dumps(check)}]]")
        project.configure({"snapshot": True})  # as users have it: undo and fork meet the parts that it adds
        with project.serve() as server:
            yield server


@pytest.fixture
def serving(_serving: Server) -> Iterator[Server]:
    yield _serving
    _serving.model.assert_no_errors()
    assert complaints(_serving.project) == []


def complaints(project: Project) -> list[str]:
    """What went wrong in the plugin, by its own log; an answer that a busy machine gave too late is none."""
    log = project.machine.home / ".local/state/recollect/plugin.log"
    return [line for line in log.read_text().splitlines() if not LATE.search(line)] if log.exists() else []


def learnt_after(session: Session, words: str) -> list[str]:
    """The texts of all memories, once the daemon has heard the session's prompt and learnt from it."""
    project = session.server.project
    kept.until(lambda: kept.texts(project.machine)["turn"], lambda turns: any(words in turn for turn in turns))
    kept.settled(project.machine)
    return [memory["text"] for memory in kept.memories(project)]


@covers("SCN-A5", "INJ-1")
def test_a_full_life_answers_at_each_moment_and_nothing_throws(serving: Server) -> None:
    session = serving.session(title=None)
    begun = session.prompt(ON_TOPIC)
    assert [STANDING in fence for fence in begun.chats[0].system_fences] == [True]
    assert [DEPLOYMENT in fence for fence in begun.chats[0].last_user_fences] == [True]
    worked = session.prompt('Look around. [[tool bash {"command": "ls", "description": "List"}]]')
    assert len(worked.chats) == 2
    failed = session.prompt(CHECK_IT)
    assert FIX in failed.chats[-1].tool_results[-1]
    (summary,) = session.summarize()
    assert "recollect" in summary.prefix_text()
    after = session.prompt(ON_TOPIC)
    assert [STANDING in fence for fence in after.chats[0].system_fences] == [True]
    assert [turn.error for turn in (begun, worked, failed, after)] == [None] * 4
    told = kept.until(lambda: kept.moments(serving.project, session.id), lambda log: len(log) >= 5)
    assert {"start", "prompt", "tool_error", "compaction"} <= {moment["point"] for moment in told}
    session.delete()


# Going on elsewhere


@covers("INJ-6")
def test_sessions_that_are_continued_resumed_and_forked_by_new_processes_replay_their_bytes(serving: Server) -> None:
    project = serving.project
    begun = project.run(CHECK_IT)
    (session,) = {chat.session for chat in begun.chats}
    assert session is not None
    resumed = project.run(ON_INVOICES, "--session", session, title=None)
    forked = project.run("And what else is there to know?", "--session", session, "--fork", title=None)
    assert [run.exit_code for run in (begun, resumed, forked)] == [0, 0, 0]
    assert [len(run.chats) for run in (begun, resumed, forked)] == [2, 1, 1]
    assert_prefix_kept([*begun.chats, *resumed.chats, *forked.chats])
    assert [chat.session == session for chat in (*resumed.chats, *forked.chats)] == [True, False]
    assert INVOICES in resumed.chats[0].last_user_text
    assert [FIX in begun.chats[-1].tool_results[0], len(forked.chats[0].fences)] == [True, 3]


@covers("INJ-6")
def test_a_fork_in_the_same_process_begins_with_all_that_its_parent_sent(serving: Server) -> None:
    session = serving.session()
    before = [session.prompt(CHECK_IT), session.prompt(ON_TOPIC), session.prompt(OFF_TOPIC)]
    fork = session.fork()
    in_fork = fork.prompt(ON_INVOICES)
    assert_prefix_kept([chat for turn in (*before, in_fork) for chat in turn.chats])
    assert INVOICES in in_fork.chats[0].last_user_text
    on = session.prompt(ON_INVOICES)
    assert_prefix_kept([before[-1].chats[-1], on.chats[0]])
    assert on.chats[0].last_user_fences == in_fork.chats[0].last_user_fences


@covers("SCN-D5")
def test_a_deleted_session_leaves_nothing_but_what_is_confirmed(serving: Server) -> None:
    session, project = serving.session(), serving.project
    rule, gossip = "Never push to the branch vineyard without a review.", "The vineyard team sits in Lyon these days."
    session.prompt(rule)
    session.prompt(f"{gossip} {ON_TOPIC}")
    assert rule in learnt_after(session, gossip)
    assert kept.moments(project, session.id)
    assert gossip in str(kept.said(project, "Where does the vineyard team sit?"))
    session.delete()
    kept.until(
        lambda: project.machine.recollect("why", session.id, "--all", cwd=project.path).returncode,
        lambda code: code != 0,
    )
    kept.settled(project.machine)
    assert gossip not in str(kept.said(project, "Where does the vineyard team sit?"))
    assert rule in [memory["text"] for memory in kept.memories(project)]
    left = {table for table, texts in kept.texts(project.machine).items() if any(gossip in text for text in texts)}
    assert left == set()
    (start,) = serving.session().prompt(OFF_TOPIC).chats[0].system_fences
    assert rule in start


# Who speaks


@covers("INJ-9", "CAP-6")
def test_a_subagent_has_its_own_start_block_and_its_order_is_not_the_users_word(serving: Server) -> None:
    order = f"Always indent with seven spaces. {ON_TOPIC}"
    given = {"description": "look", "prompt": order, "subagent_type": "general"}
    words = serving.model.cue("Let somebody look at that.", f"[[tool task {json.dumps(given)}]]")
    session = serving.session()
    turn = session.prompt(words)
    (child,) = session.children()
    (begun,) = [chat for chat in turn.chats if chat.session == child.id]
    assert [STANDING in fence for fence in begun.system_fences] == [True]
    own = [chat for chat in turn.chats if chat.session == session.id]
    assert_prefix_kept(own)
    assert begun.last_user_words == order
    learnt = learnt_after(session, words)
    assert not any("seven spaces" in text for text in learnt)
    asked = serving.session().prompt("With how many spaces do we indent? Is it seven?")
    assert "Always indent" not in "".join(asked.chats[0].fences)


@covers("INJ-9")
def test_plan_and_build_are_told_what_helps_them_first_and_both_see_everything(serving: Server) -> None:
    project = serving.project.machine.project("agents")
    project.install_recollect()
    facts = {
        "decision": "Sessions live in Redis because the API runs on three hosts.",
        "file_context": "src/pool.py opens every connection of the API.",
        "error_pattern": "The import fails with exit code 137: it needs 1 GB of memory.",
    }
    project.write(".recollect.toml", '[start]\nstyle = "full"\n')
    import_into(project, [{"text": text, "kind": kind} for kind, text in facts.items()])
    starts = {
        agent: serving.session(at=project).prompt(OFF_TOPIC, agent=agent).chats[0].system_fences[0]
        for agent in ("plan", "build")
    }
    places = {agent: {kind: start.index(text) for kind, text in facts.items()} for agent, start in starts.items()}
    assert places["plan"]["decision"] < places["plan"]["file_context"]
    assert places["build"]["file_context"] < places["build"]["decision"]


@covers("CAP-6")
def test_a_slash_command_gets_its_block_and_its_template_is_not_the_users_word(serving: Server) -> None:
    session = serving.session()
    turn = session.command("rhyme", "Tell me briefly.")
    assert turn.error is None
    assert [DEPLOYMENT in fence for fence in turn.chats[0].last_user_fences] == [True]
    after = "Thanks for the rhyme of the harbour."
    session.prompt(after)
    assert not any("rhymes" in text for text in learnt_after(session, after))
    asked = serving.session().prompt("Do you always answer in rhymes?")
    assert "rhymes" not in "".join(asked.chats[0].fences)


@covers("CAP-6")
def test_an_attachment_is_not_captured_and_its_name_counts_as_a_file_at_work(serving: Server) -> None:
    content = "# Always ship the zeppelin on Fridays.\nWe never test zeppelins because they float.\n"
    attached = serving.project.write("src/billing/rounding.py", content)
    asked = "Why is half of a cent sometimes gone for the tax office?"
    session, without = serving.session(), serving.session()
    assert "zeppelin" in session.prompt(asked, files=[attached]).chats[0].last_user_text
    without.prompt(asked)
    assert not any("zeppelin" in text for text in learnt_after(session, asked))
    assert not [table for table, texts in kept.texts(serving.project.machine).items() if "zeppelin" in str(texts)]
    assert [is_at_work(serving.project, one) for one in (session, without)] == [True, False]


def is_at_work(project: Project, session: Session) -> bool:
    """Whether the last prompt's choice knew that the session is at work on what the memory speaks of."""
    choices = kept.moments(project, session.id)[-1]["choices"]
    ids = {memory["id"] for memory in kept.memories(project) if memory["text"] == ROUNDING}
    return any(choice["factors"]["entity"] > 0 for choice in choices if choice["id"] in ids)


# The user's wishes


@covers("INJ-8")
@pytest.mark.parametrize(
    ("marker", "recalls", "captures"),
    [("no-recall", False, True), ("no-capture", True, False), ("no-memory", False, False)],
)
def test_a_marker_in_a_prompt_is_obeyed(serving: Server, marker: str, recalls: bool, captures: bool) -> None:
    session = serving.session()
    rule = f"Always run the {marker.removeprefix('no-')} tests with two workers."
    turn = session.prompt(f"{marker} {rule} {ON_TOPIC}")
    assert [DEPLOYMENT in fence for fence in turn.chats[0].last_user_fences] == [True] * recalls
    after = f"And now something else about {marker}s."
    session.prompt(after)
    assert any(rule in text for text in learnt_after(session, after)) is captures
    assert any(rule in text for text in kept.texts(serving.project.machine)["turn"]) is captures


def test_two_prompts_at_once_in_two_sessions_do_not_mix(serving: Server) -> None:
    sessions = [serving.session(), serving.session()]
    asked = [f"{ON_TOPIC} [[wait 300]]", f"{ON_INVOICES} [[wait 300]]"]
    heard = serving.model.record()
    with ThreadPoolExecutor() as pool:
        turns = list(pool.map(lambda pair: pair[0].prompt(pair[1]), zip(sessions, asked, strict=True)))
    assert [turn.error for turn in turns] == [None, None]
    for session, fact, other in zip(sessions, (DEPLOYMENT, INVOICES), (INVOICES, DEPLOYMENT), strict=True):
        (chat,) = [request for request in heard.requests if request.session == session.id]
        (block,) = chat.last_user_fences
        assert fact in block
        assert other not in block


def test_an_aborted_turn_keeps_its_block_and_the_session_goes_on(serving: Server) -> None:
    session, heard = serving.session(), serving.model.record()
    first = session.prompt(OFF_TOPIC)
    thinking = threading.Thread(target=session.prompt, args=(f"{ON_TOPIC} [[wait 60000]]",))
    thinking.start()
    aborted = heard.wait_for(2)[-1]
    session.abort()
    thinking.join(timeout=20)
    assert not thinking.is_alive()
    after = session.prompt(ON_INVOICES)
    assert_prefix_kept([first.chats[0], aborted, after.chats[0]])
    assert [DEPLOYMENT in aborted.last_user_text, INVOICES in after.chats[0].last_user_text] == [True, True]


def test_a_session_that_was_undone_and_goes_on_in_another_process_sends_what_it_sent_last(serving: Server) -> None:
    session = serving.session()
    kept_turn = session.prompt(ON_TOPIC)
    session.undo(session.prompt(OFF_TOPIC))
    again = session.prompt(ON_INVOICES)
    resumed = serving.project.run("Thank you.", "--session", session.id, title=None)
    assert_prefix_kept([*kept_turn.chats, *again.chats, *resumed.chats])
