"""Old sessions, played again as they happened: event by event, in time order, through the engine as if they were live.

The engine has a store of its own, which is thrown away. What it says is noted for `rank.worth`; nobody is told. What a
session copies from another one, as a resumed one does, is not played twice: what was said then would look useful.
"""

import heapq
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import partial
from random import Random

from recollect.capture.happened.failures import is_work
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
from recollect.engine.admission import admitted_event
from recollect.engine.engine import Engine
from recollect.engine.ports import SettingsFor
from recollect.rank import worth
from recollect.rank.worth import (
    Course,
    Errors,
    MetAgain,
    ReplayedLine,
    ReplayedMoment,
    ReplayRecord,
    Statements,
    Vocabulary,
    lines_in,
)
from recollect.text.optout import opted_out, without_markers
from recollect.text.passages import in_context
from recollect.text.signature import signature

FIXES = (Kind.ERROR_PATTERN, Kind.CORRECTION)
MAX_HEARD_CHARS = 20_000  # of one event, for its terms
Expects = Callable[[Iterable[str]], None]  # takes texts that will be embedded soon


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """One transcript, by when it begins."""

    name: str
    began: datetime
    events: Callable[[], Iterator[Event]]
    counts: bool = True  # False: it is only learnt from


@dataclass(slots=True)
class _Played:
    """A session while it goes on."""

    course: Course
    counts: bool
    moments: list[tuple[int, ReplayedMoment]]
    shown: list[ReplayedLine]  # in front of the model since its context began
    texts: list[str]
    project: "_Known"


@dataclass(slots=True)
class _Known:
    """One project, as far as it was played."""

    vocabulary: Vocabulary
    statements: Statements
    errors: Errors


class Replay:
    def __init__(
        self,
        engine: Engine,
        settings_for: SettingsFor,
        expect: Expects = lambda _: None,
        *,
        in_turn: bool = False,
    ) -> None:
        """`in_turn`: one transcript after another, each as a whole, with what it copies from others."""
        self._engine = engine
        self._expect = expect
        self._in_turn = in_turn
        self._settings_for = settings_for
        self._chance = Random(7)  # the same sessions give the same report
        self._projects: dict[ProjectId | str | None, _Known] = {}
        self._open: dict[SessionId, _Played] = {}
        self._said_in: dict[tuple[str, datetime], SessionId] = {}
        self._day: date | None = None
        self.record = ReplayRecord()

    def play(self, recorded: Sequence[Recorded]) -> Iterator[Recorded]:
        """Yields each transcript once it is over. It may be ended between any two events."""
        ready = [replace(one, events=partial(self._ahead, one)) for one in recorded]
        for transcript, event in (in_turn if self._in_turn else in_time)(ready):
            if event is None:
                yield transcript
            else:
                self._hear(event, counts=transcript.counts)

    def _ahead(self, transcript: Recorded) -> Iterator[Event]:
        """Its events; what it says is embedded meanwhile, as far as the archive keeps it."""
        events, before = list(transcript.events()), dict[SessionId, str]()
        for event in events:
            if isinstance(event, Prompt | Reply) and not (_is_notice(event) or self._is_copied(event)):
                self._expect([in_context(event.text, before.get(event.session))])
                before[event.session] = event.text
        return iter(events)

    def _hear(self, event: Event, *, counts: bool) -> None:
        if event.session not in self._open:
            self._open[event.session] = self._begin(event, counts)
        played = self._open[event.session]
        if _is_notice(event) or self._is_copied(event):
            played.course.hear(_words(event))
            return
        with suppress(InvalidValue):  # a name that looks like a secret: live, nothing of it would be kept either
            injection = self._told(event)
            played.course.hear(_words(event))
            self._note(played, event, injection)
        if isinstance(event, Compacted):
            self._hear(_goes_on(event), counts=counts)
        elif isinstance(event, SessionEnded):
            self._end(event.session)

    def _told(self, event: Event) -> Injection:
        """What the engine says, after it has learnt from what came before."""
        if event.at.date() != self._day:
            self._day = event.at.date()
            self._engine.tidy(event.at)
        if _point(event) is not None:  # as the daemon does between two moments
            while self._engine.embed_some():
                pass
        injection = self._engine.handle(event)
        while self._engine.learn_some():
            pass
        return injection

    def _begin(self, event: Event, counts: bool) -> _Played:
        place: ProjectId | str | None = event.project
        if place is None and event.folder is not None:
            place = event.folder
            with suppress(InvalidValue):  # no folder can have this name
                place = self._engine.project_of(event.folder)
        if place not in self._projects:
            self._projects[place] = _Known(Vocabulary(self._chance), Statements(), Errors())
        is_users = event.parent is None  # an agent's session is learnt from; its user saw nothing of it
        return _Played(Course(), counts and is_users, [], [], [], self._projects[place])

    def _is_copied(self, event: Event) -> bool:
        name = getattr(event, "message", None) or getattr(event, "call", None)
        if self._in_turn:
            return False
        return name is not None and self._said_in.setdefault((name, event.at), event.session) != event.session

    def _note(self, played: _Played, event: Event, injection: Injection) -> None:
        at, lines = played.course.length - 1, tuple(lines_in(injection.block))
        point = _point(event)
        if isinstance(event, Prompt | Reply):
            played.texts.append(event.text[:MAX_HEARD_CHARS])
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

    def _listen(self, played: _Played, prompt: Prompt) -> None:
        """To what the user explains, as far as it may be kept."""
        if prompt.origin is not Origin.USER or opted_out(prompt.text).capture or prompt.parent is not None:
            return
        bare = replace(prompt, text=without_markers(prompt.text))
        kept = admitted_event(bare, self._settings_for(prompt.folder).privacy)
        if isinstance(kept, Prompt):
            found = list(played.project.statements.hear(kept.text, prompt.session, prompt.at, played.shown))
            self.record.repetitions += found if played.counts else []

    def _compare(self, played: _Played, event: ToolFailed, injection: Injection, lines: Sequence[ReplayedLine]) -> None:
        if not is_work(event.error):  # a refusal is nothing to be fixed
            return
        kept = admitted_event(event, self._settings_for(event.folder).privacy)
        known = signature(kept.error) if isinstance(kept, ToolFailed) else None
        if known is None or known.is_generic or not known.key:
            return
        first_at = played.project.errors.met(known.key, event.session, event.at)
        if first_at is not None and played.counts:
            fixes = {
                choice.id for choice in injection.choices if choice.kind in FIXES and choice.verdict is Verdict.SHOWN
            }
            line = next((line.text for line in lines if line.id in fixes), None)
            self.record.errors.append(MetAgain(error=known.headline, first_at=first_at, at=event.at, fix_line=line))

    def _end(self, session: SessionId) -> None:
        played = self._open.pop(session)
        vocabulary = played.project.vocabulary
        if played.counts:
            self.record.sessions += 1
            for at, moment in played.moments:
                lines = tuple(vocabulary.scored(line, played.course, at) for line in moment.lines)
                self.record.moments.append(replace(moment, lines=lines))
        vocabulary.add(played.course, played.texts)


