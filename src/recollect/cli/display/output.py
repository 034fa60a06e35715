"""Output for people: styled and wrapped in a terminal, plain when piped, JSON on request."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TextIO

import click

from recollect.domain.errors import InvalidValue
from recollect.domain.freshness import NOT_CHECKED, Freshness
from recollect.domain.memory import Memory, MemoryId, Tier
from recollect.text.block import prefix_of, stale_notes, visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

MAX_LISTED_CHARS = 600  # of one memory in a table

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")


def say(text: str) -> None:
    click.echo(text)


def say_nothing(text: str) -> None:
    """Say that there is no answer: on the screen in a terminal, on stderr when piped, so that the pipe stays empty."""
    click.echo(text, err=not sys.stdout.isatty())


def warn(text: str) -> None:
    """Print something to stderr that is not part of the answer."""
    click.echo(text, err=True)


def remark(text: str) -> None:
    """Print a hint to stderr: dimmer than a warning."""
    for line in _wrap(text, 0, sys.stderr):
        click.echo(click.style(line, dim=True) if _wants_style(sys.stderr) else line, err=True)


def confirm(question: str, otherwise: str) -> bool:
    """Ask the user in the terminal. Without a terminal, `otherwise` is the error: it says what to do instead."""
    if not sys.stdin.isatty():
        raise InvalidValue(otherwise)
    has_agreed = click.confirm(question)
    if not has_agreed:
        say("Nothing was changed.")
    return has_agreed


def say_json(value: object) -> None:
    import json  # most output is text

    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def say_result(record: object, sentence: str, as_json: bool) -> None:
    if as_json:
        say_json(record)
    else:
        say(sentence)


def _wants_style(stream: TextIO) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def style_text(text: str, **style: Any) -> str:
    return click.style(text, **style) if _wants_style(sys.stdout) else text


def heading(text: str) -> None:
    say("\n" + style_text(text, bold=True))


def say_indented(text: str, columns: int, **style: Any) -> None:
    """Indent the text: in a terminal every wrapped line, when piped the one line."""
    if not sys.stdout.isatty():
        say(" " * columns + text)
        return
    from rich.padding import Padding
    from rich.text import Text

    styles = " ".join(name for name, is_on in style.items() if is_on)
    console().print(Padding(Text(text, style=styles, overflow="fold"), (0, 0, 0, columns), expand=False))


def say_beside(head: str, columns: int, text: str) -> None:
    """Print the text beside a head that is `columns` wide and may be styled: wrapped in a terminal, one line piped."""
    first, *others = _wrap(text, columns, sys.stdout)
    say(head + first)
    for line in others:
        say(" " * columns + line)


def _wrap(text: str, columns: int, stream: TextIO) -> list[str]:
    """Return lines that fit beside `columns` of a terminal. A word without spaces, such as a path, stays whole."""
    if not stream.isatty():
        return [text]
    import shutil
    import textwrap

    width = max(20, shutil.get_terminal_size().columns - columns)
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]


def say_first(limit: int, lines: Sequence[str], say_line: Callable[[str], None]) -> None:
    for line in lines[:limit]:
        say_line(line)
    if len(lines) > limit:
        say_line(f"... and {len(lines) - limit:,} more; --json lists all.")


def show_memories(
    memories: Sequence[Memory],
    notes: Sequence[str] | None = None,
    below: Sequence[str] | None = None,
    seen: Mapping[MemoryId, Freshness] | None = None,
) -> None:
    """Show a table in a terminal, lines with tabs when piped. `below`: one more line under each memory."""
    marks = [_marks(memory, (seen or {}).get(memory.id, NOT_CHECKED)) for memory in memories]
    if sys.stdout.isatty():
        _show_table(memories, notes or [""] * len(memories), below, marks)
        return
    for number, memory in enumerate(memories):
        fields = [memory.id, memory.kind, day(memory.created_at)]
        if notes:
            fields.append(notes[number])
        say("\t".join([*fields, visible(memory.text) + marks[number]]))
        if below:
            say(f"  {below[number]}")


def show_facts(facts: Sequence[tuple[str, str]]) -> None:
    if not sys.stdout.isatty():
        for name, value in facts:
            say(f"{name}\t{value}")
        return
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in facts:
        table.add_row(Text(name, style="dim"), Text(value))
    console().print(table)


def _marks(memory: Memory, freshness: Freshness) -> str:
    """` (flagged: asks to ...; src/a.py changed since)`"""
    notes = []
    if memory.flag is not None:
        notes.append(f"flagged: {visible(memory.flag)}")
    if memory.tier is Tier.CANDIDATE:
        notes.append("candidate")
    notes += stale_notes(freshness)
    return f" ({'; '.join(notes)})" if notes else ""


def _show_table(
    memories: Sequence[Memory], notes: Sequence[str], below: Sequence[str] | None, marks: Sequence[str]
) -> None:
    from rich.text import Text

    table = list_table()
    for number, memory in enumerate(memories):
        about = f"{day(memory.created_at)}  {memory.scope}  {f'{notes[number]}{marks[number]}'.strip()}".rstrip()
        if below:
            about += f"\n{below[number]}"
        body = Text(shorten_memory(memory)) + Text(f"\n{about}", style="dim")
        table.add_row(Text(memory.id, style="cyan"), Text(prefix_of(memory), style="bold magenta"), body)
    console().print(table)


def list_table(*, folds_ids: bool = True) -> "Table":
    from rich.table import Table

    table = Table(box=None, padding=(0, 1), show_header=False, expand=False)
    if folds_ids:
        table.add_column(overflow="fold")
    else:
        table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1, overflow="fold")  # fold, do not cut: half a path is no path
    return table


def shorten(text: str) -> str:
    return text if len(text) <= MAX_LISTED_CHARS else f"{text[:MAX_LISTED_CHARS]}…"


def shorten_memory(memory: Memory) -> str:
    text = visible(memory.text)
    return text if len(text) <= MAX_LISTED_CHARS else f"{text[:MAX_LISTED_CHARS]}… (`recollect show {memory.id}`)"


def console() -> "Console":
    from rich.console import Console  # only for a terminal: the import takes 50 ms

    if _wants_style(sys.stdout):
        return Console()
    return Console(color_system=None, force_terminal=False, highlight=False)


def quote(memory: Memory) -> str:
    return f"{memory.id} of {day(memory.valid_from)}: {visible(memory.text)}"


def day(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d")


def minute(moment: datetime) -> str:
    """In the reader's time zone."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")


def many(count: int, one: str, several: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else several or one + 's'}"
