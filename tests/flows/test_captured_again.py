"""After an upgrade, captured memories are judged again by today's rules: once, as one deed, after a backup."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect.capture.rules_version import RULES_VERSION
from recollect.domain.changes import ChangeAction
from recollect.domain.memory import Kind, Memory, MemoryId, Mention, MessageId, Role, SessionId, Source, Tier
from recollect.domain.session import Turn
from recollect.engine.learning import rejudging
from recollect.engine.memories.remember import remember
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, PROJECT, a_draft, a_prompt
from tests.driver import Engine
from tests.flows.conftest import engine_on
from tests.requirements import covers

RULE = "Always run the migrations with alembic."
ONE_OFF = "Please look at the login page, the button is broken again."
THEN = NOW - timedelta(days=20)


def captured(
    store: SqliteStore,
    text: str,
    *,
    by: ChangeAction = ChangeAction.LEARN,
    role: Role = Role.USER,
    message: str | None = None,
    archived: bool = True,
    **given: Any,
) -> MemoryId:
    """As the first rules have left it, with the message that it comes from."""
    number = store.count()
    source = Source(role=role, host="opencode", session=SessionId(f"s{number}"), message=MessageId(f"m{number}"))
    draft = a_draft(text, id=MemoryId(f"known{number}"), days_old=20, source=source, **{"evidence": (text,), **given})
    with store.transaction():
        remember(store, draft, store.begin_change(by, THEN, "opencode", {"session": source.session}))
        if archived:
            said = message or text
            turn = Turn(
                session=SessionId(f"s{number}"),
                message=MessageId(f"m{number}"),
                project=PROJECT,
                role=role,
                text=said,
                at=THEN,
            )
            store.add_turns([turn])
    return MemoryId(f"known{number}")


def known(store: SqliteStore, memory_id: MemoryId) -> Memory:
    memory = store.get(memory_id)
    assert memory is not None
    return memory


def judged(store: SqliteStore, *memories: MemoryId) -> list[Tier]:
    engine = engine_on(store)
    while engine.do_chores(NOW):
        pass
    return [known(store, one).tier for one in memories]


@covers("CAP-13")
@pytest.mark.parametrize("archived", [True, False])
def test_what_is_said_outright_stays_and_what_was_meant_for_once_becomes_a_candidate(
    store: SqliteStore, archived: bool
) -> None:
    rule, once = captured(store, RULE, archived=archived), captured(store, ONE_OFF, archived=archived)
    assert judged(store, rule, once) == [Tier.CONFIRMED, Tier.CANDIDATE]
    assert known(store, once).is_live
    assert known(store, once).text == ONE_OFF


def test_a_rule_that_the_message_only_quotes_becomes_a_candidate(store: SqliteStore) -> None:
    pasted = captured(store, RULE, message=f"The linter of the other team prints this:\n```\n{RULE}\n```\nFix it.")
    assert judged(store, pasted) == [Tier.CANDIDATE]


@pytest.mark.parametrize("by", [ChangeAction.REMEMBER, ChangeAction.IMPORT])
def test_what_was_remembered_or_imported_stays(store: SqliteStore, by: ChangeAction) -> None:
    assert judged(store, captured(store, ONE_OFF, by=by)) == [Tier.CONFIRMED]


@pytest.mark.parametrize("by", [ChangeAction.REMEMBER, ChangeAction.REVIEW, ChangeAction.EDIT])
def test_what_a_person_or_an_agent_has_kept_since_stays(store: SqliteStore, by: ChangeAction) -> None:
    once = captured(store, ONE_OFF)
    with store.transaction():
        store.note_memory_change(store.begin_change(by, NOW, "mcp"), once, known(store, once))
    assert judged(store, once) == [Tier.CONFIRMED]


@pytest.mark.parametrize(("message", "tier"), [("other", Tier.CONFIRMED), ("m0", Tier.CANDIDATE)])
def test_what_was_said_in_two_sessions_stays_unless_the_second_is_a_copy(
    store: SqliteStore, message: str, tier: Tier
) -> None:
    said = (
        "The billing service keeps its invoices in the table `ledger` of Postgres, because the auditors read it there."
    )
    again = Source(role=Role.USER, host="opencode", session=SessionId("later"), message=MessageId(message))
    twice = captured(store, said)
    first = known(store, twice)
    at = first.created_at if message == first.source.message else NOW
    store.update(replace(first, mentions=(Mention.of(again, at),)))
    assert judged(store, twice) == [tier]


@pytest.mark.parametrize(
    ("text", "line", "tier"),
    [
        ("Tests run with `pnpm test`.", "pnpm test", Tier.CONFIRMED),
        (
            "Tests run with `pytest tests/test_login.py -k expired`.",
            "pytest tests/test_login.py -k expired",
            Tier.CANDIDATE,
        ),
    ],
)
def test_a_command_stays_unless_it_was_for_one_test(store: SqliteStore, text: str, line: str, tier: Tier) -> None:
    command = captured(
        store, text, kind=Kind.RESEARCH, role=Role.ASSISTANT, evidence=(line,), title="Command for test", archived=False
    )
    assert judged(store, command) == [tier]


@pytest.mark.parametrize(("rules", "tier"), [(None, Tier.CANDIDATE), (RULES_VERSION, Tier.CONFIRMED)])
def test_an_error_of_the_first_rules_becomes_a_candidate(store: SqliteStore, rules: int | None, tier: Tier) -> None:
    error, fix = "ModuleNotFoundError: No module named 'pydantic'", "Let me look at the settings first."
    pattern = captured(
        store,
        f"{error}: {fix}",
        kind=Kind.ERROR_PATTERN,
        role=Role.ASSISTANT,
        evidence=(error,),
        title=error,
        rules=rules,
    )
    assert judged(store, pattern) == [tier]


def test_what_was_called_useful_stays(store: SqliteStore) -> None:
    once = captured(store, ONE_OFF)
    store.note_feedback([once], 1)
    assert judged(store, once) == [Tier.CONFIRMED]


def test_words_that_refused_an_edit_stay_where_they_say_what_holds(store: SqliteStore) -> None:
    text = f"{RULE} (refused: `psql < schema.sql` Accepted: `alembic upgrade head`)"
    refused = captured(store, text, kind=Kind.CORRECTION, evidence=(RULE,), message=f"No. {RULE}")
    assert judged(store, refused) == [Tier.CONFIRMED]


@pytest.mark.parametrize(
    ("question", "taken", "tier"),
    [
        ("Where should sessions of the web client be stored?", "Redis", Tier.CONFIRMED),
        ("Which area should we look at next?", "Skip this one", Tier.CANDIDATE),
    ],
)
def test_a_choice_about_the_design_stays_and_a_menu_answer_does_not(
    store: SqliteStore, question: str, taken: str, tier: Tier
) -> None:
    chosen = captured(
        store,
        f'Chose {taken} (as discussed) over Postgres, Cookies (asked: "{question}")',
        archived=False,
        evidence=(f"{taken} (as discussed)", taken),
    )
    assert judged(store, chosen) == [tier]


def test_it_is_one_deed_that_undo_takes_back_and_it_happens_once(store: SqliteStore) -> None:
    once = [captured(store, f"{ONE_OFF} Number {number}.") for number in range(9)]
    rule = captured(store, RULE)
    before = [known(store, one) for one in (*once, rule)]
    engine = engine_on(store)
    assert set(judged(store, *once)) == {Tier.CANDIDATE}
    deed = rejudging.current_change(engine.store)
    assert deed is not None
    assert (deed.kind, deed.memories) == (ChangeAction.DEMOTE, 9)
    assert store.last_undoable() is None, "it is nothing that a person did last"
    engine.undo(deed.id, at=NOW, by="cli")
    assert [known(store, one.id) for one in before] == before
    assert rejudging.current_change(engine.store) is None
    assert set(judged(store, *once)) == {Tier.CONFIRMED}, "who wants it as before is not asked again"
    store.finish_chore(rejudging.CHORE, '{"rules": 1}')
    assert set(judged(store, *once)) == {Tier.CONFIRMED}, "nor by later rules"


def test_undo_leaves_what_was_said_again_since_and_brings_back_the_rest(store: SqliteStore) -> None:
    first, second = captured(store, ONE_OFF), captured(store, "Now fix the footer, too, it looks odd on the phone.")
    judged(store, first, second)
    engine = engine_on(store)
    engine.remember(a_draft(ONE_OFF))
    deed = rejudging.current_change(engine.store)
    assert deed is not None
    engine.undo(deed.id, at=NOW, by="cli")
    assert known(store, first).seen == 2
    assert known(store, second).tier is Tier.CONFIRMED


def test_what_a_person_approves_while_it_is_judged_stays(store: SqliteStore) -> None:
    once = captured(store, ONE_OFF)
    engine = engine_on(store)
    assert engine.do_chores(NOW), "judged, and not yet changed"
    with store.transaction():
        store.note_memory_change(store.begin_change(ChangeAction.REVIEW, NOW, "cli"), once, known(store, once))
    assert judged(store, once) == [Tier.CONFIRMED]
    assert rejudging.current_change(engine.store) is None


def test_a_step_is_small_and_another_process_goes_on_from_there(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "r.db")
    for number in range(rejudging.STEP_MEMORIES + 1):
        captured(store, f"{ONE_OFF} Number {number}.")
    assert engine_on(store).do_chores(NOW)
    assert store.count() == rejudging.STEP_MEMORIES + 1
    assert not (tmp_path / "backups").exists()
    store.close()  # as if the process had died here
    store = SqliteStore(tmp_path / "r.db")
    engine = engine_on(store)
    assert engine.do_chores(NOW)
    assert not engine.do_chores(NOW)
    deed = rejudging.current_change(engine.store)
    assert deed is not None
    assert deed.memories == rejudging.STEP_MEMORIES + 1
    store.close()
    (backup,) = (tmp_path / "backups").glob("*.db")
    before = SqliteStore(backup)
    assert known(before, MemoryId("known0")).tier is Tier.CONFIRMED
    before.close()


def test_what_fails_halfway_through_the_change_is_done_as_a_whole_later(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    once = [captured(store, f"{ONE_OFF} Number {number}.") for number in range(3)]
    update = store.update
    with monkeypatch.context() as broken:
        broken.setattr(store, "update", lambda memory: update(memory) if memory.id == once[0] else _fail())
        with pytest.raises(OSError, match="gone"):
            judged(store)
    assert [known(store, one).tier for one in once] == [Tier.CONFIRMED] * 3
    assert rejudging.current_change(engine_on(store).store) is None
    assert judged(store, *once) == [Tier.CANDIDATE] * 3


def _fail() -> None:
    raise OSError("the disk is gone")


def test_without_anything_to_put_back_nothing_is_copied(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "r.db")
    assert judged(store, captured(store, RULE)) == [Tier.CONFIRMED]
    assert rejudging.current_change(engine_on(store).store) is None
    store.close()
    assert not (tmp_path / "backups").exists()


@covers("CAP-13")
def test_what_is_learnt_now_names_the_rules_and_what_is_remembered_names_none(
    engine: Engine, store: SqliteStore
) -> None:
    engine.handle(a_prompt("Never use floats for money in this project."))
    while engine.learn_some():
        pass
    (learnt,) = [memory for memory in store.everything() if memory.tier is Tier.CONFIRMED]
    assert learnt.rules == RULES_VERSION
    assert engine.remember(a_draft(RULE)).memory.rules is None
    assert store.find_captured(rules=RULES_VERSION, after="", limit=9) == []
