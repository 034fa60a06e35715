"""What the replay of old sessions showed, for a person or a script. It claims nothing that the counts do not carry."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from recollect.cli import output
from recollect.cli.output import many
from recollect.domain.memory import MemoryId
from recollect.privacy.secrets import redact
from recollect.rank import worth
from recollect.rank.worth import Line, MetAgain, PointFigures, Record, Repetition, ShownLine, Worth
from recollect.text.block import plain, visible

SHOWN_AT_MOST = 10
SHOWN_TERMS = 6
POINTS = {
    worth.START: "session start",
    worth.PROMPT: "prompt",
    worth.COMMAND: "slash command",
    worth.TOOL_ERROR: "tool error",
    worth.COMPACTION: "after a compaction",
}
NO_EFFECT = "Nothing here shows that it helped."
COUNTED_ONCE = (
    "Each token is counted once; later requests of a session send it again, mostly from the provider's cache."
)
PROXY = (
    "A line is taken up as far as its rare terms, new in the session, come up there later. Chance: the same for pieces "
    "drawn at random from the project's earlier sessions. Start blocks are not judged so: a good rule is followed "
    "without its words being said."
)
OF_REPLAY = "known to this replay alone: nothing to forget"
NONE_HELPED = "None: no line had half of its rare terms, and two or more, come up later."
NONE_IDLE = f"None was shown {worth.OFTEN} times or more without anything of it coming up."
QUOTE = "a quote from the archive: no memory, nothing to forget"


@dataclass(slots=True)
class Report:
    price: float  # US dollars per million input tokens
    found: int = 0
    learnt: int = 0  # the first of them are only learnt from
    played: int = 0
    is_interrupted: bool = False
    worth: Worth = field(default_factory=lambda: Record().measured())
    own_ids: Mapping[str, MemoryId] = field(default_factory=dict)  # of lines whose memory the user's own database has
    refused: list[tuple[str, int, str]] = field(default_factory=list)  # file, line, why
    unreadable: list[tuple[str, str]] = field(default_factory=list)

    @property
    def cost(self) -> float:
        return self.worth.tokens * self.price / 1e6


def own_ids(measured: Worth, texts: Mapping[MemoryId, str]) -> dict[str, MemoryId]:
    """By line. The replay gives its own ids: the user's memory is the one that says the same."""
    known = {plain(text): name for name, text in texts.items()}
    said = {one.line.text: without_prefix(one.line) for one in measured.idle}
    found = {line: known.get(text) or known.get(text.partition(": ")[2]) for line, text in said.items()}
    return {line: name for line, name in found.items() if name is not None}


def without_prefix(line: Line) -> str:
    return line.said.removeprefix(f"[{line.kind}] ")


def verdict(measured: Worth) -> list[str]:
    """What can be claimed, the strongest first."""
    found = [
        f"Lines on a {POINTS[one.point]} came up later more often than chance: "
        f"{share(one.later)} against {share(one.placebo)}."
        for one in measured.points
        if one.helped
    ]
    if measured.spared:
        found.append(f"{many(len(measured.spared), 'explanation')} that you repeated stood in a block before.")
    if measured.at_hand:
        found.append(f"{many(len(measured.at_hand), 'error')} came back with a fix at hand.")
    if found and not any(one.helped for one in measured.points):
        found.append("Nothing else here shows that it helped.")
    return found or [NO_EFFECT]


def effect(figures: PointFigures) -> str:
    if figures.interval is None:
        return f"too few to tell (below {worth.ENOUGH_LINES})"
    low, high = (f"{100 * end:+.0f}" for end in figures.interval)
    says = "more than chance" if figures.helped else "less than chance" if figures.interval[1] < 0 else "as chance"
    return f"{says} ({low} to {high} points)"


def forgetting(report: Report, one: ShownLine) -> str:
    own = report.own_ids.get(one.line.text)
    if own is not None:
        return f"recollect forget {own}"
    return QUOTE if one.line.kind == "SAID" else OF_REPLAY


def taken_up(one: ShownLine) -> str:
    return f"{one.line.later or 0:.0%} of its rare terms came up: {', '.join(one.line.taken[:SHOWN_TERMS])}"


