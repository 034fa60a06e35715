"""What reading old sessions did, or would do: counted, and said to a person or a script."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from recollect.cli.display import output
from recollect.cli.old_sessions.sources import SessionSource
from recollect.domain.memory import SessionId
from recollect.engine.backfill import Backfilled, LearntCounts
from recollect.privacy.secrets import redact

SHOWN_AT_MOST = 20


@dataclass(slots=True)
class CaptureReport:
    files: int = 0
    read_before: int = 0
    retold: int = 0  # files of SpecStory about sessions that are known from their agent
    turns: int = 0
    known: int = 0
    unwanted: int = 0
    outdated: int = 0  # turns that are older than the archive keeps
    outdated_sessions: set[SessionId] = field(default_factory=set)
    oldest_at: datetime | None = None  # the oldest of them
    sessions: set[SessionId] = field(default_factory=set)
    learnt: LearntCounts = field(default_factory=LearntCounts)
    refused: list[tuple[str, int, str]] = field(default_factory=list)  # file, line, why
    unreadable: list[tuple[str, str]] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)

    def count(self, done: Backfilled) -> None:
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
    """What there is, before anything is read."""
    for form in dict.fromkeys(source.form for source in found):
        of_form = [source for source in found if source.form is form]
        first, last = (output.day(day(one.changed_at for one in of_form)) for day in (min, max))
        megabytes = sum(source.size for source in of_form) / 1e6
        what = "session" if form.value == "opencode-database" else "file"
        output.say(f"{form}: {output.many(len(of_form), what)}, {megabytes:.1f} MB, from {first} to {last}")
    if read_before:
        output.say(f"{read_before:,} of them were read before and have not changed.")
    old = [source for source in found if source.changed_at <= now - timedelta(days=archive_days)]
    if old and archive_days:
        files = output.many(len(old), "of them is", "of them are")
        days = (now - min(source.changed_at for source in old)).days + 1
        output.remark(_outdated(files, archive_days, days))


def _outdated(what: str, archive_days: int, enough_days: int) -> str:
    return (
        f"{what} older than {output.many(archive_days, 'day')} ([archive] days): what was said there is not kept, "
        f"only what it teaches. To keep it, set `days = {enough_days}` before you read it."
    )


def say_foreign(found: list[SessionSource]) -> None:
    """By name: somebody else may have written them."""
    if not found:
        return
    output.say(f"Others may have written {'this file' if len(found) == 1 else 'these files'}:")
    for source in found[:SHOWN_AT_MOST]:
        output.say(f"  {source.shown}")
    if len(found) > SHOWN_AT_MOST:
        output.say(f"  ... and {len(found) - SHOWN_AT_MOST:,} more")
    output.remark(
        "They teach the project of their folder alone, and only candidates; --mine says that they are your own."
    )


def say(report: CaptureReport, *, dry_run: bool, as_json: bool, archive_days: int, now: datetime) -> None:
    if as_json:
        output.say_json(_as_json(report, dry_run))
        return
    for file, line, why in report.refused[:SHOWN_AT_MOST]:
        output.warn(f"{file}, line {line}: {redact(why).text}")
    if len(report.refused) > SHOWN_AT_MOST:
        output.warn(f"... and {len(report.refused) - SHOWN_AT_MOST:,} more; --json names all.")
    for file, why in report.unreadable[:SHOWN_AT_MOST]:
        output.warn(f"{file} cannot be read: {redact(why).text}")
    for file in report.ignored[:SHOWN_AT_MOST]:
        output.remark(f"Left out: {file} is ignored ([privacy] ignored_paths).")
    output.say(("Nothing was kept; it would be: " if dry_run else "") + _sentence(report))
    if report.oldest_at is not None and archive_days:
        turns, sessions = output.many(report.outdated, "turn"), output.many(len(report.outdated_sessions), "session")
        verb = "is" if report.outdated == 1 else "are"
        enough_days = (now - report.oldest_at).days + 1
        output.remark(_outdated(f"{turns} of {sessions} {verb}", archive_days, enough_days))
    for what, kinds in (("New", report.learnt.confirmed), ("Candidates", report.learnt.candidates)):
        if kinds:
            output.say(f"{what}: " + ", ".join(f"{kind} {count:,}" for kind, count in sorted(kinds.items())))
    if report.learnt.candidates and not dry_run:
        output.remark("`recollect review` shows candidates with what they were read from.")


def _sentence(report: CaptureReport) -> str:
    if not report.files and not report.refused:
        return f"Nothing new: {output.many(report.read_before + report.retold, 'file was', 'files were')} read before."
    is_known = bool(report.known) and not report.turns and not report.learnt.confirmed and not report.learnt.candidates
    if is_known and not report.refused and not report.unwanted:
        sessions = output.many(len(report.sessions), "session is", "sessions are")
        turns = output.many(report.known, "turn")
        return f"Nothing new: {sessions} known already ({turns}), learnt as you worked or read before."
    read = f"{output.many(report.turns, 'turn')} of {output.many(len(report.sessions), 'session')}"
    parts = [f"{read} archived", f"{report.known:,} known already"]
    if report.unwanted:
        parts.append(f"{report.unwanted:,} not kept")
    new, candidates = report.learnt.confirmed.total(), report.learnt.candidates.total()
    parts.append(f"{output.many(new, 'new memory', 'new memories')}")
    parts.append(f"{output.many(candidates, 'candidate')}, {report.learnt.same:,} said again")
    if report.refused:
        parts.append(f"{output.many(len(report.refused), 'line')} could not be read")
    before = [f"{report.read_before:,} read before"] if report.read_before else []
    if report.retold:
        before.append(f"{report.retold:,} retold what is known")
    return ", ".join(parts) + f" (from {output.many(report.files, 'file')}{''.join(f', {one}' for one in before)})."


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
        "refused": [{"file": file, "line": line, "why": redact(why).text} for file, line, why in report.refused],
        "unreadable": [{"file": file, "why": redact(why).text} for file, why in report.unreadable],
        "ignored": report.ignored,
    }
