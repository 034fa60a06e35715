"""It failed, something was changed, the very same passes: the error and its fix become one memory."""

import pytest

from recollect.capture.happened.episodes import MAX_OPEN
from recollect.capture.happened.listeners import Structure
from recollect.domain.event import Event
from recollect.domain.learning import Basis, Proposal
from recollect.domain.memory import Kind, Role, Tier
from recollect.text.signature import signature
from tests.builders import a_failure, a_reply, an_end
from tests.requirements import covers
from tests.unit.capture.episode_examples import EPISODES, Episode
from tests.unit.capture.hearing import CODE, failed, heard, lived, ran, used


def named(episode: Episode) -> str:
    return episode.name


def learnt(*events: Event, structure: Structure | None = None) -> list[Proposal]:
    return [one for one in heard(*events, structure=structure) if one.basis is Basis.PAIR]


@covers("CAP-4")
@pytest.mark.parametrize("episode", EPISODES, ids=named)
def test_the_error_of_another_day_has_the_same_signature_and_the_look_alike_another(episode: Episode) -> None:
    assert signature(episode.again).key == signature(episode.error).key != signature(episode.other).key


@covers("CAP-3")
@pytest.mark.parametrize("episode", EPISODES, ids=named)
def test_an_error_and_its_fix_become_one_memory(episode: Episode) -> None:
    found = learnt(*lived(episode))
    assert [one.tier for one in found] == ([] if episode.learnt is None else [episode.learnt])
    for proposal in found:
        assert (proposal.kind, proposal.role) == (Kind.ERROR_PATTERN, Role.ASSISTANT)
        assert proposal.text.startswith(f"{proposal.title} -> ")
        assert len(proposal.text) <= 400
        assert [word for word in episode.keeps if word not in proposal.text] == []
        keys = {signature(text).key for text in proposal.evidence}
        assert signature(episode.again).key in keys
        assert signature(episode.other).key not in keys


NO_TABLE = "sqlalchemy.exc.ProgrammingError: relation orders_archive does not exist"
NO_COLUMN = "sqlalchemy.exc.ProgrammingError: column orders.closed_at does not exist"
MIGRATED = ran("make migrate")
EDITED = used("edit", {**CODE, "new_string": "orders_archive"})


@pytest.mark.parametrize(
    "error",
    [
        "exit status 1",
        "Command timed out after 120s",
        "Exit code 143\nCommand timed out after 2m 0.0s\nserver is not configured",
        "Bash command timed out after 2m 0.0s: the server did not come up",
        "The user doesn't want to proceed with this tool use. The tool use was rejected.",
        "Permission to use Bash with command rm was not granted by the user.",
        "The operation was cancelled.",
        "<tool_use_error>Sibling tool call errored</tool_use_error>",
        "some-model is temporarily unavailable, so the safety of Bash cannot be determined",
        "bash: line 1: cd: src: No such file or directory",
        "failed",
        "",
    ],
)
def test_what_a_host_says_or_a_person_or_a_clock_stopped_is_no_error(error: str) -> None:
    assert learnt(failed("make test", error), MIGRATED, ran("make test"), an_end()) == []


@pytest.mark.parametrize("tool", ["edit", "Read", "Write", "mcp__tracker__find"])
def test_only_a_command_has_errors_that_are_learnt(tool: str) -> None:
    given = {"file_path": "/home/ann/shop/a.py"}
    failure = a_failure("String to replace not found in file a.py", tool=tool, input=given, message=None)
    assert learnt(failure, MIGRATED, used(tool, given), an_end()) == []


@pytest.mark.parametrize(
    "command",
    ["git diff -- src/a.py", "python -c 'import x'", "gh pr merge 22", "curl -s localhost", "ls src", "sed -n 3p a.py"],
)
def test_a_look_and_a_text_of_the_moment_are_no_commands_of_the_project(command: str) -> None:
    assert learnt(failed(command, NO_TABLE), MIGRATED, ran(command), an_end()) == []


