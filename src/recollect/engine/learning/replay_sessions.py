"""Replay old sessions through the engine as if they were live, event by event in time order. The engine has a store of
its own, which is thrown away. Its blocks are recorded for `rank.worth` and shown to no model. Messages that a session
copies from another one, as after a resume, are not played twice: blocks that repeat what was said the first time would
look useful."""

import heapq
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import partial
from random import Random

from recollect.capture.happened.failures import is_work_error
from recollect.domain.errors import InvalidValue
from recollect.domain.event import (
    Compacted,
    Event,
    Prompt,
    Reply,
    SessionEnded,
    SessionStarted,
    StartSource,
    ToolFailed,
    ToolSucceeded,
)
from recollect.domain.injection import Injection, Verdict
from recollect.domain.learning import Origin
from recollect.domain.memory import Kind, ProjectId, SessionId
from recollect.engine.admission import admit_event
from recollect.engine.engine import Engine
from recollect.engine.learning.worker import learn_some
from recollect.engine.memories.folder_project import project_here
from recollect.engine.moments.handle import handle
from recollect.engine.upkeep import embed_some, tidy
from recollect.rank import worth
from recollect.rank.worth import (
    Course,
    ErrorRecurrence,
    Errors,
    ReplayedLine,
    ReplayedMoment,
    ReplayRecord,
    Statements,
    Vocabulary,
    lines_in,
)
from recollect.text.optout import find_opt_out, without_markers
from recollect.text.passages import with_previous_turn
from recollect.text.signature import signature

FIXES = (Kind.ERROR_PATTERN, Kind.CORRECTION)
MAX_EVENT_CHARS = 20_000  # of one event, for its terms
ExpectsTexts = Callable[[Iterable[str]], None]  # is given texts that will be embedded soon


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedTranscript:
    name: str
    began: datetime  # time of its first event
    events: Callable[[], Iterator[Event]]
    counts: bool = True  # False: it is learnt from, but not measured


@dataclass(slots=True)
class _PlayedSession:
    course: Course
    counts: bool
    moments: list[tuple[int, ReplayedMoment]]
    shown: list[ReplayedLine]  # in the live context
    texts: list[str]
    project: "_PlayedProject"


@dataclass(slots=True)
class _PlayedProject:
    vocabulary: Vocabulary
    statements: Statements
    errors: Errors


class Replay:
    def __init__(self, engine: Engine, expect: ExpectsTexts = lambda _: None, *, in_turn: bool = False) -> None:
        """`in_turn`: play one transcript after another, each as a whole, with the messages that it copies from others."""
        self._engine = engine
        self._expect = expect
        self._in_turn = in_turn
        self._chance = Random(7)  # the same sessions give the same report
        self._projects: dict[ProjectId | str | None, _PlayedProject] = {}
        self._open: dict[SessionId, _PlayedSession] = {}
        self._said_in: dict[tuple[str, datetime], SessionId] = {}
        self._day: date | None = None
        self.record = ReplayRecord()

    def play(self, recorded: Sequence[RecordedTranscript]) -> Iterator[RecordedTranscript]:
        """Play the transcripts and yield each at its end. The caller may stop between any two events."""
        ready = [replace(one, events=partial(self._embed_ahead, one)) for one in recorded]
        order = events_in_turn if self._in_turn else events_in_time
        for transcript, event in order(ready):
            if event is None:
                yield transcript
            else:
                self._hear(event, counts=transcript.counts)

    def _embed_ahead(self, transcript: RecordedTranscript) -> Iterator[Event]:
        """Return its events, and announce the texts that the archive will embed."""
        events, before = list(transcript.events()), dict[SessionId, str]()
        for event in events:
            if isinstance(event, Prompt | Reply) and not (_is_notice(event) or self._is_copied(event)):
                self._expect([with_previous_turn(event.text, before.get(event.session))])
                before[event.session] = event.text
        return iter(events)

    def _hear(self, event: Event, *, counts: bool) -> None:
        if event.session not in self._open:
            self._open[event.session] = self._begin(event, counts)
        played = self._open[event.session]
        if _is_notice(event) or self._is_copied(event):
            played.course.add(_words(event))
            return
        with suppress(InvalidValue):  # a name that looks like a secret: a live event would not be stored either
            injection = self._send(event)
            played.course.add(_words(event))
            self._note(played, event, injection)
        if isinstance(event, Compacted):
            self._hear(_start_after(event), counts=counts)
        elif isinstance(event, SessionEnded):
            self._end(event.session)

    def _send(self, event: Event) -> Injection:
        """Send an event to the engine, embed before it and learn after it."""
        if event.at.date() != self._day:
            self._day = event.at.date()
            tidy(self._engine.context(None, event.at))
        if _point(event) is not None:  # as the daemon does between two moments
            while embed_some(self._engine.context(None, event.at)):
                pass
        injection = handle(self._engine, event)
        while learn_some(self._engine):
            pass
        return injection

    def _begin(self, event: Event, counts: bool) -> _PlayedSession:
        place: ProjectId | str | None = event.project
        if place is None and event.folder is not None:
            place = event.folder
            with suppress(InvalidValue):  # no folder has such a name
                place = project_here(self._engine.context(event.folder, event.at))
        if place not in self._projects:
            self._projects[place] = _PlayedProject(Vocabulary(self._chance), Statements(), Errors())
        is_users = event.parent is None  # a subagent's session is learnt from, but the user did not see it
        return _PlayedSession(Course(), counts and is_users, [], [], [], self._projects[place])

    def _is_copied(self, event: Event) -> bool:
        name = getattr(event, "message", None) or getattr(event, "call", None)
        if self._in_turn or name is None:
            return False
        return self._said_in.setdefault((name, event.at), event.session) != event.session

    def _note(self, played: _PlayedSession, event: Event, injection: Injection) -> None:
        at, lines = played.course.length - 1, tuple(lines_in(injection.block))
        point = _point(event)
        if isinstance(event, Prompt | Reply):
            played.texts.append(event.text[:MAX_EVENT_CHARS])
        if isinstance(event, Prompt):
            self._listen(played, event)
        if isinstance(event, ToolFailed):
            self._compare(played, event, injection, lines)
        if isinstance(event, Compacted):
            played.shown.clear()
        if point is not None:
            moment = ReplayedMoment(
                point=point, session=event.session, at=event.at, tokens=injection.tokens, lines=lines
            )
            played.moments.append((at, moment))
        played.shown += lines

    def _listen(self, played: _PlayedSession, prompt: Prompt) -> None:
        """Find what the user has to explain again, as far as it may be stored."""
        if prompt.origin is not Origin.USER or find_opt_out(prompt.text).capture or prompt.parent is not None:
            return
        bare = replace(prompt, text=without_markers(prompt.text))
        kept = admit_event(bare, self._engine.settings_for(prompt.folder).privacy)
        if isinstance(kept, Prompt):
            found = list(played.project.statements.add(kept.text, prompt.session, prompt.at, played.shown))
            if played.counts:
                self.record.repetitions += found

    def _compare(
        self, played: _PlayedSession, event: ToolFailed, injection: Injection, lines: Sequence[ReplayedLine]
    ) -> None:
        """Check whether a known error came with its fix."""
        if not is_work_error(event.error):  # a denied permission is not an error to fix
            return
        kept = admit_event(event, self._engine.settings_for(event.folder).privacy)
        known = signature(kept.error) if isinstance(kept, ToolFailed) else None
        if known is None or known.is_generic or not known.key:
            return
        first_at = played.project.errors.find_earlier(known.key, event.session, event.at)
        if first_at is not None and played.counts:
            shown = [choice for choice in injection.choices if choice.verdict is Verdict.SHOWN]
            fixes = {choice.id for choice in shown if choice.kind in FIXES}
            line = next((line.text for line in lines if line.id in fixes), None)
            self.record.errors.append(
                ErrorRecurrence(error=known.headline, first_at=first_at, at=event.at, fix_line=line)
            )

    def _end(self, session: SessionId) -> None:
        played = self._open.pop(session)
        vocabulary = played.project.vocabulary
        if played.counts:
            self.record.sessions += 1
            for at, moment in played.moments:
                lines = tuple(vocabulary.score(line, played.course, at) for line in moment.lines)
                self.record.moments.append(replace(moment, lines=lines))
        vocabulary.add(played.course, played.texts)


