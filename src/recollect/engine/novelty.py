"""Tells a draft apart from what is known: which memory says the same, which it replaces, which it contradicts."""

from dataclasses import dataclass
from datetime import datetime
from typing import assert_never

from recollect.domain.memory import Draft, Kind, Memory, Role
from recollect.engine.ports import KeepsMemories
from recollect.novelty.compare import Relation, may_matter, verdict_of
from recollect.novelty.statement import statement, telling_words, words_to_look_for

CANDIDATES = 10  # how many known memories a draft is compared with
TRUST = {Role.USER: 2, Role.IMPORT: 2, Role.ASSISTANT: 1, Role.TOOL: 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """How a draft stands to what is known. Nothing of it: it is new."""

    same: Memory | None = None
    replaced: tuple[Memory, ...] = ()
    contradicted: tuple[Memory, ...] = ()
    newer: Memory | None = None  # it was said earlier than this one, which holds instead


def relation_of(memories: KeepsMemories, draft: Draft, now: datetime | None = None) -> Comparison:
    """`now`: None: nothing that is known lies ahead."""
    words = telling_words(draft.text)
    found = memories.alike(draft, words_to_look_for(draft.text), limit=CANDIDATES)
    found = [known for known in found if _are_of_one_sort(known, draft)]
    likely = [known for known in found if may_matter(words, telling_words(known.text), draft.text)]
    judged = [(known, _compare(known, draft, now)) for known in likely]
    same = next((known for known, verdict in judged if verdict is Relation.SAME), None)
    if same is not None:
        return Comparison(same=same)
    replaced, contradicted, newer = [], [], None
    for known, verdict in judged:
        match _with_trust(_in_time(verdict, known, draft), known, draft):
            case Relation.UPDATES if _is_earlier(draft, known, now):
                outranks = TRUST[known.source.role] >= TRUST[draft.source.role]
                newer = newer or (known if outranks else None)
            case Relation.UPDATES:
                replaced.append(known)
            case Relation.CONTRADICTS:
                contradicted.append(known)
            case Relation.SAME | Relation.UNRELATED:
                pass
            case _ as never:
                assert_never(never)
    if newer is not None:  # what is outdated itself replaces nothing
        return Comparison(newer=newer)
    return Comparison(replaced=tuple(replaced), contradicted=tuple(contradicted))


def _compare(known: Memory, draft: Draft, now: datetime | None) -> Relation:
    """The later one may change the earlier one."""
    if _is_earlier(draft, known, now):
        return verdict_of(draft.text, known.text, draft.kind, known.kind)
    return verdict_of(known.text, draft.text, known.kind, draft.kind)


def _is_earlier(draft: Draft, known: Memory, now: datetime | None) -> bool:
    """Where what is known lies ahead, by a wrong clock or from a date to come, it counts when it was learnt."""
    since = min(known.valid_from, known.created_at)
    return draft.at < since and (now is None or since <= now)


def _are_of_one_sort(known: Memory, draft: Draft) -> bool:
    """An error that is known, and what somebody wants, are two matters, however many words they share."""
    return (known.kind is Kind.ERROR_PATTERN) == (draft.kind is Kind.ERROR_PATTERN)


def _in_time(verdict: Relation, known: Memory, draft: Draft) -> Relation:
    """What is said in one breath is a list: another value is no change then, unless it says so."""
    if verdict is Relation.UPDATES and draft.at == known.valid_from and not statement(draft.text).reports_change:
        return Relation.UNRELATED
    return verdict


def _with_trust(verdict: Relation, known: Memory, draft: Draft) -> Relation:
    """Who says it decides what it may do: nothing that a tool said, or that is flagged, moves what a person said."""
    if verdict not in (Relation.UPDATES, Relation.CONTRADICTS):
        return verdict
    if draft.source.role is Role.TOOL or draft.flag is not None or known.flag is not None:
        return Relation.UNRELATED
    by_user = TRUST[draft.source.role] == TRUST[Role.USER]
    if draft.kind is Kind.CORRECTION and by_user:
        return Relation.UPDATES  # a correction by the user outranks everything that it contradicts
    if TRUST[draft.source.role] < TRUST[known.source.role]:
        return Relation.CONTRADICTS
    return verdict
