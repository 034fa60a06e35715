"""Reports the replay of old sessions to a person or a script. It claims nothing that the counts do not support."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from recollect.cli.display import output
from recollect.cli.display.output import many
from recollect.cli.old_sessions.report import RefusedLine, say_unread, unread_json
from recollect.domain.memory import MemoryId
from recollect.rank import worth
from recollect.rank.worth import ErrorRecurrence, PointFigures, Repetition, ReplayedLine, ReplayRecord, ShownLine, Worth
from recollect.text.block import plain, visible

SHOWN_AT_MOST = 10
SHOWN_WITHOUT = 3  # errors without a fix, and explanations that no block had
SHOWN_TERMS = 6
POINTS = {
    worth.START: "session start",
    worth.PROMPT: "prompt",
    worth.COMMAND: "slash command",
    worth.TOOL_ERROR: "tool error",
    worth.COMPACTION: "after a compaction",
}
KINDS = {  # one, several
    "PREF": ("preference", "preferences"),
    "RULE": ("rule", "rules"),
    "FIX": ("correction", "corrections"),
    "DEC": ("decision or fact", "decisions and facts"),
    "ERR": ("known error", "known errors"),
    "FILE": ("file", "files"),
    "RES": ("command or finding", "commands and findings"),
    "OUT": ("outcome", "outcomes"),
    "OLD": ("no longer true", "no longer true"),
    "SAID": ("quote", "quotes"),
    "asked": ("line on the last session", "lines on the last session"),
    "ended": ("how it ended", "endings of the last session"),
    "open": ("open point", "open points"),
    "blocked": ("blocker", "blockers"),
    "other": ("other line", "other lines"),
}
NO_EFFECT, NO_MORE = "Nothing here shows that it helped.", "Nothing else here shows that it helped."
NO_CLAIMS = (NO_EFFECT, NO_MORE)
MORE = "It learns from one session for the next: more sessions (--days 90, --all) show more."
NOTHING_PLAYED = "No session was replayed to its end: there is nothing to report."
COUNTED_ONCE = (
    "Each token is counted once; later requests of a session send it again, mostly from the provider's cache."
)
PROXY = (
    "Counted are the rare words of a line that were new in the session: how many of them come up there later. By "
    "chance: the same for random pieces of the project's earlier sessions. This compares many lines and cannot judge "
    "one. Lines at a session start are left out: a good rule is followed without repeating its words."
)
TEACH = 'To teach what no block had: recollect remember "..."'
NONE_HELPED = "None: no line had two of its rare words, and at least half of them, come up later."
NONE_IDLE = f"No line was shown {worth.MIN_TIMES_SHOWN} times or more without coming up later."
NONE_JUDGED = "No line on a prompt or a tool error had rare words that were new in its session."


@dataclass(slots=True)
class WorthReport:
    price: float  # US dollars per million input tokens
    found: int = 0
    learnt: int = 0  # the oldest sessions, which are only learnt from
    played: int = 0
    is_interrupted: bool = False
    worth: Worth = field(default_factory=lambda: ReplayRecord().measure())
    own_ids: Mapping[str, MemoryId] = field(default_factory=dict)  # by line, if the user's own database has its memory
    refused: list[RefusedLine] = field(default_factory=list)
    unreadable: list[tuple[str, str]] = field(default_factory=list)

    @property
    def cost(self) -> float:
        return self.worth.tokens * self.price / 1e6


def own_ids(measured: Worth, texts: Mapping[MemoryId, str]) -> dict[str, MemoryId]:
    """Return the id of the user's own memory, by line. The replay has ids of its own, so memories match by text."""
    known = {plain(text): name for name, text in texts.items()}
    found = {}
    for one in measured.unused_lines:
        text = without_prefix(one.line)
        name = known.get(text) or known.get(text.partition(": ")[2])
        if name is not None:
            found[one.line.text] = name
    return found


def without_prefix(line: ReplayedLine) -> str:
    return line.body.removeprefix(f"[{line.kind}] ")


def headline(report: WorthReport) -> str:
    measured = report.worth
    if not measured.tokens:
        return "It would have shown nothing, and cost nothing."
    per_session = measured.tokens / max(1, measured.sessions)
    return (
        f"It would have shown a block at {measured.blocks:,} of {many(measured.moments, 'moment')}: "
        f"{per_session:,.0f} tokens per session, {dollars(report.cost)} in all."
    )


