"""Says in words for a person why a memory was shown or not."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import assert_never

from recollect.cli.display import output
from recollect.domain.event import Asked, Compacting, Event, Prompt, SessionStarted, ToolFailed
from recollect.domain.injection import Choice, Injection, LogEntry, Moment, QuietReason, QuotedTurn, Verdict
from recollect.domain.memory import MemoryId

MOMENTS: Mapping[type[Event], Moment] = {
    SessionStarted: Moment.START,
    Prompt: Moment.PROMPT,
    ToolFailed: Moment.TOOL_ERROR,
    Compacting: Moment.COMPACTION,
    Asked: Moment.ON_DEMAND,
}
NAMES: Mapping[Moment, str] = {
    Moment.START: "session start",
    Moment.PROMPT: "prompt",
    Moment.TOOL_ERROR: "failed tool",
    Moment.COMPACTION: "compaction",
    Moment.ON_DEMAND: "question of the agent",
}
IN_THE_BLOCK = (Verdict.SHOWN, Verdict.SHORT, Verdict.RECALLED, Verdict.LISTED)
_NOT_WHOLE = {Verdict.SHORT: "in short", Verdict.RECALLED: "recalled", Verdict.LISTED: "by title"}
_LEFT_OUT = (Verdict.LINES, Verdict.BUDGET)
WITHOUT_QUESTION = (Moment.START, Moment.COMPACTION)  # no question is asked there, so relevance means nothing
A_LINE_TOKENS = 100  # if more is left, the share of this kind was full, not the whole budget
OF_RELEVANCE = ("words", "meaning", "named", "signature", "code")
SWITCHES: Mapping[Moment, str] = {
    Moment.START: "start.enabled",
    Moment.PROMPT: "turn.enabled",
    Moment.TOOL_ERROR: "tool_error.enabled",
    Moment.COMPACTION: "compaction.enabled",
    Moment.ON_DEMAND: "on_demand.enabled",
}


def number(value: float) -> str:
    """`.83`, as thresholds are written."""
    return f"{value:.2f}".removeprefix("0").removesuffix(".00") or ".00"


def cost(injection: Injection, ms: float) -> str:
    return f"{injection.tokens:,} of {injection.budget_tokens:,} tokens, {count_shown(injection)}, {ms:.1f} ms"


def count_shown(injection: Injection) -> str:
    """`1 shown, 2 in short of 12 considered, 1 quoted`; memories in short do not count as shown."""
    verdicts = Counter(choice.verdict for choice in injection.choices)
    parts = []
    if injection.ids:
        parts.append(f"{len(injection.ids):,} shown")
    for verdict, how in _NOT_WHOLE.items():
        if verdicts[verdict]:
            parts.append(f"{verdicts[verdict]:,} {how}")
    counts = f"{', '.join(parts) or '0 shown'} of {injection.considered:,} considered"
    return f"{counts}, {len(injection.quoted):,} quoted" if injection.quoted else counts


def silence(injection: Injection, point: Moment) -> str:
    return f"Nothing shown: {silence_reason(injection, point)}."


def silence_reason(injection: Injection, point: Moment) -> str:
    if injection.quiet is not None:
        return _quiet_reason(injection.quiet, point)
    if not injection.considered:
        return "no memory comes near"
    considered = output.many(injection.considered, "memory", "memories")
    return f"{considered} considered, {_no_fit_reason(injection)}"


def _no_fit_reason(injection: Injection) -> str:
    verdicts = {choice.verdict for choice in injection.choices if choice.relevance >= choice.needed}
    if not verdicts:
        return "none fits well enough"
    if verdicts <= {Verdict.LIVE, Verdict.HEARD}:
        return "and what fits is in the live context already"
    return "and what fits was left out"


def _quiet_reason(quiet: QuietReason, point: Moment) -> str:
    match quiet:
        case QuietReason.OFF:
            return f"the settings switch it off (inject.enabled or {SWITCHES[point]}; see `recollect config show`)"
        case QuietReason.PAUSED:
            return "Recollect was paused (see `recollect status`; `recollect resume` ends a pause)"
        case QuietReason.OPTED_OUT:
            return "the prompt or its session asked for no memories"
        case QuietReason.IDLE:
            return (
                "the prompt has no words to search for, or it is short (turn.min_prompt_chars) and names nothing "
                "that is known"
            )
        case QuietReason.OWN_CONTEXT:
            return "the prompt is a command, a plan or a long text, and brings its own context"
        case QuietReason.GENERIC:
            return "the error text is too general to recognise"
        case QuietReason.CAP:
            return "the live context already has as many tokens of memories as the settings allow (`[budgets]`)"
        case _ as never:
            assert_never(never)


def breakdown(choice: Choice, point: Moment) -> str:
    """`score .71: relevance .80 (needed .40; words .67, meaning .80), recency .98, ...`"""
    parts = []
    if point not in WITHOUT_QUESTION and not _is_of_the_start(choice):
        parts.append(_relevance(choice))
    no_parts = ("relevance", "base", *OF_RELEVANCE)
    others = {name: value for name, value in choice.factors.items() if name not in no_parts}
    if others:
        parts.append(_list_factors(others))
    score = f"score {number(choice.score)}"
    return f"{score}: {', '.join(parts)}" if parts else score


def _relevance(choice: Choice) -> str:
    about = []
    if choice.needed:
        about.append(f"needed {number(choice.needed)}")
    made_of = {name: choice.factors[name] for name in OF_RELEVANCE if name in choice.factors}
    if made_of:
        about.append(_list_factors(made_of))
    relevance = f"relevance {number(choice.relevance)}"
    return f"{relevance} ({'; '.join(about)})" if about else relevance


def why_not(choice: Choice, sent: LogEntry, log: Sequence[LogEntry]) -> str:
    injection, kind = sent.injection, choice.kind.value.replace("_", " ")
    match choice.verdict:
        case Verdict.SHOWN:
            return "shown"
        case Verdict.SHORT:
            return "shown in short, for lack of room; it does not count as shown"
        case Verdict.RECALLED:
            return f"recalled in one line: it is in the live context since {_moment_that_showed(choice.id, sent, log)}"
        case Verdict.LISTED:
            return "listed by its title"
        case Verdict.LIVE:
            return f"in the live context already, since {_moment_that_showed(choice.id, sent, log)}"
        case Verdict.THRESHOLD:
            # An answer to the agent's question has one threshold for all kinds.
            needs = "an answer" if sent.point is Moment.ON_DEMAND else _with_article(kind)
            return f"relevance {number(choice.relevance)}, {needs} needs {number(choice.needed)}"
        case Verdict.CUT:
            return f"relevance {number(choice.relevance)}, too far behind the best{_best(injection)}"
        case Verdict.OTHER:
            return f"relevance {number(choice.relevance)}, but it is about another error"
        case Verdict.FLOOR:
            return f"score {number(choice.score)}, a session start needs at least {number(choice.needed)}"
        case Verdict.LINES:
            return f"no line was left: {output.many(len(injection.ids), 'memory was', 'memories were')} before it"
        case Verdict.BUDGET:
            return _no_room(injection)
        case Verdict.SWITCHED_OFF:
            return f"the settings leave this kind out: {kind} (`[kinds.injected]`)"
        case Verdict.HEARD:
            return "it was said in this session, so it is in the live context"
        case Verdict.CANDIDATE:
            return (
                f"relevance {number(choice.relevance)}, but it is only a candidate: the words it was learnt from are "
                "quoted where they fit (`recollect review` confirms it)"
            )
        case _ as never:
            assert_never(never)


def why_quoted(turn: QuotedTurn) -> str:
    """`; the prompt is about earlier sessions by .91 (needed .80); words .45, meaning .52`"""
    reasons = turn.reasons
    if not reasons:  # logged by an earlier version
        return ""
    about = "the prompt names what this is about"
    if "topic" in reasons:
        topic, needed = number(reasons["topic"]), number(reasons["needed"])
        about = f"the prompt is about earlier sessions by {topic} (needed {needed})"
    scores = f"words {number(reasons['words'])}"
    if "meaning" in reasons:
        scores += f", meaning {number(reasons['meaning'])}"
    return f"; {about}; {scores}"


def _no_room(injection: Injection) -> str:
    left = max(0, injection.budget_tokens - injection.tokens)
    in_share = " in its share of the budget (`[budgets]`)" if left >= A_LINE_TOKENS else ""
    return f"no room{in_share}: {left:,} of {injection.budget_tokens:,} tokens were left"


def _is_of_the_start(choice: Choice) -> bool:
    """With placement = "system", one block has both the start block's memories and those for the prompt."""
    return "scope" in choice.factors and "relevance" not in choice.factors


def _best(injection: Injection) -> str:
    best = [choice.relevance for choice in injection.choices if choice.verdict in (*IN_THE_BLOCK, *_LEFT_OUT)]
    return f", {number(max(best))}" if best else ""


def _moment_that_showed(memory: MemoryId, sent: LogEntry, log: Sequence[LogEntry]) -> str:
    for one in log:
        is_before = one.context == sent.context and one.at <= sent.at and one is not sent
        if is_before and memory in one.injection.ids:
            return "the session's start" if one.message is None else f"{NAMES[one.point]} {one.message}"
    return "an earlier moment"


def _with_article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _list_factors(factors: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {number(value)}" for name, value in factors.items())
