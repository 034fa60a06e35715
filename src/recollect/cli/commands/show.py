"""`recollect show` and `recollect history`"""

from datetime import datetime
from typing import assert_never

import click

from recollect.api.show import HISTORY, SESSION, SHOW, History, Show, ShownSession, ShowSession, Told
from recollect.cli import client_call, complete_values, context, direct
from recollect.cli.display import output
from recollect.cli.formats.memory_json import record_of, record_with_freshness
from recollect.domain.changes import Change, ChangeAction, MemoryChange
from recollect.domain.codec import FieldType
from recollect.domain.errors import InvalidValue
from recollect.domain.freshness import Freshness
from recollect.domain.memory import LATER_FIELDS, Memory, Source, Tier, parts_of
from recollect.domain.review import Decision
from recollect.domain.session import NO_SUMMARY
from recollect.text.block import stale_notes, stale_state, visible

MERGED_CHANGES = {  # with a memory that was already stored
    ChangeAction.REMEMBER: "said again",
    ChangeAction.IMPORT: "merged with an import",
    ChangeAction.LEARN: "heard again",
}
CHANGES = {
    ChangeAction.REMEMBER: "remembered",
    ChangeAction.IMPORT: "imported",
    ChangeAction.LEARN: "learnt",
    ChangeAction.EDIT: "edited",
    ChangeAction.FORGET: "forgotten",
    ChangeAction.JOIN: "moved with its project",
    ChangeAction.FORGET_PROJECT: "forgotten with its project",
    ChangeAction.PURGE: "forgotten for good",
    ChangeAction.ACCEPT: "",
    ChangeAction.FADE: "faded: it was never needed",
    ChangeAction.REJUDGE: "valid again: an older version had replaced it in doubt",
    ChangeAction.DEMOTE: "became a candidate: today's rules would not confirm it",
}

_id = click.argument("memory_id", metavar="ID", shell_complete=complete_values.memory_ids)


@click.command()
@_id
@direct.option
@output.json_option
def show(memory_id: str, as_json: bool) -> None:
    """Show one memory with all its details.

    ID is the id of a memory, or the beginning of that id. ID may also be the id of a session: then Recollect shows the
    summary of the session."""
    try:
        found = client_call.run_operation(SHOW, Show(id=memory_id, folder=context.folder_to_look_in(), by=context.BY))
    except InvalidValue:
        session = _find_session(memory_id)
        if session is None:
            raise
        _show_session(session, as_json)
        return
    memory, seen = found.memory, found.freshness
    if as_json:
        output.say_json({**record_with_freshness(memory, seen), "status": _status(memory)})
        return
    way = found.way_back
    undo = "" if way is None else f"; `recollect undo {way.undo}` brings it back until {output.minute(way.until)}"
    facts = _facts(memory, undo, seen)
    if memory.is_live:
        facts += [("contradicts", f"{output.quote(known)} (`recollect review`)") for known in found.contradicts]
    facts += [("contradicted", f"by {output.quote(known)} (`recollect review`)") for known in found.contradicted_by]
    output.show_facts(facts)


def _find_session(name: str) -> ShownSession | None:
    try:
        found = client_call.run_operation(
            SESSION, ShowSession(id=name, folder=context.folder_to_look_in(), by=context.BY)
        )
    except InvalidValue:  # several sessions begin with this name, so the user meant a memory
        return None
    return None if found.id is None else found


def _show_session(found: ShownSession, as_json: bool) -> None:
    session, recap = found.session, found.recap
    summary = NO_SUMMARY if recap is None else recap.summary
    texts = dict(summary.texts)
    lines = [(part, line) for part, several in summary.lists for line in several]
    notes = [] if recap is None else list(map(str, recap.notes))
    if as_json:
        output.say_json(
            {
                "session": found.id,
                "host": session and session.host,
                "project": session and session.project,
                "started_at": session and session.started_at.isoformat(),
                **{name: texts.get(name) or None for name in ("asked", "later", "ended")},
                "notes": notes,
                "summary": [{"part": part, "text": line} for part, line in lines],
            }
        )
        return
    facts = [("session", str(found.id))]
    if session is not None:
        project = session.project or "none"
        facts += [("host", session.host), ("project", project), ("began", output.minute(session.started_at))]
    rest = [*texts.items(), *lines, *(("note", note) for note in notes)]
    facts += [(part, visible(text)) for part, text in rest if text]
    output.show_facts(facts)
    output.remark(f"`recollect why {found.id} --all` lists what its model was shown.")


