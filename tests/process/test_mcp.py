"""Any MCP client, by the official library's own: over the stdio bridge and over HTTP, with both handshakes."""

import json
import os
import signal
import socket
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

from recollect import hook
from recollect.domain.errors import RecollectError
from recollect.mcp.bridge import ENDED, MAX_LINE_BYTES
from recollect.mcp.greeting import VERSIONS
from recollect.mcp.schema import INSTRUCTIONS, TOOLS
from recollect.mcp.tools import NOTHING, NOWHERE
from tests.flows.blocks import ids_in, priced, said
from tests.process.conftest import RECOLLECT, Home, refused, taught
from tests.process.versions import another_version
from tests.requirements import covers

Mode = Literal["legacy", "auto"]
MODES: list[Mode] = ["legacy", "auto"]
WHY = "The release job writes the values of the chart over the weekend, and nobody else may touch them."
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
    with made.daemon(RECOLLECT_DAEMON__PORT=str(free_port())) as daemon:
        until(made.places.tcp.exists)
        yield made
        made.client.stop()
        assert daemon.wait(timeout=20) == 0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def project(home: Home, name: str) -> Path:
    folder = home.path / name
    folder.mkdir(exist_ok=True)
    return folder


def by_stdio(home: Home, folder: Path, mode: Mode = "auto") -> Client:
    server = StdioServerParameters(command=str(RECOLLECT), args=["mcp"], env=home.env, cwd=folder)
    return Client(server, mode=mode)


@asynccontextmanager
async def by_http(home: Home, folder: Path | None, mode: Mode = "auto") -> AsyncIterator[Client]:
    port, token = home.places.tcp.read_text().split()
    headers = {"Authorization": f"Bearer {token}"} | (
        {} if folder is None else {"Recollect-Folder": quote(str(folder))}
    )
    async with (
        httpx2.AsyncClient(headers=headers, trust_env=False) as http,
        Client(streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http), mode=mode) as client,
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


@covers("MCP-1", "PRI-3")
def test_an_agent_does_not_remove_what_the_user_said_and_undo_does_not_guess(shared: Home) -> None:
    folder = project(shared, "users-word")
    mine = taught(shared, "We deploy the users-word service with Helm.", cwd=folder)

    async def story() -> None:
        async with connected("stdio", shared, folder, "auto") as client:
            answer = await told(client, "change", id=mine, action="forget")
            assert "The user said" in answer
            assert f"`recollect forget {mine}`" in answer
            await kept(client, "The users-word queue holds 40 jobs.")

    anyio.run(story)
    assert mine in shared.said("list", cwd=folder)
    assert "an agent proposes to forget it" in shared.said("review", cwd=folder)
    assert "The last change is an agent's: remember of 1 memory" in refused(shared, "undo")
    shared.said("review", "reject", mine, cwd=folder)
    assert mine not in shared.said("list", cwd=folder)
    undone = shared.said("undo", cwd=folder)
    assert "Undone: review (reject) of 1 memory" in undone
    assert "We deploy the users-word service" in undone


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


@covers("MCP-1", "INJ-5")
def test_a_call_that_its_host_tells_of_is_asked_within_the_hosts_own_session(shared: Home) -> None:
    folder = project(shared, "linked")
    about = {"session": "ses_linked", "folder": str(folder)}

    async def story() -> None:
        async with by_stdio(shared, folder, "legacy") as client:
            known = await kept(client, f"We deploy with Helm on Mondays. {WHY}")
            start = {"hook": "session.start", "sessionID": "ses_linked", "directory": str(folder)}
            assert known in shared.post("/v1/hosts/opencode", start)["block"]
            assert WHY in await told(client, "search", query="deploy with Helm")
            assert shared.post("/v1/asking", about) == {}
            again = await told(client, "search", query="deploy with Helm")
            assert (ids_in(again), WHY in again) == ([known], False)
            shared.post("/v1/asking", about)
            new = await kept(client, "The vault rotates its keys on Sundays.")
            shown = shared.json("show", new)["source"]
            assert (shown["host"], shown["session"], shown["role"]) == ("opencode", "ses_linked", "assistant")

    anyio.run(story)


@pytest.mark.parametrize(
    "body", [{}, {"session": "s"}, {"session": "s", "folder": "shop"}, {"session": 1, "folder": "/"}]
)
def test_whoever_tells_of_a_call_says_who_asks_and_where(shared: Home, body: dict[str, Any]) -> None:
    with pytest.raises(RecollectError, match="`folder`"):
        shared.post("/v1/asking", body)


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


@covers("REL-1")
def test_a_daemon_ends_when_idle_though_a_bridge_is_open_and_the_next_line_starts_another(home: Home) -> None:
    bridge = Bridged(home, RECOLLECT_DAEMON__IDLE_MINUTES="0.05")  # a busy machine needs a while to ask
    bridge.say(asking(1))
    assert "result" in bridge.hear()
    until(lambda: "ended after" in home.places.log.read_text() and not home.client.is_running())
    bridge.say(asking(2))
    assert "result" in bridge.hear()
    assert bridge.end() == b""
    assert '"level": "error"' not in home.places.log.read_text()


