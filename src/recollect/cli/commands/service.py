"""`recollect start`, `stop` and `restart`: the daemon."""

import click

from recollect import config
from recollect.cli.display import output
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
def restart(as_json: bool) -> None:
    """Stop the daemon, if it is running, and start it: with the settings, the environment and the version of now.

    Settings with a mistake are said first, and the daemon goes on with those it has.
    """
    config.read(config.places().settings, None)
    client = _client()
    stopped = client.stop()
    client.start()
    if as_json:
        output.say_json({"running": True, "stopped": stopped, "pid": client.pid()})
    else:
        output.say("The daemon was restarted." if stopped else "The daemon was not running; now it is.")


def _client() -> Client:
    return Client(config.places().socket)
