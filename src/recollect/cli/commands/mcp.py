"""`recollect mcp`: memory tools for any MCP client, over standard input and output."""

import click

from recollect.mcp.bridge import Bridge, current_folder


@click.command()
@click.option(
    "--folder",
    metavar="PATH",
    type=click.Path(exists=True, file_okay=False, resolve_path=True),
    help="The project's folder (default: the current folder).",
)
def mcp(folder: str | None) -> None:
    """Serve memory tools over MCP; your MCP client starts this.

    It uses standard input and output. In the configuration of most clients:

    \b
        {"mcpServers": {"recollect": {"command": "recollect", "args": ["mcp"]}}}

    In OpenCode's:

    \b
        {"mcp": {"recollect": {"type": "local", "command": ["recollect", "mcp"]}}}

    If the client does not find `recollect`, give its absolute path. If the client starts it in another folder than the
    project's, also give "--folder" and the path."""
    Bridge(folder or current_folder()).run()
