"""`recollect import`: memories from our own files and those of other tools. One import is one undoable change."""

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import assert_never

import click

from recollect.api.undo import Undo
from recollect.cli import client_call, context
from recollect.cli.display import output, progress
from recollect.cli.display.progress import LATER, Watch, embed_all, watching
from recollect.cli.exit_codes import EXIT_PARTLY
from recollect.cli.importing.entries import entries
from recollect.cli.importing.files import ImportFiles, find_files
from recollect.cli.importing.report import SHOWN_AT_MOST, ImportReport, Spot, say
from recollect.cli.importing.scopes import ImportScopes
from recollect.domain.changes import ChangeId
from recollect.domain.errors import InvalidValue, StoreError
from recollect.domain.memory import Draft
from recollect.engine.engine import Engine
from recollect.engine.memories.embedding import count_waiting
from recollect.engine.memories.teaching import import_all
from recollect.engine.memories.undo import undo
from recollect.imports.entry import KeptEntry, RejectedEntry, SkippedEntry
from recollect.imports.format import Format
from recollect.privacy.exclude import IgnoredPaths
from recollect.wiring import Model

CHUNK_LINES = 1000  # each chunk is stored before the next is read: Ctrl-C loses nothing that was counted

PlacedDraft = tuple[Spot, Draft]


@click.command("import")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "--format",
    "form",
    type=click.Choice(["auto", *(form.value for form in Format)]),
    default="auto",
    help='Format of the files. "auto" (default) detects the format by name and content.',
)
@click.option("--strict", is_flag=True, help="Store nothing if one line is bad.")
@click.option("--dry-run", is_flag=True, help="Show what would be stored, and store nothing.")
@context.project_id_option(
    "Use this project for memories without a project. Default: the project that contains the file."
)
@click.option(
    "--scopes-as-written",
    "as_written",
    is_flag=True,
    help="Trust the scopes in the files. Use this only if you wrote the files.",
)
@click.option(
    "--no-embed",
    is_flag=True,
    help="Do not prepare search by meaning now. Until the daemon has done so, only search by words finds the memories.",
)
@output.json_option
@click.pass_context
def import_memories(
    ctx: click.Context,
    files: tuple[Path, ...],
    form: str,
    strict: bool,
    dry_run: bool,
    project: str | None,
    as_written: bool,
    no_embed: bool,
    as_json: bool,
) -> None:
    """Import memories from files and folders.

    \b
    Recollect reads:
    - the JSON lines of `recollect export`
    - Markdown: CLAUDE.md, AGENTS.md, GEMINI.md, .cursorrules, notes
    - the memory folder of Claude Code
    - claude-mem: its export or its database
    - mem0

    If FILE is "-", Recollect reads standard input. Recollect stores the good lines and reports each bad line with its
    number. Importing the same file again changes nothing. Memories from a file inside a repository are valid only in
    the project of that repository."""
    ignored = IgnoredPaths(context.settings().privacy.ignored_paths, root=str(context.folder()), home=str(Path.home()))
    found = find_files(files, None if form == "auto" else Format(form), ignored)
    report = ImportReport(memories_kept=0)
    if dry_run:
        report.memories_kept = sys.maxsize if as_json else SHOWN_AT_MOST
    model = context.model()
    with context.writing_engine(model) as engine:
        with (
            progress.reading(sum(file.size for file in found.found)) as watch,
            engine.dry_run_copy() if dry_run else nullcontext(engine) as into,
        ):
            places = ImportScopes(into, project, looking=dry_run, as_written=as_written)
            _bring_back(into, _drafts(found, places, report, watch, strict), report, strict)
            here = places.here()
        say(report, here, dry_run=dry_run, as_json=as_json)
        has_new = bool(report.new + report.updated + report.contradicting)
        if has_new and not dry_run and not client_call.notify_daemon() and not no_embed:
            _embed(engine, model, silent=as_json)
    if report.refused:
        ctx.exit(EXIT_PARTLY)


def _drafts(
    found: ImportFiles, places: ImportScopes, report: ImportReport, watch: Watch, strict: bool
) -> Iterator[PlacedDraft]:
    for name, why in found.refused:
        _refuse(Spot(name, 0), why, report, strict)
    report.left_out += [(Spot(name, 0), what) for name, what in found.left_out]
    report.not_understood = found.not_understood
    is_alone = len(found.found) == 1
    for file in found.found:
        report.read += 1
        for number, entry in enumerate(entries(file, places, report.unknown, watch)):
            spot = Spot(None if is_alone else file.label, entry.line, file.unit)
            match entry:
                case KeptEntry(_, draft):
                    yield spot, draft
                case RejectedEntry(0, why) if is_alone and not number:  # the whole file is bad: nothing can be stored
                    raise InvalidValue(f"{file.label}: {why}")
                case RejectedEntry(_, why):
                    _refuse(spot, why, report, strict)
                case SkippedEntry(_, what):
                    report.left_out.append((spot, what))
                case _ as never:
                    assert_never(never)


def _refuse(spot: Spot, why: str, report: ImportReport, strict: bool) -> None:
    if strict:
        raise _AllOrNothing(spot, why)
    report.refused.append((spot, why))


def _bring_back(engine: Engine, drafts: Iterator[PlacedDraft], report: ImportReport, strict: bool) -> None:
    if strict:
        _bring_back_all(engine, list(drafts), report)  # read everything first: no other process waits meanwhile
        return
    change: ChangeId | None = None
    ctx = context.request(engine)
    while chunk := list(islice(drafts, CHUNK_LINES)):
        change, outcomes = import_all(ctx, (draft for _, draft in chunk), by=context.BY, change=change)
        for (spot, _), outcome in zip(chunk, outcomes, strict=True):
            report.count(spot, outcome)


def _bring_back_all(engine: Engine, drafts: list[PlacedDraft], report: ImportReport) -> None:
    """Try on a copy first: errors appear before anything is stored, and other processes wait only briefly."""
    reached = Spot(None, 0)  # for the error message

    def follow() -> Iterator[Draft]:
        nonlocal reached
        for spot, draft in drafts:
            reached = spot
            yield draft

    ctx = context.request(engine)
    with engine.dry_run_copy() as trial:
        try:
            import_all(replace(ctx, store=trial.store), follow(), by=context.BY, strict=True)
        except InvalidValue as refusal:
            raise _AllOrNothing(reached, str(refusal)) from None
    change, outcomes = import_all(ctx, (draft for _, draft in drafts), by=context.BY)
    for (spot, _), outcome in zip(drafts, outcomes, strict=True):
        if isinstance(outcome, InvalidValue):  # another process has taken the id in between
            undo(context.request(engine), Undo(deed=change, by=context.BY))
            raise _AllOrNothing(spot, str(outcome))
        report.count(spot, outcome)


class _AllOrNothing(InvalidValue):
    def __init__(self, spot: Spot, why: str) -> None:
        super().__init__(f"{spot}: {why} Nothing was stored (--strict).")


def _embed(engine: Engine, model: Model, *, silent: bool) -> None:
    """Compute the vectors now. If this is interrupted, the memories stay stored and get their vectors later."""
    try:
        loaded = model()
        if loaded is None:  # `recall` and `doctor` report it
            return
        with watching(count_waiting(engine.store, loaded.model, turns=False), silent=silent) as watch:
            embed_all(context.request(engine), loaded.model, watch, turns=False)
    except KeyboardInterrupt:
        output.warn(f"\nThe import is stored. {LATER}")
        raise
    except StoreError as error:
        output.warn(f"The import is stored, but not all of its vectors: {error} {LATER}")
