"""`recollect export`: memories as JSON lines, each a whole memory, or as Markdown for people and agents."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

import click

from recollect import config
from recollect.cli import complete_values, context
from recollect.cli.display import output
from recollect.cli.formats.memory_json import record_of
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Memory
from recollect.imports import own_markdown

FORMATS = ("jsonl", "markdown")


@click.command("export")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), default="-")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="Default: markdown for a FILE that ends in .md, else jsonl. Only jsonl is a whole backup.",
)
@click.option("--project", metavar="ID", help="Only this project's.", shell_complete=complete_values.project_ids)
@click.option("--here", is_flag=True, help="Only those of the project of this folder.")
@click.option("--candidates", is_flag=True, help="Markdown: also what nothing has confirmed yet, marked as such.")
@click.option("--force", is_flag=True, help="Write over a FILE that exists.")
@click.option("--json", "as_json", is_flag=True, help="With a FILE: report as JSON.")
def export_memories(
    file: Path, form: str | None, project: str | None, here: bool, candidates: bool, force: bool, as_json: bool
) -> None:
    """Write all memories to FILE or to standard output, as JSON lines that `import` reads back whole, or as Markdown:
    what holds, by place and kind, for people and for files like CLAUDE.md."""
    if project and here:
        raise click.UsageError("--project and --here exclude each other.")
    is_markdown = form == "markdown" or (form is None and file.suffix == ".md")
    in_markdown = own_markdown.is_open if candidates else own_markdown.is_written
    counted = _CountedOutput()
    with context.engine() as engine:
        of = context.project_of(engine, project) if project or here else None
        with _writing(file, force) as target:
            memories = counted.through(engine.everything(of), written=in_markdown if is_markdown else None)
            target.writelines(own_markdown.render(memories) if is_markdown else map(_line, memories))
    if counted.left_out:
        output.remark(
            f"{output.many(counted.left_out, 'memory', 'memories')} left out: they no longer hold, are restricted, "
            f"flagged, {'' if candidates else 'not confirmed (`--candidates` adds these), '}or of one session. "
            "`--format jsonl` has all."
        )
    if str(file) == "-":
        return
    if as_json:
        output.say_json({"file": str(file), "memories": counted.written, "left_out": counted.left_out})
    else:
        output.say(f"{output.many(counted.written, 'memory', 'memories')} written to {file}.")


class _CountedOutput:
    written = left_out = 0

    def through(self, memories: Iterable[Memory], written: Callable[[Memory], bool] | None) -> Iterator[Memory]:
        for memory in memories:
            if written is not None and not written(memory):
                self.left_out += 1
                continue
            self.written += 1
            yield memory


def _line(memory: Memory) -> str:
    return json.dumps(record_of(memory), ensure_ascii=False) + "\n"


def _refuse_database(file: Path) -> None:
    """`--force` or not: what is exported would take the place of where it comes from."""
    database = config.places().database.resolve()
    target = file.resolve()
    if target.parent == database.parent and target.name.startswith(database.name):
        raise InvalidValue(f"{file} is a file of the database itself; choose another name.")


@contextmanager
def _writing(file: Path, force: bool) -> Iterator[TextIO]:
    """A file is there as a whole or not at all, and only its owner can read it."""
    if str(file) == "-":
        yield sys.stdout
        return
    if file.exists() and not force:
        raise InvalidValue(f"{file} exists; choose another name, or add --force to write over it.")
    _refuse_database(file)
    if not file.absolute().parent.is_dir():
        raise InvalidValue(f"There is no folder {file.absolute().parent} to write into.")
    unfinished = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        unfinished.unlink(missing_ok=True)
        unfinished.touch(mode=0o600, exist_ok=False)
        with unfinished.open("w", encoding="utf-8") as target:
            yield target
            target.flush()
            os.fsync(target.fileno())
        unfinished.replace(file)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink()
        raise
