"""After an upgrade, what an older version ended in doubt is valid again: once, as one deed, after a backup."""

from datetime import timedelta
from pathlib import Path

import pytest

from recollect.domain.changes import ChangeAction
from recollect.domain.memory import Memory, MemoryId, Role, SessionId, Source, Tier
from recollect.engine.learning import undo_doubtful
from recollect.engine.memories.remember import supersede
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, a_draft
from tests.driver import Engine
from tests.flows.conftest import engine_on
from tests.requirements import covers

CAPTURED = Source(role=Role.USER, host="opencode", session=SessionId("s1"))
BILLING = "The billing service is written in Kotlin."
MOVED = "The cache was moved out of the billing service; retries now go through the gateway."


def old_replacement(
    store: SqliteStore, old: str, new: str, *, by: ChangeAction = ChangeAction.LEARN, tier: Tier = Tier.CONFIRMED
) -> tuple[MemoryId, MemoryId]:
    """As an older version has left it."""
    drafts = [
        a_draft(text, id=MemoryId(f"m{store.count()}{n}"), days_old=days, source=CAPTURED, tier=tier)
        for n, (text, days) in enumerate(((old, 9), (new, 5)))
    ]
    engine_on(store).bring_back(drafts, at=NOW - timedelta(days=5), by="test")
    ended, taking = (known(store, MemoryId(str(draft.id))) for draft in drafts)
    supersede(store, ended, taking, store.begin_change(by, NOW - timedelta(days=5), "opencode", {"session": "s1"}))
    return ended.id, taking.id


def known(store: SqliteStore, memory_id: MemoryId) -> Memory:
    memory = store.get(memory_id)
    assert memory is not None
    return memory


@covers("CAP-10")
def test_what_speaks_of_something_else_is_taken_back_and_a_true_update_stays(store: SqliteStore) -> None:
    doubtful, _ = old_replacement(store, BILLING, MOVED)
    outdated, newer = old_replacement(
        store, "We use Jest for the unit tests.", "We switched from Jest to Vitest for the unit tests."
    )
    engine = engine_on(store)
    engine.do_chores(NOW)
    assert known(store, doubtful).is_live
    assert known(store, outdated).superseded_by == newer
    assert not known(store, outdated).is_live


@pytest.mark.parametrize("by", [ChangeAction.REMEMBER, ChangeAction.REVIEW, ChangeAction.IMPORT, ChangeAction.JOIN])
def test_what_a_person_decided_stays(store: SqliteStore, by: ChangeAction) -> None:
    ended, taking = old_replacement(store, BILLING, MOVED, by=by)
    engine_on(store).do_chores(NOW)
    assert known(store, ended).superseded_by == taking


def test_a_candidate_that_is_told_within_what_proves_it_stays_ended(store: SqliteStore) -> None:
    said = "The linter reports an unused variable in the session parser."
    proof = f"{said} Remove the package variable to make the build pass again."
    ended, taking = old_replacement(store, said, proof, tier=Tier.CANDIDATE)
    engine_on(store).do_chores(NOW)
    assert known(store, ended).superseded_by == taking


def test_what_was_said_again_since_does_not_come_twice(store: SqliteStore) -> None:
    ended, taking = old_replacement(store, BILLING, MOVED)
    engine = engine_on(store)
    again = engine.remember(a_draft(BILLING, days_old=1)).memory
    engine.do_chores(NOW)
    assert known(store, ended).superseded_by == taking
    assert again.is_live


def test_it_is_one_deed_that_undo_takes_back_and_it_happens_once(store: SqliteStore) -> None:
    first, _ = old_replacement(store, BILLING, MOVED)
    second, _ = old_replacement(store, "The gateway team meets on Monday.", "The gateway is now behind Envoy.")
    engine = engine_on(store)
    engine.do_chores(NOW)
    deed = undo_doubtful.current_change(engine.store)
    assert deed is not None
    assert (deed.kind, deed.memories) == (ChangeAction.REJUDGE, 2)
    assert store.last_undoable() is None or store.last_undoable() != deed, "it is nothing that a person did last"
    engine.undo(deed.id, at=NOW, by="cli")
    assert not known(store, first).is_live
    assert not known(store, second).is_live
    assert undo_doubtful.current_change(engine.store) is None
    engine.do_chores(NOW)
    assert not known(store, first).is_live, "who wants it as before is not asked again"


def test_without_anything_doubtful_nothing_is_done_or_copied(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "r.db")
    engine_on(store).do_chores(NOW)
    assert undo_doubtful.current_change(engine_on(store).store) is None
    store.close()
    assert not (tmp_path / "backups").exists()


def test_all_of_it_is_copied_before(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "r.db")
    ended, taking = old_replacement(store, BILLING, MOVED)
    engine_on(store).do_chores(NOW)
    assert known(store, ended).is_live
    store.close()
    (backup,) = (tmp_path / "backups").glob("*.db")
    before = SqliteStore(backup)
    assert known(before, ended).superseded_by == taking
    before.close()


@covers("CAP-10")
def test_a_fact_from_a_date_to_come_gives_way_to_its_later_correction(engine: Engine) -> None:
    ahead = a_draft("The API listens on port 9090.", days_old=-400)
    wrong = engine.remember(ahead).memory
    right = engine.remember(a_draft("The API listens on port 7070."), now=NOW).memory
    assert right.is_live
    assert engine.find(wrong.id).superseded_by == right.id


@covers("CAP-10")
def test_what_is_valid_from_a_date_to_come_counts_when_it_was_learnt(engine: Engine) -> None:
    planned = a_draft("The API listens on port 9090.", days_old=3, valid_from=NOW + timedelta(days=90))
    wrong = engine.remember(planned).memory
    right = engine.remember(a_draft("The API listens on port 7070.", days_old=1)).memory
    assert right.is_live
    assert engine.find(wrong.id).superseded_by == right.id
