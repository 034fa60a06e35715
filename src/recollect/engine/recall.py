"""What is known about something, for whoever asks. Best first, each with its reasons."""

from collections.abc import Sequence
from datetime import datetime

from recollect.domain.memory import Hit, Memory, ProjectId, Viewer
from recollect.domain.session import TurnHit
from recollect.domain.settings import Settings
from recollect.engine.ports import FindsMemories, KeepsTurns
from recollect.privacy.visibility import may_see
from recollect.rank.calibrate import lexical_relevance, rarity
from recollect.rank.score import turn_factors, turn_score
from recollect.text.query import search_words
from recollect.text.words import index_words, words_of


def recall(
    memories: FindsMemories, query: str, viewer: Viewer, *, limit: int, now: datetime, settings: Settings
) -> list[Hit]:
    words = search_words(query)
    found = memories.search(words, viewer, limit=max(limit, settings.turn.candidates), injectable=False)
    visible = [memory for memory in found if may_see(memory, viewer)]
    return weigh(memories, visible, words, viewer, now=now, settings=settings)[:limit]


def recall_turns(archive: KeepsTurns, query: str, project: ProjectId | None, *, limit: int) -> list[TurnHit]:
    """What was said about it in this project's sessions. The search orders: it knows how rare the words are."""
    words = search_words(query)
    weight = dict.fromkeys(words, 1.0)
    return [
        TurnHit(turn=turn, relevance=lexical_relevance(words, frozenset(index_words(turn.text)), weight))
        for turn in archive.search_turns(words, project, limit=limit)
    ]


def weigh(
    memories: FindsMemories,
    found: Sequence[Memory],
    words: Sequence[str],
    viewer: Viewer,
    *,
    now: datetime,
    settings: Settings,
) -> list[Hit]:
    """Relevance, score and factors of what was found, best first; equal ones in the order of their ids."""
    weight = rarity(memories.occurrences(words, viewer), memories.count(viewer)) if found else {}
    hits = []
    for memory in found:
        names = [search_words(name) for name in (memory.title or "", *memory.aliases)]
        relevance = lexical_relevance(words, frozenset(words_of(memory)), weight, names)
        factors = turn_factors(memory, relevance, now, settings)
        hits.append(Hit(memory=memory, relevance=relevance, score=turn_score(factors, settings), factors=factors))
    return sorted(hits, key=lambda hit: (-hit.score, hit.memory.id))
