"""Search by meaning is exact: it finds what a walk over everything that the viewer may see would find."""

from dataclasses import dataclass
from datetime import timedelta
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.domain.memory import (
    Anchor,
    Kind,
    Memory,
    MemoryId,
    ProjectId,
    Role,
    Sensitivity,
    SessionId,
    Source,
    Viewer,
)
from recollect.domain.search import EVERYTHING, Filters, MemoryStatus
from recollect.domain.vector import Vector
from recollect.engine.ports import Store
from recollect.privacy.visibility import may_inject, may_see
from recollect.store.sqlite import vector_cache
from recollect.store.sqlite.store import SqliteStore
from recollect.store.sqlite.vector_cache import MIN_COSINE
from recollect.text.words import words_of
from tests.builders import NOW, OTHER_PROJECT, PROJECT, a_memory
from tests.counting import count_unembedded
from tests.requirements import covers
from tests.vectors import MODEL, any_vector, asking, at_cosine, axis, cosine, embed_all

SCOPES = ("universal", "language:go", f"project:{PROJECT}", f"project:{OTHER_PROJECT}", "session:s1")
VIEWERS = (
    Viewer(),
    Viewer(project=PROJECT),
    Viewer(project=PROJECT, session=SessionId("s1"), language="go"),
    Viewer(project=OTHER_PROJECT, session=SessionId("s2"), shares_preferences=True),
)
KINDS = (Kind.PREFERENCE, Kind.RULE, Kind.DECISION)
HERE = Viewer(project=PROJECT)


@dataclass(frozen=True, slots=True)
class Corpus:
    store: SqliteStore
    memories: dict[MemoryId, Memory]
    vectors: dict[MemoryId, Vector]


@pytest.fixture(scope="module")
def corpus() -> Any:
    chance = np.random.default_rng(5)
    memories = [any_memory(n, chance) for n in range(600)]
    vectors = {memory.id: any_vector(chance) for memory in memories}
    store = SqliteStore(None)
    with store.transaction():
        for memory in memories:
            store.add(memory)
    embed_all(store, lambda of: vectors[of.id] if isinstance(of, Memory) else axis(0))
    yield Corpus(store, {memory.id: memory for memory in memories}, vectors)
    store.close()


def any_memory(n: int, chance: np.random.Generator) -> Memory:
    past: dict[str, Any] = {}
    if n % 3 == 0:
        past = {"superseded_by": MemoryId(f"m{chance.integers(600):03}")}
    if n % 5 == 0:
        past |= {"valid_to": NOW - timedelta(days=int(chance.integers(-3, 9)))}
    session = (None, SessionId("s1"), SessionId("s2"))[int(chance.integers(3))]
    return a_memory(
        " ".join(chance.choice(["cache", "redis", "port", "queue"], size=2)),
        id=MemoryId(f"m{n:03}"),
        scope=str(chance.choice(SCOPES)),
        kind=KINDS[int(chance.integers(3))],
        sensitivity=list(Sensitivity)[int(chance.integers(4))],
        source=Source(role=Role.USER, session=session),
        days_old=int(chance.integers(0, 20)),
        forgotten_at=NOW if n % 11 == 0 else None,
        anchors=(Anchor("src/a.py"),) if n % 4 == 0 else (),
        **past,
    )


def days_ago(days: int | None) -> Any:
    return None if days is None else NOW - timedelta(days=days, hours=12)


@st.composite
def filters(draw: st.DrawFn) -> Filters:
    since = draw(st.none() | st.integers(8, 20))
    until = draw(st.none() | st.integers(-1, 7))
    as_of = draw(st.none() | st.integers(-1, 20))
    return Filters(
        kinds=frozenset(draw(st.sets(st.sampled_from(KINDS), max_size=2))),
        scope=draw(st.none() | st.sampled_from(SCOPES)),
        since=days_ago(since),
        until=days_ago(until),
        as_of=days_ago(as_of),
        status=MemoryStatus.LIVE if as_of is not None else draw(st.sampled_from(MemoryStatus)),
    )


