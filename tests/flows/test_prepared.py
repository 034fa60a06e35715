"""Start blocks that are built in the background."""

import itertools
from dataclasses import replace

from recollect.domain.event import StartSource
from recollect.domain.memory import Kind, SessionId, Viewer
from recollect.domain.settings import Settings, Start
from recollect.engine.moments.start import prepare_start_blocks
from recollect.store.sqlite.store import SqliteStore
from recollect.workspace import git
from tests.builders import NOW, PROJECT, a_draft, a_start
from tests.driver import Engine
from tests.requirements import covers


class Counting(SqliteStore):
    """Counts how often memories are gathered for a block."""

    gathered = 0

    def newest(self, viewer: Viewer, **how: object) -> list:  # type: ignore[type-arg]
        self.gathered += 1
        return super().newest(viewer, **how)  # type: ignore[arg-type]


def engine_with_clock(store: SqliteStore, settings: Settings | None = None, step_s: float = 0.001) -> Engine:
    ticks = itertools.count()
    return Engine(store, lambda _: settings or Settings(), git, lambda: next(ticks) * step_s)


@covers("INJ-12")
def test_a_session_start_is_a_look_up_once_it_was_prepared() -> None:
    store = Counting(None)
    engine = engine_with_clock(store)
    engine.remember(a_draft("Use tabs.", kind=Kind.RULE))
    first = engine.handle(a_start("s1"))
    assert prepare_start_blocks(engine, NOW) == 1
    store.gathered = 0
    assert engine.handle(a_start("s2")).block == first.block != ""
    assert store.gathered == 0
    assert prepare_start_blocks(engine, NOW) == 0, "and it is not built twice"
    store.close()


@covers("INJ-12")
def test_what_was_written_since_is_in_the_block() -> None:
    store = Counting(None)
    engine = engine_with_clock(store)
    engine.remember(a_draft("Use tabs.", kind=Kind.RULE))
    engine.handle(a_start("s1"))
    prepare_start_blocks(engine, NOW)
    rule = engine.remember(a_draft("Tests first.", kind=Kind.RULE)).memory
    assert "Tests first." in engine.handle(a_start("s2")).block
    prepare_start_blocks(engine, NOW)
    engine.forget([rule.id], at=NOW, by="cli")
    assert "Tests first." not in engine.handle(a_start("s3")).block
    store.close()


@covers("INJ-12")
def test_a_prepared_block_is_at_most_a_few_minutes_old() -> None:
    store = Counting(None)
    engine = engine_with_clock(store, step_s=400)
    engine.remember(a_draft("Use tabs.", kind=Kind.RULE))
    engine.handle(a_start("s1"))
    prepare_start_blocks(engine, NOW)
    store.gathered = 0
    engine.handle(a_start("s2"))
    assert store.gathered > 0
    store.close()


def test_nothing_is_prepared_where_that_is_switched_off() -> None:
    store = Counting(None)
    engine = engine_with_clock(store, Settings(start=Start(prepared_minutes=0)))
    engine.remember(a_draft("Use tabs.", kind=Kind.RULE))
    engine.handle(a_start("s1"))
    assert prepare_start_blocks(engine, NOW) == 0
    store.close()


def test_a_session_that_is_known_already_gets_its_own_block_and_not_a_prepared_one() -> None:
    store = Counting(None)
    engine = engine_with_clock(store)
    engine.remember(a_draft("Use tabs.", kind=Kind.RULE))
    engine.handle(a_start("s1"))
    prepare_start_blocks(engine, NOW)
    own = a_draft("Only for this session.", kind=Kind.RULE, scope="session:s1")
    engine.remember(own)
    prepare_start_blocks(engine, NOW)
    compacted = engine.handle(replace(a_start("s1"), source=StartSource.COMPACT))
    assert "Only for this session." in compacted.block
    assert "Only for this session." not in engine.handle(a_start("s2")).block
    store.close()


def test_a_prepared_block_leaves_no_session_behind() -> None:
    store = Counting(None)
    engine = engine_with_clock(store)
    engine.remember(a_draft("Use tabs.", kind=Kind.RULE))
    engine.handle(a_start("s1"))
    prepare_start_blocks(engine, NOW)
    assert store.session_ids_in(PROJECT) == ["s1"]
    assert store.session(SessionId("nobody")) is None
    store.close()


@covers("INJ-12")
def test_a_prepared_block_is_for_every_model_that_reads_enough_at_once() -> None:
    store = Counting(None)
    engine = engine_with_clock(store)
    engine.remember(a_draft("Use tabs.", kind=Kind.RULE))
    engine.handle(a_start("s1"))
    prepare_start_blocks(engine, NOW)
    store.gathered = 0
    engine.handle(a_start("s2", window_tokens=200_000))
    assert store.gathered == 0
    engine.handle(a_start("s3", window_tokens=8_000))
    assert store.gathered > 0, "a smaller one gets a block of its own"
    store.close()
