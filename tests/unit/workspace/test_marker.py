from pathlib import Path

import pytest

from recollect.domain.errors import InvalidSettings, InvalidValue
from recollect.workspace.git import place_of
from recollect.workspace.marker import MAX_BYTES, NAME, check_project_name, find, project_name
from tests.planted import Planted, of_every_sort
from tests.repositories import a_repository


def a_marker(folder: Path, text: str) -> Path:
    marker = folder / NAME
    marker.write_text(text)
    return marker


def test_the_nearest_marker_is_found_up_to_the_top_of_the_working_tree(tmp_path: Path) -> None:
    above = a_marker(tmp_path, "")
    repo = a_repository(tmp_path / "repo")
    (repo / "src").mkdir()
    assert find(tmp_path / "anywhere") == above
    assert find(repo / "src") is None
    own = a_marker(repo, "")
    assert find(repo / "src") == own


@pytest.mark.parametrize("text", ["", "[recall]\nlimit = 3\n"])
def test_a_marker_need_not_name_the_project(tmp_path: Path, text: str) -> None:
    assert project_name(a_marker(tmp_path, text)) is None


@pytest.mark.parametrize("name", ["shop", "  shop ", "git:example.org/shop", "path:/", "Läden & Co"])
def test_a_name_stays_a_name_whatever_it_looks_like(tmp_path: Path, name: str) -> None:
    assert project_name(a_marker(tmp_path, f'project = "{name}"')) == f"name:{name.strip()}"


@pytest.mark.parametrize(
    "text",
    [
        'project = "',
        "project = 3",
        "[project]",
        'project = ""',
        'project = "  "',
        'project = "two\\nlines"',
        f'project = "{"x" * 500}"',
        "x = " + "[" * 5000,
        "#" * (MAX_BYTES + 1),
    ],
)
def test_a_marker_that_cannot_be_used_is_named_with_what_to_do(tmp_path: Path, text: str) -> None:
    a_marker(tmp_path, text)
    with pytest.raises(InvalidSettings, match=rf"{NAME}.*(Correct|Choose|Shorten)"):
        place_of(str(tmp_path))


def test_a_marker_that_is_no_text_is_named_too(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidSettings, match=NAME):
        place_of(str(tmp_path))


@pytest.mark.parametrize("secret", of_every_sort(), ids=lambda secret: secret.kind)
def test_a_name_that_looks_like_a_secret_is_refused_and_not_quoted(tmp_path: Path, secret: Planted) -> None:
    marker = a_marker(tmp_path, f"project = {secret.name!r}\n")
    with pytest.raises(InvalidSettings, match="looks like a secret") as refusal:
        project_name(marker)
    with pytest.raises(InvalidValue, match="looks like a secret"):
        check_project_name(secret.name)
    assert secret.name not in str(refusal.value)
