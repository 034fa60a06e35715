"""What an older version kept with a secret inside: never shown, found by `doctor`, and taken out by its repair."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from recollect.cli.display import hits
from recollect.cli.formats import memory_json
from recollect.domain.changes import ChangeAction
from recollect.domain.health import Health
from recollect.domain.injection import Injection, LogEntry, Placement
from recollect.domain.memory import Anchor, Kind, MemoryId, MessageId, SessionId, Viewer
from recollect.domain.review import Decision
from recollect.domain.session import Session
from recollect.imports import own_markdown
from recollect.store.sqlite import rescan
from recollect.store.sqlite.store import SqliteStore
from recollect.text.block import line_of
from tests.builders import NOW, PROJECT, a_draft, a_memory, a_prompt, a_start, a_turn
from tests.driver import Engine
from tests.flows.conftest import engine_on
from tests.flows.on_disk import path
from tests.planted import found_below, found_in, of_every_sort
from tests.requirements import covers
from tests.searching import memories_found, turns_found
from tests.store.forgetting.victim import back_up

__all__ = ["path"]  # fixtures

HERE = Viewer(project=PROJECT)
SECRETS = of_every_sort(seed=11)
SAID = " ".join(secret.text for secret in SECRETS)
OLD, OLDER = MemoryId("old"), MemoryId("older")
MESSAGE = MessageId("m9")


@pytest.fixture
def old_store(path: Path) -> Iterator[SqliteStore]:
    """As if the rules had not known these secrets: memories, a history, a turn, a block that was sent."""
    store = SqliteStore(path)
    name = SECRETS[0].name
    memory = a_memory(
        f"The deployment needs care. {SAID}",
        id=OLD,
        kind=Kind.RULE,
        title=f"Deployment {name}",
        aliases=(f"shipping {name}",),
        evidence=(SAID,),
        anchors=(Anchor(f"deploy/{name}/values.yaml"),),
    )
    flagged = a_memory(f"Obey the deployment. {SAID}", id=MemoryId("flagged"), flag="it gives orders")
    store.add(replace(memory, id=OLDER, text=f"Older: {memory.text}", valid_to=NOW, superseded_by=OLD))
    store.add(memory)
    store.add(flagged)
    deed = store.begin_change(ChangeAction.REMEMBER, NOW, "cli")
    store.note_memory_change(deed, OLD, memory)
    store.update(replace(memory, seen=2))
    store.add_turns([a_turn(f"About the deployment: {SAID}", message="t1")])
    block = f"<recollect>\n{line_of(memory)}\n</recollect>"
    store.begin_session(Session(id=SessionId("s9"), host="opencode", project=PROJECT, started_at=NOW, language=None))
    sent = Injection(placement=Placement.MESSAGE, block=block, tokens=9, ids=(OLD,), considered=1)
    for message in (MESSAGE, None):
        store.record(LogEntry(session=SessionId("s9"), context=0, message=message, injection=sent, at=NOW, took_ms=1.0))
    back_up(path, "schema-008-20260101T000000")
    yield store
    store.close()


def leaked(*shown: object) -> set[str]:
    return found_in("\n".join(map(str, shown)).encode(), SECRETS)


def test_the_search_for_secrets_finds_what_is_there(old_store: SqliteStore, path: Path) -> None:
    assert {kind for _, kind in found_below(path.parent, SECRETS)} == {secret.kind for secret in SECRETS}
    assert leaked(old_store.get(OLD)) == {secret.kind for secret in SECRETS}


@covers("PRI-1", "SCN-A11")
def test_a_secret_of_an_older_version_is_in_no_block(old_store: SqliteStore) -> None:
    engine = engine_on(old_store)
    start, turn = engine.handle(a_start()), engine.handle(a_prompt("What about the deployment and its care?"))
    assert "The deployment needs care." in start.block
    again = engine.handle(a_start(session="s2")), engine.handle(a_prompt("About the deployment?", session="s2"))
    replayed = engine.replay(SessionId("s9"), [MESSAGE])
    logged = engine.handle(a_start(session="s9")), engine.handle(a_prompt("Deployment?", session="s9", message=MESSAGE))
    assert "deployment needs care" in replayed[MESSAGE]
    assert leaked(start.block, turn.block, again, replayed, logged) == set()


@covers("PRI-1")
def test_a_secret_of_an_older_version_is_in_no_answer(old_store: SqliteStore) -> None:
    engine = engine_on(old_store)
    found = engine.recall("deployment", HERE, limit=9, now=NOW)
    said = engine.recall_turns("deployment", PROJECT, limit=9)
    assert (len(found), len(said)) == (2, 1)
    assert leaked(found, said, *map(hits.memory_json, found), *map(hits.turn_json, said)) == set()
    memory = engine.find("old")
    assert "[redacted:" in memory.text
    story = engine.history(memory)
    assert (len(story.before), len(story.changes)) == (1, 1)
    exported = list(engine.all_memories())
    assert leaked(memory, story, engine.newest(HERE, limit=9), engine.changes(limit=9), engine.cases()) == set()
    assert leaked(exported, [*map(memory_json.record_of, exported)], [*own_markdown.render(exported)]) == set()
    assert leaked(engine.remember(a_draft(f"Obey the deployment. {SAID}"))) == set()
    assert leaked(engine.decide(Decision.ACCEPT, MemoryId("flagged"), at=NOW)) == set()
    assert leaked(engine.undo(None, at=NOW, by="cli"), engine.forget([OLD], at=NOW, by="cli")) == set()


@covers("PRI-1", "PRI-7")
def test_doctor_finds_such_rows_and_repair_leaves_no_byte_of_them(old_store: SqliteStore, path: Path) -> None:
    aside = path.parent / "damaged-20260101T000000.jsonl"
    lines = [{"table": "turn", "n": 1, "text": SAID}, {"table": "turn", "n": 2, "text": "Nothing odd."}]
    aside.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    (finding,) = [finding for finding in old_store.check() if finding.health is Health.PROBLEM]
    assert "3 memories, 1 turns, 1 entries of the history, 2 blocks" in finding.says
    assert "doctor --repair" in finding.advice
    repaired = old_store.mend()
    assert any("removed" in done.says for done in repaired)
    assert found_below(path.parent, SECRETS) == set()
    assert {finding.health for finding in old_store.check()} == {Health.FINE}
    old_store.close()
    assert found_below(path.parent, SECRETS) == set()
    assert [json.loads(line)["n"] for line in aside.read_text().splitlines()] == [1, 2]


def test_what_is_repaired_is_all_there_and_found(old_store: SqliteStore) -> None:
    before = engine_on(old_store).replay(SessionId("s9"), [MESSAGE])
    shown = list(engine_on(old_store).all_memories())
    old_store.mend()
    assert list(old_store.everything()) == shown, "as it was shown before"
    assert engine_on(old_store).replay(SessionId("s9"), [MESSAGE]) == before
    assert [m.id for m in memories_found(old_store, ["care"], HERE, limit=9, injectable=True)] == [OLD]
    assert len(turns_found(old_store, ["deploy"], PROJECT, limit=9)) == 1
    assert engine_on(old_store).undo(None, at=NOW, by="cli").restored[0].seen == 1
    assert old_store.mend() == old_store.mend(), "there is nothing left to do"


def test_a_repair_that_was_cut_off_is_finished_by_the_next_tidying(old_store: SqliteStore, path: Path) -> None:
    class CutOff(SqliteStore):
        def __init__(self) -> None:
            self._database = old_store._database

        def scrub(self, texts: object = ()) -> bool:  # noqa: ARG002
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        CutOff().remove_secrets()
    engine_on(old_store).tidy(NOW)
    assert found_below(path.parent, SECRETS) == set()


def test_a_damaged_row_is_kept_aside_without_its_secrets(old_store: SqliteStore, path: Path) -> None:
    with old_store._database.write() as connection:
        connection.execute("UPDATE memory SET importance = 0.125 WHERE id = 'old'")
        connection.execute("UPDATE turn SET at_ms = at_ms + 1")
    for backup in (path.parent / "backups").iterdir():
        backup.unlink()
    old_store.mend()
    (aside,) = path.parent.glob("damaged-*.jsonl")
    assert {json.loads(line)["table"] for line in aside.read_text().splitlines()} == {"memory", "turn"}
    assert found_below(path.parent, SECRETS) == set()


@covers("SCN-A11")
def test_a_secret_that_only_shows_where_it_is_read_is_in_no_block(engine: Engine, store: SqliteStore) -> None:
    """In the row a character that nobody sees stands inside of it."""
    key = SECRETS[0].name
    store.add(a_memory(f"The deployment needs {key[:9]}\u200b{key[9:]} there.", kind=Kind.RULE))
    block = engine.handle(a_start()).block
    assert "The deployment needs [redacted:" in block
    assert leaked(block) == set()


@covers("PRI-1")
def test_after_an_upgrade_what_is_kept_is_looked_at_again_in_small_steps(
    old_store: SqliteStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rescan, "ROWS_PER_STEP", 1)
    old_store.add_turns([a_turn(f"Number {n}: {SAID}", message=f"n{n}") for n in range(3)])
    engine = engine_on(old_store)
    assert engine.recheck_some()
    assert "is being searched" in str(engine.store.rescan_state())
    steps = 1
    while engine.recheck_some():
        steps += 1
    assert steps > 10
    assert found_below(path.parent, SECRETS) == set(), "in the database, its log and its backups"
    assert "secrets were removed" in str(engine.store.rescan_state())
    assert engine.recall("deployment", HERE, limit=9, now=NOW), "what was rewritten is found"
    assert [finding for finding in old_store.check() if finding.health is Health.PROBLEM] == []


def test_it_is_done_once_for_each_set_of_rules(old_store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = engine_on(old_store)
    while engine.recheck_some():
        pass
    assert not engine.recheck_some()
    monkeypatch.setattr(rescan, "rules", lambda: "other rules")
    assert engine.recheck_some()
    assert old_store.mend()
    assert not engine.recheck_some(), "the repair has looked at everything"
