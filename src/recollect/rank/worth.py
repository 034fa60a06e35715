"""Whether what was said was worth its tokens, measured on sessions that are over. Pure, and no language model.

A line counts as taken up as far as its rare terms, new in the session when it was shown, come up later there. The same
is counted for pieces drawn at random from the same project's earlier sessions (the placebo): what comes up by itself is
no merit. It compares many lines; it cannot judge one, nor a rule that is followed without a word.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from random import Random

from recollect.domain.memory import SessionId
from recollect.text.query import content_words
from recollect.text.sentences import sentences
from recollect.text.terms import terms

START, PROMPT, COMMAND, TOOL_ERROR, COMPACTION = "start", "prompt", "command", "tool_error", "compaction"
JUDGED = (PROMPT, TOOL_ERROR)  # by their terms; a good rule at the start is followed without its words

RARE_SESSIONS, RARE_SHARE = 2, 0.15  # a term is rare in at most so many of the sessions before
PIECE_CHARS, PIECE_EVERY = 300, 1500  # of what was said, for the placebo
MAX_PIECES = 20_000
PLACEBOS = 3  # pieces drawn for each line

ENOUGH_LINES, ENOUGH_SESSIONS = 30, 5  # fewer say nothing
RESAMPLED = 1000
HELPED_SHARE, HELPED_TERMS = 0.5, 2
OFTEN = 3
SHOWN_AT_MOST = 10

MIN_WORDS, SAME_SHARE = 5, 0.75  # that a search would be about, and of what two statements say together
MIN_SAID = 6  # words of any kind: fewer are a command or a name
HAD_SHARE = 0.75  # of a statement, in the lines that were shown before it
MAX_MESSAGE_CHARS, MAX_STATEMENT_CHARS = 2000, 300  # what is longer was pasted

_NO_LINE = re.compile(r"\s*$|<|Reference data|\(\d+ more|[A-Z].*:$")
_PREFIX = re.compile(r"\[([^\]\s]{1,20})\] ")
_LABEL = re.compile(r"- ([a-z][a-z ]{1,20})(?:, [^:]{1,40}| \([^)]*\))?: ")
_TAIL = re.compile(r"\s*\(\d{4}-\d\d-\d\d(?:, (?P<id>[^;,)]+))?[^)]*\)\s*$")
# No sentence of its own: an entry of a list, a quotation, a heading, a command, a path, a link, a piece of a table.
_ENTRY = re.compile(r"https?:|[-*•>#/|`~+<\[{(\d]|[\w./-]+/[\w./-]+\s*$")
# How a task begins: it is asked for again, not explained again.
_REQUEST = re.compile(
    r"(?:(?:ok(?:ay)?|yes|now|so|and|then|also|great|thanks?|next|first|please|let'?s|go ahead|continue)\b\W*)*"
    r"(?:(?:can|could|would|will) you|let me|i (?:want|need|would like)|i'?d like|add|analy[sz]e|apply|build|change|"
    r"check|checkout|clean|commit|create|debug|deploy|do|explain|find|finish|fix|generate|get|give|go|help|implement|improve|install|"
    r"investigate|list|look|make (?!sure)|merge|move|open|output|plan|proceed|pull|push|read|rebase|refactor|release|"
    r"remove|rename|review|run|save|show|start|summari[sz]e|tell|test|try|update|verify|write)\b",
    re.IGNORECASE,
)
TEMPLATE = 3  # so many statements of one message that were in another: it is a template, not an explanation
_NEGATION = re.compile(r"\b(?:not|no|never|without|don'?t|doesn'?t|isn'?t|can'?t|won'?t|cannot|stop|avoid)\b", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedLine:
    """One line of a block, and what came of it."""

    text: str
    kind: str  # its prefix, or how its line begins
    id: str | None  # of the memory, or of the session that it quotes
    later: float | None = None  # the share of its rare new terms that came up later; None: it has none
    placebo: float | None = None
    taken: tuple[str, ...] = ()  # the terms that did

    @property
    def said(self) -> str:
        """Without its date and id, which say when and not what."""
        return _TAIL.sub("", self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedMoment:
    """The engine was asked; no lines: it was silent."""

    point: str
    session: SessionId
    at: datetime
    tokens: int = 0
    lines: tuple[ReplayedLine, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Repetition:
    """The user said the same in two sessions."""

    first: str
    first_at: datetime
    again: str
    again_at: datetime
    block_line: str | None  # the line that the later session had before it; None: no block had it
    sessions: int = 1  # in so many later ones


@dataclass(frozen=True, slots=True, kw_only=True)
class MetAgain:
    """An error of an earlier session came back."""

    error: str
    first_at: datetime
    at: datetime
    fix_line: str | None  # the line that was shown with it; None: none was
    times: int = 1  # in later sessions
    fixed: int = 0  # so often with such a line


def lines_in(block: str) -> list[ReplayedLine]:
    """All but the fence, its first sentence and headings. Of any prefix."""
    return [_line(text) for text in block.splitlines() if not _NO_LINE.match(text)]


def _line(text: str) -> ReplayedLine:
    prefix, label, tail = _PREFIX.match(text), _LABEL.match(text), _TAIL.search(text)
    kind = prefix[1] if prefix else label[1] if label else "other"
    return ReplayedLine(text=text, kind=kind, id=tail["id"].strip() if tail and tail["id"] else None)


class Course:
    """The terms of one session, by where each was said first and last."""

    def __init__(self) -> None:
        self._first: dict[str, int] = {}
        self._last: dict[str, int] = {}
        self.length = 0

    def hear(self, text: str) -> None:
        """What was said, done or shown next by user, agent or tool; never a block."""
        for term in terms(text):
            self._first.setdefault(term, self.length)
            self._last[term] = self.length
        self.length += 1

    @property
    def said(self) -> Iterable[str]:
        return self._first.keys()

    def is_new(self, term: str, at: int) -> bool:
        """Whether nothing had it up to this place."""
        return self._first.get(term, at + 1) > at

    def comes_up(self, term: str, at: int) -> bool:
        """Whether something has it after this place."""
        return self._last.get(term, -1) > at


class Vocabulary:
    """The earlier sessions of one project: how rare a term is there, and pieces of what was said."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._sessions = 0
        self._seen: Counter[str] = Counter()
        self._pieces: list[str] = []
        self._met = 0

    def add(self, course: Course, texts: Iterable[str]) -> None:
        self._sessions += 1
        self._seen.update(course.said)
        for text in texts:
            for begin in range(0, len(text), PIECE_EVERY):
                self._keep(text[begin : begin + PIECE_CHARS])

    def _keep(self, piece: str) -> None:
        """Each piece is as likely as any other to be among those that are kept."""
        self._met += 1
        if len(self._pieces) < MAX_PIECES:
            self._pieces.append(piece)
        elif (place := self._chance.randrange(self._met)) < MAX_PIECES:
            self._pieces[place] = piece

    def scored(self, line: ReplayedLine, course: Course, at: int) -> ReplayedLine:
        later, taken = self._later(line.said, course, at)
        drawn = [
            self._later(self._chance.choice(self._pieces), course, at)[0]
            for _ in range(PLACEBOS if self._pieces else 0)
        ]
        known = [share for share in drawn if share is not None]
        placebo = sum(known) / len(known) if known else None
        return replace(line, later=later, placebo=placebo, taken=taken)

    def _later(self, text: str, course: Course, at: int) -> tuple[float | None, tuple[str, ...]]:
        most = max(RARE_SESSIONS, RARE_SHARE * self._sessions)
        weights = {
            term: math.log((self._sessions + 1) / (self._seen[term] + 0.5))
            for term in sorted(terms(text))
            if self._seen[term] <= most and course.is_new(term, at)
        }
        total = sum(weights.values())
        taken = tuple(term for term in weights if course.comes_up(term, at))
        return (sum(weights[term] for term in taken) / total if total > 0 else None), taken


