"""What a folder says about its project: the name in its marker file, the git remote, the place, the root commit, the
language, the branch.

Reads a few small files; only `root_commit` runs a program, so a prompt never waits for git.
"""

import os
import re
import stat
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import ProjectId, check_folder
from recollect.domain.project import BY_PATH, BY_REMOTE, BY_ROOT, FolderFacts
from recollect.privacy.secrets import redact, redact_name
from recollect.workspace import marker

USUAL_PORTS = (None, 22, 80, 443)
# Hosts where upper and lower case in a path are the same, and what else they are called.
FORGES = frozenset({"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"})
FORGE_ALIASES = {
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
}
MAX_FILE_BYTES = 1_000_000
MAX_PATH_CHARS = 400  # what is longer is shortened, and told apart by its hash
GIT_TIMEOUT_S = 0.5  # a session is waiting; without the root commit it is found by its remote or its place

_SECTION = re.compile(r'^\s*\[\s*remote\s+"(?P<name>[^"]+)"\s*\]')
_URL = re.compile(r'^\s*url\s*=\s*"?(?P<url>[^"]*?)"?\s*$')
_SCP = re.compile(r"^(?:[^@/]+@)?(?P<host>[^/:]+):(?!//)(?P<path>.+)$")
_WORKTREE = re.compile(r'^\s*worktree\s*=\s*"?(?P<path>[^"\n]+?)"?\s*$', re.IGNORECASE | re.MULTILINE)
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_BRANCH = re.compile(r"ref:\s*refs/heads/(?P<name>(?!\.)[^\n]{1,250})")  # `.invalid`: git keeps it elsewhere
_SHA256 = re.compile(r"^\s*objectformat\s*=\s*\"?sha256\b", re.IGNORECASE | re.MULTILINE)


def place_of(folder: str) -> FolderFacts:
    check_folder(folder)
    try:
        return _read_facts(Path(folder).resolve())
    except (OSError, ValueError, RuntimeError) as error:  # a NUL inside, too long, not allowed, a circle of links
        raise InvalidValue(f"The folder {redact(folder).text[:80]!r} cannot be used: {error}.") from None


def root_commit(folder: str) -> ProjectId | None:
    """`root:HASH`, the commit that the history in this folder began with. Runs git.

    None: no repository, no commit yet, no answer in time, or a shallow clone, whose oldest commit is not the first one.
    """
    try:
        place = Path(folder).resolve()
        git = _git_folder(place)
        if git is None or (git / "shallow").is_file():
            return None
        first = _run_git(root_of(place), "rev-list", "--first-parent", "--max-parents=0", "HEAD", "--")
    except (OSError, ValueError, RuntimeError):  # whatever is wrong with the folder, `place_of` has said it
        return None
    return ProjectId(f"{BY_ROOT}{first}") if _COMMIT.fullmatch(first) else None


def language_of(folder: str) -> str | None:
    """The language that most of the project's files are written in; None: nothing tells."""
    from recollect.workspace.language import main_language  # only a session that begins asks for it

    try:
        return main_language(str(root_of(Path(folder).resolve())))
    except (OSError, ValueError, RuntimeError):
        return None


def branch_of(folder: str) -> str | None:
    """The branch that is checked out in the working tree of a folder; None: none is, or there is no git here."""
    try:
        root = root_of(Path(folder).resolve())
        git = root / ".git"
        if not git.is_dir():
            # Each worktree has its own, which is not in the repository's own folder.
            _, _, target = _read_text(git).partition("gitdir:")
            git = root / target.strip()
        head = _read_text(git / "HEAD")
    except (OSError, ValueError, RuntimeError):
        return None
    named = _BRANCH.fullmatch(head.rstrip("\n"))
    return redact_name(named["name"]) if named and named["name"].isprintable() else None


def id_digits(root: str) -> int:
    """How many hexadecimal digits an id has in this repository: 40 of SHA-1, 64 of SHA-256."""
    git = _git_folder(Path(root))
    return 64 if git is not None and _SHA256.search(_read_text(git / "config")) else 40


def _read_facts(folder: Path) -> FolderFacts:
    marked, git = marker.find(folder), _git_folder(folder)
    name = None if marked is None else marker.project_name(marked)
    if git is None:
        top = folder if marked is None else marked.parent
        return FolderFacts(root=str(top), path=_path_id(top), name=name)
    repository = git.parent if git.name == ".git" else git
    url = _remote(git)
    remote = _remote_id(None if url is None else normalise_remote(url, repository))
    former = _remote_id(None if url is None else _former_name(url, repository))
    return FolderFacts(
        root=str(root_of(folder)),
        path=_path_id(repository),
        remote=remote,
        name=name,
        former_remote=former if former != remote else None,
        is_former_shared=former != remote and url is not None and _is_absolute_on_host(url),
    )


def _path_id(place: Path) -> ProjectId:
    return ProjectId(f"{BY_PATH}{_readable(place)}")


def _remote_id(name: str | None) -> ProjectId | None:
    if not name or len(name) > MAX_PATH_CHARS or not name.isprintable():
        return None
    return ProjectId(f"{BY_REMOTE}{_without_secrets(name)}")


def is_in_project(folder: Path) -> bool:
    """Whether a repository or a marker file says so; any other folder is just a place."""
    return _git_folder(folder.resolve()) is not None or marker.find(folder.resolve()) is not None


