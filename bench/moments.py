"""Time of each moment of a session in the engine, with a thousand earlier sessions in the log.

Settings come from files and projects from folders, as in the daemon. Embedding the prompt has its own row and is left out
of the others: it is the same at every size.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path

from bench.corpus import NOW, PROJECTS, errors, project, prompts, sentences
from bench.measure import Times, measure, row
from bench.plain import PlainSearch
from bench.search import FEWER_FROM, PROJECTS_IN_TURN, QUERIES, database, open_store, recall, write, write_vectors
from bench.vectors import PreparedEmbedder, Reals, Vectors
from recollect.daemon.settings import LiveSettings
from recollect.domain.event import Asked, Compacting, Event, Prompt, Reply, SessionStarted, ToolFailed
from recollect.domain.injection import Choice, Injection, LogEntry, Placement, Verdict
from recollect.domain.memory import Kind, MemoryId, MessageId, ProjectId, SessionId
from recollect.domain.session import Note, NoteCode, Recap, Session, Summary
from recollect.engine.engine import NO_MODEL, Engine, LoadedModel
from recollect.engine.moments.handle import handle
from recollect.engine.moments.start import prepare_start_blocks
from recollect.engine.ports import Embeds
from recollect.store.sqlite.store import SqliteStore
from recollect.workspace import git

LOGGED_SESSIONS, RECAPS = 1_000, 5  # sessions in the log, and how many of them per project have a recap
SESSIONS, TURNS = 10, 20  # sessions that are measured, and turns in each
OTHER_EVENTS = 5  # failed tools, or questions, in each of them
LONG = 200  # turns before the measured ones in a long session
REASONS_PER_TURN = 23  # memories that a logged turn gives a reason for
TURN_MS = {10_000: 10.0, 100_000: 15.0, 1_000_000: 30.0}
TURN_P95_MS = {10_000: 25.0}
START_MS = 20.0
MINUTE = timedelta(minutes=1)


def run(
    folder: Path,
    sizes: Sequence[int],
    given: Vectors,
    questions: Reals,
    new_model: Callable[[], Embeds | None] = NO_MODEL,
) -> None:
    """Measure each size; databases that `search` left in the folder are reused."""
    for size in sizes:
        _measure(folder, size, given, questions)
    model = new_model()
    if model is not None:
        row("          what embedding the prompt adds to each", measure(prompts(QUERIES), model.embed_question))


def _measure(folder: Path, size: int, given: Vectors, questions: Reals) -> None:
    plain = PlainSearch(folder / f"plain-{size}-{PROJECTS}.db", size)
    usual = measure(enumerate(prompts(FEWER_FROM.get(size, QUERIES))), lambda asked: plain.search(*asked))
    plain.close()
    row(f"{size:>9,} memories: plain FTS5 join", usual, usual)
    file = database(folder, size)
    is_new = not file.exists()
    with open_store(file) as (store, writer):
        if is_new:
            write(writer, size)
            write_vectors(store, given, size)
        log_sessions(store, LOGGED_SESSIONS)
        by_word = _Host(store, folder, f"{size}-word", None)
        both = _Host(store, folder, f"{size}-meaning", PreparedEmbedder(given.model, iter(()), questions))
        both.warm_up()
        name = f"{size:>9,} memories"
        row(f"{name}: a session start", by_word.starts(), usual, target_ms=START_MS)
        row(f"{name}: a session start, prepared by the daemon", by_word.warm_starts(), usual, target_ms=START_MS)
        for host, how in ((by_word, "by word"), (both, "by word and meaning")):
            wanted, wanted_p95 = TURN_MS.get(size), TURN_P95_MS.get(size)
            row(f"{name}: a turn {how}", host.turns(), usual, target_ms=wanted, target_p95_ms=wanted_p95)
            print(f"{name}: of these, {host.spoke} of {host.asked} turns brought something", flush=True)
        row(f"{name}: a turn after {LONG} others", both.late_turns(), usual)
        row(f"{name}: a tool that failed", both.failures(), usual)
        row(f"{name}: a question of the agent", both.questions(), usual)
        row(f"{name}: before a compaction", both.compactions(), usual)


class _Host:
    """Sends its own engine the events of sessions in several projects, one after another."""

    def __init__(self, store: SqliteStore, folder: Path, name: str, embeds: Embeds | None) -> None:
        self._store = store
        settings = LiveSettings(folder / "settings.toml", {})  # there is no such file, as for most users
        model = NO_MODEL if embeds is None else LoadedModel(embeds)
        self._engine = Engine(store=store, settings_for=settings, folders=git, seconds=time.perf_counter, model=model)
        self._handle = partial(handle, self._engine)
        self._folders = [_checkout(folder, number) for number in range(PROJECTS_IN_TURN)]
        self._names = (f"{name}-{number}" for number in count())
        self.asked = self.spoke = 0

    def warm_up(self) -> None:
        for number in range(PROJECTS_IN_TURN):
            recall(self._engine, number, "How does the worker retry?")

    def starts(self) -> Times:
        return measure((session.start() for session in self._sessions(SESSIONS * 5)), self._handle)

    def warm_starts(self) -> Times:
        """Measure starts in projects that had a session before, prepared as by the daemon."""

        def prepared() -> Iterator[SessionStarted]:
            for session in self._sessions(SESSIONS * 5):
                self._handle(session.start())
                prepare_start_blocks(self._engine, NOW)
                yield _Session(id=SessionId(next(self._names)), folder=session.folder).start()

        return measure(prepared(), self._handle)

    def turns(self) -> Times:
        return measure(self._whole_sessions(), self._prompt)

    def late_turns(self) -> Times:
        """Measure turns of one session whose live context is known only from the log."""
        (session,) = self._start_sessions(1)
        log_turns(self._store, session.id, LONG)
        return measure(map(session.prompt, prompts(QUERIES // 4)), self._prompt)

    def failures(self) -> Times:
        return measure(self._after_prompts(_Session.failure, errors(SESSIONS * TURNS)), self._handle)

    def questions(self) -> Times:
        return measure(self._after_prompts(_Session.question, prompts(SESSIONS * TURNS, seed=8)), self._handle)

    def compactions(self) -> Times:
        return measure(self._ready_to_compact(), self._handle)

    def _prompt(self, prompt: Prompt) -> None:
        self.asked += 1
        self.spoke += bool(self._handle(prompt).block)

    def _whole_sessions(self) -> Iterator[Prompt]:
        """Yield prompts; starts and replies happen between them and are not measured."""
        for session, asked in self._with_prompts():
            for text in asked:
                yield session.prompt(text)
                self._handle(session.reply(text))

    def _after_prompts(self, event: "Callable[[_Session, str], Event]", texts: Sequence[str]) -> Iterator[Event]:
        """Yield a few per session: after more of them, all memories would be in the live context."""
        waiting = iter(texts)
        for session, asked in self._with_prompts():
            for text in asked[:OTHER_EVENTS]:
                self._handle(session.prompt(text))
                yield event(session, next(waiting))

    def _ready_to_compact(self) -> Iterator[Event]:
        for session, asked in self._with_prompts():
            for text in asked:
                self._handle(session.prompt(text))
            yield session.compacting()

    def _with_prompts(self) -> "Iterator[tuple[_Session, list[str]]]":
        asked = prompts(SESSIONS * TURNS)
        for number, session in enumerate(self._start_sessions(SESSIONS)):
            yield session, asked[number * TURNS :][:TURNS]

    def _start_sessions(self, sessions: int) -> "Iterator[_Session]":
        for session in self._sessions(sessions):
            self._handle(session.start())
            yield session

    def _sessions(self, sessions: int) -> "Iterator[_Session]":
        for number in range(sessions):
            where = self._folders[number * PROJECTS_IN_TURN // sessions]
            yield _Session(id=SessionId(next(self._names)), folder=str(where))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Session:
    """The events of one session, one minute apart."""

    id: SessionId
    folder: str
    minutes: Iterator[int] = field(default_factory=count)

    def _now(self) -> datetime:
        return NOW + next(self.minutes) * MINUTE

    def start(self) -> SessionStarted:
        return SessionStarted(session=self.id, at=self._now(), folder=self.folder)

    def prompt(self, text: str) -> Prompt:
        at = self._now()
        return Prompt(session=self.id, at=at, folder=self.folder, message=MessageId(f"m{at:%H%M}"), text=text)

    def reply(self, text: str) -> Reply:
        at = self._now()
        return Reply(session=self.id, at=at, folder=self.folder, message=MessageId(f"r{at:%H%M}"), text=text)

    def failure(self, error: str) -> ToolFailed:
        return ToolFailed(session=self.id, at=self._now(), folder=self.folder, tool="bash", error=error)

    def question(self, query: str) -> Asked:
        return Asked(session=self.id, at=self._now(), folder=self.folder, query=query)

    def compacting(self) -> Compacting:
        return Compacting(session=self.id, at=self._now(), folder=self.folder)


def log_sessions(store: SqliteStore, sessions: int) -> None:
    """Log sessions in all projects, each with a start and some turns; the last ones have notes and a summary."""
    with store.transaction():
        for number in range(sessions):
            name = SessionId(f"before-{number}")
            began = NOW - (sessions - number) * 10 * MINUTE
            where = project(number % PROJECTS)
            if number < PROJECTS:  # a known project, so git is not asked for its root
                store.note_aliases(where, [ProjectId(f"root:{number:040x}")], began)
            store.begin_session(Session(id=name, host="bench", project=where, language=None, started_at=began))
            log_turns(store, name, TURNS, began)
            if number >= sessions - RECAPS * PROJECTS:
                store.keep_recap(_recap(name, where, began))


def log_turns(store: SqliteStore, session: SessionId, turns: int, at: datetime = NOW) -> None:
    """Log turns that show nothing, with reasons, as most real turns do."""
    for number in range(turns):
        store.record(
            LogEntry(
                session=session,
                context=0,
                message=MessageId(f"before-{number}"),
                injection=_silence(number),
                at=at,
                took_ms=1.0,
            )
        )


def _silence(number: int) -> Injection:
    factors = dict.fromkeys(("relevance", "recency", "importance", "frequency", "kind", "entity", "words"), 0.123)
    choices = [
        Choice(
            id=MemoryId(f"1-{number * REASONS_PER_TURN + place}"),
            kind=Kind.DECISION,
            verdict=Verdict.THRESHOLD,
            relevance=0.123,
            score=0.456,
            factors=factors,
        )
        for place in range(REASONS_PER_TURN)
    ]
    return Injection(placement=Placement.MESSAGE, budget_tokens=800, considered=50, choices=tuple(choices))


def _recap(session: SessionId, where: ProjectId, at: datetime) -> Recap:
    said = sentences(len(NoteCode) * 3, seed=session)
    return Recap(
        session=session,
        project=where,
        at=at,
        notes=tuple(Note(code=list(NoteCode)[n % len(NoteCode)], text=text) for n, text in enumerate(said)),
        summary=Summary(asked=said[0], done=tuple(said[:3]), decided=tuple(said[3:5]), open=tuple(said[5:7])),
    )


def _checkout(folder: Path, number: int) -> Path:
    root = folder / "checkouts" / f"p{number}"
    (root / ".git").mkdir(parents=True, exist_ok=True)
    (root / ".git/HEAD").write_text("ref: refs/heads/fix/retry-of-the-worker\n")
    (root / ".git/config").write_text(f'[remote "origin"]\n\turl = https://example.org/bench/p{number}.git\n')
    return root
