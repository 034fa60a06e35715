"""Find memories, or turns of the archive, for a question. Best first, each with its reasons."""

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
    TurnMatches,
    WordMatches,
    check_query,
)
from recollect.domain.session import Turn, TurnHit
from recollect.domain.settings import Kinds, SearchSettings, Settings, TurnSettings
from recollect.domain.vector import Vector, midpoint
from recollect.engine.anchoring import ChecksFreshness, demote_stale, find_project_root, freshness_check, no_freshness
from recollect.engine.context import Context
from recollect.engine.ports import Embeds, FindsMemories, KeepsTurns
from recollect.engine.redaction import redact_hit, redact_turn_hit
from recollect.novelty.conflicts import order_conflicts
from recollect.novelty.statement import mentions_change
from recollect.privacy.visibility import may_see
from recollect.rank.calibrate import coverage, coverage_of_turn, likely_cosine, rarity, relevance
from recollect.rank.score import apply_durability, turn_factors, turn_score
from recollect.text.embedding_text import common_words, prompt_meaning, without_names
from recollect.text.enumeration import enumeration
from recollect.text.intent import Intent, intent
from recollect.text.naming import PromptWords, correct_slips, find_slips, read_prompt_words
from recollect.text.query import asks_about_the_past, search_words, word_weights
from recollect.text.words import names_of, word_set

if TYPE_CHECKING:
    from recollect.domain.search import Reals
    from recollect.rank.archive import RankedTurns

MAX_MEANING_CHARS = 10_000  # the model reads no more of a text
MAX_NEAREST = 3  # uncertain hits, where nothing fits
NEAR_COSINE = 0.10  # below it, even an uncertain hit has nothing to do with the question
MAX_VERSIONS = 5  # user turns that are compared to find a newer version
_DIGIT = re.compile(r"\d")
TURN_POOL = 200  # turns that are compared passage by passage


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryQuery:
    """A prompt, an error or a query, as memories are compared with it."""

    words: Sequence[str]  # those that matter
    spoken: PromptWords
    matches: WordMatches  # where the words occur
    meaning: Meaning | None
    embeds: Embeds | None  # without a meaning it is not used: typing errors are not recognised either
    intent: Intent


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
    look: ChecksFreshness = no_freshness,
    uncertain: bool = False,
) -> list[Hit]:
    """Return the best hits; for a question that asks for all of something, all of it. `limit` None: the usual number.
    `uncertain`: return instead the nearest few of what does not fit."""
    check_query(query)
    listed = enumeration(query)
    topic = query if listed is None else listed.topic
    if listed is not None and listed.kinds and not filters.kinds:
        filters = replace(filters, kinds=listed.kinds)
    wanted = limit or (settings.search.hits if listed is None else MAX_LISTED)
    stale_only = filters.status is MemoryStatus.STALE
    words = search_words(topic) if topic else [ANY_WORD]
    matches = memories.look_up(words, viewer, past=filters.includes_past)
    meaning = embed_query(embeds, topic, matches.occurrences, matches.memories, viewer.project)
    max_candidates = max(wanted, settings.search.candidates) if listed is None and not stale_only else MAX_LISTED
    found = memories.search(matches, meaning, limit=max_candidates, filters=filters)
    question = MemoryQuery(
        words=words if topic else [],
        spoken=read_prompt_words(topic),
        matches=matches,
        meaning=meaning,
        embeds=embeds,
        intent=intent(query),
    )
    hits = weigh(question, [one for one in found if may_see(one.memory, viewer)], settings.search, settings.kinds, now)
    if uncertain:
        hits = list(filter(_is_near, hits))[:MAX_NEAREST] if listed is None else []
    if topic:
        hits = [hit for hit in hits if is_relevant(hit, settings.search) is not uncertain]
    else:  # everything is listed, so everything fits
        hits = [replace(hit, relevance=1.0, factors={**hit.factors, "relevance": 1.0}) for hit in hits]
    hits.sort(key=lambda hit: not hit.memory.is_live)  # stable
    hits = order_conflicts(demote_stale(hits, len(hits) if stale_only else wanted, look, settings.stale))
    if stale_only:
        hits = [hit for hit in hits if hit.freshness.is_stale]
    return hits[:wanted]


def is_relevant(hit: Hit | TurnHit, search: SearchSettings) -> bool:
    """One word of the question is enough for an asker; a hit without one must be near enough in meaning."""
    return hit.factors["words"] > 0 or hit.relevance >= search.meaning_floor


