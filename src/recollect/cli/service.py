"""`recollect start`, `stop`, `restart` and `status`: the daemon."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from recollect import config
from recollect.cli import output
from recollect.cli.exits import EXIT_NOT_RUNNING
from recollect.cli.injections import usage_json
from recollect.client import Client
from recollect.domain.errors import RecollectError

if TYPE_CHECKING:
    from recollect.domain.injection import Usage


@click.command()
@output.json_option
def start(as_json: bool) -> None:
    """Start the daemon, if it is not running. Hosts do this by themselves."""
    client = _client()
    started = client.start()
    if as_json:
        output.say_json({"running": True, "started": started, "pid": client.pid()})
    else:
        output.say("The daemon is running." if started else "The daemon was running already.")


@click.command()
@output.json_option
def stop(as_json: bool) -> None:
    """Stop the daemon."""
    stopped = _client().stop()
    if as_json:
        output.say_json({"running": False, "stopped": stopped})
    else:
        output.say("The daemon has ended." if stopped else "The daemon was not running.")


@click.command()
@output.json_option
def restart(as_json: bool) -> None:
    """Stop the daemon, if it is running, and start it: with the settings, the environment and the version of now."""
    client = _client()
    stopped = client.stop()
    client.start()
    if as_json:
        output.say_json({"running": True, "stopped": stopped, "pid": client.pid()})
    else:
        output.say("The daemon was restarted." if stopped else "The daemon was not running; now it is.")


@click.command()
@output.json_option
@click.pass_context
def status(ctx: click.Context, as_json: bool) -> None:
    """Say whether the daemon runs, what its blocks came to, and where everything lies. Exit code 3: it does not run."""
    places, client = config.places(), _client()
    running = client.is_running()
    facts = client.get("/v1/status") if running else {}
    usage = _usage(places.database)
    where = {"database": str(places.database), "socket": str(places.socket), "log": str(places.log)}
    if as_json:
        output.say_json({"running": running, **facts, "usage": [*map(usage_json, usage)], **where})
    else:
        if running:
            output.say(f"running   version {facts['version']}, process {facts['pid']}, {facts['uptime_s']:.0f} s")
            output.say(f"served    {facts['requests']} requests, {facts['memories']} memories")
            if facts.get("to_review"):
                output.say(f"review    {facts['to_review']} wait for your decision (`recollect review --all`)")
            if facts.get("candidates"):
                output.say(f"learnt    {facts['candidates']} candidates (`recollect review --candidates --all`)")
            if facts.get("to_learn"):
                output.say(f"waiting   {output.many(facts['to_learn'], 'event')} to learn from")
            if facts.get("unwritten"):
                output.say(f"DISK      {output.many(facts['unwritten'], 'event')} cannot be written; free some space")
            if facts.get("extractor"):
                output.say(f"extractor {facts['extractor']}")
            output.say(f"model     {facts['model'].replace('_', ' ')}")
        else:
            output.say("not running (hosts start it when they need it; `recollect start` does so now)")
        if places.database.exists() and not os.access(places.database, os.W_OK):
            output.say("read only the database can be read but not written: nothing can be learnt")
        for one in usage:
            output.say(f"{_NAMES[one.point]:9} {_sentence(one)}")
        for name, place in where.items():
            output.say(f"{name:9} {place}")
    if not running:
        ctx.exit(EXIT_NOT_RUNNING)


def _usage(database: Path) -> "list[Usage]":
    """Of all sessions. Whether the daemon runs is said in any case."""
    if not database.exists():  # nothing is made by asking
        return []
    from recollect.cli import context  # what only says whether it runs starts quicker without it

    try:
        with context.engine() as engine:
            return engine.log.usage()
    except RecollectError as error:
        output.warn(str(error))
        return []


_NAMES = {
    "start": "starts",
    "prompt": "prompts",
    "tool_error": "errors",
    "compaction": "compacted",
    "on_demand": "asked",
}


def _sentence(usage: "Usage") -> str:
    """`214 times, 61 % silent, 83 blocks of 412 tokens (34,196 in all), 9.2 ms`"""
    silent = 1 - usage.blocks / usage.injections
    blocks = f"{output.many(usage.blocks, 'block')} of {usage.tokens / max(1, usage.blocks):,.0f} tokens"
    told = f"{blocks} ({usage.tokens:,} in all)" if usage.blocks else "no block"
    return f"{output.many(usage.injections, 'time')}, {silent:.0%} silent, {told}, {usage.took_ms:.1f} ms"


def _client() -> Client:
    return Client(config.places().socket)
