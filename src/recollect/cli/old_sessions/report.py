"""Counts what reading old sessions did, or would do, and reports it to a person or a script."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from recollect.cli.display import output
from recollect.cli.old_sessions.sources import SessionSource
from recollect.domain.memory import SessionId
from recollect.engine.learning.backfill import BackfillResult, LearntCounts
from recollect.privacy.secrets import redact

SHOWN_AT_MOST = 20

RefusedLine = tuple[str, int, str]  # file, line, why


@dataclass(slots=True)
class CaptureReport:
    files: int = 0
    read_before: int = 0
    retold: int = 0  # files of SpecStory about sessions that are known from their agent
    turns: int = 0
    known: int = 0
    unwanted: int = 0
    outdated: int = 0  # turns older than the archive keeps
    outdated_sessions: set[SessionId] = field(default_factory=set)
    oldest_at: datetime | None = None  # of the outdated turns
    sessions: set[SessionId] = field(default_factory=set)
    learnt: LearntCounts = field(default_factory=LearntCounts)
    refused: list[RefusedLine] = field(default_factory=list)
    unreadable: list[tuple[str, str]] = field(default_factory=list)  # file, why
    ignored: list[str] = field(default_factory=list)

    def count(self, done: BackfillResult) -> None:
        self.files += not done.was_finished
        self.read_before += done.was_finished
        self.turns += done.turns
        self.known += done.known
        self.unwanted += done.unwanted
        self.outdated += done.outdated
        self.outdated_sessions |= done.outdated_sessions
        if done.oldest_at is not None:
            self.oldest_at = min(done.oldest_at, self.oldest_at or done.oldest_at)
        self.sessions |= done.sessions
        self.learnt.add(done.learnt)


def say_found(found: list[SessionSource], read_before: int, *, archive_days: int, now: datetime) -> None:
    for form in dict.fromkeys(source.form for source in found):
        of_form = [source for source in found if source.form is form]
        days = sorted(output.day(source.changed_at) for source in of_form)
        megabytes = sum(source.size for source in of_form) / 1e6
        what = "session" if form.value == "opencode-database" else "file"
        output.say(f"{form}: {output.many(len(of_form), what)}, {megabytes:.1f} MB, from {days[0]} to {days[-1]}")
    if read_before:
        output.say(f"{read_before:,} of them were read before and have not changed.")
    old = [source for source in found if source.changed_at <= now - timedelta(days=archive_days)]
    if old and archive_days:
        files = output.many(len(old), "of them is", "of them are")
        oldest_days = (now - min(source.changed_at for source in old)).days + 1
        output.remark(_archive_hint(files, archive_days, oldest_days))


def _archive_hint(what: str, archive_days: int, enough_days: int) -> str:
    return (
        f"{what} older than {output.many(archive_days, 'day')} ([archive] days): Recollect learns from them but does "
        f"not archive them. To archive them, set `days = {enough_days}` first."
    )


def say_foreign(found: list[SessionSource]) -> None:
    if not found:
        return
    output.say(f"Others may have written {'this file' if len(found) == 1 else 'these files'}:")
    for source in found[:SHOWN_AT_MOST]:
        output.say(f"  {source.label}")
    if len(found) > SHOWN_AT_MOST:
        output.say(f"  ... and {len(found) - SHOWN_AT_MOST:,} more")
    output.remark(
        "They teach only the project of their folder, and only candidates; use --mine if they are your own sessions."
    )


def say(report: CaptureReport, *, dry_run: bool, as_json: bool, archive_days: int, now: datetime) -> None:
    if as_json:
        output.say_json(_as_json(report, dry_run))
        return
    say_unread(report.refused, report.unreadable)
    for file in report.ignored[:SHOWN_AT_MOST]:
        output.remark(f"Left out: {file} is ignored ([privacy] ignored_paths).")
    sentence = _sentence(report)
    output.say(f"Nothing was stored; it would be: {sentence}" if dry_run else sentence)
    if report.oldest_at is not None and archive_days:
        turns, sessions = output.many(report.outdated, "turn"), output.many(len(report.outdated_sessions), "session")
        verb = "is" if report.outdated == 1 else "are"
        oldest_days = (now - report.oldest_at).days + 1
        output.remark(_archive_hint(f"{turns} of {sessions} {verb}", archive_days, oldest_days))
    for what, kinds in (("New", report.learnt.confirmed), ("Candidates", report.learnt.candidates)):
        if kinds:
            output.say(f"{what}: " + ", ".join(f"{kind} {count:,}" for kind, count in sorted(kinds.items())))
    if report.learnt.candidates and not dry_run:
        output.remark("`recollect review` shows the candidates with the words they were learnt from.")


def say_unread(refused: list[RefusedLine], unreadable: list[tuple[str, str]], limit: int = SHOWN_AT_MOST) -> None:
    lines = [f"{file}, line {line}: {redact(why).text}" for file, line, why in refused]
    output.say_first(limit, lines, output.warn)
    files = [f"{file} cannot be read: {redact(why).text}" for file, why in unreadable]
    output.say_first(limit, files, output.warn)


def unread_json(refused: list[RefusedLine], unreadable: list[tuple[str, str]]) -> dict[str, Any]:
    return {
        "refused": [{"file": file, "line": line, "why": redact(why).text} for file, line, why in refused],
        "unreadable": [{"file": file, "why": redact(why).text} for file, why in unreadable],
    }


def _sentence(report: CaptureReport) -> str:
    if not report.files and not report.refused:
        return f"Nothing new: {output.many(report.read_before + report.retold, 'file was', 'files were')} read before."
    has_learnt = bool(report.learnt.confirmed or report.learnt.candidates)
    is_known = bool(report.known) and not report.turns and not has_learnt
    if is_known and not report.refused and not report.unwanted:
        sessions = output.many(len(report.sessions), "session is", "sessions are")
        turns = output.many(report.known, "turn")
        return f"Nothing new: {sessions} known already ({turns}), learnt as you worked or read before."
    parts = [f"{output.many(report.turns, 'turn')} of {output.many(len(report.sessions), 'session')} archived"]
    parts.append(f"{report.known:,} known already")
    if report.unwanted:
        parts.append(f"{report.unwanted:,} not kept")
    parts.append(output.many(report.learnt.confirmed.total(), "new memory", "new memories"))
    parts.append(output.many(report.learnt.candidates.total(), "candidate"))
    parts.append(f"{report.learnt.same:,} said again")
    if report.refused:
        parts.append(f"{output.many(len(report.refused), 'line')} could not be read")
    files = [f"from {output.many(report.files, 'file')}"]
    if report.read_before:
        files.append(f"{report.read_before:,} read before")
    if report.retold:
        files.append(f"{report.retold:,} about sessions that are known")
    return f"{', '.join(parts)} ({', '.join(files)})."


def _as_json(report: CaptureReport, dry_run: bool) -> dict[str, Any]:
    return {
        "stored": not dry_run,
        "files": report.files,
        "read_before": report.read_before,
        "retold": report.retold,
        "sessions": len(report.sessions),
        "turns": report.turns,
        "known": report.known,
        "unwanted": report.unwanted,
        "outdated": report.outdated,
        "outdated_sessions": len(report.outdated_sessions),
        "new": dict(sorted(report.learnt.confirmed.items())),
        "candidates": dict(sorted(report.learnt.candidates.items())),
        "same": report.learnt.same,
        "contradicting": report.learnt.contradicting,
        **unread_json(report.refused, report.unreadable),
        "ignored": report.ignored,
    }
