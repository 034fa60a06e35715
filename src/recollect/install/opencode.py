"""Connect and disconnect OpenCode: the plugin's files, and `mcp.recollect` in the client's configuration.

Plans the changes and makes none. Touches only our own files, which say so in their first line, and one entry of the
user's configuration. Everything else that is not ours or not understood is refused or left alone, and reported.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from recollect.domain.errors import InstallError
from recollect.install import jsonc
from recollect.install.changes import FileEdit, content
from recollect.install.command import is_bridge_command

MARK = "Recollect for OpenCode"  # in the first line of every file of the plugin; a file without it is not ours
NOT_OURS = f'is not ours: "{MARK}" is not in its first line'
PLUGIN = "recollect.ts"  # the client loads it; its parts are in a folder beside it, where the client does not look
PARTS = "recollect"
SECTION, NAME = "mcp", "recollect"
SCHEMA = '{\n  "$schema": "https://opencode.ai/config.json"\n}\n'  # without it, the client rewrites the file
MAX_CONFIGURATION_BYTES = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCodeFolder:
    name: str  # as in the command-line option
    folder: Path
    configurations: tuple[Path, ...]  # the client reads all of them; the first that exists gets the entry
    new: Path  # if none exists
    root: Path | None = None  # of the project; None: of the user

    @property
    def plugin(self) -> Path:
        return self.folder / "plugin" / PLUGIN

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders that install makes, the innermost first."""
        return (self.plugin.parent / PARTS, self.plugin.parent, self.folder)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    edits: tuple[FileEdit, ...]
    notes: tuple[str, ...] = ()  # what is left alone, and why


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigEntry:
    path: Path
    value: jsonc.Json
    text: str  # the whole of that configuration

    @property
    def is_ours(self) -> bool:
        """True if it is as install writes it; with any other field it is the user's own."""
        match self.value:
            case {"type": "local", "command": [*words], **others} if not others:
                return is_bridge_command(words)
        return False

    @property
    def is_off(self) -> bool:
        return isinstance(self.value, dict) and self.value.get("enabled") is False

    @property
    def command(self) -> list[str]:
        """Empty: it starts no command on this machine."""
        words = self.value.get("command") if isinstance(self.value, dict) else None
        return [word for word in words if isinstance(word, str)] if isinstance(words, list) else []


def user_folder(configuration: Path) -> OpenCodeFolder:
    """`configuration`: the folder for the settings of all programs, usually ~/.config."""
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
    """`command` goes into the client's configuration; `commands` go into our own file, for the plugins."""
    command_lists = {name: list(words) for name, words in commands.items()}
    configuration, notes = _add_entry(place, {"type": "local", "command": list(command)})
    created = _created_files(record)
    for edit in configuration:
        if edit.before is None:
            created |= {str(edit.path)}
        elif not any(entry.path == edit.path for entry in entries(place)):
            created -= {str(edit.path)}  # the user has made it again
    plugin: list[FileEdit] = []
    for name, data in plugin_files().items():
        path = place.plugin.parent / name
        plugin.append(FileEdit(path=path, before=_read_ours(path), after=data))
    plugin.sort(key=lambda edit: edit.path == place.plugin)
    new = {edit.path for edit in plugin}
    for path, data in find_installed_files(place).items():
        if path not in new:
            plugin.append(FileEdit(path=path, before=data, after=None))
    return Plan(
        # The plugin comes last, and the file that the client loads after its parts: then all that it needs is there.
        edits=(
            FileEdit(
                path=command_file, before=content(command_file), after=_json_bytes(command_lists), is_private=True
            ),
            *configuration,
            *_record_edit(record, created),
            *plugin,
        ),
        notes=tuple(notes),
    )


def plan_uninstall(place: OpenCodeFolder, record: Path) -> Plan:
    """`record`: where `plan_install` notes the files that it makes; a file of unknown origin stays, even if it is empty."""
    notes: list[str] = []
    ours, parts = find_installed_files(place), place.plugin.parent / PARTS
    if parts.is_symlink() and any(path.parent == parts for path in ours):
        notes.append(f"{parts} is a link; the files in {parts.resolve()} stay.")
        ours = {path: data for path, data in ours.items() if path.parent != parts}
    edits = [FileEdit(path=path, before=data, after=None) for path, data in ours.items()]
    created = _created_files(record)
    if place.plugin.exists() and place.plugin not in ours:
        notes.append(f"{place.plugin} {NOT_OURS}. It stays.")
    for entry in entries(place):
        if not entry.is_ours:
            notes.append(f'{entry.path} has your own entry "{SECTION}.{NAME}", which stays.')
            continue
        rest = jsonc.without_entry(entry.text, SECTION, NAME)
        after = None if rest == SCHEMA and str(entry.path) in created else rest.encode()
        edits.append(FileEdit(path=entry.path, before=entry.text.encode(), after=after, is_ours=False))
        created -= {str(entry.path)}
    if created != _created_files(record):
        edits += _record_edit(record, created)
    return Plan(edits=tuple(edits), notes=tuple(notes))


