from collections.abc import Callable
from datetime import timedelta
from itertools import count
from threading import Thread

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.domain.errors import InvalidValue, StoreError
from recollect.domain.memory import Kind, MemoryId, Role, Sensitivity, SessionId, Source, Viewer
from recollect.engine.ports import Store
from recollect.text.words import index_words
from tests.builders import NOW, OTHER_PROJECT, PROJECT, a_draft, a_memory

NUMBERS = count()
HERE = Viewer(project=PROJECT, language="go", session=SessionId("s1"))


def texts_found(store: Store, query: str, viewer: Viewer = HERE, *, injectable: bool = True) -> list[str]:
    return [m.text for m in store.search(index_words(query), viewer, limit=10, injectable=injectable)]


def test_a_memory_reads_back_as_it_was_written(store: Store) -> None:
    memory = a_memory(
        'Ünïcode, "quotes"; and 日本語',
        id=MemoryId("full"),
        title="A title",
        aliases=("one", "two"),
        sensitivity=Sensitivity.PUBLIC,
        importance=1.7,
        confidence=0.4,
        valid_to=NOW,
        superseded_by=MemoryId("later"),
        seen=3,
        source=Source(role=Role.ASSISTANT, host="opencode", session=SessionId("s"), message=None),
    )
    store.add(memory)
    assert store.get(MemoryId("full")) == memory
    assert store.get(MemoryId("none")) is None


def test_a_word_a_part_and_a_name_find_a_memory(store: Store) -> None:
    store.add(a_memory("parse_date in src/dates.py breaks on E1042."))
    for query in ("date", "parse_date", "src/dates.py", "breaking", "e1042"):
        assert texts_found(store, query) == ["parse_date in src/dates.py breaks on E1042."], query
    assert texts_found(store, "unrelated words") == []


def test_title_and_aliases_find_a_memory_too(store: Store) -> None:
    store.add(a_memory("Pipelines run on merge.", title="continuous integration", aliases=("gha",)))
    assert texts_found(store, "gha") == texts_found(store, "integration") == ["Pipelines run on merge."]


@pytest.mark.parametrize(
    "query", ['"', "a AND b", "NEAR(", "words:x", "*", "-", "^x", "(((", "scope : x", "'; DROP TABLE"]
)
def test_query_operators_are_only_words(store: Store, query: str) -> None:
    store.add(a_memory("Some text."))
    assert texts_found(store, query) == []


@given(text=st.text(min_size=1, max_size=80))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_word_of_a_memory_finds_it(store: Store, text: str) -> None:
    said = "x" + text.replace("\x00", " ").encode("utf-8", "ignore").decode()
    memory_id = MemoryId(f"m{next(NUMBERS)}")
    store.add(a_memory(said, id=memory_id))
    for word in set(index_words(said)):
        found = store.search([word], HERE, limit=1000, injectable=True)
        assert memory_id in {memory.id for memory in found}, word


def test_another_project_is_never_seen_unless_it_is_public(store: Store) -> None:
    store.add(a_memory("Secret cache of theirs.", id=MemoryId("a"), scope=f"project:{OTHER_PROJECT}"))
    store.add(
        a_memory("Public cache.", id=MemoryId("b"), scope=f"project:{OTHER_PROJECT}", sensitivity=Sensitivity.PUBLIC)
    )
    assert texts_found(store, "cache") == ["Public cache."]
    assert [memory.text for memory in store.newest(HERE, limit=10)] == ["Public cache."]


def test_what_holds_elsewhere_or_was_said_in_another_session_is_not_found(store: Store) -> None:
    theirs = Source(role=Role.USER, session=SessionId("s2"))
    store.add(a_memory("cache one", id=MemoryId("a"), scope="language:python"))
    store.add(a_memory("cache two", id=MemoryId("b"), scope="session:s2"))
    store.add(a_memory("cache three", id=MemoryId("c"), sensitivity=Sensitivity.SESSION, source=theirs))
    store.add(a_memory("cache four", id=MemoryId("d"), scope="language:go"))
    assert texts_found(store, "cache") == ["cache four"]
    assert [memory.text for memory in store.newest(HERE, limit=10)] == ["cache four"]


