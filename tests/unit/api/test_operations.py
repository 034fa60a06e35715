"""The list of operations names contracts and functions by their paths; here they are held to each other."""

from typing import get_type_hints

import pytest

from recollect.engine.context import Context
from recollect.operations import OPERATIONS, find_function, find_operation


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_each_operation_is_answered_by_a_function_of_its_types(name: str) -> None:
    operation = find_operation(name)
    assert operation is not None
    assert operation.name == name
    if name == "inject":
        return
    asks, answers = (get_type_hints(find_function(name))[which] for which in ("asked", "return"))
    assert get_type_hints(find_function(name))["ctx"] is Context
    assert (asks, answers) == (operation.asks, operation.answers)


def test_there_is_no_other_operation() -> None:
    assert find_operation("rehearse") is None
    assert find_operation("../recall") is None
