"""The turn block: the few memories that fit this prompt and are not in front of the model yet, or silence."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from recollect.domain.injection import Injection, Placement
from recollect.domain.memory import Hit, MemoryId, Viewer
from recollect.domain.settings import Settings
from recollect.engine.admission import is_ignored
from recollect.engine.anchoring import Looks, nobody_looks, settled
from recollect.engine.ports import Embeds, FindsMemories
from recollect.engine.recall import meaning, weigh
from recollect.engine.showing import for_block
from recollect.privacy.visibility import may_inject
from recollect.rank.budget import Offer, fill
from recollect.rank.conflicts import newest_first
from recollect.text.intent import intent
from recollect.text.meaning import project_words
from recollect.text.naming import said
from recollect.text.query import asks_something, content_words

TAKEN_FIRST = 0.70  # relevance above which a hit comes before all others, whatever its age; unless it is stale

SILENCE = Injection(placement=Placement.MESSAGE)


def answer(
    memories: FindsMemories,
    embeds: Embeds | None,
    prompt: str,
    viewer: Viewer,
    *,
    shown: Collection[MemoryId],
    recent_files: Sequence[str],
    first: bool,
    now: datetime,
    settings: Settings,
    look: Looks = nobody_looks,
) -> Injection:
    turn, budgets = settings.turn, settings.budgets
    if not turn.enabled or not content_words(prompt):
        return SILENCE
    words = _words(prompt, viewer)
    sighting = memories.look_up(words, viewer, injectable=True)
    asked = meaning(embeds, prompt, sighting.occurrences, sighting.memories, viewer.project)
    found = memories.search(sighting, asked, limit=turn.candidates)
    allowed = [
        one
        for one in found
        if may_inject(one.memory, viewer)
        and settings.kinds.injected[one.memory.kind]
        and not is_ignored(one.memory, settings.privacy)
    ]
    fresh = [one for one in allowed if one.memory.id not in shown]
    about = intent(prompt, recent_files)
    known = embeds if asked is not None else None
    heard = said(prompt, without=project_words(viewer.project or ""))
    weighed = weigh(fresh, words, heard, sighting, turn, about, embeds=known, now=now, settings=settings)
    if not asks_something(prompt, min_chars=turn.min_prompt_chars):
        weighed = [hit for hit in weighed if hit.factors["named"]]  # so few words ask only for what they call by name
    relevant = _relevant(weighed, first=first, settings=settings)
    hits = newest_first(_ordered(settled(relevant, len(relevant), look, settings.stale)))
    block = fill(
        [Offer(hit.memory, freshness=hit.freshness) for hit in map(for_block, hits)],
        Placement.MESSAGE,
        budget_tokens=budgets.turn_tokens,
        max_lines=budgets.turn_lines_first if first else budgets.turn_lines_later,
    )
    return replace(block, considered=len(found))


def _words(prompt: str, viewer: Viewer) -> list[str]:
    """Without the name of the project, which every prompt here may say."""
    asked = content_words(prompt)
    here = project_words(viewer.project or "")
    return [word for word in asked if word not in here] or asked


def _relevant(hits: Collection[Hit], *, first: bool, settings: Settings) -> list[Hit]:
    raised = 0.0 if first else settings.turn.later_threshold
    passing = [hit for hit in hits if hit.relevance >= settings.kinds.threshold[hit.memory.kind] + raised]
    best = max((hit.relevance for hit in passing), default=0.0)
    # What is called by its name is asked for, however well something else fits that was named beside it.
    return [hit for hit in passing if hit.factors["named"] or hit.relevance >= best * settings.turn.relative_cut]


def _ordered(hits: Collection[Hit]) -> list[Hit]:
    """Stable: by score within each half."""
    return sorted(hits, key=lambda hit: hit.relevance <= TAKEN_FIRST or hit.freshness.is_stale)
