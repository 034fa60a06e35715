"""Two projects become one, and two again."""

import pytest

from recollect.domain.changes import ChangeAction, ChangeId
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Memory, MemoryId, ProjectId, Scope, Sensitivity, SessionId, Viewer
from recollect.domain.session import Session
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, OTHER_PROJECT, PROJECT, a_draft, a_memory, a_turn
from tests.driver import Engine
from tests.searching import memories_found, turns_found

OLD, NEW, THIRD = OTHER_PROJECT, PROJECT, ProjectId("git:example.org/shop/third")
ROOT, OLD_PATH, NEW_PATH = (ProjectId(alias) for alias in ("root:4f1e", "path:/old", "path:/new"))
IN_OLD, IN_NEW = f"project:{OLD}", f"project:{NEW}"


def join(engine: Engine, source: ProjectId = OLD, into: ProjectId = NEW) -> ChangeId:
    return engine.join(source, into, at=NOW, by="cli")


def begin(store: SqliteStore, session: str, project: ProjectId) -> None:
    store.begin_session(Session(id=SessionId(session), host="opencode", project=project, language=None, started_at=NOW))


def state(store: SqliteStore) -> dict[str, object]:
    """Everything that a join may touch."""
    projects = (OLD, NEW, THIRD)
    return {
        "memories": {m.id: m for m in store.with_prefix("", limit=1000)},
        "sessions": {project: store.session_ids_in(project) for project in projects},
        "turns": {project: turns(store, project) for project in projects},
        "aliases": {project: store.aliases_of(project) for project in projects},
        "found": {project: found(store, project) for project in projects},
    }


def turns(store: SqliteStore, project: ProjectId) -> list[str]:
    return sorted(turn.text for turn in turns_found(store, ["deploy"], project, limit=99))


def found(store: SqliteStore, project: ProjectId) -> list[str]:
    viewer = Viewer(project=project)
    return sorted(m.id for m in memories_found(store, ["deploy"], viewer, limit=99, injectable=False))


@pytest.fixture
def two_projects(store: SqliteStore) -> SqliteStore:
    """With everything that two projects can have, some of it in common."""
    for memory_id, text, scope, fields in (
        ("old", "We deploy with Helm.", IN_OLD, {}),
        ("twin", "We DEPLOY on  merge.", IN_OLD, {"seen": 3}),
        ("past", "We deploy by hand.", IN_OLD, {"superseded_by": MemoryId("old")}),
        ("gone", "We deploy to Mars.", IN_OLD, {"forgotten_at": NOW}),
        ("secret", "The deploy key.", IN_OLD, {"sensitivity": Sensitivity.RESTRICTED}),
        ("new", "Deploy at noon.", IN_NEW, {}),
        ("known", "We deploy on merge.", IN_NEW, {"seen": 2}),
        ("universal", "Deploy gently.", "universal", {}),
    ):
        store.add(a_memory(text, id=MemoryId(memory_id), scope=scope, **fields))
    begin(store, "s-old", OLD)
    begin(store, "s-new", NEW)
    store.add_turns(
        [
            a_turn("old deploy", session="s-old", project=OLD),
            a_turn("old deploy of a transcript", session="s-transcript", project=OLD),
            a_turn("new deploy", session="s-new"),
        ]
    )
    store.note_aliases(OLD, [ROOT, OLD_PATH], NOW)
    store.note_aliases(NEW, [ROOT, NEW_PATH], NOW)
    return store


def test_everything_of_one_project_belongs_to_the_other(engine: Engine, two_projects: SqliteStore) -> None:
    join(engine)
    left = (two_projects.memory_ids_in(OLD), two_projects.session_ids_in(OLD), turns(two_projects, OLD))
    assert left == ([], [], [])
    assert found(two_projects, OLD) == ["universal"]
    assert found(two_projects, NEW) == ["known", "new", "old", "secret", "universal"]
    assert two_projects.session_ids_in(NEW) == ["s-new", "s-old", "s-transcript"]
    assert turns(two_projects, NEW) == ["new deploy", "old deploy", "old deploy of a transcript"]
    session = two_projects.session(SessionId("s-old"))
    assert session is not None
    assert session.project == NEW


def test_a_joined_project_is_known_by_all_names_of_both(engine: Engine, two_projects: SqliteStore) -> None:
    join(engine)
    assert two_projects.aliases_of(NEW) == {ROOT, OLD_PATH, NEW_PATH, OLD}
    assert two_projects.find_by_aliases([OLD, OLD_PATH, ROOT]) == {OLD: {NEW}, OLD_PATH: {NEW}, ROOT: {NEW}}


