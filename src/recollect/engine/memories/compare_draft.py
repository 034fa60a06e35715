"""Compare a draft with known memories: which one says the same, which it replaces, which it contradicts."""

from dataclasses import dataclass
from datetime import datetime
from typing import assert_never

from recollect.domain.memory import Draft, Kind, Memory, Role
from recollect.engine.ports import KeepsMemories
from recollect.novelty.compare import Relation, may_be_related, relation_between
from recollect.novelty.statement import lookup_words, parse_statement, topic_words

MAX_COMPARED = 10  # known memories that a draft is compared with
TRUST = {Role.USER: 2, Role.IMPORT: 2, Role.ASSISTANT: 1, Role.TOOL: 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """How a draft relates to known memories. If all is empty, it is new."""

    same: Memory | None = None
    replaced: tuple[Memory, ...] = ()
    contradicted: tuple[Memory, ...] = ()
    newer: Memory | None = None  # the draft is older than this one, which stays current


def compare(memories: KeepsMemories, draft: Draft, now: datetime | None = None) -> Comparison:
    """Compare a draft. `now`: a known memory with a later date counts from when it was learnt; None: there is none."""
    judged = []
    words, said = topic_words(draft.text), {draft.text.strip(), *draft.evidence}
    similar = memories.find_similar(draft, lookup_words(draft.text), limit=MAX_COMPARED)
    # A repetition is counted where it was counted before, although a nearer memory may be known by now.
    for known in sorted(similar, key=lambda known: -len(said.intersection(known.evidence))):
        if _are_of_one_sort(known, draft) and may_be_related(words, topic_words(known.text), draft.text):
            verdict = _compare(known, draft, now)
            if verdict is Relation.SAME:
                return Comparison(same=known)
            judged.append((known, verdict))
    replaced, contradicted = [], []
    newer: Memory | None = None
    for known, verdict in judged:
        match _with_trust(_in_time(verdict, known, draft), known, draft):
            case Relation.UPDATES if _is_earlier(draft, known, now):
                if newer is None and TRUST[known.source.role] >= TRUST[draft.source.role]:
                    newer = known
            case Relation.UPDATES:
                replaced.append(known)
            case Relation.CONTRADICTS:
                contradicted.append(known)
            case Relation.SAME | Relation.UNRELATED:
                pass
            case _ as never:
                assert_never(never)
    if newer is not None:  # a draft that is itself outdated replaces nothing
        return Comparison(newer=newer)
    return Comparison(replaced=tuple(replaced), contradicted=tuple(contradicted))


def _compare(known: Memory, draft: Draft, now: datetime | None) -> Relation:
    """Compare in order of time: only the later one can change the earlier one."""
    if _is_earlier(draft, known, now):
        return relation_between(draft.text, known.text, draft.kind, known.kind)
    return relation_between(known.text, draft.text, known.kind, draft.kind)


def _is_earlier(draft: Draft, known: Memory, now: datetime | None) -> bool:
    """A known memory dated in the future, by a wrong clock or on purpose, counts from when it was learnt."""
    since = min(known.valid_from, known.created_at)
    return draft.at < since and (now is None or since <= now)


def _are_of_one_sort(known: Memory, draft: Draft) -> bool:
    """Never compare a known error with a wish of the user, however many words they share."""
    return (known.kind is Kind.ERROR_PATTERN) == (draft.kind is Kind.ERROR_PATTERN)


def _in_time(verdict: Relation, known: Memory, draft: Draft) -> Relation:
    """Statements of the same moment are a list: another value is no change, unless the draft says so."""
    if verdict is Relation.UPDATES and draft.at == known.valid_from and not parse_statement(draft.text).reports_change:
        return Relation.UNRELATED
    return verdict


def _with_trust(verdict: Relation, known: Memory, draft: Draft) -> Relation:
    """Limit the verdict by the draft's author: a tool's words, or flagged ones, never change what a person said."""
    if verdict not in (Relation.UPDATES, Relation.CONTRADICTS):
        return verdict
    if draft.source.role is Role.TOOL or draft.flag is not None or known.flag is not None:
        return Relation.UNRELATED
    trust = TRUST[draft.source.role]
    if draft.kind is Kind.CORRECTION and trust == TRUST[Role.USER]:
        return Relation.UPDATES  # a correction by the user outranks everything that it contradicts
    if trust < TRUST[known.source.role]:
        return Relation.CONTRADICTS
    return verdict
