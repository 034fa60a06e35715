"""`recollect review`"""

import sys
from collections.abc import Sequence

import click

from recollect.api.review import DECIDE, MOST, REVIEW, Decide, ToReview
from recollect.cli import client_call, complete_values, context, direct
from recollect.cli.display import output
from recollect.cli.display.output import quote
from recollect.cli.formats.memory_json import record_of
from recollect.domain.memory import Memory, Tier
from recollect.domain.review import Case, DecidedCase, Decision
from recollect.text.block import prefix_of, visible

SHOWN_AT_MOST = 20  # on the screen; --json has all
EVIDENCE_SHOWN = 2

_ids = click.argument("ids", nargs=-1, required=True, metavar="ID...", shell_complete=complete_values.waiting_ids)


@click.group(invoke_without_command=True)
@click.option(
    "--all", "everywhere", is_flag=True, help="Show the cases of all projects, not only of this folder's project."
)
@context.limit_option(MOST, None, "Maximum number of results. Default: 20, or all with --json.")
@click.option("--candidates", "candidates_only", is_flag=True, help="Show only candidates.")
@direct.option
@output.json_option
@click.pass_context
def review(ctx: click.Context, everywhere: bool, limit: int | None, candidates_only: bool, as_json: bool) -> None:
    """Show memories that need your decision.

    \b
    There are four groups:
    - contradictions: memories that contradict another memory
    - proposals: memories of yours that an agent proposes to forget
    - flagged memories: texts that read like an order to an agent
    - candidates: memories learnt from a session, not yet confirmed

    Until you decide, models see contradictions and proposals like all other memories. Models never see flagged
    memories. Models see a candidate only if the agent searches or if the same error returns. If a candidate is not
    needed for 60 days (setting capture.fade_days), Recollect moves the candidate to the history."""
    if ctx.invoked_subcommand is not None:
        return
    asked = ToReview(
        everywhere=everywhere,
        candidates_only=candidates_only,
        limit=limit if as_json else limit or SHOWN_AT_MOST,
        folder=client_call.current_folder(),
        by=context.BY,
    )
    waiting = client_call.run_operation(REVIEW, asked)
    if as_json:
        candidates = list(map(record_of, waiting.candidates))
        output.say_json({"cases": list(map(_case_json, waiting.cases)), "candidates": candidates})
        return
    shown = [*waiting.cases, *(Case(memory=memory, against=()) for memory in waiting.candidates)]
    _show(shown, everywhere)
    if waiting.here > len(shown):
        output.remark(f"{len(shown)} of {waiting.here:,} shown; `--limit` shows more.")
    elif waiting.elsewhere:
        elsewhere = output.many(waiting.elsewhere, "case waits", "cases wait")
        output.remark(f"{elsewhere} in other projects; `recollect review --all` shows all.")
    if shown:
        output.remark("Decide with `recollect review accept|keep|reject ID`; `recollect undo` reverts it.")


@review.command()
@_ids
@direct.option
@output.json_option
def accept(ids: tuple[str, ...], as_json: bool) -> None:
    """Accept: the memory is right. You accept the memory, not the agent's proposal.

    \b
    - contradiction: the memory replaces the memory that it contradicts
    - proposal: the memory stays, and the proposal is dismissed
    - flagged memory: the flag is removed, so models may see the memory
    - candidate: the memory is confirmed
    """
    _decide(ids, Decision.ACCEPT, as_json)


@review.command()
@_ids
@direct.option
@output.json_option
def keep(ids: tuple[str, ...], as_json: bool) -> None:
    """Keep: both memories of a contradiction are right.

    \b
    - contradiction: both memories stay valid
    - proposal: the memory stays, and the proposal is dismissed
    - flagged memory or candidate: not possible, use accept or reject
    """
    _decide(ids, Decision.KEEP, as_json)


@review.command()
@_ids
@direct.option
@output.json_option
def reject(ids: tuple[str, ...], as_json: bool) -> None:
    """Reject: the memory is wrong. Rejects the memory, not the agent's proposal.

    \b
    - contradiction: the other memory stays valid, and the rejected memory
      moves to the history
    - proposal: the memory is forgotten, as the agent proposed
    - flagged memory: the memory is forgotten
    - candidate: the memory is forgotten

    `recollect undo` reverts the decision."""
    _decide(ids, Decision.REJECT, as_json)


