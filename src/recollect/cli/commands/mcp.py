"""`recollect mcp`: the memory as tools for any MCP client, over standard input and output."""

import click

from recollect.mcp.bridge import Bridge, folder_here


@click.command()
@click.option(
    "--folder",
    metavar="PATH",
    type=click.Path(exists=True, file_okay=False, resolve_path=True),
    help="The project's folder; the current one, if the client starts it there.",
)
def mcp(folder: str | None) -> None:
    """Serve the memory's tools to an MCP client over standard input and output. Clients start this by themselves.

    In the configuration of most clients:

    \b
        {"mcpServers": {"recollect": {"command": "recollect", "args": ["mcp"]}}}

    In OpenCode's:

    \b
        {"mcp": {"recollect": {"type": "local", "command": ["recollect", "mcp"]}}}

    A client that does not find `recollect` takes the whole path of it. One that starts it in another folder than the
    project's takes "--folder" and the path as well.
    """
    Bridge(folder or folder_here()).run()
