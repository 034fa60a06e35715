"""An MCP server for the client under test, run as a script: its only tool always fails. Standard library only."""

import json
import sys
from typing import Any

ERROR = "LedgerClosedError: the ledger of 2026-03 is closed for postings"
TOOL = {
    "name": "post",
    "description": "Post an amount to the ledger.",
    "inputSchema": {"type": "object", "properties": {"amount": {"type": "number"}}},
}


def result_of(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    match method:
        case "initialize":
            about = {"name": "ledger", "version": "1"}
            return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": about}
        case "tools/list":
            return {"tools": [TOOL]}
        case "tools/call":
            return {"content": [{"type": "text", "text": ERROR}], "isError": True}
        case "ping":
            return {}
        case _:
            return None


def main() -> None:
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" not in asked:
            continue
        result = result_of(asked["method"], asked.get("params") or {})
        unknown = {"error": {"code": -32601, "message": "no such method"}}
        answer = {"jsonrpc": "2.0", "id": asked["id"], **(unknown if result is None else {"result": result})}
        print(json.dumps(answer), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
