"""What a turn and a session start take in the engine, with ten thousand memories."""

from pathlib import Path

from bench.corpus import NOW, PROJECTS, drafts, project, prompts
from bench.measure import row, timed
from bench.plain import PlainSearch
from recollect import wiring
from recollect.domain.event import Prompt, SessionStarted
from recollect.domain.memory import MessageId, SessionId
from recollect.domain.settings import Settings
from recollect.engine.engine import Engine

SIZE = 10_000


def run(folder: Path) -> None:
    with wiring.open_engine(lambda _: Settings(), folder / "bench.db") as engine:
        engine.bring_back(drafts(SIZE), at=NOW, by="bench")
        plain = PlainSearch(folder / "plain.db", SIZE)
        usual = timed(enumerate(prompts(200)), lambda asked: plain.search(*asked))
        row(f"{SIZE:>9,} memories: plain FTS5 join", usual, usual)
        row(f"{SIZE:>9,} memories: a turn", timed(enumerate(prompts(200)), lambda p: _turn(engine, *p)), usual)
        row(f"{SIZE:>9,} memories: a session start", timed(range(50), lambda n: _start(engine, n)), usual)
        plain.close()


def _turn(engine: Engine, number: int, text: str) -> None:
    session = SessionId(f"turn-{number}")
    where = project(number % PROJECTS)
    engine.handle(Prompt(session=session, at=NOW, project=where, message=MessageId("m"), text=text))


def _start(engine: Engine, number: int) -> None:
    engine.handle(SessionStarted(session=SessionId(f"start-{number}"), at=NOW, project=project(number % PROJECTS)))
