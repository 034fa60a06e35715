"""Measure on past sessions whether the shown lines were worth their tokens. Pure, and no language model.

A line counts as used to the extent that its rare terms, new in the session when it was shown, come up later there. The
same is counted for random pieces of the project's earlier sessions (the placebo): terms that come up by themselves are
no merit. It compares many lines; it cannot judge a single one, nor a rule that is followed without a word.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from random import Random

from recollect.domain.memory import SessionId
from recollect.text.query import content_words
from recollect.text.sentences import sentences

START, PROMPT, COMMAND, TOOL_ERROR, COMPACTION = "start", "prompt", "command", "tool_error", "compaction"
JUDGED = (PROMPT, TOOL_ERROR)  # only here terms show use: a good rule at the start is followed without its words

RARE_SESSIONS, RARE_SHARE = 2, 0.15  # a rare term is in at most this number or share of earlier sessions
PIECE_CHARS, PIECE_EVERY = 300, 1500  # of the conversations, for the placebo
MAX_PIECES = 20_000
PLACEBOS = 3  # pieces drawn for each line

ENOUGH_LINES, ENOUGH_SESSIONS = 30, 5  # fewer prove nothing
RESAMPLED = 1000
HELPED_SHARE, HELPED_TERMS = 0.5, 2
MIN_TIMES_SHOWN = 3
MAX_LISTED = 10

MIN_CONTENT_WORDS, SAME_SHARE = 5, 0.75  # of a statement; of the words of two statements that say the same
MIN_WORDS = 6  # of any kind: fewer are a command or a name
HAD_SHARE = 0.75  # of a statement, in a line that was shown before it
MAX_MESSAGE_CHARS, MAX_STATEMENT_CHARS = 2000, 300  # longer ones were pasted

MIN_TERM_CHARS = 4
_NO_LINE = re.compile(r"\s*$|<|Reference data|\(\d+ more|[A-Z].*:$")
_PREFIX = re.compile(r"\[([^\]\s]{1,20})\] ")
_LABEL = re.compile(r"- ([a-z][a-z ]{1,20})(?:, [^:]{1,40}| \([^)]*\))?: ")
_TAIL = re.compile(r"\s*\(\d{4}-\d\d-\d\d(?:, (?P<id>[^;,)]+))?[^)]*\)\s*$")
# Not a sentence: an item of a list, a quotation, a heading, a command, a path, a link, a piece of a table.
_ENTRY = re.compile(r"https?:|[-*•>#/|`~+<\[{(\d]|[\w./-]+/[\w./-]+\s*$")
# The start of a task: it is requested again, not explained again.
_REQUEST = re.compile(
    r"(?:(?:ok(?:ay)?|yes|now|so|and|then|also|great|thanks?|next|first|please|let'?s|go ahead|continue)\b\W*)*"
    r"(?:(?:can|could|would|will) you|let me|i (?:want|need|would like)|i'?d like|add|analy[sz]e|apply|build|change|"
    r"check|checkout|clean|commit|create|debug|deploy|do|explain|find|finish|fix|generate|get|give|go|help|implement|improve|install|"
    r"investigate|list|look|make (?!sure)|merge|move|open|output|plan|proceed|pull|push|read|rebase|refactor|release|"
    r"remove|rename|review|run|save|show|start|summari[sz]e|tell|test|try|update|verify|write)\b",
    re.IGNORECASE,
)
_TERM = re.compile(r"[^\W\d]\w*(?:[./:-]\w+)*|\d{3,}")
_BETWEEN = re.compile(r"[./:_-]")
TEMPLATE = 3  # repeated statements that make a message a template, not an explanation
_NEGATION = re.compile(r"\b(?:not|no|never|without|don'?t|doesn'?t|isn'?t|can'?t|won'?t|cannot|stop|avoid)\b", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedLine:
    text: str
    kind: str  # its prefix or label
    id: str | None  # of the memory, or of the quoted session
    later: float | None = None  # the share of its rare new terms that came up later; None: it has none
    placebo: float | None = None
    taken: tuple[str, ...] = ()  # the terms that came up later

    @property
    def body(self) -> str:
        return _TAIL.sub("", self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedMoment:
    """One call of the engine; without lines, the engine was silent."""

    point: str
    session: SessionId
    at: datetime
    tokens: int = 0
    lines: tuple[ReplayedLine, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Repetition:
    first: str
    first_at: datetime
    again: str
    again_at: datetime
    block_line: str | None  # the line that the later session had already seen; None: no block had it
    sessions: int = 1  # later ones


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRecurrence:
    error: str
    first_at: datetime
    at: datetime
    fix_line: str | None  # the line that was shown with it; None: none was
    times: int = 1  # in later sessions
    fixed: int = 0  # times with such a line


def lines_in(block: str) -> list[ReplayedLine]:
    """Return all lines but the fence, its preamble, headings and counts."""
    return [_line(text) for text in block.splitlines() if not _NO_LINE.match(text)]


def _line(text: str) -> ReplayedLine:
    label, tail = _PREFIX.match(text) or _LABEL.match(text), _TAIL.search(text)
    line_id = tail["id"].strip() if tail and tail["id"] else None
    return ReplayedLine(text=text, kind=label[1] if label else "other", id=line_id)


def terms(text: str) -> set[str]:
    """Return names, words and numbers in lower case, not stemmed; `src/auth/login.py` also gives `auth` and `login`."""
    found: set[str] = set()
    for word in set(_TERM.findall(text)):
        whole = word.strip(".:-/").lower()
        found.update(part for part in (whole, *_BETWEEN.split(whole)) if len(part) >= MIN_TERM_CHARS)
    return found


class Course:
    """The terms of one session, with the place of their first and last use."""

    def __init__(self) -> None:
        self._first: dict[str, int] = {}
        self._last: dict[str, int] = {}
        self.length = 0

    def add(self, text: str) -> None:
        """Add the next text of the user, the agent or a tool; never a block."""
        for term in terms(text):
            self._first.setdefault(term, self.length)
            self._last[term] = self.length
        self.length += 1

    @property
    def terms(self) -> Iterable[str]:
        return self._first.keys()

    def is_new(self, term: str, at: int) -> bool:
        return self._first.get(term, at + 1) > at

    def comes_up(self, term: str, at: int) -> bool:
        return self._last.get(term, -1) > at


class Vocabulary:
    """The earlier sessions of one project: how rare a term is there, and random pieces of them."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._sessions = 0
        self._seen: Counter[str] = Counter()
        self._pieces: list[str] = []
        self._met = 0

    def add(self, course: Course, texts: Iterable[str]) -> None:
        self._sessions += 1
        self._seen.update(course.terms)
        for text in texts:
            for begin in range(0, len(text), PIECE_EVERY):
                self._sample(text[begin : begin + PIECE_CHARS])

    def _sample(self, piece: str) -> None:
        """Keep each piece with the same probability."""
        self._met += 1
        if len(self._pieces) < MAX_PIECES:
            self._pieces.append(piece)
        elif (place := self._chance.randrange(self._met)) < MAX_PIECES:
            self._pieces[place] = piece

    def score(self, line: ReplayedLine, course: Course, at: int) -> ReplayedLine:
        later, taken = self._later(line.body, course, at)
        placebos = []
        if self._pieces:
            for _ in range(PLACEBOS):
                share, _ = self._later(self._chance.choice(self._pieces), course, at)
                placebos.append(share)
        return replace(line, later=later, placebo=_mean(placebos), taken=taken)

    def _later(self, text: str, course: Course, at: int) -> tuple[float | None, tuple[str, ...]]:
        """Return the weighted share of its rare new terms that come up later, and these terms."""
        most = max(RARE_SESSIONS, RARE_SHARE * self._sessions)
        weights: dict[str, float] = {}
        for term in sorted(terms(text)):
            if self._seen[term] <= most and course.is_new(term, at):
                weights[term] = math.log((self._sessions + 1) / (self._seen[term] + 0.5))
        taken = tuple(term for term in weights if course.comes_up(term, at))
        total = sum(weights.values())
        if total <= 0:
            return None, taken
        return sum(weights[term] for term in taken) / total, taken


