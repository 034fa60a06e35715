"""The index over words. Every indexed word includes the place of its row: a query reads only what its viewer may see. A
row has one place, made from its scope and from whether it is live, restricted or of one session only; and one more if
other projects can see it. The index has each word once per place, so the cost of a search, and the rarity of a word,
depend only on what the viewer sees."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b

from recollect.domain.memory import Draft, Memory, ProjectId, Scope, ScopeLevel, Sensitivity, Viewer
from recollect.privacy.visibility import Reach, reach_of, reaches
from recollect.store.sqlite.rows import TURN_HASHED, DamagedRow, from_ms, is_sound, memory_of
from recollect.text.words import date_words, index_words, words_of

Place = str  # ten letters and digits

_LIVE, _PAST, _RESTRICTED, _SESSION, _REACH, _TURN = "live", "past", "restricted", "session", "reach", "turn"


def places_of(memory: Memory) -> tuple[Place, ...]:
    """Return the places of a memory: that of its scope first, then the one for other projects."""
    time = _LIVE if memory.is_live else _PAST
    if memory.flag is not None and memory.sensitivity is not Sensitivity.SESSION:
        return (_place(time, _RESTRICTED, memory.scope),)
    match memory.sensitivity:
        case Sensitivity.RESTRICTED:
            return (_place(time, _RESTRICTED, memory.scope),)
        case Sensitivity.SESSION:
            return (_place(time, _SESSION, memory.scope, memory.source.session or ""),)
        case Sensitivity.PUBLIC | Sensitivity.PROJECT:
            own, reach = _place(time, memory.scope), reach_of(memory)
            return (own, _place(time, _REACH, reach)) if reach else (own,)


def places_for(viewer: Viewer, *, injectable: bool = False, past: bool = False) -> list[Place]:
    """Return the places that a viewer sees; `injectable` leaves out restricted memories, `past` adds ended ones."""
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
    """Return the places of memories that may say the same as the draft, or contradict it."""
    if draft.sensitivity is Sensitivity.SESSION:
        return [_place(_LIVE, _SESSION, draft.scope, draft.source.session or "")]
    return [_place(_LIVE, draft.scope), _place(_LIVE, _RESTRICTED, draft.scope)]


def columns_of(places: Iterable[Place]) -> dict[Place, str]:
    """Return the column of the vector table for each place."""
    return {place: "reach" if place in _FOR_OTHERS else "place" for place in places}


def place_of_turns(project: ProjectId | str | None) -> Place:
    return _place(_TURN, project or "")


def memory_entry(memory: Memory) -> str:
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
    """Rebuild the whole index from the rows, without damaged ones."""
    for table in ("memory_words", "turn_words"):
        (create_sql,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
        connection.execute(f"DROP TABLE {table}")  # rows of a damaged index cannot even be deleted
        connection.execute(create_sql)
    for row in connection.execute("SELECT * FROM memory WHERE forgotten_ms IS NULL").fetchall():
        with suppress(DamagedRow):
            add_memory(connection, row["n"], memory_entry(memory_of(row)))
    for row in connection.execute("SELECT * FROM turn").fetchall():
        if is_sound(row, TURN_HASHED):
            add_turn(connection, row["n"], row["project"], row["text"], row["at_ms"])


def rows_with(
    connection: sqlite3.Connection, table: str, places: Sequence[Place], words: Sequence[str], *, first: int = 0
) -> dict[str, list[int]]:
    """Return for each word the rows in these places that have it, from number `first` on. All have the empty word."""
    if not places or not words:
        return {word: [] for word in words}
    # One value instead of a row per number, in one statement: six times as fast.
    each = f"SELECT json_group_array(rowid) FROM {table} WHERE {table} MATCH ?"
    if first:
        each += f" AND rowid >= {first:d}"
    any_place = " OR ".join([f'"{place}*"' for place in places])  # no place has a star
    queries = [any_place.replace("*", word.replace('"', '""')) for word in words]
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
    """Return for each group of words memories in these places that have all of them: the first, or the `newest`."""
    if not groups or not places:
        return [[] for _ in groups]
    order = " ORDER BY rowid DESC" if newest else ""
    found = f"SELECT rowid FROM memory_words WHERE memory_words MATCH ?{order} LIMIT ?"
    each = f"SELECT json_group_array(rowid) FROM ({found})"
    values: list[object] = []
    for words in groups:
        values += [_any_place(places, words), limit]
    rows = connection.execute(" UNION ALL ".join([each] * len(groups)), values).fetchall()
    return [json.loads(row[0]) for row in rows]


def _any_place(places: Iterable[Place], words: Sequence[str]) -> str:
    """Return a query for rows that have all words in one of the places."""
    return " OR ".join("(" + " AND ".join(_quote(place + word) for word in words) + ")" for place in places)


def places_in_use(connection: sqlite3.Connection, table: str, places: Sequence[Place]) -> list[Place]:
    """Return the places that have rows: most are empty, and need no query for every word."""
    each = f"SELECT EXISTS (SELECT 1 FROM {table} WHERE {table} MATCH ?)"
    queries = [f'"{place}"' for place in places]
    found = connection.execute(" UNION ALL ".join([each] * len(places)), queries).fetchall()
    return [place for place, row in zip(places, found, strict=True) if row[0]]


def count(connection: sqlite3.Connection, table: str, places: Iterable[Place]) -> int:
    query = " OR ".join([f'"{place}"' for place in places])
    (found,) = connection.execute(f"SELECT count(*) FROM {table} WHERE {table} MATCH ?", (query,))
    return int(found[0])


def query_for_text(text: str, project: ProjectId | str | None) -> str:
    """Return a query that finds every turn of a project that contains this text; empty if no word is certain. A name
    from code is indexed as written, perhaps as part of a longer one: only plain words are certain."""
    certain: dict[str, None] = {}
    for chunk in text.split():
        words = index_words(chunk)
        if len(words) == 1 and (words[0].isascii() or len(words[0]) > 1):
            certain[words[0]] = None
        certain.update(dict.fromkeys(word for word in words if len(word) == 2 and not word.isascii()))
    place = place_of_turns(project)
    return " AND ".join(_quote(place + word) for word in certain)


def visible_scopes(viewer: Viewer) -> list[Scope]:
    names = {
        ScopeLevel.LANGUAGE: viewer.language,
        ScopeLevel.PROJECT: viewer.project,
        ScopeLevel.SESSION: viewer.session,
    }
    return [Scope(ScopeLevel.UNIVERSAL), *[Scope(level, name) for level, name in names.items() if name]]


def _entry(places: Sequence[Place], words: Sequence[str]) -> str:
    unique = list(dict.fromkeys(words))
    entry: list[str] = []
    for place in places:
        entry.append(place)  # so that all rows of a place can be counted
        entry += [place + word for word in unique]
    return " ".join(entry)


@lru_cache(maxsize=4096)
def _place(*parts: object) -> Place:
    return blake2b("\n".join(map(str, parts)).encode(), digest_size=5).hexdigest()


def _quote(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'


_FOR_OTHERS = frozenset(_place(time, _REACH, reach) for time in (_LIVE, _PAST) for reach in Reach)
