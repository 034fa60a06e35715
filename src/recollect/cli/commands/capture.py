"""`recollect capture`: learn from old sessions of Claude Code, OpenCode, Codex and SpecStory.

It can be stopped at any time: the next run continues there, and a finished one changes nothing.
"""

import os
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import click

from recollect import wiring
from recollect.cli import context
from recollect.cli.display import output, progress
from recollect.cli.exit_codes import EXIT_PARTLY
from recollect.cli.old_sessions import report as capture_report
from recollect.cli.old_sessions.report import CaptureReport
from recollect.cli.old_sessions.sources import (
    SessionSource,
    Sources,
    collect_sources,
    confine_to_folder,
    twin_of,
    without_folder,
)
from recollect.daemon.settings import LiveSettings
from recollect.domain.errors import InvalidValue
from recollect.domain.event import Event
from recollect.domain.memory import ProjectId
from recollect.domain.settings import Settings
from recollect.domain.transcript import HOSTS
from recollect.engine.engine import Engine
from recollect.engine.learning.backfill import has_read, read_transcript
from recollect.engine.memories.folder_project import project_here
from recollect.engine.ports import SettingsFor
from recollect.paths import find_paths
from recollect.privacy.exclude import IgnoredPaths
from recollect.transcripts.reading import ReportBytes
from recollect.workspace import git

host_option = click.option("--from", "host", type=click.Choice(HOSTS), help="Only sessions of this host.")
homeless_project_option = context.project_id_option(
    "Use this project for sessions whose folder is unknown or no longer exists."
)