def _created_files(record: Path) -> frozenset[str]:
    """Return the configurations that install made; none if the record cannot be read: then they all stay."""
    try:
        paths = json.loads(content(record) or b"{}")["created"]
        return frozenset(path for path in paths if isinstance(path, str))
    except (ValueError, TypeError, KeyError):
        return frozenset()


def _record_edit(record: Path, created: frozenset[str]) -> list[FileEdit]:
    before = content(record)
    after = _json_bytes({"created": sorted(created)}) if created else None
    if before is None and after is None:
        return []
    return [FileEdit(path=record, before=before, after=after, is_private=True)]


def _json_bytes(value: object) -> bytes:
    return json.dumps(value, indent=2).encode() + b"\n"


def entries(place: OpenCodeFolder) -> list[ConfigEntry]:
    """Return our entries in the client's configurations; refuse a configuration that cannot be read."""
    found: list[ConfigEntry] = []
    for path in place.configurations:
        text = _text(path)
        try:
            value = None if jsonc.is_blank(text) else jsonc.entry_of(text, SECTION, NAME)
        except jsonc.NotJsonc as error:
            raise _not_understood(path, error) from None
        if value is not None:
            found.append(ConfigEntry(path=path, value=value, text=text))
    return found


def _add_entry(place: OpenCodeFolder, wanted: dict[str, jsonc.Json]) -> tuple[list[FileEdit], list[str]]:
    """Return the edit that adds the entry, or a note why the configuration stays as it is."""
    for entry in entries(place):
        text = entry.text
        if entry.is_ours:
            after = text
            if entry.value != wanted:
                after = jsonc.with_value(text, SECTION, NAME, "command", wanted["command"])
            return [FileEdit(path=entry.path, before=text.encode(), after=after.encode(), is_ours=False)], []
        reason = "switches Recollect off" if entry.is_off else "is your own"
        return [], [f'The entry "{SECTION}.{NAME}" in {entry.path} {reason}: it stays as it is.']
    path = next((path for path in place.configurations if content(path) is not None), place.new)
    before, text = content(path), _text(path)
    try:
        after = jsonc.with_entry(_ensure_object(text), SECTION, NAME, wanted)
    except jsonc.NotJsonc as error:  # "mcp.recollect": null
        raise _not_understood(path, error, wanted) from None
    return [FileEdit(path=path, before=before, after=after.encode(), is_ours=False)], []


def _ensure_object(text: str) -> str:
    """Add an object to a file that is empty or has only comments, which stay before it."""
    if not jsonc.is_blank(text):
        return text
    kept = text.rstrip(" \t\r\n")
    return kept + ("\n" if kept.strip(jsonc.BOM) else "") + SCHEMA


def plugin_files() -> dict[Path, bytes]:
    """Return the plugin of this version: the path of each file in the client's plugin folder, and its content."""
    folder = _plugin_source()
    parts = sorted((folder / PARTS).glob("*.ts"))
    return {path.relative_to(folder): path.read_bytes() for path in (folder / PLUGIN, *parts)}


def _plugin_source() -> Path:
    """In a wheel the plugin is package data; in a checkout it is beside `src`."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "plugins", package.parent.parent / "plugins"):
        if (folder / "opencode" / PLUGIN).is_file():
            return folder / "opencode"
    raise InstallError("The OpenCode plugin is missing from this installation; install Recollect again.")


def find_installed_files(place: OpenCodeFolder) -> dict[Path, bytes]:
    """Return the installed files of the plugin, of any version: first the one that the client loads, then its parts."""
    files: dict[Path, bytes] = {}
    for path in (place.plugin, *sorted((place.plugin.parent / PARTS).glob("*.ts"))):
        data = content(path) if path.is_file() else None
        if data is not None and _is_ours(data):
            files[path] = data
    return files


def _is_ours(data: bytes) -> bool:
    return MARK.encode() in data.partition(b"\n")[0]


def _read_ours(path: Path) -> bytes | None:
    data = content(path)
    if data is not None and not _is_ours(data):
        raise InstallError(f"{path} {NOT_OURS}; move it away first. Nothing was changed.")
    return data


def _text(path: Path) -> str:
    data = content(path) or b""
    if len(data) > MAX_CONFIGURATION_BYTES:
        raise _not_understood(path, f"it has {len(data):,} bytes")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise _not_understood(path, f"it is not UTF-8 (byte {error.start})") from None


def _not_understood(path: Path, why: object, wanted: jsonc.Json = None) -> InstallError:
    by_hand = json.dumps({SECTION: {NAME: wanted or {"type": "local", "command": ["recollect", "mcp"]}}})
    return InstallError(
        f"{path} is not valid: {why}. Nothing was changed. Repair it and try again, or edit it by hand: install adds and "
        f"uninstall removes the entry {by_hand}."
    )
