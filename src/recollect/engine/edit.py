"""Edit one memory by hand. It keeps its id and its counts, and is its user's word from then on."""

from dataclasses import replace
from datetime import datetime

from recollect.domain.errors import InvalidValue
from recollect.domain.history import DeedKind
from recollect.domain.memory import Draft, Memory, MemoryId, Mention, Role, Source, Tier
from recollect.domain.outcome import Refused
from recollect.domain.settings import Privacy
from recollect.domain.wording import Edited, Wording
from recollect.engine.admission import admitted, redacted
from recollect.engine.lookup import found
from recollect.engine.ports import Writes
from recollect.text.block import visible


def edit(memories: Writes, memory_id: MemoryId, wording: Wording, privacy: Privacy, *, at: datetime, by: str) -> Edited:
    """One deed, or none where nothing changes. Nothing else is replaced: whoever edits means this memory alone."""
    with memories.writing():
        known = found(memories, memory_id)
        _refuse_unfit(known, wording)
        draft = _draft(known, wording, at, by)
        if _says(known) == _says(draft):
            return Edited(memory=known, before=known, deed=None)
        kept = _admitted(draft, privacy)
        twin = memories.find_same(kept)
        if twin is not None and twin.id != known.id:
            raise InvalidValue(
                f"The memory {twin.id!r} says that already. Forget one of the two: `recollect forget {known.id}`."
            )
        edited = _edited(known, kept)
        deed = memories.begin_deed(DeedKind.EDIT, at, by)
        memories.note_change(deed, known.id, known)
        memories.update(edited)
        return Edited(memory=edited, before=known, deed=deed)


def _refuse_unfit(known: Memory, wording: Wording) -> None:
    if known.forgotten_at is not None:
        raise InvalidValue(f"The memory {known.id!r} is forgotten; `recollect show {known.id}` says how to undo that.")
    if not known.is_live:
        instead = "" if known.superseded_by is None else f" Edit {known.superseded_by}, which took its place."
        raise InvalidValue(f"The memory {known.id!r} is history: it is not valid any more.{instead}")
    if wording.instead_of is not None and wording.instead_of.strip() not in (known.text, redacted(known.text)):
        raise InvalidValue(f"The memory {known.id!r} was changed meanwhile; look at it and edit it again.")


def _draft(known: Memory, wording: Wording, at: datetime, by: str) -> Draft:
    text = known.text if wording.text is None else wording.text.strip()
    if not visible(text):
        raise InvalidValue("The text has nothing that can be seen; `recollect forget` takes a memory away.")
    scope = wording.scope or known.scope
    return Draft(
        text=text,
        kind=wording.kind or known.kind,
        scope=scope,
        at=at,
        source=Source(role=Role.USER, host=by),
        title=known.title if wording.title is None else wording.title.strip() or None,
        aliases=known.aliases if wording.aliases is None else wording.aliases,
        sensitivity=known.sensitivity,
        importance=known.importance,
        evidence=known.evidence if text == known.text else (),  # it was not taken from these sentences
        anchors=known.anchors if scope == known.scope else (),  # files of another place
    )


def _says(value: Memory | Draft) -> tuple[object, ...]:
    return value.text, value.kind, value.scope, value.title, value.aliases


def _admitted(draft: Draft, privacy: Privacy) -> Draft:
    kept = admitted(draft, privacy)
    if isinstance(kept, Refused):
        raise InvalidValue(kept.why)
    return kept


def _edited(known: Memory, kept: Draft) -> Memory:
    """Where it was first said stays among its mentions: forgotten for good, it is taken out there as well."""
    said = [] if known.source.session is None else [Mention(source=known.source, at=known.created_at)]
    return replace(
        known,
        text=kept.text,
        kind=kept.kind,
        scope=kept.scope,
        title=kept.title,
        aliases=kept.aliases,
        source=kept.source,
        mentions=tuple(dict.fromkeys((*said, *known.mentions))),
        evidence=kept.evidence,
        anchors=kept.anchors,
        conflicts=known.conflicts if kept.text == known.text else (),
        flag=kept.flag,
        confidence=1.0,
        durability=1.0,
        tier=Tier.CONFIRMED,
    )