@click.command()
@_id
@direct.option
@output.json_option
def history(memory_id: str, as_json: bool) -> None:
    """Show where a memory comes from and how it changed.

    Recollect lists the source of the memory, the quotes that support the memory, every change, the memories that it
    replaced, and the memory that replaced it."""
    story = client_call.run_operation(HISTORY, History(id=memory_id, folder=context.folder_to_look_in(), by=context.BY))
    if as_json:
        output.say_json(_story_json(story))
        return
    for memory in (*story.before, story.memory, *story.after):
        is_asked = memory.id == story.memory.id
        output.say(output.style_text(f"{memory.id}  {visible(memory.text)}", bold=is_asked))
        output.say(f"  {_validity(memory)}, said by {_describe_source(memory.source, memory.created_at)}")
        for sentence in memory.evidence:
            output.say(f"  from: {visible(sentence)}")
        if is_asked:
            _show_changes(story)


def _show_changes(story: Told) -> None:
    for note in stale_notes(story.freshness):
        output.say(f"  stale: {note}")
    states = [*(change.before for change in story.changes[1:] if change.before is not None), story.memory]
    for change, after in zip(story.changes, states, strict=bool(story.changes)):  # an old or restored memory has none
        output.say(f"  {output.minute(change.deed.at)}  {_describe_change(change, after)}")
        if change.deed.kind is ChangeAction.EDIT:
            for line in describe_edit(change.before, after):
                output.say(f"    {line}")


def _status(memory: Memory) -> str:
    if memory.forgotten_at is not None:
        return "forgotten"
    if memory.superseded_by is not None:
        return "superseded"
    return "live" if memory.is_live else "past"


def _facts(memory: Memory, undo: str, seen: Freshness) -> list[tuple[str, str]]:
    facts = [
        ("id", memory.id),
        ("text", visible(memory.text)),
        ("title", visible(memory.title or "")),
        ("aliases", visible(", ".join(memory.aliases))),
        ("kind", memory.kind.value),
        ("scope", str(memory.scope)),
        ("sensitivity", memory.sensitivity.value),
        ("status", _describe_status(memory) + (", but stale" if seen.is_stale else "") + undo),
        ("valid", _validity(memory)),
        ("importance", f"{memory.importance:g} of 2"),
        ("confidence", f"{memory.confidence:g}"),
        ("durability", "" if memory.durability >= 1 else f"{memory.durability:.2f} (how likely it matters later)"),
        ("rules", "" if memory.rules is None else f"captured by version {memory.rules} of the rules"),
        ("seen", output.many(memory.seen, "time")),
        ("shown", _use(memory)),
        ("source", _describe_source(memory.source, memory.created_at)),
        *[("said again", _describe_source(mention, mention.at)) for mention in memory.mentions],
        ("flagged", "" if memory.flag is None else f"{memory.flag}; never injected (`recollect review`)"),
        *[("evidence", visible(sentence)) for sentence in memory.evidence],
        *[("file", line) for line in _files(memory, seen)],
        *[(one.name.replace("_", " "), _join_parts(memory, one)) for one in LATER_FIELDS],
    ]
    return [(name, value) for name, value in facts if value]


def _join_parts(memory: Memory, field: FieldType) -> str:
    """Return a field that has no line of its own; "" if it has its default."""
    is_given = getattr(memory, field.name) != field.default
    return visible(", ".join(map(str, parts_of(memory, field)))) if is_given else ""


def _use(memory: Memory) -> str:
    """`3 times, used 1 time, not used 2 times, feedback +1`"""
    use = memory.use
    parts = [output.many(use.shown, "time"), f"used {output.many(use.used, 'time')}"]
    if use.unused:
        parts.append(f"not used {output.many(use.unused, 'time')}")
    if use.feedback:
        parts.append(f"feedback {use.feedback:+d}")
    return ", ".join(parts)


