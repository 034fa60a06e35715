"""A computer of its own for one test: an empty HOME, a clean environment, and the processes it started.

Nothing is inherited from the developer's shell, and nothing outlives the test.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Self

_GITCONFIG = "[user]\n\tname = Test\n\temail = test@example.invalid\n[init]\n\tdefaultBranch = main\n"


class Machine:
    """Use as a context manager: its end ends everything that runs in it."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.scratch = root / "scratch"  # the client unpacks 5 MB here at every start; emptied at the end
        self.projects = root / "projects"
        runtime = root / "run"
        for folder in (self.home, self.scratch, self.projects, runtime):
            folder.mkdir(parents=True)
        runtime.chmod(0o700)
        (self.home / ".gitconfig").write_text(_GITCONFIG)
        self.env = {  # a test may change it before it starts something
            "PATH": _path(),
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "XDG_DATA_HOME": str(self.home / ".local/share"),
            "XDG_STATE_HOME": str(self.home / ".local/state"),
            "XDG_CACHE_HOME": str(self.home / ".cache"),
            "XDG_RUNTIME_DIR": str(runtime),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        self._running: list[subprocess.Popen[str]] = []
        self._met_recollect = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(
        self, *command: str | Path, cwd: Path | None = None, stdin: str = "", timeout_s: float = 30
    ) -> subprocess.CompletedProcess[str]:
        """The command's end, whatever its exit code. Fails the test when it does not come in time."""
        process = self._popen(command, cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            stdout, stderr = process.communicate(stdin, timeout=timeout_s)
        except subprocess.TimeoutExpired:
            stdout, stderr = _end_and_read(process)
            shown = " ".join(map(str, command))
            raise AssertionError(f"`{shown}` did not end in {timeout_s} s\n{stdout}\n{stderr}") from None
        return subprocess.CompletedProcess(list(map(str, command)), process.returncode, stdout, stderr)

    def start(self, *command: str | Path, cwd: Path, log: Path) -> subprocess.Popen[str]:
        """A process that stays until `end` or the end of the machine; it writes into the log."""
        with log.open("w") as sink:
            process = self._popen(command, cwd, stdout=sink, stderr=subprocess.STDOUT)
        self._running.append(process)
        return process

    def end(self, process: subprocess.Popen[str], *, grace_s: float = 5) -> None:
        for number in (signal.SIGTERM, signal.SIGKILL):
            if process.poll() is None:
                _signal_group(process, number)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(grace_s)

    def recollect(
        self, *args: str, cwd: Path | None = None, stdin: str = "", timeout_s: float = 30
    ) -> subprocess.CompletedProcess[str]:
        """The `recollect` command of the environment that runs the tests."""
        self._met_recollect = True
        return self.run(_recollect_command(), *args, cwd=cwd, stdin=stdin, timeout_s=timeout_s)

    def git_project(self, name: str) -> Path:
        """A repository with one commit: without one, a client does not know its projects apart."""
        path = self.projects / name
        path.mkdir()
        (path / "README.md").write_text(f"# {name}\n")
        for args in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", f"Begin {name}"]):
            done = self.run("git", *args, cwd=path)
            assert done.returncode == 0, done.stderr
        return path

    def close(self) -> None:
        for process in self._running:
            self.end(process)
        if self._met_recollect and _recollect_command().exists():
            with suppress(AssertionError):  # a daemon that cannot stop is ended below
                self.recollect("stop", timeout_s=10)
        self._end_leftovers()
        shutil.rmtree(self.scratch, ignore_errors=True)

    def pids(self) -> list[int]:
        """Every live process whose HOME is this machine's, also those that left their parents (Linux only)."""
        mark = f"HOME={self.home}\0".encode()
        return [pid for pid, environ in _environs() if environ.startswith(mark) or b"\0" + mark in environ]

    def _end_leftovers(self) -> None:
        for number in (signal.SIGTERM, signal.SIGKILL):
            for pid in self.pids():
                with suppress(ProcessLookupError):
                    os.kill(pid, number)
                    os.kill(pid, signal.SIGCONT)  # a stopped process cannot end
            for _ in range(20):
                if not self.pids():
                    return
                time.sleep(0.05)

    def _popen(
        self, command: Sequence[str | Path], cwd: Path | None, *, stdout: int | IO[str], stderr: int
    ) -> subprocess.Popen[str]:
        return subprocess.Popen(
            list(map(str, command)),
            cwd=cwd or self.home,
            env=self.env,
            stdin=subprocess.PIPE if stdout == subprocess.PIPE else subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            text=True,
            start_new_session=True,  # a group of its own, so that its children end with it
        )


def _end_and_read(process: subprocess.Popen[str]) -> tuple[str, str]:
    _signal_group(process, signal.SIGKILL)
    try:
        return process.communicate(timeout=2)
    except subprocess.TimeoutExpired:
        return "", "(a child that left its group holds its output open)"


def _signal_group(process: subprocess.Popen[str], number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def _recollect_command() -> Path:
    return Path(sys.executable).with_name("recollect")


def _path() -> str:
    """Where git is, and the usual places. Not the virtual environment: the product must not lean on it."""
    git = shutil.which("git")
    assert git is not None, "the end-to-end tests need git"
    return ":".join(dict.fromkeys([str(Path(git).parent), "/usr/local/bin", "/usr/bin", "/bin"]))


def _environs() -> Iterator[tuple[int, bytes]]:
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ended meanwhile, or is another user's
            yield int(entry.name), (entry / "environ").read_bytes()
