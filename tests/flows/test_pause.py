"""While Recollect is paused: nothing is kept, nothing new is said, and what was sent before stays as it was."""

import itertools
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from recollect.domain.event import Event, StartSource
from recollect.domain.injection import Injection, QuietReason
from recollect.domain.memory import MessageId, ProjectId, SessionId
from recollect.domain.pause import Pause, PauseUnreadable
from recollect.domain.settings import Settings
from recollect.domain.transcript import Mark
from recollect.engine.learning.backfill import read_transcript
from recollect.mcp.tools import Asker, call
from recollect.store.pause_file import PauseFile
from recollect.store.sqlite.store import SqliteStore
from recollect.workspace import git
from tests.builders import (
    NOW,
    OTHER_PROJECT,
    PROJECT,
    a_draft,
    a_failure,
    a_prompt,
    a_reply,
    a_start,
    an_end,
    compacting,
)
from tests.driver import Engine
from tests.requirements import covers

DEPLOY = "How do we deploy the shop with Helm?"
HOUR = timedelta(hours=1)


@dataclass
class Stage:
    engine: Engine
    store: SqliteStore
    now: datetime = NOW

    def pause(self, hours: float | None = None, project: ProjectId | None = None) -> None:
        until = None if hours is None else self.now + hours * HOUR
        self.engine.pauses.begin(Pause(since=self.now, until=until, project=project))

    def resume(self) -> None:
        self.engine.pauses.end(None, self.now)

    def tell(self, event: Event) -> Injection:
        told = self.engine.handle(event)
        while self.engine.learn_some():
            pass
        return told

    def held(self) -> str:
        """Everything that the database says."""
        with self.store._database.read() as connection:
            return "\n".join(connection.iterdump())


@pytest.fixture
def stage(store: SqliteStore, tmp_path: Path) -> Stage:
    ticks = itertools.count()
    made = Stage(None, store)  # type: ignore[arg-type]
    pauses = PauseFile(tmp_path / "pause.json", lambda: made.now)
    made.engine = Engine(store, lambda _: Settings(), git, lambda: next(ticks) / 1000, pauses=pauses)
    made.engine.remember(a_draft("We deploy the shop with Helm."))
    return made


def test_a_session_that_begins_in_a_pause_leaves_no_trace(stage: Stage) -> None:
    stage.pause()
    before = stage.held()
    told = [
        stage.tell(a_start()),
        stage.tell(a_prompt(f"{DEPLOY} Always use xylophones.")),
        stage.tell(a_failure("xylophone: command not found")),
        stage.tell(a_reply("We play the xylophone.")),
        stage.tell(compacting()),
        stage.tell(an_end("s1", "next: tune the xylophone")),
    ]
    assert {(one.block, one.quiet) for one in told} == {("", QuietReason.PAUSED)}
    assert stage.held() == before


@covers("INJ-3")
def test_what_was_sent_before_is_said_again_and_a_message_of_the_pause_stays_bare(stage: Stage) -> None:
    start, first = stage.tell(a_start()), stage.tell(a_prompt(DEPLOY, message="m1"))
    sent = start.block or first.block
    assert "Helm" in sent
    stage.pause()
    assert stage.tell(a_start(source=StartSource.RESUME)).block == start.block
    assert stage.tell(a_prompt(DEPLOY, message="m1")).block == first.block
    assert stage.engine.replay(SessionId("s1"), [MessageId("m1")]).get(MessageId("m1"), "") == first.block
    assert stage.tell(a_prompt("Does Helm deploy the shop?", message="m2")).quiet is QuietReason.PAUSED
    stage.resume()
    stage.engine.remember(a_draft("Helm charts of the shop are in deploy/charts."))
    again = stage.tell(a_prompt("Does Helm deploy the shop?", message="m2"))
    assert (again.block, again.quiet) == ("", QuietReason.PAUSED)
    assert "Does Helm deploy" not in stage.held()
    assert "deploy/charts" in stage.tell(a_prompt("Where are the Helm charts of the shop?", message="m3")).block


