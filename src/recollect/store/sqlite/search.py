"""Finds memories in SQLite: words in the index, meaning in the matrices, then only the rows of the best."""

import heapq
import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from operator import itemgetter
from typing import Any

from recollect.domain.memory import Viewer
from recollect.domain.search import EVERYTHING, Filters, FoundMemory, Meaning, MemoryStatus, WordMatches
from recollect.store.sqlite import index, vectors
from recollect.store.sqlite.database import Database
from recollect.store.sqlite.rows import DamagedRow, memory_of, to_ms
from recollect.store.sqlite.vector_cache import NOTHING_NEAR, Nearness, VectorCache


class MemorySearch:
    _database: Database
    _vector_cache: VectorCache

    def look_up(
        self, words: Sequence[str], viewer: Viewer, *, injectable: bool = False, past: bool = False
    ) -> WordMatches:
        places = index.places_for(viewer, injectable=injectable, past=past)
        with self._database.read() as connection:
            places = index.places_in_use(connection, "memory_words", places)
            if not places:
                return WordMatches()
            memories = index.count(connection, "memory_words", places)
            having = index.rows_with(connection, "memory_words", places, words)
        return WordMatches(numbers_by_word=having, memories=memories, places=places)

    def search(
        self, sighting: WordMatches, meaning: Meaning | None, *, limit: int, filters: Filters = EVERYTHING
    ) -> list[FoundMemory]:
        from recollect.store.sqlite.word_scores import score_words  # imports numpy, which only a search needs

        word_scores = score_words(sighting)
        with self._database.read() as connection:
            for _ in range(2):
                near = self._similarities(connection, meaning, sighting.places)
                words, allowed = word_scores, None
                if filters != EVERYTHING:
                    candidates = {*word_scores.numbers.tolist(), *near.candidates()}
                    allowed = _rows_that_pass(connection, candidates, filters)
                    words = word_scores.only(allowed)
                likely = words.best(limit)
                cosines = near.best(limit, also=likely, allowed=allowed)
                best = _merge_rankings(likely, words.of(cosines), cosines, limit)
                rows = _rows(connection, best)
                changed = near.find_changed(rows)
                if len(rows) == len(best) and not changed:
                    break
                self._vector_cache.drop(sighting.places)  # a row was moved or deleted since: search again
        found: list[FoundMemory] = []
        for row in rows:
            with suppress(DamagedRow):
                cosine = None if row["n"] in changed else cosines.get(row["n"])
                found.append(FoundMemory(memory=memory_of(row), cosine=cosine))
        return found

    def _similarities(self, connection: sqlite3.Connection, meaning: Meaning | None, places: Sequence[str]) -> Nearness:
        if meaning is None:
            return NOTHING_NEAR
        newest = vectors.newest_revision(connection, "memory_vector", meaning.model)
        if newest is None:
            return NOTHING_NEAR
        return self._vector_cache.near(connection, index.columns_of(places), meaning.vector, newest)


def _merge_rankings(
    likely: Mapping[int, float], by_word: Mapping[int, float], near: Mapping[int, float], limit: int
) -> list[int]:
    """Rank by words and meaning together; a third of the places each is for the best by words alone and meaning alone."""
    together = {n: by_word[n] + max(cosine, 0.0) for n, cosine in near.items()}
    by_one = [*list(likely)[: limit // 3], *_highest(near, limit // 3)]
    return list(dict.fromkeys([*by_one, *_highest({**likely, **together}, limit)]))[:limit]


def _highest(values: Mapping[int, float], count: int) -> list[int]:
    return [n for n, _ in heapq.nlargest(count, values.items(), key=itemgetter(1))]


def _rows(connection: sqlite3.Connection, numbers: Sequence[int]) -> list[sqlite3.Row]:
    return connection.execute(
        "SELECT memory.*, rev FROM json_each(?) AS found JOIN memory ON memory.n = found.value "
        "LEFT JOIN memory_vector ON memory_vector.n = memory.n ORDER BY found.key",
        (json.dumps(numbers),),
    ).fetchall()


def _rows_that_pass(connection: sqlite3.Connection, numbers: Collection[int], filters: Filters) -> frozenset[int]:
    where, values = ["forgotten_ms IS NULL"], dict[str, Any](numbers=json.dumps(list(numbers)))
    if filters.kinds:
        where.append("kind IN (SELECT value FROM json_each(:kinds))")
        values["kinds"] = json.dumps([kind.value for kind in filters.kinds])
    if filters.scope is not None:
        where.append("scope = :scope")
        values["scope"] = str(filters.scope)
    if filters.since is not None:
        where.append("valid_from_ms >= :since")
        values["since"] = to_ms(filters.since)
    if filters.until is not None:
        where.append("valid_from_ms < :until")
        values["until"] = to_ms(filters.until)
    if filters.as_of is not None:
        # A memory that was replaced without a date ended when its replacement became valid.
        where.append(
            "valid_from_ms <= :as_of AND coalesce(valid_to_ms, "
            "(SELECT newer.valid_from_ms FROM memory AS newer WHERE newer.id = memory.superseded_by), :ever) > :as_of"
        )
        values |= {"as_of": to_ms(filters.as_of), "ever": 1 << 62}
    elif filters.status is MemoryStatus.SUPERSEDED:
        where.append("(valid_to_ms IS NOT NULL OR superseded_by IS NOT NULL)")
    elif filters.status is MemoryStatus.STALE:
        where.append("anchors != '[]'")  # only the files show which of them are stale
    (found,) = connection.execute(
        "SELECT json_group_array(n) FROM json_each(:numbers) AS found JOIN memory ON memory.n = found.value "
        f"WHERE {' AND '.join(where)}",
        values,
    ).fetchone()
    return frozenset(json.loads(found))
