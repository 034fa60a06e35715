"""The record that a session leaves for later ones, told from what happened in it: notes in codes, and a summary.

No language model, no clock, no I/O. It hears the events of one session in their order, holds a bounded part of them,
and can tell at any time how things stand: what was asked, in the user's words; how it ended, in the agent's; what tools
say of commits, files, lists of tasks and commands that fail. It reads no decision out of anyone's prose.
"""

import re
from collections.abc import Iterable, Iterator

from recollect.capture.patterns import LazyPattern
from recollect.capture.recaps.closing import outcome_of, prose_of
from recollect.capture.recaps.work import Work
from recollect.capture.said.origin import is_plan
from recollect.domain.event import Event, Prompt, Reply, ToolFailed, ToolSucceeded
from recollect.domain.learning import Origin
from recollect.domain.memory import MAX_NAME_CHARS
from recollect.domain.session import Note, NoteCode, Summary
from recollect.text.sentences import shortened

ASKED_CHARS, ENDED_CHARS, LINE_CHARS = 160, 200, 260
LEAST_ENDED_CHARS = 60  # `Committed as 3fe1c2a.` alone does not tell what
CLOSINGS = 3  # turns that are looked back for more
CLOSING_CHARS = 200  # of a reply that asks whether to go on
LEAST_WORDS, LEAST_WORDS_LATER = 2, 6  # of a request; `yes, commit` is none that takes the place of another
LEANING_WORDS = 8
SLIGHT_TOOLS = 5  # a session of one prompt and fewer tools, in which nothing changed, is no work to go on with
_LEANS = LazyPattern(  # on what an earlier session says
    r"(?:(?:please|ok(?:ay)?|so|now|let's)[, ]+)*(?:continue|go on|carry on|keep going|resume|pick up|proceed"
    r"|where (?:were|did|are) we|what(?:'s| is| was) (?:next|left))\b",
    re.IGNORECASE,
)
_ASKS = LazyPattern("[?？]")
_TITLE = LazyPattern(r"^([^\n]{0,80}:)[\s#]*")  # `Implement the following plan:`, and below it what it is called
MOST = {NoteCode.IMPL: 5, NoteCode.DEC: 5, NoteCode.BLOCK: 2, NoteCode.NEXT: 8}


class Recapping:
    def __init__(self) -> None:
        self._asked = ""
        self._later = ""  # the last request
        self._closings: list[str] = []  # the last reply of each of the last turns
        self._prompts = 0
        self._picked: list[str] = []
        self._work = Work()

    def hear(self, event: Event) -> None:
        match event:
            case Prompt() if event.origin is Origin.USER or is_plan(event.text):
                self._prompted(event.text)
            case Reply() if self._closings:
                self._closings[-1] = event.text
            case ToolSucceeded() | ToolFailed():
                self._work.hear(event)
            case _:
                pass

    def note_pick(self, text: str) -> None:
        """What the user chose of what a tool offered."""
        self._picked = [*self._picked, text][-MOST[NoteCode.DEC] :]

    def told(self) -> tuple[tuple[Note, ...], Summary]:
        done = _lines(self._work.commits)
        decided = _lines(self._picked)
        blocked = _lines(f"{command} still fails: {error}".rstrip(" :") for command, error in self._work.failing)
        left = _lines(self._work.to_do)
        parts = {NoteCode.IMPL: done, NoteCode.DEC: decided, NoteCode.BLOCK: blocked, NoteCode.NEXT: left}
        notes = [Note(code=code, text=text) for code, lines in parts.items() for text in _newest(lines, code)]
        summary = Summary(
            asked=self._asked,
            later=self._later if self._later != self._asked else "",
            ended=self._ended(),
            done=tuple(_newest(done, NoteCode.IMPL)),
            decided=tuple(_newest(decided, NoteCode.DEC)),
            files=tuple(self._work.files),
            open=tuple(_newest(left, NoteCode.NEXT)),
            is_slight=self._prompts <= 1 and self._work.tools < SLIGHT_TOOLS and not (notes or self._work.files),
        )
        return tuple(notes), summary

    def _prompted(self, text: str) -> None:
        request = _request(text)
        self._prompts += 1
        self._closings = [*self._closings, ""][-CLOSINGS:]
        words = len(request.split())
        is_request = words >= LEAST_WORDS or "/" in request  # `@docs/plan.md`
        if is_request and not (words <= LEANING_WORDS and _LEANS.match(request)):
            self._asked = self._asked or request
            self._later = request if words >= LEAST_WORDS_LATER else self._later

    def _ended(self) -> str:
        """The report of the last turn. Where it says little, with the one before it; not with a proposal, which the
        user has answered since."""
        told = ""
        for turn, reply in enumerate(reversed(self._closings)):
            if turn and _ASKS.search(reply[-CLOSING_CHARS:]):
                break
            room = ENDED_CHARS - len(told) - 1
            told = f"{outcome_of(reply, chars=room)} {told}".strip()
            if len(told) >= LEAST_ENDED_CHARS:
                break
        return told


def _request(prompt: str) -> str:
    """In the user's words, as far as whole sentences go; of a plan, its title."""
    if is_plan(prompt):
        return shortened(next(prose_of(_TITLE.sub(r"\1 ", prompt, count=1), is_typed=True), ""), chars=ASKED_CHARS)
    asked = ""
    for sentence in prose_of(prompt, is_typed=True):
        longer = f"{asked} {sentence}".strip()
        if asked and len(longer) > ASKED_CHARS:
            break
        asked = longer
        if asked.endswith(":") and len(asked.split()) > LEAST_WORDS:
            break  # what follows is a list, or was pasted
    return shortened(asked, chars=ASKED_CHARS)


def _lines(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if told := " ".join(filter(str.isprintable, line.split())):
            yield shortened(told, chars=min(LINE_CHARS, MAX_NAME_CHARS))


def _newest(lines: Iterable[str], code: NoteCode) -> list[str]:
    return list(dict.fromkeys(lines))[-MOST[code] :]
