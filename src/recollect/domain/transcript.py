"""Transcripts: old sessions as their hosts store them, and how far each was read."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from recollect.domain.errors import InvalidValue


class TranscriptForm(StrEnum):
    CLAUDE_CODE = "claude-code"  # JSON lines
    OPENCODE_EXPORT = "opencode-export"  # one JSON object
    OPENCODE_FILES = "opencode-files"  # a folder of JSON files, in older versions
    OPENCODE_DATABASE = "opencode-database"
    CODEX = "codex"  # JSON lines
    SPECSTORY = "specstory"  # Markdown

    @property
    def host(self) -> str:
        return "opencode" if self.value.startswith("opencode") else self.value


HOSTS = tuple(dict.fromkeys(form.host for form in TranscriptForm))


class TranscriptRecord(NamedTuple):
    """One line of a file, or one row of a database."""

    line: int
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """How far a transcript was read."""

    source: str  # a name for its location that reveals nothing about it
    state: str  # of the file when it was read: a different state means that the file has changed
    events: int = 0  # how many are done; ends of sessions do not count
    digest: str = ""  # of these events: another digest means another transcript in the same place
    finished: bool = False

    def __post_init__(self) -> None:
        if not self.source or self.events < 0:
            raise InvalidValue("A mark names its transcript and counts from 0.")
