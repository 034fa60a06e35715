"""`recollect why`: explain what a model was shown, what was nearly shown, and why."""

import sys
from collections.abc import Sequence
from typing import Any

import click

from recollect.api.why import WHY, Why
from recollect.cli import client_call, complete_values, context, direct
from recollect.cli.display import output
from recollect.cli.display.reasons import (
    IN_THE_BLOCK,
    NAMES,
    breakdown,
    cost,
    count_shown,
    silence,
    why_not,
    why_quoted,
)
from recollect.cli.formats.injection_json import log_entry_json, usage_json
from recollect.domain.injection import Choice, LogEntry, Moment, MomentUsage, Verdict
from recollect.domain.memory import Memory, MemoryId
from recollect.domain.session import Session
from recollect.engine.admission import OWN_PREFIX
from recollect.text.block import is_about_sessions, prefix_of, visible

GONE = "(forgotten, or deleted since)"
SHORTENED = (Verdict.SHORT, Verdict.RECALLED, Verdict.LISTED)  # in the block, but not with their full text


@click.command(
    epilog="""\b
Examples:
  recollect why                  # the last moment of this project's last session
  recollect why start            # the start of that session
  recollect why 2                # the second prompt of that session
  recollect why ses_4f --all     # every moment of another session"""
)
@click.argument("session", required=False, shell_complete=complete_values.session_ids)
@click.argument("turn", metavar="[MOMENT]", required=False)
@click.option("--all", "every", is_flag=True, help="List every moment of the session, one line each.")
@direct.option
@output.json_option
def why(session: str | None, turn: str | None, every: bool, as_json: bool) -> None:
    """Explain what a model was shown, and why.

    SESSION is the id of a session, or the beginning of that id. Default: the last session of this folder's project. If
    this project has no session, the default is the last session of all projects.

    \b
    MOMENT is one of these (default: the last recorded moment):
    - a number: 1 is the first prompt
    - start, tool_error, compaction or on_demand (a search by the agent)
    - the id of a message, or the beginning of that id

    If you give only MOMENT, the last session is used."""
    answer = client_call.run_operation(
        WHY, Why(session=session, turn=turn, every=every, folder=context.folder_to_look_in(), by=context.BY)
    )
    found, log, known = answer.session, answer.log, answer.known
    if answer.chosen is None:
        if as_json:
            output.say_json(_all_json(found, log, answer.usage))
        else:
            _show_all(found, log)
        return
    sent = log[answer.chosen]
    if as_json:
        output.say_json(_json(found, sent, log, known))
        return
    _show(found, sent, log, known)
    names_turn = turn is not None or (session is not None and not found.id.startswith(session))
    if not (names_turn or sent.injection.block):
        _point_to_others(found, log, named=session is not None)


def _show_all(session: Session, log: Sequence[LogEntry]) -> None:
    if not sys.stdout.isatty():
        for sent in log:
            output.say("\t".join([output.minute(sent.at), _name_of(sent, log), _spent(sent), _summary(sent)]))
        return
    from rich.text import Text

    output.say_indented(_title(session), 0)
    table = output.list_table(folds_ids=False)
    for sent in log:
        text = f"{_spent(sent)}, {_summary(sent)}" if sent.injection.block else _summary(sent)
        table.add_row(Text(output.minute(sent.at), style="dim"), Text(_name_of(sent, log)), Text(text))
    output.console().print(table)


def _spent(sent: LogEntry) -> str:
    return f"{sent.injection.tokens:,}/{sent.injection.budget_tokens:,} tokens"


def _summary(sent: LogEntry) -> str:
    injection = sent.injection
    return count_shown(injection) if injection.block else silence(injection, sent.point)


def _name_of(sent: LogEntry, log: Sequence[LogEntry]) -> str:
    """`prompt 2`, `failed tool 1`: counted within the session."""
    same_point = [one for one in log if one.point is sent.point]
    if len(same_point) == 1 and sent.point is Moment.START:
        return NAMES[sent.point]
    position = next(number for number, one in enumerate(same_point, start=1) if one is sent)
    return f"{NAMES[sent.point]} {position}"


def _label(sent: LogEntry) -> str:
    """The host's own ids of the moment."""
    if sent.message is None:
        return "the start block"
    if sent.message.startswith(OWN_PREFIX):
        return "on no message"
    if sent.call in ("", sent.message):
        return f"message {sent.message}"
    return f"message {sent.message}, call {sent.call}"


def _title(session: Session) -> str:
    return f"Session {session.id} ({session.host}, {session.project or 'no project'})"