def events_in_turn(recorded: Sequence[RecordedTranscript]) -> Iterator[tuple[RecordedTranscript, Event | None]]:
    """Yield the events of each transcript in turn; None after its last."""
    for transcript in recorded:
        yield from ((transcript, event) for event in transcript.events())
        yield transcript, None


def events_in_time(recorded: Sequence[RecordedTranscript]) -> Iterator[tuple[RecordedTranscript, Event | None]]:
    """Yield all events by time, each transcript in its own order and opened only then; None after its last."""
    waiting = sorted(recorded, key=lambda one: (one.began, one.name), reverse=True)
    running: list[tuple[datetime, int, Event, RecordedTranscript, Iterator[Event]]] = []
    number = 0
    while waiting or running:
        if waiting and (not running or waiting[-1].began <= running[0][0]):
            transcript = waiting.pop()
            events = transcript.events()
        else:
            _, _, event, transcript, events = heapq.heappop(running)
            yield transcript, event
        following = next(events, None)
        if following is None:
            yield transcript, None
        else:
            number += 1
            heapq.heappush(running, (following.at, number, following, transcript, events))


def _is_notice(event: Event) -> bool:
    """Return True for a host's message in the user's name: a live host would not send it."""
    return isinstance(event, Prompt) and event.origin is Origin.NOTIFICATION


def _point(event: Event) -> str | None:
    """Return the moment of an event; None: the engine only takes note of it."""
    match event:
        case SessionStarted():
            return worth.START if event.source is StartSource.STARTUP else worth.COMPACTION
        case Prompt():
            return worth.PROMPT if event.origin is Origin.USER else worth.COMMAND
        case ToolFailed():
            return worth.TOOL_ERROR
        case _:
            return None


def _start_after(event: Compacted) -> SessionStarted:
    """Return the start event that a host sends after a compaction."""
    return SessionStarted(
        session=event.session,
        at=event.at,
        host=event.host,
        folder=event.folder,
        project=event.project,
        language=event.language,
        agent=event.agent,
        parent=event.parent,
        headless=event.headless,
        source=StartSource.COMPACT,
    )


def _words(event: Event) -> str:
    match event:
        case Prompt() | Reply():
            text = event.text
        case ToolSucceeded():
            text = f"{event.output[:MAX_EVENT_CHARS]} {_input_text(event.input)}"
        case ToolFailed():
            text = f"{event.error[:MAX_EVENT_CHARS]} {_input_text(event.input)}"
        case _:
            text = ""
    return text[: 2 * MAX_EVENT_CHARS]


def _input_text(values: dict[str, object]) -> str:
    return json.dumps(values, ensure_ascii=False, default=str)[:MAX_EVENT_CHARS]
