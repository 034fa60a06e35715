"""No reading grows with the store: each goes along an index. Asserted on SQLite's own plans, never on times."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from recollect.domain.history import DeedId, DeedKind
from recollect.domain.injection import Injection, Placement, Sent, Session
from recollect.domain.memory import Kind, MemoryId, MessageId, ProjectId, Sensitivity, SessionId, Viewer
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, a_draft, a_memory, a_turn
from tests.searching import memories_found, occurrences, turns_found

PROJECTS = [ProjectId(f"git:example.org/team/app{n}") for n in range(50)]
SESSIONS = [SessionId(f"s{n}") for n in range(40)]
VIEWER = Viewer(project=PROJECTS[7], language="go", session=SESSIONS[3], shares_preferences=True)
KINDS, SENSITIVITIES = list(Kind), [*[Sensitivity.PROJECT] * 9, Sensitivity.PUBLIC, Sensitivity.RESTRICTED]
FULL_SCAN = re.compile(r"SCAN (memory|turn|injection|change|session|deed|project_alias|trace)\b")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteStore]:
    opened = SqliteStore(Path(tmp_path_factory.mktemp("plans")) / "recollect.db")
    with opened.writing():
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
        for m in range(20):
            name = MessageId(f"m{m}") if m else None
            block = Injection(placement=Placement.MESSAGE, block="...", ids=(MemoryId("000000"),))
            store.record(Sent(session=session, context=0, message=name, injection=block, at=NOW, took_ms=1.0))
        store.add_turns(a_turn(f"About the cache {m}.", session=session, message=f"m{m}") for m in range(20))
    for n in range(500):
        deed = store.begin_deed(DeedKind.REMEMBER, NOW, "cli")
        store.note_change(deed, MemoryId(f"{n % 90 * 7919 % 100_003:06}"), None)


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
    "forgotten_before": lambda store: store.forgotten_before(NOW),
    "memories_in": lambda store: store.memories_in(PROJECTS[7]),
    "session": lambda store: store.session(SESSIONS[3]),
    "sessions_in": lambda store: store.sessions_in(PROJECTS[7]),
    "sent_with": lambda store: store.sent_with(SESSIONS[3], [MessageId("m1"), MessageId("m2")]),
    "stable": lambda store: store.stable(SESSIONS[3], 0),
    "in_context": lambda store: store.in_context(SESSIONS[3], 0),
    "deed": lambda store: store.deed(DeedId(7)),
    "changes_in": lambda store: store.changes_in(DeedId(7)),
    "changes_of": lambda store: store.changes_of(MemoryId("000000")),
    "changed_since": lambda store: store.changed_since(DeedId(7), [MemoryId("000000"), MemoryId("007919")]),
    "known_as": lambda store: store.known_as([ProjectId("root:4f1e"), ProjectId("path:/src/3")]),
    "aliases_of": lambda store: store.aliases_of(PROJECTS[7]),
    "search_turns": lambda store: turns_found(store, ["cach"], PROJECTS[7], limit=5),
}


@pytest.mark.parametrize("name", READINGS)
def test_a_reading_goes_along_an_index(store: SqliteStore, name: str) -> None:
    told = plans(store, READINGS[name])
    assert told, "nothing was read"
    assert not [line for line in told if FULL_SCAN.match(line)], "\n".join(told)


@pytest.mark.parametrize("name", [name for name in READINGS if name.startswith("newest")])
def test_the_newest_are_the_first_of_an_index_and_need_no_sorting(store: SqliteStore, name: str) -> None:
    told = plans(store, READINGS[name])
    assert not [line for line in told if "ORDER BY" in line], "\n".join(told)


def test_counting_reads_no_row(store: SqliteStore) -> None:
    told = plans(store, READINGS["count"])
    assert not [line for line in told if " memory " in f"{line} "], "\n".join(told)


def test_later_changes_are_looked_up_by_memory_not_among_all_later_deeds(store: SqliteStore) -> None:
    told = plans(store, READINGS["changed_since"])
    assert any("change_by_memory" in line for line in told), "\n".join(told)


def plans(store: SqliteStore, reading: Callable[[SqliteStore], object]) -> list[str]:
    """The plans of the statements that a reading really makes."""
    made: list[str] = []
    with store._database.read() as connection:  # the next reading gets the same one
        connection.set_trace_callback(made.append)
    reading(store)
    with store._database.read() as connection:
        connection.set_trace_callback(None)
        ours = [sql for sql in made if sql.lstrip().upper().startswith(("SELECT", "WITH"))]
        return [row["detail"] for sql in ours for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}")]
