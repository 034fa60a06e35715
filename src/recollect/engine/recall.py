"""What is known about something, for whoever asks. Best first, each with its reasons."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from math import isnan
from typing import TYPE_CHECKING

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Hit, ProjectId, SessionId, Viewer
from recollect.domain.search import (
    ANY_WORD,
    EVERYTHING,
    MAX_LISTED,
    Filters,
    FoundMemory,
    Meaning,
    MemoryStatus,
    SightedTurns,
    Sighting,
)
from recollect.domain.session import TurnHit
from recollect.domain.settings import SearchSettings, Settings, TurnSettings
from recollect.domain.vector import Vector, between
from recollect.engine.anchoring import Looks, nobody_looks, settled
from recollect.engine.ports import Embeds, FindsMemories, KeepsTurns
from recollect.novelty.conflicts import rightful_first
from recollect.novelty.statement import tells_of_change
from recollect.privacy.visibility import may_see
from recollect.rank.calibrate import coverage, coverage_of_turn, likely_cosine, rarity, relevance
from recollect.rank.score import turn_factors, turn_score, with_durability
from recollect.text.enumeration import enumeration
from recollect.text.intent import Intent, intent
from recollect.text.meaning import common_words, prompt_meaning, without_names
from recollect.text.naming import Said, mended, said, slips
from recollect.text.query import asks_about_the_past, search_words, weighed_words
from recollect.text.words import names_of, word_set

if TYPE_CHECKING:
    from recollect.domain.search import Reals
    from recollect.rank.archive import Ranked

MAX_MEANING_CHARS = 10_000  # the model reads no more of a text
MAX_NEAREST = 3  # are told to whoever asked where nothing fits
NEAR_COSINE = 0.10  # of what is told then: below it, nothing has to do with anything
FIRST = 5  # turns of the user that are looked at for a newer version
_DIGIT = re.compile(r"\d")
TURN_POOL = 200  # so many turns are looked at passage by passage


def recall(
    memories: FindsMemories,
    embeds: Embeds | None,
    query: str,
    viewer: Viewer,
    *,
    limit: int | None,
    now: datetime,
    settings: Settings,
    filters: Filters = EVERYTHING,
    look: Looks = nobody_looks,
    uncertain: bool = False,
) -> list[Hit]:
    """The best; where the question asks for all of something, all of it. `limit` None: as many as usual. `uncertain`:
    instead the nearest few of what does not fit, for whoever asked and would be told nothing."""
    if not query.strip():
        raise InvalidValue("The question is empty; say what is to be found.")
    listed = enumeration(query)
    about = query if listed is None else listed.topic
    if listed is not None and listed.kinds and not filters.kinds:
        filters = replace(filters, kinds=listed.kinds)
    wanted = limit or (settings.search.hits if listed is None else MAX_LISTED)
    words = search_words(about) if about else [ANY_WORD]
    sighting = memories.look_up(words, viewer, past=filters.looks_back)
    asked = embed_query(embeds, about, sighting.occurrences, sighting.memories, viewer.project)
    stale_only = filters.status is MemoryStatus.STALE
    candidates = max(wanted, settings.search.candidates) if listed is None and not stale_only else MAX_LISTED
    found = memories.search(sighting, asked, limit=candidates, filters=filters)
    visible = [one for one in found if may_see(one.memory, viewer)]
    hits = weigh(
        visible,
        words if about else [],
        said(about),
        sighting,
        settings.search,
        intent(query),
        embeds=embeds if asked is not None else None,
        now=now,
        settings=settings,
    )
    if not about:  # whatever is listed fits
        hits = [replace(hit, relevance=1.0, factors={**hit.factors, "relevance": 1.0}) for hit in hits]
    if uncertain:
        hits = [hit for hit in hits if listed is None and _is_near(hit)][:MAX_NEAREST]
    fitting = [hit for hit in hits if not about or is_relevant(hit, settings) is not uncertain]
    live_first = sorted(fitting, key=lambda hit: not hit.memory.is_live)  # stable: what holds comes first
    ordered = rightful_first(settled(live_first, len(live_first) if stale_only else wanted, look, settings.stale))
    return [hit for hit in ordered if hit.freshness.is_stale or not stale_only][:wanted]


def is_relevant(hit: Hit | TurnHit, settings: Settings) -> bool:
    """What has a word of the question may be shown to whoever asked it; what is only near has to be near enough."""
    return hit.factors["words"] > 0 or hit.relevance >= settings.search.meaning_floor


def _is_near(hit: Hit) -> bool:
    """Nothing says that it was meant, and something that it may be."""
    return hit.factors.get("meaning", 0.0) >= NEAR_COSINE or hit.factors["words"] > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnSearch:
    """All turns of a project beside a question."""

    turns: SightedTurns
    worth: Mapping[str, float]  # of each word of the question that any turn has, by rarity
    ranked: "Ranked"
    cosine: "Reals | None"  # None: nothing is known of what they mean
    passages: Mapping[int, tuple[float, ...]]  # for positions of the best of them, how near each passage comes


def search_turns(
    archive: KeepsTurns,
    embeds: Embeds | None,
    query: str,
    project: ProjectId | None,
    *,
    pool: int,
    filters: Filters = EVERYTHING,
    running: Collection[SessionId] | None = None,
) -> TurnSearch:
    """So many of them (`pool`) passage by passage."""
    # With numpy: only whoever asks for old turns waits for it.
    from recollect.rank.archive import newest_first, rank, word_rarity

    words = list(weighed_words(query))
    turns = archive.look_up_turns(words, project, filters=filters, running=running)

    def is_known(name: str) -> bool:
        return len(turns.having.get(name, ())) > 0

    weights = weighed_words(query, is_known)
    # A long reply has many words: which of them are common, what the user says tells.
    said = turns.from_user if turns.from_user.any() else ~turns.from_user
    occurrences = {word: int(said[found].sum()) for word, found in turns.having.items()}
    asked = _meaning_of_words(embeds, query, occurrences, int(said.sum()), project, is_known)
    cosine = None if asked is None else archive.turn_cosines(turns, asked)
    passages: dict[int, tuple[float, ...]] = {}
    if asked is not None and cosine is not None:
        best = rank(turns, weights, cosine).best(pool)
        each = archive.passage_cosines(turns.numbers[best].tolist(), asked.vector)
        passages = dict(zip(best.tolist(), each, strict=True))
    nearest = {at: max(cosines) for at, cosines in passages.items() if cosines}
    ranked = rank(turns, weights, cosine, nearest)
    if not asks_about_the_past(query):
        ranked = newest_first(ranked, turns, *_versions(archive, turns, ranked, passages))
    worth = {word: weights[word] * word_rarity(len(turns.numbers), len(found)) for word, found in turns.having.items()}
    return TurnSearch(turns=turns, worth=worth, ranked=ranked, cosine=cosine, passages=passages)


def _versions(
    archive: KeepsTurns, turns: SightedTurns, ranked: "Ranked", passages: Mapping[int, tuple[float, ...]]
) -> tuple[dict[int, Vector], list[int]]:
    """Of the first few turns of the user, the passage that comes nearest to the question; and those of them that give a
    value or tell of a change, which may be newer versions of the others."""
    first = [at for at in ranked.best(TURN_POOL).tolist() if turns.from_user[at] and passages.get(at)][:FIRST]
    numbers = [int(turns.numbers[at]) for at in first]
    nearest = (passages[at].index(max(passages[at])) for at in first)
    vectors = archive.passage_vectors(dict(zip(numbers, nearest, strict=True)))
    said = zip(first, numbers, archive.turns(numbers), strict=True)
    known = {at: (vectors[number], turn.text) for at, number, turn in said if turn is not None and number in vectors}
    leading = [at for at, (_, text) in known.items() if _DIGIT.search(text) or tells_of_change(text)]
    return {at: vector for at, (vector, _) in known.items()}, leading


def recall_turns(
    archive: KeepsTurns,
    embeds: Embeds | None,
    query: str,
    project: ProjectId | None,
    *,
    limit: int,
    filters: Filters = EVERYTHING,
) -> list[TurnHit]:
    """What was said about it in this project's sessions."""
    found = search_turns(archive, embeds, query, project, pool=max(limit, TURN_POOL), filters=filters)
    turns, cosine, ranked = found.turns, found.cosine, found.ranked
    best = ranked.best(limit)
    occurring = {word: turns.occurrences.get(word, 0) for word in search_words(query)}
    asked_words = sum(rarity(occurring, len(turns.numbers)).values())
    return [
        TurnHit(
            turn=turn,
            relevance=relevance(
                None if cosine is None or isnan(cosine[at]) else float(ranked.meaning[at]),
                coverage_of_turn(float(ranked.words[at]), asked_words),
            ),
            score=float(ranked.score[at]),
            factors={
                "words": float(ranked.words[at]),
                "meaning": float(ranked.meaning[at]),
                "session": float(ranked.session[at]),
                "neighbours": float(ranked.neighbours[at]),
                "speaker": float(turns.by_asked[at]),
                "user": float(turns.from_user[at]),
            },
        )
        for at, turn in zip(best.tolist(), archive.turns(turns.numbers[best].tolist()), strict=True)
        if turn is not None and turn.project == project
    ]


