"""Plays the demo's story through an engine of its own, and keeps what a host would have sent to the model.

Everything happens in memory; the time of day comes from the story, and only the milliseconds are measured.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from recollect import wiring
from recollect.cli.demo import story
from recollect.cli.demo.story import Happening
from recollect.domain.event import Asked, Compacted, Event, Prompt, Reply, SessionStarted, ToolFailed, ToolSucceeded
from recollect.domain.injection import Injection, Placement
from recollect.domain.memory import Draft
from recollect.domain.outcome import Stored
from recollect.domain.settings import InjectSettings, Placing, Settings
from recollect.engine.engine import Engine, no_model
from recollect.engine.ports import Embeds

LoadsModel = Callable[[], Embeds | None]

SYSTEM = """You are a coding agent in a terminal. You help one developer in one project, with the tools that are given.
Read a file before you change it. Keep to the conventions that you find. Make small changes and run the tests after
each of them. Say what you did in a few sentences, and say so when something did not work. Never commit and never push
unless you are asked to. Never print what looks like a password or a key."""
SUMMARY = "Slots lock before they count, receipts come after the event id, checkout counts down to 20:00. Tests pass."


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """Something that was taught, and what became of it."""

    draft: Draft
    stored: Stored


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryMoment:
    """Something that happened, and what the model is to see of it."""

    event: Event
    injection: Injection
    ms: float


Step = Lesson | StoryMoment


@dataclass(frozen=True, slots=True, kw_only=True)
class SentRequest:
    """One request to the model, beside the one before it in the same live context."""

    context: int
    sent_bytes: int
    before_bytes: int = 0  # 0: it is the first one
    kept_bytes: int = 0  # how far it begins like the one before it
    said_bytes: int = 0  # of the one before it, what is conversation and not system prompt
    kept_said_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    winter: tuple[Step, ...]
    morning: tuple[Step, ...]
    evening: tuple[Step, ...]
    calls: tuple[SentRequest, ...]  # of the evening

    @property
    def steps(self) -> tuple[Step, ...]:
        return (*self.winter, *self.morning, *self.evening)

    @property
    def later_calls(self) -> list[SentRequest]:
        """Those that have one before them in their live context."""
        return [call for call in self.calls if call.before_bytes]

    @property
    def kept(self) -> float:
        """The share of each request that the next one begins with."""
        return sum(call.kept_bytes for call in self.calls) / sum(call.before_bytes for call in self.calls)

    @property
    def kept_said(self) -> float:
        """The same of the conversation alone, without the system prompt."""
        return sum(call.kept_said_bytes for call in self.calls) / sum(call.said_bytes for call in self.calls)


def play(placing: Placing, model: LoadsModel = no_model) -> Played:
    settings = Settings(inject=InjectSettings(placement=placing))
    host = _Host()
    with wiring.open_engine(lambda _: settings, None, model) as engine:
        winter = _played(engine, story.winter(), _Host())
        morning = _played(engine, story.morning(), _Host())
        evening = _played(engine, story.evening(), host)
    return Played(winter=winter, morning=morning, evening=evening, calls=host.calls)


def warm_up(model: LoadsModel) -> None:
    """A daemon has all of its code loaded when a session begins; so have we, before anything is measured."""
    with wiring.open_engine(lambda _: Settings(), None, model) as engine:
        happened: list[Happening] = [*story.winter(), *story.morning()]
        _played(engine, happened, _Host())
        engine.handle(Prompt(session=story.MORNING, at=happened[-1].at, message=story.WARM, text=story.WARM_UP))


def _played(engine: Engine, story: Iterable[Happening], host: "_Host") -> tuple[Step, ...]:
    return tuple(_step(engine, happened, host) for happened in story)


def _step(engine: Engine, happened: Happening, host: "_Host") -> Step:
    if isinstance(happened, Draft):
        stored = engine.remember(happened)
        while engine.embed_some():  # in the background, where there is one
            pass
        return Lesson(draft=happened, stored=stored)
    began = time.perf_counter()
    injection = engine.handle(happened)
    ms = (time.perf_counter() - began) * 1000
    host.take(happened, injection)
    return StoryMoment(event=happened, injection=injection, ms=ms)


class _Host:
    """What a host sends: the system prompt with the stable block, and all messages in order with their blocks."""

    def __init__(self) -> None:
        self._block = ""
        self._messages: list[str] = []
        self._waits = False  # for the model: whatever it says or runs next is its answer to a request
        self._contexts: list[list[_Request]] = [[]]

    def take(self, event: Event, injection: Injection) -> None:
        is_stable = injection.placement is Placement.SYSTEM
        match event:
            case SessionStarted():
                self._block = injection.block
            case Prompt():
                self._block = injection.block if is_stable else self._block
                self._tell("user", event.text, "" if is_stable else injection.block)
            case Reply():
                self._call()
                self._say("assistant", event.text)
            case ToolSucceeded():
                self._call()
                self._tell(event.tool, *event.input.values(), event.output)
            case ToolFailed():
                self._call()
                self._tell(event.tool, *event.input.values(), event.error, injection.block)
            case Asked():
                self._call()
                self._tell("recall", event.query, injection.block)
            case Compacted():
                self._contexts.append([])
                self._messages = []
                self._tell("user", SUMMARY)
            case _:
                pass

    def _say(self, who: str, *parts: str) -> None:
        self._messages.append("\n".join([f"{who}:", *filter(None, parts)]))

    def _tell(self, who: str, *parts: str) -> None:
        self._say(who, *parts)
        self._waits = True

    def _call(self) -> None:
        if self._waits:
            system = f"{SYSTEM}\n\n{self._block}\n\n".encode()
            self._contexts[-1].append(_Request(system, "\n\n".join(self._messages).encode()))
        self._waits = False

    @property
    def calls(self) -> tuple[SentRequest, ...]:
        return tuple(call for number, sent in enumerate(self._contexts) for call in _calls(number, sent))


class _Request(NamedTuple):
    system: bytes
    messages: bytes


def _calls(context: int, sent: list[_Request]) -> list[SentRequest]:
    first = [SentRequest(context=context, sent_bytes=len(b"".join(request))) for request in sent[:1]]
    return [*first, *(_later_call(context, before, request) for before, request in pairwise(sent))]


def _later_call(context: int, before: _Request, request: _Request) -> SentRequest:
    kept_bytes = _common_bytes(b"".join(before), b"".join(request))
    return SentRequest(
        context=context,
        sent_bytes=len(b"".join(request)),
        before_bytes=len(b"".join(before)),
        kept_bytes=kept_bytes,
        said_bytes=len(before.messages),
        kept_said_bytes=max(0, kept_bytes - len(before.system)),
    )


def _common_bytes(one: bytes, other: bytes) -> int:
    """How far they are the same from the beginning."""
    differing = (number for number, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(differing, min(len(one), len(other)))
