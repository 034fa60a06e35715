"""Finds the files that an import reads: the named files, and in a folder every file of a known format.

A named file that cannot be read is an error before anything is stored. In a folder, files of unknown formats are
skipped, and links that lead out of the folder are not followed.
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from recollect.domain.errors import InvalidValue
from recollect.imports.format import (
    HEAD_BYTES,
    PROJECT_DOCUMENTS,
    Format,
    TranscriptNotImportable,
    format_of,
    is_for_agents,
)
from recollect.privacy.exclude import IgnoredPaths
from recollect.text.block import visible

# Folders that programs write.
SKIPPED = {"node_modules", "__pycache__", "venv", "site-packages", "vendor", "dist", "build", "target"}
HIDDEN_AND_READ = {".claude", ".cursor", ".github", ".codex", ".gemini", ".config", ".claude-mem", ".windsurf"}
# In `.claude`, beside the memories: commands and skills by other authors, and Claude Code's own data.
NO_MEMORIES = "plugins commands agents skills todos cache shell-snapshots file-history statsig".split()
MARKDOWN_SUFFIXES = (".md", ".mdc", ".markdown")
STDIN = Path("-")


@dataclass(frozen=True, slots=True, kw_only=True)
class Readable:
    path: Path
    form: Format
    is_database: bool = False
    size: int = 0
    changed_at: datetime | None = None  # None: a pipe
    is_named: bool = True  # False: it was found in a folder

    @property
    def unit(self) -> str:
        return "record" if self.form in (Format.CLAUDE_MEM, Format.MEM0) else "line"

    @property
    def label(self) -> str:
        return "standard input" if self.path == STDIN else visible(str(self.path))


@dataclass(slots=True)
class ImportFiles:
    found: list[Readable] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)  # file, why
    left_out: list[tuple[str, str]] = field(default_factory=list)
    not_understood: int = 0


def find_files(paths: tuple[Path, ...], form: Format | None, ignored: IgnoredPaths) -> ImportFiles:
    """`form`: the format of all files; None: recognise the format of each."""
    files, seen = ImportFiles(), set()
    for path in paths:
        if path == STDIN:
            files.found.append(Readable(path=path, form=form or Format.JSONL))
            continue
        try:
            inside = _walk(path, form, files) if path.is_dir() else iter([_read_named(path, form)])
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
            f"No known format in {', '.join(visible(str(path)) for path in paths)}: no Markdown, JSON lines, "
            "memory of Claude Code, claude-mem or mem0. Name the file and its --format."
        )
    return files


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _read_named(path: Path, form: Format | None) -> Readable:
    if not stat.S_ISREG(path.stat().st_mode):  # a pipe: it can be read only once
        return Readable(path=path, form=form or Format.JSONL)
    file = _recognise(path, form)
    if file is not None:
        return file
    if not path.stat().st_size:
        raise InvalidValue(f"{visible(str(path))}: It is empty.")
    raise InvalidValue(f"{visible(str(path))}: Its format is unknown; name it with --format.")


def _recognise(path: Path, form: Format | None) -> Readable | None:
    with path.open("rb") as source:
        about = os.fstat(source.fileno())
        head = source.read(HEAD_BYTES)
    if not head.strip() and form is None and not path.name.lower().endswith((".md", ".jsonl")):
        return None
    try:
        found = form or format_of(path.name, head)
    except TranscriptNotImportable as refusal:
        raise InvalidValue(f"{visible(str(path))}: {refusal}") from None
    if found is None:
        return None
    return Readable(
        path=path,
        form=found,
        is_database=found is Format.CLAUDE_MEM and head.startswith(b"SQLite format 3\x00"),
        size=about.st_size,
        changed_at=datetime.fromtimestamp(max(0, about.st_mtime), UTC),
    )


def _walk(folder: Path, form: Format | None, files: ImportFiles) -> Iterator[Readable]:
    def refuse(error: OSError) -> None:
        files.refused.append((visible(str(error.filename)), f"It cannot be read: {_why(error)}."))

    repositories: list[Path] = []
    for place, folder_names, file_names in os.walk(folder, onerror=refuse):
        here = Path(place)
        if (here / ".git").exists():
            repositories.append(here)
        folder_names[:] = sorted(name for name in folder_names if _is_entered(name, here))
        only_agents = form is None and any(root == here or root in here.parents for root in repositories)
        for name in sorted(file_names):
            found = _in_folder(folder, here / name, form, only_agents, files)
            if found is not None:
                yield replace(found, is_named=False)


def _is_entered(name: str, inside: Path) -> bool:
    if inside.name == ".claude" and name in NO_MEMORIES:
        return False
    return name not in SKIPPED and (not name.startswith(".") or name in HIDDEN_AND_READ)


def _in_folder(folder: Path, path: Path, form: Format | None, only_agents: bool, files: ImportFiles) -> Readable | None:
    """Return the file if the import reads it. Other files are no mistake: they are counted, and named if in doubt."""
    shown = visible(str(path))
    is_agents = is_for_agents(path.name)
    is_for_people = PROJECT_DOCUMENTS.match(path.name) or (only_agents and path.suffix == ".md")
    if form is None and not is_agents and is_for_people:
        files.left_out.append((shown, "written for people; name it, or give --format markdown"))
        return None
    wants_markdown = form in (Format.MARKDOWN, Format.CLAUDE_MEMORY)
    if wants_markdown and not is_agents and path.suffix not in MARKDOWN_SUFFIXES:
        files.not_understood += 1
        return None
    found = None
    try:
        if path.is_symlink() and not path.resolve().is_relative_to(folder.resolve()):
            files.left_out.append((shown, "a link that leads out of the folder"))
            return None
        if stat.S_ISREG(path.stat().st_mode):
            found = _recognise(path, form)
    except InvalidValue as refusal:
        files.left_out.append((shown, str(refusal).removeprefix(f"{shown}: ")))
        return None
    except (OSError, RuntimeError) as error:
        files.refused.append((shown, f"It cannot be read: {_why(error)}."))
        return None
    if found is None:
        files.not_understood += 1
    return found
