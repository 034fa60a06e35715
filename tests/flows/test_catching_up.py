"""Whoever searches gives a meaning to what was taught a moment ago; a daemon's background does the rest."""

from dataclasses import replace

import pytest

from recollect.engine.memories.embedding import FEW_LEFT, embed_briefly
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, a_draft
from tests.flows.conftest import engine_on
from tests.vectors import ConceptModel


@pytest.mark.parametrize(
    ("taught", "has_background", "left"),
    [(FEW_LEFT, True, 0), (FEW_LEFT + 1, True, FEW_LEFT + 1), (FEW_LEFT + 1, False, 0)],
)
def test_where_a_background_works_nobody_who_searches_does_its_work(
    taught: int, has_background: bool, left: int
) -> None:
    store, model = SqliteStore(None), ConceptModel()
    engine = engine_on(store, model=model)
    for number in range(taught):
        engine.remember(a_draft(f"The service number {number} listens on port {9000 + number}."))
    ctx = replace(engine.context(None, NOW), is_resident=has_background)
    assert embed_briefly(ctx, model, turns=False).memories == left
    store.close()
