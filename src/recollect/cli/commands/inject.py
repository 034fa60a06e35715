"""`recollect inject`: send one event of a session, and show what a model would be given."""

import json
import secrets
import sys
from pathlib import Path
from typing import Any

import click

from recollect.api.inject import INJECT, REHEARSE, Inject
from recollect.cli import client_call, context, direct
from recollect.cli.display import output
from recollect.cli.display.reasons import MOMENTS, cost, silence
from recollect.cli.formats.injection_json import injection_json
from recollect.domain.errors import PayloadError
from recollect.domain.event import Event
from recollect.domain.injection import Injection
from recollect.hosts.script import TYPES, event_of
from recollect.text.block import CLOSE, OPEN, PREAMBLE, split_line

EXAMPLE = '{"type": "prompt", "text": "How do we deploy with Helm?"}'
STANDALONE_TYPES = ("session_started", "prompt", "tool_failed", "asked")  # make sense without an earlier session


@click.command(
    epilog=f"""\b
Examples:
  recollect inject '{EXAMPLE}'
  recollect inject '{{"type": "session_started", "session": "s1"}}' --json
  echo '{{"type": "tool_failed", "tool": "bash", "error": "EADDRINUSE :8080"}}' | recollect inject --dry-run"""
)
@click.argument("event", required=False)
@click.option("--dry-run", is_flag=True, help="Record nothing and learn nothing from the event.")
@direct.option
@output.json_option
def inject(event: str | None, dry_run: bool, as_json: bool) -> None:
    """Send one event, and show what the model would see.

    Recollect records the event and learns from the event, as if a host had sent it. --dry-run prevents this.
    `recollect why` explains the result.

    EVENT is a JSON object. If EVENT is "-" or missing, Recollect reads it from standard input. docs/reference/pipe.md
    lists the fields. Without the fields `folder` and `project`, the event belongs to this folder. Without a `session`
    field a new empty session is used. Only events that follow an earlier event, such as a reply, need `session`."""
    fields = _fill_in(_parse(_read(event)))
    happened = event_of(fields, context.now(), host=context.BY)  # check the event before anything is opened
    if dry_run:
        direct.insist()
    asked = Inject(event=fields, folder=happened.folder, by=context.BY)  # no folder: the user's own settings apply
    done = client_call.run_operation(REHEARSE if dry_run else INJECT, asked)
    if as_json:
        output.say_json({"session": happened.session, **injection_json(done.injection, done.took_ms, explain=True)})
    else:
        _show(happened, done.injection, done.took_ms, is_recorded=not dry_run)


def _read(event: str | None) -> str:
    if event is not None and event != "-":
        return event
    if event is None and sys.stdin.isatty():
        raise click.UsageError(f"EVENT is missing, for example '{EXAMPLE}'.")
    return context.read_stdin()


def _parse(text: str) -> dict[str, Any]:
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise PayloadError(f"The event is not valid JSON: {error}. Example: {EXAMPLE}.") from None
    if not isinstance(fields, dict):
        raise PayloadError(f"An event is a JSON object, for example {EXAMPLE}.")
    return fields


def _fill_in(fields: dict[str, Any]) -> dict[str, Any]:
    """Add what a user may leave out: the current folder, and new names for the session and the message."""
    filled = dict(fields)
    kind, folder = fields.get("type"), fields.get("folder")
    if folder and isinstance(folder, str) and not Path(folder).is_absolute():
        filled["folder"] = str(context.folder() / folder)  # the daemon works in another folder
    if not folder and not fields.get("project"):
        filled["folder"] = str(context.folder())
    if kind in STANDALONE_TYPES and fields.get("session") is None:
        filled["session"] = f"{context.BY}-{context.now():%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    if kind == "prompt" and fields.get("message") is None:
        filled["message"] = f"{context.BY}-{secrets.token_hex(4)}"
    if kind in TYPES and filled.get("session") is None:
        raise PayloadError(f"`session` is missing: a {kind} is about a session that has already begun.")
    return filled


def _show(event: Event, injection: Injection, ms: float, *, is_recorded: bool) -> None:
    moment = MOMENTS.get(type(event))
    if moment is None:
        output.say_nothing("A model is shown nothing at this event.")
    elif injection.block:
        _show_block(injection.block)
        explained = f"; `recollect why {event.session}`" if is_recorded else ""
        output.remark(cost(injection, ms) + explained)
    else:
        output.say_nothing(injection.notice or silence(injection, moment))


def _show_block(block: str) -> None:
    if not sys.stdout.isatty():
        output.say(block)
        return
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    console = output.console()
    for line in block.splitlines():
        parts = split_line(line)
        if parts is None:
            is_frame = line in (OPEN, CLOSE, PREAMBLE) or line.startswith("(")
            console.print(Text(line, style="dim" if is_frame else "bold", overflow="fold"))
            continue
        prefix, text, about = parts
        row = Table.grid(padding=(0, 1))
        row.add_column(no_wrap=True)
        row.add_column(overflow="fold")
        row.add_row(Text(prefix.strip(), style="bold magenta"), Text(text) + Text(about, style="dim"))
        console.print(Padding(row, (0, 0, 0, 2), expand=False))
