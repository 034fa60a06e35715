"""What OpenCode's plugin tells, through the daemon's routes: every hook, also one that is told twice or comes late."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from starlette.testclient import TestClient

from recollect.daemon.app import LATE, create_app
from recollect.domain.learning import Origin
from recollect.domain.memory import Kind, SessionId, Tier
from recollect.engine.moments.start import WELCOME
from recollect.hosts.opencode import AT_WORK
from recollect.store.sqlite.store import SqliteStore
from tests.builders import a_draft
from tests.counting import count_turns
from tests.driver import Engine
from tests.flows.conftest import engine_on
from tests.flows.test_learning import RULE
from tests.requirements import covers
from tests.served import served

S1 = SessionId("ses_1")
ERROR = "npm ERR! ERESOLVE could not resolve dependency left-pad"


class Plugin:
    def __init__(self, engine: Engine) -> None:
        self._client = TestClient(create_app(served(engine)))

    def tell(self, hook: str, session: str = S1, **besides: Any) -> dict[str, Any]:
        answer = self._client.post("/v1/hosts/opencode", json={"hook": hook, "sessionID": session, **besides})
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        return told

    def prompt(self, text: str, message: str, session: str = S1, **besides: Any) -> dict[str, Any]:
        typed = [{"type": "text", "text": text}]
        return self.tell("chat.message", session, **({"messageID": message, "parts": typed} | besides))

    def fail(self, error: str, call: str, session: str = S1, **besides: Any) -> dict[str, Any]:
        state = {"status": "completed", "input": {"command": "npm i"}, "output": error, "metadata": {"exit": 1}}
        asked = {"messageID": "msg_a", "callID": call, "tool": "bash", "state": state}
        return self.tell("tool", session, **(asked | besides))

    def replay(self, *messages: str, session: str = S1) -> dict[str, Any]:
        answer: dict[str, Any] = self._client.post(
            "/v1/replay", json={"session": session, "messages": list(messages)}
        ).json()
        return answer

    def sent(self, *messages: str, session: str = S1) -> None:
        self._client.post("/v1/sent", json={"session": session, "messages": list(messages)})


@pytest.fixture
def engine(engine: Engine) -> Engine:
    engine.remember(a_draft("Always use type hints.", kind=Kind.PREFERENCE, scope="universal"))
    engine.remember(a_draft("Auth needs a token refresh.", scope="universal"))
    engine.remember(
        a_draft("Install with --legacy-peer-deps.", kind=Kind.ERROR_PATTERN, aliases=(ERROR,), scope="universal")
    )
    return engine


@pytest.fixture
def plugin(engine: Engine) -> Plugin:
    return Plugin(engine)


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def learn(engine: Engine) -> None:
    while engine.learn_some():
        pass


@covers("INJ-6")
def test_tools_are_replayed_once_their_messages_were_sent(plugin: Plugin) -> None:
    plugin.tell("session.start")
    block = plugin.fail(ERROR, "call_1")["block"]
    assert "--legacy-peer-deps" in block
    silent = plugin.fail("Segmentation fault in frobnicate_widget()", "call_2")
    assert silent["block"] == ""
    assert plugin.replay("msg_a") == {"blocks": {}}
    plugin.sent("msg_a/call_1", "msg_a/call_2")
    assert plugin.replay("msg_a") == {"blocks": {"msg_a/call_1": block, "msg_a/call_2": ""}}


@covers("INJ-6")
def test_what_is_told_twice_is_written_once_and_answered_with_the_same_bytes(
    plugin: Plugin, engine: Engine, store: SqliteStore
) -> None:
    at = now_ms()
    told: list[Callable[[], dict[str, Any]]] = [
        lambda: plugin.tell("session.start"),
        lambda: plugin.prompt("Fix auth token handling", "msg_1", at=at),
        lambda: plugin.fail(ERROR, "call_1", at=at),
        lambda: plugin.tell("reply", messageID="msg_a", text="Done.", final=True, at=at),
    ]
    first = [tell() for tell in told]
    log, waiting = store.log_of(S1), engine.store.count_waiting_events()
    engine.remember(a_draft("Auth has a second token.", scope="universal"))
    assert [tell() for tell in told] == first
    assert (store.log_of(S1), engine.store.count_waiting_events()) == (log, waiting)
    learn(engine)
    assert [tell() for tell in told] == first
    assert engine.store.count_waiting_events() == 0
    assert count_turns(store) == 2


def test_a_start_greets_who_has_no_memories_and_tells_the_others_where_to_look(plugin: Plugin) -> None:
    assert plugin.tell("session.start")["notice"] == AT_WORK
    empty = SqliteStore(None)
    assert Plugin(engine_on(empty)).tell("session.start")["notice"] == WELCOME
    empty.close()


@pytest.mark.parametrize(
    "parts",
    [
        [{"type": "text", "text": "Continue with auth token handling.", "synthetic": True}],
        [{"type": "compaction", "auto": True}],
    ],
)
def test_a_turn_that_nobody_began_brings_nothing_and_teaches_nothing(
    plugin: Plugin, engine: Engine, store: SqliteStore, parts: list[dict[str, Any]]
) -> None:
    plugin.tell("session.start")
    assert plugin.prompt("", "msg_1", parts=parts)["block"] == ""
    assert engine.store.count_waiting_events() == 0
    plugin.tell("reply", messageID="msg_a", text="Understood.", final=True)
    assert engine.store.count_waiting_events() == 1, "it is no prompt that opted out: what follows is heard"
    learn(engine)
    assert count_turns(store) == 1


def test_a_turn_that_nobody_began_does_not_end_a_wish(plugin: Plugin, engine: Engine) -> None:
    plugin.tell("session.start")
    plugin.prompt("[no-capture] Look at the keys.", "msg_1")
    learn(engine)
    plugin.prompt("", "msg_2", parts=[{"type": "compaction"}])
    plugin.tell("reply", messageID="msg_a", text="The keys are there.", final=True)
    assert engine.store.count_waiting_events() == 0


def test_the_template_of_a_command_teaches_nothing_and_is_helped_with(
    plugin: Plugin, engine: Engine, store: SqliteStore
) -> None:
    plugin.tell("session.start", directory="/")
    assert "refresh" in plugin.prompt(f"{RULE} Fix auth token handling.", "msg_1", command="fix")["block"]
    known = store.count()
    learn(engine)
    assert store.count() == known
    (waiting,) = store.past_events(S1, limit=9, waiting=True)
    assert getattr(waiting, "origin", None) is Origin.COMMAND
    plugin.prompt(RULE, "msg_2")
    learn(engine)
    assert store.count() == known + 1


def test_the_order_of_a_subagent_teaches_nothing_for_certain(
    plugin: Plugin, engine: Engine, store: SqliteStore
) -> None:
    plugin.tell("session.start")
    plugin.tell("session.start", "ses_2", parentID=S1, agent="general")
    plugin.prompt(RULE, "msg_1", "ses_2", parentID=S1, agent="general")
    learn(engine)
    child = store.session(SessionId("ses_2"))
    assert child is not None
    assert child.parent == S1
    assert store.count_learnt(SessionId("ses_2"), Tier.CONFIRMED) == 0


def test_attached_files_are_what_the_session_is_about(plugin: Plugin, engine: Engine) -> None:
    plugin.tell("session.start")
    part = {"type": "file", "path": "/home/dev/shop/auth.py", "filename": "auth.py"}
    plugin.prompt("", "msg_1", parts=[{"type": "text", "text": "look at this"}, part])
    assert engine.live.files.of(S1) == ("/home/dev/shop/auth.py",)


def test_a_deleted_session_is_gone_and_stays_gone(plugin: Plugin, store: SqliteStore) -> None:
    plugin.tell("session.start")
    plugin.prompt("Fix auth token handling", "msg_1")
    plugin.tell("session.deleted")
    assert store.session(S1) is None
    plugin.tell("reply", messageID="msg_a", text="Done.", final=True)
    plugin.tell("session.ended")
    assert store.log_of(S1) == []
    assert store.session(S1) is None


@covers("INJ-6")
def test_a_fork_has_the_bytes_of_its_parent(plugin: Plugin, engine: Engine) -> None:
    at = now_ms() - 1000
    start = plugin.tell("session.start", directory="/")["block"]
    block = plugin.prompt("Fix auth token handling", "msg_1", at=at, directory="/")["block"]
    failed = plugin.fail(ERROR, "call_1", at=at + 50, directory="/")["block"]
    plugin.sent("msg_1", "msg_a/call_1")
    engine.remember(a_draft("Never use globals.", kind=Kind.PREFERENCE, scope="universal"))
    messages = [
        {"id": "msg_f1", "at": at, "calls": []},
        {"id": "msg_f2", "at": at + 20, "calls": [{"id": "call_1", "at": at + 50}]},
    ]
    plugin.tell("session.start", "ses_2", directory="/")
    assert plugin.tell("session.start", "ses_2", directory="/", messages=messages)["block"] == start
    assert plugin.replay("msg_f1", "msg_f2", session="ses_2") == {
        "blocks": {"msg_f1": block, "msg_f2/call_1": failed},
    }


@covers("INJ-5")
def test_a_compaction_is_told_by_its_event_and_a_new_start(plugin: Plugin, engine: Engine, store: SqliteStore) -> None:
    before = plugin.tell("session.start")["block"]
    assert "refresh" in plugin.prompt("Fix auth token handling", "msg_1", live=["start"])["block"]
    engine.remember(a_draft("Never use globals.", kind=Kind.PREFERENCE, scope="universal"))
    assert "globals" in plugin.tell("session.compacting")["block"]
    at = now_ms()
    for _ in range(2):
        plugin.tell("session.compacted", summary="Nothing is left to do.", at=at)
    after = plugin.tell("session.start", source="compact")["block"]
    plugin.tell("session.compacted", summary="Nothing is left to do.", at=at)
    assert "globals" in after
    assert after != before
    assert plugin.tell("session.start")["block"] == after
    session = store.session(S1)
    assert session is not None
    assert session.context == 1
    again = plugin.prompt("Fix auth token handling", "msg_2", live=["start"])["block"]
    assert "refresh" in again, "the compaction took it"


def test_what_is_told_late_is_never_replayed(engine: Engine) -> None:
    plugin = Plugin(engine)
    plugin._client.headers[LATE] = "1"
    plugin.tell("session.start")
    assert plugin.prompt("Fix auth token handling", "msg_1")["block"]
    assert plugin.replay("msg_1")["blocks"] == {}
