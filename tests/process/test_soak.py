"""A few rounds of `make soak`."""

from pathlib import Path

import pytest

from tests.process.soak import soak
from tests.requirements import covers

pytestmark = pytest.mark.alone

ROUNDS, FOR_S = 4, 8.0  # no round begins later


@covers("REL-1")
def test_killed_at_random_points_nothing_acknowledged_is_lost_and_nothing_forgotten_comes_back(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder: Path = tmp_path_factory.mktemp("home")
    played = soak(folder, ROUNDS, seed=19, say=lambda _: None, for_s=FOR_S)
    assert played.failures == []
    assert played.counted["acknowledged writes"] > 0
