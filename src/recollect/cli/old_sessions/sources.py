"""Finds old sessions, the project of each, and reads their events."""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import assert_never

from recollect.domain.errors import InvalidValue
from recollect.domain.event import Event
from recollect.domain.memory import SessionId
from recollect.domain.transcript import Mark, TranscriptForm, TranscriptRecord
from recollect.hosts import claude_code, codex, opencode_transcript, specstory
from recollect.imports.databases.opencode import opencode_messages, opencode_sessions
from recollect.privacy.exclude import IgnoredPaths
from recollect.text.block import visible
from recollect.transcripts import reading
from recollect.transcripts.locations import (
    SPECSTORY,
    TranscriptFile,
    TranscriptFiles,
    folder_of,
    host_folders,
    make_mark,
)
from recollect.transcripts.reading import ReportBadLine, ReportBytes
from recollect.workspace import git

MESSAGE_BYTES = 1000  # the size of a database message in the progress bar
_TWIN = f"{specstory.NAME}:"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSource:
    label: str  # of a file, or of one session of a database
    form: TranscriptForm
    size: int
    changed_at: datetime
    mark: Mark
    folder: str | None  # where the session worked; None: unknown
    read: Callable[[ReportBytes, ReportBadLine], Iterator[Event]]
    session: str | None = None  # None: several, or unknown
    inside: str | None = None  # the folder it came with: another person may have written it


@dataclass(slots=True)
class Sources:
    found: list[SessionSource]
    unreadable: list[tuple[str, str]]
    ignored: list[str]
    not_understood: int


def collect_sources(paths: Iterable[Path], project_root: Path | None, ignored: IgnoredPaths) -> Sources:
    places = TranscriptFiles()
    paths = list(paths)
    for path in paths:
        if not path.exists():
            raise InvalidValue(f"{visible(str(path))} does not exist.")
        places.add_path(path)
    own: set[Path] = set()  # files that the hosts of this machine wrote, wherever they are
    if not paths:
        places.add_machine(os.environ, Path.home())
        own = {found.path for found in places.found}
        if project_root is not None:
            places.add_project(project_root)
    unreadable = [(visible(str(path)), why) for path, why in places.unreadable]
    done = Sources([], unreadable, [], places.not_understood)
    for found in places.found:
        if ignored.matches(str(found.path.resolve())):
            done.ignored.append(visible(str(found.path)))
            continue
        inside = None if found.path in own else _came_with(found)
        if found.form is TranscriptForm.OPENCODE_DATABASE:
            _add_database(found, done, inside)
        else:
            done.found.append(_of_file(found, inside))
    _remove_moved(done)
    # SpecStory retells sessions of other agents: the agents' own records come first.
    done.found.sort(key=lambda source: source.form is TranscriptForm.SPECSTORY)
    return done


def _remove_moved(done: Sources) -> None:
    """OpenCode moved sessions into its database and left the old files: read each session once."""
    moved = {source.session for source in done.found if source.form is TranscriptForm.OPENCODE_DATABASE}
    done.found = [
        one for one in done.found if one.form is not TranscriptForm.OPENCODE_FILES or one.session not in moved
    ]


def _came_with(found: TranscriptFile) -> str | None:
    """The folder whose project it teaches, if another person may have written it: it is in a project or in a history of
    SpecStory, or was only found in a folder. None: the user named it, or a host keeps it in the user's home, even if
    that is in git. A link counts as being in both places."""
    places = [place.parent for place in (found.path.absolute(), found.path.resolve())]
    foreign = [place for place in places if not _is_of_a_host(place.resolve())]
    for folder in foreign:
        if git.is_in_project(folder):
            return str(git.root_of(folder.resolve()))
    for folder in foreign:
        if SPECSTORY[0] in folder.parts:
            return str(Path(*folder.parts[: folder.parts.index(SPECSTORY[0])]).resolve())
    return str(found.searched_folder.resolve()) if foreign and found.searched_folder is not None else None


