from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from itertools import count
from threading import Thread

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.domain.changes import ChangeAction
from recollect.domain.errors import InvalidValue, StoreError
from recollect.domain.health import Health
from recollect.domain.memory import (
    Anchor,
    Kind,
    MemoryId,
    MessageId,
    ProjectId,
    Role,
    Sensitivity,
    SessionId,
    Source,
    Usage,
    Viewer,
)
from recollect.engine.ports import Store
from recollect.text.words import index_words
from tests.builders import NOW, OTHER_PROJECT, PROJECT, a_draft, a_memory
from tests.searching import memories_found, occurrences

NUMBERS = count()
HERE = Viewer(project=PROJECT, language="go", session=SessionId("s1"))


def texts_found(store: Store, query: str, viewer: Viewer = HERE, *, injectable: bool = True) -> list[str]:
    return [m.text for m in memories_found(store, index_words(query), viewer, limit=10, injectable=injectable)]


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
        found = memories_found(store, [word], HERE, limit=1000, injectable=True)
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


def test_what_only_one_session_sees_is_not_known_to_others(store: Store) -> None:
    theirs = Source(role=Role.USER, session=SessionId("s2"))
    store.add(a_memory("Use port 8443.", sensitivity=Sensitivity.SESSION, source=theirs))
    assert store.find_same(a_draft("Use port 8443.")) is None
    mine = Source(role=Role.USER, session=SessionId("s1"))
    assert store.find_same(a_draft("Use port 8443.", sensitivity=Sensitivity.SESSION, source=mine)) is None
    assert store.find_same(a_draft("Use port 8443.", sensitivity=Sensitivity.SESSION, source=theirs)) is not None


def test_words_are_counted_where_the_viewer_is(store: Store) -> None:
    store.add(a_memory("helm helm chart", id=MemoryId("a")))
    store.add(a_memory("Helm", id=MemoryId("b")))
    store.add(a_memory("Helm of another project", id=MemoryId("c"), scope=f"project:{OTHER_PROJECT}"))
    assert occurrences(store, ["helm", "chart", "none"], HERE) == {"helm": 2, "chart": 1, "none": 0}
    assert (store.count(HERE), store.count()) == (2, 3)


def test_a_transaction_is_kept_whole_or_not_at_all(store: Store) -> None:
    def interrupted() -> None:
        with store.transaction():
            store.add(a_memory("Half.", id=MemoryId("half")))
            assert store.get(MemoryId("half")) is not None
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert store.get(MemoryId("half")) is None
    assert texts_found(store, "half") == []


def test_a_failure_of_the_caller_is_not_taken_for_one_of_the_store(store: Store) -> None:
    def interrupted() -> None:
        with store.transaction():
            store.add(a_memory("Half.", id=MemoryId("half")))
            raise FileNotFoundError("the file that is imported")

    with pytest.raises(FileNotFoundError):
        interrupted()
    assert store.get(MemoryId("half")) is None


def test_an_id_is_used_once(store: Store) -> None:
    store.add(a_memory("One."))
    with pytest.raises(StoreError):
        store.add(a_memory("Two."))
    assert store.count() == 1


def test_threads_write_and_read_side_by_side(store: Store) -> None:
    def work(number: int) -> None:
        for n in range(25):
            store.add(a_memory(f"thread {number} fact {n}", id=MemoryId(f"t{number}-{n}")))
            assert memories_found(store, ["fact"], HERE, limit=5, injectable=True)

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


def test_everything_that_is_known_of_a_memory_reads_back(store: Store) -> None:
    memory = a_memory(
        "Full.",
        source=Source(role=Role.TOOL, host="h", session=SessionId("s"), message=MessageId("m"), agent="plan"),
        evidence=('She said: "so".', "また"),
        anchors=(Anchor("src/a.py", "4f1e"), Anchor("src/b.py")),
        use=Usage(shown=3, used=2, last_shown_at=NOW, last_used_at=NOW - timedelta(days=1)),
        forgotten_at=NOW,
    )
    store.add(memory)
    assert store.get(memory.id) == memory
    changed = replace(memory, use=replace(memory.use, shown=4), anchors=(), evidence=(), forgotten_at=None)
    store.update(changed)
    assert store.get(memory.id) == changed


def test_counting_once_more_changes_nothing_of_what_a_search_finds(store: Store) -> None:
    store.add(a_memory("Pipelines run on merge.", title="ci"))
    store.update(a_memory("Pipelines run on merge.", title="ci", seen=2, use=Usage(shown=1, last_shown_at=NOW)))
    assert texts_found(store, "merge") == texts_found(store, "ci") == ["Pipelines run on merge."]
    store.update(a_memory("Pipelines run on merge.", title="builds", seen=3))
    assert texts_found(store, "ci") == []
    assert texts_found(store, "builds") == ["Pipelines run on merge."]


