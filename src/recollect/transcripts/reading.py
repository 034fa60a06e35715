"""Reads old sessions record by record: of a file, never more than one record is held.

What is not JSON is named by its line and passed over, and so is a line that is far too long. A file may end in the
midst of a line: its host was writing.
"""

import json
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from recollect.domain.errors import InvalidValue
from recollect.domain.transcript import TranscriptRecord

MAX_LINE_BYTES = 16_000_000
MAX_WHOLE_BYTES = 50_000_000  # of an export that does not lay out its messages in lines
PART_BYTES = 1 << 16

ReportBytes = Callable[[int], None]  # told how many bytes were read
ReportBadLine = Callable[[int, str], None]  # told of a line that cannot be used, and why


def json_lines(path: Path, watch: ReportBytes, bad: ReportBadLine) -> Iterator[TranscriptRecord]:
    with path.open("rb") as source:
        for number, (line, size) in enumerate(_lines(source, watch), start=1):
            if size > MAX_LINE_BYTES:
                bad(number, f"The line has {size:,} bytes; at most {MAX_LINE_BYTES:,} are read.")
            elif line.strip():
                value = _parsed(line, number, bad)
                if isinstance(value, dict):
                    yield TranscriptRecord(number, value)
                elif value is not None:
                    bad(number, "The line is no JSON object.")


def text_lines(path: Path, watch: ReportBytes, bad: ReportBadLine) -> Iterator[TranscriptRecord]:
    with path.open("rb") as source:
        for number, (line, size) in enumerate(_lines(source, watch), start=1):
            if size > MAX_LINE_BYTES:
                bad(number, f"The line has {size:,} bytes; at most {MAX_LINE_BYTES:,} are read.")
            else:
                yield TranscriptRecord(number, line.decode("utf-8", "replace").rstrip("\r\n").removeprefix("\ufeff"))


def opencode_export(path: Path, watch: ReportBytes, bad: ReportBadLine) -> Iterator[TranscriptRecord]:
    """As `opencode export` writes it, message by message; laid out otherwise, as a whole."""
    with path.open("rb") as source:
        if source.readline(PART_BYTES).rstrip() != b"{":
            yield from _whole(path, watch)
            return
        source.seek(0)
        closing, begin, kept, size = b"", 0, list[bytes](), 0
        for number, (line, length) in enumerate(_lines(source, watch), start=1):
            bare = line.rstrip()
            if not closing:
                if bare == b'  "info": {' or bare == b"    {":
                    closing, begin, kept, size = bare[: len(bare) - len(bare.lstrip())] + b"}", number, [b"{"], 0
                continue
            size += length
            if bare.removesuffix(b",") == closing:
                closing = b""
                value = _parsed(b"".join([*kept, b"}\n"]), begin, bad) if size <= MAX_LINE_BYTES else None
                if value is None and size > MAX_LINE_BYTES:
                    bad(begin, f"The message has {size:,} bytes; at most {MAX_LINE_BYTES:,} are read.")
                if isinstance(value, dict):
                    yield TranscriptRecord(begin, _as_record(value))
            elif size <= MAX_LINE_BYTES:
                kept.append(line)


def opencode_files(session: Path, watch: ReportBytes, bad: ReportBadLine) -> Iterator[TranscriptRecord]:
    """The files of older versions: `storage/session/PROJECT/ID.json`, its messages and their parts beside it."""
    storage = session.parents[2]
    watch(session.stat().st_size)
    info = _parsed(_content(session), 0, bad)
    if not isinstance(info, dict):
        return
    yield TranscriptRecord(0, {"session": info})
    for number, file in enumerate(sorted((storage / "message" / session.stem).glob("*.json")), start=1):
        message = _file(file, storage, number, bad)
        if message is not None:
            inside = sorted((storage / "part" / file.stem).glob("*.json"))
            parts = [_file(part, storage, number, bad) for part in inside]
            yield TranscriptRecord(number, {"message": message, "parts": [part for part in parts if part is not None]})


def _whole(path: Path, watch: ReportBytes) -> Iterator[TranscriptRecord]:
    if path.stat().st_size > MAX_WHOLE_BYTES:
        raise InvalidValue(f"It has more than {MAX_WHOLE_BYTES:,} bytes in one line; export the session anew.")
    content = path.read_bytes()
    watch(len(content))
    try:
        whole = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InvalidValue(f"It is not JSON: {error}.") from None
    if not isinstance(whole, dict) or not isinstance(whole.get("messages"), list):
        raise InvalidValue("It is no export of OpenCode: it has no messages.")
    yield TranscriptRecord(0, {"session": whole.get("info")})
    for number, message in enumerate(whole["messages"], start=1):
        yield TranscriptRecord(number, _as_record(message) if isinstance(message, dict) else message)


def _as_record(value: dict[str, Any]) -> dict[str, Any]:
    """A session, or a message with its parts."""
    return {"message": value.get("info"), "parts": value.get("parts")} if "parts" in value else {"session": value}


def _file(path: Path, storage: Path, number: int, bad: ReportBadLine) -> dict[str, Any] | None:
    try:
        value = _parsed(_content(path, storage), number, bad)
    except (OSError, RuntimeError) as error:  # RuntimeError: a circle of links
        bad(number, f"{path.name} cannot be read: {(isinstance(error, OSError) and error.strerror) or error}.")
        return None
    return value if isinstance(value, dict) else None


def _content(path: Path, storage: Path | None = None) -> bytes:
    """Of a file, and of one that lies in the storage: a link that leads out of it is not followed."""
    if storage is not None and not path.resolve().is_relative_to(storage.resolve()):
        raise OSError("it is a link that leads out of its folder")
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError("it is no file")
    with path.open("rb") as source:
        return source.read(MAX_LINE_BYTES) + b"\n"


def _parsed(line: bytes, number: int, bad: ReportBadLine) -> object:
    try:
        return json.loads(line.decode("utf-8", "replace").removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        if line.endswith(b"\n"):  # without it, it is the last one and was cut off
            bad(number, "The line is not JSON.")
        return None


def _lines(source: BinaryIO, watch: ReportBytes) -> Iterator[tuple[bytes, int]]:
    """Each with its size; of one that is far too long, only the beginning is ever held."""
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
