"""`recollect capture`: learns from old sessions of Claude Code, OpenCode, Codex and SpecStory.

It can be ended at any time: the next run goes on where this one was, and a finished one changes nothing.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

import click

from recollect import config, wiring
from recollect.cli import complete_values, context
from recollect.cli.display import output, progress
from recollect.cli.exit_codes import EXIT_PARTLY
from recollect.cli.old_sessions import report as capture_report
from recollect.cli.old_sessions.report import CaptureReport
from recollect.cli.old_sessions.sources import SessionSource, Sources, sources, twin_of, within, without_folder
from recollect.daemon.settings import LiveSettings
from recollect.domain.errors import InvalidValue
from recollect.domain.event import Event
from recollect.domain.memory import ProjectId
from recollect.domain.settings import Settings
from recollect.domain.transcript import HOSTS
from recollect.engine.engine import Engine
from recollect.privacy.exclude import IgnoredPaths
from recollect.transcripts.reading import Watch
from recollect.workspace import git


@click.command("capture")
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--from", "host", type=click.Choice(HOSTS), help="Only sessions of this host.")
@click.option(
    "--project",
    metavar="ID",
    shell_complete=complete_values.project_ids,
    help="Where sessions belong that do not tell their folder, or whose folder is gone.",
)
@click.option("--all", "everywhere", is_flag=True, help="The sessions of all projects that are found on this machine.")
@click.option(
    "--since", metavar="DATE", type=click.DateTime(["%Y-%m-%d"]), help="Only files that changed on this day or later."
)
@click.option(
    "--mine",
    is_flag=True,
    help="Sessions in a project's folder are your own: what they say is your word, as in any other session.",
)
@click.option("--dry-run", is_flag=True, help="Show what would be kept; keep nothing.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask first.")
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
    """Learn from old sessions: transcripts of Claude Code and Codex, the database, files or exports of OpenCode, the
    history of SpecStory. Without a PATH: the sessions of this folder's project that are found on this machine. What
    was read before is passed over; ended with Ctrl-C, the same command goes on from there. Others may have
    written what lies in a project, or what is met in a folder: it teaches the project of that folder alone, and only
    candidates, unless you say --mine."""
    report, archive_days = CaptureReport(), context.settings(None).archive.days
    with _engine() as engine:
        given = context.project_of(engine, project, may_be_new=True) if project else None
        found = _found(paths)
        report.unreadable, report.ignored = found.unreadable, found.ignored
        wanted = [one for one in found.found if _is_wanted(one, host, since)]
        if not paths and not everywhere:
            wanted = _of_project(engine, wanted, given or context.project_of(engine, None))
        if not wanted:
            raise InvalidValue(_nothing(paths, everywhere))
        left = [one for one in wanted if not engine.has_read(one.mark)]
        report.read_before = len(wanted) - len(left)
        foreign = [] if mine else [one for one in left if one.inside is not None]
        if not as_json and left:
            capture_report.say_found(wanted, report.read_before, archive_days=archive_days, now=context.now())
            capture_report.say_foreign(foreign)
        if left and not (yes or dry_run or as_json):
            if not _agreed():
                return
            mine = mine or (bool(foreign) and _are_own(foreign))
        try:
            with (
                progress.reading(sum(source.size for source in left)) as watch,
                engine.rehearsal() if dry_run else nullcontext(engine) as into,
            ):
                for source in left:
                    is_own = mine or source.inside is None
                    _read(into, source, given, report, watch, is_own=is_own)
        except KeyboardInterrupt:
            output.warn("\nWhat was read so far is kept; the same command goes on from there.")
            raise
        capture_report.say(report, dry_run=dry_run, as_json=as_json, archive_days=archive_days, now=context.now())
    if report.refused or report.unreadable:
        ctx.exit(EXIT_PARTLY)


@contextmanager
def _engine() -> Iterator[Engine]:
    """With the settings of every folder that a session worked in."""
    places = config.places()
    live = LiveSettings(places.settings, os.environ)

    @lru_cache(maxsize=1000)  # asked for every event; nobody waits for a change while a command runs
    def settings_for(folder: str | None) -> Settings:
        return live(folder)

    with wiring.open_engine(settings_for, places.database, context.model(), pauses=places.pause) as engine:
        yield engine


def _found(paths: tuple[Path, ...]) -> Sources:
    here = context.folder()
    privacy = context.settings().privacy
    ignored = IgnoredPaths(privacy.ignored_paths, root=str(here), home=str(Path.home()))
    return sources(paths, git.root_of(here.resolve()), ignored)


def _is_wanted(source: SessionSource, host: str | None, since: datetime | None) -> bool:
    if host is not None and source.form.host != host:
        return False
    return since is None or source.changed_at >= since.replace(tzinfo=UTC)


def _of_project(engine: Engine, found: list[SessionSource], project: ProjectId) -> list[SessionSource]:
    @lru_cache(maxsize=1000)
    def is_of_project(folder: str) -> bool:
        try:
            return engine.project_of(folder) == project
        except InvalidValue:  # no folder can have this name
            return False

    return [source for source in found if source.folder is not None and is_of_project(source.folder)]


def _nothing(paths: tuple[Path, ...], everywhere: bool) -> str:
    if paths:
        return (
            "Nothing there is a session of Claude Code, OpenCode, Codex or SpecStory. "
            "`recollect import` reads notes and memories."
        )
    if everywhere:
        return "No old sessions are found on this machine; name the files or folders where they lie."
    return "No old sessions of this project are found on this machine; name them, or take those of all with --all."


def _agreed() -> bool:
    if not sys.stdin.isatty():
        raise InvalidValue("Nobody can be asked here whether to learn from them; `--yes` does so without asking.")
    return output.confirmed("Learn from them?", "Nothing was read.")


def _are_own(found: list[SessionSource]) -> bool:
    """Without a yes, they are read as what their folder says."""
    return click.confirm(f"Are the {output.many(len(found), 'file')} that others may have written your own sessions?")


def _read(
    engine: Engine,
    source: SessionSource,
    project: ProjectId | None,
    report: CaptureReport,
    watch: Watch,
    *,
    is_own: bool,
) -> None:
    refused: list[tuple[str, int, str]] = []

    def bad(line: int, why: str) -> None:
        refused.append((source.shown, line, why))

    def events() -> Iterator[Event]:
        refused.clear()  # it may be read twice
        told = source.read(watch, bad)
        if source.inside is not None and not is_own:
            return within(told, source.inside)
        is_gone = project is not None and source.folder is not None and not Path(source.folder).is_dir()
        return without_folder(told) if is_gone else told

    try:
        if _is_retold(engine, source):
            report.retold += 1
            return
        report.count(engine.backfill(source.mark, events, now=context.now(), project=project, is_own=is_own))
    except (OSError, InvalidValue) as error:
        report.unreadable.append((source.shown, getattr(error, "strerror", None) or str(error)))
    report.refused += refused


def _is_retold(engine: Engine, source: SessionSource) -> bool:
    """SpecStory tells of a session that is known from the agent itself."""
    if source.form.host != "specstory":
        return False
    first = next(iter(source.read(lambda _: None, lambda _line, _why: None)), None)
    twin = None if first is None else twin_of(first)
    return twin is not None and engine.knows_session(twin)