def test_what_both_know_is_known_once(engine: Engine, two_projects: SqliteStore) -> None:
    join(engine)
    known, twin = memory(two_projects, "known"), memory(two_projects, "twin")
    assert (known.seen, known.is_live) == (5, True)
    assert (twin.superseded_by, twin.is_live, twin.scope) == ("known", False, Scope.project(NEW))
    assert [older.id for older in engine.history(known).before] == ["twin"]


def test_what_is_past_or_forgotten_moves_along_as_it_is(engine: Engine, two_projects: SqliteStore) -> None:
    join(engine)
    assert memory(two_projects, "past").superseded_by == "old"
    assert memory(two_projects, "gone").forgotten_at == NOW
    assert two_projects.memory_ids_in(NEW) == ["old", "twin", "past", "gone", "secret", "new", "known"]


def memory(store: SqliteStore, memory_id: str) -> Memory:
    kept = store.get(MemoryId(memory_id))
    assert kept is not None
    return kept


def test_undoing_a_join_restores_all_of_it(engine: Engine, two_projects: SqliteStore) -> None:
    before = state(two_projects)
    deed = join(engine)
    assert state(two_projects) != before
    undone = engine.undo(None, at=NOW, by="cli")
    assert (undone.deed.id, undone.deed.kind) == (deed, ChangeAction.JOIN)
    assert state(two_projects) == before


def test_undoing_the_undo_joins_them_again(engine: Engine, two_projects: SqliteStore) -> None:
    join(engine)
    joined = state(two_projects)
    undone = engine.undo(None, at=NOW, by="cli")
    engine.undo(undone.by, at=NOW, by="cli")
    assert state(two_projects) == joined


def test_what_came_after_a_join_stays_where_it_is_when_it_is_undone(engine: Engine, two_projects: SqliteStore) -> None:
    join(engine)
    begin(two_projects, "s-later", NEW)
    later = engine.remember(a_draft("We deploy later.")).memory
    joined = engine.changes(limit=2)[1].id
    engine.undo(joined, at=NOW, by="cli")
    assert two_projects.session_ids_in(NEW) == ["s-later", "s-new"]
    assert later.id in two_projects.memory_ids_in(NEW)


@pytest.mark.usefixtures("two_projects")
def test_a_join_is_not_undone_while_something_is_built_on_it(engine: Engine) -> None:
    joined = join(engine)
    engine.remember(a_draft("We deploy with Helm."))
    with pytest.raises(InvalidValue, match="old changed since"):
        engine.undo(joined, at=NOW, by="cli")


def test_a_join_is_not_undone_before_a_later_one_that_took_it_along(engine: Engine, store: SqliteStore) -> None:
    store.note_aliases(OLD, [OLD_PATH], NOW)
    first = join(engine)
    second = join(engine, NEW, THIRD)
    before = state(store)
    with pytest.raises(InvalidValue, match="a later change moved it"):
        engine.undo(first, at=NOW, by="cli")
    assert state(store) == before
    for deed in (second, first):
        engine.undo(deed, at=NOW, by="cli")
    assert store.aliases_of(OLD) == {OLD_PATH}
    assert store.aliases_of(NEW) == store.aliases_of(THIRD) == frozenset()


def test_a_path_that_another_project_took_since_stays_there(engine: Engine, two_projects: SqliteStore) -> None:
    join(engine)
    two_projects.note_aliases(THIRD, [OLD_PATH], NOW)
    engine.undo(None, at=NOW, by="cli")
    assert two_projects.aliases_of(THIRD) == {OLD_PATH}
    assert two_projects.aliases_of(OLD) == {ROOT}


def test_forgetting_what_both_knew_forgets_it_twice(engine: Engine, two_projects: SqliteStore) -> None:
    join(engine)
    joined = state(two_projects)
    engine.forget([MemoryId("known")], at=NOW, by="cli")
    assert "twin" not in {m.id for m in engine.all_memories()}
    engine.undo(None, at=NOW, by="cli")
    assert state(two_projects) == joined
    assert engine.forget_now([MemoryId("known")], at=NOW, by="cli").is_clean
    assert two_projects.get(MemoryId("twin")) is None


@pytest.mark.parametrize("into", [OLD, NEW])
def test_what_cannot_be_joined_is_said(engine: Engine, into: ProjectId) -> None:
    with pytest.raises(InvalidValue, match=r"already this project|There is no project"):
        join(engine, OLD, into)
    assert engine.changes(limit=5) == []
