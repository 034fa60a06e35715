"""Remember what a person, an agent or a file teaches: check each draft, then store it as one change."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from recollect.api.remember import Remember, Remembered
from recollect.domain.changes import ChangeAction, ChangeId, author_of
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Draft, Kind, Memory, Role, ScopeLevel, Source, later_fields
from recollect.domain.outcome import Outcome, Refused, Stored
from recollect.engine.admission import MAX_CLOCK_AHEAD, admit_draft, find_omissions
from recollect.engine.anchoring import add_hashes, make_anchor
from recollect.engine.context import Context
from recollect.engine.memories.folder_project import scope_to_store
from recollect.engine.memories.lookup import find_memory
from recollect.engine.memories.remember import import_draft, remember, replace_named
from recollect.engine.redaction import redact_outcome
from recollect.text.orders import is_order

TRANSACTION_S = 0.015  # of a long job: the longest wait of another process with little to write
SAME_TITLE_WORDS = 3  # a text that begins with the same words keeps the title


def remember_sentence(ctx: Context, asked: Remember) -> Remembered:
    """Store one sentence that a user teaches."""
    scope = scope_to_store(ctx, asked.scope)
    anchors = [make_anchor(ctx, path, scope) for path in asked.files]
    draft = Draft(
        text=asked.text,
        kind=asked.kind or _assume_kind(asked.text),
        scope=scope,
        at=ctx.now,
        source=Source(role=Role.USER, host=asked.by),
        title=asked.title,
        aliases=asked.aliases,
        anchors=tuple(dict.fromkeys(anchors)),
        importance=asked.importance,
        sensitivity=asked.sensitivity,
    )
    return Remembered(
        outcome=remember_one(ctx, draft),
        assumed=asked.kind is None,
        omitted=find_omissions(asked.text, asked.title or "", *asked.aliases),
        unwatched=tuple(anchor.path for anchor in draft.anchors if anchor.hash is None),
    )


def _assume_kind(text: str) -> Kind:
    """An order is a rule or a preference; everything else that a user teaches is a decision."""
    from recollect.capture.said.kinds import kind_of  # many patterns, for a request that names no kind

    kind = kind_of(text, Role.USER)
    if kind in (Kind.RULE, Kind.PREFERENCE):
        return kind
    return Kind.RULE if is_order(text) else Kind.DECISION


def remember_one(ctx: Context, draft: Draft) -> Stored:
    """Raise InvalidValue if it may not be stored."""
    (outcome,) = remember_all(ctx, [draft])
    if isinstance(outcome, Refused):
        raise InvalidValue(outcome.why)
    return outcome


def remember_all(ctx: Context, drafts: Sequence[Draft]) -> list[Outcome]:
    """Store all drafts that may be stored, or none. A draft from after now replaces nothing."""
    privacy = ctx.settings.privacy
    checked = [admit_draft(draft, privacy) for draft in add_hashes(ctx, drafts)]
    first = next((draft for draft in checked if isinstance(draft, Draft)), None)
    if first is None:  # nothing is stored, not even that there was something
        return [draft for draft in checked if isinstance(draft, Refused)]
    outcomes: list[Outcome] = []
    with ctx.store.transaction():
        change = ctx.store.begin_change(ChangeAction.REMEMBER, first.at, author_of(first.source))
        for draft in checked:
            if isinstance(draft, Draft):
                outcomes.append(remember(ctx.store, draft, change, now=ctx.now))
            else:
                outcomes.append(draft)
    return list(map(redact_outcome, outcomes))


def revise(ctx: Context, memory: Memory, draft: Draft) -> Stored:
    """Reword a memory, if the speaker may overrule it. Anchors are hashed anew; aliases and sensitivity stay."""
    anchors = memory.anchors
    if memory.scope.level is ScopeLevel.PROJECT:
        anchors = tuple(replace(anchor, hash=None) for anchor in anchors)
    draft = replace(
        draft,
        anchors=anchors,
        aliases=memory.aliases,
        sensitivity=memory.sensitivity,
        title=memory.title if _title_words(memory.text) == _title_words(draft.text) else None,
        **(later_fields(memory) | later_fields(draft)),
    )
    (hashed,) = add_hashes(ctx, [draft])
    checked = admit_draft(hashed, ctx.settings.privacy)
    if isinstance(checked, Refused):
        raise InvalidValue(checked.why)
    with ctx.store.transaction():
        known = find_memory(ctx.store, memory.id)
        change = ctx.store.begin_change(ChangeAction.REMEMBER, draft.at, author_of(draft.source))
        done = replace_named(ctx.store, known, replace(checked, importance=known.importance), change)
    return redact_outcome(done)


def _title_words(text: str) -> list[str]:
    return text.casefold().split()[:SAME_TITLE_WORDS]


def import_all(
    ctx: Context, drafts: Iterable[Draft], *, by: str, change: ChangeId | None = None, strict: bool = False
) -> tuple[ChangeId, list[Outcome | InvalidValue]]:
    """Import memories from a file, in many short transactions: an agent's writes go first. Several calls can be one
    change; an import that stops halfway can be undone. `strict`: raise a refusal instead of returning it."""
    outcomes: list[Outcome | InvalidValue] = []
    rest = iter(drafts)
    is_done = False
    while not is_done:
        with ctx.store.transaction():
            change = ctx.store.begin_change(ChangeAction.IMPORT, ctx.now, by) if change is None else change
            until = ctx.seconds() + TRANSACTION_S
            is_done = True
            for draft in rest:
                outcomes.append(_import_one(ctx, draft, change, strict=strict))
                if ctx.seconds() > until:
                    is_done = False
                    break
        ctx.store.give_way()
    assert change is not None
    return change, outcomes


def _import_one(ctx: Context, draft: Draft, change: ChangeId, *, strict: bool) -> Outcome | InvalidValue:
    try:
        if draft.at > ctx.now + MAX_CLOCK_AHEAD:  # nothing would ever replace it, and it would replace everything
            raise InvalidValue(f"Its time, {draft.at.date()}, is in the future.")
        checked = admit_draft(draft, ctx.settings.privacy, from_file=True)
        if isinstance(checked, Refused):
            raise InvalidValue(checked.why)
        return redact_outcome(import_draft(ctx.store, checked, change, ctx.now))
    except InvalidValue as refusal:
        if strict:
            raise
        return refusal
