"""Where everything is: the files of Recollect by the environment, and the settings file of a folder's project.

The socket follows one rule here, in the hook and in the plugin: `$XDG_RUNTIME_DIR/recollect` if XDG_RUNTIME_DIR names a
folder, else the state folder. If that is not writable, or its path is too long for a socket: a private folder in the
temporary directory.
"""

import os
from _blake2 import blake2b  # of `hashlib`, which loads all of OpenSSL
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from recollect.domain.errors import InvalidSettings, InvalidValue
from recollect.domain.memory import check_folder
from recollect.workspace import marker

MAX_SOCKET_PATH_BYTES = 100  # the kernel's limit is 107 on Linux and 103 on macOS; leave room for a suffix
MAX_VALUE_CHARS = 40  # of a wrong value in an error message
VARIABLE_PREFIX = "RECOLLECT_"
MODEL_VARIABLE = "RECOLLECT_MODEL"  # the folder of the embedding model
PACKAGED_MODEL = Path(__file__).parent / "embed" / "data"  # in a release wheel; not in a checkout


@dataclass(frozen=True, slots=True, kw_only=True)
class Paths:
    database: Path
    settings: Path
    state: Path  # has the command with which hosts start the daemon
    runtime: Path  # has socket and lock
    log_folder: Path  # has log and token: the state folder, or the runtime folder if the state folder is not writable
    model_built: Path  # the folder that `recollect model build` fills
    model: Path  # the folder that the model is read from: model_built, or the one in a release wheel

    @property
    def socket(self) -> Path:
        return self.runtime / "daemon.sock"

    @property
    def lock(self) -> Path:
        return self.runtime / "daemon.lock"

    @property
    def tcp(self) -> Path:
        """Has port and token while the daemon listens on 127.0.0.1."""
        return self.runtime / "daemon.tcp"

    @property
    def token(self) -> Path:
        """Has the token, the same for every daemon, so that a client's configuration stays valid."""
        return self.log_folder / "token"

    @property
    def log(self) -> Path:
        return self.log_folder / "daemon.log"

    @property
    def pause(self) -> Path:
        return self.state / "pause.json"

    @property
    def command(self) -> Path:
        return self.state / "command.json"


def find_paths(env: Mapping[str, str] = os.environ) -> Paths:
    try:
        home = Path(env.get("HOME") or Path.home())
    except RuntimeError:
        raise InvalidSettings("Your user has no home folder. Set HOME.") from None
    if not home.is_absolute():  # the daemon works in another folder than the shell
        raise InvalidSettings(f"HOME is {quote_value(str(home))}; it takes an absolute path, one that begins with /.")
    state = _xdg_folder(env, "XDG_STATE_HOME", home / ".local/state")
    model = _model_folder(env, home)
    runtime = _runtime_folder(env, state)
    # A folder that the user names is never replaced by the packaged one.
    is_packaged = PACKAGED_MODEL.is_dir() and not env.get(MODEL_VARIABLE) and is_missing(model)
    return Paths(
        database=_xdg_folder(env, "XDG_DATA_HOME", home / ".local/share") / "recollect.db",
        settings=_xdg_folder(env, "XDG_CONFIG_HOME", home / ".config") / "config.toml",
        state=state,
        runtime=runtime,
        log_folder=state if is_writable(state) else runtime,
        model_built=model,
        model=PACKAGED_MODEL if is_packaged else model,
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
            f"{MODEL_VARIABLE} is {quote_value(given)}; it takes the whole path of a folder, from / on."
        )
    return Path(given)


def _runtime_folder(env: Mapping[str, str], state: Path) -> Path:
    given = env.get("XDG_RUNTIME_DIR", "")
    folder = Path(given) / "recollect" if given.startswith("/") and Path(given).is_dir() else state
    if len(os.fsencode(folder / "daemon.sock")) <= MAX_SOCKET_PATH_BYTES and is_writable(folder):
        return folder
    from hashlib import sha256  # rarely needed

    name = f"recollect-{os.getuid()}-{sha256(os.fsencode(folder)).hexdigest()[:12]}"
    given = env.get("TMPDIR", "")
    return Path(given if given.startswith("/") else "/tmp") / name


def is_writable(folder: Path) -> bool:
    """Check the folder or, if it does not exist yet, the nearest folder above it."""
    while not os.path.exists(folder):  # noqa: PTH110  # a `Path` raises if it may not look there
        folder = folder.parent
    return os.access(folder, os.W_OK)


def fingerprint(paths: Paths, env: Mapping[str, str]) -> str:
    """Return a value that is equal in two processes with the same paths and the same RECOLLECT_ variables."""
    ours = sorted((name, value) for name, value in env.items() if name.startswith(VARIABLE_PREFIX))
    identity = repr((paths.database, paths.settings, paths.model, ours))
    return blake2b(identity.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()


def has_settings(paths: Paths, folder: str | None, env: Mapping[str, str]) -> bool:
    """Return False if every setting has its default: there is no settings file, and no variable sets one."""
    if any(map(is_settings_variable, env)) or not is_missing(paths.settings):
        return True
    return folder is not None and find_project_file(folder) is not None


def is_settings_variable(name: str) -> bool:
    return name.startswith(VARIABLE_PREFIX) and "__" in name


def find_project_file(folder: str) -> Path | None:
    """Return the settings file of the project that a folder is in; None if there is none, or the folder is unreadable."""
    try:
        check_folder(folder)
        return marker.find(Path(folder).resolve())
    except (InvalidValue, OSError, ValueError, RuntimeError):  # gone, not allowed, a NUL in it, a circle of links
        return None


def is_missing(path: Path) -> bool:
    """A dangling link and an unreadable path are not missing: reading them gives the right error."""
    try:
        path.lstat()
    except OSError as error:
        return isinstance(error, FileNotFoundError | NotADirectoryError)
    return False


def quote_value(value: object) -> str:
    text = repr(value)
    return text if len(text) <= MAX_VALUE_CHARS else f"{text[:MAX_VALUE_CHARS]}…"
