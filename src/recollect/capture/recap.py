"""What a session leaves for the next one, told from what happened in it: notes in codes, and a summary (MEM-6, MEM-7).

No language model, no clock, no I/O. It hears the events of one session in their order, holds a bounded part of them,
and can tell at any time how things stand. It tells what a colleague would want to know: names, numbers, commands,
what was decided and what is left; not how the agent talked about its work.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from recollect.capture import recap_cues as cues
from recollect.capture.clauses import sentences as said_in
from recollect.capture.cues import Cue, cues_of
from recollect.capture.masking import read
from recollect.capture.options import Offer, offer_in, pick_in
from recollect.capture.recap_points import MAX_LINE_CHARS, Point, clean, points, sentences, shorter
from recollect.capture.recap_work import Work
from recollect.capture.statements import is_for_good, only_states
from recollect.capture.voice import voices
from recollect.domain.event import Compacted, Event, Prompt, Reply, ToolFailed, ToolSucceeded
from recollect.domain.learning import Origin
from recollect.domain.memory import MAX_NAME_CHARS
from recollect.domain.session import NO_SUMMARY, Note, NoteCode, Summary
from recollect.text.sentences import shortened

ASKED_CHARS = 160
KEPT = 40  # lines of one code
TODOS_TOLD = 8
ENDING_CHARS = 600
PROMPT_CHARS, PROMPT_SENTENCES = 6000, 12
RECENT_TURNS = 3  # what was to be done earlier than that has been done, or was said again
MOST_NOTES = {NoteCode.IMPL: 6, NoteCode.DEC: 5, NoteCode.BLOCK: 3, NoteCode.NEXT: 6}
MOST_TOLD = 5  # lines of one part of the summary
TELLING = 3  # names in a sentence of the user that says how things are
LEAST_WORDS = 4  # of a sentence that names nothing
MOST_BEST = 8  # lines of a code that are looked for
ALIKE = 0.6  # of the words of a line, in one that is told already

_WORTH = {NoteCode.IMPL: 3.0, NoteCode.DEC: 3.0, NoteCode.BLOCK: 4.0, NoteCode.NEXT: 4.0}
_FACT = 1.5  # a line that says of itself neither
_IN_LIST, _TYPED, _ACCEPTED, _WORKED, _BY_USER, _COMMITTED = 0.5, 1.5, 1.0, 2.0, 1.5, 4.0
_LEANING = -1.5  # on the sentence before it, or only saying how good something is
_PER_NAME, _MOST_NAMES = 0.5, 10


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    code: NoteCode
    text: str
    short: str  # the same for a summary
    worth: float
    turn: int
    is_fact: bool = False  # what it is, the answer to it decides
    is_advice: bool = False  # nothing, unless the answer takes it
    is_own: bool = False  # decided by the user


class Recapping:
    def __init__(self) -> None:
        self._asked = ""
        self._stated = ""  # the first prompt that asks for nothing by its words
        self._problem = ""  # what the user last said to be wrong
        self._turn = 0
        self._lines: dict[NoteCode, list[_Line]] = {code: [] for code in NoteCode}
        self._reply: tuple[_Line, ...] = ()  # the last one; whether it closes a turn, the next event tells
        self._question = ""  # with which it ends
        self._offer: Offer | None = None  # that it makes
        self._work = Work()

    def hear(self, event: Event) -> None:
        match event:
            case Prompt(origin=Origin.USER):
                self._prompted(event.text)
            case Prompt(origin=Origin.SUMMARY):
                self._keep(self._lines_of(event.text))
            case Compacted(summary=summary) if summary:
                self._keep(self._lines_of(summary))
            case Reply():
                self._replied(event.text)
            case ToolSucceeded() | ToolFailed():
                self._worked(event)
            case _:
                pass

    def _worked(self, event: ToolSucceeded | ToolFailed) -> None:
        subject = self._work.hear(event)
        undone = {_committed(one) for one in self._work.undone()}
        if undone:
            done = self._lines[NoteCode.IMPL]
            self._lines[NoteCode.IMPL] = [line for line in done if line.text not in undone]
        if subject:
            self._keep([self._line(NoteCode.IMPL, _committed(subject), _COMMITTED)])

    def told(self) -> tuple[tuple[Note, ...], Summary]:
        lines = [*(line for kept in self._lines.values() for line in kept), *self._left_unanswered()]
        done = _best(line for line in lines if line.code is NoteCode.IMPL)
        decided = _best((line for line in lines if line.code is NoteCode.DEC), besides=_texts(done))
        blocked = [*self._failing(), *_texts(_best(self._recent(lines, NoteCode.BLOCK)))]
        to_do = list(filter(None, map(clean, self._work.to_do)))[:TODOS_TOLD]
        to_do += _texts(_best(self._recent(lines, NoteCode.NEXT), besides=(*_texts(done), *to_do)))
        parts = {NoteCode.IMPL: _texts(done), NoteCode.DEC: _texts(decided)}
        parts |= {NoteCode.BLOCK: blocked, NoteCode.NEXT: to_do}
        notes = [
            Note(code=code, text=text) for code, told in parts.items() for text in _unique(told)[: MOST_NOTES[code]]
        ]
        return tuple(notes), self._summary(done, decided, [*blocked, *to_do])

    def _failing(self) -> list[str]:
        failing = (f"{command} still fails: {headline}".rstrip(" :") for command, headline in self._work.failing)
        return [shortened(clean(line), chars=MAX_LINE_CHARS) for line in failing]

    def _summary(self, done: list[_Line], decided: list[_Line], left: list[str]) -> Summary:
        asked = self._asked or (self._stated if done or left or self._work.files else "")  # it was a request after all
        told = Summary(
            asked=asked,
            done=tuple(_unique(line.short for line in done)[:MOST_TOLD]),
            decided=tuple(_unique(line.short for line in decided)[:MOST_TOLD]),
            files=tuple(self._work.files),
            open=tuple(_unique(left)[:MOST_TOLD]),
        )
        return told if told else NO_SUMMARY

    # What is said

    def _prompted(self, text: str) -> None:
        if cues.is_template(text):
            return
        self._keep(self._answered(list(self._reply), text))
        self._keep(self._picked(text))
        self._reply, self._question, self._offer = (), "", None
        if cues.retracts(text):
            self._take_back()
        self._turn += 1
        said = sentences(cues.without_greeting(text[:PROMPT_CHARS]))[:PROMPT_SENTENCES]
        if not self._asked and not cues.leans_on_unsaid(text):
            request = _request(text)
            if only_states(text[:PROMPT_CHARS]):
                self._stated = self._stated or request
            else:
                self._asked = request
        for sentence in said:
            if cues.tells_problem(sentence):
                self._problem = sentence
                break
        self._keep(self._said_by_user(text[:PROMPT_CHARS]))

    def _said_by_user(self, text: str) -> Iterator[_Line]:
        """Not what they pasted, asked, or want done now."""
        text = cues.without_greeting(text)
        page = read(text)
        said = said_in(page)[:PROMPT_SENTENCES]
        for one, voice in zip(said, voices(text, page, said), strict=True):
            if voice.own != one.text:
                continue
            sentence = shortened(cues.without_filler(clean(one.text)), chars=MAX_LINE_CHARS)
            if one.is_question or not sentence or cues.is_result(sentence) or is_for_good(sentence):
                continue
            if cues.is_open(sentence):
                yield self._line(NoteCode.NEXT, sentence, _BY_USER)
            elif (
                len(sentence.split()) >= LEAST_WORDS
                and (cues.is_standing(sentence) or cues.specificity(sentence) >= TELLING)
                and not _passes(sentence)
            ):
                yield self._line(NoteCode.DEC, sentence, _BY_USER, is_own=True)

    def _picked(self, answer: str) -> Iterator[_Line]:
        """What the user takes of what the last reply offers."""
        pick = None if self._offer is None else pick_in(answer, self._offer)
        if pick is not None and self._offer is not None:
            text = shortened(clean(f"{pick.option.said} {self._offer.subject}"), chars=MAX_LINE_CHARS)
            if text:
                yield self._line(NoteCode.DEC, text, _ACCEPTED)

    def _take_back(self) -> None:
        """What the user decided last."""
        decided = self._lines[NoteCode.DEC]
        own = [line for line in decided if line.is_own and line.turn > self._turn - RECENT_TURNS]
        if own:
            decided.remove(own[-1])

    def _replied(self, text: str) -> None:
        """One that another follows was spoken on the way: it is read for what it reports, not for what it explains."""
        self._keep(
            line for line in self._reply if line.code is NoteCode.IMPL and not line.is_fact and not line.is_advice
        )
        self._offer = offer_in(text)
        self._reply = tuple(self._lines_of(text, lists=self._offer is None))
        last = sentences(text.rstrip()[-ENDING_CHARS:])[-1:]
        self._question = next((one for one in last if cues.is_question(one) and not cues.is_courtesy(one)), "")

    def _answered(self, lines: list[_Line], answer: str) -> Iterator[_Line]:
        """What the user's next words make of a reply."""
        if not (cues.says_it_worked(answer) or cues.accepts(answer)):
            lines = [line for line in lines if not line.is_advice]
        if cues.rejects(answer):
            yield from (line for line in lines if line.code is NoteCode.IMPL and not line.is_fact)
        elif cues.says_it_worked(answer):
            worked = [
                replace(line, code=NoteCode.IMPL, worth=line.worth + _WORKED, is_fact=False)
                for line in lines
                if line.code not in _PASSING
            ]
            yield from self._with_problem(worked)
        elif cues.accepts(answer):
            yield from (replace(line, worth=line.worth + _ACCEPTED, is_fact=False) for line in lines)
        else:
            yield from lines

    def _with_problem(self, worked: list[_Line]) -> Iterator[_Line]:
        """What helped says little without what was wrong, which the request may have said."""
        helped = max(worked, key=lambda line: line.worth, default=None)
        problem, self._problem = shortened(self._problem, chars=ASKED_CHARS).rstrip(" .:"), ""
        for line in worked:
            if line is helped and problem and problem not in self._asked:
                text = shortened(f"{problem} -> {line.text}", chars=MAX_NAME_CHARS)
                yield replace(line, text=text, short=shortened(f"{problem} -> {line.short}", chars=MAX_NAME_CHARS))
            else:
                yield line

    def _left_unanswered(self) -> Iterator[_Line]:
        yield from (line for line in self._reply if not line.is_advice)
        if self._question:
            yield self._line(NoteCode.BLOCK, f"unanswered: {self._question}", 0)

    def _lines_of(self, message: str, *, lists: bool = True) -> Iterator[_Line]:
        """`lists`: whether they say something; what is offered is not decided."""
        for point in points(message):
            if point.items and (not lists or cues.leads_options(point.lead)):
                continue
            if point.items:
                yield from self._lines_of_list(point)
            elif (line := self._line_of(point)) is not None:
                yield line

    def _line_of(self, point: Point) -> _Line | None:
        text = cues.without_filler(point.text)
        names = cues.specificity(text)
        own = cues.code_of(text)
        if cues.is_question(text) or cues.is_own(text) or (cues.is_talk(text) and (own is None or names < 2)):
            return None
        code = own if own in _PASSING else cues.code_of_lead(point.lead) or own
        if (cues.leans(text) or cues.is_praise(text)) and code is not NoteCode.IMPL and own not in _PASSING:
            return None
        if names < 2 and (code is None or len(text.split()) < LEAST_WORDS):
            return None
        return self._line(code, text, _LEANING * (cues.leans(text) + cues.is_praise(text)))

    def _lines_of_list(self, point: Point) -> Iterator[_Line]:
        """Items of one code together, in as many lines as they need."""
        lead = cues.without_filler(point.lead)
        of_lead = cues.code_of_lead(lead)
        by_code: dict[NoteCode | None, list[str]] = {}
        for item, tick in zip(point.items, point.ticks or (None,) * len(point.items), strict=True):
            if cues.is_own(item):
                continue
            code = of_lead if tick is None else NoteCode.IMPL if tick else NoteCode.NEXT
            code = (cues.code_of_item(item) or code) if tick is None else code
            by_code.setdefault(code, []).append(item)
        for code, items in by_code.items():
            before = "" if cues.says_nothing(lead) or (len(by_code) > 1 and code is not of_lead) else lead
            for text, short in _chunks(before, items):
                basis = _TYPED if point.is_typed else _IN_LIST
                line = self._line(code or cues.code_of_fact(text), text, basis, short)
                if point.is_typed or code is not None or cues.specificity(text) >= 2:
                    yield line

    def _line(
        self, code: NoteCode | None, text: str, worth: float, short: str | None = None, *, is_own: bool = False
    ) -> _Line:
        text = cues.without_next(text) if code is NoteCode.NEXT else text
        names = min(cues.specificity(text), _MOST_NAMES)
        basis = _FACT if code is None else _WORTH[code]
        return _Line(
            code=code or NoteCode.DEC,
            text=text,
            short=shorter(text, cues.specificity) if short is None else short,
            worth=basis + worth + names * _PER_NAME,
            turn=self._turn,
            is_fact=code is None,
            is_advice=not is_own and cues.is_advice(text),
            is_own=is_own,
        )

    def _keep(self, lines: Iterable[_Line]) -> None:
        for line in lines:
            kept = self._lines[line.code]
            kept.append(line)
            if len(kept) > KEPT * 2:
                recent = (
                    [one for one in kept if one.turn >= self._turn - RECENT_TURNS] if line.code in _PASSING else kept
                )
                best = sorted(recent, key=lambda one: -one.worth)[:KEPT]
                self._lines[line.code] = [one for one in kept if one in best]

    def _recent(self, lines: Iterable[_Line], code: NoteCode) -> Iterator[_Line]:
        return (line for line in lines if line.code is code and line.turn > self._turn - RECENT_TURNS)


