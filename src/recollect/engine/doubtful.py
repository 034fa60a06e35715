"""Takes back, once for each version of its rules, what earlier ones ended in doubt: memories that a captured statement
replaced, though it speaks of something else. All of it is one deed, which `undo` takes back."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from recollect.capture.echo import is_echo, words_of
from recollect.domain.history import AGENTS, Change, DeedId, DeedKind
from recollect.domain.memory import Kind, Memory, Tier
from recollect.engine import joining
from recollect.engine.ports import KeepsChores, Writes
from recollect.novelty.compare import Relation, verdict_of
from recollect.text.sentences import sentences

CHORE = "doubtful replacements"
RULES = "2"  # those that it was judged by; other rules judge once more
NOTHING = "none"
BY = "recollect"


class CanJudgeAgain(Writes, KeepsChores, Protocol):
    pass


def take_back(store: CanJudgeAgain, at: datetime) -> Change | None:
    """The deed, if something was doubtful. Judged beside other work, then changed in one short transaction."""
    if _is_done(store):
        return None
    doubtful = [memory for memory in store.replaced() if _is_doubtful(store, memory)]
    if doubtful:
        store.back_up()
    with store.writing():
        if _is_done(store):  # another process was faster
            return None
        back = [*_still_so(store, doubtful)]
        deed = store.begin_deed(DeedKind.REJUDGE, at, BY) if back else None
        for memory in back:
            assert deed is not None
            store.note_change(deed, memory.id, memory)
            store.update(_live(memory))
        store.finish_chore(CHORE, f"{RULES} {NOTHING if deed is None else deed}")
    return None if deed is None else store.deed(deed)


def taken_back(store: CanJudgeAgain) -> Change | None:
    """The deed that did it, as far as it holds."""
    last = (store.chore_state(CHORE) or NOTHING).split()[-1]
    deed = None if last == NOTHING else store.deed(DeedId(int(last)))
    return deed if deed is not None and deed.undone_by is None else None


def _is_done(store: CanJudgeAgain) -> bool:
    return (store.chore_state(CHORE) or NOTHING).split()[0] == RULES


def _still_so(store: CanJudgeAgain, doubtful: list[Memory]) -> Iterator[Memory]:
    for memory in doubtful:
        now = store.get(memory.id)
        is_as_before = now is not None and now.forgotten_at is None and now.superseded_by == memory.superseded_by
        if now is not None and is_as_before and store.find_same(joining.as_draft(_live(now))) is None:
            yield now


def _live(memory: Memory) -> Memory:
    return replace(memory, superseded_by=None, valid_to=None)


def _is_doubtful(store: CanJudgeAgain, old: Memory) -> bool:
    new = store.get(old.superseded_by) if old.superseded_by is not None else None
    if new is None or new.forgotten_at is not None or not _was_captured(store, old):
        return False
    if old.tier is Tier.CANDIDATE and is_echo(old.text, [words_of(said) for said in sentences(new.text)]):
        return False  # what proves it says it too
    verdict = verdict_of(old.text, new.text, old.kind, new.kind)
    is_corrected = verdict is Relation.CONTRADICTS and (new.kind is Kind.CORRECTION or old.tier is Tier.CANDIDATE)
    return verdict not in (Relation.UPDATES, Relation.SAME) and not is_corrected


def _was_captured(store: CanJudgeAgain, old: Memory) -> bool:
    """Whether a session that was listened to, or an agent, has ended it; not a person who says so outright."""
    changes = [one for one in store.changes_of(old.id) if one.deed.undone_by is None]
    ending = [one.deed for one in changes if one.before is None or one.before.superseded_by != old.superseded_by]
    return bool(ending) and (ending[-1].kind is DeedKind.LEARN or ending[-1].by in AGENTS)
