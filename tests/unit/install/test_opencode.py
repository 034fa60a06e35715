"""OpenCode is connected and disconnected: our files, and one entry of somebody's configuration."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recollect.domain.errors import InstallError
from recollect.install import changes, opencode
from recollect.install.changes import ChangeKind
from recollect.install.opencode import MARK, OpenCodeFolder, plugin_files, project_folder, user_folder

DAEMON = ("/opt/python", "-m", "recollect.daemon")
BRIDGE = ("/opt/ü b/recollect", "mcp")
ENTRY = {"type": "local", "command": list(BRIDGE)}
SCHEMA = "https://opencode.ai/config.json"


@pytest.fixture(params=[user_folder, project_folder])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> OpenCodeFolder:
    made: OpenCodeFolder = request.param(tmp_path)
    return made


def command_file(place: OpenCodeFolder) -> Path:
    return place.folder.parent / "state" / "command.json"


def record(place: OpenCodeFolder) -> Path:
    return command_file(place).with_name("installed.json")


def install(place: OpenCodeFolder, bridge: tuple[str, ...] = BRIDGE) -> dict[Path, ChangeKind]:
    noted = {"command": DAEMON, "mcp": BRIDGE}
    plan = opencode.plan_install(place, bridge, command_file(place), record(place), noted)
    changes.apply_edits(plan.edits)
    return {edit.path: edit.change for edit in plan.edits}


def uninstall(place: OpenCodeFolder) -> dict[Path, ChangeKind]:
    plan = opencode.plan_uninstall(place, record(place))
    changes.apply_edits(plan.edits, place.folders)
    return {edit.path: edit.change for edit in plan.edits}


def notes_of(place: OpenCodeFolder) -> tuple[str, ...]:
    return opencode.plan_install(place, BRIDGE, command_file(place), record(place), {}).notes


def everything(folder: Path) -> dict[Path, object]:
    """Files with what is in them, links with where they lead, folders."""
    return {
        path: path.readlink() if path.is_symlink() else path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def test_install_puts_everything_in_place_and_a_second_time_changes_nothing(place: OpenCodeFolder) -> None:
    assert set(install(place).values()) == {ChangeKind.CREATED}
    assert set(install(place).values()) == {ChangeKind.UNCHANGED}
    for path, held in plugin_files().items():
        assert (place.plugin.parent / path).read_bytes() == held
        assert MARK.encode() in held.splitlines()[0]
    assert json.loads(command_file(place).read_text()) == {"command": list(DAEMON), "mcp": list(BRIDGE)}
    assert json.loads(place.new.read_text()) == {"$schema": SCHEMA, "mcp": {"recollect": ENTRY}}


def test_uninstall_takes_out_exactly_what_install_put_in(place: OpenCodeFolder, tmp_path: Path) -> None:
    command_file(place).parent.mkdir(parents=True)
    before = everything(tmp_path)
    install(place)
    assert set(uninstall(place).values()) == {ChangeKind.REMOVED}
    assert uninstall(place) == {}
    after = everything(tmp_path)
    del after[command_file(place)]  # other projects start their daemon with it
    assert {**after, place.folder: None} == {**before, place.folder: None}
    assert not place.folder.exists()


@pytest.mark.parametrize("name", ["opencode.json", "opencode.jsonc"])
def test_the_configuration_that_is_there_gets_the_entry_and_gets_its_bytes_back(
    place: OpenCodeFolder, name: str
) -> None:
    (file,) = [path for path in place.configurations if path.name == name][:1]
    file.parent.mkdir(parents=True, exist_ok=True)
    mine = b'\xef\xbb\xbf{\r\n\t// mine\r\n\t"model": "a/b", /* \xc3\xbc */\r\n\t"mcp": {"x": {}},\r\n}\r\n'
    file.write_bytes(mine)
    file.chmod(0o600)
    assert install(place)[file] == ChangeKind.UPDATED
    assert not place.new.exists() or place.new == file
    assert b"// mine\r\n" in file.read_bytes()
    assert b'"mcp": {"x": {}, "recollect": {' in file.read_bytes()
    assert file.stat().st_mode & 0o777 == 0o600
    uninstall(place)
    assert file.read_bytes() == mine


def test_of_several_configurations_the_one_with_our_entry_is_kept_up_to_date(tmp_path: Path) -> None:
    place = project_folder(tmp_path)
    first, last = place.configurations[0], place.configurations[-1]
    last.parent.mkdir()
    last.write_text(json.dumps({"mcp": {"recollect": {"type": "local", "command": ["/old/recollect", "mcp"]}}}))
    first.write_text("{}")
    install(place)
    assert (first.read_text(), json.loads(last.read_text())) == ("{}", {"mcp": {"recollect": ENTRY}})


@pytest.mark.parametrize(
    "entry",
    [
        ENTRY | {"enabled": False},
        ENTRY | {"environment": {}},
        {"type": "local", "command": ["my-own", "mcp"]},
        {"type": "remote", "url": "http://127.0.0.1:1/mcp"},
        "odd",
    ],
)
def test_an_entry_of_the_users_own_is_left_alone_and_said(place: OpenCodeFolder, entry: Any) -> None:
    place.new.parent.mkdir(parents=True, exist_ok=True)
    place.new.write_text(json.dumps({"mcp": {"recollect": entry}}))
    before = place.new.read_bytes()
    (said,) = notes_of(place)
    assert str(place.new) in said
    assert ("off" in said) == (isinstance(entry, dict) and entry.get("enabled") is False)
    install(place)
    assert place.plugin.exists()
    uninstall(place)
    assert place.new.read_bytes() == before


@pytest.mark.parametrize(
    "held",
    [
        b"{",
        b"[]",
        b'{"mcp": 1}',
        b'{"mcp": {}, "mcp": {}}',
        b'{"mcp": {"recollect": null}}',
        b"\xff\xfe{\0}\0",
        b"{a: 1}",
        b'{"a": %s}' % (b"9" * 5000),
    ],
)
def test_what_is_not_understood_is_refused_and_nothing_is_changed(
    place: OpenCodeFolder, tmp_path: Path, held: bytes
) -> None:
    place.new.parent.mkdir(parents=True, exist_ok=True)
    place.new.write_bytes(held)
    before = everything(tmp_path)
    with pytest.raises(InstallError) as refused:
        install(place)
    assert str(place.new) in str(refused.value)
    assert '"mcp": {"recollect": {"type": "local"' in str(refused.value)
    assert everything(tmp_path) == before


def test_an_empty_configuration_is_none(place: OpenCodeFolder) -> None:
    place.new.parent.mkdir(parents=True, exist_ok=True)
    place.new.write_text("\n")
    install(place)
    assert json.loads(place.new.read_text())["$schema"] == SCHEMA


@pytest.mark.parametrize("comment", ["// mine", "/* mine */\n\n", "\ufeff", "\ufeff// mine\r\n"])
def test_a_comment_alone_is_kept_before_what_is_made(place: OpenCodeFolder, comment: str) -> None:
    place.new.parent.mkdir(parents=True, exist_ok=True)
    place.new.write_bytes(comment.encode())
    install(place)
    assert place.new.read_bytes().decode().startswith(comment.rstrip())
    assert [entry.value for entry in opencode.entries(place)] == [ENTRY]
    assert set(install(place).values()) == {ChangeKind.UNCHANGED}
    uninstall(place)
    assert place.new.read_bytes().decode().startswith(comment.rstrip())


@pytest.mark.parametrize("held", ["", f'{{\n  "$schema": "{SCHEMA}"\n}}\n'])
def test_a_configuration_that_the_user_had_stays_even_if_nothing_is_in_it(place: OpenCodeFolder, held: str) -> None:
    place.new.parent.mkdir(parents=True, exist_ok=True)
    place.new.write_text(held)
    install(place)
    install(place)
    uninstall(place)
    assert json.loads(place.new.read_text()) == {"$schema": SCHEMA}


def test_a_configuration_of_which_nobody_knows_who_made_it_stays(place: OpenCodeFolder) -> None:
    for lost in (b"", b"[]", b'{"created": 1}', b'{"created": [[], null]}'):
        install(place)
        record(place).write_bytes(lost)
        uninstall(place)
        assert place.new.exists()
        place.new.unlink()


def test_a_configuration_that_was_made_anew_by_the_user_is_no_longer_ours(place: OpenCodeFolder) -> None:
    install(place)
    place.new.write_text(f'{{\n  "$schema": "{SCHEMA}"\n}}\n')
    install(place)
    uninstall(place)
    assert place.new.exists()


def test_two_places_remember_what_was_made_each_for_itself(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    first, second = project_folder(tmp_path), project_folder(tmp_path / "b")
    install(first)
    plan = opencode.plan_install(second, BRIDGE, command_file(first), record(first), {})
    changes.apply_edits(plan.edits)
    uninstall(first)
    assert json.loads(record(first).read_text()) == {"created": [str(second.new)]}
    assert uninstall(first) == {}


def test_a_linked_folder_of_parts_is_left_alone_and_said(place: OpenCodeFolder, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    install(place)
    (place.plugin.parent / "recollect").rename(theirs)
    (place.plugin.parent / "recollect").symlink_to(theirs)
    before = everything(theirs)
    (said,) = opencode.plan_uninstall(place, record(place)).notes
    assert str(theirs) in said
    uninstall(place)
    assert everything(theirs) == before
    assert not place.plugin.exists()


@pytest.mark.parametrize("word", ["\ud800/recollect", "/\0/recollect"])
def test_a_command_that_no_file_can_have_is_somebody_elses(place: OpenCodeFolder, word: str) -> None:
    place.new.parent.mkdir(parents=True, exist_ok=True)
    place.new.write_text(json.dumps({"mcp": {"recollect": {"type": "local", "command": [word, "mcp"]}}}))
    assert not opencode.entries(place)[0].is_ours
    assert len(notes_of(place)) == 1


def test_a_link_is_followed_and_stays_a_link(place: OpenCodeFolder, tmp_path: Path) -> None:
    dotfiles = tmp_path / "dotfiles.json"
    dotfiles.write_text('{"a": 1}\n')
    place.new.parent.mkdir(parents=True, exist_ok=True)
    place.new.symlink_to(dotfiles)
    install(place)
    assert "recollect" in dotfiles.read_text()
    assert place.new.is_symlink()
    uninstall(place)
    assert (place.new.is_symlink(), dotfiles.read_text()) == (True, '{"a": 1}\n')


def test_a_link_that_leads_nowhere_is_refused(place: OpenCodeFolder, tmp_path: Path) -> None:
    place.new.parent.mkdir(parents=True, exist_ok=True)
    place.new.symlink_to(tmp_path / "nowhere")
    with pytest.raises(InstallError, match="leads nowhere"):
        install(place)


def test_an_older_plugin_of_ours_is_updated_and_files_that_it_has_no_more_are_removed(place: OpenCodeFolder) -> None:
    parts = place.plugin.parent / "recollect"
    parts.mkdir(parents=True)
    for path in (place.plugin, parts / "older.ts"):
        path.write_text(f"// {MARK}, an older one\n")
    (parts / "mine.ts").write_text("// mine\n")
    done = install(place)
    assert (done[place.plugin], done[parts / "older.ts"]) == (ChangeKind.UPDATED, ChangeKind.REMOVED)
    assert not (parts / "older.ts").exists()
    uninstall(place)
    assert [path for path in place.folder.rglob("*") if path.is_file()] == [parts / "mine.ts"]


def test_a_file_of_somebody_else_is_not_touched(place: OpenCodeFolder, tmp_path: Path) -> None:
    place.plugin.parent.mkdir(parents=True)
    place.plugin.write_text("// mine\n")
    before = everything(tmp_path)
    with pytest.raises(InstallError, match="not ours"):
        install(place)
    assert "is not ours" in opencode.plan_uninstall(place, record(place)).notes[0]
    uninstall(place)
    assert everything(tmp_path) == before


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_what_is_no_file_is_not_touched(place: OpenCodeFolder, make: Callable[[Path], None]) -> None:
    place.plugin.parent.mkdir(parents=True)
    make(place.plugin)
    with pytest.raises(InstallError, match="is not a file"):
        install(place)
    uninstall(place)
    assert place.plugin.exists()


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(InstallError, match="no folder"):
        project_folder(tmp_path / "none")
