"""`recollect mcp`: memory tools for any MCP client, over standard input and output."""

import click

from recollect.mcp.bridge import Bridge, current_folder


@click.command()
@click.option(
    "--folder",
    metavar="PATH",
    type=click.Path(exists=True, file_okay=False, resolve_path=True),
    help="Folder of the project. Default: the current folder.",
)
def mcp(folder: str | None) -> None:
    """Serve memory tools over MCP. Your MCP client starts this command.

    The command uses standard input and output. Add this to the configuration of most MCP clients:

    \b
        {"mcpServers": {"recollect": {"command": "recollect", "args": ["mcp"]}}}

    Add this to the configuration of OpenCode (`recollect install opencode` does this for you):

    \b
        {"mcp": {"recollect": {"type": "local", "command": ["recollect", "mcp"]}}}

    If the client does not find `recollect`, write the absolute path of `recollect`. If the client does not start the
    command in the folder of the project, add "--folder" and the path of that folder."""
    Bridge(folder or current_folder()).run()
