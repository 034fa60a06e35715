"""Which project a folder belongs to: the git remote where there is one, else the place of the repository or folder.

Reads a few small files; runs no program, so a prompt never waits for git.
"""

import re
from pathlib import Path
from urllib.parse import urlsplit

from recollect.domain.memory import ProjectId

_SECTION = re.compile(r'^\s*\[\s*remote\s+"(?P<name>[^"]+)"\s*\]')
_URL = re.compile(r"^\s*url\s*=\s*(?P<url>\S+)")
_SCP = re.compile(r"^(?:[^@/]+@)?(?P<host>[^/:]+):(?!//)(?P<path>.+)$")


def identify(folder: str) -> ProjectId:
    place = Path(folder).expanduser().resolve()
    git = _git_folder(place)
    if git is None:
        return ProjectId(f"path:{place}")
    remote = _remote(git)
    if remote is not None:
        return ProjectId(f"git:{normalise_remote(remote)}")
    return ProjectId(f"path:{git.parent if git.name == '.git' else git}")


def normalise_remote(url: str) -> str:
    """`git@github.com:Owner/repo.git` and `https://token@github.com/Owner/repo/` are one project, without the token."""
    scp = _SCP.match(url)
    if scp and "://" not in url:
        host, path = scp["host"], scp["path"]
    else:
        parts = urlsplit(url)
        host, path = parts.hostname or "", parts.path
    path = path.strip("/").removesuffix(".git")
    return f"{host.lower()}/{path}" if host else path


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
