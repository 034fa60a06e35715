"""What an import did, or would do: counted, and said to a person or a script."""

import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, assert_never

from recollect.cli.display import output
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Memory, ProjectId, ScopeLevel
from recollect.domain.outcome import Contradicts, New, Outcome, Refused, Same, Updates
from recollect.privacy.secrets import redact
from recollect.text.block import prefix_of, visible

SHOWN_AT_MOST = 20  # of each list on the screen; --json has all
PROJECTS_NAMED = 3


@dataclass(frozen=True, slots=True)
class Spot:
    """Where in the files something stands."""

    file: str | None  # None: there is only one, nobody asks which
    line: int  # 0: the file as a whole
    unit: str = "line"  # or "record"

    def __str__(self) -> str:
        if self.file is None:
            return f"{self.unit.capitalize()} {self.line}" if self.line else "The file"
        return f"{self.file}, {self.unit} {self.line}" if self.line else self.file

    def as_json(self) -> dict[str, Any]:
        return ({} if self.file is None else {"file": self.file}) | {self.unit: self.line}


@dataclass(slots=True)
class ImportReport:
    new: int = 0
    same: int = 0
    updated: int = 0  # took the place of what was known
    contradicting: int = 0  # wait in `review`
    flagged: int = 0  # of what was stored: they wait there too
    refused: list[tuple[Spot, str]] = field(default_factory=list)
    left_out: list[tuple[Spot, str]] = field(default_factory=list)  # what is no memory
    unknown: set[str] = field(default_factory=set)  # fields that were left out
    not_understood: int = 0  # files of a folder
    read: int = 0  # files
    projects: Counter[str] = field(default_factory=Counter)  # where belongs what was stored
    memories: list[tuple[str, Spot, Memory]] = field(default_factory=list)  # of a dry run
    memories_kept: int = SHOWN_AT_MOST

    def count(self, spot: Spot, outcome: Outcome | InvalidValue) -> None:
        match outcome:
            case New(memory):
                self.new += 1
                self._note("new", spot, memory)
            case Same(memory):
                self.same += 1
                self._note("same", spot, memory)
            case Updates(memory, _):
                self.updated += 1
                self._note("updates", spot, memory)
            case Contradicts(memory, _):
                self.contradicting += 1
                self._note("contradicts", spot, memory)
            case Refused(why):
                self.refused.append((spot, why))
            case InvalidValue():
                self.refused.append((spot, str(outcome)))
            case _ as never:
                assert_never(never)

    def _note(self, outcome: str, spot: Spot, memory: Memory) -> None:
        self.flagged += memory.flag is not None and memory.is_live and outcome != "same"
        if outcome != "same" and memory.scope.level is ScopeLevel.PROJECT:
            self.projects[memory.scope.name] += 1
        if len(self.memories) < self.memories_kept:
            self.memories.append((outcome, spot, memory))

    def elsewhere(self, here: ProjectId) -> dict[str, int]:
        """The other projects that got something, most of it first."""
        return {project: count for project, count in self.projects.most_common() if project != here}


def say(report: ImportReport, here: ProjectId, *, dry_run: bool, as_json: bool) -> None:
    if as_json:
        output.say_json(_as_json(report, here, dry_run))
        return
    for spot, why in report.refused[:SHOWN_AT_MOST]:
        output.warn(f"{spot}: {redact(why).text}")
    if len(report.refused) > SHOWN_AT_MOST:
        output.warn(f"... and {len(report.refused) - SHOWN_AT_MOST} more; --json names all.")
    if report.unknown:
        named = ", ".join(_fields(report)[:SHOWN_AT_MOST])
        output.warn(f"Fields that are not known were left out: {named}.")
    for spot, what in report.left_out[:SHOWN_AT_MOST]:
        output.remark(f"Left out: {spot}: {redact(visible(what)).text}")
    if len(report.left_out) > SHOWN_AT_MOST:
        output.remark(f"... and {len(report.left_out) - SHOWN_AT_MOST} more; --json names all.")
    if dry_run:
        _show(report)
    output.say(_sentence(report, dry_run))
    _say_elsewhere(report.elsewhere(here), here)
    if report.flagged:
        reads = output.many(report.flagged, "reads as an order", "read as orders")
        output.remark(f"{reads} to an agent: not injected until you accept it in `recollect review`.")
    if report.contradicting and not dry_run:
        output.remark("`recollect review` shows what contradicts what, and lets you decide.")