def passes(memory: Memory, asked: Filters, everything: dict[MemoryId, Memory]) -> bool:
    """The filters once more, in plain words."""
    ended = memory.valid_to
    if ended is None and memory.superseded_by is not None and memory.superseded_by in everything:
        ended = everything[memory.superseded_by].valid_from
    by_time = {
        MemoryStatus.LIVE: memory.is_live,
        MemoryStatus.SUPERSEDED: not memory.is_live,
        MemoryStatus.STALE: memory.is_live and bool(memory.anchors),  # whether it is, only its files can say
        MemoryStatus.ANY: True,
    }[asked.status]
    if asked.as_of is not None:
        by_time = memory.valid_from <= asked.as_of and (ended is None or asked.as_of < ended)
    return (
        by_time
        and (not asked.kinds or memory.kind in asked.kinds)
        and asked.scope in (None, str(memory.scope))
        and (asked.since is None or memory.valid_from >= asked.since)
        and (asked.until is None or memory.valid_from < asked.until)
    )


@covers("RET-5")
@given(
    viewer=st.sampled_from(VIEWERS),
    asked=st.just(EVERYTHING) | filters(),
    limit=st.integers(1, 40),
    seed=st.integers(0, 50),
    injectable=st.booleans(),
)
@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
def test_the_nearest_are_those_that_a_walk_over_everything_finds(
    corpus: Corpus, viewer: Viewer, asked: Filters, limit: int, seed: int, injectable: bool
) -> None:
    question = any_vector(np.random.default_rng(seed))
    allowed = [
        memory
        for memory in corpus.memories.values()
        if may_see(memory, viewer)
        and not (injectable and memory.sensitivity is Sensitivity.RESTRICTED)
        and passes(memory, asked, corpus.memories)
    ]
    near = {memory.id: cosine(question, corpus.vectors[memory.id]) for memory in allowed}
    expected = sorted((c for c in near.values() if c >= MIN_COSINE), reverse=True)[:limit]
    sighting = corpus.store.look_up([], viewer, injectable=injectable, past=asked.includes_past)
    found = corpus.store.search(sighting, asking(question), limit=limit, filters=asked)
    ids = [one.memory.id for one in found]
    assert len(set(ids)) == len(ids)
    assert set(ids) <= set(near)
    assert sorted((near[memory_id] for memory_id in ids), reverse=True) == pytest.approx(expected, abs=1e-6)
    assert all(one.cosine == pytest.approx(near[one.memory.id], abs=1e-6) for one in found)


@covers("RET-5")
@given(
    viewer=st.sampled_from(VIEWERS),
    asked=filters(),
    words=st.sets(st.sampled_from(["cach", "redi", "port", "queue", "none"]), min_size=1),
)
@settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
def test_by_word_too_the_filters_leave_out_nothing_and_nobody_else(
    corpus: Corpus, viewer: Viewer, asked: Filters, words: set[str]
) -> None:
    expected = {
        memory.id
        for memory in corpus.memories.values()
        if may_see(memory, viewer) and passes(memory, asked, corpus.memories) and words & set(words_of(memory))
    }
    sighting = corpus.store.look_up(sorted(words), viewer, past=asked.includes_past)
    assert {one.memory.id for one in corpus.store.search(sighting, None, limit=1000, filters=asked)} == expected


def test_what_may_be_injected_is_what_the_rule_says(corpus: Corpus) -> None:
    for viewer in VIEWERS:
        sighting = corpus.store.look_up([], viewer, injectable=True)
        found = {one.memory.id for one in corpus.store.search(sighting, asking(), limit=1000)}
        near = {m for m, vector in corpus.vectors.items() if cosine(axis(0), vector) >= MIN_COSINE + 1e-6}
        assert {m for m in near if may_inject(corpus.memories[m], viewer)} <= found
        assert all(may_inject(corpus.memories[m], viewer) for m in found)


def test_what_is_public_takes_one_place_of_the_answer_not_two(store: Store) -> None:
    """In its own project it is found both as of the project and as public."""
    for n in range(9):
        store.add(a_memory(f"Fact {n}.", id=MemoryId(f"m{n}"), sensitivity=Sensitivity.PUBLIC))
    embed_all(store, lambda of: at_cosine(0.9 - int(of.text[5]) / 100))
    found = store.search(store.look_up([], HERE), asking(), limit=6)
    assert sorted(one.memory.text for one in found) == [f"Fact {n}." for n in range(6)]


@pytest.mark.parametrize("limit", [0, 1, 2, 3])
def test_an_answer_is_never_longer_than_asked_for(corpus: Corpus, limit: int) -> None:
    for words in ([], ["cach", "redi"]):
        assert len(corpus.store.search(corpus.store.look_up(words, HERE), asking(), limit=limit)) == limit


