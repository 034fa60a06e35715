"""The mount of a path, from the kernel's list of mounts."""

from pathlib import Path

import pytest

from recollect.cli.diagnosis.folders import NETWORK, Mount, mount_of

MOUNTS = """\
sysfs /sys sysfs rw 0 0
/dev/sda1 / ext4 rw,relatime 0 0
files:/export /home nfs4 rw,vers=4.2 0 0
/dev/sdb1 /home/ann/local xfs rw 0 0
ann@far:/ /mnt/my\\040share fuse.sshfs rw 0 0
tmpfs /run/user/1000 tmpfs rw 0 0
half
"""


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
    assert mount_of(Path("/home/ann"), MOUNTS + "/dev/sdc1 /home btrfs rw 0 0\n") == Mount(Path("/home"), "btrfs")


def test_where_nothing_is_listed_nothing_is_known() -> None:
    assert mount_of(Path("/home"), "") is None


def test_disks_of_this_machine_are_no_network() -> None:
    assert not {"ext4", "xfs", "btrfs", "zfs", "tmpfs", "overlay", "fuse.gocryptfs", "fuseblk"} & NETWORK
    assert {"nfs", "nfs4", "cifs", "smb3", "9p", "drvfs", "fuse.sshfs"} <= NETWORK
