"""Finding what a draft may repeat, replace or contradict: live memories of its scope that share rare words with it.

Bounded: whatever the store holds, only the newest rows of each word are looked at, and of words that many rows have,
those that share two of them. It needs no matrix and no model, so that every process that writes can ask.
"""

import json
import sqlite3
from collections.abc import Collection, Sequence
from itertools import pairwise

from recollect.domain.memory import Draft, Memory
from recollect.store.sqlite import index
from recollect.store.sqlite.database import Database
from recollect.store.sqlite.rows import memories_of

WORDS_ASKED = 60  # the longest: they are the rarest, mostly
ROWS_OF_A_WORD = 50  # a word that more rows have says little by itself
COMMON_WORDS = 3  # of so many common words, two and two together are looked for


class SimilarMemories:
    _database: Database

    def alike(self, draft: Draft, words: Collection[str], *, limit: int) -> list[Memory]:
        with self._database.read() as connection:
            places = index.places_in_use(connection, "memory_words", index.places_to_compare(draft))
            asked = sorted(sorted(set(words), key=len, reverse=True)[:WORDS_ASKED])
            numbers = _best(connection, places, asked, limit)
            rows = connection.execute(
                "SELECT memory.* FROM json_each(?) AS found JOIN memory ON memory.n = found.value ORDER BY found.key",
                (json.dumps(numbers),),
            ).fetchall()
        return memories_of(rows)


def _best(connection: sqlite3.Connection, places: Sequence[index.Place], words: Sequence[str], limit: int) -> list[int]:
    # Without an order: to know that many rows have a word, it is enough to see the first ones.
    having = index.memories_with(connection, places, [[word] for word in words], ROWS_OF_A_WORD)
    rare = [rows for rows in having if len(rows) < ROWS_OF_A_WORD]
    common = [word for word, rows in zip(words, having, strict=True) if len(rows) == ROWS_OF_A_WORD]
    pairs = [list(pair) for pair in pairwise(common[:COMMON_WORDS])]
    together = index.memories_with(connection, places, pairs, ROWS_OF_A_WORD, newest=True)
    shares: dict[int, float] = {}
    for rows in (*rare, *together):
        for row in rows:
            shares[row] = shares.get(row, 0.0) + 1 / (2 + len(rows))
    return [n for n, _ in sorted(shares.items(), key=lambda share: (-share[1], -share[0]))[:limit]]
