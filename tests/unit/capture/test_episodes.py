"""It failed, something was done, it works: the error and its fix become one memory."""

import pytest

from recollect.capture.episodes import MAX_OPEN
from recollect.capture.structure import Structure
from recollect.domain.learning import Basis
from recollect.domain.memory import Kind, Role, Tier
from recollect.text.signature import signature
from tests.builders import a_reply, an_end
from tests.requirements import covers
from tests.unit.capture.episode_examples import EPISODES, Episode
from tests.unit.capture.hearing import failed, heard, lived, ran, used


def named(episode: Episode) -> str:
    return episode.name


def keys_of(texts: tuple[str, ...]) -> set[str]:
    return {signature(text).key for text in texts}


@covers("CAP-4")
@pytest.mark.parametrize("episode", EPISODES, ids=named)
def test_the_error_of_another_day_has_the_same_signature_and_the_look_alike_another(episode: Episode) -> None:
    assert signature(episode.again).key == signature(episode.error).key != signature(episode.other).key


@covers("CAP-3")
@pytest.mark.parametrize("episode", EPISODES, ids=named)
def test_an_error_and_its_fix_become_one_confirmed_memory(episode: Episode) -> None:
    [proposal] = [one for one in heard(*lived(episode)) if one.kind is Kind.ERROR_PATTERN]
    assert (proposal.tier, proposal.basis, proposal.role) == (Tier.CONFIRMED, Basis.PAIR, Role.ASSISTANT)
    assert proposal.title is not None
    assert proposal.text.startswith(proposal.title)
    assert len(proposal.text) <= 400
    assert [word for word in episode.keeps if word not in proposal.text] == []
    keys = keys_of((proposal.title, *proposal.evidence))
    assert signature(episode.again).key in keys
    assert signature(episode.other).key not in keys


NO_TABLE = "sqlalchemy.exc.ProgrammingError: relation orders_archive does not exist"
NO_COLUMN = "sqlalchemy.exc.ProgrammingError: column orders.closed_at does not exist"
CAUSE = a_reply("The archive table is only made by `make archive-db`, because it is no part of the migrations.")


@pytest.mark.parametrize(
    "error",
    [
        "exit status 1",
        "Command timed out after 120s",
        "Bash command timed out after 2m 0.0s: the server did not come up",
        "The user doesn't want to proceed with this tool use. The tool use was rejected.",
        "Permission to use Bash with command rm was not granted by the user.",
        "The operation was cancelled.",
        "failed",
        "",
    ],
)
def test_what_says_nothing_or_was_stopped_by_a_person_or_a_clock_is_no_error(error: str) -> None:
    assert heard(failed("make test", error), CAUSE, ran("make test"), an_end()) == []


def test_an_error_that_nothing_ended_is_forgotten_with_its_session() -> None:
    structure = Structure()
    assert heard(failed("pytest", NO_TABLE), CAUSE, an_end(), structure=structure) == []
    assert heard(ran("pytest"), an_end(), structure=structure) == []


def test_another_command_that_passes_ends_no_error() -> None:
    assert heard(failed("pytest tests/a.py", NO_TABLE), CAUSE, ran("ruff check ."), ran("pytest tests/b.py")) == []


def test_the_same_command_in_another_package_ends_no_error() -> None:
    assert heard(failed("cd web && npm test", NO_TABLE), CAUSE, ran("cd api && npm test"), an_end()) == []
    assert len(heard(failed("cd web && npm test", NO_TABLE), CAUSE, ran("cd /srv/web; npm test"), an_end())) == 1


def test_an_error_that_two_commands_met_ends_with_either() -> None:
    events = [failed("pytest tests/a.py", NO_TABLE), failed("make check", NO_TABLE), CAUSE, ran("make check"), an_end()]
    assert len(heard(*events)) == 1


def test_an_error_that_goes_away_by_itself_teaches_nothing() -> None:
    assert heard(failed("pytest", NO_TABLE), ran("pytest"), a_reply("All tests pass."), an_end()) == []


