"""Counts what an import did, or would do, and reports it to a person or a script."""

import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, assert_never

from recollect.cli.display import output
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Memory, ProjectId, ScopeLevel
from recollect.domain.outcome import Contradicts, New, Outcome, Refused, Same, Updates, tag_of
from recollect.privacy.secrets import redact
from recollect.text.block import prefix_of, visible

SHOWN_AT_MOST = 20  # of each list on the screen; --json has all
PROJECTS_NAMED = 3


@dataclass(frozen=True, slots=True)
class Spot:
    file: str | None  # None: there is only one file
    line: int  # 0: the file as a whole
    unit: str = "line"  # or "record"

    def __str__(self) -> str:
        if self.file is None:
            return f"{self.unit.capitalize()} {self.line}" if self.line else "The file"
        return f"{self.file}, {self.unit} {self.line}" if self.line else self.file

    def as_json(self) -> dict[str, Any]:
        place: dict[str, Any] = {self.unit: self.line}
        return place if self.file is None else {"file": self.file, **place}


@dataclass(slots=True)
class ImportReport:
    new: int = 0
    same: int = 0
    updated: int = 0  # replaced an older memory
    contradicting: int = 0  # wait in `review`
    flagged: int = 0  # stored, and wait in `review` too
    refused: list[tuple[Spot, str]] = field(default_factory=list)
    left_out: list[tuple[Spot, str]] = field(default_factory=list)  # not a memory
    unknown: set[str] = field(default_factory=set)  # fields that were ignored
    not_understood: int = 0  # files of a folder
    read: int = 0  # files
    projects: Counter[str] = field(default_factory=Counter)  # of the stored memories
    memories: list[tuple[str, Spot, Memory]] = field(default_factory=list)  # of a dry run
    memories_kept: int = SHOWN_AT_MOST

    def count(self, spot: Spot, outcome: Outcome | InvalidValue) -> None:
        match outcome:
            case New(memory):
                self.new += 1
                self._note_stored(tag_of(outcome), spot, memory)
            case Same(memory):
                self.same += 1
                self._note(tag_of(outcome), spot, memory)
            case Updates(memory, _):
                self.updated += 1
                self._note_stored(tag_of(outcome), spot, memory)
            case Contradicts(memory, _):
                self.contradicting += 1
                self._note_stored(tag_of(outcome), spot, memory)
            case Refused(why):
                self.refused.append((spot, why))
            case InvalidValue():
                self.refused.append((spot, str(outcome)))
            case _ as never:
                assert_never(never)

    def _note_stored(self, outcome: str, spot: Spot, memory: Memory) -> None:
        self.flagged += memory.flag is not None and memory.is_live
        if memory.scope.level is ScopeLevel.PROJECT:
            self.projects[memory.scope.name] += 1
        self._note(outcome, spot, memory)

    def _note(self, outcome: str, spot: Spot, memory: Memory) -> None:
        if len(self.memories) < self.memories_kept:
            self.memories.append((outcome, spot, memory))

    def elsewhere(self, here: ProjectId) -> dict[str, int]:
        return {project: count for project, count in self.projects.most_common() if project != here}


def say(report: ImportReport, here: ProjectId, *, dry_run: bool, as_json: bool) -> None:
    if as_json:
        output.say_json(_as_json(report, here, dry_run))
        return
    output.say_first(SHOWN_AT_MOST, [f"{spot}: {redact(why).text}" for spot, why in report.refused], output.warn)
    if report.unknown:
        names = ", ".join(_unknown_fields(report)[:SHOWN_AT_MOST])
        output.warn(f"Ignored unknown fields: {names}.")
    output.say_first(
        SHOWN_AT_MOST,
        [f"Left out: {spot}: {redact(visible(what)).text}" for spot, what in report.left_out],
        output.remark,
    )
    if dry_run:
        _show_memories(report)
    output.say(_sentence(report, dry_run))
    _say_elsewhere(report.elsewhere(here), here)
    if report.flagged:
        reads = output.many(report.flagged, "reads as an order", "read as orders")
        output.remark(f"{reads} to an agent: not injected until you accept it in `recollect review`.")
    if report.contradicting and not dry_run:
        output.remark("`recollect review` shows the contradictions and lets you decide.")


