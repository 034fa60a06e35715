"""The settings, read from the environment and from files, with the origin of each.

A setting has a full name: `budgets.turn_tokens`, or `kinds.threshold.decision` in a table of kinds. An unknown name or
an unsuitable value is refused, with the file or variable it is in; nothing is guessed.
"""

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from recollect.domain.errors import InvalidSettings, InvalidValue, suggest
from recollect.domain.memory import MAX_NAME_CHARS, Kind, check_name
from recollect.domain.settings import Settings
from recollect.paths import MAX_VALUE_CHARS, VARIABLE_PREFIX, is_missing, is_settings_variable, quote_value
from recollect.workspace import marker

MAX_NUMBER = 100_000  # of a setting; nothing below it can overflow a date or a query
MAX_FILE_BYTES = 100_000  # settings are a page; a cloned repository may have any file under this name
DEFAULT = "default"  # the origin of a setting that no file or variable sets

# A cloned repository brings its own settings file. It must not share more, keep what the user deletes, end the daemon, or
# send sessions to a model.
USER_ONLY = ("privacy", "forget", "archive", "daemon", "extractor")
USER_ONLY_NAMES = ("capture.headless",)  # nor learn from runs without a user
# Lists to which project and user both add. The project's entries come first: the last matching glob decides, so a
# project's `!` can only take back the project's own entries.
ADDITIVE = ("privacy.ignored_paths",)
MAX_ENTRIES = 500  # in a list
MAX_NUMBERS = {"extractor.tokens_per_day": 1_000_000_000, "daemon.port": 65_535}  # a local model costs nothing

Value = bool | int | float | str | tuple[str, ...]

_DEFAULTS = Settings()
_SECTIONS = tuple(section.name for section in fields(_DEFAULTS))


class Setting(NamedTuple):
    value: Value
    origin: str  # a file or a variable
    is_from_project: bool = False


Layer = Mapping[str, Setting]  # the checked settings of one origin, by full name


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    settings: Settings
    origins: Mapping[str, str]  # by full name: DEFAULT, a file or a variable


def read_settings(user_file: Path, project_file: Path | None, env: Mapping[str, str] = os.environ) -> Loaded:
    """Merge the defaults, the user's file, the project's file and `RECOLLECT_SECTION__NAME` variables; the last wins."""
    project: Layer = {}
    if project_file:
        project = read_project_file(project_file)
    loaded = merge_layers(read_user_file(user_file), project, read_environment(env))
    if loaded.settings.extractor != _DEFAULTS.extractor:
        from recollect.extract.address import check  # few users have an extractor

        check(loaded.settings.extractor, loaded.origins)
    return loaded


def read_user_file(path: Path) -> Layer:
    if is_missing(path):
        return {}
    values = _read_toml(path)
    if "project" in values:
        raise InvalidSettings(f"{path}: `project` names one project. Move it to the {marker.NAME} of that project.")
    return _read_layer(values, str(path), _SECTIONS)


def read_project_file(path: Path) -> Layer:
    values = dict(_read_toml(path))
    if "project" in values:
        _check_project(values.pop("project"), path)
    for section in USER_ONLY:
        if section in values and not _only_adds(section, values[section]):
            exceptions = "".join(f"; a project may only add to {section}.{name}" for name in _additive_names(section))
            raise InvalidSettings(
                f"{path}: [{section}] cannot be set by a project, only by its user{exceptions}. "
                "Remove it. You can set it in your own file (`recollect config init` writes one and shows where)."
            )
    sections = [name for name in _SECTIONS if name not in USER_ONLY or _additive_names(name)]
    layer = _read_layer(values, str(path), ("project", *sections))
    for name in USER_ONLY_NAMES:
        if name in layer:
            raise InvalidSettings(f"{path}: {name} cannot be set by a project, only by its user. Remove it.")
    return {name: setting._replace(is_from_project=True) for name, setting in layer.items()}


def _additive_names(section: str) -> list[str]:
    return [name.removeprefix(f"{section}.") for name in ADDITIVE if name.startswith(f"{section}.")]


def _only_adds(section: str, entries: object) -> bool:
    names = _additive_names(section)
    if not isinstance(entries, Mapping):
        return bool(names)
    return bool(names) and set(entries) <= set(names)


