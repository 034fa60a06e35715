"""The only write path. A draft becomes a new memory, counts as one more mention of a known one, replaces it, or is
stored beside it until a person decides. A replaced memory is never deleted: it ends and stays in the history."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b
from typing import TypeVar

from recollect.domain.changes import ChangeId
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import (
    EARLIEST,
    MAX_PARTS,
    Draft,
    Memory,
    MemoryId,
    Mention,
    Role,
    Sensitivity,
    Tier,
    later_fields,
)
from recollect.domain.outcome import Contradicts, New, Same, Stored, Updates
from recollect.engine.anchoring import merge_anchors
from recollect.engine.memories.compare_draft import TRUST, Comparison, compare
from recollect.engine.ports import KeepsMemories, WritesMemories
from recollect.novelty.conflicts import USER_ROLES
from recollect.text.block import visible

ID_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"  # no l, o, 0, 1: ids are read and typed by people
ID_CHARS = 8
Part = TypeVar("Part")
IMPORTANCE_PER_MENTION = 0.1
MIN_DURABILITY_TO_CONFIRM = 0.5  # from here on, the user confirms a candidate by repeating it
_BYTE_TO_ID_CHAR = (ID_ALPHABET * (256 // len(ID_ALPHABET))).encode()


def remember(
    memories: WritesMemories,
    draft: Draft,
    change: ChangeId,
    live: Collection[MemoryId] = (),
    now: datetime | None = None,
) -> Stored:
    """Store what was said: count it for a known memory, replace an outdated one. `live`: memories in the speaker's live
    context; an agent that repeats one is an echo, and nothing is counted. `now`: memories with a later date are not
    newer than the draft."""
    with memories.transaction():
        known = _find_identical(memories, draft)
        relation = Comparison() if known or _has_ended(draft) else compare(memories, draft, now)
        if draft.tier is Tier.CONFIRMED:
            relation = _treat_candidates_as_replaced(relation)
        elif draft.source.role not in USER_ROLES:
            relation = Comparison(same=relation.same)  # an agent's unproven words neither contradict nor end anything
        else:
            relation = replace(relation, contradicted=())
            if relation.replaced:  # a user who reports a change to a known fact has stated it outright
                draft = replace(draft, tier=Tier.CONFIRMED)
        same = known or relation.same
        if same is None:
            return _add(memories, draft, change, relation)
        if same.id in live and draft.source.role not in USER_ROLES:
            return Same(same)
        again = _count_mention(same, draft)
        memories.note_memory_change(change, same.id, same)
        memories.update(again)
        return Same(again)


def _treat_candidates_as_replaced(relation: Comparison) -> Comparison:
    """Let contradicted candidates be replaced: nothing has proven them, so there is nothing for a person to decide."""
    doubted = tuple(known for known in relation.contradicted if known.tier is Tier.CANDIDATE)
    disputed = tuple(known for known in relation.contradicted if known.tier is Tier.CONFIRMED)
    return replace(relation, replaced=(*relation.replaced, *doubted), contradicted=disputed)


def replace_named(memories: WritesMemories, known: Memory, draft: Draft, change: ChangeId) -> Stored:
    """Replace a memory that the caller names. A source that is trusted less than the memory's, or a text that reads as
    an order, replaces nothing: both are kept until a person decides."""
    with memories.transaction():
        sources = (known.source, *known.mentions)
        is_trusted = TRUST[draft.source.role] >= max(TRUST[source.role] for source in sources)
        may_replace = is_trusted and (draft.flag is None or known.flag is not None)
        same = _find_identical(memories, draft)
        if same is None:
            relation = Comparison(replaced=(known,)) if may_replace else Comparison(contradicted=(known,))
            return _add(memories, draft, change, relation)
        is_hidden = same.flag is not None or same.sensitivity is Sensitivity.RESTRICTED
        if same.id == known.id or not may_replace or is_hidden:  # a visible memory never gives way to a hidden one
            return Same(same)
        return Updates(same, (supersede(memories, known, same, change),))


def import_draft(memories: WritesMemories, draft: Draft, change: ChangeId, now: datetime | None = None) -> Stored:
    """Store a draft from a file. One with its own id comes back as it was, with its counts; any other is compared like
    everything that is said. Importing the same file twice changes nothing."""
    is_ours = draft.id is not None or _has_ended(draft)
    if draft.id is None and _has_ended(draft):  # no live memory will match it, and its time may be the time of import
        draft = replace(draft, id=next(_ids_of(replace(draft, at=EARLIEST))))
    with memories.transaction():
        taken = memories.get(draft.id or next(_ids_of(draft)))
        if taken is not None and not _has_same_content(taken, draft):
            taken = None
        is_forgotten = taken is not None and taken.forgotten_at is not None
        if taken is not None and not is_forgotten and (draft.id or not taken.is_live):
            return Same(taken)
        same = _find_identical(memories, draft)
        relation = Comparison()
        if same is None and not is_ours:
            relation = compare(memories, draft, now)
        if same is None and is_forgotten and relation.same is None:
            return _add(memories, draft, change, relation, instead_of=taken)
        if same is None and not is_ours:
            ended = memories.find_same(draft, past=True)
            if ended is not None:  # it was imported before and has been replaced since
                return Same(ended)
            same = relation.same
        if same is None:
            return _add(memories, draft, change, relation)
        merged = _merge_draft_into(same, draft, seen=max(same.seen, draft.seen))
        if merged != same:
            memories.note_memory_change(change, same.id, same)
            memories.update(merged)
        return Same(merged)


def _find_identical(memories: WritesMemories, draft: Draft) -> Memory | None:
    if not visible(draft.text):
        raise InvalidValue("The text has no visible characters; say what to remember.")
    return None if _has_ended(draft) else memories.find_same(draft)  # a past statement is no mention of a current one


def _has_ended(draft: Draft) -> bool:
    return draft.superseded_by is not None or draft.valid_to is not None


def _add(
    memories: WritesMemories, draft: Draft, change: ChangeId, relation: Comparison, instead_of: Memory | None = None
) -> Stored:
    """Store a draft as a memory. `instead_of`: a forgotten memory that comes back under its id."""
    memory = Memory.from_draft(draft, _free_id(memories, draft) if instead_of is None else instead_of.id)
    if relation.newer is not None:  # older than the current memory: it goes straight into the history
        newer = _first_successor(memories, memory, relation.newer)
        memory = replace(memory, valid_to=newer.valid_from, superseded_by=newer.id)
    if relation.contradicted:
        conflicts = (*memory.conflicts, *(known.id for known in relation.contradicted))
        memory = replace(memory, conflicts=_newest(conflicts))
    memories.note_memory_change(change, memory.id, instead_of)
    if instead_of is None:
        memories.add(memory)
    else:
        memories.update(memory)
    replaced = tuple(supersede(memories, known, memory, change) for known in relation.replaced)
    if replaced:
        return Updates(memory, replaced)
    return Contradicts(memory, relation.contradicted) if relation.contradicted else New(memory)


def _first_successor(memories: WritesMemories, memory: Memory, newer: Memory) -> Memory:
    """Return the first memory that became valid after this one: the current one may have replaced others in between."""
    chain = [newer]
    for later in chain:  # grows while it is read
        for known in memories.predecessors(later.id):
            if known.valid_from > memory.valid_from and known.forgotten_at is None and known not in chain:
                chain.append(known)
    return min(chain, key=lambda known: (known.valid_from, known.id))


def supersede(memories: WritesMemories, known: Memory, by: Memory, change: ChangeId) -> Memory:
    """End a memory at the time when the other one became valid."""
    ended = replace(known, valid_to=max(by.valid_from, known.valid_from), superseded_by=by.id)
    memories.note_memory_change(change, known.id, known)
    memories.update(ended)
    return ended


def _has_same_content(known: Memory, draft: Draft) -> bool:
    return (known.text, known.kind, known.scope) == (draft.text.strip(), draft.kind, draft.scope)


def _count_mention(known: Memory, draft: Draft) -> Memory:
    merged = _merge_draft_into(known, draft, seen=known.seen + draft.seen)
    mentions = (*merged.mentions, Mention.of(draft.source, draft.at))
    merged = replace(merged, mentions=_newest(mentions), tier=_tier_after_mention(known, draft))
    if draft.source.role not in USER_ROLES:  # an agent repeats what it was shown: that makes nothing truer
        return merged
    importance = min(2.0, round(merged.importance + IMPORTANCE_PER_MENTION, 3))
    # The user said it too, so it is no foreign order; a draft that is flagged itself does not lift the flag.
    return replace(merged, importance=importance, flag=None if draft.flag is None else merged.flag)


def _tier_after_mention(known: Memory, draft: Draft) -> Tier:
    """A candidate is confirmed when it is stated outright, or when the user repeats it in another session; but not a
    sentence of no lasting value that a user types every day ("the build fails again")."""
    is_elsewhere = draft.source.session != known.source.session and not _is_same_message(known, draft)
    is_lasting = min(known.durability, draft.durability) >= MIN_DURABILITY_TO_CONFIRM
    if is_elsewhere and is_lasting and draft.source.role in USER_ROLES and draft.flag is None:
        return Tier.CONFIRMED
    return draft.tier if known.tier is Tier.CANDIDATE else known.tier


def _is_same_message(known: Memory, draft: Draft) -> bool:
    """Return True if both come from the same message: a resumed session begins with copies."""
    return draft.at == known.created_at and draft.source.message == known.source.message


def _merge_draft_into(known: Memory, draft: Draft, *, seen: int) -> Memory:
    """Add what the draft adds; the stricter sensitivity wins. A flagged draft adds no words to an unflagged memory, and
    a memory that the user states too loses its flag."""
    if draft.flag is not None and known.flag is None:
        return replace(known, seen=seen)
    if TRUST[draft.source.role] < TRUST[known.source.role]:  # its title would be shown instead of a person's words
        return replace(known, seen=seen)
    strictness = list(Sensitivity)
    evidence = [*known.evidence, *draft.evidence]
    text = visible(draft.text).casefold()
    if not any(text in visible(quoted).casefold() for quoted in (known.text, *evidence)):
        evidence.append(draft.text.strip())  # otherwise it is in there, as in a line of a file with its bullet
    return replace(
        known,
        **later_fields(draft),
        seen=seen,
        title=draft.title or known.title,
        flag=None if draft.source.role is Role.USER and draft.flag is None else known.flag,
        aliases=_newest((*known.aliases, *draft.aliases)),
        evidence=_newest(evidence),
        anchors=_newest(merge_anchors(known.anchors, draft.anchors)),
        importance=max(known.importance, draft.importance),
        durability=max(known.durability, draft.durability),
        tier=Tier.CONFIRMED if Tier.CONFIRMED in (known.tier, draft.tier) else known.tier,
        sensitivity=max(known.sensitivity, draft.sensitivity, key=strictness.index),
        mentions=_newest((*known.mentions, *draft.mentions)),
    )


def _newest(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Return each part once. The last ones are kept: an export with more could not be imported."""
    return tuple(dict.fromkeys(parts))[-MAX_PARTS:]


def _free_id(memories: KeepsMemories, draft: Draft) -> MemoryId:
    if draft.id is not None:
        if memories.get(draft.id) is not None:
            raise InvalidValue(f"There is already a memory {draft.id!r}; leave the id out, or choose another.")
        return draft.id
    return next(candidate for candidate in _ids_of(draft) if memories.get(candidate) is None)


def _ids_of(draft: Draft) -> Iterator[MemoryId]:
    """Yield ids computed from the content, so that the same input gives the same ids; if one is taken, use the next."""
    for salt in range(1000):
        digest = blake2b(f"{draft.scope}\n{draft.kind}\n{draft.text}\n{draft.at.isoformat()}\n{salt}".encode()).digest()
        yield MemoryId(digest[:ID_CHARS].translate(_BYTE_TO_ID_CHAR).decode())