@dataclass(frozen=True, slots=True)
class _Statement:
    text: str
    words: frozenset[str]
    is_negated: bool
    session: SessionId
    at: datetime


class Statements:
    """The user's statements in one project, to recognise repetitions in other sessions."""

    def __init__(self) -> None:
        self._kept: list[_Statement] = []
        self._with: defaultdict[str, list[int]] = defaultdict(list)  # by word
        self._reported: set[tuple[SessionId, int]] = set()
        self._messages: set[str] = set()  # of several sentences

    def add(
        self, message: str, session: SessionId, at: datetime, shown: Sequence[ReplayedLine]
    ) -> Iterator[Repetition]:
        """`shown`: the lines that the session had seen before this message."""
        found = list(self._find_repetitions(message, session, at, shown))
        if len(found) < TEMPLATE and not self._is_sent_again(message):
            yield from found

    def _is_sent_again(self, message: str) -> bool:
        """A whole prompt of several sentences that is sent again, as to a new session, explains nothing again."""
        normal = " ".join(message.split()).lower()
        is_known = normal in self._messages
        if len(sentences(message)) > 1:
            self._messages.add(normal)
        return is_known

    def _find_repetitions(
        self, message: str, session: SessionId, at: datetime, shown: Sequence[ReplayedLine]
    ) -> Iterator[Repetition]:
        for text in statements(message):
            words = frozenset(content_words(text))
            if len(words) < MIN_CONTENT_WORDS:
                continue
            new = _Statement(text, words, bool(_NEGATION.search(text)), session, at)
            place = self._find_same(new)
            if place is None:
                self._keep(new)
            elif (session, place) not in self._reported and self._kept[place].session != session:
                self._reported.add((session, place))
                first = self._kept[place]
                block_line = next((line.text for line in shown if _has(line, words)), None)
                yield Repetition(first=first.text, first_at=first.at, again=text, again_at=at, block_line=block_line)

    def _find_same(self, new: _Statement) -> int | None:
        shared: Counter[int] = Counter()
        for word in new.words:
            shared.update(self._with[word])
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
    """Return sentences that may explain something: no question, no task, no list item, nothing pasted."""
    if len(message) > MAX_MESSAGE_CHARS or "```" in message:
        return []
    return [*filter(_may_explain, (" ".join(sentence.split()) for sentence in sentences(message)))]