def test_an_error_that_nothing_ended_is_forgotten_with_its_session() -> None:
    structure = Structure()
    assert learnt(failed("pytest", NO_TABLE), MIGRATED, an_end(), structure=structure) == []
    assert learnt(ran("pytest"), an_end(), structure=structure) == []


def test_another_command_that_passes_ends_no_error() -> None:
    assert learnt(failed("pytest tests/a.py", NO_TABLE), MIGRATED, ran("ruff check ."), ran("pytest tests/b.py")) == []


def test_a_part_that_passes_proves_nothing_for_the_whole_but_the_whole_does_for_a_part() -> None:
    assert learnt(failed("pytest", NO_TABLE), MIGRATED, ran("pytest tests/a.py"), an_end()) == []
    [proposal] = learnt(failed("pytest tests/a.py -q", NO_TABLE), MIGRATED, ran("pytest"), an_end())
    assert proposal.text == f"{NO_TABLE} -> run `make migrate` first."


def test_an_error_that_goes_away_by_itself_teaches_nothing() -> None:
    said = a_reply("The orders_archive relation is missing because of the weather.")
    assert learnt(failed("pytest", NO_TABLE), said, ran("pytest"), a_reply("All tests pass."), an_end()) == []


def test_an_error_that_the_agent_caused_and_mended_is_no_knowledge() -> None:
    assert learnt(EDITED, failed("pytest", NO_TABLE), EDITED, ran("pytest"), an_end()) == []
    [proposal] = learnt(EDITED, failed("pytest", NO_TABLE), MIGRATED, ran("pytest"), an_end())
    assert proposal.tier is Tier.CONFIRMED


@pytest.mark.parametrize(
    "between",
    [
        ran("git stash"),
        ran("git checkout -- src"),
        ran("sed -i s/a/b/ src/a.py"),
        ran("cat > src/a.py <<EOF\nx\nEOF"),
        used("Task", {"prompt": "fix it"}),
    ],
)
def test_where_it_is_not_known_what_was_changed_no_fix_is_told(between: Event) -> None:
    assert learnt(failed("pytest", NO_TABLE), between, MIGRATED, ran("pytest"), an_end()) == []


def test_what_was_done_before_the_error_came_again_is_not_its_fix() -> None:
    error = failed("pytest", NO_TABLE)
    [proposal] = learnt(error, ran("npm install"), error, MIGRATED, ran("pytest"), an_end())
    assert "npm install" not in proposal.text


def test_formatting_is_no_error_and_a_lint_that_was_mended_is_no_knowledge() -> None:
    wrong = "src/a.py:3:1: E501 Line too long (130 > 120)"
    for command in ("ruff format --check .", "ruff check ."):
        assert learnt(failed(command, wrong), EDITED, ran(command), an_end()) == []


def test_two_errors_of_one_command_are_two_memories_each_with_its_own_fix() -> None:
    first, second = learnt(
        failed("pytest", NO_TABLE),
        ran("make setup"),
        failed("pytest", NO_COLUMN),
        ran("alembic upgrade head"),
        ran("pytest"),
        an_end(),
    )
    assert first.text == f"{NO_TABLE} -> run `make setup` first."
    assert second.text == f"{NO_COLUMN} -> run `alembic upgrade head` first."


def test_an_error_met_twice_before_it_is_fixed_is_one_memory() -> None:
    assert len(learnt(failed("pytest", NO_TABLE), failed("pytest -x", NO_TABLE), MIGRATED, ran("pytest"))) == 1


@pytest.mark.parametrize(
    ("fails", "passes", "told"),
    [
        ("rtk bun run test", "bun run test", "use `bun run test` instead of `rtk bun run test`."),
        ("mkdocs build", "PYTHONPATH=. mkdocs build", "use `PYTHONPATH=. mkdocs build` instead of `mkdocs build`."),
        ("go build ./...", "go build -tags sqlite ./...", ""),  # two words more: the error may have gone by itself
        ("npm run build", "pnpm run build", "use `pnpm run build` instead of `npm run build`."),
        ("npm test", "cd web && npm test", "run it in web/."),
        ("cd web && npm test", "cd /home/ann/shop && npm test", "run it in the project's folder."),
        ("pytest", "pytest -k fast", ""),
        ("pytest tests/a.py", "pytest tests/b.py", ""),
        ("git commit -m x", "git commit --no-verify -m x", ""),
        ("make test", "make test || true", ""),
    ],
)
def test_another_way_to_call_it_is_a_fix_unless_it_leaves_something_out(fails: str, passes: str, told: str) -> None:
    error = "Error: the loader of shop has no configuration"
    found = [one.text for one in learnt(failed(fails, error), ran(passes), an_end())]
    if told:
        assert found == [f"{error} -> {told}"]
    elif "-tags" not in passes:
        assert found == []


