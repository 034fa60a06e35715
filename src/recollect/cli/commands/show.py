"""`recollect show` and `recollect history`"""

from datetime import datetime

import click

from recollect.api.show import HISTORY, SESSION, SHOW, History, Show, ShowSession, Told, WayBack
from recollect.cli import client_call, complete_values, context, direct
from recollect.cli.display import output
from recollect.cli.formats.memory_json import record_of, seen_record_of
from recollect.domain.errors import InvalidValue
from recollect.domain.freshness import NOT_LOOKED_AT, Freshness
from recollect.domain.history import Change, DeedKind, MemoryChange
from recollect.domain.memory import Memory, Source, Tier
from recollect.text.block import stale_notes, stale_state, visible

_id = click.argument("memory_id", metavar="ID", shell_complete=complete_values.memory_ids)


@click.command()
@_id
@direct.option
@output.json_option
def show(memory_id: str, as_json: bool) -> None:
    """One memory with everything that is known of it, or a session that a block refers to. The beginning of its ID is
    enough."""
    try:
        found = client_call.ask(SHOW, Show(id=memory_id, folder=context.folder_to_look_in(), by=context.BY))
    except InvalidValue:
        if not _show_session(memory_id, as_json):
            raise
        return
    memory, seen = found.memory, found.freshness
    if as_json:
        output.say_json({**seen_record_of(memory, seen), "status": status_of(memory)})
        return
    facts = facts_of(memory, _way_back(found.way_back), seen)
    disputed = [("contradicts", known) for known in found.contradicts] if memory.is_live else []
    disputed += [("contradicted", known) for known in found.contradicted_by]
    facts += [(name, f"{'by ' if name == 'contradicted' else ''}{_quoted(known)}") for name, known in disputed]
    output.show_facts(facts)


def _show_session(name: str, as_json: bool) -> bool:
    """Whether there is one of this name."""
    try:
        found = client_call.ask(SESSION, ShowSession(id=name, folder=context.folder_to_look_in(), by=context.BY))
    except InvalidValue:  # several sessions begin so: whoever asked for a memory did not mean them
        return False
    if found.id is None:
        return False
    of, left = found.session, found.recap
    notes = [] if left is None else [str(note) for note in left.notes]
    texts = {} if left is None else dict(left.summary.texts)
    lists = [] if left is None else [(name, line) for name, lines in left.summary.lists for line in lines]
    if as_json:
        output.say_json(
            {
                "session": found.id,
                "host": None if of is None else of.host,
                "project": None if of is None else of.project,
                "started_at": None if of is None else of.started_at.isoformat(),
                **{name: texts.get(name) or None for name in ("asked", "later", "ended")},
                "notes": notes,
                "summary": [{"part": part, "text": line} for part, line in lists],
            }
        )
        return True
    facts: list[tuple[str, str]] = [("session", found.id)]
    if of is not None:
        facts += [("host", of.host), ("project", of.project or "none"), ("began", output.minute(of.started_at))]
    facts += [(part, visible(text)) for part, text in texts.items() if text]
    facts += [(part, visible(line)) for part, line in lists] + [("note", visible(note)) for note in notes]
    output.show_facts(facts)
    output.remark(f"`recollect why {found.id} --all` lists what its model was given.")
    return True


@click.command()
@_id
@direct.option
@output.json_option
def history(memory_id: str, as_json: bool) -> None:
    """Where a memory comes from: its source and evidence, what was done to it, what it replaced or what replaced it."""
    story = client_call.ask(HISTORY, History(id=memory_id, folder=context.folder_to_look_in(), by=context.BY))
    if as_json:
        output.say_json(_story_json(story))
        return
    for memory in (*story.before, story.memory, *story.after):
        here = memory.id == story.memory.id
        output.say(output.styled(f"{memory.id}  {visible(memory.text)}", bold=here))
        output.say(f"  {_validity(memory)}, said by {_source(memory)}")
        for sentence in memory.evidence:
            output.say(f"  from: {visible(sentence)}")
        if here:
            for note in stale_notes(story.freshness):
                output.say(f"  stale: {note}")
            for change, after in zip(story.changes, _states_after(story), strict=True):
                output.say(f"  {output.minute(change.deed.at)}  {_deed(change, after)}")
                for line in changed_words(change.before, after) if change.deed.kind is DeedKind.EDIT else ():
                    output.say(f"    {line}")


def status_of(memory: Memory) -> str:
    if memory.forgotten_at is not None:
        return "forgotten"
    if memory.superseded_by is not None:
        return "superseded"
    return "live" if memory.is_live else "past"


def _way_back(way: WayBack | None) -> str:
    return "" if way is None else f"; `recollect undo {way.undo}` brings it back until {output.minute(way.until)}"


def facts_of(memory: Memory, way_back: str, seen: Freshness = NOT_LOOKED_AT) -> list[tuple[str, str]]:
    facts = [
        ("id", memory.id),
        ("text", visible(memory.text)),
        ("title", visible(memory.title or "")),
        ("aliases", visible(", ".join(memory.aliases))),
        ("kind", memory.kind.value),
        ("scope", str(memory.scope)),
        ("sensitivity", memory.sensitivity.value),
        ("status", _status(memory) + (", but stale" if seen.is_stale else "") + way_back),
        ("valid", _validity(memory)),
        ("importance", f"{memory.importance:g} of 2"),
        ("confidence", f"{memory.confidence:g}"),
        ("durability", "" if memory.durability >= 1 else f"{memory.durability:.2f} (how likely it matters later)"),
        ("rules", "" if memory.rules is None else f"captured by version {memory.rules} of the rules"),
        ("seen", output.many(memory.seen, "time")),
        ("shown", _use(memory)),
        ("source", _source(memory)),
        *[("said again", _told(mention.source, mention.at)) for mention in memory.mentions],
        ("flagged", "" if memory.flag is None else f"{memory.flag}; never injected (`recollect review`)"),
        *[("evidence", visible(sentence)) for sentence in memory.evidence],
        *[("file", line) for line in _files(memory, seen)],
    ]
    return [(name, value) for name, value in facts if value]


