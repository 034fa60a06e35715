"""`recollect install opencode` and `uninstall`, as a user calls them."""

import json
import os
import signal
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.process.conftest import RECOLLECT, Home, refused, without_styles
from tests.requirements import covers

MINE = '{\n  // mine\n  "model": "a/b",\n}\n'


@pytest.fixture
def project(home: Home) -> Path:
    """With a space and a letter that is not ASCII in its name."""
    path = home.path / "my prüject"
    (path / ".git").mkdir(parents=True)
    (path / "src").mkdir()
    return path


def everything(folder: Path) -> dict[Path, Any]:
    return {path: path.is_file() and path.read_bytes() for path in folder.rglob("*")}


def found(home: Home, about: str, cwd: Path) -> list[tuple[str, str, str]]:
    """What doctor says about something: how it is, what it says, what to do."""
    report = json.loads(home.recollect("doctor", "--json", cwd=cwd).stdout)
    return [(one["health"], one["says"], one["advice"]) for one in report["findings"] if one["about"] == about]


def test_a_project_is_connected_at_its_top_and_disconnected_again(home: Home, project: Path) -> None:
    before = everything(project)
    said = home.said("install", "opencode", "--project", cwd=project / "src")
    assert "for this project only" in said
    assert "+ new file" in said
    assert '+      "command": [' in said
    assert "Try it" in said
    assert str(project) in said.splitlines()[0]
    assert (project / ".opencode/plugin/recollect.ts").exists()
    again = home.said("install", "opencode", "--project", cwd=project)
    assert "created" not in again
    assert again.count("unchanged") == said.count("created")
    assert ("Already connected" in again, "restart" in again) == (True, False)
    assert "memories are kept" in home.said("uninstall", "opencode", "--project", cwd=project)
    assert everything(project) == before
    assert "Recollect is not installed" in home.said("uninstall", "opencode", "--project", cwd=project)


def test_without_an_option_it_is_for_the_user_and_says_so(home: Home, project: Path) -> None:
    config = home.path / ".config/opencode/opencode.jsonc"
    config.parent.mkdir(parents=True)
    config.write_text(MINE)
    said = home.said("install", "opencode", cwd=project)
    assert "for you, in every project (`--project`: only for this one)" in said
    assert '   // mine\n     "model": "a/b",\n  +  "mcp": {' in said
    assert (config.parent / "plugin/recollect.ts").exists()
    assert not (config.parent / "opencode.json").exists()
    assert "// mine" in config.read_text()
    assert not (project / ".opencode").exists()
    home.said("uninstall", "opencode", cwd=project)
    assert config.read_text() == MINE


@pytest.mark.parametrize(
    ("option", "path", "command"),
    [
        ("--user", f"{RECOLLECT.parent}:/usr/bin:/bin", str(RECOLLECT)),
        ("--project", f"{RECOLLECT.parent}:/usr/bin:/bin", "recollect"),
        ("--project", "/usr/bin:/bin", str(RECOLLECT)),
    ],
)
def test_the_entry_names_the_command_in_a_project_only_and_where_the_name_leads_here(
    home: Home, project: Path, option: str, path: str, command: str
) -> None:
    here = replace(home, env=home.env | {"PATH": path})
    done = here.json("install", "opencode", option, cwd=project)
    (config,) = [step["path"] for step in done["steps"] if "diff" in step]
    assert json.loads(Path(config).read_text())["mcp"]["recollect"]["command"] == [command, "mcp"]
    assert any("Do not commit" in note for note in done["notes"]) == (option == "--project" and command[0] == "/")
    noted = json.loads(home.places.command.read_text())
    assert noted["mcp"] == [str(RECOLLECT), "mcp"]
    assert Path(noted["command"][0]).is_absolute()


