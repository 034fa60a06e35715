"""What a session leaves behind: its turns in the archive, and notes in compact codes."""

from base64 import b32encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from hashlib import blake2b
from typing import Any

from recollect.domain.errors import InvalidValue
from recollect.domain.learning import Origin
from recollect.domain.memory import MAX_NAME_CHARS, MessageId, ProjectId, Role, SessionId, check_name, check_time

MAX_TURN_CHARS = 1_000_000
REFERENCE_CHARS, REFERENCE_BYTES = 8, 5  # five bytes are eight letters and digits
MAX_LINES = 50  # notes of a session, and lines of one part of its summary
FORM = 2  # of what a session leaves. 1 read decisions out of the agent's prose: it is kept, and no longer shown


def reference(session: SessionId) -> str:
    """What a line names a session by: short, and another one for each session. Ids of one host begin alike, so it is
    the id itself only where that is short enough."""
    if len(session) <= REFERENCE_CHARS:
        return session
    digest = blake2b(session.encode("utf-8", "surrogatepass"), digest_size=REFERENCE_BYTES).digest()
    return b32encode(digest).decode().lower()


def own_origin(role: Role) -> Origin:
    """Who speaks in a message of this role, where nobody says otherwise."""
    match role:
        case Role.ASSISTANT:
            return Origin.ASSISTANT
        case Role.TOOL:
            return Origin.TOOL
        case _:
            return Origin.USER


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of a session, as it is kept in the archive."""

    session: SessionId
    message: MessageId
    project: ProjectId | None  # None: outside of every project
    role: Role
    text: str
    at: datetime
    origin: Origin | None = None  # None: the usual one of its role

    def __post_init__(self) -> None:
        if self.origin is None:
            object.__setattr__(self, "origin", own_origin(self.role))
        check_name(self.session, "session")
        check_name(self.message, "message")
        check_time(self.at)
        if len(self.text) > MAX_TURN_CHARS:
            raise InvalidValue(f"The turn has {len(self.text):,} characters; the archive takes {MAX_TURN_CHARS:,}.")
        is_ascii = self.text.isascii()  # as most are: nothing has to be looked at one by one
        if "\x00" in self.text or (not is_ascii and any("\ud800" <= letter <= "\udfff" for letter in self.text)):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A session in a few words. Made without a language model."""

    asked: str = ""  # first, in the user's own words
    later: str = ""  # the last request, where it is another one
    ended: str = ""  # how it ended, in the agent's own words: a report, never a decision
    done: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    is_slight: bool = False  # one prompt and hardly any work: no session that anyone goes on with

    def __post_init__(self) -> None:
        for what, text in self.texts:
            if text:
                check_name(text, f"`{what}` of the summary")
        for what, lines in self.lists:
            if len(lines) > MAX_LINES:
                raise InvalidValue(f"The summary has {len(lines):,} lines in `{what}`; it takes {MAX_LINES}.")
            for line in lines:
                check_name(line, f"line in `{what}` of the summary")

    @classmethod
    def of(cls, parts: Mapping[str, Any]) -> "Summary":
        """From its parts by name. Those that an earlier version did not know are empty."""
        known: dict[str, Any] = {name: parts.get(name, "") for name, _ in NO_SUMMARY.texts}
        known |= {name: tuple(parts.get(name, ())) for name, _ in NO_SUMMARY.lists}
        return cls(**known, is_slight=bool(parts.get("is_slight")))

    @property
    def parts(self) -> dict[str, Any]:
        """All of it by name."""
        return {**dict(self.texts), **dict(self.lists), "is_slight": self.is_slight}

    @property
    def texts(self) -> tuple[tuple[str, str], ...]:
        return (("asked", self.asked), ("later", self.later), ("ended", self.ended))

    @property
    def lists(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Its parts by name, in the order in which they are read."""
        return (("done", self.done), ("decided", self.decided), ("files", self.files), ("open", self.open))

    def __bool__(self) -> bool:
        return any(part for _, part in (*self.texts, *self.lists))


NO_SUMMARY = Summary()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recap:
    """What a session leaves for the next one of its project."""

    session: SessionId
    project: ProjectId
    at: datetime
    notes: tuple[Note, ...] = ()
    summary: Summary = NO_SUMMARY
    form: int = FORM  # of the version that wrote it

    def __post_init__(self) -> None:
        check_name(self.session, "session")
        check_name(self.project, "project")
        check_time(self.at)
        if len(self.notes) > MAX_LINES:
            raise InvalidValue(f"The session has {len(self.notes):,} notes; it takes {MAX_LINES}.")

    def after(self, before: "Recap") -> "Recap":
        """What is not told anew stays as the session had left it when it ended before."""
        return replace(self, notes=self.notes or before.notes, summary=self.summary or before.summary)

    @property
    def is_current(self) -> bool:
        """Whether it may be shown: what an earlier version wrote is not."""
        return self.form == FORM

    @property
    def lines(self) -> list[str]:
        """All that it says."""
        parts = [line for _, lines in self.summary.lists for line in lines]
        return [*(note.text for note in self.notes), *filter(None, (text for _, text in self.summary.texts)), *parts]

    def without(self, is_unwanted: Callable[[str], bool]) -> "Recap":
        notes = tuple(note for note in self.notes if not is_unwanted(note.text))
        texts = {name: "" if is_unwanted(text) else text for name, text in self.summary.texts}
        parts = {name: tuple(line for line in lines if not is_unwanted(line)) for name, lines in self.summary.lists}
        return replace(self, notes=notes, summary=Summary.of({**self.summary.parts, **texts, **parts}))

    def retold(self, tell: Callable[[str], str]) -> "Recap":
        """With every line told otherwise; a line of which nothing is left goes."""
        notes = ((note.code, _one_line(tell(note.text))) for note in self.notes)
        parts = {
            name: tuple(filter(None, (_one_line(tell(line)) for line in lines))) for name, lines in self.summary.lists
        }
        texts = {name: _one_line(tell(text)) for name, text in self.summary.texts}
        return replace(
            self,
            notes=tuple(Note(code=code, text=text) for code, text in notes if text),
            summary=Summary.of({**self.summary.parts, **texts, **parts}),
        )


def _one_line(text: str) -> str:
    return " ".join(text.split())[:MAX_NAME_CHARS].strip()