@dataclass(frozen=True, slots=True)
class _Statement:
    text: str
    words: frozenset[str]
    is_negated: bool
    session: SessionId
    at: datetime


class Statements:
    """What a user said in one project, to know it again when they say it in another session."""

    def __init__(self) -> None:
        self._kept: list[_Statement] = []
        self._with: defaultdict[str, list[int]] = defaultdict(list)  # by word
        self._told: set[tuple[SessionId, int]] = set()
        self._messages: set[str] = set()  # of several sentences

    def hear(
        self, message: str, session: SessionId, at: datetime, shown: Sequence[ReplayedLine]
    ) -> Iterator[Repetition]:
        """`shown`: the lines that the session had in front of it before this message."""
        found = list(self._repeated(message, session, at, shown))
        if len(found) < TEMPLATE and not self._is_sent_again(message):
            yield from found

    def _is_sent_again(self, message: str) -> bool:
        """A whole prompt of several sentences that is put again, as to a new session, explains nothing again."""
        same = " ".join(message.split()).lower()
        known = same in self._messages
        if len(sentences(message)) > 1:
            self._messages.add(same)
        return known

    def _repeated(
        self, message: str, session: SessionId, at: datetime, shown: Sequence[ReplayedLine]
    ) -> Iterator[Repetition]:
        for text in statements(message):
            words = frozenset(content_words(text))
            if len(words) < MIN_WORDS:
                continue
            new = _Statement(text, words, bool(_NEGATION.search(text)), session, at)
            place = self._same(new)
            if place is None:
                self._keep(new)
            elif (session, place) not in self._told and self._kept[place].session != session:
                self._told.add((session, place))
                first, had = self._kept[place], next((line for line in shown if _has(line, words)), None)
                yield Repetition(
                    first=first.text,
                    first_at=first.at,
                    again=text,
                    again_at=at,
                    block_line=None if had is None else had.text,
                )

    def _same(self, new: _Statement) -> int | None:
        shared = Counter(place for word in new.words for place in self._with[word])
        for place, count in shared.most_common(20):
            old = self._kept[place]
            if count >= SAME_SHARE * len(new.words | old.words) and old.is_negated == new.is_negated:
                return place
        return None

    def _keep(self, new: _Statement) -> None:
        for word in new.words:
            self._with[word].append(len(self._kept))
        self._kept.append(new)


