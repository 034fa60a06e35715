"""What commands take, from nothing to their end. The daemon and the hook: see `daemon`."""

import os
import subprocess
import sys
from pathlib import Path

from bench.measure import row, timed


def run(folder: Path) -> None:
    env = {"HOME": str(folder), "PATH": os.environ["PATH"], "TMPDIR": str(folder)}
    recollect = Path(sys.executable).with_name("recollect")

    def call(*command: str | Path) -> None:
        subprocess.run(command, env=env, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)

    python = timed(range(20), lambda _: call(sys.executable, "-S", "-I", "-c", "pass"))
    row("bare Python", python, python)
    row("recollect remember", timed(range(20), lambda n: call(recollect, "remember", f"Fact {n} of it.")), python)
    row("recollect recall", timed(range(20), lambda _: call(recollect, "recall", "fact")), python)
