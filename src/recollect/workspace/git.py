"""Facts about a folder's project: name in the marker file, git remote, path, root commit, language, branch.

Reads a few small files; only `root_commit` runs a program, so a prompt never waits for git.
"""

import os
import re
import stat
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import ProjectId, check_folder
from recollect.domain.project import BY_PATH, BY_REMOTE, BY_ROOT, FolderFacts
from recollect.privacy.secrets import redact, redact_identifier
from recollect.workspace import marker

USUAL_PORTS = (None, 22, 80, 443)
# Hosts that ignore the case of a path, and their other names.
FORGES = frozenset({"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"})
FORGE_ALIASES = {
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
}
MAX_FILE_BYTES = 1_000_000
MAX_PATH_CHARS = 400  # a longer one is shortened, and a hash keeps it unique
GIT_TIMEOUT_S = 0.5  # a session is waiting; without the root commit the remote or the path identifies the project

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
    """Return `root:HASH`, the first commit of the history in this folder. Runs git, if there is a commit. None: no
    repository, no commit yet, no answer in time, or a shallow clone, whose oldest commit is not the first."""
    try:
        place = Path(folder).resolve()
        git, root = _git_folder(place), root_of(place)
        if git is None or (git / "shallow").is_file() or _has_no_commit(git, _read_head(root)):
            return None
        first = _run_git(root, "rev-list", "--first-parent", "--max-parents=0", "HEAD", "--")
    except (OSError, ValueError, RuntimeError):  # `place_of` has reported it
        return None
    return ProjectId(f"{BY_ROOT}{first}") if _COMMIT.fullmatch(first) else None


def language_of(folder: str) -> str | None:
    """Return the language of most of the project's files; None: unknown."""
    from recollect.workspace.language import main_language  # imported late: only a session start needs it

    try:
        return main_language(str(root_of(Path(folder).resolve())))
    except (OSError, ValueError, RuntimeError):
        return None


def branch_of(folder: str) -> str | None:
    """Return the branch that is checked out; None: none is, or there is no git here."""
    try:
        head = _read_head(root_of(Path(folder).resolve()))
    except (OSError, ValueError, RuntimeError):
        return None
    branch = _BRANCH.fullmatch(head.rstrip("\n"))
    if branch is None or not branch["name"].isprintable():
        return None
    return redact_identifier(branch["name"])


def id_digits(root: str) -> int:
    """Return the number of hexadecimal digits of an id in this repository: 40 (SHA-1) or 64 (SHA-256)."""
    git = _git_folder(Path(root))
    return 64 if git is not None and _SHA256.search(_read_text(git / "config")) else 40


def _read_facts(folder: Path) -> FolderFacts:
    found_marker, git = marker.find(folder), _git_folder(folder)
    name = None if found_marker is None else marker.project_name(found_marker)
    if git is None:
        top = folder if found_marker is None else found_marker.parent
        return FolderFacts(root=str(top), path=_path_id(top), name=name)
    repository = git.parent if git.name == ".git" else git
    facts = FolderFacts(root=str(root_of(folder)), path=_path_id(repository), name=name)
    url = _remote(git)
    if url is None:
        return facts
    remote = _remote_id(normalise_remote(url, repository))
    former = _remote_id(_former_name(url, repository))
    if former == remote:
        return replace(facts, remote=remote)
    return replace(facts, remote=remote, former_remote=former, is_former_shared=_is_absolute_on_host(url))


def _path_id(place: Path) -> ProjectId:
    return ProjectId(f"{BY_PATH}{_readable(place)}")


def _remote_id(name: str | None) -> ProjectId | None:
    if not name or len(name) > MAX_PATH_CHARS or not name.isprintable():
        return None
    return ProjectId(f"{BY_REMOTE}{_without_secrets(name)}")


def is_in_project(folder: Path) -> bool:
    """Check for a repository or a marker file; any other folder is not a project."""
    return _git_folder(folder.resolve()) is not None or marker.find(folder.resolve()) is not None


def root_of(folder: Path) -> Path:
    """Return the top of the folder's working tree; outside git the folder itself."""
    for place in (folder, *folder.parents):
        if has_repository_for(place, folder):
            return place
    return folder


def has_repository_for(place: Path, folder: Path) -> bool:
    """Check for a repository that `folder` belongs to. A home folder in git does not make all folders in it one project."""
    return (place / ".git").exists() and (place == folder or not _contains_home(place))


def _contains_home(place: Path) -> bool:
    """Return True for the user's home folder and the folders above it."""
    try:
        return Path.home().resolve().is_relative_to(place)
    except (OSError, RuntimeError):  # the home folder is unknown
        return place.parent == place


def normalise_remote(url: str, root: Path) -> str | None:
    """Give all spellings of a remote one name, without tokens: `git@github.com:Owner/repo.git` and
    `https://token@www.github.com/owner/repo/` are one project. `host:/one` is an absolute path there, `host:one` is not.
    A path is relative to the repository's root. None: nothing that names a project."""
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
    """Recognise `host:/srv/one`, which earlier versions took for `host:srv/one`."""
    scp = _SCP.match(url)
    return scp is not None and "://" not in url and scp["path"].startswith("/")


