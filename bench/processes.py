"""What whole processes take, from nothing to their end."""

import os
import subprocess
import sys
import time
from pathlib import Path

from bench.measure import row, timed
from recollect.client import Client
from recollect.config import places


def run(folder: Path) -> None:
    env = {"HOME": str(folder), "PATH": os.environ["PATH"], "TMPDIR": str(folder)}
    recollect = Path(sys.executable).with_name("recollect")

    def call(*command: str | Path) -> None:
        subprocess.run(command, env=env, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)

    python = timed(range(20), lambda _: call(sys.executable, "-S", "-I", "-c", "pass"))
    row("bare Python", python, python)
    row("recollect remember", timed(range(20), lambda n: call(recollect, "remember", f"Fact {n} of it.")), python)
    row("recollect recall", timed(range(20), lambda _: call(recollect, "recall", "fact")), python)
    client = Client(places(env).socket)
    daemon = subprocess.Popen([sys.executable, "-m", "recollect.daemon"], env=env, cwd=folder)
    try:
        row("daemon: from nothing to an answer", timed([0], lambda _: _until_up(client)), python)
        row("daemon: one round trip", timed(range(500), lambda _: client.get("/v1/status")), python)
    finally:
        client.stop()
        daemon.wait(timeout=10)


def _until_up(client: Client) -> None:
    give_up = time.monotonic() + 30
    while not client.is_running() and time.monotonic() < give_up:
        time.sleep(0.005)
    client.get("/v1/status")
