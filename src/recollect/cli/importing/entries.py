"""Reads the entries of one file: JSON lines one by one, a database row by row, everything else as one text."""

import json
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO

from recollect.cli import context
from recollect.cli.display.progress import Watch
from recollect.cli.formats.memory_json import draft_of, unknown_fields
from recollect.cli.importing.files import STDIN, Readable
from recollect.cli.importing.scopes import ImportScopes
from recollect.domain.errors import InvalidValue, PayloadError, RecollectError
from recollect.domain.memory import MAX_PARTS, ProjectId, Role, Source
from recollect.imports import claude_mem
from recollect.imports.databases.claude_mem import claude_mem_rows
from recollect.imports.decoding import decode
from recollect.imports.entry import Entry, FileOrigin, KeptEntry, RejectedEntry
from recollect.imports.format import Format, entries_of

MAX_LINE_BYTES = 1_000_000
MAX_TEXT_BYTES = 10_000_000  # of a file of notes
MAX_JSON_BYTES = 100_000_000  # of an export that has to be read as a whole
PART_BYTES = 1 << 16


def entries(file: Readable, places: ImportScopes, unknown: set[str], watch: Watch) -> Iterator[Entry]:
    """Bad content becomes a RejectedEntry, never an error. `unknown` collects unknown fields of JSON lines."""
    try:
        for entry in _entries(file, places, unknown, watch):
            yield places.confine(file, entry)
    except OSError as error:
        yield RejectedEntry(0, f"It cannot be read: {error.strerror or error}.")
    except InvalidValue as refusal:
        yield RejectedEntry(0, str(refusal))


def _entries(file: Readable, places: ImportScopes, unknown: set[str], watch: Watch) -> Iterator[Entry]:
    if file.form is Format.JSONL:
        yield from _of_lines(file, places, unknown, watch)
    elif file.is_database:
        yield from _of_database(file, places)
        watch(file.size)
    else:
        text = decode(_content(file))
        yield from entries_of(file.form, text, _origin(file, places), places.find_project)
        watch(file.size)


def _origin(file: Readable, places: ImportScopes) -> FileOrigin:
    name = file.label if file.path == STDIN else file.path.name
    return FileOrigin(name=name, at=min(file.changed_at or context.now(), context.now()), scope=places.scope_of(file))


def _of_database(file: Readable, places: ImportScopes) -> Iterator[Entry]:
    origin = _origin(file, places)
    with claude_mem_rows(file.path) as rows:
        yield from claude_mem.observations(rows.observations, origin, places.find_project)
        yield from claude_mem.summaries(rows.summaries, origin, places.find_project)
        if rows.prompts:
            yield claude_mem.prompts_left(rows.prompts)


def _content(file: Readable) -> bytes:
    most = MAX_TEXT_BYTES if file.form in (Format.MARKDOWN, Format.CLAUDE_MEMORY) else MAX_JSON_BYTES
    with _open(file) as source:
        content = source.read(most + 1)
    if len(content) > most:
        raise InvalidValue(f"It is larger than {most:,} bytes; split it.")
    return content


def _open(file: Readable) -> BinaryIO:
    return sys.stdin.buffer if file.path == STDIN else file.path.open("rb")


def _of_lines(file: Readable, places: ImportScopes, unknown: set[str], watch: Watch) -> Iterator[Entry]:
    now, source = context.now(), Source(role=Role.IMPORT, host=context.BY)
    project = ProjectId(places.scope_of(file).name)
    with _open(file) as stream:
        for number, (line, size) in enumerate(_lines(stream, watch), start=1):
            if not line.strip():
                continue
            try:
                record = _cut_lists(_record(line, size))
                draft = draft_of(record, now=now, project=project, source=source)
            except RecollectError as refusal:
                yield RejectedEntry(number, str(refusal))
                continue
            unknown.update(unknown_fields(record))
            yield KeptEntry(number, draft)


def _lines(source: BinaryIO, watch: Watch) -> Iterator[tuple[bytes, int]]:
    """Yield each line with its size. Of a line that is far too long, only the beginning is kept in memory."""
    while line := source.readline(MAX_LINE_BYTES + 1):
        size = len(line)
        if size > MAX_LINE_BYTES and not line.endswith(b"\n"):
            while part := source.readline(PART_BYTES):
                size += len(part)
                if part.endswith(b"\n"):
                    break
        watch(size)
        yield line, size


def _cut_lists(record: dict[str, Any]) -> dict[str, Any]:
    """Keep the last entries of long lists: an older version exported more than a memory takes today."""
    return {name: value[-MAX_PARTS:] if isinstance(value, list) else value for name, value in record.items()}


def _record(line: bytes, size: int) -> dict[str, Any]:
    if size > MAX_LINE_BYTES:
        raise PayloadError(f"The line has {size:,} bytes; the limit for a memory is {MAX_LINE_BYTES:,}.")
    try:
        record = json.loads(line.decode("utf-8").removeprefix("\ufeff"))
    except UnicodeDecodeError as error:
        raise PayloadError(f"The line is not UTF-8 (byte {error.start}).") from None
    except (ValueError, RecursionError) as error:
        raise PayloadError(f"The line is not JSON: {error}.") from None
    if not isinstance(record, dict):
        raise PayloadError("The line is not a JSON object.")
    return record
