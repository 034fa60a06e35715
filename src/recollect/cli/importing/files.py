"""Which files an import reads: those that were named, and in a folder all that are understood.

A named file that cannot be read is an error before anything is stored. In a folder, what is not understood is passed
over, and links that lead out of it are not followed.
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from recollect.domain.errors import InvalidValue
from recollect.imports.format import FOR_PEOPLE, HEAD_BYTES, Format, TranscriptNotImportable, format_of, is_for_agents
from recollect.privacy.exclude import IgnoredPaths
from recollect.text.block import visible

# What programs put there, and folders of the kind that only a program looks into.
SKIPPED = {"node_modules", "__pycache__", "venv", "site-packages", "vendor", "dist", "build", "target"}
HIDDEN_AND_READ = {".claude", ".cursor", ".github", ".codex", ".gemini", ".config", ".claude-mem", ".windsurf"}
# Beside the memories in `.claude`: what others wrote to be called, and what only Claude Code reads.
NO_MEMORIES = {
    "plugins",
    "commands",
    "agents",
    "skills",
    "todos",
    "cache",
    "shell-snapshots",
    "file-history",
    "statsig",
}
STDIN = Path("-")


@dataclass(frozen=True, slots=True, kw_only=True)
class Readable:
    path: Path
    form: Format
    is_database: bool = False
    size: int = 0
    changed_at: datetime | None = None  # None: not a file, so not known
    is_named: bool = True  # False: it was met in a folder

    @property
    def unit(self) -> str:
        """What its entries are counted in."""
        return "record" if self.form in (Format.CLAUDE_MEM, Format.MEM0) else "line"

    @property
    def shown(self) -> str:
        return "standard input" if self.path == STDIN else visible(str(self.path))


@dataclass(slots=True)
class ImportFiles:
    found: list[Readable] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)  # file, why
    left_out: list[tuple[str, str]] = field(default_factory=list)
    not_understood: int = 0


def find(paths: tuple[Path, ...], form: Format | None, ignored: IgnoredPaths) -> ImportFiles:
    """`form`: what all of them are; None: each says so itself."""
    files, seen = ImportFiles(), set()
    for path in paths:
        if path == STDIN:
            files.found.append(Readable(path=path, form=form or Format.JSONL))
            continue
        try:
            inside = _folder(path, form, files) if path.is_dir() else iter([_named(path, form)])
            for file in inside:
                resolved = file.path.resolve()
                if ignored.matches(str(resolved)):
                    files.refused.append((visible(str(file.path)), "It is ignored ([privacy] ignored_paths)."))
                elif resolved not in seen:
                    seen.add(resolved)
                    files.found.append(file)
        except (OSError, RuntimeError) as error:  # RuntimeError: a circle of links
            raise InvalidValue(f"{visible(str(path))} cannot be read: {_why(error)}.") from None
    if not files.found and not files.refused:
        raise InvalidValue(
            f"Nothing in {', '.join(visible(str(path)) for path in paths)} is understood: no Markdown, JSON lines, "
            "memory of Claude Code, claude-mem or mem0. Name the file and its --format."
        )
    return files


def _why(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _named(path: Path, form: Format | None) -> Readable:
    if not stat.S_ISREG(path.stat().st_mode):  # a pipe: it can be read only once
        return Readable(path=path, form=form or Format.JSONL)
    file = _looked_at(path, form)
    if file is None:
        empty = "It is empty." if not path.stat().st_size else "It is no format that is known; say which with --format."
        raise InvalidValue(f"{visible(str(path))}: {empty}")
    return file


def _looked_at(path: Path, form: Format | None) -> Readable | None:
    """None: it is nothing that we read."""
    with path.open("rb") as source:
        about = os.fstat(source.fileno())
        head = source.read(HEAD_BYTES)
    if not head.strip() and form is None and not path.name.lower().endswith((".md", ".jsonl")):
        return None
    try:
        told = form or format_of(path.name, head)
    except TranscriptNotImportable as refusal:
        raise InvalidValue(f"{visible(str(path))}: {refusal}") from None
    if told is None:
        return None
    return Readable(
        path=path,
        form=told,
        is_database=told is Format.CLAUDE_MEM and head.startswith(b"SQLite format 3\x00"),
        size=about.st_size,
        changed_at=datetime.fromtimestamp(max(0, about.st_mtime), UTC),
    )


def _folder(folder: Path, form: Format | None, files: ImportFiles) -> Iterator[Readable]:
    repositories: list[Path] = []
    for place, names, names_of_files in os.walk(folder, onerror=lambda error: _unreadable(error, files)):
        here = Path(place)
        if (here / ".git").exists():
            repositories.append(here)
        names[:] = sorted(name for name in names if _is_entered(name, here))
        only_agents = form is None and any(root == here or root in here.parents for root in repositories)
        for name in sorted(names_of_files):
            yield from _one_of(folder, here / name, form, only_agents, files)


def _is_entered(name: str, inside: Path) -> bool:
    if inside.name == ".claude" and name in NO_MEMORIES:
        return False
    return name not in SKIPPED and (not name.startswith(".") or name in HIDDEN_AND_READ)


def _unreadable(error: OSError, files: ImportFiles) -> None:
    files.refused.append((visible(str(error.filename)), f"It cannot be read: {_why(error)}."))


def _one_of(folder: Path, path: Path, form: Format | None, only_agents: bool, files: ImportFiles) -> Iterator[Readable]:
    """What a folder holds besides what was asked for is no mistake: it is counted, and said where it could be meant."""
    shown = visible(str(path))
    is_agents = is_for_agents(path.name)
    if form is None and not is_agents and (FOR_PEOPLE.match(path.name) or (only_agents and path.suffix == ".md")):
        files.left_out.append((shown, "written for people; name it, or give --format markdown"))
        return
    if (
        form in (Format.MARKDOWN, Format.CLAUDE_MEMORY)
        and not is_agents
        and path.suffix not in (".md", ".mdc", ".markdown")
    ):
        files.not_understood += 1
        return
    try:
        if path.is_symlink() and not path.resolve().is_relative_to(folder.resolve()):
            files.left_out.append((shown, "a link that leads out of the folder"))
            return
        if not stat.S_ISREG(path.stat().st_mode):
            files.not_understood += 1
            return
        found = _looked_at(path, form)
    except InvalidValue as refusal:
        files.left_out.append((shown, str(refusal).removeprefix(f"{shown}: ")))
    except (OSError, RuntimeError) as error:
        files.refused.append((shown, f"It cannot be read: {_why(error)}."))
    else:
        if found is None:
            files.not_understood += 1
        else:
            yield replace(found, is_named=False)
