"""Every default in one frozen tree. What each means stands beside it; files and environment are read in `config`."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from recollect.domain.memory import Kind

Table = Mapping[Kind, float]
Flags = Mapping[Kind, bool]

# Files that hold secrets in most projects and homes, as globs of a .gitignore; the last one that matches decides.
SECRET_PATHS = (
    ".env",
    ".env.*",
    "!.env.example",
    "!.env.sample",
    "!.env.template",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "*.tfstate",
    "*.tfstate.*",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    ".ssh/",
    ".gnupg/",
    ".aws/credentials",
    ".azure/",
    ".config/gcloud/",
    ".docker/config.json",
    ".kube/config",
    ".git-credentials",
    ".netrc",
    ".npmrc",
    ".pgpass",
    ".pypirc",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """How much a block may cost."""

    start_tokens: int = 2000  # the start block, fence and headers included
    turn_tokens: int = 800  # one turn block
    turn_lines_first: int = 10  # lines on the first prompt of a session
    turn_lines_later: int = 5  # lines on every later prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """The block at the start of a session."""

    enabled: bool = True  # whether a session gets a start block
    preferences: int = 20  # how many preferences, rules and corrections are candidates
    decisions: int = 10  # how many decisions are candidates
    decision_days: int = 30  # older decisions are left to the turns
    files: int = 10  # how many file contexts are candidates
    errors: int = 5  # how many error patterns are candidates
    error_days: int = 60  # older errors are left to the turns
    floor: float = 0.30  # preferences, rules and corrections need none
    scope_weight: float = 0.40  # weight of the scope in the start score
    frequency_weight: float = 0.30  # weight of how often it was said
    recency_weight: float = 0.20  # weight of its age


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """The block on a prompt."""

    enabled: bool = True  # whether prompts get turn blocks
    min_prompt_chars: int = 20  # a shorter prompt without an identifier asks only for what it calls by name
    later_threshold: float = 0.10  # added to the thresholds after the first prompt
    relative_cut: float = 0.5  # hits below this share of the best are dropped, unless they were called by name
    candidates: int = 50  # how many matches of the search are weighed
    relevance_weight: float = 0.40  # weight of the relevance in a turn's score
    recency_weight: float = 0.20  # weight of its age
    importance_weight: float = 0.15  # weight of its importance
    frequency_weight: float = 0.10  # weight of how often it was said
    kind_weight: float = 0.15  # weight of its kind's priority
    entity_weight: float = 0.05  # weight of naming what the prompt names, or a file of the session


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Finding something again, when somebody asks for it."""

    hits: int = 10  # how many are shown, unless the question asks for all of something
    candidates: int = 20  # how many matches are weighed
    meaning_floor: float = 0.08  # what shares no word with the question must be so relevant: a cosine of about .30
    relevance_weight: float = 0.70  # weight of the relevance in the score of what was asked for
    recency_weight: float = 0.10  # weight of its age
    importance_weight: float = 0.10  # weight of its importance
    frequency_weight: float = 0.05  # weight of how often it was said
    kind_weight: float = 0.05  # weight of its kind's priority
    entity_weight: float = 0.05  # weight of naming what the question names


@dataclass(frozen=True, slots=True, kw_only=True)
class Stale:
    """Memories whose files are not as they were."""

    changed_factor: float = 0.6  # the score is multiplied by this where a file has changed; 1 = as if it had not
    gone_factor: float = 0.4  # the same where a file is gone


@dataclass(frozen=True, slots=True, kw_only=True)
class Daemon:
    """The resident process."""

    idle_minutes: float = 30.0  # without a request for so long, the daemon ends; 0 = never


@dataclass(frozen=True, slots=True, kw_only=True)
class Privacy:
    """What is seen where, and what is never looked at."""

    share_preferences: bool = False  # preferences of other projects are seen too
    ignored_paths: tuple[str, ...] = SECRET_PATHS  # nothing of these files is remembered; what is set comes on top


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget:
    """How forgetting works."""

    undo_hours: float = 24.0  # how long a forgotten memory can be brought back; 0: it is gone at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """What is kept of sessions."""

    days: int = 365  # how long the turns of sessions are kept; 0 = nothing is kept


def _threshold() -> Table:
    return {
        Kind.PREFERENCE: 0.30,
        Kind.RULE: 0.30,
        Kind.CORRECTION: 0.30,
        Kind.DECISION: 0.40,
        Kind.FILE_CONTEXT: 0.45,
        Kind.RESEARCH: 0.45,
        Kind.ERROR_PATTERN: 0.50,
        Kind.OUTCOME: 0.55,
    }


def _half_life() -> Table:
    return {
        Kind.DECISION: 180,
        Kind.FILE_CONTEXT: 90,
        Kind.RESEARCH: 45,
        Kind.ERROR_PATTERN: 30,
        Kind.OUTCOME: 14,
    }


def _priority() -> Table:
    return {
        Kind.PREFERENCE: 1.0,
        Kind.RULE: 1.0,
        Kind.CORRECTION: 0.95,
        Kind.DECISION: 0.9,
        Kind.ERROR_PATTERN: 0.8,
        Kind.FILE_CONTEXT: 0.7,
        Kind.RESEARCH: 0.6,
        Kind.OUTCOME: 0.5,
    }


def _bug_fix_priority() -> Table:
    return {
        Kind.ERROR_PATTERN: 1.0,
        Kind.FILE_CONTEXT: 0.9,
        Kind.PREFERENCE: 0.8,
        Kind.RULE: 0.8,
        Kind.CORRECTION: 0.8,
        Kind.DECISION: 0.7,
        Kind.OUTCOME: 0.6,
        Kind.RESEARCH: 0.5,
    }


def _injected() -> Flags:
    return dict.fromkeys(Kind, True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kinds:
    """What differs by kind."""

    injected: Flags = field(default_factory=_injected)  # whether a kind may be injected; asked for, it is found anyway
    threshold: Table = field(default_factory=_threshold)  # relevance that a kind must reach in a turn
    half_life_days: Table = field(default_factory=_half_life)  # a kind that is not here never ages
    priority: Table = field(default_factory=_priority)  # which kind comes first when all else is equal
    bug_fix_priority: Table = field(default_factory=_bug_fix_priority)  # the same where something is to be fixed


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All of it."""

    budgets: Budgets = field(default_factory=Budgets)
    start: Start = field(default_factory=Start)
    turn: Turn = field(default_factory=Turn)
    search: Search = field(default_factory=Search)
    stale: Stale = field(default_factory=Stale)
    kinds: Kinds = field(default_factory=Kinds)
    daemon: Daemon = field(default_factory=Daemon)
    privacy: Privacy = field(default_factory=Privacy)
    forget: Forget = field(default_factory=Forget)
    archive: Archive = field(default_factory=Archive)
