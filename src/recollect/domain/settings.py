"""Every setting with its default, as one frozen tree. `config` reads files and environment. The comment behind a field
is its documentation: `config init` and docs/reference/settings.md copy it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from recollect.domain.memory import Kind

Table = Mapping[Kind, float]
Flags = Mapping[Kind, bool]

# Files with secrets in most projects and home folders: .gitignore globs; the last one that matches decides.
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


class TurnPlacement(StrEnum):
    """Where turn blocks go."""

    MESSAGE = "message"  # on the prompt, for good: earlier messages never change
    SYSTEM = "system"  # rewritten in the system prompt on every call: the provider's cache is lost each time


class Mode(StrEnum):
    """How a block reports memories that did not fit."""

    CONSERVATIVE = "conservative"  # their number
    AGGRESSIVE = "aggressive"  # nothing


class StartStyle(StrEnum):
    """How much a start block contains."""

    LEAN = "lean"  # rules, facts, commands, and where the last session ended
    FULL = "full"  # everything that may help, up to its budget: also decisions, errors, older sessions and an index


class Provider(StrEnum):
    """The language model that reads sessions, in addition to the rules that need none."""

    OFF = "off"  # none: sessions never leave this machine
    OPENAI = "openai"  # an OpenAI-compatible endpoint; most local servers are
    ANTHROPIC = "anthropic"  # an Anthropic-compatible endpoint
    HOST = "host"  # the host's own small model, asked by its plugin


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectSettings:
    """Injection in general: settings for every moment."""

    enabled: bool = True  # false: nothing is ever shown to a model
    placement: TurnPlacement = TurnPlacement.MESSAGE  # or "system": rewrite the block in the system prompt on each call
    mode: Mode = Mode.CONSERVATIVE  # or "aggressive": a block does not count the memories that did not fit
    log_days: int = 30  # how many days the reasons for showing or not showing a memory are kept; 0 = not at all


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """How large a block may be, in tokens, with its fence and headings. Unused shares go to the next part."""

    start_tokens: int = 2000  # the start block; the shares below scale with it
    universal_tokens: int = 300  # share for universal memories
    language_tokens: int = 300  # share for memories about the project's language
    project_tokens: int = 400  # share for memories of the project
    reserve_tokens: int = 200  # share for whichever of these three needs more
    codes_tokens: int = 450  # share for the notes of the last sessions
    summaries_tokens: int = 200  # share for their summaries
    index_tokens: int = 150  # share for the index of memories that can be opened by id
    turn_tokens: int = 800  # one turn block
    turn_doubtful_tokens: int = 300  # share of a turn block for memories with a relevance of at most .70
    turn_quote_tokens: int = 540  # quotes of earlier sessions may fill a turn block up to this size
    turn_lines_first: int = 3  # lines on the first prompt of a session
    turn_lines_later: int = 3  # lines on every later prompt
    error_tokens: int = 300  # the block on a failed tool call
    query_tokens: int = 500  # the answer to an agent that asks
    query_universal_tokens: int = 150  # share of the answer for universal memories
    query_language_tokens: int = 150  # share for memories about the project's language
    query_project_tokens: int = 200  # share for memories of the project
    query_whole_tokens: int = 1000  # after this many tokens in one live context, answers list only ids and titles
    compaction_share: float = 0.5  # size of the block for a summary, as a share of start_tokens
    live_start_tokens: int = 3000  # limit on start block and answers together in the live context
    live_turn_tokens: int = 3000  # limit on the blocks of prompts and errors together in the live context
    least_tokens: int = 200  # a budget never shrinks below this
    most_tokens: int = 3000  # no block is larger, whatever the other settings say
    large_prompt_tokens: int = 5000  # a longer prompt shrinks the budget of its block ...
    large_prompt_share: float = 0.5  # ... but to no less than this share
    window_share: float = 0.05  # largest share of the model's context window for one block


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """The start block."""

    enabled: bool = True  # whether a session gets a start block
    style: StartStyle = StartStyle.LEAN  # or "full": also older sessions, more memories and an index of further ones
    facts: int = 5  # maximum number of facts and decisions of the user in a lean block, from the last `decision_days`
    tied: int = 3  # maximum number of memories about the current work: its branch, its files
    preferences: int = 20  # preferences, rules and corrections considered; this and the next ones are for "full"
    decisions: int = 10  # decisions considered
    decision_days: int = 30  # older decisions are left to the turn blocks
    files: int = 10  # file contexts considered
    errors: int = 5  # error patterns considered
    error_days: int = 60  # older errors are left to the turn blocks
    others: int = 5  # findings and outcomes considered
    other_days: int = 14  # older ones are left to the turn blocks
    sessions: int = 5  # recaps of this many last sessions
    older_sessions: int = 25  # and one line each for this many before them, if there is room
    note_half_life_days: float = 1.0  # notes of sessions before the last one are shown for two half-lives
    index_entries: int = 20  # further memories listed by title and id
    prepared_minutes: float = 5.0  # maximum age of a block prepared in the background; 0 = never prepared
    floor: float = 0.30  # minimum start score; preferences, rules and corrections need none
    scope_weight: float = 0.40  # weight of the scope in the start score
    frequency_weight: float = 0.30  # weight of how often it was said
    recency_weight: float = 0.20  # weight of its age
    task_weight: float = 0.10  # weight of how useful its kind is for the task, if the task is known


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnSettings:
    """The turn block: the block on a prompt."""

    enabled: bool = True  # whether prompts get turn blocks
    min_prompt_chars: int = 20  # a shorter prompt without an identifier finds only memories that it calls by name
    later_threshold: float = 0.10  # added to the thresholds after the first prompt
    relative_cut: float = 0.5  # hits below this share of the best are dropped, unless the prompt calls them by name
    candidates: int = 50  # matches of the search that are scored
    relevance_weight: float = 0.40  # weight of the relevance in a turn's score
    recency_weight: float = 0.20  # weight of its age
    importance_weight: float = 0.15  # weight of its importance
    frequency_weight: float = 0.10  # weight of how often it was said
    kind_weight: float = 0.15  # weight of its kind's priority
    entity_weight: float = 0.05  # weight of naming something that the prompt names, or a file of the session
    favoured_share: float = 0.6  # largest share of the lines that goes first to the kinds that help this type of agent
    quotes: bool = True  # whether a turn block quotes earlier sessions of the project
    quote_threshold: float = 0.50  # how likely the prompt must be about the quoted topic


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolError:
    """The block on a failed tool call."""

    enabled: bool = True  # whether a known error is answered with its fix
    lines: int = 3  # maximum number of known errors


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """The block for the host's model when it summarises a session."""

    enabled: bool = True  # whether there is such a block
    entries: int = 10  # maximum number of memories
    sessions: int = 3  # maximum number of summaries of earlier sessions
    recency_weight: float = 0.40  # weight of a memory's age
    importance_weight: float = 0.30  # weight of its kind
    agent_weight: float = 0.20  # weight of coming from the same type of agent
    keyword_weight: float = 0.10  # weight of the words it shares with the session's last prompts