def _decide(ids: tuple[str, ...], decision: Decision, as_json: bool) -> None:
    asked = Decide(decision=decision, ids=ids, folder=context.folder_to_look_in(), by=context.BY)
    done = client_call.run_operation(DECIDE, asked)
    if as_json:
        output.say_json({"deed": done.deed, "decided": list(map(_decision_json, done.decided))})
        return
    for decided in done.decided:
        _say_decision(decision, decided)


def _say_decision(decision: Decision, decided: DecidedCase) -> None:
    memory = decided.memory
    text = visible(memory.text)
    if decision is Decision.ACCEPT:
        output.say(f"{memory.id} is valid: {text}")
        for ended in decided.ended:
            output.say(f"  no longer valid: {quote(ended)}")
    elif decision is Decision.KEEP:
        output.say(f"{memory.id} is kept, together with anything that it seemed to contradict: {text}")
    elif memory.forgotten_at is not None:
        output.say(f"{memory.id} is forgotten; `recollect undo` brings it back.")
    else:
        output.say(f"{memory.id} is no longer valid: {text}\n  {memory.superseded_by} stays valid.")


def _show(cases: Sequence[Case], everywhere: bool) -> None:
    if not cases:
        output.say_nothing(f"Nothing needs your decision {'anywhere' if everywhere else 'here'}.")
    elif sys.stdout.isatty():
        _show_table(cases, everywhere)
    else:
        for case in cases:
            memory = case.memory
            about = [output.day(memory.valid_from), f"said by {_who(memory)}"]
            output.say("\t".join([memory.id, memory.kind, *about, visible(memory.text)]))
            for line in _reasons(case):
                output.say(f"  {line}")
            for other in case.against:
                output.say(f"  contradicts {quote(other)} (said by {_who(other)})")


def _show_table(cases: Sequence[Case], everywhere: bool) -> None:
    from rich.text import Text

    table = output.list_table()

    def add(memory: Memory, style: str, notes: Sequence[str]) -> None:
        scope = f"  {memory.scope}" if everywhere else ""
        about = f"{output.day(memory.valid_from)}  said by {_who(memory)}{scope}"
        body = Text(output.shorten_memory(memory)) + Text(f"\n{about}", style="dim")
        for note in notes:
            body += Text(f"\n{note}", style="yellow")
        table.add_row(Text(memory.id, style=style), Text(prefix_of(memory), style="bold magenta"), body)

    for number, case in enumerate(cases):
        if number:
            table.add_row("", "", "")
        reasons = _reasons(case)
        if case.against:
            reasons.append("contradicts:")
        add(case.memory, "cyan", reasons)
        for other in case.against:
            add(other, "dim", [])
    output.console().print(table)


def _reasons(case: Case) -> list[str]:
    memory = case.memory
    if case.is_doubted:
        return ["an agent proposes to forget it: `reject` forgets it, `accept` or `keep` leaves it as it is"]
    if memory.flag is not None:
        return [f"flagged: {memory.flag}; not injected until you accept it"]
    if memory.tier is not Tier.CANDIDATE:
        return []
    text = visible(memory.text)
    sources = [sentence for sentence in map(visible, memory.evidence) if sentence != text]
    lines = [f"from: {output.shorten(sentence)}" for sentence in sources[:EVIDENCE_SHOWN]]
    return [f"candidate, durability {memory.durability:.2f}", *lines]


def _who(memory: Memory) -> str:
    source = memory.source
    return f"{source.role} through {source.host}" if source.host else str(source.role)


def _case_json(case: Case) -> dict[str, object]:
    contradicted = list(map(record_of, case.against))
    return {"memory": record_of(case.memory), "is_doubted": case.is_doubted, "contradicts": contradicted}


def _decision_json(decided: DecidedCase) -> dict[str, object]:
    return {"memory": record_of(decided.memory), "ended": [ended.id for ended in decided.ended]}
