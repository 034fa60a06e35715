"""`recollect review`"""

import sys
from collections.abc import Callable, Sequence

import click

from recollect.api.review import DECIDE, MOST, REVIEW, Decide, Decision, ToReview
from recollect.cli import client_call, complete_values, context, direct
from recollect.cli.display import output
from recollect.cli.formats.memory_json import record_of
from recollect.domain.memory import Memory, Tier
from recollect.domain.review import Case, Decided
from recollect.text.block import prefix_of, visible

SHOWN_AT_MOST = 20  # on the screen; --json has all

_ids = click.argument("ids", nargs=-1, required=True, metavar="ID...", shell_complete=complete_values.waiting_ids)


@click.group(invoke_without_command=True)
@click.option("--all", "everywhere", is_flag=True, help="Of all projects, not only of this folder's.")
@click.option("--limit", "-n", type=click.IntRange(1, MOST), help="At most so many; default: 20, with --json all.")
@click.option(
    "--candidates", "candidates_only", is_flag=True, help="Only what sessions brought and nothing has proven."
)
@direct.option
@output.json_option
@click.pass_context
def review(ctx: click.Context, everywhere: bool, limit: int | None, candidates_only: bool, as_json: bool) -> None:
    """What waits for your decision, the newest first.

    These are memories that contradict others, where it is not clear which one holds, what an agent would forget
    although you said it, texts that read as orders to an agent, and candidates: what was read in a session and nothing
    has proven yet, the likeliest to matter first, with the words it was taken from. Until you decide, the first two are
    shown, the third are never injected, and a candidate is shown only where it fits a prompt well; one that nobody
    needs fades by itself.
    """
    if ctx.invoked_subcommand is not None:
        return
    at_most = limit if as_json else limit or SHOWN_AT_MOST
    asked = ToReview(
        everywhere=everywhere,
        candidates_only=candidates_only,
        limit=at_most,
        folder=client_call.here(),
        by=context.BY,
    )
    waiting = client_call.ask(REVIEW, asked)
    if as_json:
        output.say_json(
            {"cases": [*map(_case_json, waiting.cases)], "candidates": [*map(record_of, waiting.candidates)]}
        )
        return
    shown = [*waiting.cases, *(Case(memory=memory, against=()) for memory in waiting.candidates)]
    _show(shown, everywhere)
    if waiting.here > len(shown):
        output.remark(f"{len(shown)} of {waiting.here:,} that wait; `--limit` shows more.")
    elif waiting.elsewhere:
        elsewhere = output.many(waiting.elsewhere, "case waits", "cases wait")
        output.remark(f"{elsewhere} elsewhere; `recollect review --all` shows all.")
    if shown:
        output.remark("Decide with `recollect review accept|keep|reject ID`; `recollect undo` takes it back.")


@review.command()
@_ids
@direct.option
@output.json_option
def accept(ids: tuple[str, ...], as_json: bool) -> None:
    """It holds; what it contradicts ends, a flag is taken off."""
    _decide(ids, Decision.ACCEPT, _accepted, as_json)


@review.command()
@_ids
@direct.option
@output.json_option
def keep(ids: tuple[str, ...], as_json: bool) -> None:
    """Both hold: they do not contradict each other."""
    _decide(ids, Decision.KEEP, _kept, as_json)


@review.command()
@_ids
@direct.option
@output.json_option
def reject(ids: tuple[str, ...], as_json: bool) -> None:
    """It does not hold, and what it contradicts does. It stays in the history; what is flagged, or an agent
    proposes to forget, is forgotten."""
    _decide(ids, Decision.REJECT, _rejected, as_json)


def _decide(ids: tuple[str, ...], decision: Decision, told: Callable[[Decided], list[str]], as_json: bool) -> None:
    asked = Decide(decision=decision, ids=ids, folder=context.folder_to_look_in(), by=context.BY)
    done = client_call.ask(DECIDE, asked)
    if as_json:
        output.say_json({"deed": done.deed, "decided": [_decided_json(decided) for decided in done.decided]})
        return
    for decided in done.decided:
        for line in told(decided):
            output.say(line)