def test_what_the_error_says_itself_needs_no_memory() -> None:
    error = "error: unexpected argument '--fast' found for shop"
    assert learnt(failed("npm run build --fast", error), ran("npm run build"), an_end()) == []


def test_a_sentence_is_told_if_it_names_something_of_the_error_and_of_the_fix() -> None:
    why = a_reply("Let me look. The archive tables come with `make migrate` only, since orders_archive is no model.")
    [proposal] = learnt(failed("pytest", NO_TABLE), why, MIGRATED, ran("pytest"))
    assert proposal.text.endswith(
        "first. The archive tables come with `make migrate` only, since orders_archive is no model."
    )
    other = a_reply("The footer looks odd because its colour is wrong.")
    [proposal] = learnt(failed("pytest", NO_TABLE), other, MIGRATED, ran("pytest"))
    assert "footer" not in proposal.text


def test_an_edit_of_the_configuration_is_a_fix_and_one_of_the_code_a_candidate() -> None:
    given = {
        "filePath": "/home/ann/shop/pyproject.toml",
        "oldString": "a = 1",
        "newString": 'archive = "orders_archive"',
    }
    [proposal] = learnt(failed("pytest", NO_TABLE), used("edit", given), ran("pytest"))
    assert proposal.text == f'{NO_TABLE} -> In pyproject.toml: `a = 1` -> `archive = "orders_archive"`.'
    assert (proposal.tier, proposal.paths) == (Tier.CONFIRMED, ("pyproject.toml",))
    [proposal] = learnt(failed("pytest", NO_TABLE), EDITED, ran("pytest"))
    assert proposal.tier is Tier.CANDIDATE


def test_a_class_with_a_value_is_an_error_that_can_be_known_again() -> None:
    [proposal] = learnt(failed("pytest", "KeyError: 'tenant'"), MIGRATED, ran("pytest"), an_end())
    assert proposal.text.startswith("KeyError: 'tenant'")
    for error in ("Error", "KeyError", "TimeoutError: 30"):
        assert learnt(failed("pytest", error), MIGRATED, ran("pytest"), an_end()) == []


def test_an_output_that_says_failed_is_a_failure_however_the_shell_ended() -> None:
    output = f"tests/test_a.py F\nE   {NO_TABLE}\n===== 1 failed, 3 passed in 0.31s ====="
    piped = ran("pytest 2>&1 | tail -20", output)
    assert len(learnt(piped, piped, MIGRATED, ran("pytest 2>&1 | tail -20", "== 4 passed in 0.2s =="), an_end())) == 1


def test_an_exit_code_of_the_host_counts_whatever_the_output_says() -> None:
    ended = used("bash", {"command": "make check", "exit": 2}, NO_TABLE)
    assert len(learnt(ended, MIGRATED, used("bash", {"command": "make check", "exit": 0}, "done"), an_end())) == 1


def test_a_call_that_a_host_sends_twice_counts_once() -> None:
    structure = Structure()
    events = [failed("pytest", NO_TABLE, call="c1"), MIGRATED, ran("pytest", call="c2")]
    assert len(learnt(*events, structure=structure)) == 1
    assert learnt(*events, an_end(), structure=structure) == []


def test_open_errors_are_bounded() -> None:
    structure = Structure()
    for number in range(2000):
        error = f"RuntimeError: the {'x' * (number % 300)} service of shop is not configured {chr(97 + number % 26)}"
        heard(failed(f"make target{number}", error), structure=structure)
    part = structure._parts[0]
    assert len(part._open) <= MAX_OPEN
