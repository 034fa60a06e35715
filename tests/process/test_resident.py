"""Modules that a daemon without requests has loaded: they decide its memory."""

import subprocess
import sys

from tests.process.conftest import Home

# Of others: what only an answer needs. `click` is missing here: the server imports it for its own command line.
OF_OTHERS = ("numpy", "onnxruntime", "tokenizers", "numkong", "mcp", "pydantic", "rich", "snowballstemmer")
OF_OURS = (
    "recollect.capture",
    "recollect.cli",
    "recollect.extract",
    "recollect.imports",
    "recollect.install",
    "recollect.mcp.bridge",
    "recollect.mcp.lines",
    "recollect.mcp.server",
    "recollect.mcp.tools",
    "recollect.transcripts",
    "recollect.embed.minilm",
    "recollect.engine.learning.backfill",
    "recollect.engine.learning.worker",
    "recollect.engine.moments.handle",
    "recollect.engine.search",
    "recollect.novelty",
)


def test_a_daemon_that_was_asked_nothing_has_not_loaded_what_only_answers_need(home: Home) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "recollect.daemon"],
        env=home.env | {"RECOLLECT_DAEMON__IDLE_MINUTES": "0.001"},
        cwd=home.path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert "recollect.daemon.lifecycle" in imported
    unwanted = {name for name in imported if f"{name}.".startswith(tuple(f"{one}." for one in (*OF_OTHERS, *OF_OURS)))}
    assert unwanted == set()