def root_of(folder: Path) -> Path:
    """The top of the working tree that a folder lies in; the folder itself outside of git."""
    return next((place for place in (folder, *folder.parents) if has_repository_for(place, folder)), folder)


def has_repository_for(place: Path, folder: Path) -> bool:
    """Whether there is a repository at this place that a folder in it belongs to. Who keeps the files of their home in
    git does not make one project of all that lies there: such a repository has only its own top."""
    return (place / ".git").exists() and (place == folder or not _contains_home(place))


def _contains_home(place: Path) -> bool:
    """Whether it is the home of the user, or has it inside."""
    try:
        return Path.home().resolve().is_relative_to(place)
    except (OSError, RuntimeError):  # nobody knows where the home is
        return place.parent == place


def normalise_remote(url: str, root: Path) -> str | None:
    """`git@github.com:Owner/repo.git` and `https://token@www.github.com/owner/repo/` are one project, without the
    token. `host:/one` is a place on that host, `host:one` is not.

    A path is read from the repository's root; None: nothing that names a project.
    """
    before = _former_name(url, root)
    if before is None or before.startswith("/") or "/" not in before:
        return before
    host, _, path = before.partition("/")
    host = host.removesuffix(".")
    host = FORGE_ALIASES.get(host, host)
    if host.removeprefix("www.") in FORGES:
        return f"{host.removeprefix('www.')}/{path.strip('/').lower()}"
    return f"{host}//{path}" if _is_absolute_on_host(url) else f"{host}/{path}"


def _is_absolute_on_host(url: str) -> bool:
    """`host:/srv/one`, which earlier versions took for `host:srv/one`."""
    scp = _SCP.match(url)
    return scp is not None and "://" not in url and scp["path"].startswith("/")


def _former_name(url: str, root: Path) -> str | None:
    """As earlier versions wrote it: what they kept is found again."""
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
    return _without_secrets(seen) if len(seen) <= MAX_PATH_CHARS else _hashed_name(seen)


def _without_secrets(name: str) -> str:
    """An id is kept, shown and exported; a folder or a remote may have a token in its name."""
    return name if redact_name(name) == name else _hashed_name(name)


def _hashed_name(name: str) -> str:
    """What is left of it, behind a hash: two places do not become one because the same was taken out of their names."""
    return f"{sha256(name.encode()).hexdigest()[:16]}…{redact_name(name)[-MAX_PATH_CHARS // 2 :]}"


def _git_folder(place: Path) -> Path | None:
    """The repository's own `.git`, also from a worktree, whose `.git` is a file that points there."""
    for folder in (place, *place.parents):
        git = folder / ".git"
        if not has_repository_for(folder, place):
            continue
        if git.is_dir():
            return git
        if git.is_file():
            return _follow_pointer(git)
    return None


def _follow_pointer(pointer: Path) -> Path | None:
    """None: it leads nowhere, or to a repository that knows nothing of it: anybody can write such a file."""
    _, _, target = _read_text(pointer).partition("gitdir:")
    if not target.strip():
        return None
    git = (pointer.parent / target.strip()).resolve()
    common = git / "commondir"
    if common.is_file():  # a worktree
        repository = (git / _read_text(common).strip()).resolve()
        is_there = git.parent == repository / "worktrees"
        return repository if is_there and _points_back(git / _read_text(git / "gitdir").strip(), pointer) else None
    tree = _WORKTREE.search(_read_text(git / "config"))
    if tree is not None:  # a submodule
        return git if _points_back(git / tree["path"], pointer.parent) else None
    return git if git.name != ".git" else None  # that is of the folder that it lies in


def _points_back(named: Path, place: Path) -> bool:
    """One that was moved by hand works in git too: nothing is where it was."""
    return named.resolve() == place.resolve() or not named.exists()


def _remote(git: Path) -> str | None:
    """`origin`, else the first remote of the configuration."""
    urls: dict[str, str] = {}
    name = None
    for line in _read_text(git / "config").splitlines():
        if section := _SECTION.match(line):
            name = section["name"]
        elif line.lstrip().startswith("["):
            name = None
        elif name and (url := _URL.match(line)):
            urls.setdefault(name, url["url"])
    return urls.get("origin") or next(iter(urls.values()), None)


def _run_git(root: Path, *args: str) -> str:
    """What git prints; nothing when it fails or takes too long."""
    import subprocess  # here: most commands never need it, and starting them must stay quick

    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    # Inside a git hook, GIT_DIR would point elsewhere. And the repository may be a stranger's: nothing is fetched for
    # it, by no protocol that its configuration could name, and no commit is replaced by another.
    env |= {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1", "GIT_NO_REPLACE_OBJECTS": "1"}
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *args],
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GIT_TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout.decode("ascii", "replace").strip() if done.returncode == 0 else ""


def _read_text(path: Path) -> str:
    """Of a file as git writes it: small, and a file. A pipe or a device in its place would keep us waiting for ever."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""  # not readable is the same as not there: the folder itself still names the project
    with open(descriptor, "rb") as file:  # noqa: PTH123  # it is open already
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return ""
        try:
            return file.read(MAX_FILE_BYTES).decode("utf-8", "replace")
        except OSError:
            return ""
