"""Connects OpenCode and disconnects it: the plugin's files, and `mcp.recollect` in the client's configuration.

Plans what to change and changes nothing itself. Touches files of ours, which say so in their first line, and one entry
of somebody's configuration; whatever is not understood or not ours is refused or left alone, and said.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from recollect.domain.errors import InstallError
from recollect.install import jsonc
from recollect.install.changes import FileEdit, content
from recollect.install.command import is_bridge_command

MARK = "Recollect for OpenCode"  # stands in the first line of every file of the plugin: one without it is not ours
NOT_OURS = f'is not ours: its first line does not say "{MARK}"'
PLUGIN = "recollect.ts"  # what the client loads; its parts lie in a folder beside it, where the client does not look
PARTS = "recollect"
SECTION, NAME = "mcp", "recollect"
SCHEMA = '{\n  "$schema": "https://opencode.ai/config.json"\n}\n'  # without it, the client rewrites the file
MAX_CONFIGURATION_BYTES = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCodeFolder:
    """Where OpenCode looks: for one user, or for one project."""

    name: str  # as the option has it
    folder: Path
    configurations: tuple[Path, ...]  # all of which the client reads; the first one that is there gets the entry
    new: Path  # where none is there
    root: Path | None = None  # of the project; None: for the user

    @property
    def plugin(self) -> Path:
        return self.folder / "plugin" / PLUGIN

    @property
    def folders(self) -> tuple[Path, ...]:
        """Those that are made, the innermost first."""
        return (self.plugin.parent / PARTS, self.plugin.parent, self.folder)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    edits: tuple[FileEdit, ...]
    notes: tuple[str, ...] = ()  # what is left alone, and why


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigEntry:
    """What a configuration says under `mcp.recollect`."""

    path: Path
    value: jsonc.Json
    text: str  # the whole of that configuration

    @property
    def is_ours(self) -> bool:
        """As install writes it: one with anything else in it is somebody's own."""
        match self.value:
            case {"type": "local", "command": [*words], **others} if not others:
                return is_bridge_command(words)
        return False

    @property
    def is_off(self) -> bool:
        return isinstance(self.value, dict) and self.value.get("enabled") is False

    @property
    def command(self) -> list[str]:
        """Empty: it starts nothing on this machine."""
        words = self.value.get("command") if isinstance(self.value, dict) else None
        return [word for word in words if isinstance(word, str)] if isinstance(words, list) else []


def user_folder(configuration: Path) -> OpenCodeFolder:
    """`configuration`: the folder for the settings of all programs, as a rule ~/.config."""
    folder = configuration / "opencode"
    files = tuple(folder / name for name in ("opencode.jsonc", "opencode.json", "config.json"))
    return OpenCodeFolder(name="user", folder=folder, configurations=files, new=folder / "opencode.json")


def project_folder(root: Path) -> OpenCodeFolder:
    if not root.is_dir():
        raise InstallError(f"There is no folder {root}.")
    folder = root / ".opencode"
    files = tuple(place / name for place in (root, folder) for name in ("opencode.jsonc", "opencode.json"))
    return OpenCodeFolder(name="project", folder=folder, configurations=files, new=folder / "opencode.json", root=root)


def plan_install(
    place: OpenCodeFolder,
    command: Sequence[str],
    command_file: Path,
    record: Path,
    commands: Mapping[str, Sequence[str]],
) -> Plan:
    """`command` goes into the client's configuration, `commands` into our own file, where plugins read them."""
    noted = json.dumps({name: list(words) for name, words in commands.items()}, indent=2).encode() + b"\n"
    configured, notes = _with_entry(place, {"type": "local", "command": list(command)})
    created = _created(record)
    for edit in configured:
        if edit.before is None:
            created |= {str(edit.path)}
        elif not any(entry.path == edit.path for entry in entries(place)):
            created -= {str(edit.path)}  # somebody made it anew
    targets = {place.plugin.parent / path: held for path, held in plugin_files().items()}
    plugin = [FileEdit(path=path, before=_ours(path), after=held) for path, held in targets.items()]
    outdated = [
        FileEdit(path=path, before=held, after=None)
        for path, held in find_installed_files(place).items()
        if path not in targets
    ]
    return Plan(
        # The plugin at last, and what the client loads of it at the very last: all that it needs is there then.
        edits=(
            FileEdit(path=command_file, before=content(command_file), after=noted, is_private=True),
            *configured,
            *_record(record, created),
            *sorted(plugin, key=lambda edit: edit.path == place.plugin),
            *outdated,
        ),
        notes=tuple(notes),
    )


def plan_uninstall(place: OpenCodeFolder, record: Path) -> Plan:
    """`record`: where `plan_install` notes which files it makes; one of unknown origin stays, and be it empty."""
    notes: list[str] = []
    ours, parts = find_installed_files(place), place.plugin.parent / PARTS
    if parts.is_symlink() and any(path.parent == parts for path in ours):
        notes.append(f"{parts} is a link; the files in {parts.resolve()} stay.")
        ours = {path: held for path, held in ours.items() if path.parent != parts}
    edits = [FileEdit(path=path, before=held, after=None) for path, held in ours.items()]
    created = _created(record)
    if place.plugin.exists() and not any(edit.path == place.plugin for edit in edits):
        notes.append(f"{place.plugin} {NOT_OURS}. It stays.")
    for entry in entries(place):
        if not entry.is_ours:
            notes.append(f'{entry.path} has an entry "{SECTION}.{NAME}" of its own, which stays.')
            continue
        text = entry.text
        rest = jsonc.without_entry(text, SECTION, NAME)
        is_empty = rest == SCHEMA and str(entry.path) in created
        edits.append(
            FileEdit(path=entry.path, before=text.encode(), after=None if is_empty else rest.encode(), is_ours=False)
        )
        created = created - {str(entry.path)}
    if created != _created(record):
        edits += _record(record, created)
    return Plan(edits=tuple(edits), notes=tuple(notes))


