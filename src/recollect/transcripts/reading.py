"""Read old sessions record by record; at most one record of a file is in memory.

A line that is not JSON or far too long is reported by its number and skipped. A file may end in the middle of a line: its
host is still writing.
"""

import json
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from recollect.domain.errors import InvalidValue
from recollect.domain.transcript import TranscriptRecord

MAX_LINE_BYTES = 16_000_000
MAX_WHOLE_BYTES = 50_000_000  # of an export that is all on one line
PART_BYTES = 1 << 16

ReportBytes = Callable[[int], None]  # gets the number of bytes that were read
ReportBadLine = Callable[[int, str], None]  # gets the line that cannot be used, and the reason


def json_lines(path: Path, watch: ReportBytes, bad: ReportBadLine) -> Iterator[TranscriptRecord]:
    for number, line in _short_lines(path, watch, bad):
        if line.strip():
            value = _parse(line, number, bad)
            if isinstance(value, dict):
                yield TranscriptRecord(number, value)
            elif value is not None:
                bad(number, "The line is not a JSON object.")


def text_lines(path: Path, watch: ReportBytes, bad: ReportBadLine) -> Iterator[TranscriptRecord]:
    for number, line in _short_lines(path, watch, bad):
        yield TranscriptRecord(number, line.decode("utf-8", "replace").rstrip("\r\n").removeprefix("\ufeff"))


def opencode_export(path: Path, watch: ReportBytes, bad: ReportBadLine) -> Iterator[TranscriptRecord]:
    """Read the output of `opencode export` message by message; in another layout, as a whole."""
    with path.open("rb") as source:
        if source.readline(PART_BYTES).rstrip() != b"{":
            yield from _read_whole(path, watch)
            return
        source.seek(0)
        closing, first, lines, size = b"", 0, list[bytes](), 0
        for number, (line, length) in enumerate(_lines(source, watch), start=1):
            bare = line.rstrip()
            if not closing:
                if bare in (b'  "info": {', b"    {"):
                    indent = bare[: len(bare) - len(bare.lstrip())]
                    closing, first, lines, size = indent + b"}", number, [b"{"], 0
                continue
            size += length
            if bare.removesuffix(b",") != closing:
                if size <= MAX_LINE_BYTES:
                    lines.append(line)
                continue
            closing = b""
            if size > MAX_LINE_BYTES:
                bad(first, f"The message has {size:,} bytes; the limit is {MAX_LINE_BYTES:,}.")
                continue
            value = _parse(b"".join([*lines, b"}\n"]), first, bad)
            if isinstance(value, dict):
                yield TranscriptRecord(first, _as_record(value))


def opencode_files(session: Path, watch: ReportBytes, bad: ReportBadLine) -> Iterator[TranscriptRecord]:
    """Read the files of older versions: `storage/session/PROJECT/ID.json`, with messages and their parts beside it."""
    storage = session.parents[2]
    watch(session.stat().st_size)
    info = _parse(_read_bytes(session), 0, bad)
    if not isinstance(info, dict):
        return
    yield TranscriptRecord(0, {"session": info})
    for number, file in enumerate(sorted((storage / "message" / session.stem).glob("*.json")), start=1):
        message = _read_object(file, storage, number, bad)
        if message is not None:
            files = sorted((storage / "part" / file.stem).glob("*.json"))
            parts = [_read_object(part, storage, number, bad) for part in files]
            yield TranscriptRecord(number, {"message": message, "parts": [part for part in parts if part is not None]})


def _read_whole(path: Path, watch: ReportBytes) -> Iterator[TranscriptRecord]:
    if path.stat().st_size > MAX_WHOLE_BYTES:
        raise InvalidValue(f"The file has more than {MAX_WHOLE_BYTES:,} bytes on one line. Export the session again.")
    content = path.read_bytes()
    watch(len(content))
    try:
        export = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InvalidValue(f"The file is not JSON: {error}.") from None
    if not isinstance(export, dict) or not isinstance(export.get("messages"), list):
        raise InvalidValue("The file is not an export of OpenCode: it has no messages.")
    yield TranscriptRecord(0, {"session": export.get("info")})
    for number, message in enumerate(export["messages"], start=1):
        yield TranscriptRecord(number, _as_record(message) if isinstance(message, dict) else message)


def _as_record(value: dict[str, Any]) -> dict[str, Any]:
    if "parts" in value:
        return {"message": value.get("info"), "parts": value.get("parts")}
    return {"session": value}


def _read_object(path: Path, storage: Path, number: int, bad: ReportBadLine) -> dict[str, Any] | None:
    try:
        value = _parse(_read_bytes(path, storage), number, bad)
    except (OSError, RuntimeError) as error:  # RuntimeError: a circle of links
        bad(number, f"{path.name} cannot be read: {getattr(error, 'strerror', None) or error}.")
        return None
    return value if isinstance(value, dict) else None


def _read_bytes(path: Path, storage: Path | None = None) -> bytes:
    """Read a file; with `storage`, a link out of that folder is not followed."""
    if storage is not None and not path.resolve().is_relative_to(storage.resolve()):
        raise OSError("it is a link out of its folder")
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError("it is not a file")
    with path.open("rb") as source:
        return source.read(MAX_LINE_BYTES) + b"\n"


def _parse(line: bytes, number: int, bad: ReportBadLine) -> object:
    try:
        return json.loads(line.decode("utf-8", "replace").removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        if line.endswith(b"\n"):  # without a line end it is the last line, cut off
            bad(number, "The line is not JSON.")
        return None


def _short_lines(path: Path, watch: ReportBytes, bad: ReportBadLine) -> Iterator[tuple[int, bytes]]:
    with path.open("rb") as source:
        for number, (line, size) in enumerate(_lines(source, watch), start=1):
            if size > MAX_LINE_BYTES:
                bad(number, f"The line has {size:,} bytes; the limit is {MAX_LINE_BYTES:,}.")
            else:
                yield number, line


def _lines(source: BinaryIO, watch: ReportBytes) -> Iterator[tuple[bytes, int]]:
    """Yield each line with its size; only the beginning of a far too long line is kept in memory."""
    while line := source.readline(MAX_LINE_BYTES + 1):
        size = len(line)
        if size > MAX_LINE_BYTES and not line.endswith(b"\n"):
            while part := source.readline(PART_BYTES):
                size += len(part)
                if part.endswith(b"\n"):
                    break
            line = line[:PART_BYTES]
        watch(size)
        yield line, size