def test_a_dry_run_shows_the_same_and_changes_nothing(home: Home, project: Path) -> None:
    (project / "opencode.json").write_text(MINE)
    before = everything(home.path)
    shown = home.said("install", "opencode", "--project", "--dry-run", cwd=project)
    told = home.json("install", "opencode", "--project", "--dry-run", cwd=project)
    assert '+  "mcp": {' in shown
    assert f"would update    {project}/opencode.json" in shown
    assert f"would create    {project}/.opencode/plugin/recollect.ts" in shown
    assert "\ncreated" not in shown
    assert '+  "mcp": {' in told["steps"][1]["diff"]
    assert everything(home.path) == before


def test_a_diff_has_colours_in_a_terminal_only(home: Home) -> None:
    shown = home.in_terminal("install", "opencode", "--dry-run")
    assert "\x1b[32m+" in shown
    plain = home.in_terminal("install", "opencode", "--dry-run", NO_COLOR="1")
    assert "\x1b[" not in plain
    assert without_styles(shown) == plain


@pytest.mark.parametrize("held", ["{", '{"mcp": []}', '{"mcp": {}, "mcp": {}}', f'{{"a": {"1" * 5000}}}'])
def test_a_configuration_that_is_not_understood_is_refused(home: Home, held: str) -> None:
    config = home.path / ".config/opencode/opencode.json"
    config.parent.mkdir(parents=True)
    config.write_text(held)
    before = everything(home.path)
    for command in ("install", "uninstall"):
        assert "Nothing was changed" in refused(home, command, "opencode")
    assert everything(home.path) == before
    assert found(home, "tools", home.path)[0][0] == "problem"


def test_a_home_that_is_missing_or_cannot_be_written_is_said(home: Home, project: Path) -> None:
    for wrong in ("", "relative", "/dev/null/home", "/proc/nowhere"):
        option = "--user" if wrong else "--project"
        done = home.recollect("install", "opencode", option, cwd=project, HOME=wrong)
        assert (done.returncode, done.stdout) == (1, b"")
        assert b"HOME" in done.stderr or b"Nothing was changed" in done.stderr
        assert b"Traceback" not in done.stderr


def test_several_at_once_install_it_once_and_none_undoes_it(home: Home, project: Path) -> None:
    processes = [
        subprocess.Popen([RECOLLECT, "install", "opencode"], env=home.env, cwd=project, stdout=subprocess.PIPE)
        for _ in range(4)
    ]
    said = [process.communicate(timeout=60)[0].decode() for process in processes]
    assert [process.returncode for process in processes] == [0] * 4
    assert sum("created" in one for one in said) == 1
    assert "unchanged" in home.said("install", "opencode")
    assert "created" not in home.said("install", "opencode")
    assert [health for health, _, _ in found(home, "tools", project)] == ["fine"]


def test_installing_and_uninstalling_at_once_leaves_all_of_it_or_nothing(home: Home) -> None:
    home.said("install", "opencode")
    connected = everything(home.path / ".config")
    for _ in range(3):
        processes = [
            subprocess.Popen(
                [RECOLLECT, word, "opencode"],
                env=home.env,
                cwd=home.path,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
            for word in ("uninstall", "install", "uninstall", "install")
        ]
        said = [process.communicate(timeout=60)[1] for process in processes]
        assert [process.returncode for process in processes] == [0] * 4, said
        left = everything(home.path / ".config")
        assert left == connected or not any(path.is_file() for path in left)


def test_it_is_done_whether_or_not_somebody_reads_on(home: Home) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f"{{ {RECOLLECT} install opencode; echo $? >&2; }} | true"],
        env=home.env,
        cwd=home.path,
        capture_output=True,
        timeout=30,
    )
    assert done.stderr == b"0\n"
    assert "created" not in home.said("install", "opencode")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [RECOLLECT, "uninstall", "opencode"], env=home.env, stdout=full, stderr=subprocess.PIPE, timeout=30
        )
    assert (done.returncode, b"All changes were made" in done.stderr) == (1, True)
    assert "Recollect is not installed" in home.said("uninstall", "opencode")


