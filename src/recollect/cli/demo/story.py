"""The demo's story: three sessions of a small web service, as the events that a host sends. Data; the clock is its own.

Nothing is taught by hand: what later sessions know, the engine learnt from these events.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from recollect.domain.event import (
    Compacted,
    Compacting,
    Event,
    Prompt,
    Reply,
    SessionEnded,
    SessionStarted,
    StartSource,
    ToolFailed,
    ToolSucceeded,
)
from recollect.domain.memory import MessageId, ProjectId, SessionId

TITLE = "shop-api, a small web service: what Recollect learns on Monday helps on Tuesday"
OLDER = "January: an older session"
FIRST = "Monday: you work as usual, and Recollect learns from it"
SECOND = "Tuesday: a new session starts with what matters"
PROJECT = ProjectId("git:example.org/shop-api")
SUMMARY = "The receipt is now sent after the event id is stored. All tests pass."


def older_session() -> Iterator[Event]:
    talk = StoryTalk("january", datetime(2026, 1, 19, 10, 0, tzinfo=UTC))
    yield talk.start()
    yield talk.prompt(
        "Receipts are sent twice. We decided to handle each payment webhook once, by its event id, "
        "because the provider retries for three days."
    )
    yield talk.tool("edit", filePath="src/webhooks.ts")
    yield talk.tool("bash", "Tests: 12 passed, 12 total", command="pnpm test")
    yield talk.reply("A repeated event id is ignored now.")
    yield talk.end()


def first_session() -> Iterator[Event]:
    talk = StoryTalk("monday", datetime(2026, 3, 2, 9, 0, tzinfo=UTC))
    yield talk.start()
    yield talk.prompt("Add a login route. Always use pnpm here, never npm.")
    yield talk.reply("Should I keep sessions in Redis or in Postgres?")
    yield talk.prompt("We decided to keep sessions in Postgres, because we don't want a second server to run.")
    yield talk.tool("edit", filePath="src/login.ts")
    yield talk.failure("pnpm test", _connection_refused("POST /login sets a cookie", node_line=1555))
    yield talk.tool("bash", "Container shop-api-db-1 Started", command="docker compose up -d db")
    yield talk.tool("bash", "Tests: 31 passed, 31 total", command="pnpm test")
    yield talk.tasks(done="Add POST /login", pending="Limit login attempts per IP")
    yield talk.reply("Login works and all tests pass.")
    yield talk.end()


def second_session() -> Iterator[Event]:
    talk = StoryTalk("tuesday", datetime(2026, 3, 3, 14, 0, tzinfo=UTC))
    yield talk.start()
    yield talk.prompt("A customer got two receipts for one payment. Check the webhook.")
    yield talk.tool("edit", filePath="src/webhooks.ts")
    yield talk.failure("pnpm test", _connection_refused("POST /webhooks skips a repeat", node_line=1607))
    yield talk.tool("bash", "Container shop-api-db-1 Started", command="docker compose up -d db")
    yield talk.tool("bash", "Tests: 32 passed, 32 total", command="pnpm test")
    yield talk.reply("The receipt was sent before the event id was stored. Fixed.")
    yield talk.prompt("Which emoji fits a release announcement?")
    yield talk.reply("A rocket.")
    yield talk.compacting()
    yield talk.compact()
    yield talk.start(StartSource.COMPACT)
    yield talk.prompt("Add a test: the same payment webhook arrives twice.")
    yield talk.reply("Added: the second one is ignored, and one receipt is sent.")
    yield talk.end()


class StoryTalk:
    def __init__(self, session: str, at: datetime) -> None:
        self._session = SessionId(session)
        self._at = at
        self._count = 0

    def start(self, source: StartSource = StartSource.STARTUP) -> Event:
        return SessionStarted(**self._about(), source=source)

    def prompt(self, text: str) -> Event:
        return Prompt(**self._about(), message=self._message, text=text)

    def reply(self, text: str) -> Event:
        return Reply(**self._about(), message=self._message, text=text, final=True)

    def tool(self, name: str, output: str = "", **given: Any) -> Event:
        return ToolSucceeded(**self._about(), tool=name, input=given, output=output)

    def failure(self, command: str, error: str) -> Event:
        about = self._about()
        return ToolFailed(
            **about, tool="bash", input={"command": command}, error=error, message=self._message, call=self._message
        )

    def tasks(self, *, done: str, pending: str) -> Event:
        items = [{"content": done, "status": "completed"}, {"content": pending, "status": "pending"}]
        return self.tool("todowrite", todos=items)

    def compacting(self) -> Event:
        return Compacting(**self._about())

    def compact(self) -> Event:
        return Compacted(**self._about(), summary=SUMMARY)

    def end(self) -> Event:
        return SessionEnded(**self._about())

    @property
    def _message(self) -> MessageId:
        return MessageId(f"{self._session}-{self._count}")

    def _about(self) -> dict[str, Any]:
        self._count += 1
        at = self._at + timedelta(minutes=self._count)
        return {"session": self._session, "at": at, "host": "demo", "project": PROJECT, "language": "typescript"}


def _connection_refused(test: str, *, node_line: int) -> str:
    """The same error each time, though the test and the line differ."""
    return (
        f"FAIL {test}\n"
        "    Error: connect ECONNREFUSED 127.0.0.1:5432\n"
        f"      at TCPConnectWrap.afterConnect [as oncomplete] (node:net:{node_line}:16)\n"
        "Tests: 1 failed, 30 passed, 31 total"
    )
