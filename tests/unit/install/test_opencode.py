import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from recollect.domain.errors import InstallError
from recollect.install.opencode import MARK, Change, install, plugin_path, plugin_source, uninstall

COMMAND = ("/opt/python", "-m", "recollect.daemon")


def changes(project: Path, command_file: Path) -> list[Change]:
    return [step.change for step in install(project, command_file, COMMAND)]


def test_install_puts_the_plugin_and_the_command_in_place_and_a_second_time_changes_nothing(tmp_path: Path) -> None:
    command_file = tmp_path / "state" / "command.json"
    assert changes(tmp_path, command_file) == [Change.CREATED, Change.CREATED]
    assert changes(tmp_path, command_file) == [Change.UNCHANGED, Change.UNCHANGED]
    assert plugin_path(tmp_path).read_text() == plugin_source().read_text()
    assert json.loads(command_file.read_text()) == {"command": list(COMMAND)}


def test_an_older_plugin_of_ours_is_updated(tmp_path: Path) -> None:
    plugin_path(tmp_path).parent.mkdir(parents=True)
    plugin_path(tmp_path).write_text(f"// {MARK}, an older one\n")
    assert changes(tmp_path, tmp_path / "command.json")[0] == Change.UPDATED


def test_a_file_of_somebody_else_is_not_touched(tmp_path: Path) -> None:
    plugin_path(tmp_path).parent.mkdir(parents=True)
    plugin_path(tmp_path).write_text("// mine\n")
    for action in (lambda: changes(tmp_path, tmp_path / "command.json"), lambda: uninstall(tmp_path)):
        with pytest.raises(InstallError, match="not ours"):
            action()
    assert plugin_path(tmp_path).read_text() == "// mine\n"
    assert not (tmp_path / "command.json").exists()


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_what_is_no_file_is_not_touched(tmp_path: Path, make: Callable[[Path], None]) -> None:
    plugin_path(tmp_path).parent.mkdir(parents=True)
    make(plugin_path(tmp_path))
    for action in (lambda: changes(tmp_path, tmp_path / "command.json"), lambda: uninstall(tmp_path)):
        with pytest.raises(InstallError, match="not a file of ours"):
            action()


def test_uninstall_takes_out_what_install_put_in(tmp_path: Path) -> None:
    install(tmp_path, tmp_path / "command.json", COMMAND)
    assert [step.change for step in uninstall(tmp_path)] == [Change.REMOVED]
    assert [step.change for step in uninstall(tmp_path)] == [Change.UNCHANGED]
    assert not (tmp_path / ".opencode").exists()


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(InstallError, match="no folder"):
        install(tmp_path / "none", tmp_path / "command.json", COMMAND)
