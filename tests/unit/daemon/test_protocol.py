import asyncio
from pathlib import Path
from typing import Any

import uvicorn

from recollect.daemon.protocol import ConnectionLimits, make_protocol

BOUNDS = ConnectionLimits(header_s=0.2, body_s=0.2, connections=10)
HEAD = b"POST %s HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


async def echo(_: Any, receive: Any, send: Any) -> None:
    """Says again what it hears, at once, until nothing more comes."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    while (message := await receive())["type"] == "http.request":
        await send({"type": "http.response.body", "body": message["body"], "more_body": True})


def test_a_stream_may_be_silent_while_others_are_hung_up_on_and_ends_with_the_daemon(tmp_path: Path) -> None:
    path = str(tmp_path / "s")

    async def scene() -> None:
        config = uvicorn.Config(
            echo, uds=path, http=make_protocol(BOUNDS), lifespan="off", log_config=None, access_log=False
        )
        server = uvicorn.Server(config)
        served = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        hears, says = await asyncio.open_unix_connection(path)
        says.write(HEAD % b"/v1/mcp")
        for _ in range(2):  # as long as two others may be silent
            stalled, stalls = await asyncio.open_unix_connection(path)
            stalls.write(HEAD % b"/v1/replay")
            await asyncio.wait_for(stalled.read(), 10)
            stalls.close()
        says.write(b"5\r\nhello\r\n")
        await asyncio.wait_for(hears.readuntil(b"hello"), 10)
        server.should_exit = True
        await asyncio.wait_for(hears.read(), 10)
        says.close()
        await asyncio.wait_for(served, 10)

    asyncio.run(scene())