@click.command("capture")
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(path_type=Path))
@host_option
@homeless_project_option
@click.option("--all", "everywhere", is_flag=True, help="Read the sessions of all projects on this machine.")
@click.option(
    "--since",
    metavar="DATE",
    type=click.DateTime(["%Y-%m-%d"]),
    help="Only files changed on DATE (such as 2026-05-31) or later.",
)
@click.option("--mine", is_flag=True, help="All session files are your own: trust all of them.")
@click.option("--dry-run", is_flag=True, help="Show what would be stored, and store nothing.")
@context.yes_option
@output.json_option
@click.pass_context
def capture(
    ctx: click.Context,
    paths: tuple[Path, ...],
    host: str | None,
    project: str | None,
    everywhere: bool,
    since: datetime | None,
    mine: bool,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Learn from old sessions of your agents.

    Recollect reads the sessions of Claude Code, OpenCode, Codex and SpecStory. PATH is a file or folder with sessions.
    Without PATH, Recollect looks for sessions of this folder's project on this machine. Files that were read before are
    skipped. After Ctrl-C, run the same command again to continue.

    Recollect does not trust session files that another person may have written: files inside a project, and files that
    it finds in a folder PATH. From such files it learns only candidates (memories that are not confirmed), and only for
    the project that contains the file. If all files are your own, pass --mine."""
    report, archive_days = CaptureReport(), context.settings(None).archive.days
    places = find_paths()
    with wiring.open_engine(settings_by_folder(), places.database, context.model(), pauses=places.pause) as engine:
        given = context.project_of(engine, project, may_be_new=True) if project else None
        found = find_sources(paths)
        report.unreadable, report.ignored = found.unreadable, found.ignored
        wanted = [source for source in found.found if _is_wanted(source, host, since)]
        if not paths and not everywhere:
            wanted = _keep_project(engine, wanted, given or context.project_of(engine, None))
        if not wanted:
            raise InvalidValue(_nothing_found(paths, everywhere))
        unread = [source for source in wanted if not has_read(engine.store, source.mark)]
        report.read_before = len(wanted) - len(unread)
        if unread and not as_json:
            foreign = [source for source in unread if source.inside is not None and not mine]
            capture_report.say_found(wanted, report.read_before, archive_days=archive_days, now=context.now())
            capture_report.say_foreign(foreign)
            if not (yes or dry_run):
                if not output.confirm("Learn from them?", "Not a terminal: pass --yes to confirm."):
                    return
                if foreign:
                    mine = click.confirm(f"Are the files above, {len(foreign):,} in all, your own sessions?")
        try:
            with (
                progress.reading(sum(source.size for source in unread)) as watch,
                engine.dry_run_copy() if dry_run else nullcontext(engine) as into,
            ):
                for source in unread:
                    _read(into, source, given, report, watch, is_own=mine or source.inside is None)
        except KeyboardInterrupt:
            output.warn("\nEverything read so far is stored; run the same command again to continue.")
            raise
        capture_report.say(report, dry_run=dry_run, as_json=as_json, archive_days=archive_days, now=context.now())
    if report.refused or report.unreadable:
        ctx.exit(EXIT_PARTLY)


def settings_by_folder(**changes: Any) -> SettingsFor:
    live = LiveSettings(find_paths().settings, os.environ)

    @lru_cache(maxsize=1000)  # asked for every event; a change during the command may be missed
    def settings_for(folder: str | None) -> Settings:
        return replace(live(folder), **changes)

    return settings_for


def find_sources(paths: tuple[Path, ...]) -> Sources:
    here = context.folder()
    ignored = IgnoredPaths(context.settings().privacy.ignored_paths, root=str(here), home=str(Path.home()))
    return collect_sources(paths, git.root_of(here.resolve()), ignored)


def first_event(source: SessionSource) -> Event | None:
    """Return the event a session begins with. None: it is empty."""
    return next(source.read(lambda _: None, lambda _line, _why: None), None)


def reason(error: OSError | InvalidValue) -> str:
    return getattr(error, "strerror", None) or str(error)


def _is_wanted(source: SessionSource, host: str | None, since: datetime | None) -> bool:
    if host is not None and source.form.host != host:
        return False
    return since is None or source.changed_at >= since.replace(tzinfo=UTC)


def _keep_project(engine: Engine, found: list[SessionSource], project: ProjectId) -> list[SessionSource]:
    @lru_cache(maxsize=1000)
    def is_of_project(folder: str) -> bool:
        with suppress(InvalidValue):  # not a possible folder name
            return project_here(context.request(engine, folder)) == project
        return False

    return [source for source in found if source.folder is not None and is_of_project(source.folder)]


def _nothing_found(paths: tuple[Path, ...], everywhere: bool) -> str:
    if paths:
        return (
            "No sessions of Claude Code, OpenCode, Codex or SpecStory were found there. "
            "`recollect import` reads notes and memories."
        )
    if everywhere:
        return "No old sessions were found on this machine. Name the files or folders that contain them."
    return (
        "No old sessions of this project were found on this machine. "
        "Name the files or folders that contain them, or use --all for all projects."
    )


def _read(
    engine: Engine,
    source: SessionSource,
    project: ProjectId | None,
    report: CaptureReport,
    watch: ReportBytes,
    *,
    is_own: bool,
) -> None:
    refused: list[tuple[str, int, str]] = []

    def refuse(line: int, why: str) -> None:
        refused.append((source.label, line, why))

    def events() -> Iterator[Event]:
        refused.clear()  # the source may be read twice
        found = source.read(watch, refuse)
        if source.inside is not None and not is_own:
            return confine_to_folder(found, source.inside)
        is_gone = source.folder is not None and not Path(source.folder).is_dir()
        return without_folder(found) if is_gone and project is not None else found

    try:
        if _is_retold(engine, source):
            report.retold += 1
            return
        now = context.now()
        report.count(read_transcript(engine, source.mark, events, now=now, project=project, is_own=is_own))
    except (OSError, InvalidValue) as error:
        report.unreadable.append((source.label, reason(error)))
    report.refused += refused


def _is_retold(engine: Engine, source: SessionSource) -> bool:
    """Check whether a SpecStory file repeats a session that is already known from the agent itself."""
    if source.form.host != "specstory":
        return False
    first = first_event(source)
    twin = None if first is None else twin_of(first)
    return twin is not None and engine.store.session(twin) is not None
