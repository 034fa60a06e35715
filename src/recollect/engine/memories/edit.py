"""Edit one memory by hand. It keeps its id and its counts, and counts as the user's own word from then on."""

from dataclasses import replace
from datetime import datetime

from recollect.api.edit import Edit, EditedMemory
from recollect.domain.changes import ChangeAction
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import MAX_PARTS, Draft, Memory, Mention, Role, Scope, Source, Tier
from recollect.domain.outcome import Edited, Refused, Unchanged
from recollect.engine.admission import admit_draft, find_omissions, redact_text
from recollect.engine.context import Context
from recollect.engine.memories.folder_project import scope_to_store
from recollect.engine.memories.lookup import find_memory
from recollect.engine.redaction import redact_memory
from recollect.text.block import visible


def edit(ctx: Context, asked: Edit) -> EditedMemory:
    """Make one change, or none if the memory says this already. An edit never replaces other memories. InvalidValue: it
    may not be stored so, and nothing was changed."""
    memories = ctx.store
    scope = None if asked.scope is None else scope_to_store(ctx, asked.scope)
    omitted = find_omissions(*filter(None, (asked.text, asked.title, *(asked.aliases or ()))))
    with memories.transaction():
        known = find_memory(memories, asked.id)
        _check_editable(known, asked)
        draft = _draft(known, asked, scope, ctx.now)
        if _words(known) == _words(draft):
            return EditedMemory(outcome=Unchanged(redact_memory(known)), omitted=omitted)
        kept = admit_draft(draft, ctx.settings.privacy)
        if isinstance(kept, Refused):
            raise InvalidValue(kept.why)
        twin = memories.find_same(kept)
        if twin is not None and twin.id != known.id:
            raise InvalidValue(
                f"The memory {twin.id!r} already says that. Forget one of the two: `recollect forget {known.id}`."
            )
        edited = _apply(known, kept)
        change = memories.begin_change(ChangeAction.EDIT, ctx.now, asked.by)
        memories.note_memory_change(change, known.id, known)
        memories.update(edited)
    return EditedMemory(outcome=Edited(redact_memory(edited), redact_memory(known), change), omitted=omitted)


def _check_editable(known: Memory, asked: Edit) -> None:
    if known.forgotten_at is not None:
        raise InvalidValue(f"The memory {known.id!r} is forgotten; `recollect show {known.id}` says how to undo that.")
    if not known.is_live:
        advice = "" if known.superseded_by is None else f" Edit {known.superseded_by}, which replaced it."
        raise InvalidValue(f"The memory {known.id!r} is history: it is no longer valid.{advice}")
    if asked.instead_of is not None and asked.instead_of.strip() not in (known.text, redact_text(known.text)):
        raise InvalidValue(f"The memory {known.id!r} was changed in the meantime; look at it and edit it again.")


def _draft(known: Memory, asked: Edit, new_scope: Scope | None, at: datetime) -> Draft:
    text = known.text if asked.text is None else asked.text.strip()
    if not visible(text):
        raise InvalidValue("The text has no visible characters; use `recollect forget` to remove a memory.")
    scope = new_scope or known.scope
    return Draft(
        text=text,
        kind=asked.kind or known.kind,
        scope=scope,
        at=at,
        source=Source(role=Role.USER, host=asked.by),
        title=known.title if asked.title is None else asked.title.strip() or None,
        aliases=known.aliases if asked.aliases is None else asked.aliases,
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
        mentions = (Mention.of(known.source, known.created_at), *mentions[1 - MAX_PARTS :])
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
