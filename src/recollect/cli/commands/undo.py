"""`recollect undo`"""

from pathlib import Path
from typing import assert_never

import click

from recollect.api.undo import DEEDS, MOST, UNDO, RecentChanges, TakenBack, Undo
from recollect.cli import client_call, complete_values, context, direct
from recollect.cli.display import output
from recollect.cli.formats.memory_json import record_of
from recollect.domain.changes import Change, ChangeAction, ChangeId
from recollect.domain.errors import InvalidValue
from recollect.text.block import visible
from recollect.workspace import marker

ABOUT_CHARS = 60
SHOWN_AT_MOST = 20  # memories on the screen; --json has all


@click.command()
@click.argument("number", type=int, required=False)
@click.option("--list", "listing", is_flag=True, help="List recent changes with their numbers.")
@context.limit_option(MOST, 20, "Maximum number of changes that --list shows.")
@click.option(
    "--session",
    metavar="ID",
    help="Undo everything learnt from this session. The beginning of the ID is enough.",
    shell_complete=complete_values.session_ids,
)
@direct.option
@output.json_option
def undo(number: int | None, listing: bool, limit: int, session: str | None, as_json: bool) -> None:
    """Undo your last change, or change NUMBER of `undo --list`.

    The commands remember, import, edit, forget, review and project make changes. Without NUMBER, Recollect undoes your
    last change and skips automatic changes, such as those learnt from a session. If an agent made a change after your
    last change, you must give NUMBER. An undo is also a change, so `recollect undo NUMBER` can revert it."""
    if session is not None and (listing or number is not None):
        raise InvalidValue("--session undoes all that a session taught; leave out the number and --list.")
    if listing:
        if number is not None:
            raise InvalidValue("--list shows all changes; leave out the number.")
        _list(limit, as_json)
        return
    deed = None if number is None else ChangeId(number)
    undone = client_call.run_operation(
        UNDO, Undo(deed=deed, session=session, folder=context.folder_to_look_in(), by=context.BY)
    )
    note = _switch_project_name(undone.deed)
    if as_json:
        output.say_json(
            {
                "undone": undone.deed.id,
                "kind": undone.deed.kind.value,
                "by": undone.by,
                "passed_over": undone.passed_over and undone.passed_over.id,
                "removed": list(map(record_of, undone.removed)),
                "restored": list(map(record_of, undone.restored)),
            }
        )
    else:
        _report(undone, note)


def _report(undone: TakenBack, note: str | None) -> None:
    output.say(f"Undone: {_describe(undone.deed)}.")
    if note:
        output.say(note)
    if undone.passed_over is not None:
        later = undone.passed_over
        output.say(f"A later change stays: {_describe(later)}. `recollect undo {later.id}` undoes it.")
    for title, memories in (("Removed:", undone.removed), ("Restored:", undone.restored)):
        if memories:
            output.say(title)
            output.show_memories(memories[:SHOWN_AT_MOST])
        if len(memories) > SHOWN_AT_MOST:
            output.say(f"... and {len(memories) - SHOWN_AT_MOST:,} more")
    if undone.for_good:
        output.say("There is no undo window ([forget] undo_hours): the removed memories are deleted for good.")
    else:
        output.say(f"`recollect undo {undone.by}` makes the change again.")


def _switch_project_name(change: Change) -> str | None:
    """If the change wrote a name into a project's file, remove it; if it removed one, write it. Return what was done."""
    named = change.name_edit
    if named is None:
        return None
    file = Path(named.file)
    if not named.is_written:
        if file.exists() and marker.project_name(file) is not None:
            return f"{file} already names a project; it was not changed."
        marker.write_name(file, named.name)
        return f"The name {named.name} is in {file} again."
    if marker.remove_name(file, named.name):
        return f"The name {named.name} was removed from {file}."
    return f"The name {named.name} is not in the first line of {file}; check the file."


def _list(limit: int, as_json: bool) -> None:
    asked = RecentChanges(limit=limit, folder=context.folder_to_look_in(), by=context.BY)
    changes = client_call.run_operation(DEEDS, asked).deeds
    if as_json:
        output.say_json({"deeds": list(map(_change_json, changes))})
    elif not changes:
        output.say_nothing("No changes yet.")
    else:
        output.show_facts([(str(change.id), _list_entry(change)) for change in changes])


def _change_json(change: Change) -> dict[str, object]:
    return {
        "deed": change.id,
        "kind": change.kind.value,
        "at": change.at.isoformat(),
        "by": change.by,
        "memories": change.memories,
        "about": change.about,
        "undone_by": change.undone_by,
    }


def _list_entry(change: Change) -> str:
    entry = f"{output.minute(change.at)}  {_describe(change)}"
    if change.about is None:
        return entry
    text = visible(change.about)
    cut = "…" if len(text) > ABOUT_CHARS else ""
    return f"{entry}: {text[:ABOUT_CHARS]}{cut}"


def _describe(change: Change) -> str:
    """`forget of 2 memories through cli (undone by 12)`"""
    text = _describe_kind(change)
    return f"{text} (undone by {change.undone_by})" if change.undone_by else text


def _describe_kind(change: Change) -> str:
    detail = change.detail
    many = output.many(change.memories, "memory", "memories")
    match change.kind:
        case ChangeAction.UNDO:
            return f"undo of change {detail.get('undoes')}"
        case ChangeAction.PURGE:
            deleted = output.many(int(detail.get("memories", 0)), "memory", "memories")
            return f"deletion of {deleted} for good"
        case ChangeAction.JOIN:
            return f"merge of {detail.get('source')} into {detail.get('into')}, {many}"
        case ChangeAction.FORGET_PROJECT:
            return f"forget of the project {detail.get('project')}, {many}"
        case ChangeAction.ACCEPT:
            return f"acceptance of the name {detail.get('project')}"
        case ChangeAction.REVIEW:
            return f"review ({detail.get('decision')}) of {many} through {change.by}"
        case ChangeAction.LEARN:
            return f"learning of {many} from session {detail.get('session')} through {change.by}"
        case ChangeAction.PROPOSE:
            return f"proposal of an agent to forget {detail.get('memory')}; decide it in `recollect review`"
        case ChangeAction.FADE:
            return f"fading of {many}, never needed"
        case ChangeAction.REJUDGE:
            return f"return of {many} that an older version had replaced in doubt"
        case ChangeAction.DEMOTE:
            return f"demotion of {many} to candidates: today's rules would not confirm them"
        case ChangeAction.REMEMBER | ChangeAction.IMPORT | ChangeAction.EDIT | ChangeAction.FORGET:
            return f"{change.kind.value} of {many} through {change.by}"
        case _ as never:
            assert_never(never)
