"""The values of filters."""

import pytest

from recollect.domain.errors import InvalidValue
from recollect.domain.search import Filters


def test_the_project_and_the_language_of_a_scope_are_those_of_the_search() -> None:
    assert Filters(scope="project:shop").project == "shop"
    assert Filters(scope="language:Go").language == "go"
    own = Filters(scope="project")
    assert (own.is_of_own_project, own.project, own.language) == (True, None, None)
    with pytest.raises(InvalidValue, match="There is no scope 'nonsense'"):
        Filters(scope="nonsense")
