"""What people see: styled and width-aware in a terminal, plain when piped, JSON on request."""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TextIO

import click

from recollect.domain.errors import InvalidValue
from recollect.domain.freshness import NOT_LOOKED_AT, Freshness
from recollect.domain.memory import Memory, MemoryId, Tier
from recollect.text.block import prefix_of, stale_notes, visible

if TYPE_CHECKING:
    from rich.console import Console

MAX_LISTED_CHARS = 600  # of one memory in a table

json_option = click.option("--json", "as_json", is_flag=True, help="Answer as JSON, for scripts.")


def say(text: str) -> None:
    click.echo(text)


def say_nothing(text: str) -> None:
    """There is no answer: a person reads so, a pipe stays empty."""
    click.echo(text, err=not sys.stdout.isatty())


def warn(text: str) -> None:
    """Worth knowing, and not part of the answer."""
    click.echo(text, err=True)


def remark(text: str) -> None:
    """Like `warn`, but not to worry about."""
    for line in _wrapped(text, 0, sys.stderr):
        click.echo(click.style(line, dim=True) if _wants_style(sys.stderr) else line, err=True)


def confirmed(question: str, otherwise: str) -> bool:
    """Asks the person in front of the terminal; where nobody is, `otherwise` says what to do instead."""
    if not sys.stdin.isatty():
        raise InvalidValue(otherwise)
    agreed = click.confirm(question)
    if not agreed:
        say("Nothing was changed.")
    return agreed


def say_json(value: object) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def is_styled() -> bool:
    """A terminal that wants it: NO_COLOR and TERM=dumb are respected, and then nothing at all is styled."""
    return _wants_style(sys.stdout)


def _wants_style(stream: TextIO) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def styled(text: str, **style: Any) -> str:
    return click.style(text, **style) if is_styled() else text


def heading(text: str) -> None:
    """Bold in a terminal; the same words without it when piped."""
    say("\n" + styled(text, bold=True))


def say_indented(text: str, columns: int, **style: Any) -> None:
    """In a terminal within its width, every line of it indented; one line when piped."""
    begin = " " * columns
    if not sys.stdout.isatty():
        say(begin + text)
        return
    from rich.padding import Padding
    from rich.text import Text

    told = Text(text, style=" ".join(name for name, wanted in style.items() if wanted), overflow="fold")
    console().print(Padding(told, (0, 0, 0, columns), expand=False))


def say_beside(head: str, columns: int, text: str) -> None:
    """After a head of so many columns, which may be styled: in a terminal within its width, one line when piped."""
    first, *others = _wrapped(text, columns, sys.stdout)
    say(head + first)
    for line in others:
        say(" " * columns + line)


def _wrapped(text: str, columns: int, stream: TextIO) -> list[str]:
    """Lines that fit beside so many columns of a terminal; what has no space in it, such as a path, stays whole."""
    if not stream.isatty():
        return [text]
    import shutil
    import textwrap

    width = max(20, shutil.get_terminal_size().columns - columns)
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]


def show_memories(
    memories: Sequence[Memory],
    notes: Sequence[str] | None = None,
    below: Sequence[str] | None = None,
    seen: Mapping[MemoryId, Freshness] | None = None,
) -> None:
    """A line each when piped (tabs between the fields), a table in a terminal; with what comes below each."""
    marks = [_marks(seen, memory) for memory in memories]
    if sys.stdout.isatty():
        _show_table(memories, notes or [""] * len(memories), below, marks)
        return
    for number, memory in enumerate(memories):
        note = [notes[number]] if notes else []
        say("\t".join([memory.id, memory.kind, day(memory.created_at), *note, visible(memory.text) + marks[number]]))
        if below:
            say(f"  {below[number]}")


def show_facts(facts: Sequence[tuple[str, str]]) -> None:
    """Names and values, one line each; in a terminal long values are wrapped beside their names."""
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


def _marks(seen: Mapping[MemoryId, Freshness] | None, memory: Memory) -> str:
    """` (flagged: asks to ...; src/a.py changed since)`"""
    flagged = [] if memory.flag is None else [f"flagged: {visible(memory.flag)}"]
    flagged += ["candidate"] if memory.tier is Tier.CANDIDATE else []
    notes = [*flagged, *stale_notes((seen or {}).get(memory.id, NOT_LOOKED_AT))]
    return f" ({'; '.join(notes)})" if notes else ""


def _show_table(
    memories: Sequence[Memory], notes: Sequence[str], below: Sequence[str] | None, marks: Sequence[str]
) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 1), show_header=False, expand=False)
    table.add_column(overflow="fold")
    table.add_column(no_wrap=True)
    table.add_column(ratio=1, overflow="fold")  # a path that is cut is no path
    for number, memory in enumerate(memories):
        note = f"{notes[number]}{marks[number]}".strip()
        about = f"{day(memory.created_at)}  {memory.scope}" + (f"  {note}" if note else "")
        about += f"\n{below[number]}" if below else ""
        body = Text(shortened(memory)) + Text(f"\n{about}", style="dim")
        table.add_row(Text(memory.id, style="cyan"), Text(prefix_of(memory), style="bold magenta"), body)
    console().print(table)


def cut(text: str) -> str:
    return text if len(text) <= MAX_LISTED_CHARS else f"{text[:MAX_LISTED_CHARS]}…"


def shortened(memory: Memory) -> str:
    """For a table: all of it is in `show`."""
    text = visible(memory.text)
    return text if len(text) <= MAX_LISTED_CHARS else f"{text[:MAX_LISTED_CHARS]}… (`recollect show {memory.id}`)"


def console() -> "Console":
    from rich.console import Console  # a terminal is there: worth its 50 ms

    return Console() if is_styled() else Console(color_system=None, force_terminal=False, highlight=False)


def day(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d")


def minute(moment: datetime) -> str:
    """In the time zone of the person who reads it."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")


def many(count: int, one: str, several: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else several or one + 's'}"
