"""`recollect start`, `stop` and `status`: the daemon."""

import click

from recollect import config
from recollect.cli import output
from recollect.cli.exits import EXIT_NOT_RUNNING
from recollect.client import Client


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
@click.pass_context
def status(ctx: click.Context, as_json: bool) -> None:
    """Say whether the daemon runs, and where everything lies. Exit code 3: it does not run."""
    places, client = config.places(), _client()
    running = client.is_running()
    facts = client.get("/v1/status") if running else {}
    where = {"database": str(places.database), "socket": str(places.socket), "log": str(places.log)}
    if as_json:
        output.say_json({"running": running, **facts, **where})
    else:
        if running:
            output.say(f"running   version {facts['version']}, process {facts['pid']}, {facts['uptime_s']:.0f} s")
            output.say(f"served    {facts['requests']} requests, {facts['memories']} memories")
            if facts.get("to_review"):
                output.say(f"review    {facts['to_review']} wait for your decision (`recollect review --all`)")
            output.say(f"model     {facts['model'].replace('_', ' ')}")
        else:
            output.say("not running (hosts start it when they need it; `recollect start` does so now)")
        for name, place in where.items():
            output.say(f"{name:9} {place}")
    if not running:
        ctx.exit(EXIT_NOT_RUNNING)


def _client() -> Client:
    return Client(config.places().socket)