@dataclass(frozen=True, slots=True, kw_only=True)
class OnDemand:
    """The answer to an agent that asks with a tool."""

    enabled: bool = True  # whether there is an answer
    threshold: float = 0.50  # minimum relevance of a memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """Learning from whether a shown memory was used."""

    enabled: bool = True  # whether replies are compared with what was shown
    reach: float = 0.15  # how much use can raise or lower a score, at most; it never changes the relevance
    feedback_weight: int = 3  # how many replies a person's vote counts for


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """Learning from sessions, without a language model."""

    enabled: bool = True  # false: nothing is learnt, and no turn is archived
    conversation: bool = True  # learn from what user and agent say
    tools: bool = True  # learn from tools: errors and their fixes, commands that work, plans, commits
    summaries: bool = True  # learn from what the host's model writes when it compacts a session or ends a turn
    notes: bool = True  # write notes and a summary of each session, for the next one
    headless: bool = False  # true: also learn from sessions of CI and scripts, where no person is present
    approval: bool = False  # true: captured memories wait for `recollect review` and are not shown before
    confirmed_per_session: int = 40  # maximum number of confirmed memories from one session
    candidates_per_session: int = 40  # maximum number of candidates; those most likely to matter later stay
    durability: float = 0.35  # minimum likelihood to matter later; below it, nothing becomes a candidate
    silent_minutes: float = 30.0  # a session without an event for this long counts as ended when the next one starts
    fade_days: int = 60  # candidates that were not needed for this many days are dropped; 0 = never


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractorSettings:
    """A language model that also reads sessions. While none is set, nothing is sent."""

    provider: Provider = Provider.OFF  # "openai" or "anthropic": an endpoint with that API; "host": the host's model
    endpoint: str = ""  # its address, as https://api.example.com/v1; plain http only on this machine
    model: str = ""  # the model's name at the endpoint
    key_env: str = ""  # name of the environment variable with the key, never the key; not needed on this machine
    tokens_per_day: int = 50_000  # maximum per day (UTC), questions and answers together
    request_tokens: int = 3000  # maximum of an exchange (with "host": a session) that is sent; the rest is cut
    answer_tokens: int = 1000  # maximum size of an answer
    timeout_seconds: float = 30.0  # for a whole call; after that only the rules apply
    max_items: int = 8  # maximum number of memories from one answer
    idle_minutes: float = 10.0  # with "host": ask about a session, once, after it was silent for this long


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """Search on request."""

    hits: int = 10  # results shown, unless the question asks for all of something
    candidates: int = 20  # matches that are scored
    meaning_floor: float = 0.08  # minimum relevance without a word in common with the question: a cosine of about .30
    relevance_weight: float = 0.70  # weight of the relevance in the score
    recency_weight: float = 0.10  # weight of its age
    importance_weight: float = 0.10  # weight of its importance
    frequency_weight: float = 0.05  # weight of how often it was said
    kind_weight: float = 0.05  # weight of its kind's priority
    entity_weight: float = 0.05  # weight of naming something that the question names