def _accepted(decided: Decided) -> list[str]:
    ended = [f"  ended: {_quoted(memory)}" for memory in decided.ended]
    return [f"{decided.memory.id} holds: {visible(decided.memory.text)}", *ended]


def _kept(decided: Decided) -> list[str]:
    what = "is kept, and so is what it seemed to contradict, if anything"
    return [f"{decided.memory.id} {what}: {visible(decided.memory.text)}"]


def _rejected(decided: Decided) -> list[str]:
    memory = decided.memory
    if memory.forgotten_at is not None:
        return [f"{memory.id} is forgotten; `recollect undo` brings it back."]
    return [f"{memory.id} ended: {visible(memory.text)}", f"  {memory.superseded_by} goes on."]


def _quoted(memory: Memory) -> str:
    return f"{memory.id} of {output.day(memory.valid_from)}: {visible(memory.text)}"


def _show(cases: Sequence[Case], everywhere: bool) -> None:
    if not cases:
        output.say_nothing("Nothing waits for a decision" + (" anywhere." if everywhere else " here."))
    elif sys.stdout.isatty():
        _show_table(cases, everywhere)
    else:
        for case in cases:
            memory = case.memory
            about = [output.day(memory.valid_from), f"said by {_who(memory)}"]
            output.say("\t".join([memory.id, memory.kind, *about, visible(memory.text)]))
            for line in _flagged(case):
                output.say(f"  {line}")
            for other in case.against:
                output.say(f"  contradicts {_quoted(other)} (said by {_who(other)})")


def _show_table(cases: Sequence[Case], everywhere: bool) -> None:
    """The one that waits, and below it what it contradicts."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 1), show_header=False, expand=False)
    table.add_column(overflow="fold")
    table.add_column(no_wrap=True)
    table.add_column(ratio=1, overflow="fold")

    def add(memory: Memory, style: str, notes: Sequence[str]) -> None:
        scope = f"  {memory.scope}" if everywhere else ""
        about = f"{output.day(memory.valid_from)}  said by {_who(memory)}{scope}"
        body = Text(output.shortened(memory)) + Text(f"\n{about}", style="dim")
        for note in notes:
            body += Text(f"\n{note}", style="yellow")
        table.add_row(Text(memory.id, style=style), Text(prefix_of(memory), style="bold magenta"), body)

    for number, case in enumerate(cases):
        if number:
            table.add_row("", "", "")
        add(case.memory, "cyan", [*_flagged(case), *(["contradicts:"] if case.against else [])])
        for other in case.against:
            add(other, "dim", [])
    output.console().print(table)


def _flagged(case: Case) -> list[str]:
    """Why it waits."""
    memory = case.memory
    if case.is_doubted:
        return ["an agent proposes to forget it: `reject` forgets it, `accept` or `keep` leaves it as it is"]
    if memory.flag is not None:
        return [f"flagged: {memory.flag}; not injected until you accept it"]
    if memory.tier is not Tier.CANDIDATE:
        return []
    said = [sentence for sentence in map(visible, memory.evidence) if sentence != visible(memory.text)]
    return [
        f"candidate, durability {memory.durability:.2f}",
        *(f"from: {output.cut(sentence)}" for sentence in said[:2]),
    ]


def _who(memory: Memory) -> str:
    source = memory.source
    return f"{source.role} through {source.host}" if source.host else str(source.role)


def _case_json(case: Case) -> dict[str, object]:
    contradicted = [record_of(other) for other in case.against]
    return {"memory": record_of(case.memory), "is_doubted": case.is_doubted, "contradicts": contradicted}


def _decided_json(decided: Decided) -> dict[str, object]:
    return {"memory": record_of(decided.memory), "ended": [ended.id for ended in decided.ended]}