def embed_query(
    embeds: Embeds | None, query: str, occurrences: Mapping[str, int], texts: int, project: ProjectId | None
) -> Meaning | None:
    """What is asked, as the model understands it; None: there is no model, or nothing to compare it with."""
    if embeds is None or not texts or not query:
        return None
    told = prompt_meaning(query[:MAX_MEANING_CHARS], common_words(occurrences, texts, project or ""))
    return Meaning(vector=embeds.embed_question(told), model=embeds.model)


def _meaning_of_words(
    embeds: Embeds | None,
    query: str,
    occurrences: Mapping[str, int],
    texts: int,
    project: ProjectId | None,
    is_known: Callable[[str], bool],
) -> Meaning | None:
    """Names of things are found by their letters; so half of the meaning is that of what is said about them."""
    whole = embed_query(embeds, query, occurrences, texts, project)
    rest = without_names(query[:MAX_MEANING_CHARS], is_known)
    if whole is None or not rest or rest == query:
        return whole
    about = embed_query(embeds, rest, occurrences, texts, project)
    return whole if about is None else replace(whole, vector=between(whole.vector, about.vector))


def weigh(
    found: Sequence[FoundMemory],
    words: Sequence[str],
    heard: Said,
    sighting: Sighting,
    weights: TurnSettings | SearchSettings,
    about: Intent,
    *,
    embeds: Embeds | None,
    now: datetime,
    settings: Settings,
) -> list[Hit]:
    """Relevance, score and factors of what was found, best first; of equal ones, what helps with the task.

    `words` are those that matter of what was heard. Without a model (`embeds` None) words decide, and nobody can tell
    a slip of the finger from a word.
    """
    names = {one.memory.id: names_of(one.memory) for one in found}
    knows = None if embeds is None else embeds.knows
    meant: dict[str, str] = {}
    if knows is not None:
        # Of two words that may have been meant, the one that is a name.
        meant = slips(heard, (one.memory.text for one in found), knows) | slips(heard, chain(*names.values()), knows)
    heard, words = mended(heard, meant), [meant.get(word, word) for word in words]
    weight = rarity({**dict.fromkeys(words, 0), **sighting.occurrences}, sighting.memories)
    hits = []
    for one in found:
        memory = one.memory
        named = heard.surely(names[memory.id], knows)
        shared = coverage(words, word_set(memory), weight, named=named)
        relevant = relevance(one.cosine if one.cosine is not None or embeds is None else likely_cosine(shared), shared)
        factors = turn_factors(memory, relevant, about, now, settings)
        factors |= {"words": shared.overlap, "named": shared.named}
        if one.cosine is not None:
            factors["meaning"] = one.cosine
        score, factors = with_durability(turn_score(factors, weights), factors, memory)
        hits.append(Hit(memory=memory, relevance=relevant, score=score, factors=factors))
    helps = {kind: place for place, kind in enumerate(about.kinds)}
    return sorted(hits, key=lambda hit: (-hit.score, helps.get(hit.memory.kind, len(helps)), hit.memory.id))