def test_what_is_said_in_a_pause_is_not_kept_nor_the_answer_that_comes_after_it(stage: Stage) -> None:
    stage.tell(a_start())
    stage.pause()
    stage.tell(a_prompt("Always use xylophones for alarms.", message="m2"))
    stage.now += HOUR
    stage.resume()
    stage.now += HOUR
    stage.tell(a_reply("The xylophone is set up.", at=stage.now))
    assert "xylophone" not in stage.held()
    stage.tell(a_prompt("Always use trumpets for alarms.", message="m3", at=stage.now))
    assert "trumpets" in stage.held()


def test_a_copy_that_begins_in_a_pause_carries_what_its_original_was_sent(stage: Stage) -> None:
    start = stage.tell(a_start(host="opencode"))
    assert start.block
    stage.pause()
    fork = a_start("s2", source=StartSource.FORK, parent=SessionId("s1"), host="opencode")
    assert stage.tell(fork).block == start.block


def test_a_pause_ends_by_itself_and_counts_for_its_project_alone(stage: Stage) -> None:
    stage.pause(hours=1, project=OTHER_PROJECT)
    assert stage.tell(a_prompt(DEPLOY)).block
    stage.pause(hours=1, project=PROJECT)
    assert stage.tell(a_prompt(DEPLOY, session="s2", at=NOW)).quiet is QuietReason.PAUSED
    stage.now += 1.01 * HOUR
    assert stage.tell(a_prompt(DEPLOY, session="s3", at=stage.now)).block


def test_what_a_host_tells_late_of_a_pause_is_not_kept(stage: Stage) -> None:
    stage.pause()
    stage.now += HOUR
    stage.resume()
    assert stage.tell(a_prompt("Always use xylophones.", at=NOW + HOUR / 2)).quiet is QuietReason.PAUSED
    assert "xylophone" not in stage.held()


def test_an_old_session_is_read_without_what_was_said_in_a_pause(stage: Stage) -> None:
    stage.pause()
    stage.now += HOUR
    stage.resume()
    events: list[Event] = [
        a_prompt("Please look at the ledger first.", session="old", message="m1", at=NOW - HOUR),
        a_reply("The ledger adds up.", session="old", message="r1", at=NOW - HOUR),
        a_prompt("Always use xylophones for alarms.", session="old", message="m2", at=NOW + HOUR / 2),
        a_reply("The xylophone is set up.", session="old", message="r2", at=NOW + 2 * HOUR),
        a_prompt("Now look at the trumpets please.", session="old", message="m3", at=NOW + 3 * HOUR),
    ]
    mark = Mark(source="f", state="1")
    with stage.engine.dry_run_copy() as trial:
        tried = read_transcript(trial, mark, lambda: events, now=NOW + 4 * HOUR, project=PROJECT)
    assert (tried.turns, tried.unwanted) == (3, 2), "a dry run counts the same"
    done = stage.engine.backfill(mark, lambda: events, now=NOW + 4 * HOUR, project=PROJECT)
    assert (done.turns, done.unwanted) == (3, 2)
    assert "xylophone" not in stage.held()
    (Path(stage.engine.pauses._path)).write_text("{")  # type: ignore[attr-defined]
    with pytest.raises(PauseUnreadable, match="resume"):
        stage.engine.backfill(Mark(source="g", state="1"), lambda: events, now=NOW + 4 * HOUR, project=PROJECT)


def test_an_agents_tools_answer_that_it_is_paused(stage: Stage) -> None:
    asker = Asker(session=SessionId("s1"), at=NOW)
    stage.pause()
    for tool, given in (
        ("search", {"query": "Helm"}),
        ("add", {"text": "We use xylophones.", "kind": "decision", "scope": "universal"}),
        ("profile", {"about": "recent"}),
    ):
        assert call(stage.engine, asker, tool, given).code == "paused"
    assert "xylophone" not in stage.held()
    stage.resume()
    assert call(stage.engine, asker, "profile", {"about": "recent"}).code is None
