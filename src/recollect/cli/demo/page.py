"""The demo's story on a page: the time and a line's score at the left, the block behind a thin rule, no word cut."""

import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import assert_never

from recollect.cli.demo import story
from recollect.cli.demo.stage import Lesson, Played, Step, StoryMoment
from recollect.cli.display.output import heading, many, say, styled
from recollect.cli.display.reasons import shown
from recollect.domain.event import (
    Asked,
    Compacted,
    Compacting,
    Event,
    Prompt,
    Reply,
    SessionDeleted,
    SessionEnded,
    SessionStarted,
    StartSource,
    ToolFailed,
    ToolSucceeded,
)
from recollect.domain.injection import Choice, Injection, Placement, Quiet, Verdict
from recollect.domain.memory import Memory, MemoryId
from recollect.domain.outcome import Updates
from recollect.text.block import CLOSE, OPEN, PREAMBLE, PREFIX, prefix_of
from recollect.text.signature import signature

MAX_COLUMNS, MIN_COLUMNS = 100, 50
MARGIN = 7  # "18:30  "
BY_MEANING = "A recorded story through the real engine, by word and meaning, in memory: nothing of yours is touched."
BY_WORDS = (
    "A recorded story through the real engine, in memory: nothing of yours is touched. It goes by words alone; "
    "`recollect model build` adds meaning."
)
LEGEND = (
    "Behind the thin rule stands what the model sees, at the left of a line its score from 0 to 1, below a block what "
    "it cost of its budget and how many of the memories considered it shows. The first block's fence is around each."
)
FRAME = frozenset({OPEN, PREAMBLE, CLOSE})  # around each block
WHY_QUIET = {
    Quiet.OFF: "the settings say so",
    Quiet.OPTED_OUT: "the user asked for it",
    Quiet.IDLE: "the prompt asks nothing",
    Quiet.OWN_CONTEXT: "the prompt brings its own context",
    Quiet.GENERIC: "the error says nothing that could be known again",
    Quiet.CAP: "as much as may be in front of the model is there already",
}


@dataclass(frozen=True, slots=True)
class PageRow:
    """One line of the page."""

    text: str
    left: str = ""
    rule: bool = False
    hang: int = 0  # how much further in the words stand that find no room
    dim: bool = False
    colour: str | None = None
    prefix: int = 0  # so many characters are coloured, the rest not; 0: all


class DemoPage:
    def __init__(self) -> None:
        columns = shutil.get_terminal_size((80, 24)).columns
        self._columns = max(MIN_COLUMNS, min(columns, MAX_COLUMNS))
        fancy = "utf" in (sys.stdout.encoding or "").lower()
        self._rule = "│ " if fancy else "| "
        self._dot = " · " if fancy else ", "
        self._known: dict[MemoryId, Memory] = {}
        self._stable: frozenset[str] = frozenset()  # lines of stable blocks that stand above
        self._seen: frozenset[str] = frozenset()  # lines of all blocks that stand above

    def tell(self, played: Played, *, with_model: bool) -> None:
        heading(story.TITLE)
        self._put(PageRow(f"{BY_MEANING if with_model else BY_WORDS} {LEGEND}", dim=True), margin=0)
        heading("Before: taught in winter")
        self._tell_all(played.winter)
        heading("Morning: the first session teaches")
        self._put(
            PageRow("Here the user says `recollect remember`; what is said in a session is learnt as well.", dim=True)
        )
        self._tell_all(played.morning)
        heading("Evening: the second session begins with what matters")
        self._tell_all(played.evening, spaced=True)

    def sum_up(self, played: Played, in_system: Played) -> None:
        heading("The evening in numbers")
        for name, value in _numbers(played, in_system):
            self._put(PageRow(f"{name:<14}{value}", hang=14), margin=0)

    def _tell_all(self, steps: Sequence[Step], *, spaced: bool = False) -> None:
        for number, step in enumerate(steps):
            if spaced and number and not (isinstance(step, StoryMoment) and isinstance(step.event, _ASIDE)):
                say("")
            if isinstance(step, Lesson):
                self._taught(step)
                continue
            for row in self._happened(step.event):
                self._put(row)
            if isinstance(step.event, _ANSWERED):
                self._answered(step.injection, step.ms)

    def _taught(self, lesson: Lesson) -> None:
        memory = lesson.stored.memory
        self._known[memory.id] = memory
        at = memory.created_at
        left = f"{at:%H:%M}" if at.date() == story.TODAY else f"{at:%b}"
        kind = f"[{prefix_of(memory)}]"
        said = f"{memory.title}: {memory.text}" if memory.title else memory.text
        self._put(PageRow(f"{kind} {said}", left, hang=len(kind) + 1, colour="magenta", prefix=len(kind)))
        if isinstance(lesson.stored, Updates):
            for old in lesson.stored.replaced:
                self._put(PageRow(f"takes the place of {old.id}: {old.text}", hang=2, dim=True))

    def _happened(self, event: Event) -> Iterator[PageRow]:
        at = f"{event.at:%H:%M}"
        match event:
            case SessionStarted():
                again = event.source is StartSource.COMPACT
                yield PageRow(
                    "the session goes on from its summary" if again else "a session starts", at, colour="cyan"
                )
            case Prompt():
                yield PageRow(f'you: "{event.text}"', at, hang=5, colour="cyan")
            case Reply():
                yield PageRow(f"agent: {event.text}", at, hang=7, dim=True)
            case ToolFailed():
                yield PageRow(f"{event.tool} fails: {' '.join(event.input.values())}", at, colour="red")
                yield PageRow(signature(event.error).headline, hang=2, colour="red")
            case Asked():
                yield PageRow(f'the agent asks: "{event.query}"', at, hang=2, colour="cyan")
            case Compacting():
                yield PageRow("the session is full; for its summary the model is told", at, hang=2, colour="cyan")
            case SessionEnded():
                yield PageRow("the session ends and leaves", at, colour="cyan")
                for note in event.notes:
                    yield PageRow(str(note), hang=6)
            case ToolSucceeded() | Compacted() | SessionDeleted():
                pass
            case _ as never:
                assert_never(never)

    def _answered(self, injection: Injection, ms: float) -> None:
        if not injection.block:
            self._put(PageRow(f"silence: {self._why_silent(injection)}", hang=9, colour="yellow"))
            return
        scores = {choice.id: choice.score for choice in injection.choices if choice.verdict is Verdict.SHOWN}
        lines = injection.block.split("\n")
        new = self._new_lines(lines, injection.placement)
        for line in new:
            self._put(_block_row(line, scores))
        above = len(set(lines) - set(new) - FRAME)
        if above:
            self._put(PageRow(f"... and {many(above, 'line')} that stand above already", rule=True, dim=True))
        best = max(scores.values(), default=None)
        parts = [
            f"{injection.tokens:,} of {injection.budget_tokens:,} tokens",
            f"{ms:.1f} ms",
            shown(injection),
            *([] if best is None else [f"best score {_share(best)}"]),
        ]
        self._put(PageRow(self._dot.join(part.replace(" ", _TIED) for part in parts), dim=True))

    def _new_lines(self, lines: Sequence[str], placement: Placement) -> list[str]:
        """Of a stable block what did not stand in one before, of what is told for a summary what stood nowhere before,
        of all others everything but the fence, which stands around each."""
        known = FRAME & self._seen
        if placement is Placement.SUMMARY:
            known = self._seen
        elif placement is Placement.SYSTEM:
            known, self._stable = self._stable, self._stable | {*lines}
        new = [line for line in lines if line not in known]
        self._seen |= {*lines}
        return new

    def _why_silent(self, injection: Injection) -> str:
        if injection.quiet is not None:
            return WHY_QUIET[injection.quiet]
        nearest = max(injection.choices, key=lambda choice: choice.relevance, default=None)
        if nearest is None:
            at_start = injection.placement is Placement.SYSTEM
            return "nothing recent that could be told unasked" if at_start else "nothing that is known comes near"
        has, needs = _share(nearest.relevance), _share(nearest.needed)
        return f"nearest is {self._name(nearest)}, relevance {has} where {needs} is needed"

    def _name(self, choice: Choice) -> str:
        memory = self._known[choice.id]
        said = memory.title or memory.text
        return f'[{PREFIX[choice.kind]}] "{textwrap.shorten(said, 60, placeholder=" ...")}"'

    def _put(self, row: PageRow, *, margin: int = MARGIN) -> None:
        rule = self._rule if row.rule else ""
        width = self._columns - margin - len(rule)
        words = textwrap.wrap(
            row.text, width, subsequent_indent=" " * row.hang, break_long_words=False, break_on_hyphens=False
        )
        for number, line in enumerate(words):
            left = row.left if number == 0 else ""
            said = _coloured(line.replace(_TIED, " "), row, first=number == 0)
            before = f"{left:>{margin - 2}}  " if margin else ""
            say(f"{styled(before, dim=True)}{styled(rule, dim=True)}{said}".rstrip())


