"""Time of whole command processes. For the daemon and the hook see `daemon`."""

import os
import subprocess
import sys
from pathlib import Path

from bench.measure import measure, row


def run(folder: Path) -> None:
    env = {"HOME": str(folder), "PATH": os.environ["PATH"], "TMPDIR": str(folder)}
    recollect = Path(sys.executable).with_name("recollect")

    def call(*command: str | Path) -> None:
        subprocess.run(command, env=env, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)

    python = measure(range(20), lambda _: call(sys.executable, "-S", "-I", "-c", "pass"))
    row("bare Python", python, python)
    row("recollect remember", measure(range(20), lambda n: call(recollect, "remember", f"Fact {n} of it.")), python)
    row("recollect recall", measure(range(20), lambda _: call(recollect, "recall", "fact")), python)
