"""The index over words. Whether somebody may see a row is a token beside its words: a query meets only what it may see.

A row has one token for its scope, which also says whether it is live, restricted or of one session only, and one more
if it can be seen from other projects. So neither a filter nor a join stands between the index and the best ten.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b

from recollect.domain.memory import Memory, ProjectId, Scope, ScopeLevel, Sensitivity, Viewer
from recollect.privacy.visibility import reach_of, reaches
from recollect.store.sqlite.rows import TURN_WORDS, DamagedRow, is_sound, memory_of
from recollect.text.words import index_words, words_of

_LIVE, _RESTRICTED, _SESSION, _PAST, _REACH, _TURN = "live", "restricted", "session", "past", "reach", "turn"


def memory_entry(memory: Memory) -> tuple[str, str]:
    """The tokens and the words of a memory, as the index has them."""
    return " ".join(_tokens_of(memory)), " ".join(words_of(memory))


def add_memory(connection: sqlite3.Connection, n: int, entry: tuple[str, str]) -> None:
    connection.execute("INSERT INTO memory_words (rowid, scope, words) VALUES (?, ?, ?)", (n, *entry))


def drop_memory(connection: sqlite3.Connection, n: int) -> None:
    connection.execute("DELETE FROM memory_words WHERE rowid = ?", (n,))


def add_turn(connection: sqlite3.Connection, n: int, project: str | None, text: str) -> None:
    connection.execute(
        "INSERT INTO turn_words (rowid, scope, words) VALUES (?, ?, ?)",
        (n, _token(_TURN, project or ""), " ".join(index_words(text))),
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
        if is_sound(row, TURN_WORDS):
            add_turn(connection, row["n"], row["project"], row["text"])


def match(words: Sequence[str], viewer: Viewer, *, injectable: bool) -> str:
    """A query for live memories that the viewer may see; `injectable` leaves out the restricted ones."""
    return _query(_tokens_for(viewer, injectable=injectable), words)


def match_all(viewer: Viewer) -> str:
    """A query for every live memory that the viewer may see."""
    return f"scope : ({' OR '.join(_tokens_for(viewer, injectable=False))})"


def _tokens_for(viewer: Viewer, *, injectable: bool) -> list[str]:
    tokens = [_token(_REACH, reach) for reach in reaches(viewer)]
    for scope in scopes(viewer):
        tokens.append(_token(_LIVE, scope))
        if not injectable:
            tokens.append(_token(_RESTRICTED, scope))
        if viewer.session is not None:
            tokens.append(_token(_SESSION, scope, viewer.session))
    return tokens


def match_turns(words: Sequence[str], project: ProjectId | None) -> str:
    return _query([_token(_TURN, project or "")], words)


def all_of(text: str) -> str:
    """A query that finds every row which has this text somewhere in it; empty if no word is certain.

    A name from code is indexed as it stands there, perhaps as part of a longer one: only plain words are certain.
    """
    found: dict[str, None] = {}
    for chunk in text.split():
        words = index_words(chunk)
        if len(words) == 1 and (words[0].isascii() or len(words[0]) > 1):
            found[words[0]] = None
        found.update(dict.fromkeys(word for word in words if len(word) == 2 and not word.isascii()))
    return f"words : ({' AND '.join(map(_quoted, found))})" if found else ""


def scopes(viewer: Viewer) -> list[Scope]:
    names = {
        ScopeLevel.LANGUAGE: viewer.language,
        ScopeLevel.PROJECT: viewer.project,
        ScopeLevel.SESSION: viewer.session,
    }
    return [Scope(ScopeLevel.UNIVERSAL), *(Scope(level, name) for level, name in names.items() if name)]


def _tokens_of(memory: Memory) -> list[str]:
    if not memory.is_live:
        return [_token(_PAST, memory.scope)]
    match memory.sensitivity:
        case Sensitivity.RESTRICTED:
            return [_token(_RESTRICTED, memory.scope)]
        case Sensitivity.SESSION:
            return [_token(_SESSION, memory.scope, memory.source.session or "")]
        case Sensitivity.PUBLIC | Sensitivity.PROJECT:
            reach = reach_of(memory)
            return [_token(_LIVE, memory.scope), *([_token(_REACH, reach)] if reach else [])]


@lru_cache(maxsize=4096)
def _token(*parts: object) -> str:
    return "s" + blake2b("\n".join(map(str, parts)).encode(), digest_size=8).hexdigest()


def _query(tokens: Iterable[str], words: Iterable[str]) -> str:
    return f"scope : ({' OR '.join(tokens)}) AND words : ({' OR '.join(map(_quoted, words))})"


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'
