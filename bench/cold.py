"""Time of a whole `recollect recall` process, with the model and without a daemon."""

import os
import statistics
import subprocess
import sys
from pathlib import Path

from bench.corpus import project
from bench.measure import Times, measure, row
from bench.search import open_store, write, write_vectors
from bench.vectors import Vectors
from recollect.paths import MODEL_VARIABLE, find_paths

TIMES = 5
TARGET_MS = 1000
# A process inherits the peak memory of its parent, and this one is large: so a small parent starts it and reports.
_MEASURE_CHILD = """
import os, sys
quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
_, status, use = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet), 0)
print(use.ru_maxrss, use.ru_utime + use.ru_stime)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def run(folder: Path, given: Vectors, model: Path, sizes: tuple[int, ...]) -> None:
    for size in sizes:
        home = folder / str(size)
        env = {"HOME": str(home), "PATH": os.environ["PATH"], MODEL_VARIABLE: str(model)}
        with open_store(find_paths(env).database) as (store, engine):
            write(engine, size, projects=1)
            write_vectors(store, given, size)
        _measure(size, home, env)


def _measure(size: int, home: Path, env: dict[str, str]) -> None:
    recollect = Path(sys.executable).with_name("recollect")
    asked = [str(recollect), "recall", "How does the worker retry?", "--project", project(0)]
    peaks_kib: list[int] = []
    computed_s: list[float] = []

    def call(_: object) -> None:
        command = [sys.executable, "-I", "-S", "-c", _MEASURE_CHILD, *asked]
        done = subprocess.run(command, env=env, cwd=home, stdout=subprocess.PIPE, check=True)
        peak, computed = done.stdout.split()
        peaks_kib.append(int(peak))
        computed_s.append(float(computed))

    call(None)  # the first one reads everything from the disk
    times = measure(range(TIMES), call)
    times = Times(times.p50_ms, times.p95_ms, statistics.median(computed_s) * 1000)
    row(f"{size:>9,} in one project: recollect recall", times, target_ms=TARGET_MS)
    print(f"{size:>9,} in one project: at most {max(peaks_kib) / 1024:.0f} MB of memory", flush=True)
