"""`recollect worth`: replay old sessions and measure whether Recollect would have been worth its tokens.

It uses a store of its own, in memory: it writes nothing of the user's, and works before anything is installed.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path, PureWindowsPath

import click

from recollect import wiring
from recollect.cli import context
from recollect.cli.commands import capture
from recollect.cli.display import output, progress
from recollect.cli.exit_codes import EXIT_INTERRUPTED, EXIT_PARTLY
from recollect.cli.old_sessions.sources import SessionSource, twin_of, without_folder
from recollect.cli.worth import page as worth_page
from recollect.cli.worth import report as worth_report
from recollect.cli.worth.report import WorthReport
from recollect.domain.errors import InvalidValue
from recollect.domain.event import Event
from recollect.domain.memory import ProjectId
from recollect.domain.settings import ExtractorSettings
from recollect.engine.learning.replay_sessions import RecordedTranscript, Replay
from recollect.paths import find_paths
from recollect.transcripts.reading import ReportBytes

DAYS = 30
PRICE = 3.0  # US dollars per million input tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class _Session:
    source: SessionSource
    first: Event


@click.command("worth")
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(path_type=Path))
@capture.host_option
@click.option(
    "--days", type=click.IntRange(min=1), metavar="N", help=f"Replay the sessions of the last N days (default: {DAYS})."
)
@click.option("--all", "always", is_flag=True, help="Replay sessions of any age.")
@click.option(
    "--learn",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.0,
    metavar="SHARE",
    help="Split the sessions: learn from the oldest SHARE, report only on the newer sessions. 0.6 means 60 %.",
)
@click.option("--most", type=click.IntRange(min=1), metavar="N", help="Report on at most N sessions, the oldest first.")
@click.option(
    "--in-turn",
    is_flag=True,
    help="For comparison with other tools: replay the files one after the other by file name, including messages that "
    "one session copied from another session.",
)
@capture.homeless_project_option
@click.option(
    "--price",
    type=click.FloatRange(min=0),
    default=PRICE,
    show_default=True,
    metavar="USD",
    help="Price of a million input tokens in US dollars.",
)
@click.option(
    "--html", "page", type=click.Path(path_type=Path, dir_okay=False), help="Also write the report to FILE as HTML."
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
    """Replay your old sessions to see whether Recollect would help.

    \b
    The report answers these questions:
    - How often would Recollect have shown memories, and at what cost?
    - Are the words of the shown memories used later in the session, more
      often than by chance?
    - What did you explain twice?
    - Which errors happened again?

    PATH is a file or folder with sessions. Without PATH, Recollect replays the sessions of Claude Code, OpenCode, Codex
    and SpecStory on this machine.

    The replay does not change your memories and calls no language model. You need not install a host first. Ctrl-C
    stops the replay and shows the report so far."""
    if always and days is not None:
        raise click.UsageError("Use either --days or --all.")
    if page is not None and not page.absolute().parent.is_dir():
        raise InvalidValue(f"The folder {page.absolute().parent} for the page does not exist.")
    since = None if always else context.now() - timedelta(days=days or DAYS)
    report = WorthReport(price=price)
    sessions = _find_sessions(paths, host, since, report)
    if in_turn:
        sessions.sort(key=lambda one: one.source.label)
    report.learnt = int(len(sessions) * learn)
    if most:
        sessions = sessions[: report.learnt + most]
    report.found = len(sessions)
    _replay(sessions, project, report, in_turn=in_turn)
    if as_json:
        output.say_json(worth_report.as_json(report))
    else:
        worth_report.say(report)
    if page is not None:
        page.write_text(worth_page.page(report), encoding="utf-8")
        output.remark(f"The report is also in {page}.")
    if report.is_interrupted:
        ctx.exit(EXIT_INTERRUPTED)
    if report.refused or report.unreadable:
        ctx.exit(EXIT_PARTLY)


def _replay(sessions: list[_Session], project: str | None, report: WorthReport, *, in_turn: bool) -> None:
    settings_for = capture.settings_by_folder(extractor=ExtractorSettings())  # no language model is asked
    places = find_paths()
    with wiring.open_trial(settings_for, context.model(), places.pause) as (engine, expect):
        replay = Replay(engine, expect, in_turn=in_turn)
        try:
            with progress.reading(sum(one.source.size for one in sessions), "Replaying") as watch:
                recorded = []
                for number, one in enumerate(sessions):
                    events = partial(_events, one, project, report, watch)
                    counts = number >= report.learnt
                    recorded.append(
                        RecordedTranscript(name=one.source.label, began=one.first.at, events=events, counts=counts)
                    )
                for _ in replay.play(recorded):
                    report.played += 1
        except KeyboardInterrupt:
            report.is_interrupted = True
        report.worth = replay.record.measure()
    report.own_ids = worth_report.own_ids(report.worth, wiring.memory_texts(places.database))


def _find_sessions(
    paths: tuple[Path, ...], host: str | None, since: datetime | None, report: WorthReport
) -> list[_Session]:
    """Return the sessions that began since then, oldest first, without SpecStory's copies of other sessions."""
    found = capture.find_sources(paths)
    report.unreadable += found.unreadable
    sessions = []
    for source in found.found:
        first = _read_first(source, report) if host in (None, source.form.host) else None
        if first is not None:
            sessions.append(_Session(source=source, first=first))
    if not sessions:
        raise InvalidValue(_nothing_found(paths, host))
    names = {one.first.session for one in sessions}
    recent = [one for one in sessions if (since is None or one.first.at >= since) and twin_of(one.first) not in names]
    if not recent:
        newest = max(one.first.at for one in sessions)
        raise InvalidValue(
            f"None of the {output.many(len(sessions), 'session')} began on {output.day(since or newest)} or later; the "
            f"newest is from {output.day(newest)}. Use --days N to go further back, or --all for all of them."
        )
    return sorted(recent, key=lambda one: (one.first.at, one.source.label))


def _nothing_found(paths: tuple[Path, ...], host: str | None) -> str:
    if paths:
        return f"No sessions of {host or 'Claude Code, OpenCode, Codex or SpecStory'} were found there."
    of = f" of {host}" if host else ""
    return f"No sessions{of} were found on this machine. Name the files or folders that contain them."


def _read_first(source: SessionSource, report: WorthReport) -> Event | None:
    try:
        return capture.first_event(source)
    except (OSError, InvalidValue) as error:
        report.unreadable.append((source.label, capture.reason(error)))
        return None


def _events(one: _Session, project: str | None, report: WorthReport, watch: ReportBytes) -> Iterator[Event]:
    """Read a session; if its folder is gone, or on another machine, it belongs to the project of that folder name."""

    def refuse(line: int, why: str) -> None:
        report.refused.append((one.source.label, line, why))

    folder = one.first.folder
    try:
        events = one.source.read(watch, refuse)
        if folder is not None and Path(folder).is_dir():
            yield from events
        else:
            place = ProjectId(project or f"name:{PureWindowsPath(folder or one.source.label).name or 'unknown'}")
            yield from (replace(event, project=place) for event in without_folder(events))
    except (OSError, InvalidValue) as error:
        report.unreadable.append((one.source.label, capture.reason(error)))
