import re
import stat
import subprocess
import tomllib
from pathlib import Path

import pytest

from recollect.config import USER_ONLY, leaves
from recollect.domain.settings import Settings
from tests.process.conftest import RECOLLECT, Home, taught, without_styles
from tests.requirements import covers


@pytest.fixture
def user(home: Home) -> Path:
    home.places.settings.parent.mkdir(parents=True)
    return home.places.settings


@pytest.fixture
def project(home: Home) -> Path:
    """The file of a project in git; commands run in a folder inside it."""
    top = home.path / "shop"
    (top / ".git").mkdir(parents=True)
    (top / "src").mkdir()
    return top / ".recollect.toml"


@covers("CFG-1")
def test_config_show_names_where_each_value_comes_from(home: Home, user: Path, project: Path) -> None:
    user.write_text("[budgets]\nturn_tokens = 300\nturn_lines_first = 8\n")
    project.write_text("[budgets]\nturn_tokens = 200\n[kinds.threshold]\ndecision = 0.45\n")
    done = home.recollect("config", "show", cwd=project.parent / "src", RECOLLECT_TURN__ENABLED="no")
    rows = {name: (value, origin) for name, value, origin in (_fields(line) for line in done.stdout.splitlines())}
    assert rows.keys() == leaves(Settings()).keys()
    assert rows["budgets.start_tokens"] == ("2000", "default")
    assert rows["budgets.turn_lines_first"] == ("8", str(user))
    assert rows["budgets.turn_tokens"] == ("200", str(project))
    assert rows["kinds.threshold.decision"] == ("0.45", str(project))
    assert rows["turn.enabled"] == ("false", "RECOLLECT_TURN__ENABLED")


def _fields(line: bytes) -> tuple[str, str, str]:
    name, value, origin = line.decode().split("\t")
    return name, value, origin


def test_one_section_is_shown_alone_and_an_unknown_one_is_refused(home: Home) -> None:
    assert home.said("config", "show", "forget") == "forget.undo_hours\t24\tdefault\n"
    done = home.recollect("config", "show", "budget")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr == b"Error: There is no section 'budget'; did you mean 'budgets'?\n"


def test_json_says_which_files_were_looked_at(home: Home, user: Path, project: Path) -> None:
    project.write_text("[start]\nfloor = 0.25\n")
    shown = home.json("config", "show", "start", cwd=project.parent / "src")
    assert shown["files"] == [
        {"whose": "user", "path": str(user), "exists": False},
        {"whose": "project", "path": str(project), "exists": True},
    ]
    (floor,) = (setting for setting in shown["settings"] if setting["name"] == "start.floor")
    assert floor == {"name": "start.floor", "value": 0.25, "default": 0.3, "origin": str(project)}
    project.unlink()
    assert home.json("config", "show", cwd=project.parent / "src")["files"][1] == {
        "whose": "project", "path": str(project), "exists": False,
    }  # fmt: skip


def test_a_terminal_gets_a_table_in_which_changes_stand_out(home: Home, user: Path, project: Path) -> None:
    user.write_text("[kinds.half_life_days]\nerror_pattern = 31\n")
    set_to_the_default = {"RECOLLECT_KINDS__HALF_LIFE_DAYS__DECISION": "180"}
    shown = home.in_terminal("config", "show", columns=60, cwd=project.parent, **set_to_the_default)
    changed = [line for line in shown.splitlines() if "\x1b[1;33m" in line]
    assert [without_styles(line).split()[:2] for line in changed] == [["half_life_days.error_pattern", "31"]]
    lines = without_styles(shown).splitlines()
    assert max(len(line.rstrip()) for line in lines) <= 60
    assert [line.strip() for line in lines if line.startswith("[")] == [f"[{name}]" for name in _sections()]
    text = "".join("".join(lines).split())
    assert f"{user}project'sfile{project}(doesnotexist)" in text
    assert "…" not in text


def _sections() -> list[str]:
    return list(dict.fromkeys(name.partition(".")[0] for name in leaves(Settings())))


def test_init_writes_a_private_file_that_changes_nothing_and_stays(home: Home) -> None:
    before = home.said("config", "show")
    assert home.said("config", "init").startswith(f"Created {home.places.settings}.")
    assert stat.S_IMODE(home.places.settings.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.places.settings.parent.stat().st_mode) == 0o700
    assert home.said("config", "show") == before
    home.places.settings.write_text("[turn]\nenabled = false\n")
    done = home.recollect("config", "init")
    assert (done.returncode, b"already exists" in done.stderr) == (1, True)
    assert home.places.settings.read_text() == "[turn]\nenabled = false\n"


