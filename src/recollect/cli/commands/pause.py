"""`recollect pause` and `recollect resume`. Neither needs the daemon, nor the database unless a project is meant."""

import re
from datetime import timedelta

import click

from recollect import config, wiring
from recollect.api.pause import PAUSE, RESUME, PauseRequest, Resumed, ResumeRequest, begin, end
from recollect.cli import client_call, context, direct
from recollect.cli.display import output
from recollect.cli.display.pause_notice import for_people, pause_json
from recollect.domain.errors import InvalidValue
from recollect.domain.pause import UNKNOWN, Pause

_DURATION = re.compile(r"(?:(?P<days>\d{1,3})d)?(?:(?P<hours>\d{1,4})h)?(?:(?P<minutes>\d{1,6})m)?")
_here = click.option("--project", "here", is_flag=True, help="Only the project of this folder.")


class _Pause(click.Command):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        given = next((word for word in args if word and _DURATION.fullmatch(word)), None)
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            if given is None:
                raise
            raise click.UsageError(f"{error.message}. Did you mean --for {given}?", ctx) from None


@click.command(
    cls=_Pause,
    epilog="""\b
Examples:
  recollect pause
  recollect pause --for 1h
  recollect pause --for 2d --project""",
)
@click.option("--for", "duration", metavar="TIME", help="For so long: 30m, 1h, 2d or 1h30m. Default: until you resume.")
@_here
@direct.option
@output.json_option
def pause(duration: str | None, here: bool, as_json: bool) -> None:
    """Capture nothing and inject nothing, in every session of every host, until you resume.

    What an earlier message was sent with is sent again as it was, so that no prompt cache is lost. Nothing that is said
    meanwhile is kept, not even when `recollect capture` reads the session later. Commands work as ever; tools of agents
    answer that Recollect is paused. It stays paused when the daemon or the machine restarts.
    """
    minutes = None if duration is None else _minutes(duration)
    if here:
        asked = PauseRequest(minutes=minutes, here=True, folder=client_call.here(), by=context.BY)
        begun = client_call.ask(PAUSE, asked).pause
    else:
        begun = begin(_pauses(), minutes, None, context.now())
    if as_json:
        output.say_json({"paused": True, "pauses": [pause_json(begun)]})
    else:
        output.say(f"Recollect is paused{for_people(begun)}: it captures nothing and injects nothing.")
        output.say(f"`{_way_on(begun)}` goes on at any time.")


@click.command(
    epilog="""\b
Examples:
  recollect resume
  recollect resume --project --json"""
)
@_here
@direct.option
@output.json_option
def resume(here: bool, as_json: bool) -> None:
    """Go on after `recollect pause`: capture and inject again, from the next message on."""
    if here:
        done = client_call.ask(RESUME, ResumeRequest(here=True, folder=client_call.here(), by=context.BY))
    else:
        done = end(_pauses(), None, context.now())
    if as_json:
        still_on = [pause_json(one) for one in done.still_on]
        output.say_json({"resumed": bool(done.ended), "paused": bool(still_on), "pauses": still_on})
    else:
        output.say(_said(done, here))
        for one in done.still_on:
            output.say(f"Still paused{for_people(one)}; `{_way_on(one)}` ends that too.")


def _said(done: Resumed, here: bool) -> str:
    if UNKNOWN in done.ended:
        return (
            "The file that says whether Recollect is paused could not be read; it is written anew. Recollect goes on."
        )
    if not done.ended:
        return "This project was not paused by itself." if here else "Recollect was not paused."
    return "Recollect goes on with this project." if here else "Recollect goes on, from the next message on."


def _way_on(pause: Pause) -> str:
    return "recollect resume" if pause.project is None else "recollect resume --project"


def _pauses() -> wiring.PauseFile:
    return wiring.PauseFile(config.places().pause)


def _minutes(duration: str) -> int:
    found = _DURATION.fullmatch(duration.strip().lower())
    given = {} if found is None else {name: int(value) for name, value in found.groupdict().items() if value}
    minutes = int(timedelta(**given).total_seconds() // 60)
    if not minutes:
        raise InvalidValue(f"{duration!r} is no time for a pause; one is 30m, 1h, 2d or 1h30m.")
    return PauseRequest(minutes=minutes).minutes or 0  # checked there
