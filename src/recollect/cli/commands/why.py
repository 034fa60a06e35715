"""`recollect why`: what was put in front of the model, what nearly was, and what decided."""

import sys
from collections.abc import Sequence
from typing import Any

import click

from recollect.api.why import WHY, Why
from recollect.cli import client_call, complete_values, context, direct
from recollect.cli.display import output
from recollect.cli.display.moment_names import label, name_of
from recollect.cli.display.reasons import IN_THE_BLOCK, breakdown, cost, shown, silence, why_not, why_quoted
from recollect.cli.formats.injection_json import sent_json, usage_json
from recollect.domain.injection import Choice, MomentUsage, Sent, Verdict
from recollect.domain.memory import Memory, MemoryId
from recollect.domain.session import Session
from recollect.text.block import is_of_sessions, prefix_of, visible

GONE = "(gone: forgotten, or deleted since)"


@click.command(
    epilog="""\b
Examples:
  recollect why                  # the last moment of this project's last session
  recollect why start            # how that session began
  recollect why 2                # its second prompt
  recollect why ses_4f --all     # every moment of another session"""
)
@click.argument("session", required=False, shell_complete=complete_values.session_ids)
@click.argument("turn", required=False)
@click.option("--all", "every", is_flag=True, help="Every moment of the session, a line each.")
@direct.option
@output.json_option
def why(session: str | None, turn: str | None, every: bool, as_json: bool) -> None:
    """Explain what a model was given: what was shown, what nearly was, and what decided.

    SESSION is its id or the beginning of it; else it is the last session of this folder's project, or of all. TURN is
    a message or the beginning of its id, a number (1 is the first prompt), or start, tool_error, compaction,
    on_demand; else the last that was recorded. TURN alone is enough for the last session.
    """
    told = client_call.ask(
        WHY, Why(session=session, turn=turn, every=every, folder=context.folder_to_look_in(), by=context.BY)
    )
    of, log = told.session, told.log
    chosen = None if told.chosen is None else log[told.chosen]
    if as_json:
        output.say_json(_all_json(of, log, told.usage) if chosen is None else _json(of, chosen, log, told.known))
    elif chosen is None:
        _show_all(of, log)
    else:
        _show(of, chosen, log, told.known)
        names_turn = turn is not None or (session is not None and not of.id.startswith(session))
        if not (names_turn or chosen.injection.block):
            _point_to_others(of, log, named=session is not None)


