"""`recollect demo`: play a story of two sessions through the engine, and show the blocks as the model would see them."""

import re
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from recollect.cli import context
from recollect.cli.demo.stage import Lesson, Played, StoryMoment, play, warm_up
from recollect.cli.display import output
from recollect.cli.formats.memory_json import record_of
from recollect.domain.settings import Placing

EVENT_TEXTS = ("text", "query", "tool", "error", "source")


@click.command()
@output.json_option
def demo(as_json: bool) -> None:
    """Play a day in a small project, to see how Recollect works.

    Shows what a model is given, when, and what it costs. Your own data is not touched."""
    from recollect.cli.demo.page import DemoPage

    model = context.model()
    with_model = model() is not None
    warm_up(model)
    played, in_system = play(Placing.MESSAGE, model), play(Placing.SYSTEM, model)
    if as_json:
        output.say_json(_record(played, in_system, with_model=with_model))
        return
    page = DemoPage()
    page.tell(played, with_model=with_model)
    page.sum_up(played, in_system)
    output.heading("Your turn: teach it a sentence, and connect OpenCode in your project's folder")
    command = Path(sys.argv[0]).absolute()
    output.say(f'{command} remember "We deploy with Helm to GKE"')
    output.say(f"{command} install opencode")


def _record(played: Played, in_system: Played, *, with_model: bool) -> dict[str, Any]:
    return {
        "by_meaning": with_model,
        "moments": list(map(_step_json, played.steps)),
        "prefix": {"message": _prefix_json(played), "system": _prefix_json(in_system)},
    }


def _step_json(step: Lesson | StoryMoment) -> dict[str, Any]:
    if isinstance(step, StoryMoment):
        return _moment_json(step)
    return {
        "event": "remember",
        "at": step.draft.at.isoformat(),
        "outcome": type(step.stored).__name__.lower(),
        "memory": record_of(step.stored.memory),
    }


def _moment_json(moment: StoryMoment) -> dict[str, Any]:
    event, injection = moment.event, moment.injection
    return {
        "event": _event_name(event),
        "session": event.session,
        "at": event.at.isoformat(),
        **{name: getattr(event, name) for name in EVENT_TEXTS if hasattr(event, name)},
        "placement": injection.placement,
        "block": injection.block,
        "tokens": injection.tokens,
        "budget_tokens": injection.budget_tokens,
        "considered": injection.considered,
        "quiet": injection.quiet,
        "ids": list(injection.ids),
        "corrected": list(injection.corrected),
        "choices": list(map(asdict, injection.choices)),
        "ms": round(moment.ms, 2),
    }


def _event_name(event: object) -> str:
    """Return the name that the pipe uses, such as `session_started`."""
    return re.sub("(?<=[a-z])(?=[A-Z])", "_", type(event).__name__).lower()


def _prefix_json(played: Played) -> dict[str, Any]:
    return {
        "kept": round(played.kept, 4),
        "kept_of_conversation": round(played.kept_said, 4),
        "calls": list(map(asdict, played.calls)),
    }