_TIED = "\xa0"  # a space at which no line ends
_ASIDE = (Reply, ToolSucceeded, Compacted)  # part of the moment before
_ANSWERED = (SessionStarted, Prompt, ToolFailed, Compacting, Asked)


def _coloured(line: str, row: PageRow, *, first: bool) -> str:
    if row.dim:
        return styled(line, dim=True)
    if row.colour is None or (row.prefix and not first):
        return line
    end = row.prefix or len(line)
    return styled(line[:end], fg=row.colour) + line[end:]


def _block_row(line: str, scores: dict[MemoryId, float]) -> PageRow:
    score = next((score for memory, score in scores.items() if f", {memory}" in line[line.rfind("(") :]), None)
    kind = line.split(" ", 1)[0] if line.startswith("[") else ""
    plain = not kind and not line.startswith("- ")
    return PageRow(
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
    asked = [step for step in played.evening if isinstance(step, StoryMoment) and isinstance(step.event, _ANSWERED)]
    said = [step.injection for step in asked if step.injection.block]
    tokens, times = sum(injection.tokens for injection in said), [step.ms for step in asked]
    yield "moments", f"{len(asked)}, of which {many(len(said), 'block')} and {len(asked) - len(said)} times silence"
    yield "tokens", f"{tokens:,} in all, at most {most_at_once(played):,} in front of the model"
    yield "time", f"median {median(times):.1f} ms, longest {max(times):.1f} ms"
    yield "prefix kept", f"{percent(played.kept)} of each request is the beginning of the next one"
    later = in_system.later_calls
    anew = sum(not call.kept_said_bytes for call in later)
    share = (
        f'{percent(in_system.kept)} with placement = "system", and {percent(in_system.kept_said)} of the conversation'
    )
    yield "instead", f"{share}: at {anew} of {len(later)} calls it is read anew from its first word"


def most_at_once(played: Played) -> int:
    """What was in front of the model in the fuller of the live contexts, in tokens."""
    contexts = [0]
    for step in played.evening:
        if not isinstance(step, StoryMoment):
            continue
        if isinstance(step.event, Compacted):
            contexts.append(0)
        elif step.injection.placement is not Placement.SUMMARY:
            contexts[-1] += step.injection.tokens
    return max(contexts)


def percent(share: float) -> str:
    """Rounded down: only all of it is 100 %."""
    return f"{int(share * 100)} %"
