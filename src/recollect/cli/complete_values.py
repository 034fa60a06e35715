"""What the shell offers after a tab. Where something is wrong it offers nothing: a half-typed line wants no errors."""

from collections.abc import Sequence

import click
from click.shell_completion import CompletionItem

from recollect.domain.errors import RecollectError
from recollect.domain.memory import Kind, Memory
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
    return _items(found, incomplete)


def waiting_ids(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What waits in `review`, the newest of this folder's project first."""
    from recollect.api.review import belongs
    from recollect.cli import context

    try:
        with context.engine() as engine:
            viewer = context.viewer_of(engine, None, None)
            found = [*(case.memory for case in engine.cases()), *engine.candidates()]
    except RecollectError:
        return []
    return _items(sorted(found, key=lambda memory: not belongs(memory, viewer))[:OFFERED], incomplete)


def session_ids(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Sessions that begin so; without a beginning, the last one of all."""
    from recollect.cli import context

    try:
        with context.engine() as engine:
            last = engine.log.last_session()
            found = engine.log.sessions(incomplete, limit=OFFERED) if incomplete else [last] if last else []
    except RecollectError:
        return []
    return [CompletionItem(session.id, help=f"{session.host}, {session.project}") for session in found]


def _items(found: Sequence[Memory], incomplete: str) -> list[CompletionItem]:
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