def _is_near(hit: Hit) -> bool:
    return hit.factors.get("meaning", 0.0) >= NEAR_COSINE or hit.factors["words"] > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnSearch:
    """All turns of a project, compared with a question."""

    turns: TurnMatches
    worth: Mapping[str, float]  # by rarity, of each word of the question that any turn has
    ranked: "RankedTurns"
    cosine: "Reals | None"  # None: there is no model, or there are no vectors
    passages: Mapping[int, tuple[float, ...]]  # position of a turn in the pool -> cosine of each passage


def search_turns(
    archive: KeepsTurns,
    embeds: Embeds | None,
    query: str,
    project: ProjectId | None,
    *,
    pool: int,
    filters: Filters = EVERYTHING,
    running: Collection[SessionId] | None = None,
    meaning: Meaning | None = None,
) -> TurnSearch:
    """`pool`: how many turns are compared passage by passage. `meaning`: of the query, if it was embedded already."""
    # Imports numpy: only a caller that searches old turns waits for it.
    from recollect.rank.archive import prefer_newest, rank, word_rarity

    words = list(word_weights(query))
    turns = archive.look_up_turns(words, project, filters=filters, running=running)

    def is_known(name: str) -> bool:
        return len(turns.positions_by_word.get(name, ())) > 0

    weights = word_weights(query, is_known)
    # A long reply has many words, so only the user's turns show which words are common.
    counted = turns.from_user if turns.from_user.any() else ~turns.from_user
    occurrences = {word: int(counted[found].sum()) for word, found in turns.positions_by_word.items()}
    texts = int(counted.sum())
    if meaning is None or not texts:
        meaning = embed_query(embeds, query, occurrences, texts, project)
    if meaning is not None:  # only a query with names needs a second run of the model
        about = embed_query(embeds, _without_names(query, is_known), occurrences, texts, project)
        meaning = meaning if about is None else replace(meaning, vector=midpoint(meaning.vector, about.vector))
    cosine = None if meaning is None else archive.turn_cosines(turns, meaning)
    passages: dict[int, tuple[float, ...]] = {}
    if meaning is not None and cosine is not None:
        best = rank(turns, weights, cosine).best(pool)
        each = archive.passage_cosines(turns.numbers[best].tolist(), meaning.vector)
        passages = dict(zip(best.tolist(), each, strict=True))
    nearest = {at: max(cosines) for at, cosines in passages.items() if cosines}
    ranked = rank(turns, weights, cosine, nearest)
    if not asks_about_the_past(query):
        ranked = prefer_newest(ranked, turns, *_find_versions(archive, turns, ranked, passages))
    worth = {
        word: weights[word] * word_rarity(len(turns.numbers), len(found))
        for word, found in turns.positions_by_word.items()
    }
    return TurnSearch(turns=turns, worth=worth, ranked=ranked, cosine=cosine, passages=passages)


def _find_versions(
    archive: KeepsTurns, turns: TurnMatches, ranked: "RankedTurns", passages: Mapping[int, tuple[float, ...]]
) -> tuple[dict[int, Vector], list[int]]:
    """For the first few user turns, return the vector of the passage nearest to the question; and which of these turns
    give a value or report a change, so that they may be newer versions of the others."""
    best = ranked.best(TURN_POOL).tolist()
    first = [at for at in best if turns.from_user[at] and passages.get(at)][:MAX_VERSIONS]
    numbers = [int(turns.numbers[at]) for at in first]
    nearest = [passages[at].index(max(passages[at])) for at in first]
    vectors = archive.passage_vectors(dict(zip(numbers, nearest, strict=True)))
    vector_of: dict[int, Vector] = {}
    changes: list[int] = []
    for at, number, turn in zip(first, numbers, archive.turns(numbers), strict=True):
        if turn is None or number not in vectors:
            continue
        vector_of[at] = vectors[number]
        if _DIGIT.search(turn.text) or mentions_change(turn.text):
            changes.append(at)
    return vector_of, changes


def recall_turns(
    archive: KeepsTurns,
    embeds: Embeds | None,
    query: str,
    project: ProjectId | None,
    *,
    limit: int,
    filters: Filters = EVERYTHING,
) -> list[TurnHit]:
    found = search_turns(archive, embeds, query, project, pool=max(limit, TURN_POOL), filters=filters)
    best = found.ranked.best(limit)
    occurring = {word: found.turns.occurrences.get(word, 0) for word in search_words(query)}
    rarity_of_query = sum(rarity(occurring, len(found.turns.numbers)).values())
    turns = archive.turns(found.turns.numbers[best].tolist())
    hits = []
    for at, turn in zip(best.tolist(), turns, strict=True):
        if turn is not None and turn.project == project:
            hits.append(_turn_hit(found, at, turn, rarity_of_query))
    return hits


