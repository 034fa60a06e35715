"""`recollect start`, `stop` and `restart`: the daemon."""

import click

from recollect import config
from recollect.cli.display import output
from recollect.client import Client
from recollect.paths import find_paths


@click.command()
@output.json_option
def start(as_json: bool) -> None:
    """Start the daemon, if it is not running. Hosts also start the daemon by themselves."""
    client = _client()
    started = client.start()
    sentence = "The daemon is running." if started else "The daemon was already running."
    output.say_result({"running": True, "started": started, "pid": client.pid()}, sentence, as_json)


@click.command()
@output.json_option
def stop(as_json: bool) -> None:
    """Stop the daemon."""
    stopped = _client().stop()
    sentence = "The daemon has stopped." if stopped else "The daemon was not running."
    output.say_result({"running": False, "stopped": stopped}, sentence, as_json)


@click.command()
@output.json_option
def restart(as_json: bool) -> None:
    """Restart the daemon with the current settings and version.

    The new daemon gets the environment variables of this shell. If your settings file has a mistake, Recollect reports
    the mistake and does not stop the running daemon."""
    config.read_settings(find_paths().settings, None)
    client = _client()
    stopped = client.stop()
    client.start()
    sentence = "The daemon was restarted." if stopped else "The daemon was not running; it was started."
    output.say_result({"running": True, "stopped": stopped, "pid": client.pid()}, sentence, as_json)


def _client() -> Client:
    return Client(find_paths().socket)
