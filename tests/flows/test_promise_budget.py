"""No block costs more than its budget, at no moment and for no text. Judged by a real tokenizer."""

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from recollect.domain.errors import InvalidValue
from recollect.domain.injection import Injection
from recollect.domain.memory import Anchor, Kind, MemoryId, Sensitivity
from recollect.domain.session import Note, NoteCode, Summary
from recollect.domain.settings import Budgets, InjectSettings, Mode, OnDemand, Settings, Start, TurnPlacement
from recollect.store.sqlite.store import SqliteStore
from tests.builders import a_draft, a_failure, a_memory, a_prompt, a_question, a_start, an_end, compacting
from tests.driver import Engine
from tests.flows.blocks import priced
from tests.flows.conftest import engine_on
from tests.requirements import covers

QUICK = (Phase.explicit, Phase.generate)  # to shrink takes minutes
TRACE = """Traceback (most recent call last):
  File "/srv/app/shop/pool.py", line 118, in acquire
    raise PoolTimeoutError(self.name, waited=0x7f3a9c)
shop.errors.PoolTimeoutError: no connection in pool 'orders-7' within 30.0 s"""
ENGLISH = "We keep the queue in the database, since the team knows it well and one service less is one backup less."
CODE = "def acquire(self, *, timeout: float = 30.0) -> Connection:\n    return self._pool[hash(self) % len(self._pool)]"
CJK = "価格は税込みで表示する。接続プールのタイムアウトは三十秒とする。数据库连接池"
EMOJI = "🚀👩‍👩‍👧‍👦🏳️‍🌈" * 6
NOISE = "\u0e01\u0e33 ﷽ ñ́ \u0301\u0301 ΑΩ жщ 0xDEADBEEF qwzxkv |||~~~^^^ \t\r\n ((((" * 3
KINDS = (ENGLISH, CODE, TRACE, CJK, EMOJI, NOISE)
LINE = "x7Gq" * 25_000  # 100 KB without a blank
LONGEST = "pool queue " + "zq7" * 6_600

TEXTS = st.one_of(
    st.sampled_from(KINDS),
    st.builds(lambda parts: " ".join(parts)[:2000], st.lists(st.sampled_from(KINDS), min_size=1, max_size=4)),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=200),
).filter(lambda text: bool(text.strip()))
ASKED = st.one_of(TEXTS, st.sampled_from(["", LINE, "pool queue timeout connection", TRACE * 50]))
BUDGETS = st.builds(
    Budgets,
    start_tokens=st.integers(0, 4000),
    turn_tokens=st.integers(0, 1500),
    error_tokens=st.integers(0, 600),
    query_tokens=st.integers(0, 900),
    compaction_share=st.sampled_from([0.1, 0.5, 1.0]),
)


def settings_with(budgets: Budgets, mode: Mode = Mode.CONSERVATIVE) -> Settings:
    return Settings(
        budgets=budgets,
        inject=InjectSettings(mode=mode),
        start=Start(preferences=50, decisions=50, files=50, errors=50, others=50),
        on_demand=OnDemand(threshold=0.0),
        kinds=replace(Settings().kinds, threshold=dict.fromkeys(Kind, 0.0)),
    )


@pytest.fixture(scope="module")
def store() -> Iterator[SqliteStore]:
    """Memories and notes of every kind of text, each said in one of many ways."""
    opened = SqliteStore(None)
    with opened.transaction():
        for number in range(36):
            text = f"{number} pool queue timeout: {KINDS[number % len(KINDS)] * (1 + number % 4)}"
            title = f"{number} {KINDS[number % len(KINDS)][:80]}" if number % 3 else None
            opened.add(
                a_memory(
                    text,
                    id=MemoryId(f"m{number}"),
                    kind=list(Kind)[number % len(Kind)],
                    title=None if title is None else " ".join(title.split()),
                    evidence=(text[:300],),
                    anchors=(Anchor(f"src/{number}/プール 🚀.py"),),
                    scope="universal" if number % 2 else a_memory().scope,
                    sensitivity=Sensitivity.PROJECT,
                    days_old=number % 5,
                )
            )
        opened.add(a_memory(LONGEST, id=MemoryId("longest"), kind=Kind.RULE))
    engine = engine_on(opened)
    for number, text in enumerate(KINDS):
        line = "".join(c for c in " ".join(text.split()) if c.isprintable())[:400]
        notes = tuple(Note(code=code, text=line) for code in NoteCode)
        engine.handle(an_end(f"before {number}", notes=notes, summary=Summary(asked=line, done=(line,) * 20)))
    yield opened
    opened.close()