def _may_explain(text: str) -> bool:
    if len(text) > MAX_STATEMENT_CHARS or text.endswith("?") or len(text.split()) < MIN_WORDS:
        return False
    return not _ENTRY.match(text) and not _REQUEST.match(text)


def _has(line: ReplayedLine, words: frozenset[str]) -> bool:
    return len(words.intersection(content_words(line.body))) >= HAD_SHARE * len(words)


class Errors:
    """The errors of one project, to recognise them in other sessions."""

    def __init__(self) -> None:
        self._first: dict[str, tuple[SessionId, datetime]] = {}

    def find_earlier(self, key: str, session: SessionId, at: datetime) -> datetime | None:
        """Return when another session first had it; None: this session is the first."""
        first, first_at = self._first.setdefault(key, (session, at))
        return None if first == session else first_at


@dataclass(frozen=True, slots=True, kw_only=True)
class PointFigures:
    """How often and how much was shown at one kind of moment."""

    point: str
    moments: int  # calls of the engine
    blocks: int  # calls with a block
    tokens: int
    lines: int
    later: float | None  # of the lines that have rare new terms
    placebo: float | None
    judged_lines: int
    interval: tuple[float, float] | None  # of later minus placebo, in 19 of 20 draws; None: too few lines

    @property
    def is_helpful(self) -> bool | None:
        """None: too few lines."""
        return None if self.interval is None else self.interval[0] > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownLine:
    line: ReplayedLine  # the showing with the best effect
    shown: int
    points: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    sessions: int
    tokens: int
    points: tuple[PointFigures, ...]
    kinds: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]  # point -> kind -> lines
    repetitions: tuple[Repetition, ...]
    errors: tuple[ErrorRecurrence, ...]
    helpful_lines: tuple[ShownLine, ...]
    unused_lines: tuple[ShownLine, ...]  # shown often on prompts, and never used
    days: tuple[datetime, datetime] | None  # of the first and the last moment

    @property
    def moments(self) -> int:
        return sum(one.moments for one in self.points)

    @property
    def blocks(self) -> int:
        return sum(one.blocks for one in self.points)

    @property
    def avoidable_repetitions(self) -> tuple[Repetition, ...]:
        return tuple(one for one in self.repetitions if one.block_line is not None)

    @property
    def errors_with_fix(self) -> tuple[ErrorRecurrence, ...]:
        return tuple(one for one in self.errors if one.fix_line is not None)

    @property
    def by_error(self) -> list[ErrorRecurrence]:
        """Each error once, with its newest fix; those with a fix first, then the most frequent."""
        groups: defaultdict[str, list[ErrorRecurrence]] = defaultdict(list)
        for one in self.errors:
            groups[one.error].append(one)
        return sorted(map(_merge_errors, groups.values()), key=lambda one: (-one.fixed, -one.times))


