"""Real git repositories, made in a line. No two have the same first commit unless one is a copy of the other."""

import subprocess
from itertools import count
from pathlib import Path

NUMBERS = count()
IDENTITY = ("-c", "user.name=Test", "-c", "user.email=test@example.invalid", "-c", "protocol.file.allow=always")


def git(folder: Path, *args: str) -> str:
    return subprocess.run(["git", *IDENTITY, *args], cwd=folder, check=True, capture_output=True, text=True).stdout


def a_repository(folder: Path, *, remote: str | None = None, commits: int = 1) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    for _ in range(commits):
        commit(folder)
    if remote is not None:
        git(folder, "remote", "add", "origin", remote)
    return folder


def commit(folder: Path) -> None:
    # Made in the same second by the same person, only the message tells two first commits apart.
    git(folder, "commit", "-q", "--allow-empty", "-m", f"Commit {next(NUMBERS)}")


def a_clone(origin: Path, folder: Path, *options: str, remote: str | None = None) -> Path:
    git(origin, "clone", "-q", *options, origin.as_uri(), str(folder))
    if remote is not None:
        git(folder, "remote", "set-url", "origin", remote)
    return folder
