"""What a client is told first: who we are, when to ask us, and the tools. The same whether or not the daemon runs.

A host puts the tools before everything else that a provider caches: a list that came late, or once did not come, would
cost it the whole of that. So the bridge says this by itself, at once, and loads this module only then.
"""

from collections.abc import Mapping
from typing import Any

from recollect import hook
from recollect.mcp.schema import INSTRUCTIONS, TOOLS

NAME, TITLE = "recollect", "Recollect"
VERSIONS = (
    "2024-11-05",
    "2025-03-26",
    "2025-06-18",
    "2025-11-25",
)  # of the protocol, that begin with a handshake


def greeting(params: Any) -> dict[str, Any] | None:
    """The answer to `initialize`; None: the daemon says what is wrong with it."""
    if not isinstance(params, Mapping) or not isinstance(params.get("protocolVersion"), str):
        return None
    if not isinstance(params.get("capabilities"), Mapping) or not isinstance(params.get("clientInfo"), Mapping):
        return None
    asked = params["protocolVersion"]
    return {
        "protocolVersion": asked if asked in VERSIONS else VERSIONS[-1],
        "capabilities": {"tools": {"listChanged": False}},
        "serverInfo": {"name": NAME, "title": TITLE, "version": hook.VERSION},
        "instructions": INSTRUCTIONS,
    }


def tool_list() -> dict[str, Any]:
    return {
        "tools": [
            {
                "name": tool.name,
                "description": tool.says,
                "inputSchema": tool.schema,
                "annotations": {"readOnlyHint": True}
                if tool.reads_only
                else {"destructiveHint": tool.destroys, "openWorldHint": False},
            }
            for tool in TOOLS.values()
        ]
    }
