"""How tests are run here, how it is built: learnt by seeing it work."""

import pytest

from recollect.domain.event import Event
from recollect.domain.learning import Basis, Proposal
from recollect.domain.memory import Kind, Tier
from tests.builders import a_prompt
from tests.requirements import covers
from tests.unit.capture.hearing import failed, heard, ran


def found(*events: Event) -> list[Proposal]:
    return [one for one in heard(*events) if one.basis is Basis.COMMAND]


def learnt(*events: Event) -> list[str]:
    return [one.text for one in found(*events) if one.tier is Tier.CONFIRMED]


@covers("CAP-2")
@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("pytest -q", "Tests: `pytest`"),
        ("cd api && uv run pytest -x --tb=short 2>&1 | tail -20", "Tests: `uv run pytest` (in api/)"),
        ("cd /home/ann/shop/api && go test -count=1 ./...", "Tests: `go test ./...` (in api/)"),
        ("timeout 60 npm run build", "Build: `npm run build`"),
        ("make lint", "Lint: `make lint`"),
        ("cargo clippy --all-targets", "Lint: `cargo clippy --all-targets`"),
        ("mypy --strict src", "Type check: `mypy --strict src`"),
        ("pnpm install --frozen-lockfile", "Install: `pnpm install --frozen-lockfile`"),
        ("pip install -e .[dev]", "Install: `pip install -e .[dev]`"),
        ("docker compose up -d", "Start: `docker compose up -d`"),
        ("alembic upgrade head", "Migrations: `alembic upgrade head`"),
        ("mise run test", "Tests: `mise run test`"),
        ("just build", "Build: `just build`"),
        ("task lint", "Lint: `task lint`"),
        ("pnpm --filter web test", "Tests: `pnpm --filter web test`"),
        ("nx test shop", "Tests: `nx test shop`"),
        ("nx run shop:build", "Build: `nx run shop:build`"),
        ("turbo run lint --filter=web", "Lint: `turbo run lint --filter=web`"),
        ("make -C api test", "Tests: `make -C api test`"),
        ("npm run test:e2e", "Tests: `npm run test:e2e`"),
        ("dotnet build Shop/Shop.csproj", "Build: `dotnet build Shop/Shop.csproj`"),
        ("./scripts/deploy.sh prod", "Deploy: `./scripts/deploy.sh prod`"),
        ("npx wrangler deploy", "Deploy: `npx wrangler deploy`"),
        ("make release 2>&1 | tail -5", "Deploy: `make release`"),
    ],
)
def test_a_command_that_worked_twice_is_the_projects(command: str, sentence: str) -> None:
    assert learnt(ran(command)) == []
    assert learnt(ran(command), ran(command), ran(command)) == [sentence]


def test_what_worked_once_is_a_candidate() -> None:
    [proposal] = found(ran("pytest -q"))
    assert (proposal.kind, proposal.tier) == (Kind.RESEARCH, Tier.CANDIDATE)


def test_in_a_chain_that_passes_all_of_them_have_worked() -> None:
    chain = ran("cd src && go build ./... && go test ./...")
    assert learnt(chain, chain) == ["Build: `go build ./...` (in src/)", "Tests: `go test ./...` (in src/)"]


def test_each_part_of_the_project_has_its_own() -> None:
    web, api = ran("pnpm --filter web test"), ran("pnpm --filter api test")
    assert learnt(web, api, web, api) == ["Tests: `pnpm --filter web test`", "Tests: `pnpm --filter api test`"]
    assert len({one.title for one in found(web, api)}) == 2


def test_a_shell_that_stays_in_a_folder_is_followed() -> None:
    tests = ran("go test ./...", host="claude-code")
    assert learnt(ran("cd src && ls", host="claude-code"), tests, tests) == ["Tests: `go test ./...` (in src/)"]
    tests = ran("go test ./...", host="opencode")
    assert learnt(ran("cd src && ls", host="opencode"), tests, tests) == ["Tests: `go test ./...`"]


def test_once_is_enough_where_the_user_said_it() -> None:
    asked = a_prompt("run the tests with `make test-all`, please")
    assert learnt(asked, ran("make test-all"), ran("make test")) == ["Tests: `make test-all`"]


def test_once_is_enough_after_a_command_that_does_not_exist() -> None:
    missing = failed("npm test", 'npm error Missing script: "test"')
    assert learnt(missing, ran("yarn test")) == ["Tests: `yarn test`"]


def test_another_command_takes_over_when_it_is_used_more_often() -> None:
    pytest_, make = ran("pytest -q"), ran("make test")
    assert learnt(pytest_, pytest_, make, make, make, pytest_) == ["Tests: `pytest`", "Tests: `make test`"]


@pytest.mark.parametrize(
    "command",
    [
        "pytest tests/test_cart.py",
        "pytest -k rounding",
        "pytest tests/test_cart.py::test_total -x",
        "npm run test -- cart",
        "npx vitest run cart",
        "npm install left-pad",
        "pip install openpyxl",
        "go test ./... -run TestCart",
        "go test ./cart/...",
        "go build -o /tmp/shop .",
        "golangci-lint run ./cart/... ./mail/...",
        "npm run test:watch",
        "npm run lint:fix",
        "pytest; echo $?",
        "pytest || true",
        "pytest > out.txt",
        "cd /srv/other && pytest",
        "git checkout main",
        "ls -la",
        "cat README.md",
        "docker ps",
        "python -c 'print(1)'",
    ],
)
def test_what_is_of_one_moment_is_no_command_of_the_project(command: str) -> None:
    assert found(ran(command), ran(command), ran(command)) == []


def test_what_fails_is_not_learnt() -> None:
    assert found(*[failed("pytest -q", "E   assert 1 == 2")] * 3) == []
    assert found(*[ran("pytest -q", "=== 1 failed, 2 passed in 0.1s ===")] * 3) == []
