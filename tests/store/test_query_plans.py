"""No reading grows with the store: each goes along an index. Asserted on SQLite's own plans, never on times."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from recollect.domain.changes import ChangeAction, ChangeId
from recollect.domain.injection import Injection, LogEntry, Placement
from recollect.domain.memory import Kind, Memory, MemoryId, MessageId, ProjectId, Sensitivity, SessionId, Viewer
from recollect.domain.search import EmbeddedItem, Filters
from recollect.domain.session import Recap, Session, Summary
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, a_draft, a_memory, a_turn
from tests.counting import count_unembedded
from tests.searching import memories_found, occurrences, turns_found
from tests.vectors import MODEL, asking, axis

PROJECTS = [ProjectId(f"git:example.org/team/app{n}") for n in range(50)]
SESSIONS = [SessionId(f"s{n}") for n in range(40)]
VIEWER = Viewer(project=PROJECTS[7], language="go", session=SESSIONS[3], shares_preferences=True)
KINDS, SENSITIVITIES = list(Kind), [*[Sensitivity.PROJECT] * 9, Sensitivity.PUBLIC, Sensitivity.RESTRICTED]
TABLES = "memory|turn|injection|change|session|deed|project_alias|trace|newer|memory_vector|turn_vector|turn_change"
FULL_SCAN = re.compile(rf"SCAN ({TABLES})\b")
EVERY_FILTER = Filters(
    kinds=frozenset([Kind.RULE, Kind.DECISION]),
    scope=f"project:{PROJECTS[7]}",
    since=NOW - timedelta(days=300),
    until=NOW,
    as_of=NOW - timedelta(days=1),
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteStore]:
    opened = SqliteStore(Path(tmp_path_factory.mktemp("plans")) / "recollect.db")
    with opened.transaction():
        fill(opened)
    yield opened
    opened.close()


def fill(store: SqliteStore) -> None:
    for n in range(10_000):
        store.add(
            a_memory(
                f"Fact {n} of the cache in area {n % 83}.",
                id=MemoryId(f"{n * 7919 % 100_003:06}"),
                scope="universal" if n % 100 == 0 else f"project:{PROJECTS[n % 50]}",
                kind=KINDS[n % len(KINDS)],
                sensitivity=SENSITIVITIES[n % len(SENSITIVITIES)],
                days_old=n % 400,
                superseded_by=MemoryId("000000") if n % 90 == 1 else None,
                forgotten_at=NOW if n % 300 == 2 else None,
            )
        )
    for n, session in enumerate(SESSIONS):
        project = PROJECTS[n % 50]
        store.begin_session(Session(id=session, host="opencode", project=project, language="go", started_at=NOW))
        store.note_aliases(project, [ProjectId(f"path:/src/{n}"), ProjectId("root:4f1e")], NOW)
        store.keep_recap(Recap(session=session, project=project, at=NOW, summary=Summary(asked="tidy up")))
        for m in range(20):
            name = MessageId(f"m{m}") if m else None
            block = Injection(placement=Placement.MESSAGE, block="...", ids=(MemoryId("000000"),))
            store.record(LogEntry(session=session, context=0, message=name, injection=block, at=NOW, took_ms=1.0))
        store.add_turns(a_turn(f"About the cache {m}.", session=session, message=f"m{m}") for m in range(20))
    for waiting in (store.next_unembedded(MODEL, limit=2000), store.next_unembedded(MODEL, limit=9000)[-800:]):
        store.keep_vectors(MODEL, [EmbeddedItem(what=what, vectors=(axis(0), axis(0))) for what in waiting])
    for n in range(500):
        deed = store.begin_change(ChangeAction.REMEMBER, NOW, "cli")
        store.note_memory_change(deed, MemoryId(f"{n % 90 * 7919 % 100_003:06}"), None)


LIKE = Session(id=SessionId("new"), host="opencode", project=PROJECTS[3], language="go", started_at=NOW)
READINGS: dict[str, Callable[[SqliteStore], object]] = {
    "get": lambda store: store.get(MemoryId("000000")),
    "with_prefix": lambda store: store.with_prefix("0079", limit=5),
    "find_same": lambda store: store.find_same(a_draft("fact 1 of the cache in area 1.")),
    "search": lambda store: memories_found(store, ["cach", "area"], VIEWER, limit=10, injectable=True),
    "newest": lambda store: store.newest(VIEWER, limit=10),
    "newest, some": lambda s: s.newest(VIEWER, limit=9, kinds=[Kind.RULE], since=NOW - timedelta(days=9)),
    "newest, outside": lambda store: store.newest(Viewer(), limit=10),
    "occurrences": lambda store: occurrences(store, ["cach", "area"], VIEWER),
    "count": lambda store: store.count(VIEWER),
    "everything of a project": lambda store: list(store.everything(PROJECTS[7])),
    "predecessors": lambda store: store.predecessors(MemoryId("000000")),
    "forgotten_before": lambda store: store.find_forgotten_before(NOW),
    "memories_in": lambda store: store.memory_ids_in(PROJECTS[7]),
    "session": lambda store: store.session(SESSIONS[3]),
    "sessions_in": lambda store: store.session_ids_in(PROJECTS[7]),
    "sent_with": lambda store: store.find_sent(SESSIONS[3], [MessageId("m1"), MessageId("m2")]),
    "stable": lambda store: store.start_block(SESSIONS[3], 0),
    "in_context": lambda store: store.log_of_context(SESSIONS[3], 0),
    "sent_with, why": lambda store: store.find_sent(SESSIONS[3], [MessageId("m1"), MessageId("m2")], why=True),
    "session_sent_at": lambda store: store.find_session_by_times([NOW, NOW - timedelta(days=1)], like=LIKE),
    "taught_only_by": lambda store: store.candidates_only_from(SESSIONS[3]),
    "log_of": lambda store: store.log_of(SESSIONS[3]),
    "usage of a session": lambda store: store.usage(SESSIONS[3]),
    "sessions_with_prefix": lambda store: store.sessions_with_prefix("s1", limit=5),
    "ended": lambda store: store.find_ended([MemoryId("000000"), MemoryId("007919")]),
    "recap": lambda store: store.recap(SESSIONS[3]),
    "recaps": lambda store: store.recaps(PROJECTS[7], limit=5),
    "deed": lambda store: store.find_change(ChangeId(7)),
    "changes_in": lambda store: store.memory_changes_in(ChangeId(7)),
    "changes_of": lambda store: store.memory_changes_of(MemoryId("000000")),
    "changed_since": lambda store: store.find_changed_since(ChangeId(7), [MemoryId("000000"), MemoryId("007919")]),
    "known_as": lambda store: store.find_by_aliases([ProjectId("root:4f1e"), ProjectId("path:/src/3")]),
    "aliases_of": lambda store: store.aliases_of(PROJECTS[7]),
    "look_up": lambda store: store.look_up(["cach", "area"], VIEWER),
    "look_up, past": lambda store: store.look_up(["cach", "area"], VIEWER, past=True),
    "search by meaning": lambda store: store.search(store.look_up(["cach"], VIEWER), asking(), limit=10),
    "search by meaning, filtered": lambda store: store.search(
        store.look_up(["cach"], VIEWER, past=True), asking(), limit=10, filters=EVERY_FILTER
    ),
    "look_up_turns": lambda store: store.look_up_turns(["cach"], PROJECTS[7], filters=EVERY_FILTER),
    "turn_cosines": lambda store: store.turn_cosines(store.look_up_turns([], PROJECTS[7]), asking()),
    "passage_cosines": lambda store: store.passage_cosines([1, 2, 3], axis(0)),
    "passage_vectors": lambda store: store.passage_vectors({1: 0, 2: 0}),
    "turns": lambda store: store.turns([1, 2, 3]),
    "unembedded": lambda store: count_unembedded(store, MODEL),
    "next_unembedded": lambda store: store.next_unembedded(MODEL, limit=5),
    "next_unembedded, turns": lambda store: with_memories_embedded(store).next_unembedded(MODEL, limit=5),
    "search_turns": lambda store: turns_found(store, ["cach"], PROJECTS[7], limit=5),
}


def with_memories_embedded(store: SqliteStore) -> SqliteStore:
    while isinstance((waiting := store.next_unembedded(MODEL, limit=2000))[0].of, Memory):
        store.keep_vectors(
            MODEL, [EmbeddedItem(what=what, vectors=(axis(0),)) for what in waiting if isinstance(what.of, Memory)]
        )
    return store


@pytest.mark.parametrize("name", READINGS)
def test_a_reading_goes_along_an_index(store: SqliteStore, name: str) -> None:
    told = plans(store, READINGS[name])
    assert told, "nothing was read"
    assert not [line for line in told if FULL_SCAN.match(line)], "\n".join(told)


@pytest.mark.parametrize("name", [name for name in READINGS if name.startswith("newest")])
def test_the_newest_are_the_first_of_an_index_and_need_no_sorting(store: SqliteStore, name: str) -> None:
    told = plans(store, READINGS[name])
    assert not [line for line in told if "ORDER BY" in line], "\n".join(told)


def test_the_last_sessions_of_a_project_are_the_first_of_an_index(store: SqliteStore) -> None:
    told = plans(store, READINGS["recaps"])
    assert any("recap_by_project" in line for line in told), "\n".join(told)


def test_the_last_session_of_all_is_at_the_end_of_an_index(store: SqliteStore) -> None:
    told = plans(store, lambda store: store.last_session())
    assert "SCAN injection USING COVERING INDEX injection_by_time" in told, "\n".join(told)
    assert not [line for line in told if "ORDER BY" in line], "\n".join(told)


def test_counting_reads_no_row(store: SqliteStore) -> None:
    told = plans(store, READINGS["count"])
    assert not [line for line in told if " memory " in f"{line} "], "\n".join(told)


@pytest.mark.parametrize("name", ["look_up", "look_up, past"])
def test_looking_up_words_reads_no_row(store: SqliteStore, name: str) -> None:
    told = plans(store, READINGS[name])
    tables = {line.partition(" VIRTUAL TABLE")[0] for line in told if " VIRTUAL TABLE" in line}
    assert tables == {"SCAN memory_words"}, "\n".join(told)
    assert not [line for line in told if " memory " in f"{line} "], "\n".join(told)


def test_what_was_said_before_a_turn_is_the_first_of_an_index(store: SqliteStore) -> None:
    """A session may be long: to look through all of it for each of its turns would take the square of its length."""
    told = plans(store, READINGS["next_unembedded, turns"])
    assert any("turn_by_session" in line for line in told), "\n".join(told)
    assert not [line for line in told if "ORDER BY" in line], "\n".join(told)


def test_a_search_makes_no_more_statements_in_a_larger_store_or_for_more_hits(store: SqliteStore) -> None:
    def statements(limit: int) -> int:
        return len(made_by(store, lambda s: s.search(s.look_up(["cach", "area"], VIEWER), asking(), limit=limit)))

    statements(5)  # the first one also fetches the vectors
    assert statements(5) == statements(200) < 9


def test_later_changes_are_looked_up_by_memory_not_among_all_later_deeds(store: SqliteStore) -> None:
    told = plans(store, READINGS["changed_since"])
    assert any("change_by_memory" in line for line in told), "\n".join(told)


def plans(store: SqliteStore, reading: Callable[[SqliteStore], object]) -> list[str]:
    """The plans of the statements that a reading really makes."""
    made = made_by(store, reading)
    with store._database.read() as connection:
        return [row["detail"] for sql in made for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}")]


def made_by(store: SqliteStore, reading: Callable[[SqliteStore], object]) -> list[str]:
    made: list[str] = []
    with store._database.read() as connection:  # the next reading gets the same one
        connection.set_trace_callback(made.append)
    reading(store)
    with store._database.read() as connection:
        connection.set_trace_callback(None)
    return [sql for sql in made if sql.lstrip().upper().startswith(("SELECT", "WITH"))]