def said_twice(measured: Worth) -> str:
    if not measured.repetitions:
        return "You said nothing a second time in a later session, as far as the same words tell."
    return (
        f"{many(len(measured.repetitions), 'statement')} of yours came again in a later session; a block of that "
        f"session had {len(measured.spared):,} of them before you said it again."
    )


def met_again(measured: Worth) -> str:
    if not measured.errors:
        return "No error of an earlier session came back."
    errors = many(len(measured.errors), "error of an earlier session", "errors of earlier sessions")
    return f"{errors} came back; {len(measured.at_hand):,} of them got a line with a fix."


def share(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"


def price(report: Report) -> str:
    return (
        f"{report.worth.tokens:,} tokens in all: ${report.cost:,.2f} at ${report.price:,.2f} per million input tokens "
        "(--price)."
    )


def scope(report: Report) -> str:
    learnt = f", after {report.learnt:,} that were only learnt from" if report.learnt else ""
    played = f"{many(report.worth.sessions, 'session')} played again in time order{learnt}."
    return f"{played} In a store of its own: nothing of yours was changed."


def interrupted(report: Report) -> str:
    return f"Interrupted after {report.played:,} of {many(report.found, 'transcript')}: this is what there is."


def moments_table(measured: Worth) -> list[Sequence[str]]:
    rows = (
        (
            POINTS.get(one.point, one.point),
            f"{one.asked:,}",
            f"{one.spoken:,}",
            f"{one.spoken / one.asked:.0%}",
            f"{one.tokens:,}",
            f"{one.tokens / one.asked:,.0f}",
            f"{one.lines:,}",
        )
        for one in measured.points
    )
    return [("moment", "asked", "spoke", "", "tokens", "per moment", "lines"), *rows]


def later_table(measured: Worth) -> list[Sequence[str]]:
    judged = [one for one in measured.points if one.point in worth.JUDGED and one.judged_lines]
    rows = [
        (POINTS[one.point], f"{one.judged_lines:,}", share(one.later), share(one.placebo), effect(one))
        for one in judged
    ]
    return [("lines on a", "lines", "came up", "by chance", ""), *rows] if rows else []


def say(report: Report) -> None:
    for file, line, why in report.refused[:SHOWN_AT_MOST]:
        output.warn(f"{file}, line {line}: {redact(why).text}")
    for file, why in report.unreadable[:SHOWN_AT_MOST]:
        output.warn(f"{file} cannot be read: {redact(why).text}")
    if report.is_interrupted:
        output.warn(f"\n{interrupted(report)}")
    measured = report.worth
    output.heading("What Recollect was worth")
    output.say_indented(scope(report), 0, dim=True)
    output.say("")
    if not measured.sessions:
        output.say("No session was played to its end: there is nothing to report.")
        return
    for sentence in verdict(measured):
        output.say_indented(sentence, 0, bold=True)
    output.heading("How often it speaks, and how much")
    _table(moments_table(measured))
    output.say_indented(price(report), 2)
    output.say_indented(COUNTED_ONCE, 2, dim=True)
    if measured.kinds:
        output.heading("Lines by kind")
        for point, kinds in measured.kinds:
            counted = "  ".join(f"{kind} {count:,}" for kind, count in kinds)
            output.say_beside(f"  {POINTS.get(point, point):<20}", 22, counted)
    output.heading("Did the lines come up later?")
    rows = later_table(measured)
    if rows:
        _table(rows)
    else:
        output.say("  No line on a prompt or an error had rare terms that were new.")
    output.say_indented(PROXY, 2, dim=True)
    output.heading("Explained twice")
    output.say_indented(said_twice(measured), 2)
    for repeated in spared_first(measured):
        _say_repetition(repeated)
    output.heading("Errors met again")
    output.say_indented(met_again(measured), 2)
    for error in at_hand_first(measured):
        _say_error(error)
    _say_lines(report)


def spared_first(measured: Worth) -> list[Repetition]:
    return sorted(measured.repetitions, key=lambda one: one.block_line is None)[:SHOWN_AT_MOST]


def at_hand_first(measured: Worth) -> list[MetAgain]:
    return sorted(measured.errors, key=lambda one: one.fix_line is None)[:SHOWN_AT_MOST]


def _say_repetition(one: Repetition) -> None:
    output.say("")
    for at, text in ((one.first_at, one.first), (one.again_at, one.again)):
        output.say_beside(f"  {output.styled(output.day(at), fg='cyan')}  ", 14, f"“{visible(text)}”")
    _say_had("a block had it", "no block had it", one.block_line)


def _say_error(one: MetAgain) -> None:
    output.say("")
    at = f"{output.day(one.first_at)}, again {output.day(one.at)}"
    output.say_beside(f"  {output.styled(at, fg='cyan')}  ", 4 + len(at), visible(one.error))
    _say_had("fix", "no fix was at hand", one.fix_line)


def _say_had(label: str, otherwise: str, line: str | None) -> None:
    if line is None:
        output.say(" " * 14 + output.styled(otherwise, dim=True))
    else:
        head = " " * 14 + output.styled(f"{label}: ", fg="green")
        output.say_beside(head, 16 + len(label), output.cut(visible(line)))


def _say_lines(report: Report) -> None:
    measured = report.worth
    output.heading("Lines that helped most")
    if not measured.helped:
        output.say(f"  {NONE_HELPED}")
    for one in measured.helped:
        _say_line(one, taken_up(one))
    output.heading("Prompt lines shown often and never taken up")
    if not measured.idle:
        output.say(f"  {NONE_IDLE}")
    for one in measured.idle:
        _say_line(one, f"shown {one.shown:,} times; {forgetting(report, one)}")


def _say_line(one: ShownLine, about: str) -> None:
    head = f"{one.line.kind:<6} "
    output.say_beside(
        f"  {output.styled(head, fg='magenta', bold=True)}", 9, output.cut(visible(without_prefix(one.line)))
    )
    output.say_indented(about, 9, dim=True)


def _table(rows: Sequence[Sequence[str]]) -> None:
    for number, line in enumerate(_aligned(rows)):
        output.say(output.styled(line, dim=True) if number == 0 else line)


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The first column and a last one of words to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    is_told = [rows[0][place] == "" and place == len(widths) - 1 for place in range(len(widths))]
    for row in rows:
        cells = [
            f"{cell:<{width}}" if place == 0 or is_told[place] else f"{cell:>{width}}"
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  " + "  ".join(cells).rstrip()


def as_json(report: Report) -> dict[str, Any]:
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
        "repeated": [
            {
                "first": _quote(one.first, one.first_at),
                "again": _quote(one.again, one.again_at),
                "later_sessions": one.sessions,
                "block_line": one.block_line,
            }
            for one in measured.repetitions
        ],
        "errors_met_again": [
            {
                "error": one.error,
                "first": one.first_at.isoformat(),
                "again": one.at.isoformat(),
                "fix_line": one.fix_line,
            }
            for one in measured.errors
        ],
        "helped": [_line_json(report, one) for one in measured.helped],
        "never_taken_up": [_line_json(report, one) for one in measured.idle],
        "refused": [{"file": file, "line": line, "why": redact(why).text} for file, line, why in report.refused],
        "unreadable": [{"file": file, "why": redact(why).text} for file, why in report.unreadable],
    }


def _quote(text: str, at: datetime) -> dict[str, str]:
    return {"text": text, "at": at.isoformat()}


def _figures_json(one: PointFigures) -> dict[str, Any]:
    return {
        "asked": one.asked,
        "spoken": one.spoken,
        "spoken_share": round(one.spoken / one.asked, 4),
        "tokens": one.tokens,
        "tokens_per_moment": round(one.tokens / one.asked, 2),
        "lines": one.lines,
        "judged_lines": one.judged_lines,
        "later": one.later,
        "placebo": one.placebo,
        "interval": one.interval,
        "helped": one.helped,
    }


def _line_json(report: Report, one: ShownLine) -> dict[str, Any]:
    return {
        "line": one.line.text,
        "kind": one.line.kind,
        "replay_id": one.line.id,
        "own_id": report.own_ids.get(one.line.text),
        "shown": one.shown,
        "later": one.line.later,
        "taken_up": list(one.line.taken),
    }
