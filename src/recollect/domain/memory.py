"""Memories and their parts. Every value is checked once, at construction."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from enum import StrEnum
from operator import attrgetter
from typing import Any, NewType

from recollect.domain.codec import FieldType, Shape, field_types
from recollect.domain.errors import InvalidValue, describe_unknown
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
        # Every row that is read and every event comes here, so a usable name costs no further call.
        if name is not None and not (name.isprintable() and 0 < len(name) <= MAX_NAME_CHARS):
            check_name(name, what)


def _check_texts(*texts: str) -> None:
    for text in texts:
        # Almost every text of every row that is read passes here: it costs no further call.
        if not (text.isprintable() and text.strip() and len(text) <= MAX_TEXT_CHARS):
            _check_text(text)


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
    if not is_unicode(text):
        raise InvalidValue("The text is not valid Unicode (it has a lone surrogate).")


def _check_words(text: str, what: str) -> None:
    if not text.strip() or len(text) > MAX_TEXT_CHARS or "\x00" in text or not is_unicode(text):
        raise InvalidValue(
            f"The {what} is not usable: it takes 1 to {MAX_TEXT_CHARS:,} characters of valid Unicode, without NUL."
        )


def is_unicode(text: str) -> bool:
    """Return False for a lone surrogate, which cannot be written to a file."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


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


class Scope(str):
    """Where a memory is valid: `universal`, `language:python`, `project:ID` or `session:ID`. A scope is its text: rows,
    JSON and messages take it as it is."""

    __slots__ = ("level", "name")
    level: ScopeLevel
    name: str  # empty for universal only

    def __new__(cls, level: ScopeLevel, name: str = "") -> "Scope":
        if (level is ScopeLevel.UNIVERSAL) == bool(name):
            raise InvalidValue(f"The scope {f'{level}:{name}'!r} is not complete; {SCOPE_FORMS}.")
        if name:
            check_name(name, "name in the scope")
        scope = super().__new__(cls, f"{level}:{name}" if name else level)
        object.__setattr__(scope, "level", level)
        object.__setattr__(scope, "name", name)
        return scope

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("A scope does not change.")

    def __reduce__(self) -> tuple[type["Scope"], tuple[ScopeLevel, str]]:
        return Scope, (self.level, self.name)

    @classmethod
    def parse(cls, text: str) -> "Scope":
        level, _, name = text.partition(":")
        if level not in list(ScopeLevel):
            raise InvalidValue(f"There is no scope {text!r}; {SCOPE_FORMS}.")
        return cls(ScopeLevel(level), name.lower() if level == ScopeLevel.LANGUAGE else name)

    @classmethod
    def project(cls, project: ProjectId) -> "Scope":
        return cls(ScopeLevel.PROJECT, project)


SCOPE_FORMS = "a scope is universal, language:NAME, project:ID or session:ID"
UNIVERSAL = Scope(ScopeLevel.UNIVERSAL)


def parse_kind(text: str) -> Kind:
    """Read the name of a kind, ours or that of another tool."""
    if text in KINDS_ELSEWHERE:
        return KINDS_ELSEWHERE[text]
    if text in list(Kind):
        return Kind(text)
    raise InvalidValue(describe_unknown("kind", text, list(Kind)))