@dataclass(frozen=True, slots=True, kw_only=True)
class Stale:
    """Memories whose files have changed or are gone."""

    changed_factor: float = 0.6  # multiplies the score if a file has changed; 1 = no effect
    gone_factor: float = 0.4  # the same if a file is gone


@dataclass(frozen=True, slots=True, kw_only=True)
class Daemon:
    """The background process."""

    idle_minutes: float = 30.0  # the daemon exits after this long without a request; 0 = never
    port: int = 0  # also listen on this port of 127.0.0.1, for clients with the token; after a restart; 0 = off


@dataclass(frozen=True, slots=True, kw_only=True)
class Privacy:
    """Sharing between projects, and files that are never read."""

    share_preferences: bool = False  # also show preferences of other projects
    ignored_paths: tuple[str, ...] = SECRET_PATHS  # nothing from these files is remembered; yours are added


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetSettings:
    """Forgetting."""

    undo_hours: float = 24.0  # how long a forgotten memory can be brought back; 0 = deleted at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """The archive of sessions."""

    days: int = 365  # how many days the turns of sessions are kept; 0 = none are kept


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


def _start_share() -> Table:
    return {
        Kind.PREFERENCE: 0.25,  # together with rules and corrections
        Kind.DECISION: 0.30,
        Kind.FILE_CONTEXT: 0.20,
        Kind.ERROR_PATTERN: 0.15,
        Kind.RESEARCH: 0.10,  # together with outcomes
    }


def _compaction_importance() -> Table:
    return {
        Kind.DECISION: 1.0,
        Kind.ERROR_PATTERN: 0.9,
        Kind.PREFERENCE: 0.8,
        Kind.RULE: 0.8,
        Kind.CORRECTION: 0.8,
        Kind.OUTCOME: 0.6,
        Kind.RESEARCH: 0.5,
        Kind.FILE_CONTEXT: 0.4,
    }


def _all_kinds() -> Flags:
    return dict.fromkeys(Kind, True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kinds:
    """Settings by kind."""

    injected: Flags = field(default_factory=_all_kinds)  # whether a kind may be injected; a search finds it anyway
    captured: Flags = field(default_factory=_all_kinds)  # whether a kind is learnt from sessions
    threshold: Table = field(default_factory=_threshold)  # minimum relevance of a kind in a turn block
    half_life_days: Table = field(default_factory=_half_life)  # a kind that is not listed never ages
    priority: Table = field(default_factory=_priority)  # which kind comes first when all else is equal
    bug_fix_priority: Table = field(default_factory=_bug_fix_priority)  # the same when something has to be fixed
    start_share: Table = field(default_factory=_start_share)  # of the start block; rules count with preferences
    compaction_importance: Table = field(default_factory=_compaction_importance)  # importance of a kind in a summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    inject: InjectSettings = field(default_factory=InjectSettings)
    budgets: Budgets = field(default_factory=Budgets)
    start: Start = field(default_factory=Start)
    turn: TurnSettings = field(default_factory=TurnSettings)
    tool_error: ToolError = field(default_factory=ToolError)
    compaction: Compaction = field(default_factory=Compaction)
    on_demand: OnDemand = field(default_factory=OnDemand)
    loop: Loop = field(default_factory=Loop)
    capture: Capture = field(default_factory=Capture)
    extractor: ExtractorSettings = field(default_factory=ExtractorSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    stale: Stale = field(default_factory=Stale)
    kinds: Kinds = field(default_factory=Kinds)
    daemon: Daemon = field(default_factory=Daemon)
    privacy: Privacy = field(default_factory=Privacy)
    forget: ForgetSettings = field(default_factory=ForgetSettings)
    archive: Archive = field(default_factory=Archive)
