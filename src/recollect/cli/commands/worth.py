"""`recollect worth`: plays old sessions again and reports whether what Recollect would have said was worth its tokens.

In a store of its own, in memory: nothing of the user's is written, and it works where nothing is installed or learnt.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache, partial
from pathlib import Path, PureWindowsPath

import click

from recollect import config, wiring
from recollect.cli import complete_values, context
from recollect.cli.display import output, progress
from recollect.cli.exit_codes import EXIT_INTERRUPTED, EXIT_PARTLY
from recollect.cli.old_sessions.sources import SessionSource, sources, twin_of, without_folder
from recollect.cli.worth import page as worth_page
from recollect.cli.worth import report as worth_report
from recollect.cli.worth.report import WorthReport
from recollect.daemon.settings import LiveSettings
from recollect.domain.errors import InvalidValue
from recollect.domain.event import Event
from recollect.domain.memory import ProjectId
from recollect.domain.settings import ExtractorSettings, Settings
from recollect.domain.transcript import HOSTS
from recollect.engine.ports import SettingsFor
from recollect.engine.replay import Recorded, Replay
from recollect.privacy.exclude import IgnoredPaths
from recollect.transcripts.reading import Watch
from recollect.workspace import git

DAYS = 30
PRICE = 3.0  # US dollars per million input tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class _Session:
    """A transcript, and the event that it begins with."""

    source: SessionSource
    first: Event


@click.command("worth")
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--from", "host", type=click.Choice(HOSTS), help="Only sessions of this host.")
@click.option("--days", type=click.IntRange(min=1), help=f"Sessions of the last so many days.  [default: {DAYS}]")
@click.option("--all", "always", is_flag=True, help="Sessions of any age.")
@click.option(
    "--learn",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.0,
    metavar="SHARE",
    help="Only learn from this share of the sessions, the oldest, and report on the others: 0.6 for 60 %.",
)
@click.option("--most", type=click.IntRange(min=1), metavar="N", help="Report on at most so many sessions.")
@click.option(
    "--in-turn",
    is_flag=True,
    help="Play the transcripts one after another by name, each whole, also what a resumed one copies; to compare.",
)
@click.option(
    "--project",
    metavar="ID",
    shell_complete=complete_values.project_ids,
    help="Where sessions belong that do not tell their folder, or whose folder is gone.",
)
@click.option(
    "--price",
    type=click.FloatRange(min=0),
    default=PRICE,
    show_default=True,
    metavar="USD",
    help="What a million input tokens of your model costs.",
)
@click.option(
    "--html", "page", type=click.Path(path_type=Path, dir_okay=False), help="Also write the report as a page."
)
@output.json_option
@click.pass_context
def worth(
    ctx: click.Context,
    paths: tuple[Path, ...],
    host: str | None,
    days: int | None,
    always: bool,
    learn: float,
    most: int | None,
    in_turn: bool,
    project: str | None,
    price: float,
    page: Path | None,
    as_json: bool,
) -> None:
    """Play your old sessions again and report what Recollect would have said, what it costs and whether it helped: how
    often it speaks, whether its lines come up later more often than chance, what you explained twice, which errors
    came back. Without a PATH: the sessions of Claude Code, OpenCode, Codex and SpecStory on this machine. Nothing of
    yours is changed, no language model is asked, and nothing needs to be installed or learnt before. Ctrl-C shows
    the report of what was played so far."""
    if always and days is not None:
        raise click.UsageError("--days and --all exclude each other.")
    if page is not None and not page.absolute().parent.is_dir():
        raise InvalidValue(f"There is no folder {page.absolute().parent} for the page.")
    since = None if always else context.now() - timedelta(days=days or DAYS)
    report = WorthReport(price=price)
    told = _wanted(paths, host, since, report)
    if in_turn:
        told.sort(key=lambda one: one.source.shown)
    learnt = int(len(told) * learn)
    told = told[: learnt + most] if most else told
    report.found, report.learnt = len(told), learnt
    settings_for = _settings_for()
    places = config.places()
    with wiring.open_trial(settings_for, context.model(), places.pause) as (engine, expect):
        replay = Replay(engine, settings_for, expect, in_turn=in_turn)
        try:
            with progress.reading(sum(one.source.size for one in told), "Replaying") as watch:
                recorded = [
                    _recorded(one, project, report, watch, counts=number >= learnt) for number, one in enumerate(told)
                ]
                for _ in replay.play(recorded):
                    report.played += 1
        except KeyboardInterrupt:
            report.is_interrupted = True
        report.worth = replay.record.measured()
    report.own_ids = worth_report.own_ids(report.worth, wiring.memory_texts(places.database))
    if as_json:
        output.say_json(worth_report.as_json(report))
    else:
        worth_report.say(report)
    if page is not None:
        page.write_text(worth_page.page(report), encoding="utf-8")
        output.remark(f"The page is {page}.")
    if report.is_interrupted:
        ctx.exit(EXIT_INTERRUPTED)
    if report.refused or report.unreadable:
        ctx.exit(EXIT_PARTLY)


def _settings_for() -> SettingsFor:
    """The user's, of every folder; but no language model is asked."""
    live = LiveSettings(config.places().settings, os.environ)

    @lru_cache(maxsize=1000)  # asked for every event
    def settings_for(folder: str | None) -> Settings:
        return replace(live(folder), extractor=ExtractorSettings())

    return settings_for