def text_fields(record: type) -> tuple[str, ...]:
    return tuple(one.name for one in field_types(record) if one.shape is Shape.TEXT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    role: Role
    host: str | None = None
    session: SessionId | None = None
    message: MessageId | None = None
    agent: str | None = None  # "plan", "build" ...

    def __post_init__(self) -> None:
        check_names(*zip(_source_names(self), SOURCE_NAMES, strict=True))


SOURCE_NAMES = text_fields(Source)
_source_names = attrgetter(*SOURCE_NAMES)


@dataclass(frozen=True, slots=True)
class Anchor:
    """A file that a memory is about, as it was then."""

    path: str
    hash: str | None = None  # of the content: the git blob id if there is one

    def __post_init__(self) -> None:
        check_names(*zip(_anchor_names(self), _ANCHOR_LABELS, strict=True))


_anchor_names = attrgetter(*text_fields(Anchor))
_ANCHOR_LABELS = [f"{name} of an anchor" for name in text_fields(Anchor)]


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
class Mention(Source):
    """A repetition of a known memory: where, and when."""

    at: datetime

    def __post_init__(self) -> None:
        Source.__post_init__(self)  # slots=True creates a new class: a bare super() would miss it
        check_time(self.at)

    @classmethod
    def of(cls, source: Source, at: datetime) -> "Mention":
        return cls(**{one.name: getattr(source, one.name) for one in fields(Source)}, at=at)


# The parts of a memory. Only `Draft` and `Memory` have slots and methods for them: two bases with slots of their own
# cannot be combined.


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class Content:
    """The words of a memory, and who may see them."""

    __slots__ = ()
    text: str
    kind: Kind
    scope: Scope
    title: str | None = None
    aliases: tuple[str, ...] = ()
    sensitivity: Sensitivity = Sensitivity.PROJECT
    importance: float = 1.0  # 0..2

    def __post_init__(self) -> None:
        _check_texts(self.text)
        for alias in self.aliases:
            check_name(alias, "alias")
        if self.title and (len(self.title) > MAX_TITLE_CHARS or not is_unicode(self.title)):
            raise InvalidValue(
                f"The title is not usable: it takes at most {MAX_TITLE_CHARS} characters of valid Unicode."
            )
        if not 0 <= self.importance <= 2:
            raise InvalidValue(f"The importance is {self.importance}; it must be from 0 to 2.")


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class Validity:
    """Whether a memory is still true, and whether it may be shown."""

    __slots__ = ()
    valid_to: datetime | None = None  # None: still true
    superseded_by: MemoryId | None = None  # may name a memory that is stored later
    flag: str | None = None  # why it is not injected until a person accepts it
    conflicts: tuple[MemoryId, ...] = ()  # memories that it contradicts, until a person decides

    def __post_init__(self) -> None:
        if self.valid_to is not None:
            check_time(self.valid_to)
        if (self.superseded_by, self.flag) != (None, None):
            check_names((self.superseded_by, "id in superseded_by"), (self.flag, "flag"))
        for known in self.conflicts:
            check_name(known, "id in conflicts")


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class Provenance:
    """Where a memory comes from, and how far it is trusted."""

    __slots__ = ()
    source: Source
    confidence: float = 1.0  # 0..1
    evidence: tuple[str, ...] = ()  # the sentences it was taken from
    anchors: tuple[Anchor, ...] = ()
    seen: int = 1  # how often it was said
    mentions: tuple[Mention, ...] = ()  # the last places where it was repeated
    tier: Tier = Tier.CONFIRMED
    durability: float = 1.0  # 0..1, how likely it matters in a later session
    rules: int | None = None  # version of the rules that captured it; None: not captured, or by the first version

    def __post_init__(self) -> None:
        if self.evidence:
            _check_texts(*self.evidence)
        if not 0 <= self.confidence <= 1:
            raise InvalidValue(f"The confidence is {self.confidence}; it must be from 0 to 1.")
        if not 0 <= self.durability <= 1:
            raise InvalidValue(f"The durability is {self.durability}; it must be from 0 to 1.")
        if self.rules is not None and self.rules < 1:
            raise InvalidValue(f"The version of the rules is {self.rules}; it must be at least 1.")
        if self.seen < 1:
            raise InvalidValue("`seen` must be at least 1.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft(Provenance, Validity, Content):
    """A proposed memory; `engine.remember` decides what to do with it."""

    at: datetime  # when it was said
    id: MemoryId | None = None  # None: computed from the content
    valid_from: datetime | None = None  # None: since it was said
    use: Usage = NEVER_USED

    def __post_init__(self) -> None:
        Content.__post_init__(self)
        Validity.__post_init__(self)
        Provenance.__post_init__(self)
        check_names((self.id, "id"))
        _check_parts(self)
        check_time(self.at)
        if self.valid_from is not None:
            check_time(self.valid_from)
        _check_later_fields(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory(Provenance, Validity, Content):
    """One thing worth knowing later."""

    id: MemoryId
    created_at: datetime
    valid_from: datetime
    use: Usage = NEVER_USED
    forgotten_at: datetime | None = None  # set: hidden from every search, and deleted when the undo window ends

    def __post_init__(self) -> None:
        Content.__post_init__(self)
        Validity.__post_init__(self)
        Provenance.__post_init__(self)
        check_names((self.id, "id"))
        _check_later_fields(self)

    @property
    def is_live(self) -> bool:
        return self.valid_to is None and self.superseded_by is None and self.forgotten_at is None

    @classmethod
    def from_draft(cls, draft: Draft, memory_id: MemoryId) -> "Memory":
        """Return a draft as the memory with this id: all fields that both have, valid since it was said."""
        shared = {one.name: getattr(draft, one.name) for one in fields(Draft) if one.name in cls.__slots__}
        own = {"id": memory_id, "text": draft.text.strip(), "created_at": draft.at}
        return cls(**(shared | own | {"valid_from": draft.valid_from or draft.at}))


# The order in which hashes and exports of the first versions have the fields. It never changes. Fields that are not in
# it follow in the order of their definition.
FIELD_ORDER = (
    *("id", "text", "kind", "scope", "title", "aliases", "sensitivity", "importance", "confidence", "created_at"),
    *("valid_from", "valid_to", "superseded_by", "seen", "source", "evidence", "anchors", "use", "mentions", "flag"),
    *("conflicts", "tier", "durability", "rules", "forgotten_at"),
)


# The texts that are names: they stay as they are, and a draft with a secret in one is refused.
NAMES = {"id": "id", "superseded_by": "id in superseded_by", "flag": "flag", "conflicts": "id in conflicts"}
# All other texts are words of people and agents. They are redacted.
WORDS = [one for one in field_types(Memory, FIELD_ORDER) if one.shape is Shape.TEXT and one.name not in NAMES]
_MAX_CHARS = {"title": MAX_TITLE_CHARS, "aliases": MAX_NAME_CHARS}  # of other words it is MAX_TEXT_CHARS
LATER_FIELDS = [one for one in field_types(Memory) if one.name not in FIELD_ORDER]


def parts_of(value: object, one: FieldType) -> tuple[Any, ...]:
    """Return the value of a field, or each value of a list. None has no parts."""
    part = getattr(value, one.name)
    if one.is_list:
        return tuple(part)
    return () if part is None else (part,)


def all_texts(value: Draft | Memory) -> list[str]:
    """Return every text of a memory."""
    return [text for one in WORDS for text in parts_of(value, one)]


def later_fields(value: Draft | Memory) -> dict[str, Any]:
    """Return the later fields that have a value of their own."""
    return {one.name: getattr(value, one.name) for one in LATER_FIELDS if getattr(value, one.name) != one.default}


def _check_later_fields(value: Draft | Memory) -> None:
    """The earlier fields have checks of their own, with rules that old databases keep."""
    for one in LATER_FIELDS:
        for part in parts_of(value, one) if getattr(value, one.name) != one.default else ():
            if one.shape is Shape.TIME:
                check_time(part)
            elif one.shape is Shape.TEXT:
                _check_words(part, one.name)


def rewrite_memory(memory: Memory, rewrite: Callable[[str], str]) -> Memory:
    """Rewrite every text, cut to its limit: a mark may be longer than the secret was."""
    rewritten: dict[str, Any] = {}
    for one in WORDS:
        most = _MAX_CHARS.get(one.name, MAX_TEXT_CHARS)
        texts = tuple(rewrite(text)[:most] for text in parts_of(memory, one))
        if texts:
            rewritten[one.name] = texts if one.is_list else texts[0]
    return replace(memory, **rewritten)


_LISTS = [one.name for one in field_types(Draft) if one.is_list]


def _check_parts(draft: Draft) -> None:
    """Limit the parts: a memory is read at every session start."""
    for what in _LISTS:
        if len(getattr(draft, what)) > MAX_PARTS:
            raise InvalidValue(f"It has {len(getattr(draft, what)):,} {what}; a memory takes at most {MAX_PARTS}.")
    if draft.id is not None and (draft.superseded_by == draft.id or draft.id in draft.conflicts):
        raise InvalidValue(f"The memory {draft.id!r} names itself in superseded_by or conflicts.")


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
