"""`make bench`: measures costs beside plain yardsticks in the same run. Read the ratios: machines differ.

`FULL=1` adds a million memories and ten thousand events; `ONLY=moments` runs only the sections with this word in their
names. Asserts nothing, and writes only to a temporary folder.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from bench import (
    archive,
    backfill,
    background,
    cold,
    daemon,
    embedding,
    learning,
    load,
    moments,
    opencode,
    processes,
    redaction,
    remembering,
    search,
    staleness,
)
from bench.corpus import prompts
from bench.measure import NAME_CHARS
from bench.vectors import NO_MODEL, Reals, Vectors, synthetic
from recollect import wiring
from recollect.engine.ports import Embeds
from recollect.paths import find_paths

T = TypeVar("T")

SIZES, FULL_SIZES = (1_000, 10_000, 100_000), (1_000, 10_000, 100_000, 1_000_000)
TURNS, FULL_TURNS = (1_000, 10_000), (1_000, 10_000, 100_000)
COLD_SIZES = (1_000, 10_000)
QUESTIONS = 200


def main() -> None:
    began = time.monotonic()
    full = os.environ.get("FULL") == "1"
    given, questions = _make_vectors(wiring.Model(find_paths().model)())
    sizes = FULL_SIZES if full else SIZES
    with tempfile.TemporaryDirectory() as shared:  # a million memories are written once
        _section(
            "finding ten memories by word and by meaning",
            "plain FTS5 join + quicker plain numpy",
            lambda _: search.run(Path(shared), sizes, given, questions, _new_model),
        )
        _section(
            "moments of a session",
            "plain FTS5",
            lambda _: moments.run(Path(shared), sizes, given, questions, _new_model),
        )
    _section("writing", "", search.one_by_one)
    _section("comparing a new memory with the known ones", "the first row", remembering.run)
    _section(
        "finding ten old turns",
        "by word",
        lambda at: archive.run(at, FULL_TURNS if full else TURNS, given, questions),
    )
    _section("reading old sessions from transcripts", "", backfill.run)
    _section("memories about files", "a turn without files", staleness.run)
    _section("learning from events", "", lambda at: learning.run(at, _new_model()))
    _section("redacting secrets", "", redaction.run)
    if given.model != NO_MODEL:
        _section("cold", "", lambda at: cold.run(at, given, find_paths().model, COLD_SIZES))
    _section("processes", "bare Python", processes.run)
    model = None if given.model == NO_MODEL else find_paths().model
    _section("the daemon and its clients", "bare Python", lambda at: daemon.run(at, model, full=full))
    _section(
        "prompts under load, beside an import",
        "",
        lambda at: load.run(at, model, [Path(sys.executable)], seconds=30 if full else 10),
    )
    _section("a turn in opencode", "an empty plugin", opencode.run)
    if given.model != NO_MODEL:
        _section("the embedding model", "the same network in float, in plain numpy (checks: 41 tokens)", embedding.run)
    if not any(map(_is_wanted, _sections)):
        sys.exit(f"No section has {os.environ['ONLY']!r} in its name. The sections are: {', '.join(_sections)}.")
    print(f"\ntook {time.monotonic() - began:.0f} s")


def _make_vectors(model: Embeds | None) -> tuple[Vectors, Reals]:
    if model is None:
        print("There is no model (build it with `recollect model build`): all vectors are synthetic.")
        return Vectors(NO_MODEL, synthetic(background.TEXTS)), synthetic(QUESTIONS, seed=7)
    originals = _run_section("meanings in the background", "alone", lambda at: background.run(at, model))
    print(f"\nVectors below: {len(originals):,} of the model for texts, each turned a little at random for the others.")
    return Vectors(model.model, originals), background.as_rows(
        [model.embed_question(one) for one in prompts(QUESTIONS)]
    )


def _new_model() -> Embeds | None:
    """Return a model with an empty cache."""
    return wiring.Model(find_paths().model)()


_sections: list[str] = []


def _section(name: str, yardstick: str, run: Callable[[Path], object]) -> None:
    _sections.append(name)
    if _is_wanted(name):
        _run_section(name, yardstick, run)


def _is_wanted(name: str) -> bool:
    return os.environ.get("ONLY", "") in name


def _run_section(name: str, yardstick: str, run: Callable[[Path], T]) -> T:
    ratio = f"   ratio to {yardstick}" if yardstick else ""
    print(f"\n{name:{NAME_CHARS}} {'p50 ms':>9} {'p95 ms':>9}{ratio}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        return run(Path(folder))


if __name__ == "__main__":
    main()
