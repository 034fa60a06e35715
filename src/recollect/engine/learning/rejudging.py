"""Judge captured memories again, once per version of the rules: those that today's rules would not confirm become
candidates. All of it is one change, which `undo` can undo. It judges in small steps that only read, so that no writer
waits; the chores table stores how far it got. The change itself is one short transaction, after a backup."""

import json
from collections.abc import Collection
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Protocol

from recollect.capture.rules_version import RULES_VERSION, still_confirms
from recollect.domain.changes import Change, ChangeAction, ChangeId
from recollect.domain.event import Prompt, Reply
from recollect.domain.learning import Origin
from recollect.domain.memory import Memory, Role, Tier
from recollect.domain.session import Turn
from recollect.engine.learning_ports import KeepsCandidates
from recollect.engine.ports import KeepsChores, KeepsTurns, WritesMemories

CHORE = "captured memories"
STEP_MEMORIES = 4
ALL = 1_000_000
MAX_TURNS = 5  # the message that a memory comes from, and those before it


class CanJudge(WritesMemories, KeepsTurns, KeepsCandidates, KeepsChores, Protocol): ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Progress:
    after: str = ""  # the id of the memory that was judged last
    failed: tuple[str, ...] = ()
    is_done: bool = False
    deed: int | None = None


def judge_some(store: CanJudge, at: datetime) -> bool:
    """Take one step. False: all memories are judged by these rules."""
    so_far = _progress(store)
    if so_far.is_done:
        return False
    some = store.find_captured(rules=RULES_VERSION, after=so_far.after, limit=STEP_MEMORIES)
    if not some:
        _demote(store, frozenset(so_far.failed), at)
        return False
    failed = [memory.id for memory in some if not still_confirms(memory, _source_events(store, memory))]
    _store_progress(store, _Progress(after=some[-1].id, failed=(*so_far.failed, *failed)))
    return True


def current_change(store: CanJudge) -> Change | None:
    """Return the change that made candidates of the memories that failed, unless it was undone."""
    number = _progress(store).deed
    change = None if number is None else store.find_change(ChangeId(number))
    return change if change is not None and change.undone_by is None else None


def _demote(store: CanJudge, failed: Collection[str], at: datetime) -> None:
    if failed:
        store.back_up()
    with store.transaction():
        if _progress(store).is_done:  # another process was faster
            return
        change = None
        # Found again: some may have been approved or forgotten since.
        for memory in store.find_captured(rules=RULES_VERSION, after="", limit=ALL):
            if memory.id not in failed:
                continue
            if change is None:
                change = store.begin_change(ChangeAction.DEMOTE, at, "recollect", {"rules": RULES_VERSION})
            store.note_memory_change(change, memory.id, memory)
            confidence = min(memory.confidence, memory.durability)
            store.update(replace(memory, tier=Tier.CANDIDATE, confidence=confidence, conflicts=()))
        _store_progress(store, _Progress(is_done=True, deed=change))


def _source_events(store: CanJudge, memory: Memory) -> list[Prompt | Reply]:
    session, message = memory.source.session, memory.source.message
    if session is None or message is None:
        return []
    return [_event(turn) for turn in store.turns_until(session, message, limit=MAX_TURNS)]


def _event(turn: Turn) -> Prompt | Reply:
    if turn.role is Role.USER:
        origin = turn.origin or Origin.USER
        return Prompt(session=turn.session, at=turn.at, message=turn.message, text=turn.text, origin=origin)
    return Reply(session=turn.session, at=turn.at, message=turn.message, text=turn.text)


def _progress(store: KeepsChores) -> _Progress:
    """Read the stored progress. If it belongs to other rules or is unreadable, begin again."""
    with suppress(ValueError, KeyError, TypeError):
        stored = json.loads(store.chore_state(CHORE) or "")
        if stored.pop("rules") == RULES_VERSION:
            return _Progress(**stored)
    return _Progress()


def _store_progress(store: KeepsChores, progress: _Progress) -> None:
    store.finish_chore(CHORE, json.dumps({"rules": RULES_VERSION, **asdict(progress)}))