def test_a_folder_that_is_empty_stays_where_nothing_is_installed(home: Home, project: Path) -> None:
    home.said("install", "opencode", "--user")
    (project / ".opencode/plugin").mkdir(parents=True)
    assert "Recollect is not installed" in home.said("uninstall", "opencode", "--project", cwd=project)
    assert (project / ".opencode/plugin").is_dir()


@pytest.mark.parametrize("to", ["nowhere", "opencode"])
def test_a_folder_that_leads_nowhere_is_said(home: Home, to: str) -> None:
    (home.path / ".config").mkdir(exist_ok=True)
    (home.path / ".config/opencode").symlink_to(home.path / ".config" / to)
    before = everything(home.path)
    assert "is a broken link" in refused(home, "install", "opencode")
    assert "Recollect is not installed" in home.said("uninstall", "opencode")
    assert everything(home.path) == before
    assert b"Traceback" not in home.recollect("doctor").stderr


def test_a_folder_without_git_is_named(home: Home) -> None:
    (home.path / "plain").mkdir()
    for folder, why in ((home.path, b"your home folder"), (home.path / "plain", b"not in a git repository")):
        done = home.recollect("install", "opencode", "--project", "--dry-run", cwd=folder)
        assert (done.returncode, why in done.stderr, str(folder).encode() in done.stdout) == (0, True, True)


def test_what_is_said_fits_a_terminal(home: Home, project: Path) -> None:
    shown = without_styles(home.in_terminal("install", "opencode", "--project", cwd=project, columns=80))
    long = [line for line in shown.splitlines() if len(line) > 80 and len(line.split()) > 2]
    assert [line for line in long if not line.startswith("  ")] == []


def test_ctrl_c_leaves_all_or_nothing(home: Home, project: Path) -> None:
    (project / "opencode.json").write_text(MINE)
    before = everything(project)
    for delay in (0.05, 0.1, 0.15, 0.2):
        process = subprocess.Popen(
            [RECOLLECT, "install", "opencode", "--project"],
            env=home.env,
            cwd=project,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            process.wait(delay)
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGINT)
        process.wait(30)
        if everything(project) != before:
            assert "created" not in home.said("install", "opencode", "--project", cwd=project)
            home.said("uninstall", "opencode", "--project", cwd=project)
        assert everything(project) == before


def test_doctor_tells_how_opencode_is_connected_and_what_to_do(home: Home, project: Path) -> None:
    assert any("not connected" in says for _, says, _ in found(home, "opencode", project))
    home.said("install", "opencode", "--user", cwd=project)
    home.said("install", "opencode", "--project", cwd=project)
    told = found(home, "opencode", project)
    assert [health for health, says, _ in told if "recollect.ts" in says] == ["fine", "fine"]
    assert any("connected twice" in says for _, says, _ in told)
    assert [health for health, _, _ in found(home, "tools", project)] == ["fine", "fine"]

    plugin = project / ".opencode/plugin/recollect.ts"
    plugin.write_text(plugin.read_text() + "// edited\n")
    ((_, says, advice),) = [one for one in found(home, "opencode", project) if one[0] == "problem"]
    assert (str(plugin) in says, "install opencode --project" in advice) == (True, True)
    (part, *_) = sorted(plugin.with_suffix("").glob("*.ts"))
    home.said("install", "opencode", "--project", cwd=project)
    part.write_text("// edited\n" + part.read_text())
    ((_, says, advice),) = [one for one in found(home, "opencode", project) if one[0] == "problem"]
    assert (f"{part} is not ours" in says, "Move it away" in advice) == (True, True)
    refusal = home.recollect("install", "opencode", "--project", cwd=project).stderr.decode()
    assert f"{part} is not ours" in refusal
    plugin.write_text("// mine\n")
    assert any("is not ours" in says for _, says, _ in found(home, "opencode", project))


