"""`recollect demo`: a small story through the engine, with the blocks as the model would see them."""

import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from recollect import wiring
from recollect.cli import output
from recollect.domain.event import Event, Prompt, SessionStarted
from recollect.domain.injection import Injection
from recollect.domain.memory import Draft, Kind, MessageId, ProjectId, Role, Scope, SessionId, Source
from recollect.domain.settings import Settings
from recollect.engine.engine import Engine

PROJECT = ProjectId("git:example.org/shop/api")
NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)

TAUGHT = (
    (Kind.PREFERENCE, 1, "Always use type hints and keep functions short."),
    (Kind.DECISION, 3, "Auth uses JWT in httpOnly cookies, signed with RS256; sessions in Redis were too slow."),
    (Kind.RESEARCH, 40, "Deployment: Helm chart in deploy/chart, rolled out to GKE by the release workflow."),
)
ASKED = (
    "Add a staging environment to the Helm deployment.",
    "How do I parse a CSV file with quoted fields?",
)


@click.command()
@output.json_option
def demo(as_json: bool) -> None:
    """Teach three memories, start a session, ask two prompts; nothing of yours is touched."""
    with wiring.open_engine(lambda _: Settings(), None) as engine:
        taught = [_teach(engine, kind, days, text) for kind, days, text in TAUGHT]
        moments = [
            (f"prompt: {event.text}" if isinstance(event, Prompt) else "session start", *_timed(engine, event))
            for event in _session()
        ]
    if as_json:
        output.say_json(
            [
                {"moment": moment, "block": injection.block, "tokens": injection.tokens, "ms": round(ms, 2)}
                for moment, injection, ms in moments
            ]
        )
        return
    output.heading("Earlier sessions: three things were taught")
    for text in taught:
        output.say(f"  {text}")
    output.heading("Today: a new session, as the model sees it")
    for moment, injection, ms in moments:
        output.moment(moment, injection, ms)
    output.heading("Your turn")
    command = Path(sys.argv[0]).absolute()
    output.say(f'  {command} remember "We deploy with Helm to GKE"   # teach it a sentence')
    output.say(f"  {command} install opencode --project              # connect OpenCode, in your project's folder")


def _teach(engine: Engine, kind: Kind, days_ago: int, text: str) -> str:
    source = Source(role=Role.USER, host="demo")
    at = NOW - timedelta(days=days_ago)
    memory = engine.remember(Draft(text=text, kind=kind, scope=Scope.project(PROJECT), at=at, source=source)).memory
    return f"{memory.created_at:%Y-%m-%d}  {memory.kind:<11} {memory.text}"


def _session() -> list[Event]:
    session = SessionId("demo")
    prompts: list[Event] = [
        Prompt(session=session, at=NOW, message=MessageId(f"m{number}"), text=text) for number, text in enumerate(ASKED)
    ]
    return [SessionStarted(session=session, at=NOW, project=PROJECT), *prompts]


def _timed(engine: Engine, event: Event) -> tuple[Injection, float]:
    began = time.perf_counter()
    injection = engine.handle(event)
    return injection, (time.perf_counter() - began) * 1000
