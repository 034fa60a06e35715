"""`python -m bench.opencode_tools`: cost of our tools in the real OpenCode client, over MCP and as tools of a plugin.

Alternates with the client alone in one run and prints medians; the model is the fake one of the tests. Read the
differences.
"""

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.e2e.fake_model import fake_model
from tests.e2e.opencode import OpenCodeMachine, Project
from tests.flows.blocks import priced

from recollect.mcp.schema import INSTRUCTIONS, TOOLS

ROUNDS, CALLS = 3, 10
BRIDGE = [str(Path(sys.executable).with_name("recollect")), "mcp"]
SEARCH = '[[tool recollect_search {"query": "the staging cluster"}]]'
# A plugin in which each tool asks the daemon over its socket. The client requires all arguments.
PLUGIN = """
const tools = %s, socket = process.env.XDG_RUNTIME_DIR + "/recollect/daemon.sock"
const ask = (query) => fetch("http://localhost/v1/recall",
  { unix: socket, method: "POST", body: JSON.stringify({ query, limit: 5 }) }).then((answer) => answer.text())
const tool = ({ says, args }) => ({ description: says, args, execute: async ({ query }) => ask(query ?? "x") })
export default { id: "bench", server: async () => ({
  tool: Object.fromEntries(Object.entries(tools).map(([name, one]) => ["recollect_" + name, tool(one)])) }) }
"""
EMPTY = 'export default { id: "bench", server: async () => ({}) }'


@dataclass(slots=True)
class Way:
    name: str
    plugin: str = EMPTY
    is_mcp: bool = False
    is_warm: bool = True  # the daemon starts before the client
    first_s: list[float] = field(default_factory=list)
    whole_s: list[float] = field(default_factory=list)
    call_s: list[float] = field(default_factory=list)
    tokens: int = 0
    extra_mb: float = 0.0


def main() -> None:
    tools = {tool.name: {"says": tool.says, "args": tool.schema["properties"]} for tool in TOOLS.values()}
    ways = [
        Way("no tools of ours"),
        Way("MCP, the daemon runs", is_mcp=True),
        Way("MCP, the daemon has to start", is_mcp=True, is_warm=False),
        Way("tools of the plugin, the daemon runs", plugin=PLUGIN % json.dumps(tools)),
    ]
    for _ in range(ROUNDS):
        for way in ways:
            with _open_project(way) as project:
                _run(way, project)
    for way in ways[1:]:
        if way.is_warm:
            with _open_project(way) as project:
                _serve(way, project)
    print(f"{'':38} first request     end   a call   tokens   processes")
    for way in ways:
        call = f"{statistics.median(way.call_s) * 1000:5.0f} ms" if way.call_s else " " * 8
        print(
            f"{way.name:38} {statistics.median(way.first_s):10.2f} s {statistics.median(way.whole_s):6.2f} s "
            f"{call} {way.tokens:8} {way.extra_mb:8.1f} MB"
        )


@contextmanager
def _open_project(way: Way) -> Iterator[Project]:
    with (
        fake_model() as model,
        tempfile.TemporaryDirectory() as root,
        OpenCodeMachine(Path(root) / "machine", model) as machine,
    ):
        project = machine.project()
        project.write(".opencode/plugin/bench.ts", way.plugin)
        if way.is_mcp:
            project.configure({"mcp": {"recollect": {"type": "local", "command": BRIDGE}}})
        machine.recollect("start" if way.is_warm else "stop")
        yield project


def _run(way: Way, project: Project) -> None:
    began = time.monotonic()
    done = project.run("Hello.")
    way.first_s.append(done.chats[0].arrived_s - began)
    way.whole_s.append(done.seconds)
    ours = [tool for tool in done.chats[0].body["tools"] if "recollect" in json.dumps(tool)]
    has_instructions = "Recollect remembers" in done.chats[0].system[0]
    way.tokens = priced(json.dumps(ours, separators=(",", ":"))) * bool(ours) + priced(INSTRUCTIONS) * has_instructions


def _serve(way: Way, project: Project) -> None:
    with project.serve() as server:
        session = server.session()
        session.prompt(f"Look. {SEARCH}")
        for _ in range(CALLS):
            asked, answered = session.prompt(f"Look. {SEARCH}").chats
            way.call_s.append(answered.arrived_s - asked.arrived_s)
        known = {pid: _command(pid) for pid in project.machine.pids()}
        bridges = [pid for pid, command in known.items() if command[-2:] == ["mcp", ""]]
        way.extra_mb = sum(_proportional_mb(pid) for pid in bridges)


def _command(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/cmdline").read_text().split("\0")


def _proportional_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


if __name__ == "__main__":
    main()
