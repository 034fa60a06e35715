"""What `recollect install opencode` writes is what the real client reads: one machine, both places."""

import json
import re
from pathlib import Path

import pytest

from tests.e2e.opencode import CLIENT, OpenCodeMachine, Project

pytestmark = pytest.mark.paired

CONNECTED = re.compile(r"recollect\b.*connected", re.DOTALL)


def servers(project: Project) -> str:
    """The MCP servers as the client lists them, each with whether it is connected."""
    done = project.machine.run(CLIENT, "mcp", "list", cwd=project.path, timeout_s=60)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_the_client_reads_what_install_writes_and_what_uninstall_leaves(machine: OpenCodeMachine) -> None:
    project = machine.project("my prüject")
    plain = project.path / "opencode.json"
    mine = "\ufeff// mine\n" + plain.read_text().replace('"share"', '/* private */ "share"')
    plain.unlink()
    written = project.write("opencode.jsonc", mine[:-2] + ",\n}\n")
    before = written.read_bytes()
    made_by_client = machine.home / ".config/opencode/opencode.jsonc"
    made_by_client.parent.mkdir(parents=True)
    made_by_client.write_text('{\n  "$schema": "https://opencode.ai/config.json"\n}')

    for place in ("--user", "--project"):
        done = machine.recollect("install", "opencode", place, "--json", cwd=project.path)
        assert done.returncode == 0, done.stderr
        (config,) = [Path(step["path"]) for step in json.loads(done.stdout)["steps"] if "diff" in step]
        assert config == (made_by_client if place == "--user" else written)
        after = config.read_bytes()
        listed = servers(project)
        assert CONNECTED.search(listed), listed
        assert config.read_bytes() == after, "the client rewrote its configuration"
        done = machine.recollect("uninstall", "opencode", place, cwd=project.path)
        assert done.returncode == 0, done.stderr
    assert "recollect" not in servers(project)
    assert (written.read_bytes(), made_by_client.read_bytes()[-1:]) == (before, b"}")
    report = json.loads(machine.recollect("doctor", "--json", cwd=project.path).stdout)
    assert report["healthy"], report
