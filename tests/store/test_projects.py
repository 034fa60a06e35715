"""What projects are known as, and what belongs to them."""

from datetime import datetime, timedelta

import pytest

from recollect.domain.memory import MemoryId, ProjectId, SessionId
from recollect.domain.project import ProjectFacts
from recollect.domain.session import Session
from recollect.engine.ports import Store
from tests.builders import NOW, OTHER_PROJECT, PROJECT, a_memory, a_turn

ROOT, PATH, REMOTE = (ProjectId(alias) for alias in ("root:4f1e", "path:/home/ada/api", "git:example.org/ada/api"))


def a_session(session: str, project: ProjectId | None = PROJECT, at: datetime = NOW) -> Session:
    return Session(id=SessionId(session), host="opencode", project=project, language=None, started_at=at)


def test_a_project_is_known_by_every_alias(store: Store) -> None:
    store.note_aliases(PROJECT, [ROOT, PATH], NOW)
    store.note_aliases(PROJECT, [REMOTE, PATH], NOW)
    assert store.aliases_of(PROJECT) == {ROOT, PATH, REMOTE}
    assert store.find_by_aliases([PATH, ProjectId("path:/else")]) == {PATH: {PROJECT}}
    assert store.find_by_aliases([]) == {}
    assert store.aliases_of(OTHER_PROJECT) == frozenset()


@pytest.mark.parametrize("alias", [PATH, REMOTE, ProjectId("name:api")])
def test_a_path_a_remote_or_a_name_goes_over_to_who_has_it_now(store: Store, alias: ProjectId) -> None:
    store.note_aliases(PROJECT, [alias], NOW)
    store.note_aliases(OTHER_PROJECT, [alias], NOW)
    assert store.find_by_aliases([alias]) == {alias: {OTHER_PROJECT}}
    assert store.aliases_of(PROJECT) == frozenset()


def test_forks_share_the_root_commit(store: Store) -> None:
    store.note_aliases(PROJECT, [ROOT, PATH], NOW)
    store.note_aliases(OTHER_PROJECT, [ROOT], NOW)
    assert store.find_by_aliases([ROOT, PATH]) == {ROOT: {PROJECT, OTHER_PROJECT}, PATH: {PROJECT}}


def test_aliases_are_dropped_from_one_project_only(store: Store) -> None:
    store.note_aliases(PROJECT, [ROOT, PATH, REMOTE], NOW)
    store.note_aliases(OTHER_PROJECT, [ROOT], NOW)
    store.drop_aliases(PROJECT, [ROOT, PATH, ProjectId("path:/never")])
    assert store.aliases_of(PROJECT) == {REMOTE}
    assert store.aliases_of(OTHER_PROJECT) == {ROOT}


def test_projects_are_listed_by_their_last_use_with_what_is_known_of_them(store: Store) -> None:
    store.add(a_memory("One.", id=MemoryId("a"), days_old=9))
    store.add(a_memory("Two.", id=MemoryId("b"), days_old=8, superseded_by=MemoryId("a")))
    store.add(a_memory("Gone.", id=MemoryId("c"), days_old=1, forgotten_at=NOW))
    store.add(a_memory("Everywhere.", id=MemoryId("d"), scope="universal"))
    store.note_aliases(PROJECT, [ROOT, PATH], NOW - timedelta(days=20))
    store.begin_session(a_session("s1", OTHER_PROJECT, NOW - timedelta(days=3)))
    store.begin_session(a_session("s2", None))
    store.note_aliases(ProjectId("aliased"), [REMOTE], NOW - timedelta(days=5))
    store.add_turns([a_turn("Archived.", project=ProjectId("archived"), at=NOW - timedelta(days=6))])
    assert [(facts.id, facts.memories, (NOW - facts.last_at).days) for facts in store.projects()] == [
        (OTHER_PROJECT, 0, 3),
        ("aliased", 0, 5),
        ("archived", 0, 6),
        (PROJECT, 2, 8),
    ]
    assert store.projects()[3] == ProjectFacts(
        id=PROJECT, memories=2, last_at=NOW - timedelta(days=8), aliases=(PATH, ROOT)
    )


def test_a_project_has_its_memories_also_those_that_nobody_sees(store: Store) -> None:
    store.add(a_memory("One.", id=MemoryId("a")))
    store.add(a_memory("Two.", id=MemoryId("b"), superseded_by=MemoryId("a")))
    store.add(a_memory("Three.", id=MemoryId("c"), forgotten_at=NOW))
    store.add(a_memory("Theirs.", id=MemoryId("d"), scope=f"project:{OTHER_PROJECT}"))
    store.add(a_memory("Everywhere.", id=MemoryId("e"), scope="universal"))
    assert store.memory_ids_in(PROJECT) == ["a", "b", "c"]
    assert store.memory_ids_in(ProjectId("unknown")) == []


def test_a_project_has_its_sessions_also_those_that_were_only_archived(store: Store) -> None:
    for session, project in (("s1", PROJECT), ("s2", OTHER_PROJECT), ("s3", None)):
        store.begin_session(a_session(session, project))
    store.add_turns([a_turn("Hello.", session="s1"), a_turn("From a transcript.", session="s4")])
    assert store.session_ids_in(PROJECT) == ["s1", "s4"]


def test_moved_sessions_belong_to_the_other_project(store: Store) -> None:
    for session in ("s1", "s2", "s3"):
        store.begin_session(a_session(session))
    store.move_sessions([SessionId("s1"), SessionId("s3"), SessionId("unknown")], OTHER_PROJECT)
    assert store.session_ids_in(PROJECT) == ["s2"]
    assert store.session_ids_in(OTHER_PROJECT) == ["s1", "s3"]
    moved = store.session(SessionId("s1"))
    assert moved is not None
    assert moved.project == OTHER_PROJECT
