"""What the shell offers after a tab. Where something is wrong it offers nothing: a half-typed line wants no errors."""

import click
from click.shell_completion import CompletionItem

from recollect.domain.errors import RecollectError
from recollect.domain.memory import Kind
from recollect.text.block import visible

OFFERED = 50
HELP_CHARS = 60


def memory_ids(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The newest ids of this folder's project, each with the beginning of its text."""
    from recollect.cli import context

    try:
        with context.engine() as engine:
            found = engine.newest(context.viewer_of(engine, None, None), limit=OFFERED)
    except RecollectError:
        return []
    return [
        CompletionItem(memory.id, help=visible(memory.text)[:HELP_CHARS])
        for memory in found
        if memory.id.startswith(incomplete)
    ]


def kinds(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(kind.value) for kind in Kind if kind.value.startswith(incomplete)]


def project_ids(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from recollect.cli import context

    try:
        with context.engine() as engine:
            found = engine.projects()
    except RecollectError:
        return []
    return [CompletionItem(project.id) for project in found if project.id.startswith(incomplete)]
