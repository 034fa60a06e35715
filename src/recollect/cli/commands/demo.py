"""`recollect demo`: two sessions through the engine, with the blocks as the model would see them."""

import re
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from recollect.cli import context
from recollect.cli.demo.stage import PlayedStory, StoryStep, play
from recollect.cli.display import output
from recollect.cli.formats.injection_json import injection_json
from recollect.cli.formats.memory_json import record_of
from recollect.domain.settings import TurnPlacement


@click.command()
@output.json_option
def demo(as_json: bool) -> None:
    """Play a short story: learn in one session, show in the next.

    Your own memories are not touched."""
    from recollect.cli.demo.page import DemoPage

    model = context.model()
    with_model = model() is not None
    # This one comes first: it loads all code, as a running daemon has, before the other is measured.
    in_system = play(TurnPlacement.SYSTEM, model)
    played = play(TurnPlacement.MESSAGE, model)
    if as_json:
        output.say_json(_record(played, in_system, with_model=with_model))
        return
    page = DemoPage()
    page.show_story(played, with_model=with_model)
    page.show_numbers(played, in_system)
    output.heading("Your turn: connect OpenCode, then work as usual")
    output.say(f"{Path(sys.argv[0]).absolute()} install opencode")


def _record(played: PlayedStory, in_system: PlayedStory, *, with_model: bool) -> dict[str, Any]:
    steps = (*played.older, *played.first, *played.second)
    return {
        "by_meaning": with_model,
        "moments": list(map(_step_record, steps)),
        "prefix": {"message": _prefix_record(played), "system": _prefix_record(in_system)},
    }


def _step_record(step: StoryStep) -> dict[str, Any]:
    event = step.event
    names = ("text", "tool", "input", "error", "source")
    return {
        "event": re.sub("(?<=[a-z])(?=[A-Z])", "_", type(event).__name__).lower(),  # as the pipe calls it
        "session": event.session,
        "at": event.at.isoformat(),
        **{name: getattr(event, name) for name in names if hasattr(event, name)},
        **injection_json(step.injection, step.ms, explain=True),
        "learnt": list(map(record_of, step.learnt)),
    }


def _prefix_record(played: PlayedStory) -> dict[str, Any]:
    return {"kept": round(played.kept_share, 4), "requests": list(map(asdict, played.pairs))}