def _show(session: Session, sent: LogEntry, log: Sequence[LogEntry], known: dict[MemoryId, Memory]) -> None:
    injection = sent.injection
    output.say_indented(f"{_name_of(sent, log)} of {output.minute(sent.at)}", 0, bold=True)
    output.say_indented(f"{_title(session)}; {_label(sent)}", 0, dim=True)
    if injection.quiet is None:
        output.say_indented(f"{cost(injection, sent.took_ms)}; placed in: {injection.placement}", 0, dim=True)
    if injection.block and not sent.confirmed:
        output.say("The block was offered; the host has not confirmed that it sent it.")
    if not injection.block:
        output.say_indented(silence(injection, sent.point), 0)
    _show_shown(sent, log, known)
    _show_others(sent, log, known)
    if injection.considered and not injection.choices:
        output.say("The reasons for each memory are no longer stored (inject.log_days).")


def _point_to_others(session: Session, log: Sequence[LogEntry], *, named: bool) -> None:
    """After a silent moment, say where the last block was: this is usually what the user looks for."""
    last = next((sent for sent in reversed(log) if sent.injection.block), None)
    if last is None:
        blocks = "No block was shown in this session"
    else:
        blocks = f"The last block was shown at {_name_of(last, log)}"
    command = f"recollect why {session.id} --all" if named else "recollect why --all"
    output.say_indented(f"{blocks}; `{command}` lists every moment.", 0, dim=True)


def _show_shown(sent: LogEntry, log: Sequence[LogEntry], known: dict[MemoryId, Memory]) -> None:
    injection = sent.injection
    choices = {choice.id: choice for choice in injection.choices}
    shortened = [choice.id for choice in injection.choices if choice.verdict in SHORTENED]
    if injection.block:
        output.heading("Shown")
    for memory_id in (*injection.ids, *shortened):
        _say_choice(memory_id, known, _why_shown(choices.get(memory_id), sent, log))
    for line in injection.block.splitlines():
        if is_about_sessions(line):
            output.say_indented(line, 2)
    for turn in injection.quoted:
        output.say_indented(f"quoted: message {turn.message} of session {turn.session}{why_quoted(turn)}", 6, dim=True)


def _show_others(sent: LogEntry, log: Sequence[LogEntry], known: dict[MemoryId, Memory]) -> None:
    injection = sent.injection
    others = [choice for choice in injection.choices if choice.verdict not in IN_THE_BLOCK]
    if others:
        output.heading("Not shown, nearest first")
    for choice in others:
        _say_choice(choice.id, known, [why_not(choice, sent, log), breakdown(choice, sent.point)])
    more = injection.considered - len(injection.choices) - len(injection.corrected)
    if more > 0 and injection.choices:
        output.say_indented(f"... and {output.many(more, 'memory', 'memories')} less relevant", 2, dim=True)


def _why_shown(choice: Choice | None, sent: LogEntry, log: Sequence[LogEntry]) -> list[str]:
    if choice is None:
        return ["it replaces what the model was shown before"] if sent.injection.corrected else []
    reasons = [breakdown(choice, sent.point)]
    if choice.verdict is not Verdict.SHOWN:
        reasons.insert(0, why_not(choice, sent, log))
    return reasons


def _say_choice(memory_id: MemoryId, known: dict[MemoryId, Memory], reasons: Sequence[str]) -> None:
    output.say_indented(f"{memory_id}  {_describe(known.get(memory_id))}", 2)
    for reason in reasons:
        output.say_indented(reason, 6, dim=True)


def _describe(memory: Memory | None) -> str:
    if memory is None:
        return GONE
    past = "" if memory.is_live else " (no longer valid)"
    return f"[{prefix_of(memory)}] {visible(memory.text)}{past}"


def _json(session: Session, sent: LogEntry, log: Sequence[LogEntry], known: dict[MemoryId, Memory]) -> dict[str, Any]:
    record = log_entry_json(sent)
    for choice, choice_record in zip(sent.injection.choices, record["choices"], strict=True):
        memory = known.get(choice.id)
        choice_record["text"] = memory and memory.text
        choice_record["why"] = why_not(choice, sent, log)
    silent = None if sent.injection.block else silence(sent.injection, sent.point)
    return {**_session_json(session), **record, "name": _name_of(sent, log), "silence": silent}


def _all_json(session: Session, log: Sequence[LogEntry], usage: Sequence[MomentUsage]) -> dict[str, Any]:
    return {
        **_session_json(session),
        "usage": list(map(usage_json, usage)),
        "moments": [{**log_entry_json(sent), "name": _name_of(sent, log)} for sent in log],
    }


def _session_json(session: Session) -> dict[str, Any]:
    return {"session": session.id, "host": session.host, "project": session.project}