def _former_name(url: str, root: Path) -> str | None:
    """Return the name that earlier versions stored, so that their projects are found."""
    scp = _SCP.match(url)
    try:
        parts = urlsplit(url)
        host, path = parts.hostname or "", parts.path
        if scp and "://" not in url:
            host, path = scp["host"], scp["path"]
        port = "" if scp or parts.port in USUAL_PORTS else f":{parts.port}"
    except ValueError:  # `https://[bad`
        return None
    if not host:
        return _readable((root / path).resolve()).removesuffix(".git")
    return f"{host.lower()}{port}/{path.strip('/').removesuffix('.git')}"


def _readable(path: Path) -> str:
    """Return a path as text: bytes that are not UTF-8 and invisible characters are escaped."""
    text = os.fsencode(path).decode("utf-8", "backslashreplace")
    seen = "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text)
    return _without_secrets(seen) if len(seen) <= MAX_PATH_CHARS else _name_with_hash(seen)


def _without_secrets(name: str) -> str:
    """Redact a name that has a token in it: an id is stored, shown and exported."""
    return name if redact_identifier(name) == name else _name_with_hash(name)


def _name_with_hash(name: str) -> str:
    """Redact or shorten a name and put a hash before it, so that two names do not become the same."""
    return f"{sha256(name.encode()).hexdigest()[:16]}…{redact_identifier(name)[-MAX_PATH_CHARS // 2 :]}"


def _git_folder(place: Path) -> Path | None:
    """Return the repository's own `.git`, also from a worktree, whose `.git` is a file that points there."""
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
    """None: the target does not exist, or does not point back: any program can write such a file."""
    _, _, target = _read_text(pointer).partition("gitdir:")
    if not target.strip():
        return None
    git = (pointer.parent / target.strip()).resolve()
    common = git / "commondir"
    if common.is_file():  # a worktree
        repository = (git / _read_text(common).strip()).resolve()
        if git.parent != repository / "worktrees":
            return None
        return repository if _points_back(git / _read_text(git / "gitdir").strip(), pointer) else None
    tree = _WORKTREE.search(_read_text(git / "config"))
    if tree is not None:  # a submodule
        return git if _points_back(git / tree["path"], pointer.parent) else None
    return git if git.name != ".git" else None  # a `.git` folder belongs to the folder that it is in


def _points_back(target: Path, place: Path) -> bool:
    """Accept a target that no longer exists: git also accepts a worktree that was moved by hand."""
    return target.resolve() == place.resolve() or not target.exists()


def _remote(git: Path) -> str | None:
    """Return the URL of `origin`, otherwise of the first remote in the configuration."""
    urls: dict[str, str] = {}
    name = None
    for line in _read_text(git / "config").splitlines():
        section = _SECTION.match(line)
        if section:
            name = section["name"]
        elif line.lstrip().startswith("["):
            name = None
        elif name:
            url = _URL.match(line)
            if url:
                urls.setdefault(name, url["url"])
    return urls.get("origin") or next(iter(urls.values()), None)


def _read_head(root: Path) -> str:
    """Each worktree has its own HEAD, outside the repository's own folder."""
    git = root / ".git"
    if not git.is_dir():
        _, _, target = _read_text(git).partition("gitdir:")
        git = root / target.strip()
    return _read_text(git / "HEAD")


def _has_no_commit(git: Path, head: str) -> bool:
    """Return True if the branch that is checked out certainly has no commit yet; git itself decides every other case."""
    if not head.startswith("ref: refs/heads/") or not all((git / name).is_dir() for name in ("objects", "refs")):
        return False  # no valid repository: git may find another one above it
    if (git / "reftable").is_dir():  # it has the branches, but nothing can be committed without an object
        return not any((git / "objects").glob("*/*"))
    branch = _BRANCH.fullmatch(head.rstrip())
    if branch is None or os.path.lexists(git / "refs/heads" / branch["name"]):
        return False
    packed = _read_text(git / "packed-refs")
    return f" refs/heads/{branch['name']}\n" not in packed and len(packed) < MAX_FILE_BYTES


def _run_git(root: Path, *args: str) -> str:
    """Return the output of git; nothing if it fails or takes too long."""
    import subprocess  # imported late: most commands never need it, and must start quickly

    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    # Inside a git hook, GIT_DIR would point elsewhere. And the repository may be a stranger's: git must not fetch for it
    # by any protocol that its configuration could name, nor replace a commit by another.
    env |= {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1", "GIT_NO_REPLACE_OBJECTS": "1"}
    try:
        command, no_input = ["git", "-C", str(root), *args], subprocess.DEVNULL
        done = subprocess.run(command, env=env, stdin=no_input, capture_output=True, timeout=GIT_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout.decode("ascii", "replace").strip() if done.returncode == 0 else ""


def _read_text(path: Path) -> str:
    """An unreadable file counts as empty: the folder itself still names the project."""
    file = open_regular(path)
    if file is None:
        return ""
    with file:
        try:
            return file.read(MAX_FILE_BYTES).decode("utf-8", "replace")
        except OSError:
            return ""


def open_regular(path: Path) -> BinaryIO | None:
    """None: no regular file, or not readable. A pipe or a device in its place would block the reader for ever."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    file = open(descriptor, "rb")  # noqa: PTH123, SIM115  # it is open already; the caller closes it
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return file
    file.close()
    return None
