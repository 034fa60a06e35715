import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.daemon.guard import Guard, TcpAccess
from tests.requirements import covers

DOOR = TcpAccess(port=4242, token="t" * 43)
TOKEN = {"authorization": f"Bearer {DOOR.token}"}
HERE = {"host": "127.0.0.1:4242"}
UNIX, TCP = ("/run/daemon.sock", None), ("127.0.0.1", 4242)


def asked(
    headers: dict[str, str], *, server: Any = TCP, path: str = "/v1/replay", chunks: tuple[bytes, ...] = (b"{}",)
) -> int | str:
    """The code of a refusal; else how many bytes of the body reached what is behind the guard."""
    sent: list[dict[str, Any]] = []
    rest = list(chunks)

    async def app(_: Any, receive: Any, send: Any) -> None:
        read = 0
        while True:
            message = await receive()
            read += len(message.get("body", b""))
            if not message.get("more_body"):
                break
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps(read).encode()})

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": rest.pop(0), "more_body": bool(rest)}

    async def send(message: Any) -> None:
        sent.append(message)

    raw = [(name.encode(), value.encode("utf-8", "surrogateescape")) for name, value in headers.items()]
    scope = {"type": "http", "path": path, "headers": raw, "server": server}
    asyncio.run(Guard(app, DOOR, max_body_bytes=100)(scope, receive, send))
    start, body = sent
    answer = json.loads(body["body"])
    if start["status"] == 200:
        return int(answer)
    assert (b"connection", b"close") in start["headers"]
    assert start["status"] == STATUS[answer["error"]["code"]]
    return str(answer["error"]["code"])


STATUS = {"unauthorised": 401, "foreign_origin": 403, "too_large": 413, "wrong_host": 421}


@covers("PRI-6")
@given(st.text(max_size=60) | st.sampled_from(["Bearer", "Bearer ", f"Basic {DOOR.token}", f"Bearer {DOOR.token}x"]))
def test_over_tcp_only_the_token_opens(given_token: str) -> None:
    assert asked(HERE | {"authorization": given_token}) == "unauthorised"


def test_who_has_the_token_may_ask_under_either_name() -> None:
    assert asked(HERE) == "unauthorised"
    assert asked(HERE | TOKEN) == 2
    assert asked({"host": "localhost:4242"} | TOKEN) == 2
    assert asked(HERE | TOKEN, path="http://localhost:4242/v1/replay") == 2


@pytest.mark.parametrize("host", ["", "127.0.0.1", "localhost", "127.0.0.1:80", "evil.example:4242", "127.0.0.1:4242."])
def test_a_name_that_was_made_to_point_here_is_refused(host: str) -> None:
    assert asked(TOKEN | {"host": host}) == "wrong_host"
    assert asked(TOKEN) == "wrong_host"
    assert asked(HERE | TOKEN, path=f"http://{host}/v1/replay") == "wrong_host"


def test_whoever_cannot_be_told_is_a_stranger() -> None:
    assert asked({}, server=None) == "wrong_host"
    assert asked({}, server=UNIX) == 2


@pytest.mark.parametrize(
    "origin", ["null", "", "https://evil.example", "http://localhost:3000", "https://127.0.0.1:4242"]
)
def test_web_pages_of_others_are_refused_on_either_way_in(origin: str) -> None:
    assert asked(HERE | TOKEN | {"origin": origin}) == "foreign_origin"
    assert asked({"origin": origin}, server=UNIX) == "foreign_origin"
    assert asked({"origin": "http://127.0.0.1:4242"}, server=UNIX) == "foreign_origin"
    assert asked(HERE | TOKEN | {"origin": "http://127.0.0.1:4242"}) == 2


@pytest.mark.parametrize("site", ["cross-site", "same-site", "anything"])
def test_what_a_browser_fetches_for_another_site_is_refused(site: str) -> None:
    assert asked(HERE | TOKEN | {"sec-fetch-site": site}) == "foreign_origin"
    assert asked({"sec-fetch-site": site}, server=UNIX) == "foreign_origin"
    assert asked(HERE | TOKEN | {"sec-fetch-site": "same-origin"}) == 2


def test_a_body_that_is_too_large_is_refused_by_what_is_told_and_by_what_comes() -> None:
    assert asked({"content-length": "101"}, server=UNIX) == "too_large"
    assert asked({"content-length": "100"}, server=UNIX, chunks=(b"x" * 100,)) == 100
    assert asked({}, server=UNIX, chunks=(b"x" * 60, b"x" * 40)) == 100
    assert asked({}, server=UNIX, chunks=(b"x" * 60, b"x" * 41)) == "too_large"


def test_the_stream_of_an_mcp_client_has_no_end_but_needs_the_token() -> None:
    endless = (b"x" * 90,) * 5
    assert asked({}, server=UNIX, path="/v1/mcp", chunks=endless) == 450
    assert asked(HERE, path="/v1/mcp", chunks=endless) == "unauthorised"
    assert asked(HERE | TOKEN, path="/mcp", chunks=endless) == "too_large"
