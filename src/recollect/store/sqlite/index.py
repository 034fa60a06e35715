"""The index over words. Every word carries who may see its row: a query walks only what its viewer may see.

A row stands in one place, made from its scope and from whether it is live, restricted or of one session only; and in
one more if it can be seen from other projects. The index has each word once for each place, so that what a search
costs, and how rare a word is, depends on what the viewer sees, and on nothing else in the store.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b

from recollect.domain.memory import Draft, Memory, ProjectId, Scope, ScopeLevel, Sensitivity, Viewer
from recollect.privacy.visibility import Reach, reach_of, reaches
from recollect.store.sqlite.rows import TURN_HASHED, DamagedRow, from_ms, is_sound, memory_of
from recollect.text.dates import date_words
from recollect.text.words import index_words, words_of

Place = str  # ten letters and digits

_LIVE, _PAST, _RESTRICTED, _SESSION, _REACH, _TURN = "live", "past", "restricted", "session", "reach", "turn"


def places_of(memory: Memory) -> tuple[Place, ...]:
    """Where a memory is found: by its scope first, then from other projects."""
    time = _LIVE if memory.is_live else _PAST
    if memory.flag is not None and memory.sensitivity is not Sensitivity.SESSION:
        return (_place(time, _RESTRICTED, memory.scope),)
    match memory.sensitivity:
        case Sensitivity.RESTRICTED:
            return (_place(time, _RESTRICTED, memory.scope),)
        case Sensitivity.SESSION:
            return (_place(time, _SESSION, memory.scope, memory.source.session or ""),)
        case Sensitivity.PUBLIC | Sensitivity.PROJECT:
            reach = reach_of(memory)
            return (_place(time, memory.scope), *((_place(time, _REACH, reach),) if reach else ()))


def places_for(viewer: Viewer, *, injectable: bool = False, past: bool = False) -> list[Place]:
    """Where a viewer looks; `injectable` leaves out what is restricted, `past` adds what is no longer true."""
    places = []
    for time in (_LIVE, _PAST) if past else (_LIVE,):
        places += [_place(time, _REACH, reach) for reach in reaches(viewer)]
        for scope in visible_scopes(viewer):
            places.append(_place(time, scope))
            if not injectable:
                places.append(_place(time, _RESTRICTED, scope))
            if viewer.session is not None:
                places.append(_place(time, _SESSION, scope, viewer.session))
    return places


def places_to_compare(draft: Draft) -> list[Place]:
    """Where something stands that says the same, or something else of the same thing."""
    if draft.sensitivity is Sensitivity.SESSION:
        return [_place(_LIVE, _SESSION, draft.scope, draft.source.session or "")]
    return [_place(_LIVE, draft.scope), _place(_LIVE, _RESTRICTED, draft.scope)]


def columns_of(places: Iterable[Place]) -> dict[Place, str]:
    """In which column of the vectors each place stands."""
    from_elsewhere = {_place(time, _REACH, reach) for time in (_LIVE, _PAST) for reach in Reach}
    return {place: "reach" if place in from_elsewhere else "place" for place in places}


def place_of_turns(project: ProjectId | str | None) -> Place:
    return _place(_TURN, project or "")


def memory_entry(memory: Memory) -> str:
    """The words of a memory, as the index has them."""
    return _entry(places_of(memory), words_of(memory))


def add_memory(connection: sqlite3.Connection, n: int, entry: str) -> None:
    connection.execute("INSERT INTO memory_words (rowid, words) VALUES (?, ?)", (n, entry))


def drop_memory(connection: sqlite3.Connection, n: int) -> None:
    connection.execute("DELETE FROM memory_words WHERE rowid = ?", (n,))


def add_turn(connection: sqlite3.Connection, n: int, project: str | None, text: str, at_ms: int) -> None:
    words = index_words(text) + index_words(date_words(from_ms(at_ms)))
    connection.execute(
        "INSERT INTO turn_words (rowid, words) VALUES (?, ?)", (n, _entry((place_of_turns(project),), words))
    )


def drop_turn(connection: sqlite3.Connection, n: int) -> None:
    connection.execute("DELETE FROM turn_words WHERE rowid = ?", (n,))


def rebuild(connection: sqlite3.Connection) -> None:
    """The whole index anew, from the rows. A damaged row is left out: it is not what was said."""
    for table in ("memory_words", "turn_words"):
        (as_made,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
        connection.execute(f"DROP TABLE {table}")  # a damaged index does not even let its rows be deleted
        connection.execute(as_made)
    for row in connection.execute("SELECT * FROM memory WHERE forgotten_ms IS NULL").fetchall():
        try:
            memory = memory_of(row)
        except DamagedRow:
            continue
        add_memory(connection, row["n"], memory_entry(memory))
    for row in connection.execute("SELECT * FROM turn").fetchall():
        if is_sound(row, TURN_HASHED):
            add_turn(connection, row["n"], row["project"], row["text"], row["at_ms"])


def rows_with(
    connection: sqlite3.Connection, table: str, places: Sequence[Place], words: Sequence[str], *, first: int = 0
) -> dict[str, list[int]]:
    """For each word, the numbers of the rows in these places, from the `first` on, that have it; every row has the
    empty one."""
    if not places or not words:
        return {word: [] for word in words}
    # One value instead of a row for each number, and one statement: six times as quick.
    each = f"SELECT json_group_array(rowid) FROM {table} WHERE {table} MATCH ?"
    each += f" AND rowid >= {first:d}" if first else ""
    queries = [" OR ".join(_quote(place + word) for place in places) for word in words]
    found = connection.execute(" UNION ALL ".join([each] * len(queries)), queries).fetchall()
    return {word: json.loads(row[0]) for word, row in zip(words, found, strict=True)}


def memories_with(
    connection: sqlite3.Connection,
    places: Sequence[Place],
    groups: Sequence[Sequence[str]],
    limit: int,
    *,
    newest: bool = False,
) -> list[list[int]]:
    """For each group of words, memories in these places that have all of them: the first ones, or the `newest`."""
    if not groups or not places:
        return [[] for _ in groups]
    order = " ORDER BY rowid DESC" if newest else ""
    found = f"SELECT rowid FROM memory_words WHERE memory_words MATCH ?{order} LIMIT ?"
    each = f"SELECT json_group_array(rowid) FROM ({found})"
    queries = [
        " OR ".join("(" + " AND ".join(_quote(place + word) for word in words) + ")" for place in places)
        for words in groups
    ]
    values = [value for query in queries for value in (query, limit)]
    rows = connection.execute(" UNION ALL ".join([each] * len(queries)), values).fetchall()
    return [json.loads(row[0]) for row in rows]


def places_in_use(connection: sqlite3.Connection, table: str, places: Sequence[Place]) -> list[Place]:
    """Those where anything is: most are empty, and need not be looked at for every word."""
    each = f"SELECT EXISTS (SELECT 1 FROM {table} WHERE {table} MATCH ?)"
    found = connection.execute(" UNION ALL ".join([each] * len(places)), list(map(_quote, places))).fetchall()
    return [place for place, row in zip(places, found, strict=True) if row[0]]


def count(connection: sqlite3.Connection, table: str, places: Iterable[Place]) -> int:
    query = " OR ".join(map(_quote, places))
    (found,) = connection.execute(f"SELECT count(*) FROM {table} WHERE {table} MATCH ?", (query,))
    return int(found[0])


def query_for_text(text: str, project: ProjectId | str | None) -> str:
    """A query that finds every turn of a project which has this text somewhere in it; empty if no word is certain.

    A name from code is indexed as it stands there, perhaps as part of a longer one: only plain words are certain.
    """
    found: dict[str, None] = {}
    for chunk in text.split():
        words = index_words(chunk)
        if len(words) == 1 and (words[0].isascii() or len(words[0]) > 1):
            found[words[0]] = None
        found.update(dict.fromkeys(word for word in words if len(word) == 2 and not word.isascii()))
    place = place_of_turns(project)
    return " AND ".join(_quote(place + word) for word in found)


def visible_scopes(viewer: Viewer) -> list[Scope]:
    names = {
        ScopeLevel.LANGUAGE: viewer.language,
        ScopeLevel.PROJECT: viewer.project,
        ScopeLevel.SESSION: viewer.session,
    }
    return [Scope(ScopeLevel.UNIVERSAL), *(Scope(level, name) for level, name in names.items() if name)]


def _entry(places: Sequence[Place], words: Sequence[str]) -> str:
    each = list(dict.fromkeys(words))

    def placed() -> Iterator[str]:
        for place in places:
            yield place  # so that all rows of a place can be counted
            yield from (place + word for word in each)

    return " ".join(placed())


@lru_cache(maxsize=4096)
def _place(*parts: object) -> Place:
    return blake2b("\n".join(map(str, parts)).encode(), digest_size=5).hexdigest()


def _quote(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'