def verdict(measured: Worth) -> list[str]:
    """Return the claims that the counts support, the strongest first."""
    found = []
    for one in measured.points:
        if one.is_helpful:
            shares = f"{share(one.later)} against {share(one.placebo)}"
            found.append(f"Lines on a {POINTS[one.point]} came up later more often than chance: {shares}.")
    has_helped = bool(found)
    if measured.avoidable_repetitions:
        things = many(
            len(measured.avoidable_repetitions),
            "thing that you explained again was",
            "things that you explained again were",
        )
        found.append(f"{things} in front of the agent already.")
    if measured.errors_with_fix:
        found.append(f"An error came back with its fix beside it {times(len(measured.errors_with_fix))}.")
    if found and not has_helped:
        found.append(NO_MORE)
    return found or [NO_EFFECT]


def dollars(amount: float) -> str:
    return f"${amount:,.2f}" if amount >= 0.01 or not amount else "less than a cent"


def effect(figures: PointFigures) -> str:
    if figures.interval is None:
        return "too few to tell"
    low, high = (f"{round(100 * end):+d}" for end in figures.interval)
    says = "no more than chance"
    if figures.is_helpful:
        says = "more than chance"
    elif figures.interval[1] < 0:
        says = "less than chance"
    return f"{says} ({low} to {high} points)"


def how_to_forget(report: WorthReport, one: ShownLine) -> str:
    own = report.own_ids.get(one.line.text)
    if own is not None:
        return f"recollect forget {own}"
    if one.line.kind == "SAID":
        return "a quote from an earlier session: nothing to forget"
    return "not in your own memories: nothing to forget"


def later_words(one: ShownLine) -> str:
    return f"{one.line.later or 0:.0%} of its rare words came up later: {', '.join(one.line.taken[:SHOWN_TERMS])}"


def repetition_summary(measured: Worth) -> str:
    if not measured.repetitions:
        return "You explained nothing again in a later session, judging by the words."
    things, had = len(measured.repetitions), len(measured.avoidable_repetitions)
    had_it = f"{had:,}" if had else "none"
    if had == things:
        had_it = "all"
    explained = f"You explained {many(things, 'thing')} again in a later session"
    return f"{explained}; the agent had {had_it} of them in front of it already."


def error_summary(measured: Worth) -> str:
    if not measured.errors:
        return "No error of an earlier session came back."
    came, fixed = times(len(measured.errors)), times(len(measured.errors_with_fix))
    return f"An error of an earlier session came back {came}, {fixed} with its fix beside it."


def times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count:,} times")


