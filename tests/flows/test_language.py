"""A session is shown what holds for the language of its folder, which nobody had to name."""

from pathlib import Path

import pytest

from recollect.domain.memory import Kind, ProjectId, Scope
from tests.builders import NOW, a_draft, a_prompt, a_start
from tests.driver import Engine
from tests.repositories import a_repository, git
from tests.requirements import covers

HYDRA = ProjectId("git:example.org/team/hydra")


@pytest.fixture
def hydra(tmp_path: Path) -> Path:
    return a_project(tmp_path / "hydra", "main.go", "pool.go", "run.sh", remote="git@example.org:team/hydra.git")


@pytest.fixture
def taught(engine: Engine) -> Engine:
    engine.remember(a_draft("Answer briefly.", kind=Kind.PREFERENCE, scope="universal"))
    engine.remember(a_draft("Wrap errors with %w.", kind=Kind.RULE, scope="language:go"))
    engine.remember(a_draft("Write type hints.", kind=Kind.RULE, scope="language:python"))
    engine.remember(a_draft("Heads are numbered from one.", kind=Kind.RULE, scope=Scope.project(HYDRA)))
    return engine


def a_project(folder: Path, *paths: str, remote: str | None = None) -> Path:
    repo = a_repository(folder, remote=remote)
    for path in paths:
        (repo / path).touch()
    git(repo, "add", ".")
    return repo


def shown(engine: Engine, session: str, folder: Path | None) -> list[str]:
    block = engine.handle(a_start(session, project=None, folder=str(folder) if folder else None)).block
    return [line.partition("] ")[2].partition(" (")[0] for line in block.splitlines() if line.startswith("[")]


@covers("SCN-B1")
def test_where_neither_project_nor_language_is_known_only_what_holds_everywhere_is_shown(
    taught: Engine, tmp_path: Path
) -> None:
    (tmp_path / "notes").mkdir()
    assert shown(taught, "nowhere", None) == ["Answer briefly."]
    assert shown(taught, "notes", tmp_path / "notes") == ["Answer briefly."]


@covers("CTX-1", "SCN-B2")
def test_a_project_is_shown_what_holds_everywhere_then_for_its_language_then_for_itself(
    taught: Engine, hydra: Path
) -> None:
    expected = ["Answer briefly.", "Wrap errors with %w.", "Heads are numbered from one."]
    assert shown(taught, "top", hydra) == expected
    (hydra / "internal").mkdir()
    assert shown(taught, "inside", hydra / "internal") == expected


@covers("CTX-1", "SCN-B4")
def test_a_rule_of_another_language_is_not_shown_in_a_project(taught: Engine, tmp_path: Path) -> None:
    project = a_project(tmp_path / "shop", "shop.py", "tests.py", "tool.go")
    assert shown(taught, "s1", project) == ["Answer briefly.", "Write type hints."]


@covers("CTX-1")
def test_a_language_that_the_host_names_is_not_looked_for(taught: Engine, hydra: Path) -> None:
    block = taught.handle(a_start(project=None, folder=str(hydra), language="python")).block
    assert "type hints" in block
    assert "%w" not in block


@covers("CTX-1")
def test_a_session_that_begins_with_a_prompt_has_the_language_of_its_folder(taught: Engine, hydra: Path) -> None:
    asked = a_prompt("How do we wrap errors?", project=None, folder=str(hydra), at=NOW)
    assert "%w" in taught.handle(asked).block
