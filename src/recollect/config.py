"""Where things lie and how they are set: environment and files in, `Places` and `Settings` out, with their origins.

A setting has a full name: `budgets.turn_tokens`, in a table of kinds `kinds.threshold.decision`. What does not exist or
does not fit is refused with its place; nothing is guessed.

One rule for the socket, the same here, in the hook and in the plugin: `$XDG_RUNTIME_DIR/recollect` if that folder
exists, else the state folder; where that cannot be written, or its path is too long for a socket, a private folder in
the temporary directory instead.
"""

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from recollect.domain.errors import InvalidSettings, InvalidValue
from recollect.domain.memory import MAX_NAME_CHARS, Kind, check_folder, check_name
from recollect.domain.settings import Settings
from recollect.workspace import marker

MAX_SOCKET_PATH_BYTES = 100  # the kernel's limit is 107; leave room for a suffix
MAX_NUMBER = 100_000  # no setting makes sense beyond it, and none below can overflow a date or a query
MAX_FILE_BYTES = 100_000  # settings are a page; a cloned repository may carry anything under their name
MAX_SHOWN_CHARS = 40  # of a wrong value in an error
PREFIX = "RECOLLECT_"
MODEL_VARIABLE = "RECOLLECT_MODEL"  # the folder of the embedding model
PACKAGED_MODEL = Path(__file__).parent / "embed" / "data"  # in a release wheel; not in a checkout
DEFAULT = "default"  # the origin of what nobody has set

# A cloned repository brings its own file: it must not widen what is shared, keep what is to be gone, end the daemon, or
# send sessions to a model.
USER_ONLY = ("privacy", "forget", "archive", "daemon", "extractor")
USER_ONLY_NAMES = ("capture.headless",)  # nor teach by what runs without its user
# Lists that everybody adds to. A project comes first, the user after it: of globs the last one decides, so a project
# can take back with `!` only what was its own.
ADDITIVE = ("privacy.ignored_paths",)
MAX_ENTRIES = 500  # of a list
MAX_NUMBERS = {
    "extractor.tokens_per_day": 1_000_000_000,
    "daemon.port": 65_535,
}  # a model on this machine costs nothing

Value = bool | int | float | str | tuple[str, ...]

_DEFAULTS = Settings()
_SECTIONS = tuple(section.name for section in fields(_DEFAULTS))


class Setting(NamedTuple):
    value: Value
    origin: str  # a file or a variable
    is_from_project: bool = False


Layer = Mapping[str, Setting]  # what one origin sets, checked, by full name


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """Settings, and where each of them comes from."""

    settings: Settings
    origins: Mapping[str, str]  # of every setting, by full name: DEFAULT, a file or a variable


@dataclass(frozen=True, slots=True, kw_only=True)
class Paths:
    """Where our files lie."""

    database: Path
    settings: Path
    state: Path  # the command that hosts use to start the daemon
    runtime: Path  # socket and lock
    kept: Path  # log and token: the state folder, or the runtime folder where that cannot be written
    model_built: Path  # the folder that `recollect model build` fills
    model: Path  # the folder that the model is read from: that one, or what a release wheel carries

    @property
    def socket(self) -> Path:
        return self.runtime / "daemon.sock"

    @property
    def lock(self) -> Path:
        return self.runtime / "daemon.lock"

    @property
    def tcp(self) -> Path:
        """Port and token, while the daemon listens on 127.0.0.1 as well."""
        return self.runtime / "daemon.tcp"

    @property
    def token(self) -> Path:
        """The token from one daemon to the next: what a client was told goes on to be true."""
        return self.kept / "token"

    @property
    def log(self) -> Path:
        return self.kept / "daemon.log"

    @property
    def pause(self) -> Path:
        """Whether Recollect is paused, since when and until when; nothing is kept of that where it cannot last."""
        return self.state / "pause.json"

    @property
    def command(self) -> Path:
        return self.state / "command.json"


