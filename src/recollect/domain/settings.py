"""Every default in one frozen tree. What each means stands beside it; files and environment are read in `config`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

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


class Placing(StrEnum):
    """Where what fits a prompt is put."""

    MESSAGE = "message"  # on the prompt, for good: what was sent before stays as it was
    SYSTEM = "system"  # all of it anew in the system prompt on every call: the provider's cache is lost each time


class Mode(StrEnum):
    """What is said of memories that found no room."""

    CONSERVATIVE = "conservative"  # how many there are
    AGGRESSIVE = "aggressive"  # nothing


class StartStyle(StrEnum):
    """How much a start block says."""

    LEAN = "lean"  # rules, facts, commands, and where the last session ended
    FULL = "full"  # all that may help, up to its budget: also decisions, errors, older sessions and an index


class Provider(StrEnum):
    """Which language model reads sessions, beside the rules that need none."""

    OFF = "off"  # none: nothing of a session leaves this machine
    OPENAI = "openai"  # an endpoint that speaks as OpenAI's does; most local servers do
    ANTHROPIC = "anthropic"  # one that speaks as Anthropic's does
    HOST = "host"  # the host's own small model, asked by its plugin


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectSettings:
    """What holds at every moment."""

    enabled: bool = True  # false: nothing is ever put in front of a model
    placement: Placing = Placing.MESSAGE  # or "system": the whole block anew in the system prompt on each call
    mode: Mode = Mode.CONSERVATIVE  # or "aggressive": what found no room is not counted
    log_days: int = 30  # how long it is kept why something was or was not shown; 0 = not at all


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """How much a block may cost, in tokens, fence and headers included. Shares that are not used flow on."""

    start_tokens: int = 2000  # the start block; the shares of it below grow and shrink with it
    universal_tokens: int = 300  # of it for what holds everywhere
    language_tokens: int = 300  # for what holds in the project's language
    project_tokens: int = 400  # for what holds in the project
    reserve_tokens: int = 200  # for whichever of these needs more
    codes_tokens: int = 450  # for the notes of the last sessions
    summaries_tokens: int = 200  # for their summaries
    index_tokens: int = 150  # for what can be opened by its id
    turn_tokens: int = 800  # one turn block
    turn_doubtful_tokens: int = 300  # of it for what passes, but with a relevance of at most .70
    turn_quote_tokens: int = 540  # up to where what was said in earlier sessions may fill it
    turn_lines_first: int = 3  # lines on the first prompt of a session
    turn_lines_later: int = 3  # lines on every later prompt
    error_tokens: int = 300  # the block on a tool that failed
    query_tokens: int = 500  # the answer to an agent that asks
    query_universal_tokens: int = 150  # of it for what holds everywhere
    query_language_tokens: int = 150  # for what holds in the project's language
    query_project_tokens: int = 200  # for what holds in the project
    query_whole_tokens: int = 1000  # after so much in one live context, questions are answered with ids and titles
    compaction_share: float = 0.5  # of the start block's budget, for a summary
    live_start_tokens: int = 3000  # start block and answers that are in front of the model at once
    live_turn_tokens: int = 3000  # blocks of prompts and errors that are in front of the model at once
    least_tokens: int = 200  # a budget shrinks no further
    most_tokens: int = 3000  # no block is larger, whatever is set
    large_prompt_tokens: int = 5000  # a longer prompt shrinks its budget
    large_prompt_share: float = 0.5  # down to this share
    window_share: float = 0.05  # of what the model can read at once, for one block


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """The block at the start of a session."""

    enabled: bool = True  # whether a session gets a start block
    style: StartStyle = StartStyle.LEAN  # or "full": also older sessions, more memories and an index of further ones
    facts: int = 5  # how many facts and decisions of the user a lean block has at most, of the last `decision_days`
    tied: int = 3  # how many memories about the open work: its branch, its files
    preferences: int = 20  # how many preferences, rules and corrections are candidates; this and the next for "full"
    decisions: int = 10  # how many decisions are candidates
    decision_days: int = 30  # older decisions are left to the turns
    files: int = 10  # how many file contexts are candidates
    errors: int = 5  # how many error patterns are candidates
    error_days: int = 60  # older errors are left to the turns
    others: int = 5  # how many findings and outcomes are candidates
    other_days: int = 14  # older ones are left to the turns
    sessions: int = 5  # how many of the last sessions are told of
    older_sessions: int = 25  # and how many before these, in one line each, where there is room left
    note_half_life_days: float = 1.0  # notes of sessions before the last one are told for two of these
    index_entries: int = 20  # how many further memories are listed by title and id
    prepared_minutes: float = 5.0  # how old a block that was prepared in the background may be; 0 = never prepared
    floor: float = 0.30  # preferences, rules and corrections need none
    scope_weight: float = 0.40  # weight of the scope in the start score
    frequency_weight: float = 0.30  # weight of how often it was said
    recency_weight: float = 0.20  # weight of its age
    task_weight: float = 0.10  # weight of its kind's use for the task, as far as that is known


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnSettings:
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
    favoured_share: float = 0.6  # of the lines, at most, first for the kinds that help this type of agent
    quotes: bool = True  # whether a turn block quotes earlier sessions of the project
    quote_threshold: float = 0.50  # how surely the prompt is about what was said there


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolError:
    """The block on a tool that failed."""

    enabled: bool = True  # whether a known error is answered with its fix
    lines: int = 3  # at most so many known errors


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """What the host's model is told when it summarises a session."""

    enabled: bool = True  # whether it is told anything
    entries: int = 10  # memories at most
    sessions: int = 3  # summaries of earlier sessions at most
    recency_weight: float = 0.40  # weight of a memory's age
    importance_weight: float = 0.30  # weight of its kind
    agent_weight: float = 0.20  # weight of coming from the same type of agent
    keyword_weight: float = 0.10  # weight of the words it shares with the session's last prompts