def _wanted(paths: tuple[Path, ...], host: str | None, since: datetime | None, report: WorthReport) -> list[_Session]:
    """Those that began since then, the oldest first; what SpecStory retells of another one is left out."""
    here = context.folder()
    ignored = IgnoredPaths(context.settings().privacy.ignored_paths, root=str(here), home=str(Path.home()))
    found = sources(paths, git.root_of(here.resolve()), ignored)
    report.unreadable += found.unreadable
    sessions = [
        _Session(source=source, first=first)
        for source in found.found
        if host in (None, source.form.host) and (first := _first(source, report)) is not None
    ]
    if not sessions:
        raise InvalidValue(_nothing(paths, host))
    names = {one.first.session for one in sessions}
    recent = [one for one in sessions if (since is None or one.first.at >= since) and twin_of(one.first) not in names]
    if not recent:
        newest = max(one.first.at for one in sessions)
        raise InvalidValue(
            f"None of the {output.many(len(sessions), 'session')} began on {output.day(since or newest)} or later; the "
            f"newest is of {output.day(newest)}. --days N goes further back, --all takes all of them."
        )
    return sorted(recent, key=lambda one: (one.first.at, one.source.shown))


def _nothing(paths: tuple[Path, ...], host: str | None) -> str:
    of = f" of {host}" if host else ""
    if paths:
        return f"Nothing there is a session{of or ' of Claude Code, OpenCode, Codex or SpecStory'}."
    return f"No sessions{of} are found on this machine; name the files or folders where they are."


def _first(source: SessionSource, report: WorthReport) -> Event | None:
    """None: nobody says anything in it."""
    try:
        return next(source.read(lambda _: None, lambda _line, _why: None), None)
    except (OSError, InvalidValue) as error:
        report.unreadable.append((source.shown, getattr(error, "strerror", None) or str(error)))
        return None


def _recorded(one: _Session, project: str | None, report: WorthReport, watch: Watch, *, counts: bool) -> Recorded:
    return Recorded(
        name=one.source.shown,
        began=one.first.at,
        events=partial(_events, one, project, report, watch),
        counts=counts,
    )


def _events(one: _Session, project: str | None, report: WorthReport, watch: Watch) -> Iterator[Event]:
    """A session whose folder is gone, or comes from another machine, belongs to the project of that name."""

    def bad(line: int, why: str) -> None:
        report.refused.append((one.source.shown, line, why))

    folder = one.first.folder
    try:
        told = one.source.read(watch, bad)
        if folder is not None and Path(folder).is_dir():
            yield from told
        else:
            place = ProjectId(project or f"name:{PureWindowsPath(folder or one.source.shown).name or 'unknown'}")
            yield from (replace(event, project=place) for event in without_folder(told))
    except (OSError, InvalidValue) as error:
        report.unreadable.append((one.source.shown, getattr(error, "strerror", None) or str(error)))
