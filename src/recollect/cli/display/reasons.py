"""Why something was shown, or was not, in words for a person."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import assert_never

from recollect.cli.display import output
from recollect.domain.injection import Choice, Injection, Moment, Quiet, Quoted, Sent, Verdict
from recollect.domain.memory import MemoryId

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
WITHOUT_QUESTION = (Moment.START, Moment.COMPACTION)  # nothing is asked there, so nothing is more relevant
A_LINE_TOKENS = 100  # where more is left than that, it was not the whole budget that ended
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
    """`143 of 800 tokens, 3 shown of 12 considered, 4.1 ms`"""
    return f"{injection.tokens:,} of {injection.budget_tokens:,} tokens, {shown(injection)}, {ms:.1f} ms"


def shown(injection: Injection) -> str:
    """`1 shown, 2 in short of 12 considered, 1 quoted`: what is in a block, also what does not count as shown."""
    verdicts = Counter(choice.verdict for choice in injection.choices)
    told = [(len(injection.ids), "shown"), *((verdicts[verdict], how) for verdict, how in _NOT_WHOLE.items())]
    parts = [f"{count:,} {how}" for count, how in told if count] or ["0 shown"]
    quoted = f", {len(injection.quoted):,} quoted" if injection.quoted else ""
    return f"{', '.join(parts)} of {injection.considered:,} considered{quoted}"


def silence(injection: Injection, point: Moment) -> str:
    """Why there is no block, in a sentence."""
    if injection.quiet is not None:
        return f"Silence: {_quiet(injection.quiet, point)}."
    if not injection.considered:
        return "Silence: nothing that is known comes near."
    considered = output.many(injection.considered, "memory", "memories")
    return f"Silence: {considered} considered, {_none_of(injection)}."


def _none_of(injection: Injection) -> str:
    verdicts = {choice.verdict for choice in injection.choices if choice.relevance >= choice.needed}
    if not verdicts:
        return "none fits well enough"
    if verdicts <= {Verdict.LIVE, Verdict.HEARD}:
        return "and what fits is in front of the model already"
    return "and what fits was kept back"


def _quiet(quiet: Quiet, point: Moment) -> str:
    match quiet:
        case Quiet.OFF:
            return f"the settings switch it off (inject.enabled or {SWITCHES[point]}; `recollect config show`)"
        case Quiet.PAUSED:
            return "Recollect was paused then (`recollect status`; `recollect resume` ends a pause)"
        case Quiet.OPTED_OUT:
            return "the prompt or its session asked not to be told anything"
        case Quiet.IDLE:
            return (
                "the prompt says nothing that could be looked for, or it is short (turn.min_prompt_chars) and calls "
                "nothing by its name"
            )
        case Quiet.OWN_CONTEXT:
            return "the prompt is a command, or a plan or a long text that brings its own context"
        case Quiet.GENERIC:
            return "the error says nothing that could be known again"
        case Quiet.CAP:
            return "as much as may be in front of the model is there already (`[budgets]`)"
        case _ as never:
            assert_never(never)


def breakdown(choice: Choice, point: Moment) -> str:
    """`score .71: relevance .80 (needed .40; words .67, meaning .80), recency .98, ...`"""
    factors = {name: value for name, value in choice.factors.items() if name != "relevance"}
    made_of = _listed({name: factors.pop(name) for name in OF_RELEVANCE if name in factors})
    parts = []
    if point not in WITHOUT_QUESTION and not _is_of_the_start(choice):
        needed = f"needed {number(choice.needed)}" if choice.needed else ""
        about = "; ".join(filter(None, [needed, made_of]))
        parts.append(f"relevance {number(choice.relevance)}" + (f" ({about})" if about else ""))
    parts.append(_listed({name: value for name, value in factors.items() if name != "base"}))
    told = ", ".join(filter(None, parts))
    return f"score {number(choice.score)}" + (f": {told}" if told else "")


def why_not(choice: Choice, sent: Sent, log: Sequence[Sent]) -> str:
    """What kept it out, with the number that decided."""
    injection, kind = sent.injection, choice.kind.value.replace("_", " ")
    match choice.verdict:
        case Verdict.SHOWN:
            return "shown"
        case Verdict.SHORT:
            return "shown in short: there was no room for all of it, and so it does not count as shown"
        case Verdict.RECALLED:
            return f"recalled in one line: it stands further up, since {_where(choice.id, sent, log)}"
        case Verdict.LISTED:
            return "listed by its title"
        case Verdict.LIVE:
            return f"in front of the model already, since {_where(choice.id, sent, log)}"
        case Verdict.THRESHOLD:
            needs = "an answer" if sent.point is Moment.ON_DEMAND else _a(kind)  # there it is one for all kinds
            return f"relevance {number(choice.relevance)}, {needs} needs {number(choice.needed)}"
        case Verdict.CUT:
            return f"relevance {number(choice.relevance)}, too far behind the best{_best(injection)}"
        case Verdict.OTHER:
            return f"relevance {number(choice.relevance)}, but it is about another error"
        case Verdict.FLOOR:
            return f"score {number(choice.score)}, a session start takes {number(choice.needed)} and more"
        case Verdict.LINES:
            return f"no line was left: {output.many(len(injection.ids), 'memory was', 'memories were')} before it"
        case Verdict.BUDGET:
            return _no_room(injection)
        case Verdict.SWITCHED_OFF:
            return f"the settings leave out what is {_a(kind)} (`[kinds.injected]`)"
        case Verdict.HEARD:
            return "it was said in this session, so the model has it in front of it"
        case Verdict.CANDIDATE:
            return (
                f"relevance {number(choice.relevance)}, but nothing has proven it: it is a candidate, and the words "
                "that it was taken from are quoted where they fit (`recollect review` confirms it)"
            )
        case _ as never:
            assert_never(never)


def why_quoted(turn: Quoted) -> str:
    """`; the prompt is about earlier sessions by .91 (needed .80); words .45, meaning .52`"""
    told = turn.reasons
    if not told:  # of an earlier version
        return ""
    if "topic" in told:
        about = f"the prompt is about earlier sessions by {number(told['topic'])} (needed {number(told['needed'])})"
    else:
        about = "the prompt names what this is about"
    near = f", meaning {number(told['meaning'])}" if "meaning" in told else ""
    return f"; {about}; words {number(told['words'])}{near}"


def _no_room(injection: Injection) -> str:
    left = max(0, injection.budget_tokens - injection.tokens)
    in_share = " in its share of the budget (`[budgets]`)" if left >= A_LINE_TOKENS else ""
    return f"no room{in_share}: {left:,} of {injection.budget_tokens:,} tokens were left"


def _is_of_the_start(choice: Choice) -> bool:
    """In one block for the system prompt, what a start would show stands beside what fits the prompt."""
    return "scope" in choice.factors and "relevance" not in choice.factors


def _best(injection: Injection) -> str:
    best = [choice.relevance for choice in injection.choices if choice.verdict in (*IN_THE_BLOCK, *_LEFT_OUT)]
    return f", {number(max(best))}" if best else ""


def _where(memory: MemoryId, sent: Sent, log: Sequence[Sent]) -> str:
    """The moment that brought it."""
    before = [one for one in log if one.context == sent.context and one.at <= sent.at and one is not sent]
    brought = next((one for one in before if memory in one.injection.ids), None)
    if brought is None:
        return "an earlier moment"
    return "the session's start" if brought.message is None else f"{NAMES[brought.point]} {brought.message}"


def _a(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _listed(factors: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {number(value)}" for name, value in factors.items())