def places(env: Mapping[str, str] = os.environ) -> Paths:
    try:
        home = Path(env.get("HOME") or Path.home())
    except RuntimeError:
        raise InvalidSettings("There is no home folder for you; set HOME.") from None
    if not home.is_absolute():  # the daemon works in another folder than the shell
        raise InvalidSettings(f"HOME is {_show_value(str(home))}; it takes the whole path of a folder, from / on.")
    state = _xdg_folder(env, "XDG_STATE_HOME", home / ".local/state")
    model = _model_folder(env, home)
    runtime = _runtime_folder(env, state)
    return Paths(
        database=_xdg_folder(env, "XDG_DATA_HOME", home / ".local/share") / "recollect.db",
        settings=_xdg_folder(env, "XDG_CONFIG_HOME", home / ".config") / "config.toml",
        state=state,
        runtime=runtime,
        kept=state if is_writable(state) else runtime,
        model_built=model,
        model=PACKAGED_MODEL if _uses_packaged_model(env, model) else model,
    )


def _xdg_folder(env: Mapping[str, str], name: str, default: Path) -> Path:
    given = env.get(name, "")
    return (Path(given) if given.startswith("/") else default) / "recollect"


def _model_folder(env: Mapping[str, str], home: Path) -> Path:
    given = env.get(MODEL_VARIABLE, "")
    if not given:
        return _xdg_folder(env, "XDG_CACHE_HOME", home / ".cache") / "model"
    if not given.startswith("/"):  # the daemon works in another folder than the shell
        raise InvalidSettings(
            f"{MODEL_VARIABLE} is {_show_value(given)}; it takes the whole path of a folder, from / on."
        )
    return Path(given)


def _uses_packaged_model(env: Mapping[str, str], model: Path) -> bool:
    """Who names a folder means that one."""
    return PACKAGED_MODEL.is_dir() and not env.get(MODEL_VARIABLE) and _is_missing(model)


def _runtime_folder(env: Mapping[str, str], state: Path) -> Path:
    given = env.get("XDG_RUNTIME_DIR", "")
    folder = Path(given) / "recollect" if given.startswith("/") and Path(given).is_dir() else state
    if len(os.fsencode(folder / "daemon.sock")) <= MAX_SOCKET_PATH_BYTES and is_writable(folder):
        return folder
    name = f"recollect-{os.getuid()}-{sha256(os.fsencode(folder)).hexdigest()[:12]}"
    given = env.get("TMPDIR", "")
    return Path(given if given.startswith("/") else "/tmp") / name


def is_writable(folder: Path) -> bool:
    """Asked of the folder itself or, as long as it is not there, of the one that it would be made in."""
    while not os.path.exists(folder):  # noqa: PTH110  # a `Path` raises where it may not look
        folder = folder.parent
    return os.access(folder, os.W_OK)


def fingerprint(where: Paths, env: Mapping[str, str]) -> str:
    """Equal for two processes that have the same places and the same settings in their environments."""
    ours = sorted((name, value) for name, value in env.items() if name.startswith(PREFIX))
    return sha256(repr((where.database, where.settings, where.model, ours)).encode()).hexdigest()[:16]


def read(user_file: Path, project_file: Path | None, env: Mapping[str, str] = os.environ) -> Loaded:
    """Defaults, then the user's file, then the project's, then `RECOLLECT_SECTION__NAME` variables."""
    loaded = merge_layers(
        read_user_file(user_file), read_project_file(project_file) if project_file else {}, read_environment(env)
    )
    if loaded.settings.extractor != _DEFAULTS.extractor:
        from recollect.extract.address import check  # most people have none

        check(loaded.settings.extractor, loaded.origins)
    return loaded


def project_file(folder: str) -> Path | None:
    """The file of the project that a folder lies in. A folder that cannot be looked into has none."""
    try:
        check_folder(folder)
        return marker.find(Path(folder).resolve())
    except (InvalidValue, OSError, ValueError, RuntimeError):  # gone, not allowed, a NUL inside, a circle of links
        return None


