"""What `recollect doctor` says of the folders that ours lie in: whose they are, who may read them, and on what disk."""

import os
import pwd
import shlex
import shutil
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from recollect.config import Paths
from recollect.domain.health import Finding, fine, note, problem
from recollect.system import Mount, read_mounts

LITTLE_SPACE_BYTES = 100_000_000
# What other machines write to as well: over a network, or as the host of a virtual one (Windows under WSL: drvfs, 9p,
# virtiofs). Of `fuse.*` only these: most others are local.
NETWORK = frozenset(
    "nfs nfs4 cifs smb3 smbfs 9p afs ceph glusterfs lustre beegfs gpfs coda ocfs2 davfs drvfs virtiofs vboxsf vmhgfs "
    "prl_fs fuse.sshfs fuse.glusterfs fuse.rclone fuse.s3fs fuse.davfs2 fuse.gvfsd-fuse fuse.vmhgfs-fuse "
    "afpfs webdav".split()  # the last two are macOS' own
)
LOCAL_DATA = "set XDG_DATA_HOME to a folder on a disk of this machine"
LOCAL_SOCKET = "Set XDG_RUNTIME_DIR or XDG_STATE_HOME to a folder on a disk of this machine."


def folder_findings(places: Paths) -> list[Finding]:
    data = places.database.parent
    folders = [*dict.fromkeys((data, places.state, places.runtime))]
    found = [
        *(
            finding
            for folder in folders
            for finding in (*_owned(folder), *_private(folder, places.command), *_writable(folder))
        ),
        *_space(data),
        *_network(data, places.runtime),
    ]
    free_gb = shutil.disk_usage(_existing(data)).free / 1e9
    return found or [fine("folders", f"yours alone, on disks of this machine, {free_gb:,.1f} GB are free")]


def mount_of(path: Path, mounts: Iterable[Mount]) -> Mount | None:
    """Return the file system that a path is on; a later mount covers an earlier one."""
    found = None
    for mount in mounts:
        is_deeper = found is None or len(mount.folder.parts) >= len(found.folder.parts)
        if is_deeper and path.is_relative_to(mount.folder):
            found = mount
    return found


def _owned(folder: Path) -> Iterator[Finding]:
    for path in _ours(folder):
        facts = path.lstat()
        if facts.st_uid != os.getuid():
            advice = f"Run it as {_user(facts.st_uid)}, or: sudo chown -R {_user(os.getuid())} {_quoted(folder)}"
            yield problem("owner", f"{path} belongs to {_user(facts.st_uid)}, not to you", advice)
            return  # one line says it
        if path == folder and stat.S_ISLNK(facts.st_mode):
            yield note("owner", f"{path} is a link; the daemon takes only a folder of its own for its socket")


def _private(folder: Path, command: Path) -> Iterator[Finding]:
    for path in _ours(folder):
        facts = path.lstat()
        others = stat.S_IMODE(facts.st_mode) & 0o077
        if path == command:  # it says which Python is used, nothing else: what matters is who may say so
            others &= 0o022
        if others and not stat.S_ISLNK(facts.st_mode):
            can = "read" if others & 0o044 or path == folder else "written"
            yield problem("privacy", f"{path} can be {can} by others", f"chmod go-rwx {_quoted(path)}")


def _ours(folder: Path) -> list[Path]:
    """The folder and the files in it; nothing below, that is backups and others' own."""
    try:
        inside = sorted(path for path in folder.iterdir() if not path.is_dir())
    except OSError:  # not there yet, or not ours to look into: its own line says so
        inside = []
    return [path for path in (folder, *inside) if os.path.lexists(path)]


def _writable(folder: Path) -> Iterator[Finding]:
    there = _existing(folder)
    if os.statvfs(there).f_flag & os.ST_RDONLY:
        yield problem("disk", f"{there} lies on a disk that is mounted read-only", "Mount it for writing.")
    elif not os.access(there, os.W_OK | os.X_OK):
        yield problem("disk", f"nothing can be written in {there}", "Check its owner and its permissions.")


def _space(folder: Path) -> Iterator[Finding]:
    free = shutil.disk_usage(_existing(folder)).free
    if free < LITTLE_SPACE_BYTES:
        yield problem("disk", f"only {free / 1e6:.0f} MB are free where the database lies", "Free some space.")


def _network(data: Path, runtime: Path) -> Iterator[Finding]:
    mounts = read_mounts()
    mount = mount_of(_existing(data).resolve(), mounts)
    if mount is not None and mount.kind in NETWORK:
        yield note(
            "disk",
            f"the database lies on a file system of a network or of another system ({mount.kind} on {mount.folder})",
            f"SQLite's log and locks are not safe there: use it from this machine alone, or better {LOCAL_DATA}.",
        )
    mount = mount_of(_existing(runtime).resolve(), mounts)
    if mount is not None and mount.kind in NETWORK:
        where = f"{mount.kind} on {mount.folder}"
        says = f"the daemon's socket and lock lie on a file system of a network or of another system ({where})"
        yield note("disk", says, LOCAL_SOCKET)


def _existing(folder: Path) -> Path:
    """The folder, or the nearest one above it that is there."""
    return next(path for path in (folder, *folder.parents) if path.is_dir() or path.parent == path)


def _user(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))
