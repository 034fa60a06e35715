"""What `recollect install opencode` writes is what the real client reads: one machine, both places."""

import json
import re

import pytest

from tests.e2e.opencode import CLIENT, OpenCodeMachine, Project

pytestmark = pytest.mark.alone

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
    assert "recollect" not in servers(project)

    for place, command in (("--user", machine.home / ".config/opencode/opencode.json"), ("--project", written)):
        done = machine.recollect("install", "opencode", place, cwd=project.path)
        assert done.returncode == 0, done.stderr
        after = command.read_bytes()
        assert CONNECTED.search(servers(project)), servers(project)
        assert command.read_bytes() == after, "the client rewrote its configuration"
        done = machine.recollect("uninstall", "opencode", place, cwd=project.path)
        assert done.returncode == 0, done.stderr
    assert written.read_bytes() == before
    assert json.loads(machine.recollect("doctor", "--json", cwd=project.path).stdout)["healthy"]
