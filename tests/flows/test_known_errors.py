"""An error that one session met and fixed is answered in another one; an error that only looks like it is not."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from recollect.domain.memory import SessionId
from recollect.store.sqlite.store import SqliteStore
from tests.builders import a_failure
from tests.driver import Engine
from tests.flows.conftest import engine_on
from tests.requirements import covers
from tests.unit.capture.episode_examples import EPISODES, Episode
from tests.unit.capture.hearing import lived


@pytest.fixture(scope="module")
def learnt() -> Iterator[Engine]:
    """All episodes were lived through, each in a session of its own."""
    store = SqliteStore(None)
    engine = engine_on(store)
    for episode in EPISODES:
        for event in lived(episode):
            engine.handle(replace(event, session=SessionId(episode.name)))
    while engine.learn_some():
        pass
    yield engine
    store.close()


@covers("CAP-3", "SCN-A10")
@pytest.mark.parametrize("episode", EPISODES, ids=lambda episode: episode.name)
def test_the_error_of_another_day_is_answered_with_its_fix_and_its_look_alike_with_nothing(
    learnt: Engine, episode: Episode
) -> None:
    block = learnt.handle(a_failure(episode.again, session=f"again: {episode.name}")).block
    assert bool(block) == (episode.learnt is not None)
    assert [word for word in episode.keeps if word not in block] == []
    assert learnt.handle(a_failure(episode.other, session=f"other: {episode.name}")).block == ""