@dataclass(slots=True)
class ReplayRecord:
    sessions: int = 0
    moments: list[ReplayedMoment] = field(default_factory=list)
    repetitions: list[Repetition] = field(default_factory=list)
    errors: list[ErrorRecurrence] = field(default_factory=list)

    def measure(self) -> Worth:
        by_point: dict[str, list[ReplayedMoment]] = {
            point: [] for point in (START, PROMPT, COMMAND, TOOL_ERROR, COMPACTION)
        }
        for moment in self.moments:
            by_point.setdefault(moment.point, []).append(moment)
        idle = [one for one in _merge_lines(by_point[PROMPT]) if one.shown >= MIN_TIMES_SHOWN and one.line.later == 0]
        times = [moment.at for moment in self.moments]
        return Worth(
            sessions=self.sessions,
            tokens=sum(moment.tokens for moment in self.moments),
            points=tuple(_figures(point, moments) for point, moments in by_point.items() if moments),
            kinds=tuple((point, kinds) for point, moments in by_point.items() if (kinds := _count_kinds(moments))),
            repetitions=tuple(_merge_repetitions(self.repetitions)),
            errors=tuple(self.errors),
            helpful_lines=tuple(
                sorted(filter(_has_helped, _merge_lines(self.moments)), key=_merit, reverse=True)[:MAX_LISTED]
            ),
            unused_lines=tuple(sorted(idle, key=lambda one: -one.shown)[:MAX_LISTED]),
            days=(min(times), max(times)) if times else None,
        )


def _count_kinds(moments: Iterable[ReplayedMoment]) -> tuple[tuple[str, int], ...]:
    return tuple(Counter(line.kind for moment in moments for line in moment.lines).most_common())


def _merge_errors(group: Sequence[ErrorRecurrence]) -> ErrorRecurrence:
    fixed = [one for one in group if one.fix_line is not None]
    last = max(fixed or group, key=lambda one: one.at)
    first_at, at = min(one.first_at for one in group), max(one.at for one in group)
    return replace(last, first_at=first_at, at=at, times=len(group), fixed=len(fixed))


def _merge_repetitions(repetitions: Sequence[Repetition]) -> Iterator[Repetition]:
    """Yield each statement once, if possible with a repetition that a block would have spared."""
    groups: defaultdict[tuple[str, datetime], list[Repetition]] = defaultdict(list)
    for one in repetitions:
        groups[one.first, one.first_at].append(one)
    for group in groups.values():
        spared = next((one for one in group if one.block_line is not None), group[0])
        yield replace(spared, sessions=len(group))


def _has_helped(one: ShownLine) -> bool:
    return len(one.line.taken) >= HELPED_TERMS and (one.line.later or 0) >= HELPED_SHARE


def _merit(one: ShownLine) -> tuple[float, int]:
    return (one.line.later or 0.0) * len(one.line.taken), one.shown


def _merge_lines(moments: Iterable[ReplayedMoment]) -> list[ShownLine]:
    """Merge lines with the same text, of the moments where terms show use."""
    found: dict[str, ShownLine] = {}
    for moment in moments:
        for line in moment.lines if moment.point in JUDGED else ():
            known = found.get(line.body)
            if known is None:
                found[line.body] = ShownLine(line=line, shown=1, points=(moment.point,))
                continue
            best = max(known.line, line, key=lambda one: (one.later is not None, one.later or 0.0))
            points = tuple(dict.fromkeys((*known.points, moment.point)))
            found[line.body] = ShownLine(line=best, shown=known.shown + 1, points=points)
    return list(found.values())


def _figures(point: str, moments: Sequence[ReplayedMoment]) -> PointFigures:
    lines = [line for moment in moments for line in moment.lines]
    judged = lines if point in JUDGED else []
    return PointFigures(
        point=point,
        moments=len(moments),
        blocks=sum(moment.tokens > 0 for moment in moments),
        tokens=sum(moment.tokens for moment in moments),
        lines=len(lines),
        later=_mean([line.later for line in judged]),
        placebo=_mean([line.placebo for line in judged]),
        judged_lines=sum(line.later is not None for line in judged),
        interval=_interval(moments) if judged else None,
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _interval(moments: Sequence[ReplayedMoment]) -> tuple[float, float] | None:
    """Resample whole sessions: the lines of one session are used, or not, together."""
    by_session: defaultdict[SessionId, list[float]] = defaultdict(list)
    for moment in moments:
        for line in moment.lines:
            if line.later is not None and line.placebo is not None:
                by_session[moment.session].append(line.later - line.placebo)
    groups = list(by_session.values())
    if len(groups) < ENOUGH_SESSIONS or sum(map(len, groups)) < ENOUGH_LINES:
        return None
    chance = Random(7)
    means = sorted(_mean_of_groups(chance.choices(groups, k=len(groups))) for _ in range(RESAMPLED))
    return means[RESAMPLED // 40], means[-1 - RESAMPLED // 40]


def _mean_of_groups(groups: Sequence[list[float]]) -> float:
    return sum(map(sum, groups)) / sum(map(len, groups))
