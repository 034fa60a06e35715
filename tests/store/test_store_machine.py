"""The store against a dict: whatever is done to both, in any order, they answer the same.

Who may see a memory is not told again here: the model asks `privacy.visibility`, and `text.words` for its words.
"""

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from recollect.domain.health import Health
from recollect.domain.memory import (
    Kind,
    Memory,
    MemoryId,
    ProjectId,
    Role,
    Scope,
    Sensitivity,
    SessionId,
    Source,
    Viewer,
)
from recollect.domain.search import EmbeddedItem, Filters, Meaning, MemoryStatus
from recollect.privacy.visibility import may_inject, may_see
from recollect.store.sqlite.store import SqliteStore
from recollect.store.sqlite.vector_cache import MIN_COSINE
from recollect.text.words import index_words, words_of
from tests.builders import NOW, a_draft, a_memory
from tests.counting import count_unembedded
from tests.searching import memories_found, occurrences
from tests.vectors import ConceptModel, cosine

EMBEDS = ConceptModel()
SCOPES = ("universal", "language:go", "language:c", "project:p1", "project:p2", "session:s1", "session:s2")
VIEWERS = (
    Viewer(),
    Viewer(project=ProjectId("p1")),
    Viewer(project=ProjectId("p1"), session=SessionId("s1"), language="go"),
    Viewer(project=ProjectId("p2"), session=SessionId("s2"), shares_preferences=True),
)
WORDS = ("cache", "redis", "parse_date", "naïve", "日本語", "caching", "E1042")  # few, so that they meet

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
kinds = st.sampled_from((Kind.PREFERENCE, Kind.RULE, Kind.DECISION))
scopes = st.sampled_from(SCOPES)
sensitivities = st.sampled_from(list(Sensitivity))
viewers = st.sampled_from(VIEWERS)
days = st.integers(0, 6)
sources = st.sampled_from([Source(role=Role.USER, session=session) for session in (None, SessionId("s1"))])


