"""Judges captured memories again, once for each version of the rules: those that today's rules would not confirm become
candidates. All of it is one deed, which `undo` takes back.

In small steps that only read, so that nothing waits; how far it is stays in the table of chores. The change itself is
one short transaction, after a backup.
"""

import json
from collections.abc import Collection
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Protocol

from recollect.capture.rules import RULES, still_confirms
from recollect.domain.event import Prompt, Reply
from recollect.domain.history import Change, DeedId, DeedKind
from recollect.domain.learning import Origin
from recollect.domain.memory import Memory, Role, Tier
from recollect.domain.session import Turn
from recollect.engine.learning_ports import KeepsCandidates
from recollect.engine.ports import KeepsChores, KeepsTurns, Writes

CHORE = "captured memories"
BY = "recollect"
AT_ONCE = 4  # memories of one step
ALL = 1_000_000
TURNS = 5  # the message that a memory comes from, and those before it


class CanJudge(Writes, KeepsTurns, KeepsCandidates, KeepsChores, Protocol):
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class _Progress:
    after: str = ""  # the memory that was judged last
    failed: tuple[str, ...] = ()
    is_done: bool = False
    deed: int | None = None


def judge_some(store: CanJudge, at: datetime) -> bool:
    """Take one step. False: all of it is judged by these rules."""
    so_far = _progress(store)
    if so_far.is_done:
        return False
    some = store.captured(rules=RULES, after=so_far.after, limit=AT_ONCE)
    if not some:
        _put_back(store, frozenset(so_far.failed), at)
        return False
    failed = (*so_far.failed, *(memory.id for memory in some if not still_confirms(memory, _heard(store, memory))))
    _note(store, _Progress(after=some[-1].id, failed=failed))
    return True


def put_back(store: CanJudge) -> Change | None:
    """The deed that made candidates of those that failed, as far as it holds."""
    made = _progress(store).deed
    deed = None if made is None else store.deed(DeedId(made))
    return deed if deed is not None and deed.undone_by is None else None


def _put_back(store: CanJudge, failed: Collection[str], at: datetime) -> None:
    if failed:
        store.back_up()
    with store.writing():
        if _progress(store).is_done:  # another process was faster
            return
        unchanged = store.captured(rules=RULES, after="", limit=ALL)  # some may have been approved or forgotten since
        doubted = [memory for memory in unchanged if memory.id in failed]
        deed = store.begin_deed(DeedKind.DEMOTE, at, BY, {"rules": RULES}) if doubted else None
        for memory in doubted:
            assert deed is not None
            store.note_change(deed, memory.id, memory)
            confidence = min(memory.confidence, memory.durability)
            store.update(replace(memory, tier=Tier.CANDIDATE, confidence=confidence, conflicts=()))
        _note(store, _Progress(is_done=True, deed=deed))


def _heard(store: CanJudge, memory: Memory) -> list[Prompt | Reply]:
    session, message = memory.source.session, memory.source.message
    turns = [] if session is None or message is None else store.turns_until(session, message, limit=TURNS)
    return [_event(turn) for turn in turns]


def _event(turn: Turn) -> Prompt | Reply:
    if turn.role is Role.USER:
        origin = turn.origin or Origin.USER
        return Prompt(session=turn.session, at=turn.at, message=turn.message, text=turn.text, origin=origin)
    return Reply(session=turn.session, at=turn.at, message=turn.message, text=turn.text)


def _progress(store: KeepsChores) -> _Progress:
    """By other rules, or unreadable: it begins anew."""
    with suppress(ValueError, KeyError, TypeError):
        kept = json.loads(store.chore_state(CHORE) or "")
        if kept.pop("rules") == RULES:
            return _Progress(**kept)
    return _Progress()


def _note(store: KeepsChores, progress: _Progress) -> None:
    store.finish_chore(CHORE, json.dumps({"rules": RULES, **asdict(progress)}))