def _say_elsewhere(others: dict[str, int], here: ProjectId) -> None:
    """An export of another machine names the projects of that machine: they are not seen from this folder."""
    if not others:
        return
    named = ", ".join(f"{visible(project)} ({count:,})" for project, count in list(others.items())[:PROJECTS_NAMED])
    more = f" and {len(others) - PROJECTS_NAMED:,} more" if len(others) > PROJECTS_NAMED else ""
    belong = output.many(sum(others.values()), "belongs to another project", "belong to other projects")
    output.remark(f"{belong} than {visible(here)}: {named}{more}; `recollect project list` shows all.")
    for project in _namesakes(others, here)[:PROJECTS_NAMED]:
        output.remark(f"If {visible(project)} is the same project: recollect project merge '{visible(project)}'")


def _namesakes(others: Iterable[str], here: ProjectId) -> list[str]:
    """Those whose folder or repository has the name of this one."""
    return [project for project in others if _last_name(project) == _last_name(here)]


def _last_name(project: str) -> str:
    return project.rstrip("/").rsplit("/", 1)[-1].rsplit(":", 1)[-1].removesuffix(".git").casefold()


def _fields(report: ImportReport) -> list[str]:
    return sorted(redact(visible(name)).text for name in report.unknown)


def _show(report: ImportReport) -> None:
    if sys.stdout.isatty():
        _show_table(report)
    else:
        for outcome, spot, memory in report.memories:
            place = "" if spot.file is None else f"{spot.file}:{spot.line}\t"
            output.say(f"{outcome}\t{memory.kind}\t{memory.scope}\t{place}{_said(memory)}{_past(memory)}")
    more = report.new + report.same + report.updated + report.contradicting - len(report.memories)
    if more > 0:
        output.say(f"... and {more:,} more; --json names all.")


def _show_table(report: ImportReport) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 1), show_header=False, expand=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    for outcome, spot, memory in report.memories:
        place = "" if spot.file is None else f"  {spot.file}:{spot.line}"
        body = Text(_said(memory)) + Text(f"\n{memory.scope}{place}{_past(memory)}", style="dim")
        table.add_row(Text(outcome, style="cyan"), Text(prefix_of(memory), style="bold magenta"), body)
    output.console().print(table)


def _said(memory: Memory) -> str:
    title = f"[{visible(memory.title)}] " if memory.title else ""
    return f"{title}{visible(memory.text)}"


def _past(memory: Memory) -> str:
    return "" if memory.valid_to is None else f" (held until {output.day(memory.valid_to)})"


def _sentence(report: ImportReport, dry_run: bool) -> str:
    parts = [f"{report.new:,} new", f"{report.same:,} known already"]
    if report.updated:
        parts.append(f"{report.updated:,} took the place of what was known")
    if report.contradicting:
        parts.append(output.many(report.contradicting, "contradicts", "contradict") + " what is known")
    parts.append(f"{output.many(len(report.refused), 'line')} refused")
    files = f" (from {output.many(report.read, 'file')})" if report.read > 1 else ""
    return ("Nothing was stored; it would be: " if dry_run else "") + ", ".join(parts) + f"{files}."


def _as_json(report: ImportReport, here: ProjectId, dry_run: bool) -> dict[str, Any]:
    told = {
        "stored": not dry_run,
        "files": report.read,
        "new": report.new,
        "same": report.same,
        "updated": report.updated,
        "contradicting": report.contradicting,
        "flagged": report.flagged,
        "here": here,
        "elsewhere": report.elsewhere(here),
        "namesakes": _namesakes(report.elsewhere(here), here),
        "refused": [spot.as_json() | {"why": redact(why).text} for spot, why in report.refused],
        "left_out": [spot.as_json() | {"what": redact(what).text} for spot, what in report.left_out],
        "not_understood": report.not_understood,
        "unknown_fields": _fields(report),
    }
    if dry_run:
        told["memories"] = [
            spot.as_json()
            | {"outcome": outcome, "kind": memory.kind.value, "scope": str(memory.scope)}
            | {"title": memory.title, "text": memory.text}
            for outcome, spot, memory in report.memories
        ]
    return told