def read_environment(env: Mapping[str, str]) -> Layer:
    layer: dict[str, Setting] = {}
    for variable, text in env.items():
        if is_settings_variable(variable):
            section, *names = variable.removeprefix(VARIABLE_PREFIX).lower().split("__")
            entries: Any = text
            for name in reversed(names):
                entries = {name: entries}
            layer |= _read_layer({section: entries}, variable, _SECTIONS)
    return layer


def merge_layers(*layers: Layer) -> Loaded:
    chosen: dict[str, Setting] = {}
    for layer in layers:
        chosen |= layer
    for name in ADDITIVE:
        chosen |= _add_up(name, [layer[name] for layer in layers if name in layer])
    changed: dict[str, dict[str, Any]] = {}
    for full_name, setting in chosen.items():
        section, name, *kind = full_name.split(".")
        entries = changed.setdefault(section, {})
        if kind:
            table = entries.get(name, getattr(getattr(_DEFAULTS, section), name))
            entries[name] = {**table, Kind(kind[0]): setting.value}
        else:
            entries[name] = setting.value
    parts = {section: replace(getattr(_DEFAULTS, section), **entries) for section, entries in changed.items()}
    settings = replace(_DEFAULTS, **parts)
    origins = dict.fromkeys(leaves(settings), DEFAULT)
    for name, setting in chosen.items():
        origins[name] = setting.origin
    return Loaded(settings=settings, origins=origins)


def _add_up(name: str, settings: Sequence[Setting]) -> dict[str, Setting]:
    """Join the lists. An entry that is listed several times keeps its last place and its last origin."""
    if not settings:
        return {}
    section, field = name.split(".")
    default = Setting(getattr(getattr(_DEFAULTS, section), field), DEFAULT)
    origins: dict[str, str] = {}
    for setting in sorted([default, *settings], key=lambda setting: not setting.is_from_project):
        assert isinstance(setting.value, tuple)
        for entry in setting.value:
            origins.pop(entry, None)
            origins[entry] = setting.origin
    return {name: Setting(tuple(origins), " + ".join(dict.fromkeys(origins.values())))}


def leaves(settings: Settings) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for section in fields(settings):
        part = getattr(settings, section.name)
        for field in fields(part):
            value = getattr(part, field.name)
            if isinstance(value, Mapping):
                found |= {f"{section.name}.{field.name}.{kind}": entry for kind, entry in value.items()}
            else:
                found[f"{section.name}.{field.name}"] = value
    return found


