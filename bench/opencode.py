"""A turn in the real OpenCode client: with Recollect, and with a plugin that does nothing, by turns in one run.

It needs the client from npm, which `make setup` installs for the tests; without it, it says so.
"""

from pathlib import Path

from bench.measure import row, times

CLIENT = Path(__file__).parents[1] / "tests" / "e2e" / "npm" / "node_modules" / ".bin" / "opencode"
TURNS = 50


def run(folder: Path) -> None:
    if not CLIENT.exists():
        print("The OpenCode client is not there: `make setup` installs it.", flush=True)
        return
    from tests.e2e.overhead import measured  # the machines of the tests: what is measured is what is tested

    spent = measured(folder, TURNS)
    empty = times(spent.with_an_empty_plugin)
    row("a turn with an empty plugin", empty, empty)
    row("a turn with Recollect", times(spent.with_recollect), empty, target_ratio=1.5)