def _use(memory: Memory) -> str:
    """`3 times, used 1 time, not used 2 times, feedback +1`"""
    use = memory.use
    parts = [output.many(use.shown, "time"), f"used {output.many(use.used, 'time')}"]
    parts += [f"not used {output.many(use.unused, 'time')}"] if use.unused else []
    parts += [f"feedback {use.feedback:+d}"] if use.feedback else []
    return ", ".join(parts)


def _quoted(memory: Memory) -> str:
    return f"{memory.id} of {output.day(memory.valid_from)}: {visible(memory.text)} (`recollect review`)"


def _files(memory: Memory, seen: Freshness) -> list[str]:
    hashes = [f" ({anchor.hash[:12]})" if anchor.hash else "" for anchor in memory.anchors]
    states = [f", {stale_state(file)}" if file.is_stale else "" for file in seen.files] or [""] * len(hashes)
    return [f"{a.path}{known}{state}" for a, known, state in zip(memory.anchors, hashes, states, strict=True)]


def _status(memory: Memory) -> str:
    status = status_of(memory)
    if status == "live" and memory.tier is Tier.CANDIDATE:
        return "candidate: nothing has proven it yet (`recollect review`)"
    return f"superseded by {memory.superseded_by}" if status == "superseded" else status


def _validity(memory: Memory) -> str:
    if memory.valid_to is None:
        return f"since {output.day(memory.valid_from)}"
    # Of what held for less than a day, the day alone would say nothing.
    told = output.minute if output.day(memory.valid_from) == output.day(memory.valid_to) else output.day
    return f"since {told(memory.valid_from)} until {told(memory.valid_to)}"


def _source(memory: Memory) -> str:
    return _told(memory.source, memory.created_at)


def _told(source: Source, at: datetime) -> str:
    named = {"through": source.host, "in session": source.session, "message": source.message, "agent": source.agent}
    told = [f"{word} {value}" for word, value in named.items() if value]
    return " ".join([source.role.value, *told, f"on {output.minute(at)}"])


def _states_after(story: Told) -> list[Memory]:
    """What each of its changes made of a memory."""
    return [*(change.before for change in story.changes[1:] if change.before is not None), story.memory]


def _deed(change: MemoryChange, after: Memory) -> str:
    deed = change.deed
    ended = change.before is not None and change.before.is_live and after.superseded_by is not None
    replaced = "its place was taken"
    what = {
        "remember": "remembered" if change.before is None else replaced if ended else "said again",
        "import": "imported" if change.before is None else replaced if ended else "merged with an import",
        "edit": "edited",
        "forget": "forgotten",
        "join": "moved with its project",
        "forget_project": "forgotten with its project",
        "purge": "forgotten for good",
        "accept": "",
        "review": f"{_decision(deed, after, ended)} in review",
        "learn": "learnt" if change.before is None else replaced if ended else "heard again",
        "fade": "faded: nobody needed it",
        "rejudge": "valid again: an older version had ended it in doubt",
        "demote": "became a candidate: today's rules would not confirm it",
        "undo": f"taken back (deed {deed.detail.get('undoes')})",
    }[deed.kind]
    by = f", {after.superseded_by} holds instead" if ended else ""
    undone = f", undone by deed {deed.undone_by}" if deed.undone_by else ""
    return f"{what} through {deed.by}{by} (deed {deed.id}{undone})"


def changed_words(before: Memory | None, after: Memory) -> list[str]:
    """What an edit changed: `text: We deploy with Helm. -> We deploy with Argo.`"""
    if before is None:
        return []
    told = [
        ("text", visible(before.text), visible(after.text)),
        ("kind", before.kind.value, after.kind.value),
        ("scope", str(before.scope), str(after.scope)),
        ("title", visible(before.title or "none"), visible(after.title or "none")),
        ("aliases", visible(", ".join(before.aliases) or "none"), visible(", ".join(after.aliases) or "none")),
    ]
    return [f"{name}: {was} -> {now}" for name, was, now in told if was != now]


def _decision(deed: Change, after: Memory, ended: bool) -> str:
    """What was decided about this one of those that contradict each other."""
    if after.forgotten_at is not None:
        return "rejected and forgotten"
    decided = {"keep": "kept", "reject": "rejected"}.get(deed.detail.get("decision", ""), "accepted")
    return "ended" if ended and decided == "accepted" else decided


def _story_json(story: Told) -> dict[str, object]:
    return {
        "memory": {**seen_record_of(story.memory, story.freshness), "status": status_of(story.memory)},
        "before": [record_of(memory) for memory in story.before],
        "after": [record_of(memory) for memory in story.after],
        "changes": [
            {
                "deed": change.deed.id,
                "kind": change.deed.kind.value,
                "at": change.deed.at.isoformat(),
                "by": change.deed.by,
                "undone_by": change.deed.undone_by,
                "before": None if change.before is None else record_of(change.before),
            }
            for change in story.changes
        ],
    }