def _show_all(session: Session, log: Sequence[Sent]) -> None:
    if not sys.stdout.isatty():
        for sent in log:
            output.say("\t".join([output.minute(sent.at), name_of(sent, log), _spent(sent), _said(sent)]))
        return
    from rich.table import Table
    from rich.text import Text

    output.say_indented(_title(session), 0)
    table = Table(box=None, padding=(0, 1), show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    for sent in log:
        said = f"{_spent(sent)}, {_said(sent)}" if sent.injection.block else _said(sent)
        table.add_row(Text(output.minute(sent.at), style="dim"), Text(name_of(sent, log)), Text(said))
    output.console().print(table)


def _spent(sent: Sent) -> str:
    return f"{sent.injection.tokens:,}/{sent.injection.budget_tokens:,} tokens"


def _said(sent: Sent) -> str:
    injection = sent.injection
    return shown(injection) if injection.block else silence(injection, sent.point)


def _title(session: Session) -> str:
    return f"Session {session.id} ({session.host}, {session.project or 'no project'})"


def _show(session: Session, sent: Sent, log: Sequence[Sent], known: dict[MemoryId, Memory]) -> None:
    injection = sent.injection
    output.say_indented(f"{name_of(sent, log)} of {output.minute(sent.at)}", 0, bold=True)
    output.say_indented(f"{_title(session)}; {label(sent)}", 0, dim=True)
    if injection.quiet is None:
        output.say_indented(f"{cost(injection, sent.took_ms)}; placed in: {injection.placement}", 0, dim=True)
    if injection.block and not sent.confirmed:
        output.say("It was offered; the host has not said that it sent it.")
    if not injection.block:
        output.say_indented(silence(injection, sent.point), 0)
    _show_shown(sent, log, known)
    _show_others(sent, log, known)
    if injection.considered and not injection.choices:
        output.say("Why each of them was or was not shown is not kept any more (inject.log_days).")


def _point_to_others(session: Session, log: Sequence[Sent], *, named: bool) -> None:
    """Who asks for the last moment and reads of silence wants, as a rule, to know what was said before it."""
    last = next((sent for sent in reversed(log) if sent.injection.block), None)
    before = "No block came in this session" if last is None else f"The last block came with {name_of(last, log)}"
    called = f"recollect why {session.id} --all" if named else "recollect why --all"
    output.say_indented(f"{before}; `{called}` lists every moment.", 0, dim=True)


def _show_shown(sent: Sent, log: Sequence[Sent], known: dict[MemoryId, Memory]) -> None:
    injection = sent.injection
    chosen = {choice.id: choice for choice in injection.choices}
    in_short = [
        choice.id for choice in injection.choices if choice.verdict in (Verdict.SHORT, Verdict.RECALLED, Verdict.LISTED)
    ]
    if injection.block:
        output.heading("Shown")
    for memory_id in (*injection.ids, *in_short):
        _say_choice(memory_id, known, _why_shown(memory_id, chosen, sent, log))
    for line in injection.block.splitlines():
        if is_of_sessions(line):
            output.say_indented(line, 2)
    for turn in injection.quoted:
        output.say_indented(f"quoted: message {turn.message} of session {turn.session}{why_quoted(turn)}", 6, dim=True)


def _show_others(sent: Sent, log: Sequence[Sent], known: dict[MemoryId, Memory]) -> None:
    others = [choice for choice in sent.injection.choices if choice.verdict not in IN_THE_BLOCK]
    if others:
        output.heading("Not shown, the nearest first")
    for choice in others:
        _say_choice(choice.id, known, [why_not(choice, sent, log), breakdown(choice, sent.point)])
    more = sent.injection.considered - len(sent.injection.choices) - len(sent.injection.corrected)
    if more > 0 and sent.injection.choices:
        output.say_indented(f"... and {output.many(more, 'memory', 'memories')} further away", 2, dim=True)


def _why_shown(memory_id: MemoryId, chosen: dict[MemoryId, Choice], sent: Sent, log: Sequence[Sent]) -> list[str]:
    choice = chosen.get(memory_id)
    if choice is None:
        return ["it holds instead of what the model was shown before"] if sent.injection.corrected else []
    how = [] if choice.verdict is Verdict.SHOWN else [why_not(choice, sent, log)]
    return [*how, breakdown(choice, sent.point)]


def _say_choice(memory_id: MemoryId, known: dict[MemoryId, Memory], reasons: Sequence[str]) -> None:
    memory = known.get(memory_id)
    said = GONE if memory is None else f"[{prefix_of(memory)}] {visible(memory.text)}{_since(memory)}"
    output.say_indented(f"{memory_id}  {said}", 2)
    for reason in reasons:
        output.say_indented(reason, 6, dim=True)


def _since(memory: Memory) -> str:
    return "" if memory.is_live else " (no longer holds)"


def _json(session: Session, sent: Sent, log: Sequence[Sent], known: dict[MemoryId, Memory]) -> dict[str, Any]:
    told = sent_json(sent)
    for choice, record in zip(sent.injection.choices, told["choices"], strict=True):
        memory = known.get(choice.id)
        record["text"] = None if memory is None else memory.text
        record["why"] = why_not(choice, sent, log)
    silent = None if sent.injection.block else silence(sent.injection, sent.point)
    return {**_session_json(session), **told, "name": name_of(sent, log), "silence": silent}


def _all_json(session: Session, log: Sequence[Sent], usage: Sequence[MomentUsage]) -> dict[str, Any]:
    return {
        **_session_json(session),
        "usage": [usage_json(one) for one in usage],
        "moments": [{**sent_json(sent), "name": name_of(sent, log)} for sent in log],
    }


def _session_json(session: Session) -> dict[str, Any]:
    return {"session": session.id, "host": session.host, "project": session.project}
