"""`make bench`: what things cost, beside plain yardsticks of the same run. Read the ratios: machines differ.

`FULL=1` adds a million memories. Nothing here is asserted; nothing outside a temporary folder is touched.
"""

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench import embedding, moments, processes, store

SIZES = (1_000, 10_000, 100_000)
FULL_SIZES = (*SIZES, 1_000_000)


def main() -> None:
    began = time.monotonic()
    sizes = FULL_SIZES if os.environ.get("FULL") == "1" else SIZES
    _section("writing and searching by word, memories in 50 projects", "plain FTS5", lambda at: store.run(at, sizes))
    _section("moments of a session", "plain FTS5", moments.run)
    _section("processes", "bare Python", processes.run)
    _section("the embedding model", "the same network in float, in plain numpy (checks: 41 tokens)", embedding.run)
    print(f"\ntook {time.monotonic() - began:.0f} s")


def _section(name: str, yardstick: str, run: Callable[[Path], None]) -> None:
    print(f"\n{name:44} {'p50 ms':>9} {'p95 ms':>9}   ratio to {yardstick}")
    with tempfile.TemporaryDirectory() as folder:
        run(Path(folder))


if __name__ == "__main__":
    main()
