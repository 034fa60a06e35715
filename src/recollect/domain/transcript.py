"""Old sessions as their hosts keep them: what a transcript consists of, and how far it was read."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from recollect.domain.errors import InvalidValue


class TranscriptForm(StrEnum):
    """In which form a host keeps a session."""

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
    """One line of a file, or one row of a database, as it was read."""

    line: int
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Where reading a transcript stands."""

    source: str  # a name for where it lies that tells nothing about it
    state: str  # of the file when it was read: another one, and it has changed since
    events: int = 0  # so many are done; the ends of sessions do not count
    digest: str = ""  # of these: what begins otherwise is another transcript in the same place
    finished: bool = False

    def __post_init__(self) -> None:
        if not self.source or self.events < 0:
            raise InvalidValue("A mark names its transcript and counts from 0.")
