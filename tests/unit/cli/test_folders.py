"""The file system that a path is on."""

from pathlib import Path

import pytest

from recollect.cli.diagnosis.folders import NETWORK, mount_of
from recollect.system import Mount

MOUNTS = [
    Mount(Path("/sys"), "sysfs"),
    Mount(Path("/"), "ext4"),
    Mount(Path("/home"), "nfs4"),
    Mount(Path("/home/ann/local"), "xfs"),
    Mount(Path("/mnt/my share"), "fuse.sshfs"),
    Mount(Path("/run/user/1000"), "tmpfs"),
]


@pytest.mark.parametrize(
    ("path", "folder", "kind"),
    [
        ("/usr/share", "/", "ext4"),
        ("/home/ann/.local/share", "/home", "nfs4"),
        ("/home/ann/local/share", "/home/ann/local", "xfs"),
        ("/homely", "/", "ext4"),
        ("/mnt/my share/x", "/mnt/my share", "fuse.sshfs"),
        ("/run/user/1000/recollect", "/run/user/1000", "tmpfs"),
    ],
)
def test_a_path_lies_on_the_deepest_mount_above_it(path: str, folder: str, kind: str) -> None:
    assert mount_of(Path(path), MOUNTS) == Mount(Path(folder), kind)


def test_what_is_mounted_over_something_covers_it() -> None:
    later = Mount(Path("/home"), "btrfs")
    assert mount_of(Path("/home/ann"), [*MOUNTS, later]) == later


def test_where_nothing_is_listed_nothing_is_known() -> None:
    assert mount_of(Path("/home"), []) is None


def test_disks_of_this_machine_are_no_network() -> None:
    assert not {"ext4", "xfs", "btrfs", "zfs", "tmpfs", "overlay", "fuse.gocryptfs", "fuseblk"} & NETWORK
    assert {"nfs", "nfs4", "cifs", "smb3", "9p", "drvfs", "fuse.sshfs"} <= NETWORK
