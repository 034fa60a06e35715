"""What the shell and the terminal get: completion, width, colours, JSON."""

import subprocess

import click
import pytest

from tests.docs.reference import every_command
from tests.process.conftest import RECOLLECT, Home, taught, without_styles


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_gets_a_script_for_completion(home: Home, shell: str) -> None:
    assert "_RECOLLECT_COMPLETE" in home.said("completion", shell)


def completed(home: Home, *words: str) -> list[str]:
    """What bash would offer for the last of the words."""
    line = ["recollect", *words]
    done = home.recollect(
        _RECOLLECT_COMPLETE="bash_complete", COMP_WORDS="\n".join(line), COMP_CWORD=str(len(line) - 1)
    )
    assert done.returncode == 0, done.stderr
    return [item.partition(",")[2] for item in done.stdout.decode().splitlines()]


def test_commands_options_and_ids_are_completed(home: Home) -> None:
    memory_id = taught(home)
    assert completed(home, "reme") == ["remember"]
    assert "--kind" in completed(home, "remember", "--k")
    assert "error_pattern" in completed(home, "remember", "x", "--kind", "err")
    assert completed(home, "show", memory_id[:2]) == [memory_id]
    assert completed(home, "project", "me") == ["merge"]
    home.places.database.write_text("no database " * 100)
    assert completed(home, "show", "") in ([], [""])


def test_bash_really_completes(home: Home) -> None:
    script = (
        f"source <({RECOLLECT} completion bash); COMP_WORDS=({RECOLLECT} reme); COMP_CWORD=1; "
        f"_recollect_completion {RECOLLECT}; echo ${{COMPREPLY[0]}}"
    )
    done = subprocess.run(["bash", "-c", script], env=home.env, capture_output=True, text=True, timeout=30)
    assert done.stdout.strip() == "remember"


@pytest.mark.parametrize("command", ["list", "show", "history", "undo --list", "recall helm", "project show", "doctor"])
def test_a_terminal_shows_it_within_its_width(home: Home, command: str) -> None:
    memory_id = taught(home, "We deploy with Helm " + "and more words " * 20, "--scope", "universal")
    args = [*command.split(), *([memory_id] if command in ("show", "history") else [])]
    shown = home.in_terminal(*args, columns=60)
    assert "Helm" in shown or command in ("undo --list", "project show", "doctor")
    if command in ("list", "show", "recall helm", "undo --list"):
        assert max(len(line.rstrip()) for line in without_styles(shown).splitlines()) <= 60


def test_a_terminal_without_colours_gets_none(home: Home) -> None:
    taught(home)
    assert "\x1b[" in home.in_terminal("list")
    assert "\x1b[" not in home.in_terminal("list", NO_COLOR="1")
    assert "\x1b[" not in home.in_terminal("list", TERM="dumb")


@pytest.mark.parametrize("command", list(every_command()), ids=lambda context: context.command_path)
def test_every_command_answers_as_json(command: click.Context) -> None:
    options = [option for parameter in command.command.params for option in parameter.opts]
    # `pipe` and `mcp` speak nothing but JSON, and what `completion` prints is for a shell.
    exempt = command.info_name in ("pipe", "mcp", "completion") or isinstance(command.command, click.Group)
    assert exempt or "--json" in options
