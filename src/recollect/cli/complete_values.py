"""Shell completion of ids and kinds. On an error it offers nothing: a half-typed line is no place for messages."""

from collections.abc import Sequence
from contextlib import suppress

import click
from click.shell_completion import CompletionItem

from recollect.domain.errors import RecollectError
from recollect.domain.memory import Kind, Memory
from recollect.domain.search import MemoryStatus
from recollect.text.block import visible

MAX_OFFERED = 50
HELP_CHARS = 60


def memory_ids(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from recollect.cli import context
    from recollect.engine.memories.folder_project import named_viewer
    from recollect.engine.memories.lookup import newest

    with suppress(RecollectError), context.engine() as engine:
        ctx = context.request(engine)
        return _memory_items(newest(ctx, named_viewer(ctx, None, None), limit=MAX_OFFERED), incomplete)
    return []


def waiting_ids(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from recollect.api.review import ToReview
    from recollect.cli import context
    from recollect.engine.memories.folder_project import named_viewer
    from recollect.engine.memories.review import find_waiting, may_decide

    with suppress(RecollectError), context.engine() as engine:
        ctx = context.request(engine)
        viewer = named_viewer(ctx, None, None)
        waiting = find_waiting(ctx, ToReview(everywhere=True))
        found = [*(case.memory for case in waiting.cases), *waiting.candidates]
        found.sort(key=lambda memory: not may_decide(memory, viewer))
        return _memory_items(found[:MAX_OFFERED], incomplete)
    return []


def session_ids(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from recollect.cli import context

    with suppress(RecollectError), context.engine() as engine:
        last = engine.store.last_session()
        found = [last] if last else []
        if incomplete:
            found = engine.store.sessions_with_prefix(incomplete, limit=MAX_OFFERED)
        return [CompletionItem(session.id, help=f"{session.host}, {session.project}") for session in found]
    return []


def kinds(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(kind.value) for kind in Kind if kind.value.startswith(incomplete)]


def statuses(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(status.value) for status in MemoryStatus if status.value.startswith(incomplete)]


def project_ids(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from recollect.cli import context

    with suppress(RecollectError), context.engine() as engine:
        return [CompletionItem(project.id) for project in engine.store.projects() if project.id.startswith(incomplete)]
    return []


def _memory_items(found: Sequence[Memory], incomplete: str) -> list[CompletionItem]:
    matching = (memory for memory in found if memory.id.startswith(incomplete))
    return [CompletionItem(memory.id, help=visible(memory.text)[:HELP_CHARS]) for memory in matching]
