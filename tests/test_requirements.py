"""The manifest and the tests say the same."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.requirements import DEFERRED, IDS


def covered_ids() -> Iterator[str]:
    """The ids in `@covers(...)` of every test, read from the source: it does not matter which tests run."""
    for path in Path(__file__).parent.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "covers":
                for argument in node.args:
                    assert isinstance(argument, ast.Constant), f"{path}: an id is written out"
                    yield str(argument.value)


def test_every_id_is_covered_by_a_test_or_listed_with_what_is_missing() -> None:
    covered = set(covered_ids())
    assert covered <= IDS, "a test names an id that does not exist"
    assert set(DEFERRED) <= IDS, "the manifest names an id that does not exist"
    assert covered.isdisjoint(DEFERRED), "covered by a test: take it out of DEFERRED"
    assert covered | set(DEFERRED) == IDS, "neither covered nor deferred"
    assert all(reason.strip() for reason in DEFERRED.values())


def test_what_runs_alone_lies_where_the_second_part_of_the_tests_looks() -> None:
    tests = Path(__file__).parent
    marked = [path for path in tests.rglob("test_*.py") if path != Path(__file__) and "mark.alone" in path.read_text()]
    assert {path.relative_to(tests).parts[0] for path in marked} == {"process", "e2e"}
