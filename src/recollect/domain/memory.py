"""Memories and their parts. Every value is checked once, at construction."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import NewType

from recollect.domain.errors import InvalidValue
from recollect.domain.freshness import NOT_CHECKED, Freshness

MemoryId = NewType("MemoryId", str)
ProjectId = NewType("ProjectId", str)
SessionId = NewType("SessionId", str)
MessageId = NewType("MessageId", str)

MAX_TEXT_CHARS = 20_000  # a memory is a few sentences; documents belong in files
MAX_TITLE_CHARS = 300
MAX_NAME_CHARS = 500  # ids, names in scopes, aliases
MAX_QUOTED_NAME_CHARS = 80  # an error message quotes no longer name
MAX_PARTS = 200  # aliases, sentences of evidence, files, each
EARLIEST, LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)


def check_time(moment: datetime) -> None:
    if moment.tzinfo is None:
        raise InvalidValue("The time has no time zone.")
    if not EARLIEST <= moment < LATEST:
        raise InvalidValue(f"The time {moment.isoformat()} is out of range; use a year from 1970 to 9998.")


MAX_FOLDER_BYTES = 4096  # no system has a longer path


def check_folder(folder: str) -> None:
    """Refuse a path that no file system can have, before the folder and all above it are searched."""
    if len(folder) > MAX_FOLDER_BYTES or len(folder.encode("utf-8", "surrogatepass")) > MAX_FOLDER_BYTES:
        raise InvalidValue(f"The folder cannot be used: its path is longer than {MAX_FOLDER_BYTES:,} bytes.")


def check_name(value: str, what: str) -> None:
    """Refuse a name that is not one line of visible characters: names are shown, logged and compared."""
    if not value or len(value) > MAX_NAME_CHARS or not value.isprintable():
        # A shortened name could contain half a secret, which redaction would not recognise.
        quoted = f"{what} {value!r}" if len(value) <= MAX_QUOTED_NAME_CHARS else what
        raise InvalidValue(f"The {quoted} is not usable: it takes 1 to {MAX_NAME_CHARS} printable characters.")


def check_names(*names: tuple[str | None, str]) -> None:
    """Check each (name, what it is) that is given."""
    for name, what in names:
        if name is not None:
            check_name(name, what)


class Kind(StrEnum):
    PREFERENCE = "preference"
    RULE = "rule"
    CORRECTION = "correction"
    DECISION = "decision"
    ERROR_PATTERN = "error_pattern"
    FILE_CONTEXT = "file_context"
    RESEARCH = "research"
    OUTCOME = "outcome"


# Kinds of other tools, and which of ours they are. `docs/reference/kinds.md` says the same to people.
KINDS_ELSEWHERE = {
    "problem": Kind.ERROR_PATTERN,
    "bugfix": Kind.ERROR_PATTERN,
    "solution": Kind.ERROR_PATTERN,
    "warning": Kind.RULE,
    "anti_pattern": Kind.RULE,
    "guideline": Kind.RULE,
    "security_alert": Kind.RULE,
    "discovery": Kind.RESEARCH,
    "pattern": Kind.RESEARCH,
    "security_note": Kind.RESEARCH,
    "sensitive": Kind.RESEARCH,  # and restricted, if it comes from claude-mem
    "feature": Kind.OUTCOME,
    "refactor": Kind.OUTCOME,
    "change": Kind.OUTCOME,
    "success": Kind.OUTCOME,
}


class Sensitivity(StrEnum):
    """From open to closed: the later one of two is the stricter."""

    PUBLIC = "public"  # may be seen in every project
    PROJECT = "project"
    SESSION = "session"  # seen only in the session it comes from
    RESTRICTED = "restricted"  # found by a search, never injected


class Tier(StrEnum):
    CONFIRMED = "confirmed"  # stated outright, proven by events, or approved
    CANDIDATE = "candidate"  # found in a session, not proven yet


class Role(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    IMPORT = "import"


class ScopeLevel(StrEnum):
    UNIVERSAL = "universal"
    LANGUAGE = "language"
    PROJECT = "project"
    SESSION = "session"


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a memory is valid: `universal`, `language:python`, `project:ID` or `session:ID`."""

    level: ScopeLevel
    name: str = ""  # empty for universal only

    def __post_init__(self) -> None:
        if (self.level is ScopeLevel.UNIVERSAL) == bool(self.name):
            raise InvalidValue(f"The scope {f'{self.level}:{self.name}'!r} is not complete; {_SCOPES}.")
        if self.name:
            check_name(self.name, "name in the scope")

    def __str__(self) -> str:
        return f"{self.level}:{self.name}" if self.name else str(self.level)

    @classmethod
    def parse(cls, text: str) -> "Scope":
        level, _, name = text.partition(":")
        if level not in list(ScopeLevel):
            raise InvalidValue(f"There is no scope {text!r}; {_SCOPES}.")
        return cls(ScopeLevel(level), name.lower() if level == ScopeLevel.LANGUAGE else name)

    @classmethod
    def project(cls, project: ProjectId) -> "Scope":
        return cls(ScopeLevel.PROJECT, project)


