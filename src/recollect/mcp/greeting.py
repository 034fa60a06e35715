"""The first answers to an MCP client: our name, when to call us, and the tools; the same without a daemon.

A host puts the tools before everything else that a provider caches: a list that comes late, or once not at all, would
cost the whole cache. So the bridge answers this itself, at once, and loads this module only then.
"""

from collections.abc import Mapping
from typing import Any

from recollect import hook
from recollect.mcp.schema import INSTRUCTIONS, TOOLS

NAME, TITLE = "recollect", "Recollect"
# Versions of the protocol that begin with a handshake.
VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


def greeting(params: Any) -> dict[str, Any] | None:
    """Answer `initialize`; None if it is invalid: the daemon then answers what is wrong."""
    if not isinstance(params, Mapping) or not isinstance(params.get("protocolVersion"), str):
        return None
    if not isinstance(params.get("capabilities"), Mapping) or not isinstance(params.get("clientInfo"), Mapping):
        return None
    version = params["protocolVersion"]
    return {
        "protocolVersion": version if version in VERSIONS else VERSIONS[-1],
        "capabilities": {"tools": {"listChanged": False}},
        "serverInfo": {"name": NAME, "title": TITLE, "version": hook.VERSION},
        "instructions": INSTRUCTIONS,
    }


def tool_list() -> dict[str, Any]:
    tools = []
    for tool in TOOLS.values():
        annotations = {"readOnlyHint": True}
        if not tool.reads_only:
            annotations = {"destructiveHint": tool.destroys, "openWorldHint": False}
        described = {"name": tool.name, "description": tool.says, "inputSchema": tool.schema}
        tools.append({**described, "annotations": annotations})
    return {"tools": tools}
