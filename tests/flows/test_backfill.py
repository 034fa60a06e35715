"""Old sessions: archived and learnt from once, whatever ends the reading."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect.capture.session import Listener
from recollect.domain.event import Event, Prompt, Reply, SessionEnded, SessionStarted, ToolFailed, ToolSucceeded
from recollect.domain.learning import Origin, Proposal
from recollect.domain.memory import MessageId, ProjectId, SessionId
from recollect.domain.settings import Archive, Capture, Settings
from recollect.domain.transcript import Mark
from recollect.engine.engine import dry_run
from recollect.engine.learning import backfill
from recollect.engine.learning.backfill import BATCH_EVENTS, BackfillResult
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, PROJECT, a_draft, a_prompt, a_reply, a_start, an_end
from tests.counting import count_turns
from tests.driver import Engine
from tests.flows.conftest import engine_on
from tests.requirements import covers

LATER = NOW + timedelta(days=1)
FILE = Mark(source="a file", state="as it is")


def session(turns: int = 4, name: str = "old", **about: Any) -> list[Event]:
    """Its user asks, a command fails and then works, the agent answers."""
    known: dict[str, Any] = {"session": SessionId(name), "host": "claude-code", "folder": None} | about
    events: list[Event] = [SessionStarted(at=NOW, **known)]
    for number in range(turns // 2):
        told = known | {"at": NOW + timedelta(seconds=number + 1)}
        command = {"command": f"make part{number}"}
        error = f"make: *** No rule to make target 'part{number}'. Stop."
        events += [
            Prompt(message=MessageId(f"p{number}"), text=f"Please build part {number} of the importer.", **told),
            ToolFailed(tool="Bash", input=command, error=error, call=f"a{number}", **told),
            ToolSucceeded(tool="Edit", input={"file_path": "Makefile"}, output="ok", call=f"b{number}", **told),
            ToolSucceeded(tool="Bash", input=command, output="built", call=f"c{number}", **told),
            Reply(message=MessageId(f"r{number}"), text=f"Part {number} is built: the target was missing.", **told),
        ]
    return [*events, SessionEnded(at=NOW + timedelta(seconds=turns), **known)]


def read(engine: Engine, events: list[Event], file: Mark = FILE, project: ProjectId | None = PROJECT) -> BackfillResult:
    return engine.backfill(file, lambda: events, now=LATER, project=project)


def everything(store: SqliteStore, engine: Engine) -> list[Any]:
    """All that reading leaves behind."""
    turns = store.turns(range(1, count_turns(store) + 1))
    memories = sorted((memory.text, memory.seen, memory.mentions) for memory in engine.all_memories())
    sessions = [store.session(SessionId(name)) for name in ("old", "other")]
    recaps = [store.recap(SessionId(name)) for name in ("old", "other")]
    return [turns, memories, sessions, recaps, store.find_mark(FILE.source)]


@covers("IMP-1")
def test_an_old_session_is_archived_with_its_project_and_its_times(store: SqliteStore, engine: Engine) -> None:
    done = read(engine, session())
    assert (done.turns, done.known, done.unwanted, done.sessions) == (4, 0, 0, {"old"})
    found = engine.recall_turns("build part importer", PROJECT, limit=10)
    assert {hit.turn.at for hit in found} == {NOW + timedelta(seconds=1), NOW + timedelta(seconds=2)}
    kept = store.session(SessionId("old"))
    assert kept is not None
    assert (kept.project, kept.started_at, kept.ended_at) == (PROJECT, NOW, NOW + timedelta(seconds=4))


@covers("IMP-1")
def test_what_it_teaches_is_learnt(engine: Engine) -> None:
    done = read(engine, session())
    assert done.learnt
    assert any("No rule to make target" in f"{memory.title} {memory.text}" for memory in engine.all_memories())


@covers("IMP-1")
def test_reading_it_again_changes_nothing(store: SqliteStore, engine: Engine) -> None:
    read(engine, session(20))
    before = everything(store, engine)
    again = read(engine, session(20))
    assert again.was_finished
    assert everything(store, engine) == before


@covers("IMP-1")
@pytest.mark.parametrize("ended_after", [0, 1, BATCH_EVENTS - 1, BATCH_EVENTS, 2 * BATCH_EVENTS + 7, 10_000])
def test_ended_in_the_midst_and_read_again_it_is_as_if_nothing_had_ended_it(ended_after: int) -> None:
    events = session(40)

    def broken() -> Iterator[Event]:
        yield from events[:ended_after]
        raise KeyboardInterrupt

    whole, interrupted = SqliteStore(None), SqliteStore(None)
    read(engine_on(whole), events)
    with pytest.raises(KeyboardInterrupt):
        engine_on(interrupted).backfill(FILE, broken, now=LATER, project=PROJECT)
    read(engine_on(interrupted), events)
    assert everything(interrupted, engine_on(interrupted)) == everything(whole, engine_on(whole))


def test_a_session_that_went_on_adds_what_is_new(store: SqliteStore, engine: Engine) -> None:
    read(engine, session(10))
    learnt = {memory.text: memory.seen for memory in engine.all_memories()}
    done = read(engine, session(14), replace(FILE, state="longer"))
    assert (done.turns, count_turns(store)) == (4, 14)
    assert {memory.text: memory.seen for memory in engine.all_memories()}.items() >= learnt.items()


def test_another_transcript_in_the_same_place_is_read_from_its_beginning(store: SqliteStore, engine: Engine) -> None:
    read(engine, session(10))
    done = read(engine, session(6, name="other"), replace(FILE, state="changed"))
    assert (done.turns, done.sessions, count_turns(store)) == (6, {"other"}, 16)


@covers("IMP-1")
def test_a_session_that_was_captured_while_it_went_on_stays_as_it_is(store: SqliteStore, engine: Engine) -> None:
    live: dict[str, Any] = {"session": "old", "host": "opencode", "at": NOW - timedelta(minutes=1)}
    engine.handle(a_prompt("Please build part 0 of the importer.", message="p0", **live))
    engine.handle(a_reply("It is built.", message=MessageId("r0"), **live))
    while engine.learn_some():
        pass
    before = everything(store, engine)[:4]
    done = read(engine, session())
    assert (done.turns, bool(done.learnt)) == (0, False)
    assert everything(store, engine)[:4] == before


def test_a_session_of_which_only_the_start_is_known_is_read(engine: Engine) -> None:
    engine.handle(SessionStarted(session=SessionId("old"), at=NOW - timedelta(minutes=1), project=PROJECT))
    assert read(engine, session()).turns == 4


def test_the_same_session_in_a_second_file_counts_once(store: SqliteStore, engine: Engine) -> None:
    read(engine, session())
    before = everything(store, engine)
    done = read(engine, session(), Mark(source="an export of it", state="x"))
    assert (done.turns, bool(done.learnt)) == (0, False)
    assert everything(store, engine) == before


@covers("IMP-1", "INJ-8")
def test_what_its_user_did_not_want_kept_is_not_kept(store: SqliteStore, engine: Engine) -> None:
    said = {"p1": "no-capture The password is in the vault.", "p3": "no-memory-session And the rest too."}
    events = [
        replace(event, text=said.get(event.message, event.text)) if isinstance(event, Prompt) else event
        for event in session(8)
    ]
    done = read(engine, events)
    texts = [turn.text for turn in store.turns(range(1, count_turns(store) + 1)) if turn is not None]
    assert (done.turns, done.unwanted) == (4, 4)
    assert not any("vault" in text or "Part 1" in text or "Part 3" in text for text in texts)
    kept = store.session(SessionId("old"))
    assert kept is not None
    assert not kept.captures


@pytest.mark.parametrize(
    ("settings", "turns"),
    [
        (Settings(capture=Capture(enabled=False)), 0),
        (Settings(archive=Archive(days=0)), 0),
        (Settings(archive=Archive(days=365)), 4),
    ],
)
def test_settings_hold_for_old_sessions_too(store: SqliteStore, settings: Settings, turns: int) -> None:
    engine = engine_on(store, settings)
    assert read(engine, session()).turns == turns
    assert bool(list(engine.all_memories())) == settings.capture.enabled


def test_what_is_older_than_the_archive_is_learnt_from_and_not_archived(store: SqliteStore, engine: Engine) -> None:
    done = engine.backfill(FILE, session, now=NOW + timedelta(days=400), project=PROJECT)
    assert (done.turns, done.unwanted, count_turns(store)) == (0, 4, 0)
    assert (done.outdated, done.outdated_sessions, done.oldest_at) == (4, {"old"}, session()[1].at)
    assert done.learnt


def test_secrets_private_parts_and_our_own_blocks_are_not_kept(engine: Engine) -> None:
    events = session(2)
    key = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    text = f"Use {key} here. <private>My salary.</private> <recollect>old</recollect> Then build the importer."
    read(engine, [replace(event, text=text) if isinstance(event, Prompt) else event for event in events])
    (hit, *_) = engine.recall_turns("build importer", PROJECT, limit=5)
    assert key not in hit.turn.text
    assert "salary" not in hit.turn.text
    assert "old" not in hit.turn.text


def test_what_the_host_said_in_the_users_name_is_not_archived(store: SqliteStore, engine: Engine) -> None:
    events = session(2)
    read(engine, [replace(e, origin=Origin.NOTIFICATION) if isinstance(e, Prompt) else e for e in events])
    assert count_turns(store) == 1


def test_the_folder_of_a_session_names_its_project(engine: Engine, tmp_path: Path) -> None:
    read(engine, session(folder=str(tmp_path)))
    assert engine.recall_turns("build importer", engine.resolve(str(tmp_path)).project, limit=5)


def test_a_session_whose_name_looks_like_a_secret_is_left_out(store: SqliteStore, engine: Engine) -> None:
    done = read(engine, session(name="ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"))
    assert (done.turns, done.unwanted, count_turns(store)) == (0, 4, 0)


def test_a_rehearsal_keeps_nothing(store: SqliteStore, engine: Engine) -> None:
    with dry_run(engine.store):
        assert read(engine, session()).turns == 4
    assert (count_turns(store), store.find_mark(FILE.source), list(engine.all_memories())) == (0, None, [])


@covers("INJ-8")
def test_an_opt_out_while_its_transcript_is_read_stays(
    store: SqliteStore, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = Listener.hear

    def opts_out_meanwhile(listener: Listener, event: Event) -> list[Proposal]:
        session = store.session(event.session)
        if session is not None and session.captures:
            store.keep_session(replace(session, captures=False))
        return heard(listener, event)

    monkeypatch.setattr(Listener, "hear", opts_out_meanwhile)
    read(engine, [a_start(), a_prompt("Our auth uses JWT."), an_end()])
    ended = store.session(SessionId("s1"))
    assert ended is not None
    assert (ended.captures, ended.ended_at is not None) == (False, True)


def test_a_damaged_session_keeps_no_other_one_from_being_read(store: SqliteStore, engine: Engine) -> None:
    engine.handle(a_start("s1"))
    with store._database.write() as connection:
        connection.execute("UPDATE session SET started_ms = 4611686018427387904 WHERE id = 's1'")
    read(engine, [a_prompt("Our auth uses JWT."), a_prompt("We deploy with Helm.", session="s2")])
    assert [turn.turn.session for turn in engine.recall_turns("Helm", PROJECT, limit=9)] == ["s2"]


@pytest.mark.parametrize("ending", [False, True])
@covers("CAP-5", "IMP-1")
def test_what_is_purged_elsewhere_between_two_batches_costs_no_learning(
    store: SqliteStore, engine: Engine, monkeypatch: pytest.MonkeyPatch, ending: bool
) -> None:
    events = session(2)
    at = events[-1 if ending else 4]  # the command that works, or the end
    heard, times = Listener.hear, iter(range(1))

    def purges_meanwhile(listener: Listener, event: Event) -> list[Proposal]:
        if event == at:
            for _ in times:
                store.purge([engine.remember(a_draft("Something else.")).memory.id])
        return heard(listener, event)

    other = SqliteStore(None)
    monkeypatch.setattr(backfill, "BATCH_EVENTS", 3)
    read(engine_on(other), events)
    expected = everything(other, engine_on(other))
    monkeypatch.setattr(Listener, "hear", purges_meanwhile)
    read(engine, events)
    assert everything(store, engine) == expected
    assert expected[1], "something was learnt"
    other.close()
