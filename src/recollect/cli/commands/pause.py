"""`recollect pause` and `recollect resume`. They need no daemon, and the database only for a single project."""

import re
from datetime import timedelta

import click

from recollect import wiring
from recollect.api.pause import PAUSE, RESUME, PauseRequest, Resumed, ResumeRequest
from recollect.cli import client_call, context, direct
from recollect.cli.display import output
from recollect.cli.display.pause_notice import duration_text, pause_json
from recollect.domain.errors import InvalidValue
from recollect.domain.pause import UNKNOWN_PAUSE, Pause, new_pause
from recollect.paths import find_paths

_DURATION = re.compile(r"(?:(?P<days>\d{1,3})d)?(?:(?P<hours>\d{1,4})h)?(?:(?P<minutes>\d{1,6})m)?")
_here = click.option("--project", "here", is_flag=True, help="Only for this folder's project.")


class _Pause(click.Command):
    """Suggests `--for 1h` to users who type `recollect pause 1h`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        duration = next((word for word in args if word and _DURATION.fullmatch(word)), None)
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            if duration is None:
                raise
            raise click.UsageError(f"{error.message}. Did you mean --for {duration}?", ctx) from None


@click.command(
    cls=_Pause,
    epilog="""\b
Examples:
  recollect pause
  recollect pause --for 1h
  recollect pause --for 2d --project""",
)
@click.option(
    "--for",
    "duration",
    metavar="TIME",
    help="Length of the pause, such as 30m, 1h, 2d or 1h30m. Default: until `recollect resume`.",
)
@_here
@direct.option
@output.json_option
def pause(duration: str | None, here: bool, as_json: bool) -> None:
    """Stop learning and showing memories, in all sessions.

    Recollect stores nothing that is said during the pause. A later `recollect capture` also leaves out these messages.
    Memories that the model saw before the pause stay in the conversation unchanged, so the provider's prompt cache
    stays valid. If an agent calls a tool of Recollect, the tool answers that Recollect is paused. Your own commands
    work as usual. A restart of the daemon or of the machine does not end the pause."""
    minutes = None if duration is None else _minutes(duration)
    if here:
        asked = PauseRequest(minutes=minutes, here=True, folder=client_call.current_folder(), by=context.BY)
        begun = client_call.run_operation(PAUSE, asked).pause
    else:
        begun = wiring.PauseFile(find_paths().pause).begin(new_pause(minutes, None, context.now()))
    if as_json:
        output.say_json({"paused": True, "pauses": [pause_json(begun)]})
    else:
        output.say(f"Recollect is paused{duration_text(begun)}: it captures nothing and injects nothing.")
        output.say(f"`{_resume_command(begun)}` ends the pause.")


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
    """End a pause: learn and show memories again."""
    if here:
        done = client_call.run_operation(
            RESUME, ResumeRequest(here=True, folder=client_call.current_folder(), by=context.BY)
        )
    else:
        pauses = wiring.PauseFile(find_paths().pause)
        done = Resumed(ended=[*pauses.end(None, context.now())], still_on=[*pauses.on()])
    if as_json:
        still_on = list(map(pause_json, done.still_on))
        output.say_json({"resumed": bool(done.ended), "paused": bool(still_on), "pauses": still_on})
    else:
        output.say(_describe(done, here))
        for one in done.still_on:
            output.say(f"Still paused{duration_text(one)}; `{_resume_command(one)}` ends that pause too.")


def _describe(done: Resumed, here: bool) -> str:
    if UNKNOWN_PAUSE in done.ended:
        return "The file that records pauses could not be read and was replaced. Recollect is active again."
    if done.ended:
        where = "in this project" if here else "from the next message on"
        return f"Recollect is active again, {where}."
    return "This project itself was not paused." if here else "Recollect was not paused."


def _resume_command(pause: Pause) -> str:
    return "recollect resume" if pause.project is None else "recollect resume --project"


def _minutes(duration: str) -> int:
    found = _DURATION.fullmatch(duration.strip().lower())
    units = found.groupdict(default="0") if found else {}
    minutes = int(timedelta(**{name: int(value) for name, value in units.items()}).total_seconds() // 60)
    if not minutes:
        raise InvalidValue(f"{duration!r} is not a duration for a pause; use for example 30m, 1h, 2d or 1h30m.")
    return PauseRequest(minutes=minutes).minutes or 0  # it checks the limits
