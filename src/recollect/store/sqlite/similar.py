"""Finds what a draft may repeat, replace or contradict: current memories of its scope that share rare words with it.
The work is bounded in a store of any size: of a common word only rows that share two such words, the newest. It needs
no matrix and no model, so that every process that writes can use it."""

import json
import sqlite3
from collections.abc import Collection, Sequence
from itertools import pairwise

from recollect.domain.memory import Draft, Memory
from recollect.store.sqlite import index
from recollect.store.sqlite.database import Database
from recollect.store.sqlite.rows import memories_of

MAX_WORDS = 60  # the longest: they are mostly the rarest
ROWS_PER_WORD = 50  # a word with more rows says little by itself
MAX_COMMON_WORDS = 3  # these are searched in pairs


class SimilarMemories:
    _database: Database

    def find_similar(self, draft: Draft, words: Collection[str], *, limit: int) -> list[Memory]:
        with self._database.read() as connection:
            places = index.places_in_use(connection, "memory_words", index.places_to_compare(draft))
            longest = sorted(set(words), key=len, reverse=True)[:MAX_WORDS]
            numbers = _best(connection, places, sorted(longest), limit)
            rows = connection.execute(
                "SELECT memory.* FROM json_each(?) AS found JOIN memory ON memory.n = found.value ORDER BY found.key",
                (json.dumps(numbers),),
            ).fetchall()
        return memories_of(rows)


def _best(connection: sqlite3.Connection, places: Sequence[index.Place], words: Sequence[str], limit: int) -> list[int]:
    # Unordered: the first rows are enough to see that many rows have a word.
    having = index.memories_with(connection, places, [[word] for word in words], ROWS_PER_WORD)
    rare = [rows for rows in having if len(rows) < ROWS_PER_WORD]
    common = [word for word, rows in zip(words, having, strict=True) if len(rows) == ROWS_PER_WORD]
    pairs = [list(pair) for pair in pairwise(common[:MAX_COMMON_WORDS])]
    together = index.memories_with(connection, places, pairs, ROWS_PER_WORD, newest=True)
    scores: dict[int, float] = {}
    for rows in (*rare, *together):
        for n in rows:
            scores[n] = scores.get(n, 0.0) + 1 / (2 + len(rows))
    return sorted(scores, key=lambda n: (-scores[n], -n))[:limit]
