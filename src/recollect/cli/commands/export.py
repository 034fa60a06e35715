"""`recollect export`: memories as JSON lines (complete), or as Markdown for people and agents."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

import click

from recollect.cli import context
from recollect.cli.display import output
from recollect.cli.formats.memory_json import record_of
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Memory
from recollect.engine.memories.lookup import all_memories
from recollect.imports import own_markdown
from recollect.paths import find_paths


@click.command("export")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), default="-")
@click.option(
    "--format",
    "form",
    type=click.Choice(["jsonl", "markdown"]),
    help="Default: markdown if FILE ends with .md, else jsonl.",
)
@context.project_id_option("Only memories of this project.")
@click.option("--here", is_flag=True, help="Only memories of this folder's project.")
@click.option(
    "--candidates", is_flag=True, help="Include candidates (memories that are not confirmed) in Markdown, too."
)
@click.option("--force", is_flag=True, help="Overwrite an existing FILE.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON, for scripts. Only with FILE.")
def export_memories(
    file: Path, form: str | None, project: str | None, here: bool, candidates: bool, force: bool, as_json: bool
) -> None:
    """Write all memories to FILE, or to standard output.

    \b
    There are two formats:
    - jsonl: a complete backup that `recollect import` can restore
    - markdown: the memories valid now, sorted by scope and kind, for people
      and for files such as CLAUDE.md
    """
    if project and here:
        raise click.UsageError("Use either --project or --here.")
    is_markdown = form == "markdown" or (form is None and file.suffix == ".md")
    counter = _Counter()
    with context.engine() as engine:
        ctx = context.request(engine)
        of = context.project_of(engine, project) if project or here else None
        with _open_target(file, force) as target:
            if is_markdown:
                may_write = own_markdown.may_be_written if candidates else own_markdown.may_be_written_as_confirmed
                target.writelines(own_markdown.render(counter.filter(all_memories(ctx, of), may_write)))
            else:
                target.writelines(map(_line, counter.filter(all_memories(ctx, of))))
    if counter.left_out:
        not_confirmed = "" if candidates else "candidates (`--candidates` includes them), "
        output.remark(
            f"{output.many(counter.left_out, 'memory', 'memories')} left out: no longer valid, restricted, flagged, "
            f"{not_confirmed}or limited to one session. `--format jsonl` includes all."
        )
    if str(file) == "-":
        return
    report = {"file": str(file), "memories": counter.written, "left_out": counter.left_out}
    output.say_result(report, f"{output.many(counter.written, 'memory', 'memories')} written to {file}.", as_json)


class _Counter:
    written = left_out = 0

    def filter(
        self, memories: Iterable[Memory], may_write: Callable[[Memory], bool] = lambda _: True
    ) -> Iterator[Memory]:
        for memory in memories:
            if may_write(memory):
                self.written += 1
                yield memory
            else:
                self.left_out += 1


def _line(memory: Memory) -> str:
    return json.dumps(record_of(memory), ensure_ascii=False) + "\n"


@contextmanager
def _open_target(file: Path, force: bool) -> Iterator[TextIO]:
    """Write the file completely or not at all; only its owner can read it."""
    if str(file) == "-":
        yield sys.stdout
        return
    if file.exists() and not force:
        raise InvalidValue(f"{file} already exists; choose another name, or add --force to overwrite it.")
    database = find_paths().database.resolve()
    resolved = file.resolve()
    if resolved.parent == database.parent and resolved.name.startswith(database.name):  # --force or not
        raise InvalidValue(f"{file} is a file of the database itself; choose another name.")
    if not file.absolute().parent.is_dir():
        raise InvalidValue(f"The folder {file.absolute().parent} does not exist.")
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
