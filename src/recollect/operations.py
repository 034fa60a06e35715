"""The operations that the daemon serves: the contract of each (`api`), and the function of the engine that answers it.
`inject` is answered here. So is `rehearse`, which the daemon never serves.

Contracts and functions are named, not imported: a command that opens the database itself loads only its own."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any

from recollect.api.operation import AnswerT, AnyOperation, Operation, RequestT
from recollect.domain.errors import StoreError

if TYPE_CHECKING:
    from recollect.api.inject import Inject, Injected
    from recollect.domain.event import Event
    from recollect.engine.context import Context
    from recollect.engine.engine import Engine
    from recollect.engine.ports import LoadsModel

LEARN_S = 5.0  # more waits only if the background has not learnt for long; it does the rest

# Name, contract in `recollect.api`, function in `recollect.engine`. Except for `inject`, each function takes a context and
# the request.
OPERATIONS: Mapping[str, tuple[str, str]] = {
    "recall": ("recall.RECALL", "memories.recall.recall"),
    "remember": ("remember.REMEMBER", "memories.teaching.remember_sentence"),
    "list": ("list.LIST", "memories.show.list_memories"),
    "show": ("show.SHOW", "memories.show.show"),
    "history": ("show.HISTORY", "memories.show.show_history"),
    "edit": ("edit.EDIT", "memories.edit.edit"),
    "session": ("show.SESSION", "memories.show.show_session"),
    "forget": ("forget.FORGET", "memories.forget.forget"),
    "undo": ("undo.UNDO", "memories.undo.undo"),
    "deeds": ("undo.DEEDS", "memories.undo.list_changes"),
    "review": ("review.REVIEW", "memories.review.find_waiting"),
    "decide": ("review.DECIDE", "memories.review.decide"),
    "feedback": ("feedback.FEEDBACK", "memories.show.note_feedback"),
    "why": ("why.WHY", "moments.why.why"),
    "inject": ("inject.INJECT", ""),  # answered by `inject` below
    "data": ("data.DATA", "memories.data.list_data"),
    "forget_project": ("data.FORGET_PROJECT", "memories.data.forget_project"),
    "pause": ("pause.PAUSE", "memories.pause.pause"),
    "resume": ("pause.RESUME", "memories.pause.resume"),
}


def find_operation(name: str) -> AnyOperation | None:
    """Return the contract of an operation that the daemon serves."""
    if name not in OPERATIONS:
        return None
    operation: AnyOperation = _load("recollect.api", OPERATIONS[name][0])
    return operation


def find_function(name: str) -> "Callable[[Context, Any], Any]":
    function: Callable[[Context, Any], Any] = _load("recollect.engine", OPERATIONS[name][1])
    return function


def _load(package: str, path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(import_module(f"{package}.{module}"), name)


def answer(
    engine: "Engine", operation: Operation[RequestT, AnswerT], request: RequestT, now: datetime, model: "LoadsModel"
) -> AnswerT:
    """Answer a request. After a write also delete what has passed its undo window; a daemon does so in the background."""
    ctx = engine.context(request.folder, now, model=model)
    if operation.name in _NEED_THE_ENGINE:
        answered: AnswerT = _NEED_THE_ENGINE[operation.name](engine, ctx, request)
    else:
        answered = find_function(operation.name)(ctx, request)
    if operation.writes and not engine.is_resident:
        from recollect.engine.upkeep import tidy

        with suppress(StoreError):  # the operation itself is done; the next one tidies
            tidy(ctx)
    return answered


def inject(engine: "Engine", ctx: "Context", asked: "Inject") -> "Injected":
    """Answer one event of a session. It is recorded and learnt from like that of any host."""
    event = _read_event(ctx, asked)
    _embed_new_memories(ctx, event)
    injected = _answer_event(engine, ctx, event)
    _learn(engine, ctx)
    return injected


def rehearse(engine: "Engine", ctx: "Context", asked: "Inject") -> "Injected":
    """Answer an event and store nothing. Never in the daemon: the rollback would undo the work of its other clients."""
    from recollect.engine.engine import dry_run

    event = _read_event(ctx, asked)
    _embed_new_memories(ctx, event)
    with dry_run(ctx.store):
        return _answer_event(engine, ctx, event)


def _read_event(ctx: "Context", asked: "Inject") -> "Event":
    from recollect.hosts.script import event_of

    fields = asked.event
    if not fields.get("folder") and not fields.get("project"):
        fields = {**fields, "folder": asked.folder}
    return event_of(fields, ctx.now, host=asked.by)


def _embed_new_memories(ctx: "Context", event: "Event") -> None:
    """Let the search find what was taught a moment ago by its meaning."""
    from recollect.domain.event import Asked, Prompt, ToolFailed
    from recollect.engine.memories.embedding import embed_briefly

    if not isinstance(event, Prompt | ToolFailed | Asked):
        return
    loaded = ctx.model()
    if loaded is not None:
        embed_briefly(ctx, loaded, turns=False)


def _answer_event(engine: "Engine", ctx: "Context", event: "Event") -> "Injected":
    from recollect.api.inject import Injected
    from recollect.engine.moments.handle import handle

    began = engine.seconds()
    of_event = replace(ctx, now=event.at) if event.folder == ctx.folder else None
    injection = handle(engine, event, of_event)
    return Injected(injection=injection, took_ms=(engine.seconds() - began) * 1000)


def _learn(engine: "Engine", ctx: "Context") -> None:
    """Learn from the event before the caller looks; if much waits, the background does the rest."""
    from recollect.engine.learning.worker import learn_some

    give_up = ctx.seconds() + LEARN_S
    with suppress(StoreError):  # another process writes, or the disk is full: the event waits
        if ctx.store.count_waiting_events():
            ctx.model()  # load it: learning compares meanings
        while ctx.seconds() < give_up and learn_some(engine):
            pass


# An event may come from another folder than the request, so these need the engine.
_NEED_THE_ENGINE: "Mapping[str, Callable[[Engine, Context, Any], Any]]" = {"inject": inject, "rehearse": rehearse}