@covers("CAP-3")
def test_an_error_met_twice_before_it_is_fixed_is_one_memory() -> None:
    events = [failed("pytest", NO_TABLE), failed("pytest -x", NO_TABLE), CAUSE, ran("pytest"), an_end()]
    assert len(heard(*events)) == 1


def test_two_errors_of_one_command_are_two_memories_each_with_its_own_fix() -> None:
    first, second = heard(
        failed("pytest", NO_TABLE),
        CAUSE,
        failed("pytest", NO_COLUMN),
        a_reply("The column closed_at came with migration 0042, which needs `alembic upgrade head`.", message="r2"),
        ran("pytest"),
        an_end(),
    )
    assert "archive-db" in first.text
    assert "0042" not in first.text
    assert "0042" in second.text
    assert "archive-db" not in second.text


def test_where_only_a_look_was_announced_the_fix_is_in_doubt() -> None:
    [proposal] = heard(
        failed("pytest", NO_TABLE), a_reply("I need to understand the archive of it."), ran("pytest"), an_end()
    )
    assert proposal.tier is Tier.CANDIDATE


def test_a_fix_that_is_only_explained_afterwards_is_told_with_the_explanation() -> None:
    [proposal] = heard(
        failed("pytest", NO_TABLE),
        used("edit", {"file_path": "/home/ann/shop/db/init.sql", "old_string": "", "new_string": "create table"}),
        ran("pytest"),
        a_reply("Fixed: the archive table was missing because db/init.sql never created it."),
    )
    assert "because db/init.sql never created it" in proposal.text
    assert proposal.paths == ("db/init.sql",)


def test_what_comes_next_and_that_all_is_green_is_no_part_of_a_fix() -> None:
    [proposal] = heard(
        failed("pytest", NO_TABLE),
        a_reply("The archive table is missing because `init.sql` never creates it. The footer also looks a bit odd."),
        used("edit", {"file_path": "/home/ann/shop/db/init.sql", "old_string": "", "new_string": "create archive"}),
        used(
            "edit", {"file_path": "/home/ann/shop/README.md", "old_string": "a", "new_string": "how to archive orders"}
        ),
        used("edit", {"file_path": "/home/ann/shop/web/menu.ts", "old_string": "red", "new_string": "blue"}),
        ran("pytest"),
        a_reply("All green: 42 passed. Next: the colour of the buttons. I also renamed the menu.", message="r2"),
        an_end(),
    )
    assert "never creates it" in proposal.text
    assert [word for word in ("green", "Next", "menu", "README", "footer") if word in proposal.text] == []
    assert proposal.paths == ("db/init.sql",)


def test_after_the_pass_only_the_cause_is_told() -> None:
    [proposal] = heard(
        failed("pytest", NO_TABLE),
        used("edit", {"file_path": "/home/ann/shop/db/init.sql", "old_string": "", "new_string": "create table"}),
        ran("pytest"),
        a_reply("Added orders_archive to the menu. The archive was missing because db/init.sql never created it."),
    )
    assert "because db/init.sql never created it" in proposal.text
    assert "menu" not in proposal.text


@pytest.mark.parametrize(
    "said",
    [
        "The tests failed because ledger-core was not linked. I fixed it by running `npm link ledger-core`.",
        "All tests pass now. Running `npm link ledger-core` fixed it.",
        "The fix was to run `npm link ledger-core` once.",
        "I solved this with `npm link ledger-core` in the root.",
        "I ran `npm link ledger-core` in the root. That did the trick.",
    ],
)
def test_what_an_agent_says_has_helped_is_told_with_the_cause(said: str) -> None:
    error = "Error: Cannot find module 'ledger-core'"
    [proposal] = heard(failed("sh t.sh", error), ran("sh t.sh"), a_reply(said), an_end())
    assert "`npm link ledger-core`" in proposal.text
    assert ("because" in proposal.text) == ("because" in said)


