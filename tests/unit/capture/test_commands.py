"""How tests are run here, how it is built: learnt by seeing it work."""

import pytest

from recollect.domain.event import Event
from recollect.domain.learning import Basis
from recollect.domain.memory import Kind, Tier
from tests.builders import a_prompt
from tests.requirements import covers
from tests.unit.capture.hearing import failed, heard, ran


def learnt(*events: Event) -> list[str]:
    return [one.text for one in heard(*events) if one.basis is Basis.COMMAND]


@covers("CAP-2")
@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("pytest -q", "Tests run with `pytest -q`."),
        ("cd api && uv run pytest -q 2>&1 | tail -20", "Tests run with `uv run pytest -q`."),
        ("npm run build", "The build runs with `npm run build`."),
        ("make lint", "The linter runs with `make lint`."),
        ("cargo clippy --all-targets", "The linter runs with `cargo clippy --all-targets`."),
        ("mypy --strict src", "Types are checked with `mypy --strict src`."),
        ("pnpm install --frozen-lockfile", "Dependencies are installed with `pnpm install --frozen-lockfile`."),
        ("pip install -e .[dev]", "Dependencies are installed with `pip install -e .[dev]`."),
        ("docker compose up -d", "The project is started with `docker compose up -d`."),
        ("alembic upgrade head", "Migrations run with `alembic upgrade head`."),
    ],
)
def test_a_command_that_worked_twice_is_the_projects(command: str, sentence: str) -> None:
    assert learnt(ran(command)) == []
    assert learnt(ran(command), ran(command), ran(command)) == [sentence]


def test_once_is_enough_where_the_user_said_it() -> None:
    [proposal] = heard(a_prompt("run the tests with `make test-all`, please"), ran("make test-all"), ran("make test"))[
        :1
    ]
    assert (proposal.kind, proposal.tier) == (Kind.RESEARCH, Tier.CONFIRMED)


def test_once_is_enough_after_a_command_that_does_not_exist() -> None:
    assert learnt(failed("npm test", 'npm error Missing script: "test"'), ran("npm run test:unit")) == [
        "Tests run with `npm run test:unit`."
    ]


def test_another_command_takes_over_when_it_is_used_more_often() -> None:
    pytest_, make = ran("pytest -q"), ran("make test")
    assert learnt(pytest_, pytest_, make, make, make, pytest_) == [
        "Tests run with `pytest -q`.",
        "Tests run with `make test`.",
    ]


@pytest.mark.parametrize(
    "command",
    [
        "pytest tests/test_cart.py",
        "pytest -k rounding",
        "pytest tests/test_cart.py::test_total -x",
        "npm install left-pad",
        "pip install openpyxl",
        "go test ./... -run TestCart",
        "git checkout main",
        "ls -la",
        "cat README.md",
        "docker ps",
        "make build && ./shop --help",
        "python -c 'print(1)'",
    ],
)
def test_what_is_of_one_moment_is_no_command_of_the_project(command: str) -> None:
    assert learnt(ran(command), ran(command), ran(command)) == []


def test_what_fails_is_not_learnt() -> None:
    assert learnt(*[failed("pytest -q", "E   assert 1 == 2")] * 3) == []
    assert learnt(*[ran("pytest -q", "=== 1 failed, 2 passed in 0.1s ===")] * 3) == []
