"""Where things lie and how they are set: environment and files in, `Places` and `Settings` out.

One rule for the socket, the same here and in the plugin: `$XDG_RUNTIME_DIR/recollect` if that folder exists, else the
state folder, else (when the path would be too long for a socket) a private folder in the temporary directory.
"""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from typing import Any

from recollect.domain.errors import InvalidSettings
from recollect.domain.memory import Kind
from recollect.domain.settings import Settings

MAX_SOCKET_PATH_BYTES = 100  # the kernel's limit is 107; leave room for a suffix
MAX_NUMBER = 100_000  # no setting makes sense beyond it, and none below can overflow a date or a query


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    database: Path
    settings: Path
    state: Path  # log, and the command that hosts use to start the daemon
    runtime: Path  # socket and lock

    @property
    def socket(self) -> Path:
        return self.runtime / "daemon.sock"

    @property
    def lock(self) -> Path:
        return self.runtime / "daemon.lock"

    @property
    def log(self) -> Path:
        return self.state / "daemon.log"

    @property
    def command(self) -> Path:
        return self.state / "command.json"


def places(env: Mapping[str, str] = os.environ) -> Places:
    home = Path(env.get("HOME") or Path.home())
    state = _xdg(env, "XDG_STATE_HOME", home / ".local/state")
    return Places(
        database=_xdg(env, "XDG_DATA_HOME", home / ".local/share") / "recollect.db",
        settings=_xdg(env, "XDG_CONFIG_HOME", home / ".config") / "config.toml",
        state=state,
        runtime=_runtime(env, state),
    )


def _xdg(env: Mapping[str, str], name: str, default: Path) -> Path:
    given = env.get(name, "")
    return (Path(given) if given.startswith("/") else default) / "recollect"


def _runtime(env: Mapping[str, str], state: Path) -> Path:
    given = env.get("XDG_RUNTIME_DIR", "")
    folder = Path(given) / "recollect" if given.startswith("/") and Path(given).is_dir() else state
    if len(os.fsencode(folder / "daemon.sock")) <= MAX_SOCKET_PATH_BYTES:
        return folder
    name = f"recollect-{os.getuid()}-{sha256(os.fsencode(folder)).hexdigest()[:12]}"
    return Path(env.get("TMPDIR") or "/tmp") / name


def load(settings_file: Path, env: Mapping[str, str] = os.environ) -> Settings:
    """Defaults, then the file, then `RECOLLECT_SECTION__NAME` variables."""
    settings = Settings()
    if settings_file.exists() or settings_file.is_symlink():
        settings = _apply(settings, _toml(settings_file), str(settings_file))
    return _apply(settings, _from_env(env), "the environment")


def _toml(path: Path) -> Mapping[str, Any]:
    if path.exists() and not path.is_file():
        raise InvalidSettings(f"{path} is not a file. Move it away.")
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidSettings(f"{path} cannot be read as TOML: {error}. Mend it, or move it away.") from error


def _from_env(env: Mapping[str, str]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for name, value in env.items():
        if name.startswith("RECOLLECT_") and "__" in name:
            section, _, key = name.removeprefix("RECOLLECT_").lower().partition("__")
            found.setdefault(section, {})[key] = value
    return found


def _apply(settings: Settings, values: Mapping[str, Any], origin: str) -> Settings:
    for section, entries in values.items():
        _check_known(section, [field.name for field in fields(settings)], "section", origin)
        part = getattr(settings, section)
        if not isinstance(entries, Mapping):
            raise InvalidSettings(f"{origin}: [{section}] is a section; put its settings below it.")
        changed = {name: _converted(part, section, name, value, origin) for name, value in entries.items()}
        settings = replace(settings, **{section: replace(part, **changed)})
    return settings


def _converted(part: Any, section: str, name: str, value: object, origin: str) -> object:
    _check_known(name, [field.name for field in fields(part)], f"setting in [{section}]", origin)
    current = getattr(part, name)
    if isinstance(current, Mapping):
        return {**current, **_table(section, name, value, origin)}
    return _number_or_flag(current, f"{section}.{name}", value, origin)


def _table(section: str, name: str, value: object, origin: str) -> dict[Kind, float]:
    if not isinstance(value, Mapping):
        raise InvalidSettings(f"{origin}: {section}.{name} is a table of kinds and numbers.")
    table = {}
    for kind, number in value.items():
        _check_known(kind, [str(known) for known in Kind], f"kind in {section}.{name}", origin)
        table[Kind(kind)] = float(_number_or_flag(0.0, f"{section}.{name}.{kind}", number, origin))
    return table


def _number_or_flag(current: Any, name: str, value: object, origin: str) -> Any:
    """The value in the type of the default; text (from the environment) is read as that type."""
    if isinstance(current, bool):
        flags = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.lower() in flags:
            return flags[value.lower()]
        raise InvalidSettings(f"{origin}: {name} is true or false, not {value!r}.")
    try:
        if isinstance(value, bool):
            raise ValueError
        number = float(value)  # type: ignore[arg-type]  # what float refuses is the error below
    except (TypeError, ValueError, OverflowError):
        raise InvalidSettings(f"{origin}: {name} is a number, not {value!r}.") from None
    if not 0 <= number <= MAX_NUMBER or (isinstance(current, int) and number != int(number)):
        wanted = "a whole number" if isinstance(current, int) else "a number"
        raise InvalidSettings(f"{origin}: {name} is {wanted} from 0 to {MAX_NUMBER:,}, not {value!r}.")
    return int(number) if isinstance(current, int) else number


def _check_known(name: str, known: list[str], what: str, origin: str) -> None:
    if name not in known:
        near = get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}."
        raise InvalidSettings(f"{origin}: there is no {what} {name!r}; {hint}")
