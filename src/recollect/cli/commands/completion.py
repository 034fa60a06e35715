"""`recollect completion`"""

import click
from click.shell_completion import get_completion_class

VARIABLE = "_RECOLLECT_COMPLETE"
SHELLS = {
    "bash": "source <(recollect completion bash)    # in ~/.bashrc",
    "zsh": "source <(recollect completion zsh)     # in ~/.zshrc, after compinit",
    "fish": "recollect completion fish | source     # in ~/.config/fish/config.fish",
}


@click.command(epilog="\b\n" + "\n".join(SHELLS.values()))
@click.argument("shell", type=click.Choice(list(SHELLS)))
def completion(shell: str) -> None:
    """Print the script that completes commands, options and ids of memories in SHELL; ids of projects too, in bash only
    up to their first colon."""
    root = click.get_current_context().find_root()
    made = get_completion_class(shell)
    assert made is not None  # click knows all of SHELLS
    click.echo(made(root.command, {}, "recollect", VARIABLE).source())