def in_turn(recorded: Sequence[Recorded]) -> Iterator[tuple[Recorded, Event | None]]:
    """The events of each, as they come; None behind its last."""
    for transcript in recorded:
        yield from ((transcript, event) for event in transcript.events())
        yield transcript, None


def in_time(recorded: Sequence[Recorded]) -> Iterator[tuple[Recorded, Event | None]]:
    """The events of all of them by their time, each transcript in its own order; None behind its last. A transcript is
    opened when its time comes."""
    waiting = sorted(recorded, key=lambda one: (one.began, one.name), reverse=True)
    running: list[tuple[datetime, int, Event, Recorded, Iterator[Event]]] = []
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
    """What a host says in the user's name: it asks nobody about that."""
    return isinstance(event, Prompt) and event.origin is Origin.NOTIFICATION


def _point(event: Event) -> str | None:
    """None: the engine is told, not asked."""
    match event:
        case SessionStarted():
            return worth.START if event.source is StartSource.STARTUP else worth.COMPACTION
        case Prompt():
            return worth.PROMPT if event.origin is Origin.USER else worth.COMMAND
        case ToolFailed():
            return worth.TOOL_ERROR
        case _:
            return None


def _goes_on(event: Compacted) -> SessionStarted:
    """As a host begins again after a summary."""
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
            said = event.text
        case ToolSucceeded():
            said = f"{event.output[:MAX_HEARD_CHARS]} {_given(event.input)}"
        case ToolFailed():
            said = f"{event.error[:MAX_HEARD_CHARS]} {_given(event.input)}"
        case _:
            said = ""
    return said[: 2 * MAX_HEARD_CHARS]


def _given(values: dict[str, object]) -> str:
    return json.dumps(values, ensure_ascii=False, default=str)[:MAX_HEARD_CHARS]
