"""Store proven facts once: one memory per error, one command per purpose and part of a project."""

from dataclasses import replace
from datetime import timedelta

from recollect.capture.happened.command_purposes import is_own_task
from recollect.capture.happened.shell import runs
from recollect.domain.memory import Draft, Kind, Memory, Role, Tier
from recollect.engine.ports import KeepsMemories
from recollect.text.signature import signature
from recollect.text.words import index_words

MAX_COMPARED = 20  # known memories whose titles are compared
USUAL_SESSIONS = 2  # a command that worked in this many sessions is not replaced by another one ...
USUAL_FOR = timedelta(days=14)  # ... as long as it is used


def find_earlier(memories: KeepsMemories, draft: Draft) -> Memory | None:
    """Find the memory of the same error, or of a command for the same purpose."""
    if draft.title is None or draft.kind not in (Kind.ERROR_PATTERN, Kind.RESEARCH):
        return None
    name = _name(draft)
    for known in memories.find_similar(draft, index_words(draft.title), limit=MAX_COMPARED):
        if known.kind is draft.kind and _name(known) == name:
            return known
    return None


def draft_beside(known: Memory | None, draft: Draft) -> Draft | None:
    """Return the draft to store, given the known memory of the same; None: the known one stays as it is."""
    if known is None:
        return draft
    if known.text == draft.text:
        is_in_second_session = draft.source.session != known.source.session
        if draft.kind is Kind.RESEARCH and is_in_second_session:  # a command that worked again
            return replace(draft, tier=Tier.CONFIRMED)
        return draft
    if known.source.role is not Role.ASSISTANT or draft.at < known.valid_from:
        return None
    if known.tier is Tier.CONFIRMED and draft.tier is Tier.CANDIDATE:
        return None
    if _is_own_task(known) != _is_own_task(draft):
        return draft if _is_own_task(draft) else None
    last = max((known.valid_from, *(mention.at for mention in known.mentions)))
    is_usual = draft.kind is Kind.RESEARCH and known.seen >= USUAL_SESSIONS and draft.at - last <= USUAL_FOR
    return None if is_usual else draft


def _is_own_task(one: Memory | Draft) -> bool:
    """Return True for a command that the project itself defines, as `make test`, rather than the tool behind it."""
    line = one.evidence[0] if one.evidence and one.kind is Kind.RESEARCH else ""
    return any(map(is_own_task, runs(line)))


def _name(one: Memory | Draft) -> str:
    """Name an error by its signature, a command by its purpose."""
    if one.kind is not Kind.ERROR_PATTERN:
        return one.title or ""
    return signature(one.evidence[0] if one.evidence else one.title or "").key
