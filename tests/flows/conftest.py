"""The engine as the daemon has it: real store, real project identity, a clock that the events carry."""

import itertools
from collections.abc import Callable, Iterator

import pytest

from recollect.domain.memory import Kind
from recollect.domain.settings import Settings
from recollect.engine.engine import no_extractor
from recollect.engine.learning_ports import ReadsExchanges
from recollect.engine.ports import Embeds
from recollect.store.sqlite.store import SqliteStore
from recollect.workspace import git
from tests.driver import Engine


@pytest.fixture
def store() -> Iterator[SqliteStore]:
    opened = SqliteStore(None)
    yield opened
    opened.close()


@pytest.fixture
def engine(store: SqliteStore) -> Engine:
    return engine_on(store)


def engine_on(
    store: SqliteStore,
    settings: Settings | None = None,
    model: Embeds | None = None,
    extractor: Callable[[], ReadsExchanges | None] = no_extractor,
) -> Engine:
    ticks = itertools.count()
    return Engine(store, lambda _: settings or Settings(), git, lambda: next(ticks) / 1000, model, extractor=extractor)


def all_kinds_but(*off: Kind) -> dict[Kind, bool]:
    return {kind: kind not in off for kind in Kind}
