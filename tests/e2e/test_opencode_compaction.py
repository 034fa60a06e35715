"""The real client compacts a session: what matters goes through the summary, and what was lost may be shown again."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from recollect.engine.moments.compaction import PREAMBLE, REQUEST
from tests.e2e.fake_model import Request, Wire, assert_prefix_kept
from tests.e2e.opencode import Server, Session
from tests.e2e.shop import BOTH, ON_INVOICES, POOL, ask, bash, memories, taught_server
from tests.e2e.shown import assert_each_once_and_within_the_caps
from tests.e2e.taught import DEPLOYMENT, INVOICES, OFF_TOPIC, ON_TOPIC, STANDING, start_daemon
from tests.requirements import covers

pytestmark = pytest.mark.paired

LEARNT = "Invoices are archived in the bucket ledger-archive, because the tax office asks for ten years of them."
SUMMARY = f"""\
## Goal
- Keep the shop's invoices.

## Worth remembering
- [decision] {LEARNT}
- [research] {DEPLOYMENT}
- [preference] {STANDING}
"""
SOON_S = 20.0  # the daemon learns in the background

Compacts = Callable[[Session, Wire], list[Request]]


@pytest.fixture(scope="module")
def _serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with taught_server(tmp_path_factory.mktemp("machine")) as server:
        first = server.session()
        first.prompt(ON_TOPIC)
        first.summarize()  # the daemon has loaded what answers this: its first time is not the subject
        yield server


@pytest.fixture
def serving(_serving: Server) -> Iterator[Server]:
    usual = _serving.model.summary
    yield _serving
    _serving.model.summary = usual
    _serving.model.assert_no_errors()


def by_hand(session: Session, wire: Wire) -> list[Request]:
    return session.summarize(wire=wire)


def by_itself(session: Session, wire: Wire) -> list[Request]:
    """The context is full: the client compacts and goes on with a turn of its own, which no hook tells of."""
    return ask(session, "Fine, go on with that list. [[usage 29000]]", wire=wire).requests[1:]


BOTH_WAYS = pytest.mark.parametrize("compacts", [by_hand, by_itself])


def asked(session: Session, wire: Wire, *prompts: str) -> list[Request]:
    return [chat for prompt in prompts for chat in ask(session, prompt, wire=wire).chats]


def only(requests: Sequence[Request]) -> Request:
    (compaction,) = [request for request in requests if request.is_compaction]
    return compaction


@covers("INJ-1", "INJ-2", "INJ-3", "INJ-5", "CAP-14", "SCN-D2", "SCN-D3")
@BOTH_WAYS
@pytest.mark.parametrize("wire", BOTH)
def test_the_summary_is_told_what_is_known_and_what_was_lost_is_shown_again_in_turns_that_keep_every_byte(
    serving: Server, wire: Wire, compacts: Compacts
) -> None:
    session = serving.session()
    before = asked(session, wire, ON_TOPIC, f"Run it. {POOL.tool}")
    assert len(before[0].system_fences) == 1
    compacted = compacts(session, wire)

    summary = only(compacted)
    told = summary.last_user_text.partition(PREAMBLE)[2]
    assert [told.count(text) for text in (DEPLOYMENT, POOL.fix, STANDING)] == [1, 1, 1]
    assert summary.prefix_text().count(PREAMBLE) == 1
    assert summary.last_user_text.count(REQUEST) == 1
    assert INVOICES not in told.splitlines()[0]
    assert summary.system_fences == []

    going_on = [request for request in compacted if request.is_chat]
    prompts = (ON_TOPIC, OFF_TOPIC, f"Look around. {bash('ls')} {POOL.tool}", ON_INVOICES, "Thanks, that is all.")
    after = asked(session, wire, *prompts)
    assert [DEPLOYMENT in fence for fence in after[0].last_user_fences] == [True]
    chats = [*going_on, *after]
    assert_prefix_kept(chats)
    for chat in chats:
        assert chat.system_fences == chats[0].system_fences
        assert_each_once_and_within_the_caps(chat)
    assert STANDING in chats[0].system_fences[0]
    shown = "\n".join(chats[-1].fences)
    assert [shown.count(text) for text in (DEPLOYMENT, POOL.fix, INVOICES)] == [1, 1, 1]


@covers("INJ-5", "SCN-D2")
@BOTH_WAYS
def test_two_compactions_in_a_row_leave_one_stable_block_and_what_was_asked_for(
    serving: Server, compacts: Compacts
) -> None:
    session = serving.session()
    asked(session, "openai", ON_TOPIC)
    summaries = [only(compacts(session, "openai")) for _ in range(2)]
    after = asked(session, "openai", ON_TOPIC, OFF_TOPIC)
    for summary in summaries:
        assert summary.prefix_text().count(PREAMBLE) == 1
    for chat in after:
        assert chat.system_fences == after[0].system_fences
        assert_each_once_and_within_the_caps(chat)
    assert [STANDING in fence for fence in after[0].system_fences] == [True]
    assert [DEPLOYMENT in fence for fence in after[0].last_user_fences] == [True]
    assert_prefix_kept(after)


@covers("CAP-14")
def test_what_the_summary_says_is_worth_remembering_is_kept_as_the_models_word_and_ours_is_not_learnt_again(
    serving: Server,
) -> None:
    before = {memory["id"] for memory in memories(serving.project)}
    serving.model.summary = SUMMARY
    session = serving.session()
    asked(session, "openai", ON_TOPIC, ON_INVOICES)
    session.summarize()
    new = learnt(serving, before)
    assert [memory["text"] for memory in new] == [LEARNT]
    assert (new[0]["tier"], new[0]["source"]["role"], new[0]["source"]["host"]) == (
        "candidate",
        "assistant",
        "opencode",
    )
    assert new[0]["source"]["session"] == session.id
    asked(session, "openai", "And what else is there to do now?")
    assert [memory["text"] for memory in learnt(serving, before)] == [LEARNT]


def learnt(server: Server, before: set[str]) -> list[dict[str, Any]]:
    """What is new, as soon as there is anything and nothing waits to be learnt from."""
    give_up = time.monotonic() + SOON_S
    while time.monotonic() < give_up:
        new = [memory for memory in memories(server.project) if memory["id"] not in before]
        if new:
            return new
        time.sleep(0.1)
    raise AssertionError(f"nothing was learnt within {SOON_S} s")


@covers("INJ-10", "SCN-D2")
@BOTH_WAYS
def test_a_compaction_without_a_daemon_goes_on_with_the_block_that_was_sent_before(
    serving: Server, compacts: Compacts
) -> None:
    machine = serving.project.machine
    command = machine.home / ".local/state/recollect/command.json"
    usual = command.read_text()
    session = serving.session()
    (before,) = asked(session, "openai", ON_TOPIC)
    command.unlink()
    assert machine.recollect("stop").returncode == 0
    try:
        compacted = compacts(session, "openai")
        bare = asked(session, "openai", OFF_TOPIC)
    finally:
        command.write_text(usual)
        start_daemon(serving.project)
    after = asked(session, "openai", ON_INVOICES, "Thanks, that is all.")
    assert PREAMBLE not in only(compacted).prefix_text()
    going_on = [request for request in compacted if request.is_chat]
    for chat in (*going_on, *bare, *after):
        assert chat.system_fences == before.system_fences
        assert_each_once_and_within_the_caps(chat)
    assert_prefix_kept([*going_on, *bare, *after])
