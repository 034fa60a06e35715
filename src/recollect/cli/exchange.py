"""`recollect export` and `recollect import`: memories as JSON lines, each a whole memory."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TextIO

import click

from recollect.cli import completing, context, output
from recollect.cli.embedding import LATER, Bulk, embed_all, watching
from recollect.cli.exits import EXIT_PARTLY
from recollect.cli.records import draft_of, record_of, unknown_fields
from recollect.domain.errors import InvalidValue, PayloadError, RecollectError, StoreError
from recollect.domain.history import DeedId
from recollect.domain.memory import Draft, ProjectId, Role, Source
from recollect.domain.outcome import Contradicts, New, Outcome, Same, Updates
from recollect.engine.engine import Engine
from recollect.text.block import visible
from recollect.wiring import Model

CHUNK_LINES = 1000  # one transaction each: others may write in between, and Ctrl-C loses nothing that was counted
CHUNK_BYTES = 1 << 16  # between two steps of the progress bar
MAX_LINE_BYTES = 1_000_000
SHOWN_AT_MOST = 20  # refused lines on the screen; --json has all


@click.command("export")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), default="-")
@click.option("--project", metavar="ID", help="Only this project's.", shell_complete=completing.project_ids)
@click.option("--here", is_flag=True, help="Only those of the project of this folder.")
@click.option("--force", is_flag=True, help="Write over a FILE that exists.")
@click.option("--json", "as_json", is_flag=True, help="With a FILE: report as JSON. The lines themselves always are.")
def export_memories(file: Path, project: str | None, here: bool, force: bool, as_json: bool) -> None:
    """Write all memories as JSON lines, to FILE or to standard output. `import` reads them back whole."""
    if project and here:
        raise click.UsageError("--project and --here exclude each other.")
    with context.engine() as engine:
        of = context.project_of(engine, project) if project or here else None
        with _writing(file, force) as target:
            count = 0
            for memory in engine.everything(of):
                target.write(json.dumps(record_of(memory), ensure_ascii=False) + "\n")
                count += 1
    if str(file) == "-":
        return
    if as_json:
        output.say_json({"file": str(file), "memories": count})
    else:
        output.say(f"{output.many(count, 'memory', 'memories')} written to {file}.")


@contextmanager
def _writing(file: Path, force: bool) -> Iterator[TextIO]:
    """A file is there as a whole or not at all, and only its owner can read it."""
    if str(file) == "-":
        yield sys.stdout
        return
    if file.exists() and not force:
        raise InvalidValue(f"{file} exists; choose another name, or add --force to write over it.")
    if not file.absolute().parent.is_dir():
        raise InvalidValue(f"There is no folder {file.absolute().parent} to write into.")
    unfinished = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        unfinished.touch(mode=0o600)
        with unfinished.open("w", encoding="utf-8") as target:
            yield target
            target.flush()
            os.fsync(target.fileno())
        unfinished.replace(file)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink()
        raise


@dataclass
class Report:
    line: int = 0  # where we are
    new: int = 0
    same: int = 0
    updated: int = 0  # took the place of what was known
    contradicting: int = 0  # wait in `review`
    refused: list[tuple[int, str]] = field(default_factory=list)
    unknown: set[str] = field(default_factory=set)  # fields that were left out


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--strict", is_flag=True, help="All lines or none: one bad line leaves everything as it was.")
@click.option("--dry-run", is_flag=True, help="Read and check every line; store nothing.")
@click.option("--project", metavar="ID", help="Where lines without a scope belong; default: this folder's project.")
@click.option(
    "--no-embed", is_flag=True, help="Leave what they mean to the daemon; by their words they are found at once."
)
@output.json_option
@click.pass_context
def import_memories(
    ctx: click.Context, file: Path, strict: bool, dry_run: bool, project: str | None, no_embed: bool, as_json: bool
) -> None:
    """Read memories from JSON lines in FILE ("-": standard input). Good lines are kept, bad ones are named by their
    number. Reading the same file again changes nothing."""
    report = Report()
    model = context.model()
    with context.writing_engine(model) as engine:
        with _reading(file) as lines:
            drafts = _drafts(lines, context.project_of(engine, project, may_be_new=True), report, strict)
            with engine.rehearsing() if dry_run else nullcontext():
                _bring_back(engine, drafts, report, strict)
        _say(report, dry_run, as_json)
        if report.new and not dry_run and not no_embed:
            _embed(engine, model, silent=as_json)
    if report.refused:
        ctx.exit(EXIT_PARTLY)


def _embed(engine: Engine, model: Model, *, silent: bool) -> None:
    """The memories are kept already: whatever ends this, they get their vectors later."""
    try:
        loaded = model()
        if loaded is None:  # `recall` and `doctor` say so
            return
        bulk = Bulk(model=loaded.model, turns=False)
        with watching(bulk.left(engine), silent=silent) as watch:
            embed_all(engine, bulk, watch)
    except KeyboardInterrupt:
        output.warn(f"\nThe import is kept. {LATER}")
        raise
    except StoreError as error:
        output.warn(f"The import is kept; its vectors are not: {error} {LATER}")


def _bring_back(engine: Engine, drafts: Iterator[tuple[int, Draft]], report: Report, strict: bool) -> None:
    deed: DeedId | None = None
    at = context.now()
    if strict:
        try:
            whole = list(drafts)  # read to its end before anybody has to wait for us
            _, outcomes = engine.bring_back(_counting(whole, report), at=at, by=context.BY, strict=True)
        except _BadLine:
            raise
        except InvalidValue as refusal:
            raise _BadLine(report.line, str(refusal)) from None
        _count(report, outcomes)
        return
    while chunk := list(islice(drafts, CHUNK_LINES)):
        deed, outcomes = engine.bring_back((draft for _, draft in chunk), at=at, by=context.BY, deed=deed)
        _count(report, outcomes)
        refused = [(line, outcome) for (line, _), outcome in zip(chunk, outcomes, strict=True)]
        report.refused += [(line, str(refusal)) for line, refusal in refused if isinstance(refusal, InvalidValue)]


def _counting(drafts: Iterable[tuple[int, Draft]], report: Report) -> Iterator[Draft]:
    for report.line, draft in drafts:
        yield draft


def _count(report: Report, outcomes: list[Outcome | InvalidValue]) -> None:
    report.new += sum(isinstance(outcome, New) for outcome in outcomes)
    report.same += sum(isinstance(outcome, Same) for outcome in outcomes)
    report.updated += sum(isinstance(outcome, Updates) for outcome in outcomes)
    report.contradicting += sum(isinstance(outcome, Contradicts) for outcome in outcomes)


@contextmanager
def _reading(file: Path) -> Iterator[Iterator[bytes]]:
    """The lines, with a bar of progress where a person watches a file being read."""
    if str(file) == "-":
        yield iter(sys.stdin.buffer)
        return
    try:
        source = file.open("rb")
    except OSError as error:
        raise InvalidValue(f"{file} cannot be read: {error.strerror}.") from None
    with source:
        if not sys.stderr.isatty():
            yield iter(source)
            return
        with click.progressbar(length=file.stat().st_size, label="Reading", file=sys.stderr) as bar:
            yield _watched(source, bar.update)


def _watched(source: BinaryIO, update: Callable[[int], None]) -> Iterator[bytes]:
    waiting = 0
    for line in source:
        waiting += len(line)
        if waiting > CHUNK_BYTES:
            update(waiting)
            waiting = 0
        yield line
    update(waiting)


def _drafts(lines: Iterable[bytes], project: ProjectId, report: Report, strict: bool) -> Iterator[tuple[int, Draft]]:
    """Line by line; a bad one is noted, or ends it all."""
    now, source = context.now(), Source(role=Role.IMPORT, host=context.BY)
    for report.line, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = _record(line)
            draft = draft_of(record, now=now, project=project, source=source)
        except RecollectError as refusal:
            if strict:
                raise _BadLine(report.line, str(refusal)) from None
            report.refused.append((report.line, str(refusal)))
            continue
        report.unknown.update(unknown_fields(record))
        yield report.line, draft


def _record(line: bytes) -> dict[str, Any]:
    if len(line) > MAX_LINE_BYTES:
        raise PayloadError(f"The line has {len(line):,} bytes; a memory takes at most {MAX_LINE_BYTES:,}.")
    try:
        record = json.loads(line.decode("utf-8").removeprefix("\ufeff"))
    except UnicodeDecodeError as error:
        raise PayloadError(f"The line is not UTF-8 (byte {error.start}).") from None
    except (ValueError, RecursionError) as error:
        raise PayloadError(f"The line is not JSON: {error}.") from None
    if not isinstance(record, dict):
        raise PayloadError("The line is not a JSON object.")
    return record


class _BadLine(InvalidValue):
    """One line that leaves all of them out."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"Line {line}: {why} Nothing was stored (--strict).")


def _say(report: Report, dry_run: bool, as_json: bool) -> None:
    if as_json:
        output.say_json(
            {
                "stored": not dry_run,
                "new": report.new,
                "same": report.same,
                "refused": [{"line": line, "why": why} for line, why in report.refused],
                "unknown_fields": sorted(map(visible, report.unknown)),
            }
        )
        return
    for line, why in report.refused[:SHOWN_AT_MOST]:
        output.warn(f"Line {line}: {why}")
    if len(report.refused) > SHOWN_AT_MOST:
        output.warn(f"... and {len(report.refused) - SHOWN_AT_MOST} more; --json names all.")
    if report.unknown:
        named = ", ".join(sorted(map(visible, report.unknown))[:SHOWN_AT_MOST])
        output.warn(f"Fields that are not known were left out: {named}.")
    tried = "Nothing was stored; it would be: " if dry_run else ""
    refused = output.many(len(report.refused), "line")
    output.say(f"{tried}{report.new:,} new, {report.same:,} known already, {refused} refused.")
