"""`recollect inject`: one event of a session, and what a model would be given now."""

import json
import secrets
import sys
from pathlib import Path
from typing import Any

import click

from recollect.api.inject import INJECT, REHEARSE, Inject
from recollect.cli import client_call, context, direct
from recollect.cli.display import output
from recollect.cli.display.block_style import show_block
from recollect.cli.display.reasons import cost, silence
from recollect.cli.formats.injection_json import injection_json
from recollect.domain.errors import InvalidValue, PayloadError
from recollect.domain.event import Asked, Compacting, Event, Prompt, SessionStarted, ToolFailed
from recollect.domain.injection import Injection, Moment
from recollect.hosts.script import TYPES, event_of

EXAMPLE = '{"type": "prompt", "text": "How do we deploy with Helm?"}'
ALONE = ("session_started", "prompt", "tool_failed", "asked")  # what means something without a session before it
POINTS: dict[type[Event], Moment] = {
    SessionStarted: Moment.START,
    Prompt: Moment.PROMPT,
    ToolFailed: Moment.TOOL_ERROR,
    Compacting: Moment.COMPACTION,
    Asked: Moment.ON_DEMAND,
}


@click.command(
    epilog=f"""\b
Examples:
  recollect inject '{EXAMPLE}'
  recollect inject '{{"type": "session_started", "session": "s1"}}' --json
  echo '{{"type": "tool_failed", "tool": "bash", "error": "EADDRINUSE :8080"}}' | recollect inject --dry-run"""
)
@click.argument("event", required=False)
@click.option("--dry-run", is_flag=True, help="Leave no trace: neither in the log nor in the counters.")
@direct.option
@output.json_option
def inject(event: str | None, dry_run: bool, as_json: bool) -> None:
    """What a model would be given now: answers one EVENT of a session, a JSON object (or - for standard input).

    It belongs to this folder unless it has a `folder` or `project`. Without `session`, a start, a prompt, a failed tool
    or a question is a session of its own, in which nothing was shown before. It is recorded like the event of any host,
    and learnt from, so `recollect why` explains it. The fields of events: docs/reference/pipe.md.
    """
    fields = _filled(_parsed(_given(event)))
    happened = event_of(fields, context.now(), host=context.BY)  # nothing is opened for what is no event
    if dry_run:
        direct.insist()
    asked = Inject(event=fields, folder=happened.folder, by=context.BY)  # None: of a project, with your own settings
    done = client_call.ask(REHEARSE if dry_run else INJECT, asked)
    if as_json:
        output.say_json({"session": happened.session, **injection_json(done.injection, done.took_ms, explain=True)})
    else:
        _show(happened, done.injection, done.took_ms, explained=not dry_run)


def _given(event: str | None) -> str:
    if event is not None and event != "-":
        return event
    if event is None and sys.stdin.isatty():
        raise click.UsageError(f"An event is missing; for example '{EXAMPLE}'.")
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidValue(f"Standard input is not UTF-8 (byte {error.start}).") from None


def _parsed(given: str) -> dict[str, Any]:
    try:
        fields = json.loads(given)
    except (ValueError, RecursionError) as error:
        raise PayloadError(f"The event is not JSON that can be read: {error}. One is {EXAMPLE}.") from None
    if not isinstance(fields, dict):
        raise PayloadError(f"An event is a JSON object, for example {EXAMPLE}.")
    return fields


def _filled(fields: dict[str, Any]) -> dict[str, Any]:
    """What a person need not say: where they are, and names that nobody will ask for again."""
    filled = dict(fields)
    named = fields.get("folder")
    if named and isinstance(named, str) and not Path(named).is_absolute():
        filled["folder"] = str(context.folder() / named)  # the daemon works elsewhere
    if not named and not fields.get("project"):
        filled["folder"] = str(context.folder())
    if fields.get("type") in ALONE and fields.get("session") is None:
        filled["session"] = f"{context.BY}-{context.now():%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    if fields.get("type") == "prompt" and fields.get("message") is None:
        filled["message"] = f"{context.BY}-{secrets.token_hex(4)}"
    if fields.get("type") in TYPES and filled.get("session") is None:
        raise PayloadError(f"`session` is missing: a {fields['type']} is about a session that began before.")
    return filled


def _show(event: Event, injection: Injection, ms: float, *, explained: bool) -> None:
    point = POINTS.get(type(event))
    if point is None:
        output.say_nothing("Noted; a model is given nothing at this event.")
        return
    if injection.block:
        show_block(injection.block)
        output.remark(cost(injection, ms) + (f"; `recollect why {event.session}`" if explained else ""))
    else:
        output.say_nothing(injection.notice or silence(injection, point))
