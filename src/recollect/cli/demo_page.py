"""The demo's story on a page: the time and a line's score at the left, the block behind a thin rule, no word cut."""

import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import assert_never

from recollect.cli import demo_story
from recollect.cli.demo_stage import Moment, Played
from recollect.cli.output import heading, many, say, styled
from recollect.domain.event import (
    Asked,
    Compacted,
    Compacting,
    Event,
    Prompt,
    Reply,
    SessionEnded,
    SessionStarted,
    StartSource,
    ToolFailed,
    ToolSucceeded,
)
from recollect.domain.injection import Choice, Injection, Placement, Quiet, Verdict
from recollect.domain.memory import Draft, Memory, MemoryId
from recollect.domain.outcome import Updates
from recollect.text.block import PREFIX
from recollect.text.signature import signature

MAX_COLUMNS, MIN_COLUMNS = 100, 50
MARGIN = 7  # "18:30  "
WHY_QUIET = {
    Quiet.OFF: "the settings say so",
    Quiet.OPTED_OUT: "the user asked for it",
    Quiet.IDLE: "the prompt asks nothing",
    Quiet.GENERIC: "the error says nothing that could be known again",
    Quiet.CAP: "as much as may be in front of the model is there already",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the page."""

    text: str
    left: str = ""
    rule: bool = False
    hang: int = 0  # how much further in the words stand that find no room
    dim: bool = False
    colour: str | None = None
    prefix: int = 0  # so many characters are coloured, the rest not; 0: all


class Page:
    def __init__(self) -> None:
        columns = shutil.get_terminal_size((80, 24)).columns
        self._columns = max(MIN_COLUMNS, min(columns, MAX_COLUMNS))
        fancy = "utf" in (sys.stdout.encoding or "").lower()
        self._rule = "│ " if fancy else "| "
        self._dot = " · " if fancy else ", "
        self._known: dict[MemoryId, Memory] = {}
        self._seen: dict[str, str] = {}  # lines of stable blocks, and when they were first seen

    def tell(self, played: Played, *, with_model: bool) -> None:
        heading(demo_story.TITLE)
        found = "by word and meaning" if with_model else "by words alone (`recollect model build` adds meaning)"
        self._put(
            Row(
                f"A recorded story through the real engine, {found}, in memory: nothing of yours is touched. Behind the "
                "thin rule stands what the model sees, at the left of a line its score from 0 to 1, below a block "
                "what it cost and how much was considered.",
                dim=True,
            ),
            margin=0,
        )
        heading("Before: taught in winter")
        self._tell_all(played.winter)
        heading("Morning: the first session teaches")
        self._put(Row("What is learnt from talk alone comes next; here the user says `recollect remember`.", dim=True))
        self._tell_all(played.morning)
        heading("Evening: the second session begins with what matters")
        self._tell_all(played.evening)

    def sum_up(self, played: Played, in_system: Played) -> None:
        heading("The evening in numbers")
        for name, value in _numbers(played, in_system):
            self._put(Row(f"{name:<14}{value}", hang=14), margin=0)

    def _tell_all(self, moments: Sequence[Moment]) -> None:
        for moment in moments:
            if isinstance(moment.happened, Draft):
                self._taught(moment, moment.happened)
            else:
                for row in self._happened(moment.happened):
                    self._put(row)
                if moment.injection is not None and isinstance(moment.happened, _ANSWERED):
                    self._answered(moment.injection, moment.ms)

    def _taught(self, moment: Moment, draft: Draft) -> None:
        assert moment.stored is not None  # noqa: S101  # a draft always is
        memory = moment.stored.memory
        self._known[memory.id] = memory
        day = draft.at.date() == demo_story.TODAY
        said = f"{memory.title}: {memory.text}" if memory.title else memory.text
        kind = f"[{PREFIX[memory.kind]}]"
        self._put(
            Row(
                f"{kind} {said}",
                f"{draft.at:%H:%M}" if day else f"{draft.at:%d %b}",
                False,
                7,
                colour="magenta",
                prefix=len(kind),
            )
        )
        if isinstance(moment.stored, Updates):
            old = moment.stored.replaced[0]
            self._put(Row(f"takes the place of {old.id}: {old.text}", hang=7, dim=True))

    def _happened(self, event: Event) -> Iterator[Row]:
        at = f"{event.at:%H:%M}"
        match event:
            case SessionStarted():
                again = event.source is StartSource.COMPACT
                yield Row("the session goes on from its summary" if again else "a session starts", at, colour="cyan")
            case Prompt():
                yield Row(f'you: "{event.text}"', at, hang=5, colour="cyan")
            case Reply():
                yield Row(f"agent: {event.text}", at, hang=7, dim=True)
            case ToolSucceeded():
                yield Row(f"{event.tool} {' '.join(event.input.values())}", at, dim=True)
            case ToolFailed():
                yield Row(f"{event.tool} fails: {' '.join(event.input.values())}", at, colour="red")
                yield Row(signature(event.error).headline, hang=2, colour="red")
            case Asked():
                yield Row(f'the agent asks: "{event.query}"', at, hang=2, colour="cyan")
            case Compacting():
                yield Row("the session is full; for its summary the model is told", at, hang=2, colour="cyan")
            case SessionEnded():
                yield Row("the session ends and leaves", at, colour="cyan")
                for note in event.notes:
                    yield Row(str(note), hang=6)
            case Compacted():
                pass
            case _ as never:
                assert_never(never)

    def _answered(self, injection: Injection, ms: float) -> None:
        if not injection.block:
            self._put(Row(f"silence: {self._why_silent(injection)}", hang=9, colour="yellow"))
            return
        scores = {choice.id: choice.score for choice in injection.choices if choice.verdict is Verdict.SHOWN}
        lines = self._new_lines(injection)
        for line in lines:
            self._put(_block_row(line, scores))
        left_out = injection.block.count("\n") + 1 - len(lines)
        if left_out:
            self._put(Row(f"({many(left_out, 'line')} as before)", rule=True, dim=True))
        best = max(scores.values(), default=None)
        parts = [
            f"{injection.tokens:,} of {injection.budget_tokens:,} tokens",
            f"{ms:.1f} ms",
            f"{len(injection.ids)} shown of {injection.considered} considered",
            *([] if best is None else [f"best score {_share(best)}"]),
        ]
        self._put(Row(self._dot.join(parts), dim=True))

    def _new_lines(self, injection: Injection) -> list[str]:
        """Of a stable block, and of what is told for a summary, only what did not stand in one before."""
        lines = injection.block.split("\n")
        if injection.placement not in (Placement.SYSTEM, Placement.SUMMARY):
            return lines
        first = not self._seen
        new = [line for line in lines if line not in self._seen]
        self._seen |= dict.fromkeys(lines, "")
        return lines if first else new

    def _why_silent(self, injection: Injection) -> str:
        if injection.quiet is not None:
            return WHY_QUIET[injection.quiet]
        nearest = max(injection.choices, key=lambda choice: choice.relevance, default=None)
        if nearest is None:
            return "nothing that is known comes near"
        return f"nearest is {self._name(nearest)}, relevance {_share(nearest.relevance)} where {_share(nearest.needed)} is needed"

    def _name(self, choice: Choice) -> str:
        memory = self._known[choice.id]
        said = memory.title or memory.text
        return f'[{PREFIX[choice.kind]}] "{textwrap.shorten(said, 60, placeholder=" ...")}"'

    def _put(self, row: Row, *, margin: int = MARGIN) -> None:
        rule = self._rule if row.rule else ""
        width = self._columns - margin - len(rule)
        words = textwrap.wrap(
            row.text, width, subsequent_indent=" " * row.hang, break_long_words=False, break_on_hyphens=False
        )
        for number, line in enumerate(words):
            left = row.left if number == 0 else ""
            said = _coloured(line, row, first=number == 0)
            before = f"{left:>{margin - 2}}  " if margin else ""
            say(f"{styled(before, dim=True)}{styled(rule, dim=True)}{said}".rstrip())


_ANSWERED = (SessionStarted, Prompt, ToolFailed, Compacting, Asked)


def _coloured(line: str, row: Row, *, first: bool) -> str:
    if row.dim:
        return styled(line, dim=True)
    if row.colour is None or (row.prefix and not first):
        return line
    end = row.prefix or len(line)
    return styled(line[:end], fg=row.colour) + line[end:]


def _block_row(line: str, scores: dict[MemoryId, float]) -> Row:
    score = next((score for memory, score in scores.items() if f", {memory}" in line[line.rfind("(") :]), None)
    kind = line.split(" ", 1)[0] if line.startswith("[") else ""
    plain = not kind and not line.startswith("- ")
    return Row(
        line,
        "" if score is None else _share(score),
        True,
        len(kind) + 1 if kind else 2,
        plain,
        "magenta" if kind else None,
        len(kind),
    )


def _share(value: float) -> str:
    """`.76`, `1.0`"""
    return f"{value:.2f}".removeprefix("0") if value < 0.995 else "1.0"


def _numbers(played: Played, in_system: Played) -> Iterator[tuple[str, str]]:
    asked = [
        (moment.injection, moment.ms)
        for moment in played.evening
        if moment.injection is not None and isinstance(moment.happened, _ANSWERED)
    ]
    said = [injection for injection, _ in asked if injection.block]
    times = [ms for _, ms in asked]
    yield "moments", f"{len(asked)}: {many(len(said), 'block')}, {len(asked) - len(said)} times silence"
    yield (
        "tokens",
        f"{sum(one.tokens for one in said):,} in all, at most {most_at_once(played):,} in front of the model",
    )
    yield "time", f"median {median(times):.1f} ms, longest {max(times):.1f} ms"
    yield "prefix kept", f"{percent(played.kept)} of each request is the beginning of the next one"
    anew = sum(not call.kept_said_bytes for call in in_system.later_calls)
    yield (
        "instead",
        f'{percent(in_system.kept)} with placement = "system", and {percent(in_system.kept_said)} of the conversation: '
        f"at {anew} of {len(in_system.later_calls)} calls it is read anew from its first word",
    )


def most_at_once(played: Played) -> int:
    """What was in front of the model in the fuller of the live contexts, in tokens."""
    contexts = [0]
    for moment in played.evening:
        if isinstance(moment.happened, Compacted):
            contexts.append(0)
        elif moment.injection is not None and moment.injection.placement is not Placement.SUMMARY:
            contexts[-1] += moment.injection.tokens
    return max(contexts)


def percent(share: float) -> str:
    """Rounded down: only all of it is 100 %."""
    return f"{int(share * 100)} %"