def test_of_a_long_cause_and_its_fix_the_fix_is_told() -> None:
    cause = "The tests failed because " + "the link of the package was lost when the folder was made anew and " * 9
    said = f"{cause} nobody saw it. I fixed it by running `npm link ledger-core`."
    [proposal] = heard(
        failed("sh t.sh", "Error: Cannot find module 'ledger-core'"), ran("sh t.sh"), a_reply(said), an_end()
    )
    assert "`npm link ledger-core`" in proposal.text


def test_a_class_with_a_value_is_an_error_that_can_be_known_again() -> None:
    why = a_reply("The tenant is missing because the middleware sets it only for requests with a token.")
    [proposal] = heard(failed("pytest", "KeyError: 'tenant'"), why, ran("pytest"), an_end())
    assert proposal.text.startswith("KeyError: 'tenant'")
    for error in ("Error", "KeyError", "TimeoutError: 30"):
        assert heard(failed("pytest", error), why, ran("pytest"), an_end()) == []


def test_a_fix_without_a_word_is_told_by_what_was_edited() -> None:
    [proposal] = heard(
        failed("pytest", NO_TABLE),
        used("edit", {"filePath": "db.py", "oldString": 'TABLE = "orders_archive"', "newString": 'TABLE = "archive"'}),
        ran("pytest"),
        an_end(),
    )
    assert 'In db.py: `TABLE = "orders_archive"` -> `TABLE = "archive"`.' in proposal.text


@pytest.mark.parametrize(
    ("fails", "passes"),
    [
        ("npm test", "npm run test"),
        ("pytest tests/x.py", "pytest tests/x.py -k y"),
        ("pytest tests/x.py::test_one", "python -m pytest tests -q 2>&1 | tail -5"),
        ("cd api && go test ./...", "go test ./... -count=1"),
        (".venv/bin/pytest -q", "uv run pytest"),
        ("npx tsc --noEmit", "pnpm exec tsc --noEmit -p ."),
        ("CI=1 make check", "make check"),
        ("docker compose up", "docker-compose up -d"),
        ("timeout 60 cargo test", "cargo test --lib"),
        ("./gradlew test", "gradle :api:test"),
    ],
)
def test_the_same_work_written_another_way_ends_an_error(fails: str, passes: str) -> None:
    assert len(heard(failed(fails, NO_TABLE), CAUSE, ran(passes), an_end())) == 1


def test_an_output_that_says_failed_is_a_failure_however_the_shell_ended() -> None:
    output = f"tests/test_a.py F\nE   {NO_TABLE}\n===== 1 failed, 3 passed in 0.31s ====="
    piped = ran("pytest 2>&1 | tail -20", output)
    assert len(heard(piped, CAUSE, piped, ran("pytest 2>&1 | tail -20", "== 4 passed in 0.2s =="), an_end())) == 1


def test_an_exit_code_of_the_host_counts_whatever_the_output_says() -> None:
    ended = used("bash", {"command": "make check", "exit": 2}, NO_TABLE)
    assert len(heard(ended, CAUSE, used("bash", {"command": "make check", "exit": 0}, "done"), an_end())) == 1


def test_an_error_that_is_only_shown_is_none() -> None:
    shown = ran("git log -3", f"commit 1\n\n    Traceback (most recent call last)\n{NO_TABLE}")
    assert heard(shown, CAUSE, ran("git log -3", "commit 2"), an_end()) == []


def test_a_call_that_a_host_sends_twice_counts_once() -> None:
    structure = Structure()
    events = [
        failed("pytest", NO_TABLE, call="c1"),
        CAUSE,
        ran("pytest", call="c2"),
        a_reply("Done, all pass.", message="r2"),
    ]
    assert len(heard(*events, structure=structure)) == 1
    assert heard(*events, an_end(), structure=structure) == []


def test_open_errors_are_bounded() -> None:
    structure = Structure()
    for number in range(2000):
        error = f"RuntimeError: the {'x' * (number % 300)} service of shop is not configured {chr(97 + number % 26)}"
        heard(failed(f"make target{number}", error), structure=structure)
    part = structure._parts[0]
    assert len(part._open) <= MAX_OPEN
