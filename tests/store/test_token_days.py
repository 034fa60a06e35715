"""The tokens of each day: kept over restarts, taken in one step."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from pathlib import Path

from recollect.store.sqlite.salvage import salvage
from recollect.store.sqlite.store import SqliteStore
from tests.requirements import covers

TODAY = date(2026, 3, 2)


def test_a_day_without_questions_has_spent_nothing(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "recollect.db")
    assert store.spent_tokens(TODAY) == 0
    store.close()


def test_tokens_are_counted_by_day_and_kept(reopen: Callable[[], SqliteStore]) -> None:
    reopen().spend_tokens(TODAY, 300)
    reopen().spend_tokens(TODAY, 200)
    reopen().spend_tokens(TODAY + timedelta(days=1), 7)
    assert reopen().spent_tokens(TODAY) == 500


def test_what_is_given_back_never_leaves_less_than_nothing(reopen: Callable[[], SqliteStore]) -> None:
    store = reopen()
    store.spend_tokens(TODAY, -50)
    assert store.spent_tokens(TODAY) == 0
    store.spend_tokens(TODAY, 100)
    store.spend_tokens(TODAY, -300)
    assert store.spent_tokens(TODAY) == 0


@covers("CAP-12")
def test_many_that_reserve_at_once_get_no_more_than_there_is(reopen: Callable[[], SqliteStore]) -> None:
    stores = [reopen() for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        got = list(pool.map(lambda n: stores[n % 4].reserve_tokens(TODAY, 30, most=1_000), range(80)))
    assert sum(got) == 33
    assert stores[0].spent_tokens(TODAY) == 990


def test_days_long_gone_are_dropped(reopen: Callable[[], SqliteStore]) -> None:
    store = reopen()
    old = TODAY - timedelta(days=40)
    store.spend_tokens(old, 5)
    store.reserve_tokens(TODAY, 1, most=10)
    assert store.spent_tokens(old) == 0


def test_a_repair_does_not_give_the_day_back(tmp_path: Path) -> None:
    path = tmp_path / "recollect.db"
    store = SqliteStore(path)
    store.spend_tokens(TODAY, 900)
    store.close()
    salvage(path)
    store = SqliteStore(path)
    assert store.spent_tokens(TODAY) == 900
    store.close()