@dataclass(frozen=True, slots=True, kw_only=True)
class OnDemand:
    """The answer to an agent that asks by a tool."""

    enabled: bool = True  # whether there is an answer
    threshold: float = 0.50  # relevance that a memory must reach


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """What is learnt from whether a shown memory was used."""

    enabled: bool = True  # whether replies are compared with what was shown
    reach: float = 0.15  # how far use lifts or lowers a score, at most; it never changes what is relevant
    feedback_weight: int = 3  # how many replies a person's word counts for


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """What is learnt from sessions, without a language model."""

    enabled: bool = True  # false: nothing is learnt, and no turn is kept
    conversation: bool = True  # from what user and agent say
    tools: bool = True  # from what tools do: errors and their fixes, commands that work, plans, commits
    summaries: bool = True  # from what the host's model writes when it compacts a session or closes a turn
    notes: bool = True  # notes and a summary of each session, for the next one
    headless: bool = False  # true: sessions of CI and scripts teach too, where nobody sits who could mean it
    approval: bool = False  # true: what is captured waits for `recollect review` and is not shown before
    confirmed_per_session: int = 40  # so many confirmed memories at most from one session
    candidates_per_session: int = 40  # so many candidates at most, the likeliest to matter later first
    durability: float = 0.35  # what is less likely to matter later is not even a candidate
    silent_minutes: float = 30.0  # a session that says nothing for so long has ended, as far as a later start knows
    fade_days: int = 60  # a candidate that nobody needed for so long is dropped; 0 = never


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractorSettings:
    """A language model that reads sessions too. Whoever sets none sends nothing."""

    provider: Provider = Provider.OFF  # "openai" or "anthropic": an endpoint that speaks so; "host": the host's model
    endpoint: str = ""  # where it is asked, as https://api.example.com/v1; plain http only on this machine
    model: str = ""  # the name by which the endpoint knows it
    key_env: str = ""  # the name of the variable that holds the key, never the key; none is needed on this machine
    tokens_per_day: int = 50_000  # so many at most from midnight to midnight UTC, questions and answers together
    request_tokens: int = 3000  # so much of an exchange, or with "host" of a session, is sent at most; more is cut
    answer_tokens: int = 1000  # an answer may have so many
    timeout_seconds: float = 30.0  # for a whole call; after that the rules have to do
    max_items: int = 8  # so many memories at most from one answer
    idle_minutes: float = 10.0  # "host": a session is asked about, once, when nothing was said in it for so long


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
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
    port: int = 0  # of 127.0.0.1, where it listens too, for whoever has its token; from its next start on; 0 = off


@dataclass(frozen=True, slots=True, kw_only=True)
class Privacy:
    """What is seen where, and what is never looked at."""

    share_preferences: bool = False  # preferences of other projects are seen too
    ignored_paths: tuple[str, ...] = SECRET_PATHS  # nothing of these files is remembered; what is set comes on top


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetSettings:
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


def _start_share() -> Table:
    return {
        Kind.PREFERENCE: 0.25,  # with rules and corrections
        Kind.DECISION: 0.30,
        Kind.FILE_CONTEXT: 0.20,
        Kind.ERROR_PATTERN: 0.15,
        Kind.RESEARCH: 0.10,  # with outcomes
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
    """What differs by kind."""

    injected: Flags = field(default_factory=_all_kinds)  # whether a kind may be injected; asked for, it is found anyway
    captured: Flags = field(default_factory=_all_kinds)  # whether a kind is learnt from sessions
    threshold: Table = field(default_factory=_threshold)  # relevance that a kind must reach in a turn
    half_life_days: Table = field(default_factory=_half_life)  # a kind that is not here never ages
    priority: Table = field(default_factory=_priority)  # which kind comes first when all else is equal
    bug_fix_priority: Table = field(default_factory=_bug_fix_priority)  # the same where something is to be fixed
    start_share: Table = field(default_factory=_start_share)  # of the start block's memories; rules with preferences
    compaction_importance: Table = field(default_factory=_compaction_importance)  # how much it matters in a summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All of it."""

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
