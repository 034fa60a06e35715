"""Build the recap that a session leaves for later ones: notes with codes, and a summary.

No language model, no clock, no I/O. It hears the events of one session in order and keeps a bounded part of them: the
requests in the user's words, the ending in the agent's, and what tools report of commits, files, task lists and failing
commands. It reads no decision out of prose.
"""

import re
from collections.abc import Iterable

from recollect.capture.recaps.closing import prose_sentences, report_of
from recollect.capture.recaps.session_work import Work
from recollect.capture.said.origin import is_plan
from recollect.domain.event import Event, Prompt, Reply, ToolFailed, ToolSucceeded
from recollect.domain.learning import Origin
from recollect.domain.memory import MAX_NAME_CHARS
from recollect.domain.session import Note, NoteCode, Summary
from recollect.text.lazy_pattern import LazyPattern
from recollect.text.sentences import shorten

MAX_REQUEST_CHARS, MAX_ENDING_CHARS, MAX_NOTE_CHARS = 160, 200, 260
MIN_ENDING_CHARS = 60  # `Committed as 3fe1c2a.` alone does not say what
MAX_REPLIES = 3  # closing replies that are kept
QUESTION_CHARS = 200  # at the end of a reply, where it asks whether to go on
MIN_WORDS, MIN_LATER_WORDS = 2, 6  # of a request; `yes, commit` does not replace an earlier one
MAX_CONTINUE_WORDS = 8
MIN_TOOLS = 5  # a session of one prompt, fewer tools and no change is no work to continue
_CONTINUES = LazyPattern(  # what an earlier session began
    r"(?:(?:please|ok(?:ay)?|so|now|let's)[, ]+)*(?:continue|go on|carry on|keep going|resume|pick up|proceed"
    r"|where (?:were|did|are) we|what(?:'s| is| was) (?:next|left))\b",
    re.IGNORECASE,
)
_QUESTION_MARK = LazyPattern("[?？]")
_TITLE = LazyPattern(r"^([^\n]{0,80}:)[\s#]*")  # `Implement the following plan:`, with the plan's title below
MAX_NOTES = {NoteCode.IMPL: 5, NoteCode.DEC: 5, NoteCode.BLOCK: 2, NoteCode.NEXT: 8}


class RecapBuilder:
    def __init__(self) -> None:
        self._first_request = ""
        self._last_request = ""
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

    def note_choice(self, text: str) -> None:
        self._choices = [*self._choices, text][-MAX_NOTES[NoteCode.DEC] :]

    def build(self) -> tuple[tuple[Note, ...], Summary]:
        failing = [f"{command} still fails: {error}".rstrip(" :") for command, error in self._work.failing]
        notes = [
            *_notes(NoteCode.IMPL, self._work.commits),
            *_notes(NoteCode.DEC, self._choices),
            *_notes(NoteCode.BLOCK, failing),
            *_notes(NoteCode.NEXT, self._work.open_tasks),
        ]
        has_work = self._work.tools >= MIN_TOOLS or bool(notes or self._work.files)
        summary = Summary(
            asked=self._first_request,
            later=self._last_request if self._last_request != self._first_request else "",
            ended=self._ending(),
            files=tuple(self._work.files),
            is_slight=self._prompt_count <= 1 and not has_work,
        )
        return tuple(notes), summary

    def _hear_prompt(self, text: str) -> None:
        request = _request(text)
        self._prompt_count += 1
        self._last_replies = [*self._last_replies, ""][-MAX_REPLIES:]
        words = len(request.split())
        is_request = words >= MIN_WORDS or "/" in request  # `@docs/plan.md`
        if not is_request or (words <= MAX_CONTINUE_WORDS and _CONTINUES.match(request)):
            return
        self._first_request = self._first_request or request
        if words >= MIN_LATER_WORDS:
            self._last_request = request

    def _ending(self) -> str:
        """The report of the last turn; if it says little, after that of the turn before."""
        ending = ""
        for turn, reply in enumerate(reversed(self._last_replies)):
            if turn and _QUESTION_MARK.search(reply[-QUESTION_CHARS:]):
                break  # the user has answered it since
            room = MAX_ENDING_CHARS - len(ending) - 1
            ending = f"{report_of(reply, chars=room)} {ending}".strip()
            if len(ending) >= MIN_ENDING_CHARS:
                break
        return ending


def _request(prompt: str) -> str:
    """The request in the user's words, in whole sentences; of a plan, its title."""
    if is_plan(prompt):
        title = next(prose_sentences(_TITLE.sub(r"\1 ", prompt, count=1), is_typed=True), "")
        return shorten(title, chars=MAX_REQUEST_CHARS)
    asked = ""
    for sentence in prose_sentences(prompt, is_typed=True):
        longer = f"{asked} {sentence}".strip()
        if asked and len(longer) > MAX_REQUEST_CHARS:
            break
        asked = longer
        if asked.endswith(":") and len(asked.split()) > MIN_WORDS:
            break  # a list or a paste follows
    return shorten(asked, chars=MAX_REQUEST_CHARS)


def _notes(code: NoteCode, lines: Iterable[str]) -> list[Note]:
    texts: dict[str, None] = {}
    for line in lines:
        text = " ".join(filter(str.isprintable, line.split()))
        if text:
            texts[shorten(text, chars=min(MAX_NOTE_CHARS, MAX_NAME_CHARS))] = None
    return [Note(code=code, text=text) for text in list(texts)[-MAX_NOTES[code] :]]
