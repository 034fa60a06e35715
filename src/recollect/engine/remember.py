"""The only write path. A draft becomes a memory, counts as one more mention of a known one, takes its place, or stands
beside it until a person decides. What it replaces is never deleted: it ends, and stays in the history."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b

from recollect.domain.errors import InvalidValue
from recollect.domain.history import DeedId
from recollect.domain.memory import EARLIEST, Draft, Memory, MemoryId, Mention, Role, Sensitivity, Tier
from recollect.domain.outcome import Contradicts, New, Same, Stored, Updates
from recollect.engine import anchoring
from recollect.engine.novelty import TRUST, Comparison, relation_of
from recollect.engine.ports import KeepsMemories, Writes
from recollect.novelty.conflicts import BY_THE_USER
from recollect.text.block import visible

ID_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"  # no l, o, 0, 1: ids are read and typed by people
ID_CHARS = 8
MENTIONS_AT_MOST = 200  # the last ones are kept: `seen` counts them all
GAIN_OF_A_MENTION = 0.1  # of importance
WORTH_CONFIRMING = 0.5  # the durability of what its user need only say again
_AS_LETTERS = (ID_ALPHABET * (256 // len(ID_ALPHABET))).encode()


def remember(
    memories: Writes, draft: Draft, deed: DeedId, live: Collection[MemoryId] = (), now: datetime | None = None
) -> Stored:
    """Somebody says it: a known memory counts it, an outdated one steps aside.

    `live`: what the speaker had in front of them. An agent that repeats it is an echo: nothing is counted. `now`: what
    is dated later than that is no newer than the draft.
    """
    with memories.writing():
        known = _known(memories, draft)
        relation = Comparison() if known or _is_past(draft) else relation_of(memories, draft, now)
        if draft.tier is Tier.CANDIDATE:
            relation, draft = _of_a_candidate(relation, draft)
        else:
            relation = _beside_candidates(relation)
        same = known or relation.same
        if same is not None and same.id in live and draft.source.role not in BY_THE_USER:
            return Same(same)
        if same is not None:
            again = _said_again(same, draft)
            memories.note_change(deed, same.id, same)
            memories.update(again)
            return Same(again)
        return _added(memories, draft, deed, relation)


def _beside_candidates(relation: Comparison) -> Comparison:
    """What nothing has proven gives way: there is nothing for a person to decide."""
    doubted = tuple(known for known in relation.contradicted if known.tier is Tier.CANDIDATE)
    disputed = tuple(known for known in relation.contradicted if known.tier is Tier.CONFIRMED)
    return replace(relation, replaced=(*relation.replaced, *doubted), contradicted=disputed)


def _of_a_candidate(relation: Comparison, draft: Draft) -> tuple[Comparison, Draft]:
    """What nothing has proven yet disputes nothing; read in what an agent says, it ends nothing either. But a user who
    tells of a change to what is known has told of it outright."""
    if draft.source.role not in BY_THE_USER:
        return Comparison(same=relation.same), draft
    return replace(relation, contradicted=()), replace(draft, tier=Tier.CONFIRMED) if relation.replaced else draft


def revise(memories: Writes, known: Memory, draft: Draft, deed: DeedId) -> Stored:
    """Somebody names what they change. Who is trusted less than whoever said it ends nothing, nor does what reads as an
    order: both stand until a person decides."""
    with memories.writing():
        said_by = max(TRUST[one.role] for one in (known.source, *(mention.source for mention in known.mentions)))
        may_end = TRUST[draft.source.role] >= said_by and (draft.flag is None or known.flag is not None)
        same = _known(memories, draft)
        if same is None:
            relation = Comparison(replaced=(known,)) if may_end else Comparison(contradicted=(known,))
            return _added(memories, draft, deed, relation)
        is_kept_back = same.flag is not None or same.sensitivity is Sensitivity.RESTRICTED
        if same.id == known.id or not may_end or is_kept_back:  # nothing that is shown gives way to what is not
            return Same(same)
        return Updates(same, (supersede(memories, known, same, deed),))


def bring_back(memories: Writes, draft: Draft, deed: DeedId, now: datetime | None = None) -> Stored:
    """It comes from a file: what has an id of its own comes as it was, with its counts; the rest is told apart like
    anything that is said. The same file twice changes nothing."""
    is_ours = draft.id is not None or _is_past(draft)
    if draft.id is None and _is_past(draft):  # nothing live will be found for it, and its time may be that of reading
        draft = replace(draft, id=next(_ids_of(replace(draft, at=EARLIEST))))
    with memories.writing():
        taken = memories.get(draft.id or next(_ids_of(draft)))
        is_same = taken is not None and _says_the_same(taken, draft)
        if taken is not None and taken.forgotten_at is None and is_same and (draft.id or not taken.is_live):
            return Same(taken)
        known = _known(memories, draft)
        if known is None and taken is not None and taken.forgotten_at is not None and is_same:
            relation = Comparison() if is_ours else relation_of(memories, draft, now)
            if relation.same is None:
                return _added(memories, draft, deed, relation, instead_of=taken)
        if known is None and not is_ours:
            known = memories.find_same(draft, past=True)
            if known is not None and not known.is_live:  # it was read before, and something newer took its place
                return Same(known)
        relation = Comparison() if known or is_ours else relation_of(memories, draft, now)
        same = known or relation.same
        if same is None:
            return _added(memories, draft, deed, relation)
        merged = _merged(same, draft, seen=max(same.seen, draft.seen))
        if merged != same:
            memories.note_change(deed, same.id, same)
            memories.update(merged)
        return Same(merged)


def _known(memories: Writes, draft: Draft) -> Memory | None:
    if not visible(draft.text):
        raise InvalidValue("The text has nothing that can be seen; say what is to be remembered.")
    return None if _is_past(draft) else memories.find_same(draft)  # what no longer holds is no mention of what does


def _is_past(draft: Draft) -> bool:
    return draft.superseded_by is not None or draft.valid_to is not None


def _added(
    memories: Writes, draft: Draft, deed: DeedId, relation: Comparison, instead_of: Memory | None = None
) -> Stored:
    """`instead_of`: it was forgotten, and comes back under its name."""
    memory = _memory(draft, _free_id(memories, draft) if instead_of is None else instead_of.id)
    if relation.newer is not None:  # it was said earlier than what holds now: it goes straight into the history
        newer = _next_after(memories, memory, relation.newer)
        memory = replace(memory, valid_to=newer.valid_from, superseded_by=newer.id)
    if relation.contradicted:
        conflicts = (*memory.conflicts, *(known.id for known in relation.contradicted))
        memory = replace(memory, conflicts=tuple(dict.fromkeys(conflicts)))
    memories.note_change(deed, memory.id, instead_of)
    if instead_of is None:
        memories.add(memory)
    else:
        memories.update(memory)
    replaced = tuple(supersede(memories, known, memory, deed) for known in relation.replaced)
    if replaced:
        return Updates(memory, replaced)
    return Contradicts(memory, relation.contradicted) if relation.contradicted else New(memory)


def _next_after(memories: Writes, memory: Memory, newer: Memory) -> Memory:
    """Of all that came to hold later, the first: between it and what holds now there may have been others."""
    chain = [newer]
    for later in chain:
        older = [known for known in memories.predecessors(later.id) if known.valid_from > memory.valid_from]
        chain += [known for known in older if known not in chain and known.forgotten_at is None]
    return min(chain, key=lambda known: (known.valid_from, known.id))


def supersede(memories: Writes, known: Memory, by: Memory, deed: DeedId) -> Memory:
    """From when the other began to hold, this one no longer did."""
    ended = replace(known, valid_to=max(by.valid_from, known.valid_from), superseded_by=by.id)
    memories.note_change(deed, known.id, known)
    memories.update(ended)
    return ended


def _says_the_same(known: Memory, draft: Draft) -> bool:
    return (known.text, known.kind, known.scope) == (draft.text.strip(), draft.kind, draft.scope)


def _said_again(known: Memory, draft: Draft) -> Memory:
    """Both sources are kept, and in whose words it was said."""
    merged = _merged(known, draft, seen=known.seen + draft.seen)
    mentions = (*merged.mentions, Mention(source=draft.source, at=draft.at))
    merged = replace(merged, mentions=tuple(dict.fromkeys(mentions))[-MENTIONS_AT_MOST:], tier=_tier(known, draft))
    if draft.source.role not in BY_THE_USER:  # an agent repeats what it was shown: that makes nothing truer
        return merged
    gained = min(2.0, round(merged.importance + GAIN_OF_A_MENTION, 3))
    # Said by its user, it is no order of somebody else; what is flagged itself changes nothing about that.
    return replace(merged, importance=gained, flag=None if draft.flag is None else merged.flag)


def _tier(known: Memory, draft: Draft) -> Tier:
    """A candidate is confirmed by somebody who states it outright, or by its user in another session; but what somebody
    types every day without saying anything that lasts ("the build fails again") is not."""
    is_elsewhere = draft.source.session != known.source.session and not _is_copy(known, draft)
    is_worth = min(known.durability, draft.durability) >= WORTH_CONFIRMING
    if is_elsewhere and is_worth and draft.source.role in BY_THE_USER and draft.flag is None:
        return Tier.CONFIRMED
    return draft.tier if known.tier is Tier.CANDIDATE else known.tier


def _is_copy(known: Memory, draft: Draft) -> bool:
    """Whether both are of the same message: a session that was resumed begins with copies."""
    return draft.at == known.created_at and draft.source.message == known.source.message


def _merged(known: Memory, draft: Draft, *, seen: int) -> Memory:
    """What the draft adds is added, and of two sensitivities the stricter one holds. What is flagged adds no words to
    what is not; and what its user says as well needs no flag."""
    if draft.flag is not None and known.flag is None:
        return replace(known, seen=seen)
    if TRUST[draft.source.role] < TRUST[known.source.role]:  # a title would be shown in place of what a person said
        return replace(known, seen=seen)
    strictness = list(Sensitivity)
    said = visible(draft.text).casefold()
    quoted = (known.text, *known.evidence, *draft.evidence)  # a line of a file, say, with its bullet
    words = () if any(said in visible(text).casefold() for text in quoted) else (draft.text.strip(),)
    return replace(
        known,
        seen=seen,
        title=draft.title or known.title,
        flag=None if draft.source.role is Role.USER and draft.flag is None else known.flag,
        aliases=tuple(dict.fromkeys((*known.aliases, *draft.aliases))),
        evidence=tuple(dict.fromkeys((*known.evidence, *draft.evidence, *words))),
        anchors=anchoring.merged(known.anchors, draft.anchors),
        importance=max(known.importance, draft.importance),
        durability=max(known.durability, draft.durability),
        tier=Tier.CONFIRMED if Tier.CONFIRMED in (known.tier, draft.tier) else known.tier,
        sensitivity=max(known.sensitivity, draft.sensitivity, key=strictness.index),
        mentions=tuple(dict.fromkeys((*known.mentions, *draft.mentions)))[-MENTIONS_AT_MOST:],
    )


def _memory(draft: Draft, memory_id: MemoryId) -> Memory:
    return Memory(
        id=memory_id,
        text=draft.text.strip(),
        kind=draft.kind,
        scope=draft.scope,
        created_at=draft.at,
        valid_from=draft.valid_from or draft.at,
        source=draft.source,
        title=draft.title,
        aliases=draft.aliases,
        sensitivity=draft.sensitivity,
        importance=draft.importance,
        confidence=draft.confidence,
        valid_to=draft.valid_to,
        superseded_by=draft.superseded_by,
        evidence=draft.evidence,
        anchors=draft.anchors,
        seen=draft.seen,
        use=draft.use,
        mentions=draft.mentions,
        flag=draft.flag,
        conflicts=draft.conflicts,
        tier=draft.tier,
        durability=draft.durability,
        rules=draft.rules,
    )


def _free_id(memories: KeepsMemories, draft: Draft) -> MemoryId:
    if draft.id is not None:
        if memories.get(draft.id) is not None:
            raise InvalidValue(f"There is a memory {draft.id!r} already; leave the id out, or choose another.")
        return draft.id
    return next(candidate for candidate in _ids_of(draft) if memories.get(candidate) is None)


def _ids_of(draft: Draft) -> Iterator[MemoryId]:
    """Ids come from the content, so that the same story gives the same bytes; a taken one moves on to the next."""
    for salt in range(1000):
        digest = blake2b(f"{draft.scope}\n{draft.kind}\n{draft.text}\n{draft.at.isoformat()}\n{salt}".encode()).digest()
        yield MemoryId(digest[:ID_CHARS].translate(_AS_LETTERS).decode())