def test_a_written_file_holds_every_setting_with_default_and_meaning(home: Home) -> None:
    home.said("config", "init")
    text = home.places.settings.read_text()
    assert "#turn_tokens = 800  # one turn block\n" in text
    assert "[kinds.threshold]  # minimum relevance of a kind in a turn block\n" in text
    taken = tomllib.loads(_taken_up(text))
    assert _flat(taken) == {
        name: list(value) if isinstance(value, tuple) else value for name, value in leaves(Settings()).items()
    }
    home.places.settings.write_text(_taken_up(text))
    origins = {line.split("\t")[2] for line in home.said("config", "show").splitlines()}
    assert origins == {str(home.places.settings)}


def test_a_projects_file_is_written_at_its_top_without_what_is_its_users_business(home: Home, project: Path) -> None:
    assert home.json("config", "init", "--project", cwd=project.parent / "src") == {"created": str(project)}
    text = project.read_text()
    assert list(tomllib.loads(_taken_up(text))) == [
        "project",
        *(name for name in _sections() if name not in USER_ONLY),
        "privacy",
    ]
    assert str(home.path) not in text
    project.write_text(_taken_up(text))
    assert str(project) in home.said("config", "show", "turn", cwd=project.parent)
    assert home.recollect("config", "init", "--project", cwd=project.parent).returncode == 1


def _taken_up(text: str) -> str:
    """The file with the # taken away from every setting."""
    return re.sub(r"^#(?=\w+ = )", "", text, flags=re.MULTILINE)


def _flat(values: object, prefix: str = "") -> dict[str, object]:
    if not isinstance(values, dict):
        return {prefix: values}
    return {
        name: leaf
        for key, below in values.items()
        for name, leaf in _flat(below, f"{prefix}.{key}" if prefix else key).items()
    }


@pytest.mark.parametrize("command", [["remember", "x"], ["list"], ["recall", "x"], ["config", "show"], ["pipe"]])
def test_a_mistake_in_either_file_is_an_error_on_the_command_line(
    home: Home, user: Path, project: Path, command: list[str]
) -> None:
    for file in (project, user):
        file.write_text("[budget]\n")
        done = home.recollect(*command, cwd=project.parent)
        assert (done.returncode, done.stdout) == (1, b"")
        assert done.stderr.decode() == f"Error: {file}: there is no section 'budget'; did you mean 'budgets'?\n"
        file.unlink()
    assert home.recollect(*command, cwd=project.parent).returncode == 0


def test_a_project_cannot_share_what_its_user_keeps(home: Home, project: Path) -> None:
    project.write_text("[privacy]\nshare_preferences = true\n")
    done = home.recollect("list", cwd=project.parent)
    assert done.returncode == 1
    assert b"[privacy] cannot be set by a project" in done.stderr


@covers("CFG-1")
def test_a_running_daemon_follows_the_files_and_a_broken_one_of_a_project_does_not_silence_it(
    home: Home, user: Path, project: Path
) -> None:
    home.said("remember", "Always use tabs.", "--kind", "preference", "--scope", "universal")
    home.said("start")

    def starts_with_a_block(session: str) -> bool:
        start = {"hook": "session.start", "sessionID": session, "directory": str(project.parent / "src")}
        return "tabs" in home.post("/v1/hosts/opencode", start)["block"]

    assert starts_with_a_block("nothing is set")
    user.write_text("[start]\nenabled = false\n")
    assert not starts_with_a_block("the user's file")
    project.write_text("[start]\nenabled = true\n")
    assert starts_with_a_block("the project's file")
    user.write_text("")
    project.write_text("[start]\nenabled = 'secret'\n")
    assert starts_with_a_block("broken")
    assert starts_with_a_block("still broken")
    log = home.places.log.read_text()
    assert log.count(f"{str(project)!r} has a mistake and is ignored") == 1
    assert "secret" not in log


def test_a_running_daemon_follows_how_long_it_may_be_idle(home: Home, user: Path) -> None:
    daemon = home.daemon()
    user.write_text("[daemon]\nidle_minutes = 0.001\n")
    assert daemon.wait(timeout=20) == 0


@pytest.mark.parametrize(
    ("command", "needs"),
    [
        (["remember", "x"], []),
        (["list"], []),
        (["recall", "x"], ["numpy"]),
        (["import", "-"], []),
        (["export"], []),
    ],
)
def test_a_quick_command_does_not_pay_for_what_it_does_not_use(
    home: Home, command: list[str], needs: list[str]
) -> None:
    taught(home)
    run = (
        f"import sys; from recollect.cli.main import cli; cli.main({command}, standalone_mode=False);"
        "dear = 'difflib tomllib subprocess logging rich numpy onnxruntime tokenizers numkong'.split();"
        "print([name for name in dear if name in sys.modules])"
    )
    python = RECOLLECT.with_name("python")
    done = subprocess.run(
        [python, "-c", run], env=home.env, cwd=home.path, input="", capture_output=True, text=True, timeout=30
    )
    assert done.stdout.splitlines()[-1] == str(needs)
