"""`recollect review`"""

from collections.abc import Callable, Iterable

import click

from recollect.cli import completing, context, output
from recollect.cli.records import record_of
from recollect.domain.memory import Memory
from recollect.engine.engine import Engine
from recollect.engine.review import Case, Decided
from recollect.privacy.visibility import may_see
from recollect.text.block import visible

_ids = click.argument("ids", nargs=-1, required=True, metavar="ID...", shell_complete=completing.memory_ids)


@click.group(invoke_without_command=True)
@click.option("--all", "everywhere", is_flag=True, help="Of all projects, not only of this folder's.")
@output.json_option
@click.pass_context
def review(ctx: click.Context, everywhere: bool, as_json: bool) -> None:
    """What waits for your decision, the newest first: memories that contradict others, where it is not clear which one
    holds, and texts that read as orders to an agent. Until you decide, the first are shown with their dates and the
    second are never injected."""
    if ctx.invoked_subcommand is not None:
        return
    with context.engine() as engine:
        viewer = context.viewer_of(engine, None, None)
        waiting = [case for case in engine.cases() if everywhere or may_see(case.memory, viewer)]
    if as_json:
        output.say_json([_case_json(case) for case in waiting])
    elif not waiting:
        output.say_nothing("Nothing waits for a decision.")
    else:
        for case in waiting:
            _show(case)
        output.remark("Decide with `recollect review accept|keep|reject ID`; `recollect undo` takes it back.")


@review.command()
@_ids
@output.json_option
def accept(ids: tuple[str, ...], as_json: bool) -> None:
    """It holds, and what it contradicts does no longer; a flag is taken off."""
    _decide(ids, lambda engine, memory: engine.accept(memory.id, at=context.now(), by=context.BY), "holds", as_json)


@review.command()
@_ids
@output.json_option
def keep(ids: tuple[str, ...], as_json: bool) -> None:
    """Keep both: they do not contradict each other."""
    _decide(
        ids,
        lambda engine, memory: engine.keep(memory.id, at=context.now(), by=context.BY),
        "is kept, and so is what it seemed to contradict",
        as_json,
    )


@review.command()
@_ids
@output.json_option
def reject(ids: tuple[str, ...], as_json: bool) -> None:
    """It does not hold: it stays in the history only. What is flagged is forgotten."""
    _decide(
        ids, lambda engine, memory: engine.reject(memory.id, at=context.now(), by=context.BY), "is set aside", as_json
    )


def _decide(ids: Iterable[str], decide: Callable[[Engine, Memory], Decided], what: str, as_json: bool) -> None:
    with context.writing_engine() as engine:
        done = [decide(engine, engine.find(given)) for given in ids]
    if as_json:
        output.say_json([_decided_json(decided) for decided in done])
        return
    for decided in done:
        output.say(f"{decided.memory.id} {what}: {visible(decided.memory.text)}")
        for ended in decided.ended:
            if ended.id != decided.memory.id:
                output.say(f"  no longer holds: {ended.id} of {output.day(ended.valid_from)}: {visible(ended.text)}")


def _show(case: Case) -> None:
    memory = case.memory
    output.say(f"{output.styled(memory.id, fg='cyan')}  {output.day(memory.valid_from)}  {visible(memory.text)}")
    if memory.flag is not None:
        output.say(f"  flagged: {memory.flag}; said by {memory.source.role}, never injected")
    for other in case.against:
        output.say(f"  contradicts {other.id}  {output.day(other.valid_from)}  {visible(other.text)}")


def _case_json(case: Case) -> dict[str, object]:
    return {"memory": record_of(case.memory), "contradicts": [record_of(other) for other in case.against]}


def _decided_json(decided: Decided) -> dict[str, object]:
    return {
        "deed": decided.deed,
        "memory": record_of(decided.memory),
        "ended": [ended.id for ended in decided.ended],
    }
