"""The calls that differ between systems: for real on Linux, with fakes for macOS."""

import os
import resource
import socket
import stat
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from recollect import hook, system
from recollect.paths import MAX_SOCKET_PATH_BYTES
from recollect.system import Mount

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="asks the Linux kernel")

MACOS_MOUNTS = """\
/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
devfs on /dev (devfs, local, nobrowse)
/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled, nobrowse)
//ann@nas/my on share on /Volumes/my share (old) (smbfs, nodev, nosuid, mounted by ann)
half
"""


@pytest.fixture
def macos(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(system, "PROCESSES", Path("/there/is/no/proc"))
    return monkeypatch


def print_on_macos(macos: pytest.MonkeyPatch, program: str, output: str) -> None:
    def run(command: tuple[str, ...], **_: object) -> SimpleNamespace:
        assert command[0] == program
        return SimpleNamespace(stdout=output.encode())

    macos.setattr(subprocess, "run", run)


# ---- the process behind a socket


@linux_only
def test_linux_names_the_process_behind_a_unix_socket_and_none_behind_tcp() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert system.peer_pid(ours) == os.getpid()
    with socket.socket(socket.AF_INET) as tcp:
        assert system.peer_pid(tcp) is None


def test_linux_reads_the_first_of_three_numbers() -> None:
    def getsockopt(level: int, option: int, size: int) -> bytes:
        assert (level, option, size) == (socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        return struct.pack("3i", 70_001, 501, 20)

    assert system.peer_pid(SimpleNamespace(family=socket.AF_UNIX, getsockopt=getsockopt)) == 70_001  # type: ignore[arg-type]


def test_macos_names_the_process_by_an_option_of_its_own(macos: pytest.MonkeyPatch) -> None:
    macos.delattr(socket, "SO_PEERCRED", raising=False)
    asked = []

    def getsockopt(*option: int) -> int:
        asked.append(option)
        return 4242

    assert system.peer_pid(SimpleNamespace(family=socket.AF_UNIX, getsockopt=getsockopt)) == 4242  # type: ignore[arg-type]
    assert system.peer_pid(SimpleNamespace(family=socket.AF_INET, getsockopt=getsockopt)) is None  # type: ignore[arg-type]
    assert asked == [(0, 2)]


def test_another_system_names_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "freebsd14")
    monkeypatch.delattr(socket, "SO_PEERCRED", raising=False)
    assert system.peer_pid(SimpleNamespace(family=socket.AF_UNIX)) is None  # type: ignore[arg-type]


# ---- memory


@linux_only
def test_linux_counts_the_memory_that_is_used_now() -> None:
    status = Path("/proc/self/status").read_text()
    (kib,) = [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")]
    assert system.memory_mb() == pytest.approx(kib * 1024 / 1e6, rel=0.1)


def test_macos_counts_bytes_where_linux_counts_kilobytes(macos: pytest.MonkeyPatch) -> None:
    macos.setattr(resource, "getrusage", lambda _: SimpleNamespace(ru_maxrss=61_400_000))
    assert system.memory_mb() == 61.4
    macos.setattr(sys, "platform", "linux")
    macos.setattr(resource, "getrusage", lambda _: SimpleNamespace(ru_maxrss=61_400))
    assert system.memory_mb() == 61.4


def test_freed_memory_is_given_back_by_the_c_librarys_own_call(monkeypatch: pytest.MonkeyPatch) -> None:
    import ctypes

    system.release_free_memory()  # the real one
    called: list[tuple[object, ...]] = []
    for platform, name, arguments in (
        ("linux", "malloc_trim", (0,)),
        ("darwin", "malloc_zone_pressure_relief", (None, 0)),
        ("linux", "musl has no such call", None),
    ):
        monkeypatch.setattr(sys, "platform", platform)

        class Library:
            pass

        def call(*given: object) -> None:
            called.append(given)

        setattr(Library, name, staticmethod(call))
        monkeypatch.setattr(ctypes, "CDLL", lambda _, library=Library: library)
        system._find_release.cache_clear()
        called.clear()
        system.release_free_memory()
        assert called == ([] if arguments is None else [arguments])
    system._find_release.cache_clear()


# ---- priority


@linux_only
def test_linux_lowers_the_priority_of_one_thread_alone() -> None:
    before = os.getpriority(os.PRIO_PROCESS, 0)
    lowered = []

    def work() -> None:
        system.lower_thread_priority(before + 3)
        lowered.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert lowered == [before + 3]
    assert os.getpriority(os.PRIO_PROCESS, 0) == before


def test_macos_changes_no_priority_because_a_threads_id_may_be_a_strangers_process(macos: pytest.MonkeyPatch) -> None:
    macos.setattr(os, "setpriority", lambda *_: pytest.fail("it would be another process"))
    system.lower_thread_priority(10)


# ---- a private file


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_a_private_file_is_made_once_and_for_its_user_alone(
    platform: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    file = tmp_path / "a"
    system.create_private_file(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.write_text("kept")
    with pytest.raises(FileExistsError):
        system.create_private_file(file)
    assert file.read_text() == "kept"


def test_macos_makes_a_file_without_mknod_and_opens_none_that_is_there(
    macos: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    macos.setattr(os, "mknod", lambda *_: pytest.fail("only root may"))
    system.create_private_file(tmp_path / "a")
    macos.setattr(os, "open", lambda *_: pytest.fail("closing it drops the locks of a database"))
    with pytest.raises(FileExistsError):
        system.create_private_file(tmp_path / "a")


# ---- file systems


@linux_only
def test_linux_lists_the_file_system_of_the_root() -> None:
    assert Path("/") in [mount.folder for mount in system.read_mounts()]


def test_linux_escapes_blanks_in_the_names_of_mounts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mounts").write_text("/dev/sda1 / ext4 rw 0 0\nann@far:/ /mnt/my\\040share fuse.sshfs rw 0 0\nhalf\n")
    monkeypatch.setattr(system, "PROCESSES", tmp_path)
    assert system.read_mounts() == [Mount(Path("/"), "ext4"), Mount(Path("/mnt/my share"), "fuse.sshfs")]
    monkeypatch.setattr(system, "PROCESSES", tmp_path / "nowhere")
    assert system.read_mounts() == []


def test_macos_lists_mounts_by_its_mount_command(macos: pytest.MonkeyPatch) -> None:
    print_on_macos(macos, "/sbin/mount", MACOS_MOUNTS)
    assert system.read_mounts() == [
        Mount(Path("/"), "apfs"),
        Mount(Path("/dev"), "devfs"),
        Mount(Path("/System/Volumes/Data"), "apfs"),
        Mount(Path("/Volumes/my share (old)"), "smbfs"),
    ]


def test_a_missing_or_slow_program_lists_nothing(macos: pytest.MonkeyPatch) -> None:
    for error in (FileNotFoundError(), subprocess.TimeoutExpired("mount", 1)):

        def fail(*_: object, error: Exception = error, **__: object) -> None:
            raise error

        macos.setattr(subprocess, "run", fail)
        assert system.read_mounts() == []
        assert list(system.find_replaced_files(["/a"])) == []


# ---- files that were deleted or replaced while open


@linux_only
def test_linux_finds_who_has_a_replaced_or_deleted_file_open(tmp_path: Path) -> None:
    kept, replaced, deleted = (tmp_path / name for name in ("kept", "replaced", "deleted"))
    for file in (kept, replaced, deleted):
        file.write_text("")
    files = [str(kept), str(replaced), str(deleted)]
    with kept.open(), replaced.open(), deleted.open():
        assert list(system.find_replaced_files(files)) == []
        deleted.unlink()
        (tmp_path / "new").write_text("")
        (tmp_path / "new").replace(replaced)
        found = sorted(system.find_replaced_files(files))
    assert found == [(os.getpid(), str(deleted)), (os.getpid(), str(replaced))]


def test_macos_finds_them_by_their_inodes(macos: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kept, replaced, deleted = (tmp_path / name for name in ("kept", "replaced", "deleted"))
    for file in (kept, replaced):
        file.write_text("")
    lines = [
        "p70",
        *("f3", f"i{kept.stat().st_ino}", f"n{kept}"),
        *("f4", f"i{replaced.stat().st_ino + 1}", f"n{replaced}"),
        *("f5", f"n{deleted}"),  # a pipe or a socket has no inode
        "p71",
        *("f3", "i99", f"n{deleted}"),
        *("f4", "i98", "n/elsewhere"),
    ]
    print_on_macos(macos, "/usr/sbin/lsof", "\n".join(lines))
    files = [str(kept), str(replaced), str(deleted)]
    assert list(system.find_replaced_files(files)) == [(70, str(replaced)), (71, str(deleted))]


# ---- what holds everywhere


def test_the_sockets_path_fits_into_the_smallest_limit() -> None:
    macos_limit = 104 - 1  # the size of sun_path, without the zero at its end; Linux has 108
    assert MAX_SOCKET_PATH_BYTES == hook.MAX_SOCKET_PATH_BYTES < macos_limit


def test_windows_is_refused_with_one_plain_sentence() -> None:
    code = "import sys; sys.platform = 'win32'; import recollect.daemon.lock"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == "Recollect does not run on Windows. Use it inside WSL2, or on Linux or macOS.\n"
    assert done.stdout == ""


def test_the_hook_on_macos_closes_what_is_open_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    assert hook.descriptor_limit() == 1 << 20
    monkeypatch.setattr(sys, "platform", "darwin")
    with Path(os.devnull).open() as file:
        high = os.dup2(file.fileno(), 500)
    limit = hook.descriptor_limit()
    os.close(high)
    assert limit > 500


def test_the_hook_guesses_its_age_where_there_is_no_proc(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: bytes) -> bytes:
        raise FileNotFoundError

    monkeypatch.setattr(hook, "read_file", fail)
    assert 0 < hook.age_s() < time.process_time() + 1


def test_the_hook_does_nothing_on_windows() -> None:
    code = f"import runpy, sys; sys.platform = 'win32'; runpy.run_path({hook.__file__!r}, run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", code, "opencode"], capture_output=True, text=True, input="{}")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