@pytest.mark.parametrize(
    ("entry", "health", "says"),
    [
        ({"type": "local", "command": ["recollect", "mcp"], "enabled": False}, "note", "switched off"),
        ({"type": "remote", "url": "http://127.0.0.1:1"}, "note", "has its own entry"),
        ({"type": "local", "command": ["/nowhere/recollect", "mcp"]}, "note", "/nowhere/recollect"),
        ({"type": "local", "command": ["\ud800/recollect", "mcp"]}, "note", "has its own entry"),
        (None, "note", "adds the tools itself"),
    ],
)
def test_doctor_tells_what_became_of_the_tools(home: Home, entry: Any, health: str, says: str) -> None:
    home.said("install", "opencode")
    config = home.path / ".config/opencode/opencode.json"
    config.write_text(json.dumps({"mcp": {} if entry is None else {"recollect": entry}}))
    ((told, what, advice),) = found(home, "tools", home.path)
    assert (told, says in what, bool(advice)) == (health, True, True)


def test_without_the_plugin_a_command_that_is_not_there_is_a_problem(home: Home) -> None:
    config = home.path / ".config/opencode/opencode.json"
    config.parent.mkdir(parents=True)
    entry = {"type": "local", "command": ["/nowhere/recollect", "mcp"]}
    config.write_text(json.dumps({"mcp": {"recollect": entry}}))
    ((told, says, advice),) = found(home, "tools", home.path)
    assert (told, "/nowhere/recollect" in says, "install opencode" in advice) == ("problem", True, True)


@pytest.mark.parametrize(("version", "health"), [("1.18.33", "fine"), ("2.0.1-beta", "note"), ("1.4.0", "note")])
def test_doctor_knows_the_client_and_never_starts_it(home: Home, version: str, health: str) -> None:
    package = home.path / "opencode-ai"
    (package / "bin").mkdir(parents=True)
    client = package / "bin/opencode"
    client.write_text("#!/bin/sh\ntouch ~/started\n")
    client.chmod(0o755)
    (package / "package.json").write_text(json.dumps({"version": version}))
    here = replace(home, env=home.env | {"PATH": f"{client.parent}:/usr/bin:/bin"})
    told = found(here, "opencode", home.path)[0]
    assert (told[0], version.partition("-")[0] in told[1]) == (health, True)
    assert not (home.path / "started").exists()


def test_doctor_tells_of_a_bridge_that_is_gone(home: Home) -> None:
    home.said("install", "opencode")
    noted = json.loads(home.places.command.read_text())
    home.places.command.write_text(json.dumps(noted | {"mcp": ["/nowhere/recollect", "mcp"]}))
    assert any(
        health == "problem" and "/nowhere/recollect" in says and "install opencode" in advice
        for health, says, advice in found(home, "hooks", home.path)
    )


@covers("CAP-12", "WOR-3")
def test_the_hosts_model_reads_sessions_only_where_the_user_says_so(home: Home) -> None:
    settings = home.path / ".config/recollect/config.toml"
    home.said("install", "opencode")  # nobody can be asked
    assert not settings.exists()
    said = home.said("install", "opencode", "--extract")
    assert '+provider = "host"' in said
    assert "host" in home.said("config", "show", "extractor")
    assert "provider" not in home.said("install", "opencode")
    assert '-provider = "host"' in home.said("install", "opencode", "--no-extract")
    assert not settings.exists()


def test_in_a_terminal_the_price_is_said_and_no_is_the_answer_of_who_only_presses_enter(home: Home) -> None:
    shown = without_styles(home.in_terminal("install", "opencode", typed="\n"))
    assert "about 700 tokens" in " ".join(shown.split())
    assert not (home.path / ".config/recollect/config.toml").exists()
    home.in_terminal("install", "opencode", typed="y\n")
    assert 'provider = "host"' in (home.path / ".config/recollect/config.toml").read_text()


def test_a_provider_of_the_users_own_stays(home: Home) -> None:
    settings = home.path / ".config/recollect/config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('[extractor]\nprovider = "openai"\nendpoint = "http://127.0.0.1:1/v1"\nmodel = "m"\n')
    before = settings.read_text()
    done = home.recollect("install", "opencode", "--extract")
    assert done.returncode == 0
    assert b"it was not changed" in done.stderr
    assert settings.read_text() == before
