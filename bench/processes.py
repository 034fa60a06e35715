"""Time of whole command processes. For the daemon and the hook see `daemon`."""

import os
import subprocess
import sys
from pathlib import Path

from bench.measure import row, time_each


def run(folder: Path) -> None:
    env = {"HOME": str(folder), "PATH": os.environ["PATH"], "TMPDIR": str(folder)}
    recollect = Path(sys.executable).with_name("recollect")

    def call(*command: str | Path) -> None:
        subprocess.run(command, env=env, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)

    python = time_each(range(20), lambda _: call(sys.executable, "-S", "-I", "-c", "pass"))
    row("bare Python", python, python)
    row("recollect remember", time_each(range(20), lambda n: call(recollect, "remember", f"Fact {n} of it.")), python)
    row("recollect recall", time_each(range(20), lambda _: call(recollect, "recall", "fact")), python)
