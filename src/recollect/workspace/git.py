"""Which project a folder belongs to: the git remote where there is one, else the place of the repository or folder.

Reads a few small files; runs no program, so a prompt never waits for git.
"""

import os
import re
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import ProjectId

USUAL_PORTS = (None, 22, 80, 443)
MAX_PATH_CHARS = 400  # what is longer is shortened, and told apart by its hash

_SECTION = re.compile(r'^\s*\[\s*remote\s+"(?P<name>[^"]+)"\s*\]')
_URL = re.compile(r'^\s*url\s*=\s*"?(?P<url>[^"]*?)"?\s*$')
_SCP = re.compile(r"^(?:[^@/]+@)?(?P<host>[^/:]+):(?!//)(?P<path>.+)$")


def identify(folder: str) -> ProjectId:
    try:
        return ProjectId(_name_of(Path(folder).resolve()))
    except (OSError, ValueError, RuntimeError) as error:  # a NUL inside, too long, not allowed, a circle of links
        raise InvalidValue(f"The folder {folder[:80]!r} cannot be used: {error}.") from None


def _name_of(place: Path) -> str:
    git = _git_folder(place)
    if git is None:
        return f"path:{_readable(place)}"
    root = git.parent if git.name == ".git" else git
    remote = _remote(git)
    name = None if remote is None else normalise_remote(remote, root)
    return f"path:{_readable(root)}" if name is None else f"git:{name}"


def root_of(folder: Path) -> Path:
    """The top of the working tree that a folder lies in; the folder itself outside of git."""
    return next((place for place in (folder, *folder.parents) if (place / ".git").exists()), folder)


def normalise_remote(url: str, root: Path) -> str | None:
    """`git@github.com:Owner/repo.git` and `https://token@github.com/Owner/repo/` are one project, without the token.

    A path is read from the repository's root; None: nothing that names a project.
    """
    scp = _SCP.match(url)
    try:
        parts = urlsplit(url)
        host, path = (scp["host"], scp["path"]) if scp and "://" not in url else (parts.hostname or "", parts.path)
        port = "" if scp or parts.port in USUAL_PORTS else f":{parts.port}"
    except ValueError:  # `https://[bad`
        return None
    if not host:
        return _readable((root / path).resolve()).removesuffix(".git")
    return f"{host.lower()}{port}/{path.strip('/').removesuffix('.git')}"


def _readable(path: Path) -> str:
    """File names are bytes; an id is text: what is no UTF-8 or cannot be seen is spelled out."""
    text = os.fsencode(path).decode("utf-8", "backslashreplace")
    seen = "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text)
    if len(seen) <= MAX_PATH_CHARS:
        return seen
    return f"{sha256(seen.encode()).hexdigest()[:16]}…{seen[-MAX_PATH_CHARS // 2 :]}"


def _git_folder(place: Path) -> Path | None:
    """The repository's own `.git`, also from a worktree, whose `.git` is a file that points there."""
    for folder in (place, *place.parents):
        git = folder / ".git"
        if git.is_dir():
            return git
        if git.is_file():
            return _followed(git)
    return None


def _followed(pointer: Path) -> Path | None:
    _, _, target = _text(pointer).partition("gitdir:")
    if not target.strip():
        return None
    git = (pointer.parent / target.strip()).resolve()
    common = git / "commondir"
    return (git / _text(common).strip()).resolve() if common.is_file() else git


def _remote(git: Path) -> str | None:
    """`origin`, else the first remote of the configuration."""
    urls: dict[str, str] = {}
    name = None
    for line in _text(git / "config").splitlines():
        if section := _SECTION.match(line):
            name = section["name"]
        elif line.lstrip().startswith("["):
            name = None
        elif name and (url := _URL.match(line)):
            urls.setdefault(name, url["url"])
    return urls.get("origin") or next(iter(urls.values()), None)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""  # not readable is the same as not there: the folder itself still names the project