def assert_within(injection: Injection, most: int) -> None:
    assert priced(injection.block) <= injection.tokens <= max(0, min(most, 3000))
    assert injection.tokens <= injection.budget_tokens or not injection.block


def moments(engine: Engine, asked: str, budgets: Budgets, **about: Any) -> None:
    assert_within(engine.handle(a_start(**about)), budgets.start_tokens)
    assert_within(engine.handle(a_prompt(asked, **about)), budgets.turn_tokens)
    assert_within(engine.handle(a_failure(asked, **about)), budgets.error_tokens)
    assert_within(engine.handle(a_question(asked or "pool", **about)), budgets.query_tokens)
    assert_within(engine.handle(a_question(memory=MemoryId("m7"), **about)), 3000)
    assert_within(engine.handle(a_question(memory=MemoryId("longest"), **about)), 3000)
    assert_within(engine.handle(compacting(**about)), int(budgets.start_tokens * budgets.compaction_share))


@covers("BUD-1", "BUD-2", "BUD-3", "BUD-5")
@given(
    asked=ASKED.filter(lambda text: text == "" or bool(text.strip())),
    budgets=BUDGETS,
    mode=st.sampled_from(list(Mode)),
    window=st.sampled_from([None, 1, 4_000, 8_000, 32_000, 1_000_000]),
    agent=st.sampled_from([None, "plan", "build"]),
)
@settings(max_examples=25, deadline=None, phases=QUICK, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_moment_costs_more_than_its_budget_whatever_is_asked(
    store: SqliteStore, asked: str, budgets: Budgets, mode: Mode, window: int | None, agent: str | None
) -> None:
    with store.transaction(), store._database.write() as connection:
        connection.execute("DELETE FROM injection")
        connection.execute("DELETE FROM session WHERE id = 's1'")
    engine = engine_on(store, settings_with(budgets, mode))
    moments(engine, asked, budgets, window_tokens=window, agent=agent)


@covers("BUD-1")
@given(texts=st.lists(TEXTS, min_size=1, max_size=8), budgets=BUDGETS)
@settings(max_examples=15, deadline=None, phases=QUICK)
def test_no_moment_costs_more_than_its_budget_whatever_is_known(texts: list[str], budgets: Budgets) -> None:
    store = SqliteStore(None)
    engine = engine_on(store, settings_with(budgets))
    for number, text in enumerate(texts):
        kind = list(Kind)[number % len(Kind)]
        title = " ".join(text.split())[:80] or None
        with contextlib.suppress(InvalidValue):  # what nobody can see is not kept
            engine.remember(a_draft(text[:20_000], kind=kind, days_old=1, evidence=(text[:500],), title=title))
    moments(engine, texts[0], budgets)
    store.close()


@covers("BUD-5")
def test_a_small_window_shrinks_the_budget_and_never_under_two_hundred(store: SqliteStore) -> None:
    engine = engine_on(store, settings_with(Budgets()))

    def budget(session: str, prompt: str, window: int | None = None) -> int:
        return engine.handle(a_prompt(prompt, session=session, window_tokens=window)).budget_tokens

    assert budget("small", "the pool queue timeout?") == 800
    assert budget("large", "the pool queue timeout? " + "word " * 6_000) == 0, "it brings its own context"
    assert budget("window", "the pool queue timeout?", 8_000) == 400
    assert budget("tiny", "the pool queue timeout?", 100) == 200
    assert budget("wide", "the pool queue timeout?", 10_000_000) == 800
    wide = engine_on(store, settings_with(Budgets(turn_tokens=9000)))
    assert wide.handle(a_prompt("the pool queue timeout?", session="most")).budget_tokens == 3000


@covers("INJ-4", "BUD-1")
def test_in_the_system_prompt_all_of_it_is_built_anew_within_both_budgets(store: SqliteStore) -> None:
    placed = replace(settings_with(Budgets()), inject=InjectSettings(placement=TurnPlacement.SYSTEM))
    engine = engine_on(store, placed)
    for number in range(3):
        injection = engine.handle(a_prompt("the pool queue timeout?", session="system", message=f"m{number}"))
        assert injection.placement == "system"
        assert 0 < priced(injection.block) <= injection.tokens <= 2800
        assert len(set(injection.ids)) == len(injection.ids)
