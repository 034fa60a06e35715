"""What a session leaves behind: its turns in the archive, and notes in compact codes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import MessageId, ProjectId, Role, SessionId, check_name, check_time

MAX_TURN_CHARS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of a session, as it is kept in the archive."""

    session: SessionId
    message: MessageId
    project: ProjectId | None  # None: outside of every project
    role: Role
    text: str
    at: datetime

    def __post_init__(self) -> None:
        check_name(self.session, "session")
        check_name(self.message, "message")
        check_time(self.at)
        if len(self.text) > MAX_TURN_CHARS:
            raise InvalidValue(f"The turn has {len(self.text):,} characters; the archive takes {MAX_TURN_CHARS:,}.")
        if "\x00" in self.text or any("\ud800" <= character <= "\udfff" for character in self.text):
            raise InvalidValue(f"The text of the turn {self.message!r} has a NUL or is not valid Unicode.")


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnHit:
    """A turn that was found."""

    turn: Turn
    relevance: float  # 0..1, how well it fits what was asked
    score: float  # what orders the hits of one search: relevance, its session and its neighbours together
    factors: Mapping[str, float] = field(default_factory=dict)


class NoteCode(StrEnum):
    IMPL = "impl"  # done
    DEC = "dec"  # decided
    BLOCK = "block"  # blocked
    NEXT = "next"  # to do


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One line about a session: `next: rotate the keys`."""

    code: NoteCode
    text: str

    def __post_init__(self) -> None:
        check_name(self.text, "note")

    def __str__(self) -> str:
        return f"{self.code}: {self.text}"

    @classmethod
    def parse(cls, line: str) -> "Note":
        code, colon, text = line.partition(":")
        if not colon or code.strip() not in list(NoteCode):
            raise InvalidValue(f"{line[:80]!r} is not a note; one begins with {', '.join(f'{c}:' for c in NoteCode)}.")
        return cls(code=NoteCode(code.strip()), text=text.strip())
