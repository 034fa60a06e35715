"""`recollect undo`"""

from pathlib import Path

import click

from recollect.api.undo import DEEDS, MOST, UNDO, RecentChanges, Undo
from recollect.cli import client_call, complete_values, context, direct
from recollect.cli.display import output
from recollect.cli.formats.memory_json import record_of
from recollect.domain.errors import InvalidValue
from recollect.domain.history import Change, DeedId, DeedKind
from recollect.text.block import visible
from recollect.workspace import marker

ABOUT_CHARS = 60
SHOWN_AT_MOST = 20  # memories on the screen; --json has all


@click.command()
@click.argument("deed", type=int, required=False)
@click.option(
    "--list", "listing", is_flag=True, help="Only show what was done lately, by whoever, with the numbers of the deeds."
)
@click.option("--limit", "-n", type=click.IntRange(1, MOST), default=20, show_default=True, help="With --list.")
@click.option(
    "--session",
    help="All that was learnt from this session; the beginning of its id is enough.",
    shell_complete=complete_values.session_ids,
)
@direct.option
@output.json_option
def undo(deed: int | None, listing: bool, limit: int, session: str | None, as_json: bool) -> None:
    """Take back the last thing that you did (remember, import, edit, forget, review, merge), a given DEED, or all that
    was learnt from a session. What sessions taught is passed over unless its number is given; where an agent did
    something after you, a number is asked for. --list shows all of it. Undo can be undone."""
    if session is not None and (listing or deed is not None):
        raise InvalidValue("--session takes back what that session taught; leave the number and --list out.")
    if listing:
        if deed is not None:
            raise InvalidValue("--list shows all deeds; leave the number out.")
        _list(limit, as_json)
        return
    asked = Undo(
        deed=None if deed is None else DeedId(deed),
        session=session,
        folder=context.folder_to_look_in(),
        by=context.BY,
    )
    undone = client_call.ask(UNDO, asked)
    note = _turn_name_around(undone.deed)
    if as_json:
        output.say_json(
            {
                "undone": undone.deed.id,
                "kind": undone.deed.kind.value,
                "by": undone.by,
                "passed_over": None if undone.passed_over is None else undone.passed_over.id,
                "removed": [record_of(memory) for memory in undone.removed],
                "restored": [record_of(memory) for memory in undone.restored],
            }
        )
        return
    output.say(f"Taken back: {_line(undone.deed)}.")
    if note:
        output.say(note)
    if undone.passed_over is not None:
        later = undone.passed_over
        output.say(f"The {_line(later)} came later and stays; `recollect undo {later.id}` takes that back.")
    for title, memories in (("Out of sight:", undone.removed), ("As before:", undone.restored)):
        if memories:
            output.say(title)
            output.show_memories(memories[:SHOWN_AT_MOST])
        if len(memories) > SHOWN_AT_MOST:
            output.say(f"... and {len(memories) - SHOWN_AT_MOST:,} more")
    if undone.for_good:
        output.say("There is no undo window ([forget] undo_hours): what is out of sight is gone for good.")
    else:
        output.say(f"`recollect undo {undone.by}` does it again.")


def _turn_name_around(deed: Change) -> str | None:
    """The name in a project's own file goes with the deed that wrote it, and comes back with it; and says so."""
    named = deed.named
    if named is None:
        return None
    file = Path(named.file)
    if not named.is_written:
        if file.exists() and marker.project_name(file) is not None:
            return f"{file} names a project; it stays as it is."
        marker.give_name(file, named.name)
        return f"{file} has the name {named.name} again."
    if marker.take_name(file, named.name):
        return f"The name {named.name} is taken out of {file}."
    return f"{file} does not have the name {named.name} in its first line; look there."


def _list(limit: int, as_json: bool) -> None:
    deeds = client_call.ask(DEEDS, RecentChanges(limit=limit, folder=context.folder_to_look_in(), by=context.BY)).deeds
    if as_json:
        output.say_json(
            {
                "deeds": [
                    {
                        "deed": deed.id,
                        "kind": deed.kind.value,
                        "at": deed.at.isoformat(),
                        "by": deed.by,
                        "memories": deed.memories,
                        "about": deed.about,
                        "undone_by": deed.undone_by,
                    }
                    for deed in deeds
                ]
            }
        )
    elif not deeds:
        output.say_nothing("Nothing was done yet.")
    else:
        output.show_facts([(str(deed.id), f"{output.minute(deed.at)}  {_line(deed)}{_about(deed)}") for deed in deeds])


def _about(deed: Change) -> str:
    if deed.about is None:
        return ""
    said = visible(deed.about)
    return f": {said}" if len(said) <= ABOUT_CHARS else f": {said[:ABOUT_CHARS]}…"


def _line(deed: Change) -> str:
    many = output.many(deed.memories, "memory", "memories")
    match deed.kind:
        case DeedKind.UNDO:
            what = f"undo of deed {deed.detail.get('undoes')}"
        case DeedKind.PURGE:
            what = f"forgetting of {output.many(int(deed.detail.get('memories', 0)), 'memory', 'memories')} for good"
        case DeedKind.JOIN:
            what = f"merge of {deed.detail.get('source')} into {deed.detail.get('into')}, {many}"
        case DeedKind.FORGET_PROJECT:
            what = f"forgetting of the project {deed.detail.get('project')}, {many}"
        case DeedKind.ACCEPT:
            what = f"accepting of the name {deed.detail.get('project')}"
        case DeedKind.REVIEW:
            what = f"review ({deed.detail.get('decision')}) of {many} through {deed.by}"
        case DeedKind.LEARN:
            what = f"learning of {many} from session {deed.detail.get('session')} through {deed.by}"
        case DeedKind.PROPOSE:
            what = f"proposal of an agent to forget {deed.detail.get('memory')}; `recollect review` decides"
        case DeedKind.FADE:
            what = f"fading of {many} that nobody needed"
        case DeedKind.REJUDGE:
            what = f"taking back {many} that an older version had ended in doubt"
        case DeedKind.DEMOTE:
            what = f"making candidates of {many} that today's rules would not confirm"
        case _:
            what = f"{deed.kind.value} of {many} through {deed.by}"
    return what + (f" (undone by {deed.undone_by})" if deed.undone_by else "")
