"""Searching a store by words alone, as the engine does it."""

from collections.abc import Sequence

from recollect.domain.memory import Memory, ProjectId, Viewer
from recollect.domain.session import Turn
from recollect.engine.ports import Store
from recollect.rank.archive import rank


def memories_found(store: Store, words: Sequence[str], viewer: Viewer, *, limit: int, injectable: bool) -> list[Memory]:
    sighting = store.look_up(words, viewer, injectable=injectable)
    return [one.memory for one in store.search(sighting, None, limit=limit)]


def occurrences(store: Store, words: Sequence[str], viewer: Viewer) -> dict[str, int]:
    sighting = store.look_up(words, viewer)
    return {word: sighting.occurrences.get(word, 0) for word in words}


def turns_found(store: Store, words: Sequence[str], project: ProjectId | None, *, limit: int) -> list[Turn]:
    turns = store.look_up_turns(words, project)
    best = rank(turns, dict.fromkeys(words, 1.0), None).best(limit)
    return [turn for turn in store.turns(turns.numbers[best].tolist()) if turn is not None]