_PASSING = frozenset({NoteCode.BLOCK, NoteCode.NEXT})
_FOR_NOW = frozenset({Cue.ONCE, Cue.EVENT, Cue.TASK, Cue.PASSED, Cue.REPORTED})


def _passes(sentence: str) -> bool:
    """It is about this moment: an order, what happened, `for now`."""
    found = cues_of(sentence)
    if Cue.TASK in found and cues.is_choice(sentence):
        found -= {Cue.TASK}
    return bool(found & _FOR_NOW) or cues.is_order(sentence)


def _committed(subject: str) -> str:
    return shortened(clean(subject), chars=MAX_LINE_CHARS)


def _request(prompt: str) -> str:
    """In the user's words, as far as whole sentences go."""
    said = [clean(sentence) for sentence in sentences(cues.without_greeting(prompt)[:4000])]
    asked = ""
    for sentence in said:
        longer = f"{asked} {sentence}".strip()
        if asked and len(longer) > ASKED_CHARS:
            break
        asked = longer
    return shortened(asked, chars=ASKED_CHARS) if len(asked.split()) > 2 else ""


def _chunks(lead: str, items: Iterable[str]) -> Iterator[tuple[str, str]]:
    """A list in as many lines as it needs, each with what leads to it; each also in short."""
    before = f"{lead}: " if lead else ""
    line = short = ""
    for item in items:
        item = shortened(item.rstrip(" .;,"), chars=MAX_LINE_CHARS)
        if line and len(before) + len(line) + len(item) + 2 > MAX_LINE_CHARS:
            yield f"{before}{line}", f"{before}{short}"
            line = short = ""
        brief = shorter(item, cues.specificity)
        line, short = (f"{line}, {item}", f"{short}, {brief}") if line else (item, brief)
    if line:
        yield shortened(f"{before}{line}", chars=MAX_NAME_CHARS), shortened(f"{before}{short}", chars=MAX_NAME_CHARS)


def _best(lines: Iterable[_Line], besides: Iterable[str] = ()) -> list[_Line]:
    """The worthiest first, each thing once."""
    told: list[_Line] = []
    known = [_words(text) for text in besides]
    for line in sorted(lines, key=lambda line: (-line.worth, -line.turn)):
        words = _words(line.text)
        if words and all(len(words & other) < ALIKE * len(words) for other in known):
            told.append(line)
            known.append(words)
        if len(told) >= MOST_BEST:
            break
    return told


@lru_cache(maxsize=384)
def _words(line: str) -> frozenset[str]:
    return frozenset(word.strip(".,;:()[]'\"…!?") for word in line.casefold().split()) - {""}


def _texts(lines: Iterable[_Line]) -> list[str]:
    return [line.text for line in lines]


def _unique(lines: Iterable[str]) -> list[str]:
    return list({line.casefold(): line for line in lines}.values())