def test_a_word_and_a_meaning_find_together_what_each_of_them_finds(store: Store) -> None:
    store.add(a_memory("The cache.", id=MemoryId("word")))
    store.add(a_memory("Something else.", id=MemoryId("meaning")))
    embed_all(store, lambda of: at_cosine(0.1 if of.text == "The cache." else 0.8))
    found = store.search(store.look_up(["cach"], HERE), asking(), limit=5)
    assert {one.memory.id: round(one.cosine or 0, 2) for one in found} == {"word": 0.1, "meaning": 0.8}


def test_what_has_no_vector_yet_is_found_by_its_words(store: Store) -> None:
    store.add(a_memory("The cache.", id=MemoryId("old")))
    embed_all(store, lambda _: at_cosine(0.5))
    store.add(a_memory("The new cache.", id=MemoryId("new")))
    found = store.search(store.look_up(["cach"], HERE), asking(), limit=5)
    assert {one.memory.id: one.cosine for one in found} == {"new": None, "old": pytest.approx(0.5, abs=1e-3)}


def test_what_is_past_and_was_for_one_session_is_seen_in_it_alone(store: Store) -> None:
    source = Source(role=Role.USER, session=SessionId("s1"))
    store.add(a_memory("Past.", sensitivity=Sensitivity.SESSION, source=source, superseded_by=MemoryId("later")))
    for session, memories in (("s1", 1), ("s2", 0), (None, 0)):
        viewer = Viewer(project=PROJECT, session=None if session is None else SessionId(session))
        assert store.look_up([], viewer, past=True).memories == memories


def test_what_was_public_is_still_seen_by_whoever_looks_back(store: Store) -> None:
    store.add(a_memory("Past.", sensitivity=Sensitivity.PUBLIC, superseded_by=MemoryId("later")))
    assert store.look_up(["past"], Viewer(project=OTHER_PROJECT), past=True).memories == 1
    assert store.look_up(["past"], Viewer(project=OTHER_PROJECT)).memories == 0


def test_what_is_kept_in_memory_does_not_grow_with_sessions_and_stays_below_its_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = SqliteStore(None)
    for n in range(20):
        store.add(a_memory(f"Fact {n}.", id=MemoryId(f"m{n}"), scope=f"project:p{n}"))
    embed_all(store, lambda _: axis(0))
    monkeypatch.setattr(vector_cache, "MAX_BYTES", 5 * 768)
    monkeypatch.setattr(vector_cache, "MAX_PLACES", 12)
    for n in range(20):
        viewer = Viewer(project=ProjectId(f"p{n}"), session=SessionId(f"s{n}"))
        assert len(store.search(store.look_up([], viewer), asking(), limit=5)) == 1
        assert sum(bool(len(matrix.numbers)) for matrix in store._vector_cache._matrices.values()) <= 5
        assert len(store._vector_cache._matrices) <= 12
    store.close()


def test_readers_search_while_a_writer_adds_and_embeds(store: Store) -> None:
    """Whatever they find has its own vector, and in the end they find everything."""
    done, wrong = Event(), list[str]()

    def value(text: str) -> float:
        return 0.3 + int(text.split()[1]) / 1000

    def search() -> None:
        while not done.is_set():
            for one in store.search(store.look_up(["fact"], HERE), asking(), limit=20):
                if one.cosine is not None and abs(one.cosine - value(one.memory.text)) > 2e-3:
                    wrong.append(f"{one.memory.text}: {one.cosine}")

    readers = [Thread(target=search) for _ in range(4)]
    for reader in readers:
        reader.start()
    try:
        for n in range(0, 120, 4):
            for m in range(n, n + 4):
                store.add(a_memory(f"fact {m}", id=MemoryId(f"m{m}")))
            embed_all(store, lambda of: at_cosine(value(of.text)))
            store.update(a_memory(f"fact {n}", id=MemoryId(f"m{n}"), superseded_by=MemoryId("later")))
            store.update(a_memory(f"fact {n + 200}", id=MemoryId(f"m{n + 1}")))
            if n % 8 == 0:
                store.purge([MemoryId(f"m{n + 3}")])
    finally:
        done.set()
        for reader in readers:
            reader.join(timeout=30)
    embed_all(store, lambda of: at_cosine(value(of.text)))
    assert wrong == []
    expected = {f"fact {m}" for m in range(120) if m % 4 in (2, 3) and m % 8 != 3}
    expected |= {f"fact {m + 199}" for m in range(120) if m % 4 == 1}
    assert {one.memory.text for one in store.search(store.look_up([], HERE), asking(), limit=500)} == expected
    assert count_unembedded(store, MODEL) == 0