def _turn_hit(found: TurnSearch, at: int, turn: Turn, rarity_of_query: float) -> TurnHit:
    ranked = found.ranked
    words, meaning = float(ranked.words[at]), float(ranked.meaning[at])
    has_vector = found.cosine is not None and not isnan(found.cosine[at])
    return TurnHit(
        turn=turn,
        relevance=relevance(meaning if has_vector else None, coverage_of_turn(words, rarity_of_query)),
        score=float(ranked.score[at]),
        factors={
            "words": words,
            "meaning": meaning,
            "session": float(ranked.session[at]),
            "neighbours": float(ranked.neighbours[at]),
            "speaker": float(found.turns.by_named_speaker[at]),
            "user": float(found.turns.from_user[at]),
        },
    )


def embed_query(
    embeds: Embeds | None, query: str, occurrences: Mapping[str, int], texts: int, project: ProjectId | None
) -> Meaning | None:
    """Return None without a model, or without anything to compare the query with."""
    if embeds is None or not texts or not query:
        return None
    text = prompt_meaning(query[:MAX_MEANING_CHARS], common_words(occurrences, texts, project or ""))
    return Meaning(vector=embeds.embed_question(text), model=embeds.model)


def _without_names(query: str, is_known: Callable[[str], bool]) -> str:
    """Names are found by their letters, so half of the meaning is that of the query without them. Empty: it has none."""
    rest = without_names(query[:MAX_MEANING_CHARS], is_known)
    return "" if rest == query else rest


def weigh(
    question: MemoryQuery,
    found: Sequence[FoundMemory],
    weights: TurnSettings | SearchSettings,
    kinds: Kinds,
    now: datetime,
) -> list[Hit]:
    """Compute relevance, score and factors, best first; of equal scores, the kind that helps with the task first."""
    if not found:
        return []
    spoken, words, matches = question.spoken, question.words, question.matches
    names = {one.memory.id: names_of(one.memory) for one in found}
    knows = None if question.meaning is None or question.embeds is None else question.embeds.knows
    if knows is not None:
        # If two words may have been meant, the one that is a name wins.
        meant = find_slips(spoken, (one.memory.text for one in found), knows) | find_slips(
            spoken, chain(*names.values()), knows
        )
        spoken, words = correct_slips(spoken, meant), [meant.get(word, word) for word in words]
    weight = rarity({**dict.fromkeys(words, 0), **matches.occurrences}, matches.memories)
    hits = []
    for one in found:
        memory = one.memory
        named = spoken.name_confidence(names[memory.id], knows)
        shared = coverage(words, word_set(memory), weight, named=named)
        cosine = one.cosine
        if cosine is None and knows is not None:
            cosine = likely_cosine(shared)
        relevant = relevance(cosine, shared)
        factors = turn_factors(memory, relevant, question.intent, now, kinds)
        factors |= {"words": shared.overlap, "named": shared.named}
        if one.cosine is not None:
            factors["meaning"] = one.cosine
        score, factors = apply_durability(turn_score(factors, weights), factors, memory)
        hits.append(Hit(memory=memory, relevance=relevant, score=score, factors=factors))
    helps = {kind: place for place, kind in enumerate(question.intent.kinds)}
    return sorted(hits, key=lambda hit: (-hit.score, helps.get(hit.memory.kind, len(helps)), hit.memory.id))


def recall_memories(
    ctx: Context,
    query: str,
    viewer: Viewer,
    *,
    limit: int | None,
    filters: Filters = EVERYTHING,
    uncertain: bool = False,
) -> list[Hit]:
    """A memory can be found stale only in its own project's folder. `uncertain`: return the nearest few of what does
    not fit."""
    if filters.status is MemoryStatus.STALE:
        here = find_project_root(ctx)
        if here is None or here.project != viewer.project:
            raise InvalidValue("The status `stale` works only inside the project's own folder.")
    hits = recall(
        ctx.store,
        ctx.model(),
        query,
        viewer,
        limit=limit,
        now=ctx.now,
        settings=ctx.settings,
        filters=filters,
        look=freshness_check(ctx, asked=True),
        uncertain=uncertain,
    )
    return list(map(redact_hit, hits))


def recall_archive(
    ctx: Context,
    query: str,
    project: ProjectId | None,
    *,
    limit: int,
    filters: Filters = EVERYTHING,
    fitting: bool = False,
) -> list[TurnHit]:
    """Best first. `fitting`: leave out turns with neither a word nor the meaning of the question."""
    hits = recall_turns(ctx.store, ctx.model(), query, project, limit=limit, filters=filters)
    if fitting:
        hits = [hit for hit in hits if is_relevant(hit, ctx.settings.search)]
    return list(map(redact_turn_hit, hits))