def _say_elsewhere(others: dict[str, int], here: ProjectId) -> None:
    """An export from another machine names that machine's projects; their memories are not visible in this folder."""
    if not others:
        return
    names = ", ".join(f"{visible(project)} ({count:,})" for project, count in list(others.items())[:PROJECTS_NAMED])
    if len(others) > PROJECTS_NAMED:
        names += f" and {len(others) - PROJECTS_NAMED:,} more"
    belong = output.many(sum(others.values()), "belongs to another project", "belong to other projects")
    output.remark(f"{belong} than {visible(here)}: {names}; `recollect project list` shows all.")
    for project in _namesakes(others, here)[:PROJECTS_NAMED]:
        output.remark(f"If {visible(project)} is the same project: recollect project merge '{visible(project)}'")


def _namesakes(others: Iterable[str], here: ProjectId) -> list[str]:
    """The projects whose folder or repository has the same name as this one."""
    return [project for project in others if _last_name(project) == _last_name(here)]


def _last_name(project: str) -> str:
    return project.rstrip("/").rsplit("/", 1)[-1].rsplit(":", 1)[-1].removesuffix(".git").casefold()


def _unknown_fields(report: ImportReport) -> list[str]:
    return sorted(redact(visible(name)).text for name in report.unknown)


def _show_memories(report: ImportReport) -> None:
    if sys.stdout.isatty():
        _show_table(report)
    else:
        for outcome, spot, memory in report.memories:
            place = "" if spot.file is None else f"{spot.file}:{spot.line}\t"
            output.say(f"{outcome}\t{memory.kind}\t{memory.scope}\t{place}{_text(memory)}{_past(memory)}")
    more = report.new + report.same + report.updated + report.contradicting - len(report.memories)
    if more > 0:
        output.say(f"... and {more:,} more; --json lists all.")


def _show_table(report: ImportReport) -> None:
    from rich.text import Text

    table = output.list_table(folds_ids=False)
    for outcome, spot, memory in report.memories:
        place = "" if spot.file is None else f"  {spot.file}:{spot.line}"
        body = Text(_text(memory)) + Text(f"\n{memory.scope}{place}{_past(memory)}", style="dim")
        table.add_row(Text(outcome, style="cyan"), Text(prefix_of(memory), style="bold magenta"), body)
    output.console().print(table)


def _text(memory: Memory) -> str:
    title = f"[{visible(memory.title)}] " if memory.title else ""
    return f"{title}{visible(memory.text)}"


def _past(memory: Memory) -> str:
    return "" if memory.valid_to is None else f" (valid until {output.day(memory.valid_to)})"


def _sentence(report: ImportReport, dry_run: bool) -> str:
    parts = [f"{report.new:,} new", f"{report.same:,} known already"]
    if report.updated:
        parts.append(f"{report.updated:,} replaced older memories")
    if report.contradicting:
        parts.append(output.many(report.contradicting, "contradicts", "contradict") + " known memories")
    parts.append(f"{output.many(len(report.refused), 'line')} refused")
    sentence = ", ".join(parts)
    if report.read > 1:
        sentence += f" (from {output.many(report.read, 'file')})"
    return f"Nothing was stored; it would be: {sentence}." if dry_run else f"{sentence}."


def _as_json(report: ImportReport, here: ProjectId, dry_run: bool) -> dict[str, Any]:
    record = {
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
        "unknown_fields": _unknown_fields(report),
    }
    if dry_run:
        record["memories"] = [_memory_json(*one) for one in report.memories]
    return record


def _memory_json(outcome: str, spot: Spot, memory: Memory) -> dict[str, Any]:
    return {
        **spot.as_json(),
        "outcome": outcome,
        "kind": memory.kind.value,
        "scope": str(memory.scope),
        "title": memory.title,
        "text": memory.text,
    }