def test_a_forgotten_memory_that_comes_back_is_found_again(store: Store) -> None:
    store.add(a_memory("Comes back.", forgotten_at=NOW))
    assert texts_found(store, "back") == []
    store.update(a_memory("Comes back."))
    assert texts_found(store, "back") == ["Comes back."]
    store.update(a_memory("Comes back.", forgotten_at=NOW))
    assert texts_found(store, "back") == []


def test_a_memory_is_found_by_the_beginning_of_its_id(store: Store) -> None:
    for memory_id in ("abd", "abc", "ab", "b", "a%c", "日本", "日本語"):
        store.add(a_memory(memory_id, id=MemoryId(memory_id)))
    store.add(a_memory("Forgotten.", id=MemoryId("abcd"), forgotten_at=NOW))
    assert ids_with(store, "ab") == ["ab", "abc", "abcd", "abd"]
    assert ids_with(store, "ab", limit=2) == ["ab", "abc"]
    assert ids_with(store, "日本") == ["日本", "日本語"]
    assert ids_with(store, "a%") == ["a%c"]
    assert ids_with(store, "c") == ids_with(store, "AB") == []


def ids_with(store: Store, prefix: str, *, limit: int = 10) -> list[str]:
    return [memory.id for memory in store.with_prefix(prefix, limit=limit)]


def test_everything_comes_in_the_order_in_which_it_came(store: Store) -> None:
    """More than a page of it, and some pages with nothing to show."""
    theirs = f"project:{OTHER_PROJECT}"
    with store.transaction():
        for n in range(3_500):
            forgotten = NOW if 1_000 <= n < 2_200 else None
            scope = theirs if n % 7 == 0 else f"project:{PROJECT}"
            store.add(a_memory(f"Fact {n}.", id=MemoryId(f"m{9_999 - n}"), scope=scope, forgotten_at=forgotten))
    kept = [n for n in range(3_500) if not 1_000 <= n < 2_200]
    assert [memory.text for memory in store.everything()] == [f"Fact {n}." for n in kept]
    assert [memory.text for memory in store.everything(OTHER_PROJECT)] == [f"Fact {n}." for n in kept if n % 7 == 0]
    assert list(store.everything(ProjectId("unknown"))) == []


def test_everything_can_be_changed_while_it_is_read(store: Store) -> None:
    for n in range(3):
        store.add(a_memory(f"Fact {n}.", id=MemoryId(f"m{n}")))
    for memory in store.everything():
        store.update(replace(memory, seen=5))
    assert [memory.seen for memory in store.everything()] == [5, 5, 5]


def test_a_memory_knows_what_it_took_the_place_of(store: Store) -> None:
    for memory_id in ("z", "a"):
        store.add(a_memory(memory_id, id=MemoryId(memory_id), superseded_by=MemoryId("new")))
    store.add(a_memory("new", id=MemoryId("new")))
    assert [memory.id for memory in store.predecessors(MemoryId("new"))] == ["z", "a"]
    assert store.predecessors(MemoryId("a")) == []


def test_memories_that_were_forgotten_wait_for_their_end(store: Store) -> None:
    for days in (1, 5, 9):
        store.add(a_memory(f"{days}", id=MemoryId(f"m{days}"), forgotten_at=NOW - timedelta(days=days)))
    store.add(a_memory("Kept.", id=MemoryId("kept")))
    assert store.find_forgotten_before(NOW - timedelta(days=5)) == ["m5", "m9"]
    assert store.find_forgotten_before(NOW - timedelta(days=10)) == []


def test_what_is_purged_is_gone_with_all_that_was_known_of_it(store: Store) -> None:
    store.add(a_memory("Purge me.", evidence=("Said so.",)))
    store.add(a_memory("Keep me.", id=MemoryId("kept")))
    deed = store.begin_change(ChangeAction.REMEMBER, NOW, "cli")
    for memory_id in (MemoryId("m1"), MemoryId("kept")):
        store.note_memory_change(deed, memory_id, None)
    assert store.purge([MemoryId("m1"), MemoryId("never was")]) == ["Purge me.", "Said so."]
    assert store.scrub(["Purge me."])
    assert store.get(MemoryId("m1")) is None
    assert texts_found(store, "me") == ["Keep me."]
    assert store.memory_changes_of(MemoryId("m1")) == []
    assert [change.memory for change in store.memory_changes_in(deed)] == ["kept"]
    assert [finding.health for finding in store.check()] == [Health.FINE]


def test_there_is_nothing_to_scrub_where_nothing_was_purged(store: Store) -> None:
    assert store.scrub()