def _files(memory: Memory, seen: Freshness) -> list[str]:
    lines = [anchor.path + (f" ({anchor.hash[:12]})" if anchor.hash else "") for anchor in memory.anchors]
    for number, file in enumerate(seen.files):
        if file.is_stale:
            lines[number] += f", {stale_state(file)}"
    return lines


def _describe_status(memory: Memory) -> str:
    status = _status(memory)
    if status == "live" and memory.tier is Tier.CANDIDATE:
        return "candidate: not confirmed yet (`recollect review`)"
    return f"superseded by {memory.superseded_by}" if status == "superseded" else status


def _validity(memory: Memory) -> str:
    if memory.valid_to is None:
        return f"since {output.day(memory.valid_from)}"
    # Within one day, the date alone would say nothing.
    is_one_day = output.day(memory.valid_from) == output.day(memory.valid_to)
    form = output.minute if is_one_day else output.day
    return f"since {form(memory.valid_from)} until {form(memory.valid_to)}"


def _describe_source(source: Source, at: datetime) -> str:
    """`user through opencode in session ses_4f message msg_2 on 2026-03-02 10:00`"""
    parts = {"through": source.host, "in session": source.session, "message": source.message, "agent": source.agent}
    named = [f"{word} {value}" for word, value in parts.items() if value]
    return " ".join([source.role.value, *named, f"on {output.minute(at)}"])


def _describe_change(change: MemoryChange, after: Memory) -> str:
    deed, before = change.deed, change.before
    is_replaced = before is not None and before.is_live and after.superseded_by is not None
    if deed.kind is ChangeAction.REVIEW:
        what = f"{_decision(deed, after, is_replaced)} in review"
    elif deed.kind is ChangeAction.UNDO:
        what = f"put back as before change {deed.detail.get('undoes')}"
    elif before is not None and deed.kind in MERGED_CHANGES:
        what = "replaced" if is_replaced else MERGED_CHANGES[deed.kind]
    else:
        what = CHANGES[deed.kind]
    current = f", {after.superseded_by} is current instead" if is_replaced else ""
    undone = f", undone by change {deed.undone_by}" if deed.undone_by else ""
    return f"{what} through {deed.by}{current} (change {deed.id}{undone})"


def describe_edit(before: Memory | None, after: Memory) -> list[str]:
    """Say what an edit changed: `text: We deploy with Helm. -> We deploy with Argo.`"""
    if before is None:
        return []
    old, new = _editable(before), _editable(after)
    return [f"{name}: {value} -> {new[name]}" for name, value in old.items() if value != new[name]]


def _editable(memory: Memory) -> dict[str, str]:
    return {
        "text": visible(memory.text),
        "kind": memory.kind.value,
        "scope": str(memory.scope),
        "title": visible(memory.title or "none"),
        "aliases": visible(", ".join(memory.aliases) or "none"),
    }


def _decision(deed: Change, after: Memory, is_replaced: bool) -> str:
    """Say what the user decided about this one of the memories that contradict each other."""
    if after.forgotten_at is not None:
        return "rejected and forgotten"
    decision = Decision(deed.detail.get("decision", Decision.ACCEPT))  # an early version noted none
    match decision:
        case Decision.KEEP:
            return "kept"
        case Decision.REJECT:
            return "rejected"
        case Decision.ACCEPT:
            return "ended" if is_replaced else "accepted"
        case _ as never:
            assert_never(never)


def _story_json(story: Told) -> dict[str, object]:
    return {
        "memory": {**record_with_freshness(story.memory, story.freshness), "status": _status(story.memory)},
        "before": list(map(record_of, story.before)),
        "after": list(map(record_of, story.after)),
        "changes": [
            {
                "deed": change.deed.id,
                "kind": change.deed.kind.value,
                "at": change.deed.at.isoformat(),
                "by": change.deed.by,
                "undone_by": change.deed.undone_by,
                "before": change.before and record_of(change.before),
            }
            for change in story.changes
        ],
    }
