"""Who sees what: search, newest, occurrences and count tell the same story. The rule itself is `privacy.visibility`."""

from typing import Any

import pytest

from recollect.domain.memory import Kind, Memory, MemoryId, Role, Sensitivity, SessionId, Source, Viewer
from recollect.engine.ports import Store
from tests.builders import NOW, OTHER_PROJECT, PROJECT, a_draft, a_memory
from tests.searching import memories_found, occurrences

HERE = Viewer(project=PROJECT, session=SessionId("s1"))
THERE = Viewer(project=OTHER_PROJECT, session=SessionId("s2"))
SHARING = Viewer(project=OTHER_PROJECT, shares_preferences=True)
NOWHERE = Viewer()
IN_SESSION = Source(role=Role.USER, session=SessionId("s1"))


def finds(store: Store, viewer: Viewer, *, injectable: bool = False) -> bool:
    return bool(memories_found(store, ["cach"], viewer, limit=10, injectable=injectable))


def lists(store: Store, viewer: Viewer) -> bool:
    return bool(store.newest(viewer, limit=10))


def test_a_preference_is_shared_with_those_who_share_preferences(store: Store) -> None:
    store.add(a_memory("Prefers a small cache.", kind=Kind.PREFERENCE))
    for viewer, sees in ((HERE, True), (THERE, False), (SHARING, True), (NOWHERE, False)):
        assert finds(store, viewer) is finds(store, viewer, injectable=True) is lists(store, viewer) is sees, viewer
        assert occurrences(store, ["cach"], viewer) == {"cach": int(sees)}


@pytest.mark.parametrize("sensitivity", [Sensitivity.SESSION, Sensitivity.RESTRICTED])
def test_a_preference_that_is_more_than_private_is_not_shared(store: Store, sensitivity: Sensitivity) -> None:
    store.add(a_memory("Prefers a cache.", kind=Kind.PREFERENCE, sensitivity=sensitivity, source=IN_SESSION))
    assert not finds(store, SHARING)
    assert not lists(store, SHARING)


def test_what_is_no_preference_is_not_shared(store: Store) -> None:
    store.add(a_memory("The cache is Redis.", kind=Kind.RULE))
    assert not finds(store, SHARING)
    assert not lists(store, SHARING)


def test_what_is_public_is_seen_from_every_project_and_from_none(store: Store) -> None:
    store.add(a_memory("The cache is Redis.", sensitivity=Sensitivity.PUBLIC))
    for viewer in (HERE, THERE, SHARING, NOWHERE):
        assert finds(store, viewer, injectable=True), viewer
        assert lists(store, viewer), viewer


def test_what_is_for_one_session_is_seen_in_it_alone(store: Store) -> None:
    store.add(a_memory("The cache is off.", sensitivity=Sensitivity.SESSION, source=IN_SESSION))
    elsewhere = Viewer(project=PROJECT, session=SessionId("s2"))
    for viewer, sees in ((HERE, True), (elsewhere, False), (Viewer(project=PROJECT), False), (THERE, False)):
        assert finds(store, viewer) is finds(store, viewer, injectable=True) is lists(store, viewer) is sees, viewer


def test_what_is_for_one_session_but_came_from_none_is_seen_by_nobody(store: Store) -> None:
    store.add(a_memory("The cache is off.", sensitivity=Sensitivity.SESSION))
    for viewer in (HERE, Viewer(project=PROJECT)):
        assert not finds(store, viewer)
        assert not lists(store, viewer)


def test_what_is_restricted_is_counted_and_listed_where_it_holds(store: Store) -> None:
    store.add(a_memory("The cache key is in the vault.", sensitivity=Sensitivity.RESTRICTED))
    assert finds(store, HERE)
    assert not finds(store, HERE, injectable=True)
    assert lists(store, HERE)
    assert (finds(store, THERE), lists(store, THERE)) == (False, False)
    assert (occurrences(store, ["cach"], HERE), store.count(HERE)) == ({"cach": 1}, 1)


@pytest.mark.parametrize(
    "fields", [{"superseded_by": MemoryId("m2")}, {"valid_to": NOW}, {"forgotten_at": NOW}], ids=lambda f: next(iter(f))
)
@pytest.mark.parametrize("sensitivity", [Sensitivity.PUBLIC, Sensitivity.PROJECT, Sensitivity.RESTRICTED])
def test_what_no_longer_holds_is_found_by_nobody(
    store: Store, fields: dict[str, Any], sensitivity: Sensitivity
) -> None:
    past = a_memory("The cache is Redis.", kind=Kind.PREFERENCE, sensitivity=sensitivity, **fields)
    store.add(past)
    for viewer in (HERE, THERE, SHARING):
        assert not finds(store, viewer)
        assert not lists(store, viewer)
        assert store.count(viewer) == occurrences(store, ["cach"], viewer)["cach"] == 0
    assert store.find_same(a_draft("The cache is Redis.", kind=Kind.PREFERENCE)) is None
    assert store.get(past.id) == past


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, {"sensitivity": Sensitivity.RESTRICTED}),
        ({}, {"sensitivity": Sensitivity.PUBLIC}),
        ({}, {"kind": Kind.PREFERENCE}),
        ({"sensitivity": Sensitivity.SESSION, "source": IN_SESSION}, {"sensitivity": Sensitivity.PROJECT}),
        ({}, {"scope": f"project:{OTHER_PROJECT}"}),
        ({}, {"superseded_by": MemoryId("m2")}),
        ({}, {"forgotten_at": NOW}),
        ({"forgotten_at": NOW}, {}),
    ],
)
def test_an_update_changes_who_sees_it_as_if_it_had_been_written_so(
    store: Store, before: dict[str, Any], after: dict[str, Any]
) -> None:
    def seen_by_each() -> list[tuple[bool, bool, bool]]:
        viewers = (HERE, THERE, SHARING, NOWHERE)
        return [(finds(store, v), finds(store, v, injectable=True), lists(store, v)) for v in viewers]

    def as_written(memory: Memory) -> list[tuple[bool, bool, bool]]:
        store.purge([memory.id])
        store.add(memory)
        return seen_by_each()

    memory = a_memory("The cache is Redis.", **(before | after))
    store.add(a_memory("The cache is Redis.", **before))
    store.update(memory)
    assert seen_by_each() == as_written(memory)