def share(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"


def price(report: WorthReport) -> str:
    return (
        f"{report.worth.tokens:,} tokens in all, {dollars(report.cost)} at ${report.price:,.2f} per million input "
        "tokens (--price)."
    )


def scope(report: WorthReport) -> str:
    days = report.worth.days
    when = " of " + " to ".join(dict.fromkeys(map(output.day, days))) if days else ""
    learnt = f", after {report.learnt:,} older ones that it only learnt from" if report.learnt else ""
    sessions = f"{many(report.worth.sessions, 'session')}{when}"
    return f"{sessions}, replayed as if Recollect had been there{learnt}. Your own data was not changed."


def interruption(report: WorthReport) -> str:
    return f"Interrupted after {report.played:,} of {many(report.found, 'transcript')}: the report covers these."


def kinds_of(kinds: Sequence[tuple[str, int]]) -> str:
    counts: Counter[tuple[str, str]] = Counter()
    for kind, count in kinds:
        counts[names_of(kind)] += count
    return ", ".join(many(count, *names) for names, count in counts.most_common())


def names_of(kind: str) -> tuple[str, str]:
    return KINDS.get(kind.removesuffix("?"), (kind, kind))


def moments_table(measured: Worth) -> list[Sequence[str]]:
    rows: list[Sequence[str]] = [("moment", "asked", "blocks", "share", "tokens", "per moment", "lines")]
    for one in measured.points:
        name = POINTS.get(one.point, one.point)
        share_of_moments, per_moment = f"{one.blocks / one.moments:.0%}", f"{one.tokens / one.moments:,.0f}"
        counts = (f"{one.moments:,}", f"{one.blocks:,}", share_of_moments, f"{one.tokens:,}", per_moment)
        rows.append((name, *counts, f"{one.lines:,}"))
    return rows


def later_table(measured: Worth) -> list[Sequence[str]]:
    rows: list[Sequence[str]] = [("on a", "lines", "came up", "by chance", "")]
    for one in find_judged(measured):
        lines, later, placebo = f"{one.judged_lines:,}", share(one.later), share(one.placebo)
        rows.append((POINTS[one.point], lines, later, placebo, effect(one)))
    return rows


def find_judged(measured: Worth) -> list[PointFigures]:
    return [one for one in measured.points if one.point in worth.JUDGED and one.judged_lines]


def say(report: WorthReport) -> None:
    say_unread(report.refused, report.unreadable, limit=SHOWN_AT_MOST)
    if report.is_interrupted:
        output.warn(f"\n{interruption(report)}")
    measured = report.worth
    output.heading("What Recollect was worth")
    output.say_indented(scope(report), 0, dim=True)
    output.say("")
    if not measured.sessions:
        output.say(NOTHING_PLAYED)
        return
    output.say_indented(headline(report), 0, bold=True)
    for sentence in verdict(measured):
        sign, colour = ("-", "yellow") if sentence in NO_CLAIMS else ("+", "green")
        output.say_beside(output.style_text(f"  {sign} ", fg=colour), 4, sentence)
    if not measured.tokens:
        output.say_indented(MORE, 4, dim=True)
    output.heading("How often it shows a block, and how much")
    _table(moments_table(measured))
    if measured.tokens:
        output.say_indented(price(report), 2)
        output.say_indented(COUNTED_ONCE, 2, dim=True)
        _say_kinds(measured)
    output.heading("Explained twice")
    output.say_indented(repetition_summary(measured), 2)
    for repeated in repetitions_to_show(measured):
        _say_repetition(repeated)
    _say_rest(measured.repetitions, repetitions_to_show(measured), TEACH)
    output.heading("Errors met again")
    output.say_indented(error_summary(measured), 2)
    for error in errors_to_show(measured):
        _say_error(error)
    _say_rest(measured.by_error, errors_to_show(measured))
    if measured.tokens:
        _say_lines(report)


def _say_kinds(measured: Worth) -> None:
    output.heading("Lines by kind")
    for point, kinds in measured.kinds:
        output.say_beside(f"  {POINTS.get(point, point):<20}", 22, kinds_of(kinds))
    output.heading("Did the lines come up later?")
    if find_judged(measured):
        _table(later_table(measured))
        output.say_indented(PROXY, 2, dim=True)
    else:
        output.say_indented(NONE_JUDGED, 2)


def _say_rest(all_of: Sequence[object], shown: Sequence[object], advice: str = "") -> None:
    more = rest(all_of, shown)
    if more:
        output.say("")
        output.say_indented(more, 2, dim=True)
    if advice and any(isinstance(one, Repetition) and one.block_line is None for one in shown):
        output.say_indented(advice, 2, dim=True)


def rest(all_of: Sequence[object], shown: Sequence[object]) -> str:
    left = len(all_of) - len(shown)
    return f"... and {left:,} more (--json has all of them)." if left else ""


def repetitions_to_show(measured: Worth) -> list[Repetition]:
    without = [one for one in measured.repetitions if one.block_line is None]
    return [*measured.avoidable_repetitions, *without[:SHOWN_WITHOUT]][:SHOWN_AT_MOST]


def errors_to_show(measured: Worth) -> list[ErrorRecurrence]:
    fixed = [one for one in measured.by_error if one.fixed]
    without = [one for one in measured.by_error if not one.fixed]
    return [*fixed, *without[:SHOWN_WITHOUT]][:SHOWN_AT_MOST]


def error_times(one: ErrorRecurrence) -> str:
    return f"first on {output.day(one.first_at)}, again {times(one.times)}, last on {output.day(one.at)}"


def _say_repetition(one: Repetition) -> None:
    output.say("")
    for at, text in ((one.first_at, one.first), (one.again_at, one.again)):
        output.say_beside(f"  {output.style_text(output.day(at), fg='cyan')}  ", 14, f"“{visible(text)}”")
    _say_line_if_any("was there", "no block had it", one.block_line, 14)


def _say_error(one: ErrorRecurrence) -> None:
    output.say("")
    output.say_indented(output.shorten(visible(one.error)), 2)
    output.say_indented(error_times(one), 4, dim=True)
    _say_line_if_any("its fix", "no fix was known", one.fix_line, 4)


def _say_line_if_any(label: str, otherwise: str, line: str | None, columns: int) -> None:
    if line is None:
        output.say(" " * columns + output.style_text(otherwise, dim=True))
    else:
        head = " " * columns + output.style_text(f"{label}: ", fg="green")
        output.say_beside(head, columns + 2 + len(label), output.shorten(visible(line)))


def _say_lines(report: WorthReport) -> None:
    measured = report.worth
    output.heading("Lines that helped most")
    if not measured.helpful_lines:
        output.say_indented(NONE_HELPED, 2)
    for one in measured.helpful_lines:
        _say_line(one, later_words(one))
    output.heading("Prompt lines shown often that never came up later")
    if not measured.unused_lines:
        output.say_indented(NONE_IDLE, 2)
    for one in measured.unused_lines:
        _say_line(one, f"shown {times(one.shown)}; {how_to_forget(report, one)}")


def _say_line(one: ShownLine, about: str) -> None:
    kind, _ = names_of(one.line.kind)
    head, columns = f"  {output.style_text(kind, fg='magenta', bold=True)}  ", 4 + len(kind)
    output.say_beside(head, columns, output.shorten(visible(without_prefix(one.line))))
    output.say_indented(about, columns, dim=True)


def _table(rows: Sequence[Sequence[str]]) -> None:
    for number, line in enumerate(_align(rows)):
        output.say(output.style_text(line, dim=True) if number == 0 else line)


def _align(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Align numbers to the right; the first column, and a last one without a heading, to the left."""
    columns = list(zip(*rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    left_columns = [0] if columns[-1][0] else [0, len(columns) - 1]
    for row in rows:
        cells = []
        for number, cell in enumerate(row):
            cells.append(cell.ljust(widths[number]) if number in left_columns else cell.rjust(widths[number]))
        yield "  " + "  ".join(cells).rstrip()


def as_json(report: WorthReport) -> dict[str, Any]:
    measured = report.worth
    return {
        "sessions": measured.sessions,
        "learnt_only": report.learnt,
        "transcripts": report.found,
        "played": report.played,
        "interrupted": report.is_interrupted,
        "tokens": measured.tokens,
        "price_per_million_usd": report.price,
        "cost_usd": round(report.cost, 4),
        "verdict": verdict(measured),
        "moments": {one.point: _figures_json(one) for one in measured.points},
        "kinds": {point: dict(kinds) for point, kinds in measured.kinds},
        "repeated": list(map(_repetition_json, measured.repetitions)),
        "errors_met_again": list(map(_error_json, measured.errors)),
        "helped": [_line_json(report, one) for one in measured.helpful_lines],
        "never_taken_up": [_line_json(report, one) for one in measured.unused_lines],
        **unread_json(report.refused, report.unreadable),
    }


def _repetition_json(one: Repetition) -> dict[str, Any]:
    return {
        "first": {"text": one.first, "at": one.first_at.isoformat()},
        "again": {"text": one.again, "at": one.again_at.isoformat()},
        "later_sessions": one.sessions,
        "block_line": one.block_line,
    }


def _error_json(one: ErrorRecurrence) -> dict[str, Any]:
    return {
        "error": one.error,
        "first": one.first_at.isoformat(),
        "again": one.at.isoformat(),
        "fix_line": one.fix_line,
    }


def _figures_json(one: PointFigures) -> dict[str, Any]:
    return {
        "asked": one.moments,
        "spoken": one.blocks,
        "spoken_share": round(one.blocks / one.moments, 4),
        "tokens": one.tokens,
        "tokens_per_moment": round(one.tokens / one.moments, 2),
        "lines": one.lines,
        "judged_lines": one.judged_lines,
        "later": one.later,
        "placebo": one.placebo,
        "interval": one.interval,
        "helped": one.is_helpful,
    }


def _line_json(report: WorthReport, one: ShownLine) -> dict[str, Any]:
    return {
        "line": one.line.text,
        "kind": one.line.kind,
        "replay_id": one.line.id,
        "own_id": report.own_ids.get(one.line.text),
        "shown": one.shown,
        "later": one.line.later,
        "taken_up": list(one.line.taken),
    }