def test_public_opens_a_project_and_nothing_else(store: Store) -> None:
    for number, scope in enumerate(("language:python", "session:s2")):
        store.add(a_memory("cache", id=MemoryId(f"m{number}"), scope=scope, sensitivity=Sensitivity.PUBLIC))
    assert texts_found(store, "cache", injectable=False) == []
    assert store.newest(HERE, limit=10) == []


def test_an_update_is_found_by_its_new_words_and_no_longer_by_the_old(store: Store) -> None:
    store.add(a_memory("Old words."))
    store.update(a_memory("New sentence.", seen=2))
    assert texts_found(store, "old") == []
    assert texts_found(store, "sentence") == ["New sentence."]
    with pytest.raises(InvalidValue):
        store.update(a_memory("Nobody.", id=MemoryId("nobody")))


def test_restricted_memories_are_found_when_asked_for_and_never_for_injection(store: Store) -> None:
    store.add(a_memory("The vault is in Bern.", sensitivity=Sensitivity.RESTRICTED))
    assert texts_found(store, "vault") == []
    assert texts_found(store, "vault", injectable=False) == ["The vault is in Bern."]


def test_superseded_memories_step_aside(store: Store) -> None:
    store.add(a_memory("The port is 80.", id=MemoryId("old"), superseded_by=MemoryId("new")))
    store.add(a_memory("The port is 81.", id=MemoryId("new")))
    assert texts_found(store, "port") == ["The port is 81."]


def test_the_newest_come_first_and_only_of_the_kinds_and_days_asked_for(store: Store) -> None:
    for days, kind in ((5, Kind.DECISION), (1, Kind.DECISION), (40, Kind.DECISION), (2, Kind.RULE)):
        store.add(a_memory(f"{kind} of {days} days", id=MemoryId(f"m{days}"), kind=kind, days_old=days))
    found = store.newest(HERE, limit=10, kinds=[Kind.DECISION], since=NOW - timedelta(days=30))
    assert [memory.text for memory in found] == ["decision of 1 days", "decision of 5 days"]
    assert [memory.id for memory in store.newest(HERE, limit=2)] == ["m1", "m2"]


def test_the_same_words_in_the_same_kind_and_scope_are_the_same(store: Store) -> None:
    store.add(a_memory("Use  Redis\nfor caching.", id=MemoryId("r")))
    same = store.find_same(a_draft("use redis for CACHING."))
    assert same is not None
    assert same.id == "r"
    assert store.find_same(a_draft("use redis for caching.", kind=Kind.RULE)) is None
    assert store.find_same(a_draft("use redis for caching.", scope="universal")) is None


def test_words_are_counted_where_the_viewer_is(store: Store) -> None:
    store.add(a_memory("helm helm chart", id=MemoryId("a")))
    store.add(a_memory("Helm", id=MemoryId("b")))
    store.add(a_memory("Helm of another project", id=MemoryId("c"), scope=f"project:{OTHER_PROJECT}"))
    assert store.occurrences(["helm", "chart", "none"], HERE) == {"helm": 2, "chart": 1, "none": 0}
    assert (store.count(HERE), store.count()) == (2, 3)


def test_a_transaction_is_kept_whole_or_not_at_all(store: Store) -> None:
    def interrupted() -> None:
        with store.writing():
            store.add(a_memory("Half.", id=MemoryId("half")))
            assert store.get(MemoryId("half")) is not None
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert store.get(MemoryId("half")) is None
    assert texts_found(store, "half") == []


def test_an_id_is_used_once(store: Store) -> None:
    store.add(a_memory("One."))
    with pytest.raises(StoreError):
        store.add(a_memory("Two."))
    assert store.count() == 1


def test_threads_write_and_read_side_by_side(store: Store) -> None:
    def work(number: int) -> None:
        for n in range(25):
            store.add(a_memory(f"thread {number} fact {n}", id=MemoryId(f"t{number}-{n}")))
            assert store.search(["fact"], HERE, limit=5, injectable=True)

    threads = [Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert store.count() == 100


def test_what_one_process_wrote_another_reads(reopen: Callable[[], Store]) -> None:
    first, second = reopen(), reopen()
    first.add(a_memory("Written here."))
    assert texts_found(second, "written") == ["Written here."]
