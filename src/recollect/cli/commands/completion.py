"""`recollect completion`"""

import click
from click.shell_completion import get_completion_class

SHELLS = {
    "bash": "source <(recollect completion bash)    # in ~/.bashrc",
    "zsh": "source <(recollect completion zsh)     # in ~/.zshrc, after compinit",
    "fish": "recollect completion fish | source     # in ~/.config/fish/config.fish",
}


@click.command(epilog="\b\n" + "\n".join(SHELLS.values()))
@click.argument("shell", type=click.Choice(list(SHELLS)))
def completion(shell: str) -> None:
    """Print the tab completion script for your shell.

    The script completes commands, options, memory ids and project ids. In bash it completes a project id only up to the
    first colon. To load the script, add the line for your shell (see below) to the file named in that line."""
    root = click.get_current_context().find_root()
    completer = get_completion_class(shell)
    assert completer is not None  # click knows all of SHELLS
    click.echo(completer(root.command, {}, "recollect", "_RECOLLECT_COMPLETE").source())
