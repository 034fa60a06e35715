"""The record that a session leaves for later ones, told from what happened in it: notes in codes, and a summary.

No language model, no clock, no I/O. It hears the events of one session in their order, holds a bounded part of them,
and can tell at any time how things stand: what was asked, in the user's words; how it ended, in the agent's; what tools
say of commits, files, lists of tasks and commands that fail. It reads no decision out of anyone's prose.
"""

import re
from collections.abc import Iterable, Iterator

from recollect.capture.patterns import LazyPattern
from recollect.capture.recaps.closing import prose_sentences, report_of
from recollect.capture.recaps.work import Work
from recollect.capture.said.origin import is_plan
from recollect.domain.event import Event, Prompt, Reply, ToolFailed, ToolSucceeded
from recollect.domain.learning import Origin
from recollect.domain.memory import MAX_NAME_CHARS
from recollect.domain.session import Note, NoteCode, Summary
from recollect.text.sentences import shortened

MAX_REQUEST_CHARS, MAX_ENDING_CHARS, MAX_NOTE_CHARS = 160, 200, 260
MIN_ENDING_CHARS = 60  # `Committed as 3fe1c2a.` alone does not tell what
MAX_REPLIES = 3  # turns that are looked back for more
QUESTION_CHARS = 200  # of a reply that asks whether to go on
MIN_WORDS, MIN_LATER_WORDS = 2, 6  # of a request; `yes, commit` is none that takes the place of another
MAX_CONTINUE_WORDS = 8
MIN_TOOLS = 5  # a session of one prompt and fewer tools, in which nothing changed, is no work to go on with
_CONTINUES = LazyPattern(  # on what an earlier session says
    r"(?:(?:please|ok(?:ay)?|so|now|let's)[, ]+)*(?:continue|go on|carry on|keep going|resume|pick up|proceed"
    r"|where (?:were|did|are) we|what(?:'s| is| was) (?:next|left))\b",
    re.IGNORECASE,
)
_QUESTION_MARK = LazyPattern("[?？]")
_TITLE = LazyPattern(r"^([^\n]{0,80}:)[\s#]*")  # `Implement the following plan:`, and below it what it is called
MAX_NOTES = {NoteCode.IMPL: 5, NoteCode.DEC: 5, NoteCode.BLOCK: 2, NoteCode.NEXT: 8}


class RecapBuilder:
    def __init__(self) -> None:
        self._first_request = ""
        self._last_request = ""  # the last request
        self._last_replies: list[str] = []  # the last reply of each of the last turns
        self._prompt_count = 0
        self._choices: list[str] = []
        self._work = Work()

    def hear(self, event: Event) -> None:
        match event:
            case Prompt() if event.origin is Origin.USER or is_plan(event.text):
                self._hear_prompt(event.text)
            case Reply() if self._last_replies:
                self._last_replies[-1] = event.text
            case ToolSucceeded() | ToolFailed():
                self._work.hear(event)
            case _:
                pass

    def note_pick(self, text: str) -> None:
        """What the user chose of what a tool offered."""
        self._choices = [*self._choices, text][-MAX_NOTES[NoteCode.DEC] :]

    def build(self) -> tuple[tuple[Note, ...], Summary]:
        done = _clean_lines(self._work.commits)
        decided = _clean_lines(self._choices)
        blocked = _clean_lines(f"{command} still fails: {error}".rstrip(" :") for command, error in self._work.failing)
        left = _clean_lines(self._work.open_tasks)
        parts = {NoteCode.IMPL: done, NoteCode.DEC: decided, NoteCode.BLOCK: blocked, NoteCode.NEXT: left}
        notes = [Note(code=code, text=text) for code, lines in parts.items() for text in _newest(lines, code)]
        summary = Summary(
            asked=self._first_request,
            later=self._last_request if self._last_request != self._first_request else "",
            ended=self._ending(),
            done=tuple(_newest(done, NoteCode.IMPL)),
            decided=tuple(_newest(decided, NoteCode.DEC)),
            files=tuple(self._work.files),
            open=tuple(_newest(left, NoteCode.NEXT)),
            is_slight=self._prompt_count <= 1 and self._work.tools < MIN_TOOLS and not (notes or self._work.files),
        )
        return tuple(notes), summary

    def _hear_prompt(self, text: str) -> None:
        request = _request(text)
        self._prompt_count += 1
        self._last_replies = [*self._last_replies, ""][-MAX_REPLIES:]
        words = len(request.split())
        is_request = words >= MIN_WORDS or "/" in request  # `@docs/plan.md`
        if is_request and not (words <= MAX_CONTINUE_WORDS and _CONTINUES.match(request)):
            self._first_request = self._first_request or request
            self._last_request = request if words >= MIN_LATER_WORDS else self._last_request

    def _ending(self) -> str:
        """The report of the last turn. Where it says little, with the one before it; not with a proposal, which the
        user has answered since."""
        told = ""
        for turn, reply in enumerate(reversed(self._last_replies)):
            if turn and _QUESTION_MARK.search(reply[-QUESTION_CHARS:]):
                break
            room = MAX_ENDING_CHARS - len(told) - 1
            told = f"{report_of(reply, chars=room)} {told}".strip()
            if len(told) >= MIN_ENDING_CHARS:
                break
        return told


def _request(prompt: str) -> str:
    """In the user's words, as far as whole sentences go; of a plan, its title."""
    if is_plan(prompt):
        return shortened(
            next(prose_sentences(_TITLE.sub(r"\1 ", prompt, count=1), is_typed=True), ""), chars=MAX_REQUEST_CHARS
        )
    asked = ""
    for sentence in prose_sentences(prompt, is_typed=True):
        longer = f"{asked} {sentence}".strip()
        if asked and len(longer) > MAX_REQUEST_CHARS:
            break
        asked = longer
        if asked.endswith(":") and len(asked.split()) > MIN_WORDS:
            break  # what follows is a list, or was pasted
    return shortened(asked, chars=MAX_REQUEST_CHARS)


def _clean_lines(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if told := " ".join(filter(str.isprintable, line.split())):
            yield shortened(told, chars=min(MAX_NOTE_CHARS, MAX_NAME_CHARS))


def _newest(lines: Iterable[str], code: NoteCode) -> list[str]:
    return list(dict.fromkeys(lines))[-MAX_NOTES[code] :]
