"""An MCP server on stdin and stdout whose one tool, `boom`, answers with an error of the given text. Stdlib alone."""

import json
import sys
from typing import Any

TOOL = {
    "name": "boom",
    "description": "Fails with the text that it is given.",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
}


def answer(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    match method:
        case "initialize":
            about = {"name": "boom", "version": "1"}
            return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": about}
        case "tools/list":
            return {"tools": [TOOL]}
        case "tools/call":
            return {"content": [{"type": "text", "text": params["arguments"]["text"]}], "isError": True}
        case "ping":
            return {}
        case _:
            return None


def main() -> None:
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" not in asked:  # a notification: nobody waits
            continue
        result = answer(asked["method"], asked.get("params") or {})
        unknown = {"error": {"code": -32601, "message": "no such method"}}
        said = {"jsonrpc": "2.0", "id": asked["id"], **(unknown if result is None else {"result": result})}
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