def end_daemon(home: Home) -> int:
    pid = home.client.pid()
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    until(lambda: not home.client.is_running())
    return pid


def until(done: Any) -> None:
    give_up = time.monotonic() + 60
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


GREETED = {"capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


@covers("MCP-1", "REL-1")
def test_a_client_is_greeted_in_the_same_bytes_whether_the_daemon_is_there_hangs_or_never_comes(home: Home) -> None:
    def greeted(**env: str) -> tuple[str, bytes]:
        bridge = Bridged(home, **env)
        params = {"protocolVersion": "2025-11-25", **GREETED}
        bridge.say({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
        bridge.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        bridge.say({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        said = json.dumps([bridge.hear(), bridge.hear()])
        return said, bridge.end()

    cold = greeted()
    until(home.client.is_running)
    warm = greeted()
    pid = home.client.pid()
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    hung = greeted()
    os.kill(pid, signal.SIGCONT)
    home.client.stop()
    (home.path / "taken").write_text("no folder")
    never = greeted(XDG_STATE_HOME=str(home.path / "taken"))
    assert cold == warm == hung == never
    assert cold[1] == b""


@covers("MCP-1")
@pytest.mark.parametrize("version", [*VERSIONS, "1999-01-01", "2026-07-28"])
def test_the_bridge_says_of_itself_what_the_daemon_would_say(shared: Home, version: str) -> None:
    port, token = shared.places.tcp.read_text().split()
    asked = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": version, **GREETED}},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
    ]
    bridge = Bridged(shared)
    bridge.say(*asked)
    said = [bridge.hear(), bridge.hear()]
    assert bridge.end() == b""
    with httpx2.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False) as http:
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"}
        for question, answer in zip(asked, said, strict=True):
            response = http.post("/mcp", json=question, headers=headers)
            assert response.json() == answer
            headers["Mcp-Session-Id"] = response.headers.get("mcp-session-id", headers.get("Mcp-Session-Id", ""))


@covers("REL-1")
def test_what_a_daemon_dies_with_is_answered_and_not_asked_again_and_the_next_one_is_greeted_anew(home: Home) -> None:
    bridge = Bridged(home)
    first = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    bridge.say({"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": first})
    assert bridge.hear()["result"]["protocolVersion"] == "2025-06-18"
    bridge.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    bridge.say(ping)
    assert bridge.hear() == {"jsonrpc": "2.0", "id": 1, "result": {}}
    pid = home.client.pid()
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    added = {"name": "add", "arguments": {"text": "We deploy with Helm.", "kind": "decision"}}
    bridge.say({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": added})
    bridge.say(asking(3, query="x" * MAX_LINE_BYTES))
    assert bridge.hear()["error"]["code"] == -32600  # by the bridge itself: the line before it is on its way
    os.kill(pid, signal.SIGKILL)
    lost = bridge.hear()
    assert (lost["id"], lost["error"]["message"]) == (2, ENDED)
    bridge.say(ping | {"id": 4})
    assert bridge.hear() == {"jsonrpc": "2.0", "id": 4, "result": {}}
    assert bridge.end() == b""
    assert home.json("list")["memories"] == []


@covers("REL-2")
def test_an_older_daemon_answers_and_is_replaced_under_the_bridge(home: Home) -> None:
    older = home.daemon(**another_version(home.path, "0.0.1"))
    until(home.client.is_running)
    bridge = Bridged(home)
    bridge.say(DISCOVER)
    assert "result" in bridge.hear()
    assert older.wait(timeout=20) == 0
    bridge.say(asking(2))
    assert "result" in bridge.hear()
    assert home.client.get("/v1/hello")["version"] == hook.VERSION
    assert bridge.end() == b""


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
    assert [bridge.hear()["error"]["code"] for _ in range(2)] == [-32700, -32600]
    bridge.say(asking(2, query="x" * MAX_LINE_BYTES))
    refused = bridge.hear()
    assert (refused["id"], refused["error"]["code"]) == (2, -32600)
    bridge.say(asking(3))
    assert "result" in bridge.hear()
    bridge.say({"jsonrpc": "2.0", "id": 77}, {**asking(4), "id": 1.5}, asking(5, query="half \ud83d of a smile"))
    answers = [bridge.hear() for _ in range(3)]
    assert [answer["id"] for answer in answers] == [77, None, 5]
    assert "result" in answers[2]
    assert bridge.end() == b""


def test_a_client_that_does_not_read_holds_no_end_up(shared: Home) -> None:
    bridge = Bridged(shared)
    bridge.say(DISCOVER)
    bridge.hear()
    meta = DISCOVER["params"]
    bridge.say(*({"jsonrpc": "2.0", "id": n, "method": "tools/list", "params": meta} for n in range(60)))
    bridge.hear()  # so it is at it
    bridge.process.send_signal(signal.SIGTERM)
    assert bridge.process.wait(timeout=4) == 0  # less than answers are waited for otherwise


def test_over_http_a_folder_that_is_none_is_said_and_each_request_has_its_own(shared: Home) -> None:
    async def story() -> None:
        async with by_http(shared, Path("/path/of/the/project")) as client:
            answer = await client.call_tool("add", {"text": "We deploy with Helm.", "kind": "decision"})
            assert answer.is_error
            assert "no folder '/path/of/the/project'" in text_of(answer)

    anyio.run(story)
    assert all("path/of/the" not in one["id"] for one in shared.json("project", "list")["projects"])


def test_a_daemon_that_cannot_be_started_is_said_to_every_request(home: Home) -> None:
    (home.path / ".local").write_text("no folder")
    bridge = Bridged(home)
    bridge.say(DISCOVER, asking(2))
    for number in (1, 2):
        answer = bridge.hear()
        assert answer["id"] == number
        assert "cannot be reached" in answer["error"]["message"]
    assert bridge.end() == b""


def test_a_client_that_starts_it_elsewhere_names_the_folder(shared: Home) -> None:
    folder = project(shared, "ünder scores")

    async def story() -> None:
        async with by_stdio(shared, folder) as client:
            known = await kept(client, "The atlas is drawn by hand.")
        args = ["mcp", "--folder", str(folder)]
        server = StdioServerParameters(command=str(RECOLLECT), args=args, env=shared.env, cwd="/")
        async with Client(server) as client:
            assert ids_in(await told(client, "search", query="atlas drawn by hand")) == [known]
        server = StdioServerParameters(command=str(RECOLLECT), args=["mcp"], env=shared.env, cwd="/")
        async with Client(server) as client:
            assert NOWHERE in await told(client, "search", query="atlas drawn by hand")

    anyio.run(story)


def test_a_bridge_that_nobody_speaks_to_starts_nothing(home: Home) -> None:
    assert Bridged(home).end() == b""
    assert not home.client.is_running()


# ---- what it costs those who do not use it


def test_the_library_is_loaded_for_the_first_client_alone_and_an_open_conversation_holds_nothing_up(home: Home) -> None:
    home.said("start")
    pid = home.client.pid()
    home.post("/v1/hosts/opencode", {"hook": "session.start", "sessionID": "s1", "directory": str(home.path)})
    home.client.get("/v1/status")
    assert not loads_the_library(pid)
    bridge = Bridged(home)
    bridge.say(DISCOVER)
    bridge.hear()
    assert pid is not None
    assert loads_the_library(pid)
    os.kill(pid, signal.SIGTERM)
    until(lambda: "ended after" in home.places.log.read_text())
    assert '"level": "error"' not in home.places.log.read_text()
    assert bridge.end() == b""


def loads_the_library(pid: int | None) -> bool:
    """Its compiled part is mapped into the process."""
    return "pydantic_core" in Path(f"/proc/{pid}/maps").read_text()


def test_the_bridge_loads_neither_the_library_nor_click() -> None:
    large = {"mcp", "click", "asyncio", "pathlib", "typing"}
    check = f"import sys, recollect.mcp.bridge; print(sorted({large} & {{*sys.modules}}))"
    done = subprocess.run([sys.executable, "-S", "-c", check], env={"PYTHONPATH": str(SOURCE)}, capture_output=True)
    assert done.stdout.decode().strip() == "[]", done.stderr


SOURCE = Path(__file__).parents[2] / "src"


@pytest.mark.parametrize("params", [{"name": "search", "arguments": [1]}, {"arguments": {}}, {"name": 7}])
def test_a_call_that_is_none_is_an_answer_that_says_so(shared: Home, params: dict[str, Any]) -> None:
    bridge = Bridged(shared)
    call = asking(1)
    call["params"] = {"_meta": call["params"]["_meta"], **params}
    bridge.say(call)
    answer = bridge.hear()
    assert answer["result"]["isError"]
    assert answer["result"]["structuredContent"]["code"] == "bad_request"
    bridge.end()


def test_what_a_client_cancels_is_not_waited_for(shared: Home) -> None:
    bridge = Bridged(shared)
    bridge.say(DISCOVER)
    bridge.hear()
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}
    bridge.say(asking(2), cancelled, asking(3))
    assert 3 in [json.loads(line)["id"] for line in bridge.end().splitlines()]


def test_a_wrong_request_to_the_library_is_an_error_of_the_protocol(shared: Home) -> None:
    async def story() -> None:
        async with by_stdio(shared, project(shared, "wrong")) as client:
            with pytest.raises(MCPError, match="not found"):
                await client.list_prompts()

    anyio.run(story)