def _created(record: Path) -> frozenset[str]:
    """The configurations that install made. None, where that cannot be read: then they stay."""
    try:
        noted = json.loads(content(record) or b"{}")
        return frozenset(path for path in noted["created"] if isinstance(path, str))
    except (ValueError, TypeError, KeyError):
        return frozenset()


def _record(record: Path, created: frozenset[str]) -> list[FileEdit]:
    before = content(record)
    after = json.dumps({"created": sorted(created)}, indent=2).encode() + b"\n" if created else None
    return (
        [] if before is None and after is None else [FileEdit(path=record, before=before, after=after, is_private=True)]
    )


def entries(place: OpenCodeFolder) -> list[ConfigEntry]:
    """What the client's configurations say of us. Refuses one that cannot be read."""
    found: list[ConfigEntry] = []
    for path in place.configurations:
        text = _text(path)
        try:
            value = None if jsonc.is_blank(text) else jsonc.entry_of(text, SECTION, NAME)
        except jsonc.NotJsonc as error:
            raise _not_understood(path, error) from None
        found += [] if value is None else [ConfigEntry(path=path, value=value, text=text)]
    return found


def _with_entry(place: OpenCodeFolder, wanted: dict[str, jsonc.Json]) -> tuple[list[FileEdit], list[str]]:
    """The configuration with the entry in it; or why it is left as it is."""
    for entry in entries(place):
        text = entry.text
        if entry.is_ours:
            after = text
            if entry.value != wanted:
                after = jsonc.with_value(text, SECTION, NAME, "command", wanted["command"])
            return [FileEdit(path=entry.path, before=text.encode(), after=after.encode(), is_ours=False)], []
        switched = "switches it off" if entry.is_off else "is your own"
        return [], [f'The entry "{SECTION}.{NAME}" in {entry.path} {switched}: it stays as it is.']
    path = next((path for path in place.configurations if content(path) is not None), place.new)
    before, text = content(path), _text(path)
    try:
        after = jsonc.with_entry(_with_object(text), SECTION, NAME, wanted)
    except jsonc.NotJsonc as error:  # "mcp.recollect": null
        raise _not_understood(path, error, wanted) from None
    return [FileEdit(path=path, before=before, after=after.encode(), is_ours=False)], []


def _with_object(text: str) -> str:
    """A comment alone, or nothing, is no configuration yet; what is there stays before it."""
    if not jsonc.is_blank(text):
        return text
    kept = text.rstrip(" \t\r\n")
    return kept + ("\n" if kept.strip(jsonc.BOM) else "") + SCHEMA


def plugin_files() -> dict[Path, bytes]:
    """The plugin as this version has it: by where each file goes, seen from the client's plugin folder."""
    folder = _plugin_source()
    parts = sorted((folder / PARTS).glob("*.ts"))
    return {path.relative_to(folder): path.read_bytes() for path in (folder / PLUGIN, *parts)}


def _plugin_source() -> Path:
    """In a wheel the plugin is package data; in a checkout it lies beside `src`."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "plugins", package.parent.parent / "plugins"):
        if (folder / "opencode" / PLUGIN).is_file():
            return folder / "opencode"
    raise InstallError("The OpenCode plugin is missing from this installation; install Recollect again.")


def find_installed_files(place: OpenCodeFolder) -> dict[Path, bytes]:
    """The plugin's files that are there, of whatever version: what the client loads first, then its parts."""
    paths = (place.plugin, *sorted((place.plugin.parent / PARTS).glob("*.ts")))
    found = {path: content(path) for path in paths if path.is_file()}
    return {path: held for path, held in found.items() if held is not None and is_ours(held)}


def is_ours(held: bytes) -> bool:
    return MARK.encode() in held.partition(b"\n")[0]


def _ours(path: Path) -> bytes | None:
    held = content(path)
    if held is not None and not is_ours(held):
        raise InstallError(f"{path} {NOT_OURS}; move it away first. Nothing was changed.")
    return held


def _text(path: Path) -> str:
    """Empty: there is no such file, or nothing in it."""
    held = content(path) or b""
    if len(held) > MAX_CONFIGURATION_BYTES:
        raise _not_understood(path, f"it has {len(held):,} bytes")
    try:
        return held.decode()
    except UnicodeDecodeError as error:
        raise _not_understood(path, f"it is not UTF-8 (byte {error.start})") from None


def _not_understood(path: Path, why: object, wanted: jsonc.Json = None) -> InstallError:
    by_hand = json.dumps({SECTION: {NAME: wanted or {"type": "local", "command": ["recollect", "mcp"]}}})
    return InstallError(
        f"{path} is not understood and stays as it is: {why}. Nothing was changed. Mend it and try again. The entry, "
        f"which install puts in and uninstall takes out, is {by_hand}."
    )
