"""Time of a turn in the real OpenCode client, alternately with Recollect and with an empty plugin.

Needs the client from npm, which `make setup` installs for the tests; without it, prints a note.
"""

from pathlib import Path

from bench.measure import row, times

CLIENT = Path(__file__).parents[1] / "tests" / "e2e" / "npm" / "node_modules" / ".bin" / "opencode"
TURNS = 50


def run(folder: Path) -> None:
    if not CLIENT.exists():
        print("The OpenCode client is missing. Install it with `make setup`.", flush=True)
        return
    from tests.e2e.overhead import measured  # the same machines as in the tests

    spent = measured(folder, TURNS)
    empty = times(spent.with_an_empty_plugin)
    row("a turn with an empty plugin", empty, empty)
    row("a turn with Recollect", times(spent.with_recollect), empty, target_ratio=1.5)
