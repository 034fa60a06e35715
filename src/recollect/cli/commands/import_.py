"""`recollect import`: memories from files of our own and of other tools. One import is one deed, undone as a whole."""

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import assert_never

import click

from recollect.api.fresh_vectors import Bulk
from recollect.cli import client_call, complete_values, context
from recollect.cli.display import output, progress
from recollect.cli.display.progress import Watch
from recollect.cli.embed_progress import LATER, embed_all, watching
from recollect.cli.exit_codes import EXIT_PARTLY
from recollect.cli.importing.entries import entries
from recollect.cli.importing.files import ImportFiles, find
from recollect.cli.importing.report import SHOWN_AT_MOST, ImportReport, Spot, say
from recollect.cli.importing.scopes import ImportScopes
from recollect.domain.errors import InvalidValue, StoreError
from recollect.domain.history import DeedId
from recollect.domain.memory import Draft
from recollect.engine.engine import Engine
from recollect.imports.entry import Bad, KeptEntry, Left
from recollect.imports.format import Format
from recollect.privacy.exclude import IgnoredPaths
from recollect.wiring import Model

CHUNK_LINES = 1000  # read and then kept: Ctrl-C loses nothing that was counted

Placed = tuple[Spot, Draft]


@click.command("import")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "--format",
    "form",
    type=click.Choice(["auto", *(form.value for form in Format)]),
    default="auto",
    help='What the files are; "auto" tells from name and content.',
)
@click.option("--strict", is_flag=True, help="All or nothing: one bad line leaves everything as it was.")
@click.option("--dry-run", is_flag=True, help="Show what would be stored, as which kind; store nothing.")
@click.option(
    "--project",
    metavar="ID",
    shell_complete=complete_values.project_ids,
    help="Where belongs what does not say so itself; default: the project that a file lies in.",
)
@click.option(
    "--scopes-as-written",
    "as_written",
    is_flag=True,
    help="You wrote these files: what they say holds where they say, also everywhere and in other projects.",
)
@click.option(
    "--no-embed", is_flag=True, help="Leave what they mean to the daemon; by their words they are found at once."
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
    """Read memories from files and folders ("-": standard input): JSON lines of `export`, Markdown (CLAUDE.md,
    AGENTS.md, GEMINI.md, .cursorrules, notes), the memory folder of Claude Code, claude-mem (export or database), mem0.
    Good lines are kept, bad ones are named by their number. Reading the same file again changes nothing. A file that
    lies in a repository teaches that project only."""
    ignored = IgnoredPaths(context.settings().privacy.ignored_paths, root=str(context.folder()), home=str(Path.home()))
    found = find(files, None if form == "auto" else Format(form), ignored)
    report = ImportReport(memories_kept=0 if not dry_run else sys.maxsize if as_json else SHOWN_AT_MOST)
    model = context.model()
    with context.writing_engine(model) as engine:
        with (
            progress.reading(sum(file.size for file in found.found)) as watch,
            engine.rehearsal() if dry_run else nullcontext(engine) as into,
        ):
            places = ImportScopes(into, project, looking=dry_run, as_written=as_written)
            _bring_back(into, _drafts(found, places, report, watch, strict), report, strict)
            here = places.here()
        say(report, here, dry_run=dry_run, as_json=as_json)
        if report.new + report.updated + report.contradicting and not dry_run:
            is_left = client_call.left_to_the_daemon()
            if not is_left and not no_embed:
                _embed(engine, model, silent=as_json)
    if report.refused:
        ctx.exit(EXIT_PARTLY)


def _drafts(
    found: ImportFiles, places: ImportScopes, report: ImportReport, watch: Watch, strict: bool
) -> Iterator[Placed]:
    """File by file; a bad line is noted, or ends it all."""
    for name, why in found.refused:
        _refuse(Spot(name, 0), why, report, strict)
    report.left_out += [(Spot(name, 0), what) for name, what in found.left_out]
    report.not_understood = found.not_understood
    is_alone = len(found.found) == 1
    for file in found.found:
        report.read += 1
        for number, entry in enumerate(entries(file, places, report.unknown, watch)):
            spot = Spot(None if is_alone else file.shown, entry.line, file.unit)
            match entry:
                case KeptEntry(_, draft):
                    yield spot, draft
                case Bad(0, why) if is_alone and not number:  # all of it: there is nothing to keep
                    raise InvalidValue(f"{file.shown}: {why}")
                case Bad(_, why):
                    _refuse(spot, why, report, strict)
                case Left(_, what):
                    report.left_out.append((spot, what))
                case _ as never:
                    assert_never(never)


def _refuse(spot: Spot, why: str, report: ImportReport, strict: bool) -> None:
    if strict:
        raise _AllOrNothing(spot, why)
    report.refused.append((spot, why))


def _bring_back(engine: Engine, drafts: Iterator[Placed], report: ImportReport, strict: bool) -> None:
    if strict:
        _bring_back_all(engine, list(drafts), report)  # read to its end before anybody has to wait for us
        return
    deed: DeedId | None = None
    at = context.now()
    while chunk := list(islice(drafts, CHUNK_LINES)):
        deed, outcomes = engine.bring_back((draft for _, draft in chunk), at=at, by=context.BY, deed=deed)
        for (spot, _), outcome in zip(chunk, outcomes, strict=True):
            report.count(spot, outcome)


def _bring_back_all(engine: Engine, drafts: list[Placed], report: ImportReport) -> None:
    """Tried on a copy first: whatever is wrong is known before anything is stored, and nobody waits for us long."""
    at = [Spot(None, 0)]  # where we are, for the error

    def counted() -> Iterator[Draft]:
        for at[0], draft in drafts:
            yield draft

    now = context.now()
    with engine.rehearsal() as trial:
        try:
            trial.bring_back(counted(), at=now, by=context.BY, strict=True)
        except InvalidValue as refusal:
            raise _AllOrNothing(at[0], str(refusal)) from None
    deed, outcomes = engine.bring_back((draft for _, draft in drafts), at=now, by=context.BY)
    for (spot, _), outcome in zip(drafts, outcomes, strict=True):
        if isinstance(outcome, InvalidValue):  # somebody else has taken its id in between
            engine.undo(deed, at=context.now(), by=context.BY)
            raise _AllOrNothing(spot, str(outcome))
        report.count(spot, outcome)


class _AllOrNothing(InvalidValue):
    """One line that leaves all of them out."""

    def __init__(self, spot: Spot, why: str) -> None:
        super().__init__(f"{spot}: {why} Nothing was stored (--strict).")


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
