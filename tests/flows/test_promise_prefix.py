"""What was sent is never rewritten: each request begins with all of the one before it, byte for byte."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from recollect.domain.event import Carriers, StartSource
from recollect.domain.memory import Kind, MemoryId, MessageId, SessionId
from recollect.store.sqlite.store import SqliteStore
from tests.builders import (
    NOW,
    a_draft,
    a_failure,
    a_prompt,
    a_question,
    a_reply,
    a_start,
    an_end,
    compacted,
    compacting,
)
from tests.driver import Engine
from tests.flows.conftest import engine_on
from tests.flows.test_tool_error import FAILED, a_fix
from tests.requirements import covers

TOPICS = {
    "auth": ("The auth token lives 15 minutes.", "How long does the auth token live?"),
    "helm": ("Helm deployment goes through staging.", "How does the Helm deployment go?"),
    "invoices": ("Invoices use the slow queue.", "Which queue do the invoices use?"),
    "search": ("Search results are cached for a minute.", "How long are search results cached?"),
    "mail": ("Mail templates lie in the mail folder.", "Where do the mail templates lie?"),
    "parser": ("The parser reads tabs as four blanks.", "How does the parser read tabs?"),
}
ASKED = [ask for _, ask in TOPICS.values()]
PROMPTS = [*ASKED, "ok", "continue", *reversed(ASKED), *ASKED]


class Host:
    """As a client sends its requests: the system prompt, and every message so far with what it carries."""

    def __init__(self, open_engine: Callable[[], Engine], *, says_what_is_live: bool) -> None:
        self._open = open_engine
        self.engine = open_engine()
        self._says = says_what_is_live
        self._session = SessionId("s1")
        self._said: list[tuple[MessageId, str, str]] = []  # id, role, text
        self.requests: list[bytes] = []
        self.start()

    def start(self, source: StartSource = StartSource.STARTUP) -> None:
        self.system = self.engine.handle(a_start(source=source)).block

    def restart(self) -> None:
        """The host and the daemon begin anew: all they have is the file, and the conversation."""
        self.engine = self._open()
        self.start(StartSource.RESUME)

    def say(self, text: str) -> None:
        message = MessageId(f"u{len(self._said)}")
        self._said.append((message, "user", text))
        live = self._carriers()
        self.engine.handle(a_prompt(text, message=message, live=live, confirms=self._says))
        if self._says:
            self.engine.store.confirm(self._session, [message])
        self.request()
        self._answer(f"Reply to {text}")

    def fail(self, error: str) -> None:
        message = MessageId(f"t{len(self._said)}")
        self._said.append((message, "tool", error))
        self.engine.handle(a_failure(error, message=message, call="c", live=self._carriers(), confirms=self._says))
        if self._says:
            self.engine.store.confirm(self._session, [f"{message}/c"])
        self.request()

    def request(self) -> None:
        messages = [message for message, _, _ in self._said]
        blocks = self.engine.replay(self._session, messages)
        on_tools = self.engine.replay_tools(self._session, messages)
        carried = {
            message: blocks.get(message, "") + "".join(on_tools.get(message, {}).values()) for message in messages
        }
        parts = [f"<system>{self.engine.handle(a_start(source=StartSource.RESUME)).block}"]
        parts += [f"<{role} {message}>{text}\n{carried[message]}" for message, role, text in self._said]
        self.requests.append("".join(parts).encode())

    def _answer(self, text: str) -> None:
        message = MessageId(f"a{len(self._said)}")
        self._said.append((message, "assistant", text))
        self.engine.handle(a_reply(text, message=message))

    def _carriers(self) -> Carriers:
        return (None, *(message for message, _, _ in self._said[:-1])) if self._says else None


@pytest.fixture
def host(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Host]:
    opened: list[SqliteStore] = []

    def open_engine() -> Engine:
        for store in opened:
            store.close()
        opened.append(SqliteStore(tmp_path / "data" / "recollect.db"))
        return engine_on(opened[-1])

    engine = open_engine()
    for name, (text, _) in TOPICS.items():
        engine.remember(a_draft(text, id=MemoryId(name), days_old=90))
    engine.remember(a_draft("Always use type hints.", kind=Kind.PREFERENCE, id=MemoryId("hints")))
    engine.remember(a_fix())
    yield Host(open_engine, says_what_is_live=request.param)
    opened[-1].close()


both = pytest.mark.parametrize(
    "host", [False, True], ids=["appending host", "host that says what is live"], indirect=True
)


@covers("INJ-6")
@both
def test_over_twenty_turns_every_request_begins_with_the_one_before_it(host: Host) -> None:
    start = host.system
    for number, prompt in enumerate(PROMPTS):
        if number == 4:
            store = host.engine.store
            assert isinstance(store, SqliteStore)
            host.engine.remember(a_draft("The auth token lives 60 minutes.", id=MemoryId("new")))
            old = store.get(MemoryId("auth"))
            assert old is not None
            store.update(replace(old, superseded_by=MemoryId("new"), valid_to=NOW))
        if number == 6:
            host.fail(FAILED)
        if number == 9:
            host.restart()
        if number == 12:
            host.engine.handle(a_question("mail templates"))
            host.engine.remember(a_draft("Never use globals.", kind=Kind.PREFERENCE))
        if number == 15:
            host.engine.handle(an_end("s1", "next: ship it"))
            host.start(StartSource.RESUME)
        host.say(prompt)
        assert host.system == start
    assert len(host.requests) == 21
    for before, after in zip(host.requests, host.requests[1:], strict=False):
        assert after.startswith(before)
    last = host.requests[-1].decode()
    assert last.count("<recollect>") >= 8
    assert last.count("; replaces auth)") == 1
    for text, _ in TOPICS.values():
        assert last.count(text) == 1


@both
def test_the_stable_block_changes_at_compaction_only(host: Host) -> None:
    start = host.system
    host.say(ASKED[0])
    host.engine.remember(a_draft("Never use globals.", kind=Kind.PREFERENCE))
    for source in (StartSource.STARTUP, StartSource.RESUME):
        host.start(source)
        assert host.system == start
    host.restart()
    assert host.system == start
    host.engine.handle(compacting())
    host.start()
    assert host.system == start, "only asked for a summary"
    host.engine.handle(compacted())
    host.start()
    assert "globals" in host.system
    again = host.system
    host.engine.remember(a_draft("Never use singletons.", kind=Kind.PREFERENCE))
    host.restart()
    assert host.system == again


@covers("INJ-10")
def test_a_message_that_went_out_bare_stays_bare(tmp_path: Path) -> None:
    """It was offered a block that came too late; the next one is asked what is live without it."""
    store = SqliteStore(tmp_path / "data" / "recollect.db")
    engine = engine_on(store)
    engine.remember(a_draft(TOPICS["auth"][0], days_old=90))
    assert engine.handle(a_prompt(ASKED[0], message="m1", confirms=True, live=(None,))).block
    assert engine.handle(a_prompt(ASKED[0], message="m2", confirms=True, live=(None,))).block
    engine.store.confirm(SessionId("s1"), [MessageId("m2")])
    store.close()
    store = SqliteStore(tmp_path / "data" / "recollect.db")
    assert list(engine_on(store).replay(SessionId("s1"), [MessageId("m1"), MessageId("m2")])) == ["m2"]
    store.close()