_SCOPES = "a scope is universal, language:NAME, project:ID or session:ID"
UNIVERSAL = Scope(ScopeLevel.UNIVERSAL)


def parse_kind(text: str) -> Kind:
    try:
        return Kind(text)
    except ValueError:
        raise InvalidValue(f"There is no kind {text!r}; the kinds are {', '.join(Kind)}.") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    role: Role
    host: str | None = None
    session: SessionId | None = None
    message: MessageId | None = None
    agent: str | None = None  # "plan", "build" ...

    def __post_init__(self) -> None:
        check_names((self.host, "host"), (self.session, "session"), (self.message, "message"), (self.agent, "agent"))


@dataclass(frozen=True, slots=True)
class Anchor:
    """A file that a memory is about, as it was then."""

    path: str
    hash: str | None = None  # of the content: the git blob id if there is one

    def __post_init__(self) -> None:
        check_names((self.path, "path of an anchor"), (self.hash, "hash of an anchor"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """How often a memory was shown to a model, and how often that helped."""

    shown: int = 0
    used: int = 0  # a reply used something from it
    unused: int = 0  # shown on a prompt, and the reply used nothing from it
    feedback: int = 0  # "useful" votes of people minus "not useful" votes
    last_shown_at: datetime | None = None
    last_used_at: datetime | None = None

    def __post_init__(self) -> None:
        if self.shown < 0 or self.used < 0 or self.unused < 0:
            raise InvalidValue("The counts of shown, used and unused cannot be negative.")
        for moment in (self.last_shown_at, self.last_used_at):
            if moment is not None:
                check_time(moment)


NEVER_USED = Usage()


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A repetition of a known memory: where, and when."""

    source: Source
    at: datetime

    def __post_init__(self) -> None:
        check_time(self.at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A proposed memory; `engine.remember` decides what to do with it."""

    text: str
    kind: Kind
    scope: Scope
    at: datetime  # when it was said
    source: Source
    id: MemoryId | None = None  # None: computed from the content
    title: str | None = None
    aliases: tuple[str, ...] = ()
    sensitivity: Sensitivity = Sensitivity.PROJECT
    importance: float = 1.0  # 0..2
    confidence: float = 1.0  # 0..1
    valid_from: datetime | None = None  # None: since it was said
    valid_to: datetime | None = None  # None: still true
    superseded_by: MemoryId | None = None  # may name a memory that is stored later
    evidence: tuple[str, ...] = ()  # the sentences it was taken from
    anchors: tuple[Anchor, ...] = ()
    seen: int = 1  # how often it was said
    use: Usage = NEVER_USED
    mentions: tuple[Mention, ...] = ()  # the last places where it was repeated
    flag: str | None = None  # why it is not injected until a person accepts it
    conflicts: tuple[MemoryId, ...] = ()  # memories that it contradicts, until a person decides
    tier: Tier = Tier.CONFIRMED
    durability: float = 1.0  # 0..1, how likely it matters in a later session
    rules: int | None = None  # version of the rules that captured it; None: not captured, or by the first version

    def __post_init__(self) -> None:
        _check_fields(self)
        _check_parts(self)
        check_time(self.at)
        if self.valid_from is not None:
            check_time(self.valid_from)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One thing worth knowing later."""

    id: MemoryId
    text: str
    kind: Kind
    scope: Scope
    created_at: datetime
    valid_from: datetime
    source: Source
    title: str | None = None
    aliases: tuple[str, ...] = ()
    sensitivity: Sensitivity = Sensitivity.PROJECT
    importance: float = 1.0  # 0..2
    confidence: float = 1.0  # 0..1
    valid_to: datetime | None = None  # None: still true
    superseded_by: MemoryId | None = None
    evidence: tuple[str, ...] = ()  # the sentences it was taken from
    anchors: tuple[Anchor, ...] = ()
    seen: int = 1  # how often it was said
    use: Usage = NEVER_USED
    mentions: tuple[Mention, ...] = ()  # the last places where it was repeated
    flag: str | None = None  # why it is not injected until a person accepts it
    conflicts: tuple[MemoryId, ...] = ()  # memories that it contradicts, until a person decides
    tier: Tier = Tier.CONFIRMED
    durability: float = 1.0  # 0..1, how likely it matters in a later session
    rules: int | None = None  # version of the rules that captured it; None: not captured, or by the first version
    forgotten_at: datetime | None = None  # set: hidden from every search, and deleted when the undo window ends

    def __post_init__(self) -> None:
        _check_fields(self)

    @property
    def is_live(self) -> bool:
        return self.valid_to is None and self.superseded_by is None and self.forgotten_at is None


def _check_parts(draft: Draft) -> None:
    """Limit the parts: a memory is read at every session start."""
    for what in ("aliases", "evidence", "anchors", "conflicts", "mentions"):
        if len(getattr(draft, what)) > MAX_PARTS:
            raise InvalidValue(f"It has {len(getattr(draft, what)):,} {what}; a memory takes at most {MAX_PARTS}.")
    if draft.id is not None and (draft.superseded_by == draft.id or draft.id in draft.conflicts):
        raise InvalidValue(f"The memory {draft.id!r} names itself in superseded_by or conflicts.")


def _check_fields(value: Draft | Memory) -> None:
    _check_text(value.text)
    for sentence in value.evidence:
        _check_text(sentence)
    check_names((value.id, "id"))
    for alias in value.aliases:
        check_name(alias, "alias")
    title = value.title or ""
    if len(title) > MAX_TITLE_CHARS or _has_lone_surrogate(title):
        raise InvalidValue(f"The title is not usable: it takes at most {MAX_TITLE_CHARS} characters of valid Unicode.")
    if not 0 <= value.importance <= 2:
        raise InvalidValue(f"The importance is {value.importance}; it must be from 0 to 2.")
    if not 0 <= value.confidence <= 1:
        raise InvalidValue(f"The confidence is {value.confidence}; it must be from 0 to 1.")
    if not 0 <= value.durability <= 1:
        raise InvalidValue(f"The durability is {value.durability}; it must be from 0 to 1.")
    if value.rules is not None and value.rules < 1:
        raise InvalidValue(f"The version of the rules is {value.rules}; it must be at least 1.")
    if value.seen < 1:
        raise InvalidValue("`seen` must be at least 1.")
    if value.valid_to is not None:
        check_time(value.valid_to)
    check_names((value.superseded_by, "id in superseded_by"), (value.flag, "flag"))
    for known in value.conflicts:
        check_name(known, "id in conflicts")


def _check_text(text: str) -> None:
    if not text.strip():
        raise InvalidValue("The text is empty; say what to remember.")
    if len(text) > MAX_TEXT_CHARS:
        raise InvalidValue(
            f"The text has {len(text):,} characters; a memory takes at most {MAX_TEXT_CHARS:,}. "
            "Split it, or name a file."
        )
    if "\x00" in text:
        raise InvalidValue("The text has a NUL character; remove it.")
    if _has_lone_surrogate(text):
        raise InvalidValue("The text is not valid Unicode (it has a lone surrogate).")


def _has_lone_surrogate(text: str) -> bool:
    return not text.isprintable() and any("\ud800" <= character <= "\udfff" for character in text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """The reader of memories; `privacy.visibility` decides what each may see."""

    project: ProjectId | None = None  # None: outside of every project
    language: str | None = None
    session: SessionId | None = None
    shares_preferences: bool = False  # also sees the preferences of other projects

    def __post_init__(self) -> None:
        check_names((self.project, "project"), (self.language, "language"), (self.session, "session"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A memory found by a search, with the reasons for its rank."""

    memory: Memory
    relevance: float  # 0..1, how well it fits what was asked
    score: float  # 0..1, relevance and the other factors together
    factors: Mapping[str, float] = field(default_factory=dict)
    freshness: Freshness = NOT_CHECKED  # of its files
