"""What happened is kept once: one memory for each error, one command for each purpose and part of a project."""

from dataclasses import replace
from datetime import timedelta

from recollect.capture.happened.command_purposes import is_own_task
from recollect.capture.happened.shell import runs
from recollect.domain.memory import Draft, Kind, Memory, Role, Tier
from recollect.engine.ports import KeepsMemories
from recollect.text.signature import signature
from recollect.text.words import index_words

CANDIDATES = 20  # how many known memories are compared by their titles
USUAL = 2  # sessions in which a command worked: then it is not another one that takes its place ...
USUAL_FOR = timedelta(days=14)  # ... as long as it is used


def earlier(memories: KeepsMemories, draft: Draft) -> Memory | None:
    """What is known of the same error, or for the same purpose; None: nothing."""
    if draft.title is None or draft.kind not in (Kind.ERROR_PATTERN, Kind.RESEARCH):
        return None
    found = memories.alike(draft, index_words(draft.title), limit=CANDIDATES)
    name = _name(draft)
    return next((known for known in found if known.kind is draft.kind and _name(known) == name), None)


def as_known(known: Memory | None, draft: Draft) -> Draft | None:
    """The draft as it is to be kept beside what is known of the same; None: that stays as it is."""
    if known is None:
        return draft
    is_elsewhere = draft.source.session != known.source.session
    if known.text == draft.text:  # a command that worked in a second session
        is_command = draft.kind is Kind.RESEARCH and is_elsewhere
        return replace(draft, tier=Tier.CONFIRMED) if is_command else draft
    if known.source.role is not Role.ASSISTANT or draft.at < known.valid_from:
        return None
    if known.tier is Tier.CONFIRMED and draft.tier is Tier.CANDIDATE:
        return None
    if _is_own_task(known) != _is_own_task(draft):
        return draft if _is_own_task(draft) else None
    last = max((known.valid_from, *(mention.at for mention in known.mentions)))
    is_usual = draft.kind is Kind.RESEARCH and known.seen >= USUAL and draft.at - last <= USUAL_FOR
    return None if is_usual else draft


def _is_own_task(one: Memory | Draft) -> bool:
    """Whether it is a command that the project gives a name to, in place of a tool that it may run for that."""
    line = one.evidence[0] if one.evidence and one.kind is Kind.RESEARCH else ""
    return any(map(is_own_task, runs(line)))


def _name(one: Memory | Draft) -> str:
    """An error by its signature, a command by its purpose."""
    if one.kind is not Kind.ERROR_PATTERN:
        return one.title or ""
    return signature(one.evidence[0] if one.evidence else one.title or "").key
