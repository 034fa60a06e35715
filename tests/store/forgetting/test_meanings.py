"""Of what is forgotten, its meaning goes too: the bytes of its vectors are in no file."""

import random
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recollect.domain.memory import Memory, Scope
from recollect.domain.session import Turn
from recollect.domain.vector import Vector
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, a_turn
from tests.requirements import covers
from tests.store.forgetting.victim import VICTIM, among_others, back_up, engine_on, left_in, the_victim
from tests.vectors import MODEL, any_vector, as_halves, embed_all


class Meanings:
    """Every text gets vectors that no other text has, so that one can look for their bytes."""

    def __init__(self) -> None:
        self._chance = np.random.default_rng(3)
        self._made: dict[str, list[Vector]] = {}

    def of(self, what: Memory | Turn) -> list[Vector]:
        many = 1 if isinstance(what, Memory) else 1 + len(what.text) % 8
        self._made[what.text] = [any_vector(self._chance) for _ in range(many)]
        return self._made[what.text]

    def pieces(self, *texts: str) -> set[bytes]:
        """A vector may lie on several pages, and parts of it are too much already."""
        halves = [as_halves(vector) for text in texts for vector in self._made[text]]
        return {each[at : at + 32] for each in halves for at in range(0, len(each), 32)}


@covers("PRI-7")
@pytest.mark.parametrize("busy", [False, True], ids=["at rest", "after much was moved and forgotten"])
def test_forgotten_now_means_that_nothing_is_left_of_its_meaning(path: Path, store: SqliteStore, busy: bool) -> None:
    """Neither of its own, nor of what quoted it, nor of what was understood together with a quotation."""
    victim, meanings = the_victim(), Meanings()
    among_others(store, victim, others=500)
    quoting = f"As you said: {victim.text}"
    said = ["Before.", quoting, "The next one.", "The one after that."]
    store.add_turns([a_turn(text, message=f"m{n}", at=NOW + timedelta(n)) for n, text in enumerate(said)])
    embed_all(store, meanings.of)
    if busy:
        chance, others = random.Random(4), [memory for memory in store.everything() if memory.id != VICTIM]
        changes: list[dict[str, Any]] = [{"forgotten_at": NOW}, {"scope": Scope.parse("universal")}]
        with store.transaction():
            for memory in chance.sample(others, 300):
                store.update(replace(memory, **chance.choice(changes)))
    back_up(path, "schema-005-20260101T000000")
    gone, kept = meanings.pieces(victim.text, quoting, "The next one."), meanings.pieces("Before.")
    assert {name for name, _ in left_in(path.parent, gone)} >= {"schema-005-20260101T000000.db"}

    assert engine_on(store).forget_now([VICTIM], at=NOW, by="cli").is_clean

    assert left_in(path.parent, gone) == set()
    waiting = [what.of.text for what in store.next_unembedded(MODEL, limit=9)]
    assert waiting == ["The next one.", "As you said: [forgotten]."]
    store.close()
    assert {name for name, _ in left_in(path.parent, kept)} == {"recollect.db", "schema-005-20260101T000000.db"}


def test_plain_forgetting_lets_the_vector_go_at_once(path: Path, store: SqliteStore) -> None:
    meanings = Meanings()
    store.add(the_victim())
    embed_all(store, meanings.of)
    engine_on(store).forget([VICTIM], at=NOW, by="cli")
    store.close()
    assert left_in(path.parent, meanings.pieces(the_victim().text)) == set()