def statements(message: str) -> list[str]:
    """Sentences by which a user may explain something: no question, no task, no entry of a list, nothing pasted."""
    if len(message) > MAX_MESSAGE_CHARS or "```" in message:
        return []
    found = (" ".join(sentence.split()) for sentence in sentences(message))
    return [text for text in found if len(text) <= MAX_STATEMENT_CHARS and not _is_other(text)]


def _is_other(text: str) -> bool:
    return text.endswith("?") or len(text.split()) < MIN_SAID or bool(_ENTRY.match(text) or _REQUEST.match(text))


def _has(line: ReplayedLine, words: frozenset[str]) -> bool:
    return len(words.intersection(content_words(line.said))) >= HAD_SHARE * len(words)


class Errors:
    """The errors of one project, to know one again in another session."""

    def __init__(self) -> None:
        self._first: dict[str, tuple[SessionId, datetime]] = {}

    def met(self, key: str, session: SessionId, at: datetime) -> datetime | None:
        """When another session met it first; None: none did."""
        first, first_at = self._first.setdefault(key, (session, at))
        return None if first == session else first_at


@dataclass(frozen=True, slots=True, kw_only=True)
class PointFigures:
    """How often and how much was said at one kind of moment."""

    point: str
    asked: int
    spoken: int
    tokens: int
    lines: int
    later: float | None  # of the lines that have rare new terms
    placebo: float | None
    judged_lines: int
    interval: tuple[float, float] | None  # of later less placebo, in 19 of 20 draws; None: too few to tell

    @property
    def helped(self) -> bool | None:
        """None: too few to tell."""
        return None if self.interval is None else self.interval[0] > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownLine:
    """A line, however often it was shown."""

    line: ReplayedLine  # as it was taken up best
    shown: int
    points: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    """What a replay showed."""

    sessions: int
    tokens: int
    points: tuple[PointFigures, ...]
    kinds: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]  # point -> kind -> lines
    repetitions: tuple[Repetition, ...]
    errors: tuple[MetAgain, ...]
    helped: tuple[ShownLine, ...]
    idle: tuple[ShownLine, ...]  # shown often on prompts, and never taken up
    days: tuple[datetime, datetime] | None  # of the first and the last moment; None: there was none

    @property
    def asked(self) -> int:
        return sum(one.asked for one in self.points)

    @property
    def spoken(self) -> int:
        return sum(one.spoken for one in self.points)

    @property
    def spared(self) -> tuple[Repetition, ...]:
        return tuple(one for one in self.repetitions if one.block_line is not None)

    @property
    def at_hand(self) -> tuple[MetAgain, ...]:
        return tuple(one for one in self.errors if one.fix_line is not None)

    @property
    def by_error(self) -> list[MetAgain]:
        """Each error once, with its newest fix; those with a fix first, then those that came most often."""
        same: defaultdict[str, list[MetAgain]] = defaultdict(list)
        for one in self.errors:
            same[one.error].append(one)
        each = [_joined(group) for group in same.values()]
        return sorted(each, key=lambda one: (-one.fixed, -one.times))