def _is_of_a_host(folder: Path) -> bool:
    """Return True for a folder where a host keeps its sessions, not for a repository inside of it."""
    root = git.root_of(folder)
    for place in host_folders(os.environ, Path.home()):
        place = place.resolve()
        if folder.is_relative_to(place) and (not (root / ".git").exists() or root == git.root_of(place)):
            return True
    return False


def _of_file(found: TranscriptFile, inside: str | None) -> SessionSource:
    return SessionSource(
        label=visible(str(found.path)),
        form=found.form,
        size=found.size,
        changed_at=found.changed_at,
        mark=found.mark,
        folder=folder_of(found),
        read=partial(_events, found),
        session=found.path.stem if found.form is TranscriptForm.OPENCODE_FILES else None,
        inside=inside,
    )


def _add_database(found: TranscriptFile, done: Sources, inside: str | None) -> None:
    try:
        kept = opencode_sessions(found.path)
    except InvalidValue as error:
        done.unreadable.append((visible(str(found.path)), str(error)))
        return
    for session in kept:
        name = str(session.info["id"])
        done.found.append(
            SessionSource(
                label=visible(f"{found.path} ({name})"),
                form=found.form,
                size=session.messages * MESSAGE_BYTES,
                changed_at=datetime.fromtimestamp(session.updated_ms / 1000, UTC),
                mark=make_mark(found.path, f"{session.updated_ms}:{session.messages}", name),
                folder=session.info["directory"],
                read=partial(_rows, found.path, session.info),
                session=name,
                inside=inside,
            )
        )


def _events(found: TranscriptFile, watch: ReportBytes, bad: ReportBadLine) -> Iterator[Event]:
    path, default_time = found.path, found.changed_at
    match found.form:
        case TranscriptForm.CLAUDE_CODE:
            return claude_code.parse(reading.json_lines(path, watch, bad), otherwise=default_time, bad=bad)
        case TranscriptForm.CODEX:
            return codex.parse(reading.json_lines(path, watch, bad), otherwise=default_time, bad=bad)
        case TranscriptForm.OPENCODE_EXPORT:
            return opencode_transcript.parse(reading.opencode_export(path, watch, bad), otherwise=default_time, bad=bad)
        case TranscriptForm.OPENCODE_FILES:
            return opencode_transcript.parse(reading.opencode_files(path, watch, bad), otherwise=default_time, bad=bad)
        case TranscriptForm.SPECSTORY:
            lines = reading.text_lines(path, watch, bad)
            return specstory.parse(lines, otherwise=default_time, bad=bad, name=path.stem, folder=folder_of(found))
        case TranscriptForm.OPENCODE_DATABASE:
            raise ValueError("A database is read session by session.")
        case _ as never:
            assert_never(never)


def _rows(file: Path, info: dict[str, object], watch: ReportBytes, bad: ReportBadLine) -> Iterator[Event]:
    def records() -> Iterator[TranscriptRecord]:
        yield TranscriptRecord(0, {"session": info})
        for number, (message, parts) in enumerate(opencode_messages(file, str(info["id"])), start=1):
            watch(MESSAGE_BYTES)
            yield TranscriptRecord(number, {"message": message, "parts": parts})

    return opencode_transcript.parse(records(), otherwise=datetime.now(UTC), bad=bad)


def without_folder(events: Iterable[Event]) -> Iterator[Event]:
    """For sessions whose folder no longer exists, so that it cannot name their project."""
    return (replace(event, folder=None) for event in events)


def confine_to_folder(events: Iterable[Event], folder: str) -> Iterator[Event]:
    """For sessions that came with a folder: they belong to its project, whatever they name."""
    return (replace(event, folder=folder, project=None, language=None, parent=None) for event in events)


def twin_of(event: Event) -> SessionId | None:
    """The id of the session that SpecStory retells, as its agent named it."""
    if not event.session.startswith(_TWIN):
        return None
    return SessionId(event.session.removeprefix(_TWIN))
