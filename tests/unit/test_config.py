import re
from pathlib import Path

import pytest

from recollect import config
from recollect.config import DEFAULT, USER_ONLY, leaves, read_settings
from recollect.domain.errors import InvalidSettings
from recollect.domain.memory import Kind
from recollect.domain.settings import Budgets, Kinds, Settings, TurnSettings
from recollect.privacy.exclude import IgnoredPaths
from tests.requirements import covers


@pytest.fixture
def user(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / ".recollect.toml"


def test_without_files_and_environment_the_defaults_hold(user: Path) -> None:
    loaded = read_settings(user, None, {})
    assert loaded.settings == Settings()
    assert set(loaded.origins.values()) == {DEFAULT}


def test_every_setting_has_an_origin_under_its_full_name(user: Path) -> None:
    loaded = read_settings(user, None, {})
    assert loaded.origins.keys() == leaves(loaded.settings).keys()
    assert {"turn.enabled", "kinds.threshold.decision", "kinds.injected.outcome"} <= loaded.origins.keys()


@covers("CFG-1")
def test_the_project_comes_after_the_user_and_the_environment_has_the_last_word(user: Path, project: Path) -> None:
    user.write_text("[budgets]\nstart_tokens = 900\nturn_tokens = 300\nturn_lines_first = 8\n")
    project.write_text("[budgets]\nstart_tokens = 700\nturn_tokens = 200\n")
    loaded = read_settings(
        user, project, {"RECOLLECT_BUDGETS__START_TOKENS": "600", "RECOLLECT_TURN__ENABLED": "no", "X": "1"}
    )
    assert loaded.settings == Settings(
        budgets=Budgets(start_tokens=600, turn_tokens=200, turn_lines_first=8), turn=TurnSettings(enabled=False)
    )
    assert {name: origin for name, origin in loaded.origins.items() if origin != DEFAULT} == {
        "budgets.start_tokens": "RECOLLECT_BUDGETS__START_TOKENS",
        "budgets.turn_tokens": str(project),
        "budgets.turn_lines_first": str(user),
        "turn.enabled": "RECOLLECT_TURN__ENABLED",
    }


def test_a_table_of_kinds_is_set_kind_by_kind_from_everywhere(user: Path, project: Path) -> None:
    user.write_text("[kinds.threshold]\ndecision = 0.6\nrule = 0.2\n[kinds.half_life_days]\npreference = 9\n")
    project.write_text("[kinds]\ninjected.outcome = false\nthreshold.decision = 0.7\n")
    loaded = read_settings(user, project, {"RECOLLECT_KINDS__THRESHOLD__FILE_CONTEXT": "0.5"})
    kinds = loaded.settings.kinds
    assert kinds.threshold == {**Kinds().threshold, Kind.DECISION: 0.7, Kind.RULE: 0.2, Kind.FILE_CONTEXT: 0.5}
    assert [kind for kind, injected in kinds.injected.items() if not injected] == [Kind.OUTCOME]
    assert kinds.half_life_days[Kind.PREFERENCE] == 9
    assert loaded.origins["kinds.threshold.decision"] == str(project)
    assert loaded.origins["kinds.threshold.rule"] == str(user)
    assert loaded.origins["kinds.threshold.file_context"] == "RECOLLECT_KINDS__THRESHOLD__FILE_CONTEXT"
    assert loaded.origins["kinds.half_life_days.preference"] == str(user)


MISTAKES = [
    ("[budget]\nx = 1", "no section 'budget'; did you mean 'budgets'?"),
    ("[colours]\nx = 1", "no section 'colours'; use one of "),
    ("[budgets]\nstart_token = 1", "no setting 'start_token' in [budgets]; did you mean 'start_tokens'?"),
    ("[kinds.threshold]\ndecisions = 1", "no kind 'decisions' in kinds.threshold; did you mean 'decision'?"),
    ("[budgets]\nstart_tokens = 'many'", "budgets.start_tokens is 'many'; it takes a whole number from 0 to 100,000."),
    ("[budgets]\nstart_tokens = 1.5", "is 1.5; it takes a whole number"),
    ("[budgets]\nstart_tokens = -1", "is -1; it takes a whole number from 0 to 100,000"),
    ("[budgets]\nstart_tokens = nan", "is nan; it takes a whole number"),
    (f"[budgets]\nstart_tokens = 0x{'f' * 9000}", "is far too large; it takes"),
    ("[start]\ndecision_days = 99999999", "from 0 to 100,000"),
    ("[start]\nfloor = [1]", "start.floor is a list; it takes a number"),
    ("[budgets]\nstart_tokens = true", "is True; it takes a whole number"),
    ("[budgets.start_tokens]\nrule = 1", "is a table; it takes a whole number"),
    ("[turn]\nenabled = 2", "turn.enabled is 2; it takes true or false"),
    ("[kinds.injected]\nrule = 0.5", "kinds.injected.rule is 0.5; it takes true or false"),
    ("budgets = 3", "budgets is a section; put its settings below [budgets]"),
    ("[[budgets]]", "budgets is a section"),
    ("[kinds]\nthreshold = 3", "set it kind by kind, as kinds.threshold.decision"),
    (f"[budgets]\nstart_tokens = '{'x' * 500}'", "xxx…; it takes"),
    ("[privacy]\nignored_paths = 3", "privacy.ignored_paths is 3; it takes a list of texts"),
    ("[privacy]\nignored_paths = ['a', 3]", "privacy.ignored_paths has the entry 3; an entry is a text of 1 to 500"),
    ("[privacy]\nignored_paths = ['']", "privacy.ignored_paths has the entry ''; an entry is"),
    ("[privacy]\nignored_paths = ['a\\u0000']", "cannot be read as TOML")
    if False
    else ('[privacy]\nignored_paths = ["a\\nb"]', "printable characters"),
    (f"[privacy]\nignored_paths = {['a'] * 501}", "has 501 entries; it takes at most 500"),
    ("not toml", "cannot be read as TOML"),
    ("x = " + "[" * 5000, "cannot be read as TOML"),
    ("x = " + "9" * 5000, "cannot be read as TOML"),
    ("# " + "x" * 100_000, "larger than 100,000 bytes"),
]


@pytest.mark.parametrize(("text", "message"), MISTAKES, ids=[message for _, message in MISTAKES])
@pytest.mark.parametrize("whose", ["user", "project"])
def test_a_mistake_in_a_file_is_refused_with_its_place(
    user: Path, project: Path, whose: str, text: str, message: str
) -> None:
    wrong = user if whose == "user" else project
    wrong.write_text(text)
    with pytest.raises(InvalidSettings, match=re.escape(message)) as refused:
        read_settings(user, project if whose == "project" else None, {})
    assert str(refused.value).startswith(str(wrong))


@pytest.mark.parametrize(
    ("variable", "text", "message"),
    [
        ("RECOLLECT_BUDGETS__TURN_TOKEN", "1", "no setting 'turn_token' in [budgets]; did you mean 'turn_tokens'?"),
        ("RECOLLECT_BUDGET__TURN_TOKENS", "1", "no section 'budget'; did you mean 'budgets'?"),
        ("RECOLLECT_KINDS__THRESHOLD__DECISIONS", "1", "did you mean 'decision'?"),
        ("RECOLLECT_KINDS__THRESHOLD", "1", "set it kind by kind, as kinds.threshold.decision"),
        ("RECOLLECT_TURN__ENABLED__RULE", "1", "turn.enabled is a table; it takes true or false"),
        ("RECOLLECT_TURN__ENABLED", "maybe", "turn.enabled is 'maybe'; it takes true or false"),
        ("RECOLLECT_PRIVACY__IGNORED_PATHS", '["a', "it takes a list of texts (in a variable: separated by commas)"),
        ("RECOLLECT_PRIVACY__IGNORED_PATH", "a", "did you mean 'ignored_paths'?"),
    ],
)
def test_a_mistake_in_the_environment_is_refused_with_its_variable(
    user: Path, variable: str, text: str, message: str
) -> None:
    with pytest.raises(InvalidSettings, match=re.escape(message)) as refused:
        read_settings(user, None, {"RECOLLECT_TURN__RELATIVE_CUT": "0.4", variable: text})
    assert str(refused.value).startswith(f"{variable}: ")


@pytest.mark.parametrize("section", USER_ONLY)
def test_a_project_cannot_set_what_is_only_its_users_business(user: Path, project: Path, section: str) -> None:
    project.write_text(f"[{section}]\n{next(iter(_names(section)))} = 1\n")
    with pytest.raises(InvalidSettings, match=rf"\[{section}\] cannot be set by a project") as refused:
        read_settings(user, project, {})
    assert "You can set it in your own file" in str(refused.value)
    user.write_text(f"[{section}]\n")
    assert read_settings(user, None, {}).settings == Settings()


def _names(section: str) -> list[str]:
    return [name.removeprefix(f"{section}.") for name in leaves(Settings()) if name.startswith(f"{section}.")]


def test_ignored_paths_of_everybody_add_up_and_a_project_takes_none_of_its_users_away(
    user: Path, project: Path
) -> None:
    user.write_text('[privacy]\nignored_paths = ["notes/", "!*.pem", ".env"]\n')
    project.write_text('[privacy]\nignored_paths = ["!**", "fixtures/", "notes/"]\n')
    variable = "RECOLLECT_PRIVACY__IGNORED_PATHS"
    loaded = read_settings(user, project, {variable: "*.csv, [a-z]*.log"})
    globs = loaded.settings.privacy.ignored_paths
    defaults = [glob for glob in Settings().privacy.ignored_paths if glob != ".env"]
    assert globs == ("!**", "fixtures/", *defaults, "notes/", "!*.pem", ".env", "*.csv", "[a-z]*.log")
    assert loaded.origins["privacy.ignored_paths"] == f"{project} + default + {user} + {variable}"
    ignored = IgnoredPaths(globs)
    assert all(ignored.matches(path) for path in ["notes/a", ".env", ".netrc", "fixtures/a", "a.csv"])
    assert not any(ignored.matches(path) for path in ["a.pem", "src/a.py"])


def test_a_list_in_a_variable_may_be_json(user: Path) -> None:
    loaded = read_settings(user, None, {"RECOLLECT_PRIVACY__IGNORED_PATHS": '["a,b", "!**"]'})
    assert loaded.settings.privacy.ignored_paths[-2:] == ("a,b", "!**")
    assert read_settings(user, None, {"RECOLLECT_PRIVACY__IGNORED_PATHS": "[]"}).settings == Settings()
    assert read_settings(user, None, {"RECOLLECT_PRIVACY__IGNORED_PATHS": ""}).settings == Settings()


def test_a_projects_file_may_name_the_project(user: Path, project: Path) -> None:
    project.write_text('project = "shop"\n[budgets]\nturn_tokens = 100\n')
    assert read_settings(user, project, {}).settings.budgets.turn_tokens == 100


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("project = 3", "`project` is 3; it takes a name in quotes"),
        ("[project]\nname = 'x'", "`project` is a table; it takes a name in quotes"),
        ("project = ''", "1 to 500 printable characters"),
        ('project = "a\\nb"', "1 to 500 printable characters"),
        ("projct = 'x'", "did you mean 'project'?"),
    ],
)
def test_a_project_without_a_usable_name_is_refused(user: Path, project: Path, text: str, message: str) -> None:
    project.write_text(text)
    with pytest.raises(InvalidSettings, match=re.escape(message)) as refused:
        read_settings(user, project, {})
    assert str(refused.value).startswith(str(project))


def test_a_file_that_cannot_be_read_is_not_taken_for_none(tmp_path: Path) -> None:
    (tmp_path / "leads-nowhere").symlink_to("gone")
    (tmp_path / "folder").mkdir()
    for unreadable in ("leads-nowhere", "folder", "x" * 300):
        with pytest.raises(InvalidSettings, match="away"):
            read_settings(tmp_path / unreadable, None, {})


def test_the_users_file_does_not_name_a_project(user: Path) -> None:
    user.write_text("project = 'x'")
    with pytest.raises(InvalidSettings, match=r"Move it to the \.recollect\.toml of that project"):
        read_settings(user, None, {})


@covers("CFG-1", "PRI-3")
def test_a_project_cannot_let_headless_sessions_teach(tmp_path: Path) -> None:
    file = tmp_path / ".recollect.toml"
    file.write_text("[capture]\nheadless = true\n")
    with pytest.raises(InvalidSettings, match="only by its user"):
        config.read_project_file(file)
