"""Prints the demo's story: at the left who does what, behind a thin rule what the model sees."""

import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from statistics import median
from typing import assert_never

from recollect.cli.demo import story
from recollect.cli.demo.stage import PlayedStory, StoryStep
from recollect.cli.display import reasons
from recollect.cli.display.output import heading, many, say, style_text
from recollect.domain.event import (
    Asked,
    Compacted,
    Compacting,
    Prompt,
    Reply,
    SessionDeleted,
    SessionEnded,
    SessionStarted,
    StartSource,
    ToolFailed,
    ToolSucceeded,
)
from recollect.domain.injection import Injection, Moment, Placement
from recollect.text.block import CLOSE, OPEN, PREAMBLE, prefix_of
from recollect.text.signature import signature

MAX_COLUMNS, MIN_COLUMNS = 100, 50
MARGIN = 8
TIED_SPACE = "\xa0"  # no line ends here
INTRODUCTION = (
    "Played just now by the real engine, in memory: your own memories are not touched, no LLM is asked. "
    "Nothing is taught by hand; Recollect learns from what is said and done."
)
WITHOUT_MODEL = "It searches by words alone; `recollect model build` adds search by meaning."
FRAME = frozenset({OPEN, PREAMBLE, CLOSE})  # around each block; shown once
PLACES = {
    Placement.SYSTEM: "at the start",
    Placement.MESSAGE: "to this prompt",
    Placement.TOOL: "to this error",
    Placement.SUMMARY: "for the summary",
    Placement.ANSWER: "to the answer",
}


class DemoPage:
    def __init__(self) -> None:
        columns = shutil.get_terminal_size((80, 24)).columns
        self._columns = max(MIN_COLUMNS, min(columns, MAX_COLUMNS))
        has_unicode = "utf" in (sys.stdout.encoding or "").lower()
        self._rule = "│ " if has_unicode else "| "
        self._shown_lines: set[str] = set()  # of the blocks above

    def show_story(self, played: PlayedStory, *, with_model: bool) -> None:
        heading(story.TITLE)
        self._print("", INTRODUCTION if with_model else f"{INTRODUCTION} {WITHOUT_MODEL}", margin=0, dim=True)
        heading(story.OLDER)
        self._show_lessons(played.older)
        heading(story.FIRST)
        self._show_lessons(played.first)
        heading(story.SECOND)
        for number, step in enumerate(played.second):
            is_moment = type(step.event) in reasons.MOMENTS
            if is_moment and number:
                say("")
            self._show_event(step)
            if is_moment:
                self._show_answer(step.injection, reasons.MOMENTS[type(step.event)], step.ms)

    def show_numbers(self, played: PlayedStory, in_system: PlayedStory) -> None:
        heading("Tuesday in numbers")
        for name, value in _numbers(played, in_system):
            self._print(name, value, margin=13)

    def _show_lessons(self, steps: Sequence[StoryStep]) -> None:
        for step in steps:
            if not isinstance(step.event, SessionStarted):
                self._show_event(step)
            for memory in step.learnt:
                self._print("learnt", f"[{prefix_of(memory)}] {memory.text}", fg="magenta")

    def _show_event(self, step: StoryStep) -> None:
        event = step.event
        match event:
            case SessionStarted():
                is_new = event.source is not StartSource.COMPACT
                self._print("start", "a new session" if is_new else "the session goes on from its summary", fg="cyan")
            case Prompt():
                self._print("you", f'"{event.text}"', fg="cyan")
            case Reply():
                self._print("agent", event.text)
            case ToolFailed():
                self._print("fails", f"{event.input['command']}: {signature(event.error).headline}", fg="red")
            case ToolSucceeded():
                self._show_tool(event)
            case Compacting():
                self._print("full", "the context is full, and the host asks the model for a summary", fg="cyan")
            case Asked() | Compacted() | SessionDeleted() | SessionEnded():
                pass
            case _ as never:
                assert_never(never)

    def _show_tool(self, event: ToolSucceeded) -> None:
        if "command" in event.input:
            self._print("runs", event.input["command"])
        for task in event.input.get("todos", ()):
            self._print("todo", f"{task['content']} ({task['status']})")

    def _show_answer(self, injection: Injection, moment: Moment, ms: float) -> None:
        if not injection.block:
            self._print("", f"Recollect adds nothing: {reasons.silence_reason(injection, moment)}.", fg="yellow")
            return
        added = [many(len(injection.ids), "memory", "memories")]
        if injection.quoted:
            added.append(many(len(injection.quoted), "quote"))
        cost = f"{injection.tokens:,} of {injection.budget_tokens:,} tokens, {ms:.1f} ms".replace(" ", TIED_SPACE)
        self._print("", f"Recollect adds {' and '.join(added)} {PLACES[injection.placement]}: {cost}", fg="green")
        self._show_block(injection)

    def _show_block(self, injection: Injection) -> None:
        """Leave out the fence that is shown above, and of long blocks every line that is shown above."""
        lines = injection.block.split("\n")
        is_long = injection.placement in (Placement.SYSTEM, Placement.SUMMARY)
        known = self._shown_lines if is_long else self._shown_lines & FRAME
        new_lines = [line for line in lines if line not in known]
        for line in new_lines:
            if injection.placement is Placement.SUMMARY:
                line = textwrap.shorten(line, self._columns - MARGIN - len(self._rule), placeholder=" ...")
            self._print("", line, rule=True)
        above = len(set(lines) & known - FRAME)
        if above:
            self._print("", f"({many(above, 'line')} shown above)", rule=True, dim=True)
        self._shown_lines.update(lines)

    def _print(self, label: str, text: str, *, margin: int = MARGIN, rule: bool = False, **style: object) -> None:
        """Print the text beside its label; long text goes on below itself, and no word is cut."""
        bar = style_text(self._rule, dim=True) if rule else ""
        width = self._columns - margin - (len(self._rule) if rule else 0)
        lines = textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
        for number, line in enumerate(lines):
            left = label if number == 0 else ""
            shown = style_text(line.replace(TIED_SPACE, " "), **style)
            say(f"{style_text(left.ljust(margin), dim=True)}{bar}{shown}")


def _numbers(played: PlayedStory, in_system: PlayedStory) -> Iterator[tuple[str, str]]:
    asked = [step for step in played.second if type(step.event) in reasons.MOMENTS]
    blocks = [step.injection for step in asked if step.injection.block]
    times = [step.ms for step in asked]
    tokens = sum(injection.tokens for injection in blocks)
    yield "moments", f"{len(asked)}: a block at {len(blocks)}, nothing at {len(asked) - len(blocks)}"
    yield "tokens", f"{tokens:,} in all, at most {most_tokens_at_once(played):,} in front of the model at once"
    yield "time", f"median {median(times):.1f} ms, longest {max(times):.1f} ms"
    kept = f"{percent(played.kept_share)} of each request begins the next one, so the provider's prompt cache is used"
    yield "prefix kept", f'{kept}. With placement = "system" it would be {percent(in_system.kept_share)}.'


def most_tokens_at_once(played: PlayedStory) -> int:
    contexts = [0]
    for step in played.second:
        if isinstance(step.event, Compacted):
            contexts.append(0)
        elif step.injection.placement is not Placement.SUMMARY:
            contexts[-1] += step.injection.tokens
    return max(contexts)


def percent(share: float) -> str:
    """Rounded down: only all of it is 100 %."""
    return f"{int(share * 100)} %"
