"""Prints a block for a person: styled and wrapped in a terminal, unchanged when piped."""

import sys

from recollect.cli.display import output
from recollect.text.block import CLOSE, OPEN, PREAMBLE, split_line


def show_block(block: str) -> None:
    if not sys.stdout.isatty():
        output.say(block)
        return
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    console = output.console()
    for line in block.splitlines():
        parts = split_line(line)
        if parts is None:
            is_frame = line in (OPEN, CLOSE, PREAMBLE) or line.startswith("(")
            console.print(Text(line, style="dim" if is_frame else "bold", overflow="fold"))
            continue
        prefix, text, about = parts
        row = Table.grid(padding=(0, 1))
        row.add_column(no_wrap=True)
        row.add_column(overflow="fold")
        row.add_row(Text(prefix.strip(), style="bold magenta"), Text(text) + Text(about, style="dim"))
        console.print(Padding(row, (0, 0, 0, 2), expand=False))
