"""Finding what a draft may repeat, replace or contradict: live memories of its scope that share rare words with it.

Bounded: whatever the store holds, only the newest rows of each word are looked at, and of words that many rows have,
those that share two of them. It needs no matrix and no model, so that every process that writes can ask.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Collection
from itertools import combinations

from recollect.domain.memory import Draft, Memory
from recollect.store.sqlite import index
from recollect.store.sqlite.database import Database
from recollect.store.sqlite.rows import memories_of

ROWS_OF_A_WORD = 100  # a word that more rows have says little by itself
COMMON_WORDS = 5  # of so many common words, each two together are looked for


class Alike:
    _database: Database

    def alike(self, draft: Draft, words: Collection[str], *, limit: int) -> list[Memory]:
        with self._database.read() as connection:
            places = index.places_beside(draft)
            numbers = _best(connection, places, sorted(set(words)), limit)
            rows = connection.execute(
                "SELECT memory.* FROM json_each(?) AS found JOIN memory ON memory.n = found.value ORDER BY found.key",
                (json.dumps(numbers),),
            ).fetchall()
        return memories_of(rows)


def _best(
    connection: sqlite3.Connection, places: Collection[index.Place], words: Collection[str], limit: int
) -> list[int]:
    having = index.newest_with(connection, places, [[word] for word in words], ROWS_OF_A_WORD)
    shares: Counter[int] = Counter()
    common = []
    for word, rows in zip(words, having, strict=True):
        if len(rows) < ROWS_OF_A_WORD:
            shares.update(dict.fromkeys(rows, 1 / (2 + len(rows))))
        else:
            common.append(word)
    pairs = [list(pair) for pair in combinations(common[:COMMON_WORDS], 2)]
    for rows in index.newest_with(connection, places, pairs, ROWS_OF_A_WORD):
        shares.update(dict.fromkeys(rows, 1 / (2 + len(rows))))
    ranked = sorted(shares.items(), key=lambda share: (-share[1], -share[0]))
    return [n for n, _ in ranked[:limit]]
