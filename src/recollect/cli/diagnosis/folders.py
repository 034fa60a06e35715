"""Findings of `recollect doctor` about our folders: their owner, their permissions, their disk, and a lost database."""

import os
import pwd
import shlex
import shutil
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from recollect.domain.health import Finding, fine, note, problem
from recollect.paths import Paths
from recollect.system import Mount, find_replaced_files, read_mounts

LITTLE_SPACE_BYTES = 100_000_000
# File systems that other machines write to as well: over a network, or as the host of a virtual machine (Windows under
# WSL: drvfs, 9p, virtiofs). Of `fuse.*` only these: most others are local.
NETWORK = frozenset(
    "nfs nfs4 cifs smb3 smbfs 9p afs ceph glusterfs lustre beegfs gpfs coda ocfs2 davfs drvfs virtiofs vboxsf vmhgfs "
    "prl_fs fuse.sshfs fuse.glusterfs fuse.rclone fuse.s3fs fuse.davfs2 fuse.gvfsd-fuse fuse.vmhgfs-fuse "
    "afpfs webdav".split()  # the last two are macOS' own
)
LOCAL_DATA = "set XDG_DATA_HOME to a folder on a local disk"
LOCAL_SOCKET = "Set XDG_RUNTIME_DIR or XDG_STATE_HOME to a folder on a local disk."


def folder_findings(places: Paths) -> list[Finding]:
    data = places.database.parent
    found: list[Finding] = []
    for folder in dict.fromkeys((data, places.state, places.runtime)):
        found += _owner(folder)
        found += _permissions(folder, places.command)
        found += _writable(folder)
    found += _space(data)
    found += _network(data, places.runtime)
    free_gb = shutil.disk_usage(_nearest_existing(data)).free / 1e9
    return found or [fine("folders", f"only you can read them, on local disks, {free_gb:,.1f} GB free")]


def lost_database_findings(places: Paths) -> Iterator[Finding]:
    """Find processes that still have a deleted or replaced database open: their writes are lost."""
    database = os.path.realpath(places.database)
    names_by_process: dict[int, set[str]] = {}
    for process, file in find_replaced_files([f"{database}{suffix}" for suffix in ("", "-wal", "-shm")]):
        names_by_process.setdefault(process, set()).add(Path(file).name)
    for process, names in names_by_process.items():
        yield problem(
            "database",
            f"process {process} has a deleted or replaced file open: {', '.join(sorted(names))}; what it writes is lost",
            f"`kill -9 {process}` ends it at once; if it ended by itself, it could write old pages into the "
            "database. Then run `recollect doctor` again.",
        )


def mount_of(path: Path, mounts: Iterable[Mount]) -> Mount | None:
    """Return the file system that a path is on; a later mount covers an earlier one."""
    found = None
    for mount in mounts:
        is_deeper = found is None or len(mount.folder.parts) >= len(found.folder.parts)
        if is_deeper and path.is_relative_to(mount.folder):
            found = mount
    return found


def _owner(folder: Path) -> Iterator[Finding]:
    for path in _files(folder):
        facts = path.lstat()
        if facts.st_uid != os.getuid():
            owner = _user(facts.st_uid)
            advice = f"Run it as {owner}, or: sudo chown -R {_user(os.getuid())} {_quote(folder)}"
            yield problem("owner", f"{path} belongs to {owner}, not to you", advice)
            return  # one finding is enough
        if path == folder and stat.S_ISLNK(facts.st_mode):
            yield note("owner", f"{path} is a link; the daemon needs a real folder for its socket")


def _permissions(folder: Path, command: Path) -> Iterator[Finding]:
    for path in _files(folder):
        facts = path.lstat()
        others = stat.S_IMODE(facts.st_mode) & 0o077
        if path == command:  # it only names the Python to start: others may read it, but not write it
            others &= 0o022
        if others and not stat.S_ISLNK(facts.st_mode):
            can = "read" if others & 0o044 or path == folder else "written"
            yield problem("privacy", f"{path} can be {can} by others", f"chmod go-rwx {_quote(path)}")


def _files(folder: Path) -> list[Path]:
    """The folder and the files in it, without subfolders: these are backups, or belong to others."""
    try:
        inside = sorted(path for path in folder.iterdir() if not path.is_dir())
    except OSError:  # missing or not readable: another finding says so
        inside = []
    return [path for path in (folder, *inside) if os.path.lexists(path)]


def _writable(folder: Path) -> Iterator[Finding]:
    existing = _nearest_existing(folder)
    if os.statvfs(existing).f_flag & os.ST_RDONLY:
        yield problem("disk", f"{existing} is on a disk that is mounted read-only", "Mount it for writing.")
    elif not os.access(existing, os.W_OK | os.X_OK):
        yield problem("disk", f"{existing} is not writable", "Check its owner and its permissions.")


def _space(folder: Path) -> Iterator[Finding]:
    free = shutil.disk_usage(_nearest_existing(folder)).free
    if free < LITTLE_SPACE_BYTES:
        yield problem("disk", f"only {free / 1e6:.0f} MB are free on the database's disk", "Free some space.")


def _network(data: Path, runtime: Path) -> Iterator[Finding]:
    mounts = read_mounts()
    where = _network_mount(data, mounts)
    if where:
        yield note(
            "disk",
            f"the database is on a file system of a network or of another system ({where})",
            f"SQLite's log and locks are not safe there: use it from this machine alone, or better {LOCAL_DATA}.",
        )
    where = _network_mount(runtime, mounts)
    if where:
        says = f"the daemon's socket and lock are on a file system of a network or of another system ({where})"
        yield note("disk", says, LOCAL_SOCKET)


def _network_mount(folder: Path, mounts: Iterable[Mount]) -> str | None:
    mount = mount_of(_nearest_existing(folder).resolve(), mounts)
    if mount is None or mount.kind not in NETWORK:
        return None
    return f"{mount.kind} on {mount.folder}"


def _nearest_existing(folder: Path) -> Path:
    return next(path for path in (folder, *folder.parents) if path.is_dir() or path.parent == path)


def _user(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _quote(path: Path) -> str:
    return shlex.quote(str(path))
