"""What `recollect recall` takes from nothing to its end, with the model and without a daemon."""

import os
import statistics
import subprocess
import sys
from pathlib import Path

from bench.corpus import project
from bench.measure import Times, row, timed
from bench.search import opened, write, write_vectors
from bench.vectors import Given
from recollect import config

TIMES = 5
TARGET_MS = 1000
# A process inherits the peak of whoever starts it, and a bench is large: a small one starts it and reports.
_MEASURED = """
import os, sys
quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
_, status, use = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet), 0)
print(use.ru_maxrss, use.ru_utime + use.ru_stime)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def run(folder: Path, given: Given, model: Path, sizes: tuple[int, ...]) -> None:
    for size in sizes:
        home = folder / str(size)
        env = {"HOME": str(home), "PATH": os.environ["PATH"], config.MODEL_VARIABLE: str(model)}
        with opened(config.find_paths(env).database) as (store, engine):
            write(engine, size, projects=1)
            write_vectors(store, given, size)
        _at(size, home, env)


def _at(size: int, home: Path, env: dict[str, str]) -> None:
    recollect = Path(sys.executable).with_name("recollect")
    asked = [str(recollect), "recall", "How does the worker retry?", "--project", project(0)]
    peaks_kib: list[int] = []
    computed_s: list[float] = []

    def call(_: object) -> None:
        command = [sys.executable, "-I", "-S", "-c", _MEASURED, *asked]
        done = subprocess.run(command, env=env, cwd=home, stdout=subprocess.PIPE, check=True)
        peak, computed = done.stdout.split()
        peaks_kib.append(int(peak))
        computed_s.append(float(computed))

    call(None)  # the first one reads everything from the disk
    times = timed(range(TIMES), call)
    times = Times(times.p50_ms, times.p95_ms, statistics.median(computed_s) * 1000)
    row(f"{size:>9,} in one project: recollect recall", times, target_ms=TARGET_MS)
    print(f"{size:>9,} in one project: at most {max(peaks_kib) / 1024:.0f} MB of memory", flush=True)
