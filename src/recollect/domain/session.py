"""Sessions, their turns in the archive, and their recaps: notes in compact codes and a summary."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, assert_never

from recollect.domain.errors import InvalidValue
from recollect.domain.learning import Origin
from recollect.domain.memory import (
    MAX_NAME_CHARS,
    MessageId,
    ProjectId,
    Role,
    SessionId,
    check_name,
    check_time,
    is_unicode,
)

MAX_TURN_CHARS = 1_000_000
REFERENCE_CHARS, REFERENCE_BYTES = 8, 5  # five bytes make eight letters and digits
MAX_LINES = 50  # in the notes of a session, and in one part of its summary
RECAP_FORM = 2  # 1 took decisions from the agent's prose: such recaps are kept, and no longer shown


def session_reference(session: SessionId) -> str:
    """Return a short unique name: a hash, because ids of one host begin alike. A short id is its own reference."""
    if len(session) <= REFERENCE_CHARS:
        return session
    from base64 import b32encode  # few commands name a session
    from hashlib import blake2b

    digest = blake2b(session.encode("utf-8", "surrogatepass"), digest_size=REFERENCE_BYTES).digest()
    return b32encode(digest).decode().lower()


def default_origin(role: Role) -> Origin:
    """Return the author of a message of this role, unless the host says otherwise."""
    match role:
        case Role.ASSISTANT:
            return Origin.ASSISTANT
        case Role.TOOL:
            return Origin.TOOL
        case Role.USER | Role.IMPORT:
            return Origin.USER
        case _ as never:
            assert_never(never)


SessionKey = tuple[SessionId, datetime]  # a session that is deleted and begun again has the same id, and another start


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    id: SessionId
    host: str
    project: ProjectId | None  # None: outside of every project
    language: str | None
    started_at: datetime
    context: int = 0  # counts live contexts: compaction and clearing begin a new one
    parent: SessionId | None = None  # the session whose agent began this one, or that this one is a copy of
    forked: bool = False  # a copy of its parent, with the same person; False: begun by its parent's agent
    recalls: bool = True  # False: the user wants nothing injected
    captures: bool = True  # False: the user wants nothing learnt from it
    ended_at: datetime | None = None  # an ended session may be resumed

    @property
    def key(self) -> SessionKey:
        return self.id, self.started_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of a session, as the archive keeps it."""

    session: SessionId
    message: MessageId
    project: ProjectId | None  # None: outside of every project
    role: Role
    text: str
    at: datetime
    origin: Origin | None = None  # None: the default of its role

    def __post_init__(self) -> None:
        if self.origin is None:
            object.__setattr__(self, "origin", default_origin(self.role))
        check_name(self.session, "session")
        check_name(self.message, "message")
        check_time(self.at)
        if len(self.text) > MAX_TURN_CHARS:
            raise InvalidValue(
                f"The turn has {len(self.text):,} characters; the archive takes at most {MAX_TURN_CHARS:,}."
            )
        if "\x00" in self.text or not is_unicode(self.text):
            raise InvalidValue(f"The text of the turn {self.message!r} has a NUL or is not valid Unicode.")


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnHit:
    turn: Turn
    relevance: float  # 0..1, how well it fits what was asked
    score: float  # orders the hits of one search: relevance, its session and its neighbours together
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
            codes = ", ".join(f"{known}:" for known in NoteCode)
            raise InvalidValue(f"{line[:80]!r} is not a note; a note begins with {codes}.")
        return cls(code=NoteCode(code.strip()), text=text.strip())


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A session in a few words. Made without a language model."""

    asked: str = ""  # the first request, in the user's own words
    later: str = ""  # the last request, if it differs
    ended: str = ""  # how it ended, in the agent's own words: a report, never a decision
    done: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    is_slight: bool = False  # one prompt and hardly any work: not worth continuing

    def __post_init__(self) -> None:
        for what, text in self.texts:
            if text:
                check_name(text, f"`{what}` of the summary")
        for what, lines in self.lists:
            if len(lines) > MAX_LINES:
                raise InvalidValue(f"The summary has {len(lines):,} lines in `{what}`; it takes at most {MAX_LINES}.")
            for line in lines:
                check_name(line, f"line in `{what}` of the summary")

    @classmethod
    def from_parts(cls, parts: Mapping[str, Any]) -> "Summary":
        """Build a summary from its parts by name. Parts that an earlier version did not have are empty."""
        known: dict[str, Any] = {"is_slight": bool(parts.get("is_slight"))}
        for name, _ in NO_SUMMARY.texts:
            known[name] = parts.get(name, "")
        for name, _ in NO_SUMMARY.lists:
            known[name] = tuple(parts.get(name, ()))
        return cls(**known)

    @property
    def parts(self) -> dict[str, Any]:
        return {**dict(self.texts), **dict(self.lists), "is_slight": self.is_slight}

    @property
    def texts(self) -> tuple[tuple[str, str], ...]:
        return (("asked", self.asked), ("later", self.later), ("ended", self.ended))

    @property
    def lists(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return (("done", self.done), ("decided", self.decided), ("files", self.files), ("open", self.open))

    def __bool__(self) -> bool:
        return any(part for _, part in (*self.texts, *self.lists))


NO_SUMMARY = Summary()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recap:
    """Notes and summary that a session leaves for the project's next one."""

    session: SessionId
    project: ProjectId
    at: datetime
    notes: tuple[Note, ...] = ()
    summary: Summary = NO_SUMMARY
    form: int = RECAP_FORM  # of the version that wrote it

    def __post_init__(self) -> None:
        check_name(self.session, "session")
        check_name(self.project, "project")
        check_time(self.at)
        if len(self.notes) > MAX_LINES:
            raise InvalidValue(f"The session has {len(self.notes):,} notes; it takes at most {MAX_LINES}.")

    def fill_from(self, before: "Recap") -> "Recap":
        """Fill empty parts from the recap that the same session left when it ended before."""
        return replace(self, notes=self.notes or before.notes, summary=self.summary or before.summary)

    @property
    def is_current(self) -> bool:
        """Return True if it may be shown: recaps of an earlier version are not."""
        return self.form == RECAP_FORM

    @property
    def lines(self) -> list[str]:
        found = [note.text for note in self.notes]
        found += [text for _, text in self.summary.texts if text]
        for _, lines in self.summary.lists:
            found += lines
        return found

    def without_lines(self, is_unwanted: Callable[[str], bool]) -> "Recap":
        return self._map_lines(lambda line: "" if is_unwanted(line) else line)

    def rewrite_lines(self, rewrite: Callable[[str], str]) -> "Recap":
        """Rewrite every line; a line that becomes empty is dropped."""
        return self._map_lines(lambda line: _one_line(rewrite(line)))

    def _map_lines(self, change: Callable[[str], str]) -> "Recap":
        notes = []
        for note in self.notes:
            text = change(note.text)
            if text:
                notes.append(Note(code=note.code, text=text))
        parts = self.summary.parts
        for name, text in self.summary.texts:
            parts[name] = change(text)
        for name, lines in self.summary.lists:
            parts[name] = tuple(filter(None, map(change, lines)))
        return replace(self, notes=tuple(notes), summary=Summary.from_parts(parts))


def _one_line(text: str) -> str:
    return " ".join(text.split())[:MAX_NAME_CHARS].strip()
