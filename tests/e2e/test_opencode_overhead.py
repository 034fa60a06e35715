"""What a turn costs with Recollect, beside the same turn without it; `make bench` prints the same figure."""

from statistics import median

import pytest

from tests.e2e.overhead import measured

pytestmark = pytest.mark.alone

TURNS = 10  # `make bench` takes more
NOT_MORE_THAN = 2.0  # far above what it is: the machine is not always ours alone


def test_a_turn_with_recollect_takes_about_as_long_as_one_without(
    tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    spent = measured(tmp_path_factory.mktemp("machines"), TURNS)
    ours, empty = median(spent.with_recollect), median(spent.with_an_empty_plugin)
    with capsys.disabled():
        print(f"\n  {TURNS} turns: {ours:.0f} ms, with an empty plugin {empty:.0f} ms: {ours / empty:.2f}")  # noqa: T201
    assert ours < NOT_MORE_THAN * empty
