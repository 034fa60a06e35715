"""Find the purpose of a command: tests, a build, a start. Pure."""

import re
from enum import StrEnum

from recollect.capture.happened.shell import Run


class Purpose(StrEnum):
    """A developer's question: how do I ... here?"""

    TEST = "test"
    BUILD = "build"
    LINT = "lint"
    TYPES = "types"
    FORMAT = "format"
    INSTALL = "install"
    START = "start"
    MIGRATE = "migrate"
    DEPLOY = "deploy"
    CHECK = "check"


_BY_PROGRAM = {
    **dict.fromkeys("pytest jest vitest rspec phpunit ctest tox nox mocha ava pest bats".split(), Purpose.TEST),
    **dict.fromkeys("eslint flake8 pylint golangci-lint rubocop shellcheck stylelint hadolint".split(), Purpose.LINT),
    **dict.fromkeys("mypy pyright tsc vue-tsc".split(), Purpose.TYPES),
    **dict.fromkeys("black prettier gofmt isort rustfmt".split(), Purpose.FORMAT),
    **dict.fromkeys("uvicorn gunicorn".split(), Purpose.START),
}
_BY_TASK = {
    **dict.fromkeys("test tests unit-test unittest spec".split(), Purpose.TEST),
    **dict.fromkeys("check verify".split(), Purpose.CHECK),  # tests, lint, types or all of them: the project decides
    **dict.fromkeys("build compile assemble package bundle compileJava".split(), Purpose.BUILD),
    **dict.fromkeys("lint clippy vet".split(), Purpose.LINT),
    **dict.fromkeys("typecheck type-check check-types types tsc".split(), Purpose.TYPES),
    **dict.fromkeys("fmt format".split(), Purpose.FORMAT),
    **dict.fromkeys("install sync restore setup bootstrap deps".split(), Purpose.INSTALL),
    **dict.fromkeys("start dev serve runserver bootRun up".split(), Purpose.START),
    **dict.fromkeys("migrate upgrade db:migrate db-migrate".split(), Purpose.MIGRATE),
    **dict.fromkeys("deploy release publish ship".split(), Purpose.DEPLOY),
}
# Their tasks are the project's own: `git check` is not.
_RUNNERS = frozenset(
    """
    npm pnpm yarn bun make just task cargo go gradle mvn dotnet swift mix composer bundle rails rake flask manage.py
    deno poetry uv pip pdm pipenv hatch turbo nx mise moon lerna poe inv invoke vite next ng tox sbt bazel alembic
    prisma docker ruff flutter dart artisan biome xcodebuild
    """.split()
)
_TOOLCHAINS = frozenset("go cargo dotnet swift mix".split())
_OWN_TASKS = frozenset("npm pnpm yarn make just task mise turbo nx moon poe inv invoke rake lerna".split())
_SCRIPT = re.compile(r"(?:^|/)(?P<name>[\w.-]+)\.(?:sh|bash|py|js|mjs|ts|rb)$")
_INTERPRETERS = frozenset("bash sh zsh python python3 node bun deno ruby tsx".split())
_TASKS_OF_PROGRAM = {  # only these tasks of the program have a purpose
    "docker": {"compose up": Purpose.START},
    "alembic": {"upgrade": Purpose.MIGRATE},
    "pip": {"install": Purpose.INSTALL},
    "ruff": {"check": Purpose.LINT, "format": Purpose.FORMAT},
    "biome": {"check": Purpose.LINT, "lint": Purpose.LINT, "ci": Purpose.LINT, "format": Purpose.FORMAT},
    "prisma": {"migrate": Purpose.MIGRATE},
    **{name: {"deploy": Purpose.DEPLOY} for name in "wrangler firebase fly flyctl netlify serverless sls cdk".split()},
    "cargo": {
        "test": Purpose.TEST,
        "build": Purpose.BUILD,
        "clippy": Purpose.LINT,
        "run": Purpose.START,
        "fmt": Purpose.FORMAT,
        "nextest": Purpose.TEST,
    },
    "go": {"test": Purpose.TEST, "build": Purpose.BUILD, "vet": Purpose.LINT, "run": Purpose.START},
    "uv": {"sync": Purpose.INSTALL},
    "mvn": {
        "test": Purpose.TEST,
        "verify": Purpose.TEST,
        "package": Purpose.BUILD,
        "install": Purpose.BUILD,
        "compile": Purpose.BUILD,
    },
}


def purpose_of(run: Run) -> Purpose | None:
    """None: no purpose that every project has."""
    if run.program in _BY_PROGRAM:
        return _BY_PROGRAM[run.program]
    if run.program in _TASKS_OF_PROGRAM:
        return _TASKS_OF_PROGRAM[run.program].get(run.task or next(iter(run.words[1:2]), ""))
    script = _SCRIPT.search(run.task if run.program in _INTERPRETERS else run.program)
    if script is not None:  # the project's own, by its name
        return Purpose.DEPLOY if _BY_TASK.get(_first_part(script["name"])) is Purpose.DEPLOY else None
    if run.program not in _RUNNERS:
        return None
    return _BY_TASK.get(run.task) or _BY_TASK.get(_first_part(run.task))


def is_standard_command(run: Run) -> bool:
    """Return True if anyone who knows the language would type it: `go build ./...`, `cargo test`."""
    return run.program in _TOOLCHAINS and set(run.words[1:]) <= {run.task, "./..."}


def is_own_task(run: Run) -> bool:
    """Return True if the project itself defines it: `mise run lint`, which may run `go vet` and more."""
    return run.program in _OWN_TASKS


def variant_of(run: Run) -> str:
    """`e2e` of `npm run test:e2e`; empty: the task has no variant."""
    if run.program not in _RUNNERS or run.task in _BY_TASK:
        return ""
    return run.task[len(_first_part(run.task)) + 1 :]


def _first_part(task: str) -> str:
    return re.split(r"[:_-]", task, maxsplit=1)[0]