def read_user_file(path: Path) -> Layer:
    if _is_missing(path):
        return {}
    values = _read_toml(path)
    if "project" in values:
        raise InvalidSettings(f"{path}: `project` names one project; move it to the {marker.NAME} of that project.")
    return _read_layer(values, str(path), _SECTIONS)


def read_project_file(path: Path) -> Layer:
    values = dict(_read_toml(path))
    if "project" in values:
        _check_project(values.pop("project"), path)
    for section in USER_ONLY:
        if section in values and not _only_adds(section, values[section]):
            raise InvalidSettings(
                f"{path}: [{section}] cannot be set by a project, only by its user{_exceptions_note(section)}. "
                "Take it out; it may stand in your own file (`recollect config init` writes one and says where)."
            )
    sections = [name for name in _SECTIONS if name not in USER_ONLY or _additive_names(name)]
    layer = _read_layer(values, str(path), ("project", *sections))
    for name in USER_ONLY_NAMES:
        if name in layer:
            raise InvalidSettings(f"{path}: {name} cannot be set by a project, only by its user. Take it out.")
    return {name: setting._replace(is_from_project=True) for name, setting in layer.items()}


def _additive_names(section: str) -> list[str]:
    """The settings of a section that everybody adds to."""
    return [name.removeprefix(f"{section}.") for name in ADDITIVE if name.startswith(f"{section}.")]


def _only_adds(section: str, entries: object) -> bool:
    names = _additive_names(section)
    return bool(names) and (not isinstance(entries, Mapping) or all(name in names for name in entries))


def _exceptions_note(section: str) -> str:
    return "".join(f"; a project may only add to {section}.{name}" for name in _additive_names(section))


def read_environment(env: Mapping[str, str]) -> Layer:
    layer: dict[str, Setting] = {}
    for variable, text in env.items():
        if variable.startswith(PREFIX) and "__" in variable:
            section, *names = variable.removeprefix(PREFIX).lower().split("__")
            entries: Any = text
            for name in reversed(names):
                entries = {name: entries}
            layer |= _read_layer({section: entries}, variable, _SECTIONS)
    return layer


def merge_layers(*layers: Layer) -> Loaded:
    """The defaults below the layers; a later layer has the last word."""
    chosen = {name: setting for layer in layers for name, setting in layer.items()}
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
    return Loaded(
        settings=settings,
        origins={name: chosen[name].origin if name in chosen else DEFAULT for name in leaves(settings)},
    )


def _add_up(name: str, settings: Sequence[Setting]) -> dict[str, Setting]:
    """What all of them list; of one entry the last place counts, and where it stands last is where it comes from."""
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
    """Every setting by its full name, in the order of the sections."""
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


def suggestion(name: str, known: Collection[str]) -> str:
    from difflib import get_close_matches  # only a mistake pays for it

    near = get_close_matches(name, known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}."


def _is_missing(path: Path) -> bool:
    """A link that leads nowhere is there, and so is what we may not look at: reading it says what is wrong."""
    try:
        path.lstat()
    except OSError as error:
        return isinstance(error, FileNotFoundError | NotADirectoryError)
    return False


