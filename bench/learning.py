"""Processor time of learning from prompts and replies, and how much of our code a prompt and learning run through.

Learning is measured as the daemon does it: the rules, then the vectors of the archive."""

import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from types import CodeType, FrameType

import recollect
from bench.corpus import NOW, project, prompts, sentences
from bench.measure import NAME_CHARS, verdict
from recollect import wiring
from recollect.domain.event import Event, Prompt, Reply, SessionStarted
from recollect.domain.memory import MessageId, SessionId
from recollect.domain.settings import Settings
from recollect.engine.engine import NO_MODEL, Engine, LoadedModel
from recollect.engine.learning.worker import learn_some
from recollect.engine.moments.handle import handle
from recollect.engine.ports import Embeds
from recollect.engine.upkeep import embed_some

EXCHANGES, WARM_UP, PER_SESSION = 150, 20, 10
TRACED = 4  # exchanges whose calls are counted
PROMPT_MS, REPLY_MS = 20, 60
OURS = os.path.dirname(recollect.__file__)  # noqa: PTH120  # compared with the file names of code


@dataclass(slots=True)
class Trace:
    files: set[str] = field(default_factory=set)
    functions: set[CodeType] = field(default_factory=set)
    calls: int = 0

    def __str__(self) -> str:
        return f"{len(self.files)} files, {len(self.functions)} functions, {self.calls:,} calls"

    @contextmanager
    def running(self) -> Iterator[None]:
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(OURS):
            self.calls += 1
            self.files.add(frame.f_code.co_filename)
            self.functions.add(frame.f_code)


def run(folder: Path, model: Embeds | None, exchanges: int = EXCHANGES) -> None:
    settings = Settings()
    loads = NO_MODEL if model is None else LoadedModel(model)
    with wiring.open_engine(lambda _: settings, folder / "learning.db", loads) as engine:
        spent_ms: dict[type[Event], list[float]] = {Prompt: [], Reply: []}
        for number, event in enumerate(_events(WARM_UP + exchanges)):
            handle(engine, event)
            spent = _cpu_ms(lambda: _learn(engine))
            if number > 2 * WARM_UP and type(event) in spent_ms:
                spent_ms[type(event)].append(spent)
        _report("a prompt", spent_ms[Prompt], PROMPT_MS)
        _report("a reply of three sentences", spent_ms[Reply], REPLY_MS)
        _count_calls(engine)


def _report(what: str, spent_ms: list[float], at_most_ms: float) -> None:
    mean_ms = statistics.mean(spent_ms)
    wanted = f"at most {at_most_ms} ms: {verdict(mean_ms <= at_most_ms)}"
    print(
        f"{f'learning from {what}, with its vectors':{NAME_CHARS}} {mean_ms:9.2f} ms of a processor; {wanted}",
        flush=True,
    )


def _count_calls(engine: Engine) -> None:
    """Count on warm code: the last prompt, then all events of the session at once."""
    answering, learning = Trace(), Trace()
    for event in _events(TRACED, first=WARM_UP + EXCHANGES):
        answering = Trace() if isinstance(event, Prompt) else answering
        with answering.running() if isinstance(event, Prompt) else nullcontext():
            handle(engine, event)
    waiting = engine.store.count_waiting_events()
    with learning.running():
        while learn_some(engine):
            pass
    print(f"{'a prompt runs through':{NAME_CHARS}} {answering}", flush=True)
    print(f"{f'learning from {waiting} events runs through':{NAME_CHARS}} {learning}", flush=True)


def _learn(engine: Engine) -> None:
    while learn_some(engine):
        pass
    while embed_some(engine.context(None, NOW)):
        pass


def _cpu_ms(work: Callable[[], None]) -> float:
    began = time.thread_time()
    work()
    return (time.thread_time() - began) * 1000


def _events(exchanges: int, first: int = 0) -> Iterator[Event]:
    """Yield prompts, and replies of three sentences, in sessions of one project."""
    asked, said = prompts(exchanges, seed=first), sentences(3 * exchanges, seed=f"reply {first}")
    here = project(0)
    for number in range(first, first + exchanges):
        session, at = SessionId(f"s{number // PER_SESSION}"), NOW + timedelta(minutes=2 * number)
        place = number - first
        if place % PER_SESSION == 0:
            yield SessionStarted(session=session, at=at, project=here)
        yield Prompt(session=session, at=at, project=here, message=MessageId(f"m{number}"), text=asked[place])
        reply = " ".join(said[3 * place : 3 * place + 3])
        at += timedelta(minutes=1)
        yield Reply(session=session, at=at, project=here, message=MessageId(f"r{number}"), text=reply, final=True)
