"""Any MCP client, by the official library's own: over the stdio bridge and over HTTP, with both handshakes."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

import anyio
import httpx2
import mcp_types as types
import pytest
from mcp import MCPError, StdioServerParameters
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from recollect.mcp.bridge import ENDED, MAX_LINE_BYTES
from recollect.mcp.schema import INSTRUCTIONS, TOOLS
from recollect.mcp.tools import NOTHING, NOWHERE
from tests.flows.blocks import ids_in, priced, said
from tests.process.conftest import RECOLLECT, Home
from tests.requirements import covers

Mode = Literal["legacy", "auto"]
MODES: list[Mode] = ["legacy", "auto"]
DISCOVER = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "server/discover",
    "params": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    },
}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """One home with one daemon for the tests that do it no harm."""
    path = tmp_path_factory.mktemp("mcp")
    made = Home(path, {"HOME": str(path), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TMPDIR": str(path)})
    made.said("start")
    yield made
    made.client.stop()


def project(home: Home, name: str) -> Path:
    folder = home.path / name
    folder.mkdir(exist_ok=True)
    return folder


def by_stdio(home: Home, folder: Path, mode: Mode = "auto") -> Client:
    server = StdioServerParameters(command=str(RECOLLECT), args=["mcp"], env=home.env, cwd=folder)
    return Client(server, mode=mode)


@asynccontextmanager
async def by_http(home: Home, folder: Path | None, mode: Mode = "auto") -> AsyncIterator[Client]:
    headers = {} if folder is None else {"Recollect-Folder": quote(str(folder))}
    transport = httpx2.AsyncHTTPTransport(uds=str(home.places.socket))
    async with (
        httpx2.AsyncClient(transport=transport, headers=headers) as http,
        Client(streamable_http_client("http://localhost/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


@asynccontextmanager
async def connected(way: str, home: Home, folder: Path, mode: Mode) -> AsyncIterator[Client]:
    if way == "stdio":
        async with by_stdio(home, folder, mode) as client:
            yield client
    else:
        async with by_http(home, folder, mode) as client:
            yield client


async def told(client: Client, tool: str, **given: Any) -> str:
    answer = await client.call_tool(tool, given)
    assert not answer.is_error, answer
    return text_of(answer)


def text_of(answer: types.CallToolResult) -> str:
    (content,) = answer.content
    assert isinstance(content, types.TextContent)
    return content.text


async def kept(client: Client, text: str, **given: Any) -> str:
    answer = await told(client, "add", **{"text": text, "kind": "decision", **given})
    return answer.removeprefix("Kept as ").partition(" ")[0]


@covers("MCP-1")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("way", ["stdio", "http"])
def test_every_tool_serves_a_client_of_either_handshake(shared: Home, way: str, mode: Mode) -> None:
    folder = project(shared, f"{way}-{mode}")

    async def story() -> None:
        async with connected(way, shared, folder, mode) as client:
            assert client.instructions == INSTRUCTIONS
            assert client.protocol_version == ("2026-07-28" if mode == "auto" else "2025-11-25")
            assert [tool.name for tool in (await client.list_tools()).tools] == list(TOOLS)
            known = await kept(client, "We deploy with Helm on Mondays.")
            assert ids_in(await told(client, "search", query="deploy with Helm")) == [known]
            assert known in await told(client, "context", task="deploy with Helm")
            assert known in await told(client, "profile", about="project")
            assert said(await told(client, "details", id=known)) == ["We deploy with Helm on Mondays."]
            new = await told(client, "change", id=known, action="update", text="We deploy with Helm on Tuesdays.")
            assert f"takes the place of {known}" in new
            await told(client, "change", id=new.split()[2], action="useful")
            assert "recollect undo" in await told(client, "change", id=new.split()[2], action="forget")
            assert await told(client, "search", query="deploy with Helm") == NOTHING

    anyio.run(story)


@covers("MCP-1")
def test_the_tools_cost_less_than_a_thousand_tokens(shared: Home) -> None:
    async def story() -> None:
        async with by_stdio(shared, project(shared, "prices"), "legacy") as client:
            listed = await client.list_tools()
            assert len(listed.tools) <= 6
            assert priced(json.dumps(listed.model_dump(by_alias=True, exclude_unset=True)["tools"])) < 1000
            assert priced(client.instructions or "") < 200

    anyio.run(story)


@covers("MCP-1")
@pytest.mark.parametrize("way", ["stdio", "http"])
def test_errors_are_typed_and_say_what_to_do(shared: Home, way: str) -> None:
    async def story() -> None:
        async with connected(way, shared, project(shared, "errors"), "auto") as client:
            for tool, given, code, says in (
                ("search", {}, "bad_request", "needs `query`"),
                ("search", {"query": ["x"]}, "bad_request", "takes a string"),
                ("recall", {"query": "x"}, "bad_request", "there are search"),
                ("details", {"id": "zzzzzzzz"}, "not_found", "ask with words"),
                ("change", {"id": "zzzzzzzz", "action": "forget"}, "not_found", "`search` shows ids"),
                ("add", {"text": "x" * 20_001, "kind": "rule"}, "invalid_value", "Split it"),
            ):
                answer = await client.call_tool(tool, given)
                assert answer.is_error
                assert answer.structured_content == {"code": code, "message": text_of(answer)}
                assert says in text_of(answer)

    anyio.run(story)


@covers("MCP-1", "PRI-2")
def test_two_clients_at_once_each_see_their_own_project(shared: Home) -> None:
    one, other = project(shared, "one"), project(shared, "other")

    async def story() -> None:
        async with (
            by_stdio(shared, one) as first,
            by_stdio(shared, other, "legacy") as second,
            by_http(shared, one) as third,
        ):
            mine = await kept(first, "The vault rotates its keys on Sundays.")
            assert await told(second, "search", query="vault keys") == NOTHING
            assert ids_in(await told(third, "search", query="vault keys")) == [mine]
            for tool, given in (("details", {}), ("change", {"action": "forget"})):
                answer = await second.call_tool(tool, {"id": mine, **given})
                assert answer.structured_content is not None
                assert answer.structured_content["code"] == "not_found"
            answers: list[str] = []

            async def ask(client: Client, n: int) -> None:
                answers.append(await kept(client, f"Part {n} of the atlas shows region {n * 7}."))

            async with anyio.create_task_group() as many:
                for n in range(24):
                    many.start_soon(ask, (first, second, third)[n % 3], n)
            assert len(set(answers)) == 24

    anyio.run(story)


def test_without_a_folder_a_client_is_told_so_once(shared: Home) -> None:
    async def story() -> None:
        async with by_http(shared, None, "legacy") as client:
            answers = [await told(client, "search", query="anything at all") for _ in range(2)]
            assert answers == [f"{NOTHING}\n{NOWHERE}", NOTHING]

    anyio.run(story)


@covers("MCP-1", "REL-1")
def test_a_client_does_not_notice_that_the_daemon_was_killed_between_two_calls(home: Home) -> None:
    async def story() -> None:
        async with by_stdio(home, home.path) as client:
            known = await kept(client, "We deploy with Helm on Mondays.")
            killed = end_daemon(home)
            assert ids_in(await told(client, "search", query="deploy with Helm")) == [known]
            assert home.client.pid() not in (None, killed)

    anyio.run(story)


def end_daemon(home: Home) -> int:
    pid = home.client.pid()
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    until(lambda: not home.client.is_running())
    return pid


def until(done: Any) -> None:
    give_up = time.monotonic() + 20
    while not done():
        assert time.monotonic() < give_up
        time.sleep(0.02)


# ---- the bridge by itself


class Bridged:
    """A bridge, spoken to line by line."""

    def __init__(self, home: Home, **env: str) -> None:
        self.process = subprocess.Popen(
            [RECOLLECT, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=home.env | env, cwd=home.path
        )

    def say(self, *messages: object) -> None:
        assert self.process.stdin is not None
        for message in messages:
            self.process.stdin.write(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def hear(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def end(self) -> bytes:
        """What is still said after the client has nothing more to say."""
        left, _ = self.process.communicate(timeout=20)
        assert self.process.returncode == 0
        return bytes(left)


def asking(number: int, tool: str = "search", **given: Any) -> dict[str, Any]:
    meta = DISCOVER["params"]
    assert isinstance(meta, dict)
    params = {"name": tool, "arguments": given or {"query": "x"}, **meta}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def test_what_is_under_way_when_the_daemon_dies_is_answered_and_never_asked_twice(home: Home) -> None:
    bridge = Bridged(home)
    bridge.say(DISCOVER)
    assert bridge.hear()["id"] == 1
    pid = home.client.pid()
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    bridge.say(asking(2, "add", text="We deploy with Helm.", kind="decision"))
    until(lambda: unread(pid))
    os.kill(pid, signal.SIGKILL)
    lost = bridge.hear()
    assert (lost["id"], lost["error"]["message"]) == (2, ENDED)
    bridge.say(asking(3, query="deploy with Helm"))
    assert NOTHING in json.dumps(bridge.hear())
    assert bridge.end() == b""


def unread(pid: int) -> bool:
    """Whether the bridge has given its line away: it waits for the next one."""
    state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return state == "T"


def test_answers_under_way_are_written_after_the_clients_last_line(shared: Home) -> None:
    bridge = Bridged(shared)
    bridge.say(DISCOVER, *(asking(n, query=f"question {n}") for n in range(2, 12)))
    answers = [json.loads(line) for line in bridge.end().splitlines()]
    assert sorted(answer["id"] for answer in answers) == list(range(1, 12))
    assert all("result" in answer for answer in answers)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_bridge_quietly(shared: Home, number: signal.Signals) -> None:
    bridge = Bridged(shared)
    bridge.say(DISCOVER)
    assert bridge.hear()["id"] == 1
    bridge.process.send_signal(number)
    assert bridge.process.wait(timeout=20) == 0


def test_what_is_no_message_or_too_long_is_said_and_ends_nothing(shared: Home) -> None:
    bridge = Bridged(shared)
    bridge.say(DISCOVER)
    bridge.hear()
    bridge.say(b"not json\n", b"[]\n", b"\n")
    assert [bridge.hear()["error"]["code"] for _ in range(2)] == [-32700, -32700]
    bridge.say(asking(2, query="x" * MAX_LINE_BYTES))
    refused = bridge.hear()
    assert (refused["id"], refused["error"]["code"]) == (2, -32600)
    bridge.say(asking(3))
    assert "result" in bridge.hear()
    assert bridge.end() == b""


def test_a_daemon_that_cannot_be_started_is_said_to_every_request(home: Home) -> None:
    (home.path / ".local").write_text("no folder")
    bridge = Bridged(home)
    bridge.say(DISCOVER, asking(2))
    for number in (1, 2):
        answer = bridge.hear()
        assert answer["id"] == number
        assert "cannot be reached" in answer["error"]["message"]
    assert bridge.end() == b""


def test_a_bridge_that_nobody_speaks_to_starts_nothing(home: Home) -> None:
    assert Bridged(home).end() == b""
    assert not home.client.is_running()


def test_the_older_handshake_is_made_again_with_the_next_daemon_and_not_heard_of(home: Home) -> None:
    bridge = Bridged(home)
    first = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    bridge.say({"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": first})
    assert bridge.hear()["result"]["protocolVersion"] == "2025-06-18"
    bridge.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
    end_daemon(home)
    bridge.say({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    answer = bridge.hear()
    assert (answer["id"], len(answer["result"]["tools"])) == (1, len(TOOLS))
    assert bridge.end() == b""


# ---- what it costs those who do not use it


def test_a_daemon_that_serves_hooks_alone_never_loads_the_library(home: Home) -> None:
    home.said("start")
    pid = home.client.pid()
    home.client.post("/v1/hosts/opencode", {"hook": "session.start", "sessionID": "s1", "directory": str(home.path)})
    home.client.get("/v1/status")
    assert not loads_the_library(pid)
    bridge = Bridged(home)
    bridge.say(DISCOVER)
    bridge.hear()
    assert loads_the_library(pid)
    bridge.end()


def loads_the_library(pid: int | None) -> bool:
    """Its compiled part is mapped into the process."""
    return "pydantic_core" in Path(f"/proc/{pid}/maps").read_text()


def test_the_bridge_loads_neither_the_library_nor_click() -> None:
    check = "import sys, recollect.mcp.bridge; print(sorted({'mcp', 'click', 'asyncio', 'pathlib'} & {*sys.modules}))"
    done = subprocess.run([sys.executable, "-S", "-c", check], env={"PYTHONPATH": str(SOURCE)}, capture_output=True)
    assert done.stdout.decode().strip() == "[]", done.stderr


SOURCE = Path(__file__).parents[2] / "src"


def test_an_open_conversation_does_not_hold_up_the_end_of_the_daemon(home: Home) -> None:
    bridge = Bridged(home)
    bridge.say(DISCOVER)
    bridge.hear()
    assert home.client.stop()
    assert "Traceback" not in home.places.log.read_text()
    assert bridge.end() == b""


def test_a_wrong_request_to_the_library_is_an_error_of_the_protocol(shared: Home) -> None:
    async def story() -> None:
        async with by_stdio(shared, project(shared, "wrong")) as client:
            with pytest.raises(MCPError, match="not found"):
                await client.list_prompts()

    anyio.run(story)
