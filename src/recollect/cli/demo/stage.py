"""Plays the demo's story through an engine in memory, and measures what the host would send to the model.

Each event goes to the engine as a host sends it; the engine then learns from it, as a daemon does in the background.
"""

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from recollect import wiring
from recollect.cli.demo import story
from recollect.domain.event import Compacted, Event, Prompt, Reply, SessionStarted, ToolFailed, ToolSucceeded
from recollect.domain.injection import Injection, Placement
from recollect.domain.memory import Memory, Tier
from recollect.domain.settings import InjectSettings, Settings, TurnPlacement
from recollect.engine.context import Context
from recollect.engine.engine import NO_MODEL, Engine
from recollect.engine.learning.worker import learn_some
from recollect.engine.memories.lookup import all_memories
from recollect.engine.moments.handle import handle
from recollect.engine.ports import LoadsModel
from recollect.engine.upkeep import embed_some

SYSTEM_PROMPT = """You are a coding agent in a terminal. You help one developer in one project, with the given tools.
Read a file before you change it. Keep to the conventions that you find. Make small changes and run the tests after
each of them. Say what you did in a few sentences, and say so when something did not work. Never commit and never push
unless you are asked to. Never print what looks like a password or a key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryStep:
    event: Event
    injection: Injection
    ms: float
    learnt: tuple[Memory, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestPair:
    first_bytes: int
    kept_bytes: int  # how far the second one begins with the bytes of the first


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedStory:
    older: tuple[StoryStep, ...]
    first: tuple[StoryStep, ...]
    second: tuple[StoryStep, ...]
    pairs: tuple[RequestPair, ...]  # of the second session

    @property
    def kept_share(self) -> float:
        """The share of each request that the next one begins with: the provider's cache serves it."""
        return sum(pair.kept_bytes for pair in self.pairs) / sum(pair.first_bytes for pair in self.pairs)


def play(placing: TurnPlacement, model: LoadsModel = NO_MODEL) -> PlayedStory:
    settings = Settings(inject=InjectSettings(placement=placing))
    with wiring.open_engine(lambda _: settings, None, model) as engine:
        older = _play_session(engine, story.older_session())
        first = _play_session(engine, story.first_session())
        second = _play_session(engine, story.second_session())
    return PlayedStory(older=older, first=first, second=second, pairs=_request_pairs(second))


def _play_session(engine: Engine, events: Iterable[Event]) -> tuple[StoryStep, ...]:
    steps = []
    for event in events:
        began = time.perf_counter()
        injection = handle(engine, event)
        ms = (time.perf_counter() - began) * 1000
        steps.append(StoryStep(event=event, injection=injection, ms=ms, learnt=_learn(engine, event.at)))
    return tuple(steps)


def _learn(engine: Engine, now: datetime) -> tuple[Memory, ...]:
    ctx = engine.context(None, now)
    known = {memory.id for memory in _list_confirmed(ctx)}
    while learn_some(engine):
        pass
    while embed_some(ctx):
        pass
    return tuple(memory for memory in _list_confirmed(ctx) if memory.id not in known)


def _list_confirmed(ctx: Context) -> list[Memory]:
    return [memory for memory in all_memories(ctx) if memory.tier is Tier.CONFIRMED]


def _request_pairs(steps: Iterable[StoryStep]) -> tuple[RequestPair, ...]:
    host = _Host()
    for step in steps:
        host.receive(step.event, step.injection)
    pairs = []
    for requests in host.contexts:
        for first, second in pairwise(requests):
            kept = os.path.commonprefix([first, second])  # noqa: RUF071  # bytes, not paths
            pairs.append(RequestPair(first_bytes=len(first), kept_bytes=len(kept)))
    return tuple(pairs)


class _Host:
    """Builds its requests as hosts do: the system prompt, then all messages in order, each with its block."""

    def __init__(self) -> None:
        self.contexts: list[list[bytes]] = [[]]  # the requests of each live context
        self._system_block = ""
        self._messages: list[str] = []

    def receive(self, event: Event, injection: Injection) -> None:
        block = injection.block
        if isinstance(event, SessionStarted | Prompt) and injection.placement is Placement.SYSTEM:
            self._system_block, block = block, ""
        match event:
            case Prompt():
                self._send(event.text, block)
            case Reply():
                self._messages.append(event.text)
            case ToolSucceeded():
                self._send(str(event.input), event.output)
            case ToolFailed():
                self._send(str(event.input), event.error, block)
            case Compacted():
                self.contexts.append([])
                self._messages = [event.summary]
            case _:
                pass

    def _send(self, *parts: str) -> None:
        self._messages.append("\n".join(parts))
        self.contexts[-1].append("\n\n".join([SYSTEM_PROMPT, self._system_block, *self._messages]).encode())