class StoreMachine(RuleBasedStateMachine):
    ids = Bundle("ids")

    def __init__(self) -> None:
        super().__init__()
        self.model: dict[MemoryId, Memory] = {}  # in the order in which they came
        self.made = 0
        self.meant: dict[MemoryId, str] = {}  # what each of them said when it got its vector
        self.folder = tempfile.TemporaryDirectory()
        self.store = self.open()
        self.other = self.open_beside()

    def open(self) -> SqliteStore:
        return SqliteStore(Path(self.folder.name) / "recollect.db")

    def open_beside(self) -> SqliteStore:
        """Another process, which hears of no change."""
        return self.open()

    def teardown(self) -> None:
        try:
            assert [finding.health for finding in self.store.check()] == [Health.FINE]
        finally:
            self.store.close()
            self.other.close()
            self.folder.cleanup()

    @rule(
        target=ids,
        text=texts,
        days_old=days,
        fields=st.fixed_dictionaries(
            {"kind": kinds, "scope": scopes, "sensitivity": sensitivities, "source": sources},
            optional={"title": texts, "superseded_by": st.just(MemoryId("later")), "aliases": st.tuples(texts)},
        ),
    )
    def add(self, text: str, days_old: int, fields: dict[str, Any]) -> MemoryId:
        memory = a_memory(text, id=self.new_id(), days_old=days_old, **fields)
        self.store.add(memory)
        self.model[memory.id] = memory
        return memory.id

    def new_id(self) -> MemoryId:
        self.made += 1
        return MemoryId(f"{'ab'[self.made % 2]}{97 * self.made % 1000:03}")

    @rule(memory_id=ids, text=texts)
    def say_otherwise(self, memory_id: MemoryId, text: str) -> None:
        self.change(memory_id, lambda memory: replace(memory, text=text))

    @rule(memory_id=ids, scope=scopes, sensitivity=sensitivities)
    def move(self, memory_id: MemoryId, scope: str, sensitivity: Sensitivity) -> None:
        self.change(memory_id, lambda memory: replace(memory, scope=Scope.parse(scope), sensitivity=sensitivity))

    @rule(memory_id=ids, by=st.none() | ids)
    def supersede(self, memory_id: MemoryId, by: MemoryId | None) -> None:
        self.change(memory_id, lambda memory: replace(memory, superseded_by=by))

    @rule(memory_id=ids, days_ago=st.none() | days)
    def forget_or_restore(self, memory_id: MemoryId, days_ago: int | None) -> None:
        at = None if days_ago is None else NOW - timedelta(days=days_ago)
        self.change(memory_id, lambda memory: replace(memory, forgotten_at=at))

    @rule(memory_id=ids)
    def count_once_more(self, memory_id: MemoryId) -> None:
        self.change(memory_id, lambda memory: replace(memory, seen=memory.seen + 1))

    def change(self, memory_id: MemoryId, changed: Callable[[Memory], Memory]) -> None:
        if memory_id in self.model:
            self.model[memory_id] = changed(self.model[memory_id])
            self.store.update(self.model[memory_id])
            if self.model[memory_id].forgotten_at or self.model[memory_id].text != self.meant.get(memory_id):
                self.meant.pop(memory_id, None)

    @rule(memory_id=consumes(ids))
    def purge(self, memory_id: MemoryId) -> None:
        self.store.purge([memory_id])
        assert self.store.scrub()
        gone = self.model.pop(memory_id, None)
        self.meant.pop(memory_id, None)
        for other in [other for other in self.model.values() if gone and other.superseded_by == gone.id]:
            ended = other.valid_to or max(other.valid_from, gone.valid_from if gone else other.valid_from)
            self.model[other.id] = replace(other, superseded_by=None, valid_to=ended)

    @rule(limit=st.integers(1, 4), meanwhile=st.none() | st.tuples(ids, texts))
    def embed(self, limit: int, meanwhile: tuple[MemoryId, str] | None) -> None:
        waiting = self.store.next_unembedded(EMBEDS.model, limit=limit)
        if meanwhile is not None:
            self.say_otherwise(*meanwhile)
        made = [EmbeddedItem(what=what, vectors=(EMBEDS.embed(what.of.text),)) for what in waiting]
        self.store.keep_vectors(EMBEDS.model, made)
        for what in waiting:
            if isinstance(what.of, Memory) and self.model[what.of.id] == what.of:
                self.meant[what.of.id] = what.of.text

    @rule(
        word=st.sampled_from(WORDS),
        viewer=viewers,
        injectable=st.booleans(),
        past=st.booleans(),
        wanted=st.sets(kinds, max_size=2),
        since_days=st.none() | days,
    )
    def search_by_meaning(
        self, word: str, viewer: Viewer, injectable: bool, past: bool, wanted: set[Kind], since_days: int | None
    ) -> None:
        since = None if since_days is None else NOW - timedelta(days=since_days)
        asked = Meaning(vector=EMBEDS.embed(word), model=EMBEDS.model)
        near = {
            memory_id: cosine(asked.vector, EMBEDS.embed(text))
            for memory_id, text in self.meant.items()
            if self.is_asked_for(self.model[memory_id], viewer, injectable, past)
            and (not wanted or self.model[memory_id].kind in wanted)
            and (since is None or self.model[memory_id].valid_from >= since)
        }
        filters = Filters(kinds=frozenset(wanted), since=since, status=MemoryStatus.ANY if past else MemoryStatus.LIVE)
        for store in (self.store, self.other):
            sighting = store.look_up([], viewer, injectable=injectable, past=past)
            found = store.search(sighting, asked, limit=1000, filters=filters)
            assert all(one.memory == self.model[one.memory.id] for one in found)
            expected = {memory_id: value for memory_id, value in near.items() if value >= MIN_COSINE}
            assert {one.memory.id: one.cosine for one in found} == pytest.approx(expected, abs=1e-5)

    def is_asked_for(self, memory: Memory, viewer: Viewer, injectable: bool, past: bool) -> bool:
        restricted = injectable and memory.sensitivity is Sensitivity.RESTRICTED
        return may_see(memory, viewer) and (past or memory.is_live) and not restricted

    @rule(text=texts, victim=ids)
    def fail_halfway(self, text: str, victim: MemoryId) -> None:
        try:
            with self.store.transaction():
                self.store.add(a_memory(text, id=MemoryId("half")))
                if victim in self.model:
                    self.store.update(
                        replace(self.model[victim], text=f"{text} overwritten", scope=Scope.parse("universal"))
                    )
                self.store.purge([victim])
                raise InterruptedError
        except InterruptedError:
            pass

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = self.open()

    @rule(memory_id=ids)
    def get(self, memory_id: MemoryId) -> None:
        assert self.store.get(memory_id) == self.model.get(memory_id)

    @rule(text=texts, kind=kinds, scope=scopes)
    def find_same(self, text: str, kind: Kind, scope: str) -> None:
        draft = a_draft(text.upper(), kind=kind, scope=scope)
        said = [m for m in self.live() if (m.kind, str(m.scope), m.text) == (kind, scope, text)]
        assert self.store.find_same(draft) == next(iter(said), None)

    @rule(word=st.sampled_from(WORDS), viewer=viewers, injectable=st.booleans())
    def search(self, word: str, viewer: Viewer, injectable: bool) -> None:
        allowed = may_inject if injectable else may_see
        expected = {m.id for m in self.live() if allowed(m, viewer) and set(index_words(word)) & set(words_of(m))}
        found = memories_found(self.store, index_words(word), viewer, limit=1000, injectable=injectable)
        assert {memory.id for memory in found} == expected
        assert all(memory == self.model[memory.id] for memory in found)

    @rule(viewer=viewers, wanted=st.none() | st.sets(kinds), since_days=st.none() | days, limit=st.integers(0, 5))
    def newest(self, viewer: Viewer, wanted: set[Kind] | None, since_days: int | None, limit: int) -> None:
        since = None if since_days is None else NOW - timedelta(days=since_days)

        def asked_for(memory: Memory) -> bool:
            return (wanted is None or memory.kind in wanted) and (since is None or memory.valid_from >= since)

        seen = [memory for memory in self.live() if may_see(memory, viewer) and asked_for(memory)]
        expected = sorted(seen, key=lambda memory: (-memory.valid_from.timestamp(), memory.id))
        assert self.store.newest(viewer, limit=limit, kinds=wanted, since=since) == expected[:limit]

    @rule(word=st.sampled_from(WORDS), viewer=viewers)
    def occurrences(self, word: str, viewer: Viewer) -> None:
        for part in index_words(word):
            expected = sum(part in words_of(memory) for memory in self.live() if may_see(memory, viewer))
            assert occurrences(self.store, [part], viewer) == {part: expected}

    @rule(viewer=viewers)
    def count(self, viewer: Viewer) -> None:
        assert self.store.count(viewer) == sum(may_see(memory, viewer) for memory in self.live())

    @rule(prefix=st.sampled_from(["", "a", "b1", "b"]))
    def with_prefix(self, prefix: str) -> None:
        expected = sorted(memory_id for memory_id in self.model if memory_id.startswith(prefix))
        assert [memory.id for memory in self.store.with_prefix(prefix, limit=4)] == expected[:4]

    @rule(days_ago=days)
    def forgotten(self, days_ago: int) -> None:
        moment = NOW - timedelta(days=days_ago)
        expected = {m.id for m in self.model.values() if m.forgotten_at is not None and m.forgotten_at <= moment}
        assert set(self.store.find_forgotten_before(moment)) == expected

    @rule(memory_id=ids)
    def predecessors(self, memory_id: MemoryId) -> None:
        expected = [memory for memory in self.model.values() if memory.superseded_by == memory_id]
        assert self.store.predecessors(memory_id) == expected

    @invariant()
    def everything_is_there(self) -> None:
        kept = [memory for memory in self.model.values() if memory.forgotten_at is None]
        assert list(self.store.everything()) == kept
        assert self.store.count() == len(kept)
        assert count_unembedded(self.store, EMBEDS.model) == len(kept) - len(self.meant)

    def live(self) -> Iterable[Memory]:
        return (memory for memory in self.model.values() if memory.is_live)


class InMemoryStoreMachine(StoreMachine):
    def open(self) -> SqliteStore:
        return SqliteStore(None)

    def open_beside(self) -> SqliteStore:
        return self.store

    def reopen(self) -> None:
        """No rule here: what is in memory ends with it."""


TestFile = StoreMachine.TestCase
TestMemory = InMemoryStoreMachine.TestCase
TestFile.settings = settings(
    max_examples=60,
    stateful_step_count=40,
    deadline=None,
    derandomize=True,
    phases=set(Phase) - {Phase.explain},  # which takes minutes here and tells little
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
TestMemory.settings = settings(TestFile.settings)
