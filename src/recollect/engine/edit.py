"""Edit one memory by hand. It keeps its id and its counts, and counts as the user's own word from then on."""

from dataclasses import replace
from datetime import datetime

from recollect.domain.changes import ChangeAction, EditResult, Wording
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Draft, Memory, MemoryId, Mention, Role, Source, Tier
from recollect.domain.outcome import Refused
from recollect.domain.settings import Privacy
from recollect.engine.admission import admit_draft, redact_text
from recollect.engine.lookup import find_memory
from recollect.engine.ports import WritesMemories
from recollect.text.block import visible


def edit(
    memories: WritesMemories, memory_id: MemoryId, wording: Wording, privacy: Privacy, *, at: datetime, by: str
) -> EditResult:
    """Make one change, or none if the wording is the same. An edit never replaces other memories."""
    with memories.transaction():
        known = find_memory(memories, memory_id)
        _check_editable(known, wording)
        draft = _draft(known, wording, at, by)
        if _words(known) == _words(draft):
            return EditResult(memory=known, before=known, deed=None)
        kept = admit_draft(draft, privacy)
        if isinstance(kept, Refused):
            raise InvalidValue(kept.why)
        twin = memories.find_same(kept)
        if twin is not None and twin.id != known.id:
            raise InvalidValue(
                f"The memory {twin.id!r} already says that. Forget one of the two: `recollect forget {known.id}`."
            )
        edited = _apply(known, kept)
        change = memories.begin_change(ChangeAction.EDIT, at, by)
        memories.note_memory_change(change, known.id, known)
        memories.update(edited)
        return EditResult(memory=edited, before=known, deed=change)


def _check_editable(known: Memory, wording: Wording) -> None:
    if known.forgotten_at is not None:
        raise InvalidValue(f"The memory {known.id!r} is forgotten; `recollect show {known.id}` says how to undo that.")
    if not known.is_live:
        advice = "" if known.superseded_by is None else f" Edit {known.superseded_by}, which replaced it."
        raise InvalidValue(f"The memory {known.id!r} is history: it is no longer valid.{advice}")
    if wording.instead_of is not None and wording.instead_of.strip() not in (known.text, redact_text(known.text)):
        raise InvalidValue(f"The memory {known.id!r} was changed in the meantime; look at it and edit it again.")


def _draft(known: Memory, wording: Wording, at: datetime, by: str) -> Draft:
    text = known.text if wording.text is None else wording.text.strip()
    if not visible(text):
        raise InvalidValue("The text has no visible characters; use `recollect forget` to remove a memory.")
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
        evidence=known.evidence if text == known.text else (),  # a new text was not taken from these sentences
        anchors=known.anchors if scope == known.scope else (),  # in another scope, paths mean other files
    )


def _words(value: Memory | Draft) -> tuple[object, ...]:
    return value.text, value.kind, value.scope, value.title, value.aliases


def _apply(known: Memory, kept: Draft) -> Memory:
    """Return the edited memory. Its first source becomes a mention, so that forgetting it for good cleans that too."""
    mentions = known.mentions
    if known.source.session is not None:
        mentions = (Mention(source=known.source, at=known.created_at), *mentions)
    return replace(
        known,
        text=kept.text,
        kind=kept.kind,
        scope=kept.scope,
        title=kept.title,
        aliases=kept.aliases,
        source=kept.source,
        mentions=tuple(dict.fromkeys(mentions)),
        evidence=kept.evidence,
        anchors=kept.anchors,
        conflicts=known.conflicts if kept.text == known.text else (),
        flag=kept.flag,
        confidence=1.0,
        durability=1.0,
        tier=Tier.CONFIRMED,
    )