def _read_toml(path: Path) -> Mapping[str, Any]:
    import tomllib  # most people have no file

    try:
        if path.exists() and not path.is_file():
            raise InvalidSettings(f"{path} is not a file. Move it away.")
        with path.open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
        if len(content) > MAX_FILE_BYTES:
            raise InvalidSettings(f"{path} is larger than {MAX_FILE_BYTES:,} bytes. Move it away.")
        return tomllib.loads(content.decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:  # also numbers without end and brackets without bottom
        raise InvalidSettings(f"{path} cannot be read as TOML: {error}. Mend it, or move it away.") from error


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
    # Of a table, some kinds may have no default: the others say whether it takes flags or numbers.
    example = True if all(isinstance(entry, bool) for entry in default.values()) else 0.0
    layer = {}
    for kind, entry in value.items():
        _check_known(kind, [str(known) for known in Kind], "kind", where, f" in {name}")
        layer[f"{name}.{kind}"] = Setting(_convert(example, f"{name}.{kind}", entry, where), where)
    return layer


def _convert(default: Value, name: str, value: object, where: str) -> Value:
    """The value in the type of the default; text (from the environment) is read as that type."""
    if isinstance(default, tuple):
        return _convert_list(name, value, where)
    if isinstance(default, StrEnum):
        return _convert_word(default, name, value, where)
    if isinstance(default, str):
        return _convert_text(name, value, where)
    if isinstance(default, bool):
        flags = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.lower() in flags:
            return flags[value.lower()]
        raise InvalidSettings(f"{where}: {name} is {_show_value(value)}; it takes true or false.")
    whole = isinstance(default, int)
    try:
        number = float("nan" if isinstance(value, bool) else value)  # type: ignore[arg-type]  # refused below
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    most = MAX_NUMBERS.get(name, MAX_NUMBER)
    if not 0 <= number <= most or (whole and number != int(number)):  # nan is in no range
        wanted = "a whole number" if whole else "a number"
        raise InvalidSettings(f"{where}: {name} is {_show_value(value)}; it takes {wanted} from 0 to {most:,}.")
    return int(number) if whole else number


def _convert_word(default: StrEnum, name: str, value: object, where: str) -> StrEnum:
    words = type(default)
    if not isinstance(value, str) or value.lower() not in list(words):
        known = " or ".join(f'"{word}"' for word in words)
        raise InvalidSettings(f"{where}: {name} is {_show_value(value)}; it takes {known}.")
    return words(value.lower())


def _convert_text(name: str, value: object, where: str) -> str:
    """Not shown where it is wrong: somebody may have put a key there."""
    if not isinstance(value, str) or len(value) > MAX_NAME_CHARS or not value.isprintable():
        raise InvalidSettings(f"{where}: {name} takes a text of at most {MAX_NAME_CHARS} printable characters.")
    return value.strip()


def _convert_list(name: str, value: object, where: str) -> tuple[str, ...]:
    entries: object = value
    if isinstance(value, str):
        # `[a-z]*` is a glob, `["a"]` a list.
        is_json = value.startswith('["') or value == "[]"
        entries = _parse_json(value) if is_json else [entry.strip() for entry in value.split(",") if entry.strip()]
    if not isinstance(entries, list):
        raise InvalidSettings(
            f"{where}: {name} is {_show_value(value)}; it takes a list of texts (in a variable: with commas between)."
        )
    for entry in entries:
        if not isinstance(entry, str) or not 0 < len(entry) <= MAX_NAME_CHARS or not entry.isprintable():
            raise InvalidSettings(
                f"{where}: {name} holds {_show_value(entry)}; "
                f"an entry is a text of 1 to {MAX_NAME_CHARS} printable characters."
            )
    if len(entries) > MAX_ENTRIES:
        raise InvalidSettings(f"{where}: {name} has {len(entries):,} entries; it takes at most {MAX_ENTRIES}.")
    return tuple(entries)


def _parse_json(text: str) -> object:
    import json  # few write lists this way

    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _show_value(value: object) -> str:
    if isinstance(value, int) and value.bit_length() > MAX_SHOWN_CHARS:
        return "far too large"  # Python itself refuses to write out the largest
    if isinstance(value, Mapping | list):
        return "a table" if isinstance(value, Mapping) else "a list"
    text = repr(value)
    return text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}…"


def _check_known(name: str, known: Collection[str], what: str, where: str, inside: str = "") -> None:
    if name not in known:
        raise InvalidSettings(f"{where}: there is no {what} {_show_value(name)}{inside}; {suggestion(name, known)}")
