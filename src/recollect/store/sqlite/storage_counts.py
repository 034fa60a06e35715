"""Counts what is stored per project, in SQLite; and finds the sessions of forgotten projects."""

import sqlite3
from collections import Counter
from typing import Any

from recollect.domain.memory import ProjectId, ScopeLevel, SessionId
from recollect.domain.project import HIDDEN_PREFIX, StoredCounts
from recollect.store.sqlite.archive_index import ERASED_PROJECTS
from recollect.store.sqlite.database import Database
from recollect.store.sqlite.delete_quotes import table_names
from recollect.store.sqlite.inbox import ERASED_STATE
from recollect.store.sqlite.memories import LIVE
from recollect.store.sqlite.rows import from_ms

NO_PROJECT, FORGOTTEN = "no project", "forgotten"
_COUNTS = (
    *("memories", "candidates", "past", "forgotten", "turns"),
    *("sessions", "notes", "blocks", "waiting", "text_bytes"),
)
_BYTES = "sum(length(CAST({} AS BLOB)))"
_IN_SESSION = "LEFT JOIN session ON session.id = {0}.session"
_QUERIES = (
    f"""
    SELECT scope AS place, sum({LIVE} AND tier = 'confirmed') AS memories,
        sum({LIVE} AND tier = 'candidate') AS candidates,
        sum(forgotten_ms IS NULL AND NOT ({LIVE})) AS past, sum(forgotten_ms IS NOT NULL) AS forgotten,
        {_BYTES.format("text")} AS text_bytes, min(created_ms) AS oldest, max(created_ms) AS newest
    FROM memory GROUP BY scope
    """,
    f"""
    SELECT 'project:' || project AS place, count(*) AS turns, {_BYTES.format("text")} AS text_bytes,
        min(at_ms) AS oldest, max(at_ms) AS newest FROM turn GROUP BY project
    """,
    """
    SELECT 'project:' || project AS place, count(*) AS sessions, min(started_ms) AS oldest, max(started_ms) AS newest
    FROM session GROUP BY project
    """,
    f"""
    SELECT 'project:' || project AS place, count(*) AS notes, {_BYTES.format("notes || summary")} AS text_bytes
    FROM recap GROUP BY project
    """,
    f"""
    SELECT 'project:' || session.project AS place, count(*) AS blocks, {_BYTES.format("block")} AS text_bytes
    FROM injection {_IN_SESSION.format("injection")} WHERE block <> '' GROUP BY session.project
    """,
    f"""
    SELECT 'project:' || session.project AS place, sum(done = 0) AS waiting, {_BYTES.format("event")} AS text_bytes
    FROM inbox {_IN_SESSION.format("inbox")} WHERE done < {ERASED_STATE} GROUP BY session.project
    """,
    "SELECT DISTINCT 'project:' || project AS place FROM project_alias",  # also projects with nothing but a name
)


class Holdings:
    _database: Database

    def holdings(self) -> list[StoredCounts]:
        counts: dict[str, Counter[str]] = {}
        times: dict[str, list[int]] = {}
        with self._database.read() as connection:
            for query in _QUERIES:
                for row in map(dict, connection.execute(query)):
                    place = _place_name(row["place"])
                    counts.setdefault(place, Counter()).update({name: row.get(name) or 0 for name in _COUNTS})
                    times.setdefault(place, []).extend(_times(row))
        found = [_holding(place, counts[place], times[place]) for place in counts]
        return sorted(found, key=_last_used_first)

    def hidden_sessions(self) -> list[tuple[ProjectId, SessionId]]:
        after = f"{HIDDEN_PREFIX[:-1]};"  # the next character after the colon
        rows = self._database.fetch_all(
            "SELECT project, id FROM session WHERE project >= :first AND project < :after "
            "UNION SELECT project, session FROM turn WHERE project >= :first AND project < :after",
            {"first": HIDDEN_PREFIX, "after": after},
        )
        return [(ProjectId(row["project"]), SessionId(row["id"])) for row in rows]


def _place_name(scope: str | None) -> str:
    if scope is None:
        return NO_PROJECT
    if scope.startswith(f"{ScopeLevel.PROJECT}:{HIDDEN_PREFIX}"):
        return FORGOTTEN
    return scope.removeprefix(f"{ScopeLevel.PROJECT}:")


def _times(row: dict[str, Any]) -> list[int]:
    return [row[name] for name in ("oldest", "newest") if isinstance(row.get(name), int)]


def _holding(place: str, counts: Counter[str], times: list[int]) -> StoredCounts:
    return StoredCounts(
        place=place,
        **{name: int(counts[name]) for name in _COUNTS},
        oldest=from_ms(min(times)) if times else None,
        newest=from_ms(max(times)) if times else None,
    )


def _last_used_first(holding: StoredCounts) -> tuple[bool, float, str]:
    if holding.newest is None:
        return True, 0.0, holding.place
    return False, -holding.newest.timestamp(), holding.place


def erase_names(connection: sqlite3.Connection, project: ProjectId) -> None:
    """Erase the names of a project: its aliases, and the changes that mention them. Works on a copy too."""
    tables = table_names(connection)
    if "project_alias" in tables:
        connection.execute("DELETE FROM project_alias WHERE project = ?", (project,))
    if "deed" in tables:
        connection.execute(
            """
            UPDATE deed SET kind = 'purge',
                detail = json_object('memories', coalesce(json_extract(detail, '$.memories'), 0))
            WHERE kind IN ('join', 'accept', 'forget_project') AND json_valid(detail) AND ? IN (
                json_extract(detail, '$.source'), json_extract(detail, '$.into'), json_extract(detail, '$.project')
            )
            """,
            (project,),
        )
    if "turn_change" in tables:
        connection.execute(
            "DELETE FROM turn_change WHERE project = ? OR project GLOB ?", (project, f"{HIDDEN_PREFIX}*")
        )
        # Without its counter, a process with this project's archive in memory would not notice the change.
        connection.execute(
            "INSERT INTO turn_change VALUES (?, 1) ON CONFLICT DO UPDATE SET times = times + 1", (ERASED_PROJECTS,)
        )
