"""`recollect undo`"""

import click

from recollect.cli import context, output
from recollect.cli.records import record_of
from recollect.domain.errors import InvalidValue
from recollect.domain.history import Deed, DeedId
from recollect.text.block import visible

ABOUT_CHARS = 60


@click.command()
@click.argument("deed", type=int, required=False)
@click.option("--list", "listing", is_flag=True, help="Only show what was done lately, with the numbers of the deeds.")
@click.option("--limit", "-n", type=click.IntRange(1, 10_000), default=20, show_default=True, help="With --list.")
@output.json_option
def undo(deed: int | None, listing: bool, limit: int, as_json: bool) -> None:
    """Take back the last thing that was done (remember, import, forget, merge), or a given DEED. Undo can be undone."""
    if listing:
        if deed is not None:
            raise InvalidValue("--list shows all deeds; leave the number out.")
        _list(limit, as_json)
        return
    with context.writing_engine() as engine:
        undone = engine.undo(None if deed is None else DeedId(deed), at=context.now(), by=context.BY)
    if as_json:
        output.say_json(
            {
                "undone": undone.deed.id,
                "kind": undone.deed.kind.value,
                "by": undone.by,
                "removed": [record_of(memory) for memory in undone.removed],
                "restored": [record_of(memory) for memory in undone.restored],
            }
        )
        return
    output.say(f"Taken back: {_line(undone.deed)}.")
    for title, memories in (("No longer known:", undone.removed), ("As before:", undone.restored)):
        if memories:
            output.say(title)
            output.show_memories(memories)
    output.say(f"`recollect undo {undone.by}` does it again.")


def _list(limit: int, as_json: bool) -> None:
    with context.engine() as engine:
        deeds = engine.deeds(limit=limit)
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
        output.say("Nothing was done yet.")
    else:
        output.show_facts([(str(deed.id), f"{output.minute(deed.at)}  {_line(deed)}{_about(deed)}") for deed in deeds])


def _about(deed: Deed) -> str:
    if deed.about is None:
        return ""
    said = visible(deed.about)
    return f": {said}" if len(said) <= ABOUT_CHARS else f": {said[:ABOUT_CHARS]}…"


def _line(deed: Deed) -> str:
    what = f"{deed.kind.value} of {output.many(deed.memories, 'memory', 'memories')} through {deed.by}"
    if deed.kind == "undo":
        what = f"undo of deed {deed.detail.get('undoes')}"
    return what + (f" (undone by {deed.undone_by})" if deed.undone_by else "")
