"""Take back doubtful replacements of earlier versions, once per version of the rules: memories that a captured statement
replaced although it is about something else. All of it is one change, which `undo` can undo."""

from dataclasses import replace
from datetime import datetime
from typing import Protocol

from recollect.capture.echo import is_echo, words_of
from recollect.domain.changes import AGENTS, Change, ChangeAction, ChangeId
from recollect.domain.memory import Kind, Memory, Tier
from recollect.engine.memories import join_projects
from recollect.engine.ports import KeepsChores, WritesMemories
from recollect.novelty.compare import Relation, relation_between
from recollect.text.sentences import sentences

CHORE = "doubtful replacements"
RULES_VERSION = "2"  # a new version judges once more
NO_CHANGE = "none"


class CanJudgeAgain(WritesMemories, KeepsChores, Protocol): ...


def take_back(store: CanJudgeAgain, at: datetime) -> Change | None:
    """Return the change, if something was doubtful. Judging only reads; the change is one short transaction."""
    if _is_done(store):
        return None
    doubtful = [memory for memory in store.find_replaced() if _is_doubtful(store, memory)]
    if doubtful:
        store.back_up()
    with store.transaction():
        if _is_done(store):  # another process was faster
            return None
        unchanged = _find_unchanged(store, doubtful)
        if not unchanged:
            store.finish_chore(CHORE, f"{RULES_VERSION} {NO_CHANGE}")
            return None
        change = store.begin_change(ChangeAction.REJUDGE, at, "recollect")
        for memory in unchanged:
            store.note_memory_change(change, memory.id, memory)
            store.update(_revive(memory))
        store.finish_chore(CHORE, f"{RULES_VERSION} {change}")
    return store.find_change(change)


def current_change(store: CanJudgeAgain) -> Change | None:
    """Return the change that `take_back` made, unless it was undone."""
    number = (store.chore_state(CHORE) or NO_CHANGE).split()[-1]
    if number == NO_CHANGE:
        return None
    change = store.find_change(ChangeId(int(number)))
    return change if change is not None and change.undone_by is None else None


def _is_done(store: CanJudgeAgain) -> bool:
    return (store.chore_state(CHORE) or NO_CHANGE).split()[0] == RULES_VERSION


def _find_unchanged(store: CanJudgeAgain, doubtful: list[Memory]) -> list[Memory]:
    """Return the memories that did not change since they were judged and have no live twin."""
    found = []
    for memory in doubtful:
        now = store.get(memory.id)
        if now is None or now.forgotten_at is not None or now.superseded_by != memory.superseded_by:
            continue
        if store.find_same(join_projects.as_draft(_revive(now))) is None:
            found.append(now)
    return found


def _revive(memory: Memory) -> Memory:
    return replace(memory, superseded_by=None, valid_to=None)


def _is_doubtful(store: CanJudgeAgain, old: Memory) -> bool:
    new = store.get(old.superseded_by) if old.superseded_by is not None else None
    if new is None or new.forgotten_at is not None or not _was_replaced_by_capture(store, old):
        return False
    if old.tier is Tier.CANDIDATE and is_echo(old.text, [words_of(sentence) for sentence in sentences(new.text)]):
        return False  # the new memory says the same
    verdict = relation_between(old.text, new.text, old.kind, new.kind)
    if verdict in (Relation.UPDATES, Relation.SAME):
        return False
    may_end_a_contradiction = new.kind is Kind.CORRECTION or old.tier is Tier.CANDIDATE
    return not (verdict is Relation.CONTRADICTS and may_end_a_contradiction)


def _was_replaced_by_capture(store: CanJudgeAgain, old: Memory) -> bool:
    """Return True if capture or an agent replaced the memory, not a person who stated so."""
    replaced_by = None
    for one in store.memory_changes_of(old.id):
        is_replacement = one.before is None or one.before.superseded_by != old.superseded_by
        if one.deed.undone_by is None and is_replacement:
            replaced_by = one.deed  # the last one counts
    return replaced_by is not None and (replaced_by.kind is ChangeAction.LEARN or replaced_by.by in AGENTS)
