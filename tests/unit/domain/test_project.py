import pytest

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import ProjectId
from recollect.domain.project import FolderFacts


@pytest.mark.parametrize(
    "wrong", [{"name": "shop"}, {"name": "name:"}, {"remote": "path:/x"}, {"path": "git:x/y"}, {"name": "name:a\nb"}]
)
def test_an_alias_says_what_it_is_by_its_beginning(wrong: dict[str, ProjectId]) -> None:
    with pytest.raises(InvalidValue):
        FolderFacts(**({"root": "/x", "path": ProjectId("path:/x")} | wrong))  # type: ignore[arg-type]
