"""What people see: styled and width-aware in a terminal, plain when piped, JSON on request."""

import json
import sys
from collections.abc import Sequence
from typing import Any

import click

from recollect.domain.injection import Injection
from recollect.domain.memory import Hit, Memory
from recollect.text.block import PREFIX, visible

json_option = click.option("--json", "as_json", is_flag=True, help="Answer as JSON, for scripts.")


def say(text: str) -> None:
    click.echo(text)


def say_json(value: object) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def heading(text: str) -> None:
    """Bold in a terminal; the same words without it when piped."""
    click.echo("\n" + click.style(text, bold=True))


def moment(name: str, injection: Injection, ms: float) -> None:
    """One moment of a session: the block between what caused it and what it cost."""
    click.echo(f"\n{click.style('>', fg='cyan')} {name}")
    if injection.block:
        for line in injection.block.splitlines():
            click.echo(f"    {line}")
    else:
        click.echo(click.style("    (silence: nothing fits, nothing is injected)", dim=True))
    click.echo(click.style(f"    {injection.tokens} tokens, {ms:.1f} ms, {injection.considered} considered", dim=True))


def memory_json(memory: Memory) -> dict[str, Any]:
    return {
        "id": memory.id,
        "text": memory.text,
        "kind": memory.kind,
        "scope": str(memory.scope),
        "title": memory.title,
        "aliases": list(memory.aliases),
        "sensitivity": memory.sensitivity,
        "importance": memory.importance,
        "confidence": memory.confidence,
        "created_at": memory.created_at.isoformat(),
        "seen": memory.seen,
    }


def hit_json(hit: Hit) -> dict[str, Any]:
    return {
        **memory_json(hit.memory),
        "score": round(hit.score, 4),
        "relevance": round(hit.relevance, 4),
        "factors": {name: round(value, 4) for name, value in hit.factors.items()},
    }


def show_memories(memories: Sequence[Memory], notes: Sequence[str] | None = None) -> None:
    """A line each when piped (tabs between the fields), a table in a terminal."""
    if sys.stdout.isatty():
        _show_table(memories, notes)
        return
    for number, memory in enumerate(memories):
        note = [notes[number]] if notes else []
        say("\t".join([memory.id, memory.kind, _day(memory), *note, visible(memory.text)]))


def _show_table(memories: Sequence[Memory], notes: Sequence[str] | None) -> None:
    from rich.console import Console  # a terminal is there: worth its 50 ms
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 1), show_header=False, expand=False)
    table.add_column(overflow="fold")
    table.add_column(no_wrap=True)
    table.add_column(ratio=1, overflow="fold")  # a path that is cut is no path
    for number, memory in enumerate(memories):
        about = f"{_day(memory)}  {memory.scope}" + (f"  {notes[number]}" if notes else "")
        body = Text(visible(memory.text)) + Text(f"\n{about}", style="dim")
        table.add_row(Text(memory.id, style="cyan"), Text(PREFIX[memory.kind], style="bold magenta"), body)
    Console().print(table)


def _day(memory: Memory) -> str:
    return memory.created_at.strftime("%Y-%m-%d")