@dataclass(slots=True)
class ReplayRecord:
    """What is noted while sessions are replayed."""

    sessions: int = 0
    moments: list[ReplayedMoment] = field(default_factory=list)
    repetitions: list[Repetition] = field(default_factory=list)
    errors: list[MetAgain] = field(default_factory=list)

    def measured(self) -> Worth:
        points = dict.fromkeys([START, PROMPT, COMMAND, TOOL_ERROR, COMPACTION, *(m.point for m in self.moments)])
        of = {point: [moment for moment in self.moments if moment.point == point] for point in points}
        kinds = {point: Counter(line.kind for moment in of[point] for line in moment.lines) for point in points}
        shown = _shown_lines(self.moments)
        helped = [one for one in shown if len(one.line.taken) >= HELPED_TERMS and (one.line.later or 0) >= HELPED_SHARE]
        idle = [one for one in _shown_lines(of[PROMPT]) if one.shown >= OFTEN and one.line.later == 0]
        return Worth(
            sessions=self.sessions,
            tokens=sum(moment.tokens for moment in self.moments),
            points=tuple(_figures(point, moments) for point, moments in of.items() if moments),
            kinds=tuple((point, tuple(counts.most_common())) for point, counts in kinds.items() if counts),
            repetitions=tuple(_by_statement(self.repetitions)),
            errors=tuple(self.errors),
            helped=tuple(sorted(helped, key=_merit, reverse=True)[:SHOWN_AT_MOST]),
            idle=tuple(sorted(idle, key=lambda one: -one.shown)[:SHOWN_AT_MOST]),
            days=(min(m.at for m in self.moments), max(m.at for m in self.moments)) if self.moments else None,
        )


def _joined(group: Sequence[MetAgain]) -> MetAgain:
    fixed = [one for one in group if one.fix_line is not None]
    last = max(fixed or group, key=lambda one: one.at)
    first_at, at = min(one.first_at for one in group), max(one.at for one in group)
    return replace(last, first_at=first_at, at=at, times=len(group), fixed=len(fixed))


def _by_statement(repetitions: Sequence[Repetition]) -> Iterator[Repetition]:
    """Each statement once, with the repetition that a block would have spared, if there is one."""
    same: defaultdict[tuple[str, datetime], list[Repetition]] = defaultdict(list)
    for one in repetitions:
        same[one.first, one.first_at].append(one)
    for group in same.values():
        spared = next((one for one in group if one.block_line is not None), group[0])
        yield replace(spared, sessions=len(group))


def _merit(one: ShownLine) -> tuple[float, int]:
    return (one.line.later or 0.0) * len(one.line.taken), one.shown


def _shown_lines(moments: Iterable[ReplayedMoment]) -> list[ShownLine]:
    """By what they say, of the moments at which terms can tell something."""
    same: defaultdict[str, list[tuple[ReplayedLine, str]]] = defaultdict(list)
    for moment in moments:
        if moment.point in JUDGED:
            for line in moment.lines:
                same[line.said].append((line, moment.point))
    return [
        ShownLine(
            line=max((line for line, _ in shows), key=lambda line: (line.later is not None, line.later or 0.0)),
            shown=len(shows),
            points=tuple(dict.fromkeys(point for _, point in shows)),
        )
        for shows in same.values()
    ]


def _figures(point: str, moments: Sequence[ReplayedMoment]) -> PointFigures:
    lines = [line for moment in moments for line in moment.lines]
    judged = point in JUDGED
    later = [line.later for line in lines if line.later is not None] if judged else []
    placebo = [line.placebo for line in lines if line.placebo is not None] if judged else []
    return PointFigures(
        point=point,
        asked=len(moments),
        spoken=sum(moment.tokens > 0 for moment in moments),
        tokens=sum(moment.tokens for moment in moments),
        lines=len(lines),
        later=_mean(later),
        placebo=_mean(placebo),
        judged_lines=len(later),
        interval=_interval(moments) if judged else None,
    )


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _interval(moments: Sequence[ReplayedMoment]) -> tuple[float, float] | None:
    """By drawing sessions anew: lines of one session are taken up, or not, together."""
    by_session: defaultdict[SessionId, list[float]] = defaultdict(list)
    for moment in moments:
        for line in moment.lines:
            if line.later is not None and line.placebo is not None:
                by_session[moment.session].append(line.later - line.placebo)
    groups = list(by_session.values())
    if len(groups) < ENOUGH_SESSIONS or sum(map(len, groups)) < ENOUGH_LINES:
        return None
    chance = Random(7)
    drawn = sorted(_drawn_mean(groups, chance.choices) for _ in range(RESAMPLED))
    return drawn[RESAMPLED // 40], drawn[-1 - RESAMPLED // 40]


def _drawn_mean(groups: Sequence[list[float]], choices: Callable[..., list[list[float]]]) -> float:
    drawn = choices(groups, k=len(groups))
    return sum(map(sum, drawn)) / sum(map(len, drawn))