def _read_toml(path: Path) -> Mapping[str, Any]:
    import tomllib  # few users have a file

    try:
        if path.exists() and not path.is_file():
            raise InvalidSettings(f"{path} is not a file. Move it away.")
        with path.open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
        if len(content) > MAX_FILE_BYTES:
            raise InvalidSettings(f"{path} is larger than {MAX_FILE_BYTES:,} bytes. Move it away.")
        return tomllib.loads(content.decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:  # also endless numbers and endless brackets
        raise InvalidSettings(f"{path} cannot be read as TOML: {error}. Correct it, or move it away.") from error


def _check_project(name: object, path: Path) -> None:
    if not isinstance(name, str):
        raise InvalidSettings(f"{path}: `project` is {_show_value(name)}; it takes a name in quotes.")
    try:
        check_name(name, "project")
    except InvalidValue as error:
        raise InvalidSettings(f"{path}: {error}") from None


def _read_layer(values: Mapping[str, Any], where: str, sections: Collection[str]) -> dict[str, Setting]:
    layer: dict[str, Setting] = {}
    for section, entries in values.items():
        _check_known(section, sections, "section", where)
        if not isinstance(entries, Mapping):
            raise InvalidSettings(f"{where}: {section} is a section; put its settings below [{section}].")
        part = getattr(_DEFAULTS, section)
        for name, value in entries.items():
            _check_known(name, [field.name for field in fields(part)], "setting", where, f" in [{section}]")
            layer |= _read_setting(getattr(part, name), f"{section}.{name}", value, where)
    return layer


def _read_setting(default: Any, name: str, value: object, where: str) -> dict[str, Setting]:
    if not isinstance(default, Mapping):
        return {name: Setting(_convert(default, name, value, where), where)}
    if not isinstance(value, Mapping):
        raise InvalidSettings(f"{where}: {name} is a table of kinds; set it kind by kind, as {name}.{Kind.DECISION}.")
    # Some kinds may have no default: the other entries of the table say whether it takes flags or numbers.
    example = True if all(isinstance(entry, bool) for entry in default.values()) else 0.0
    layer = {}
    for kind, entry in value.items():
        _check_known(kind, list(map(str, Kind)), "kind", where, f" in {name}")
        layer[f"{name}.{kind}"] = Setting(_convert(example, f"{name}.{kind}", entry, where), where)
    return layer


def _convert(default: Value, name: str, value: object, where: str) -> Value:
    """Convert a value to the type of the default; text comes from the environment."""
    if isinstance(default, tuple):
        return _convert_list(name, value, where)
    if isinstance(default, StrEnum):
        return _convert_word(default, name, value, where)
    if isinstance(default, str):
        return _convert_text(name, value, where)
    if isinstance(default, bool):
        return _convert_flag(name, value, where)
    return _convert_number(default, name, value, where)


def _convert_flag(name: str, value: object, where: str) -> bool:
    if isinstance(value, bool):
        return value
    flags = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
    if isinstance(value, str) and value.lower() in flags:
        return flags[value.lower()]
    raise InvalidSettings(f"{where}: {name} is {_show_value(value)}; it takes true or false.")


def _convert_number(default: float, name: str, value: object, where: str) -> float:
    is_whole = isinstance(default, int)
    try:
        number = float("nan" if isinstance(value, bool) else value)  # type: ignore[arg-type]  # refused below
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    most = MAX_NUMBERS.get(name, MAX_NUMBER)
    if not 0 <= number <= most or (is_whole and number != int(number)):  # nan is in no range
        wanted = "a whole number" if is_whole else "a number"
        raise InvalidSettings(f"{where}: {name} is {_show_value(value)}; it takes {wanted} from 0 to {most:,}.")
    return int(number) if is_whole else number


def _convert_word(default: StrEnum, name: str, value: object, where: str) -> StrEnum:
    words = type(default)
    if not isinstance(value, str) or value.lower() not in list(words):
        known = " or ".join(f'"{word}"' for word in words)
        raise InvalidSettings(f"{where}: {name} is {_show_value(value)}; it takes {known}.")
    return words(value.lower())


def _convert_text(name: str, value: object, where: str) -> str:
    """The error does not quote the value: it may be an API key."""
    if not isinstance(value, str) or len(value) > MAX_NAME_CHARS or not value.isprintable():
        raise InvalidSettings(f"{where}: {name} takes a text of at most {MAX_NAME_CHARS} printable characters.")
    return value.strip()


def _convert_list(name: str, value: object, where: str) -> tuple[str, ...]:
    entries = _parse_list(value) if isinstance(value, str) else value
    if not isinstance(entries, list):
        raise InvalidSettings(
            f"{where}: {name} is {_show_value(value)}; it takes a list of texts (in a variable: separated by commas)."
        )
    for entry in entries:
        if not isinstance(entry, str) or not 0 < len(entry) <= MAX_NAME_CHARS or not entry.isprintable():
            raise InvalidSettings(
                f"{where}: {name} has the entry {_show_value(entry)}; "
                f"an entry is a text of 1 to {MAX_NAME_CHARS} printable characters."
            )
    if len(entries) > MAX_ENTRIES:
        raise InvalidSettings(f"{where}: {name} has {len(entries):,} entries; it takes at most {MAX_ENTRIES}.")
    return tuple(entries)


def _parse_list(text: str) -> object:
    """Read JSON, or a list with commas. `[a-z]*` is a glob, `["a"]` is JSON."""
    if not text.startswith('["') and text != "[]":
        return [entry.strip() for entry in text.split(",") if entry.strip()]
    import json  # few lists are written this way

    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _show_value(value: object) -> str:
    if isinstance(value, int) and value.bit_length() > MAX_VALUE_CHARS:
        return "far too large"  # Python refuses to write out very large numbers
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list):
        return "a list"
    return quote_value(value)


def _check_known(name: str, known: Collection[str], what: str, where: str, inside: str = "") -> None:
    if name not in known:
        raise InvalidSettings(f"{where}: there is no {what} {_show_value(name)}{inside}; {suggest(name, known)}")
