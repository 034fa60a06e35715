"""Chores: done once per state, kept over restarts."""

from collections.abc import Callable

from recollect.store.sqlite.store import SqliteStore


def test_a_finished_chore_is_known_after_a_restart_and_a_new_state_replaces_the_old(
    reopen: Callable[[], SqliteStore],
) -> None:
    assert reopen().chore_state("secrets") is None
    reopen().finish_chore("secrets", "rules 1")
    assert reopen().chore_state("secrets") == "rules 1"
    reopen().finish_chore("secrets", "rules 2")
    assert reopen().chore_state("secrets") == "rules 2"
    assert reopen().chore_state("others") is None
