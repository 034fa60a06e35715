"""Projects in SQLite: the aliases of each, and its memories and sessions."""

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime

from recollect.domain.memory import MemoryId, ProjectId, Scope, SessionId
from recollect.domain.project import HIDDEN_PREFIX, SHARED_PREFIXES, ProjectFacts
from recollect.store.sqlite import index, recaps, vectors
from recollect.store.sqlite.database import Database
from recollect.store.sqlite.rows import TURN_HASHED, from_ms, recap_of, row_hash, to_ms

ASKED = "mcp"  # the host of sessions that only ask: these do not create a project


class Projects:
    _database: Database

    def find_by_aliases(self, aliases: Collection[ProjectId]) -> Mapping[ProjectId, frozenset[ProjectId]]:
        rows = self._database.fetch_all(
            "SELECT alias, project FROM json_each(?) AS asked JOIN project_alias ON alias = asked.value",
            (json.dumps(list(aliases)),),
        )
        found: dict[ProjectId, set[ProjectId]] = {}
        for row in rows:
            found.setdefault(ProjectId(row["alias"]), set()).add(ProjectId(row["project"]))
        return {alias: frozenset(projects) for alias, projects in found.items()}

    def aliases_of(self, project: ProjectId) -> frozenset[ProjectId]:
        rows = self._database.fetch_all("SELECT alias FROM project_alias WHERE project = ?", (project,))
        return frozenset(ProjectId(row["alias"]) for row in rows)

    def has_memories(self, project: ProjectId) -> bool:
        row = self._database.fetch_one("SELECT 1 FROM memory WHERE scope = ? LIMIT 1", (str(Scope.project(project)),))
        return row is not None

    def note_aliases(self, project: ProjectId, aliases: Collection[ProjectId], at: datetime) -> None:
        with self._database.write() as connection:
            for alias in aliases:
                if not alias.startswith(SHARED_PREFIXES):
                    connection.execute("DELETE FROM project_alias WHERE alias = ? AND project <> ?", (alias, project))
                connection.execute(
                    "INSERT OR IGNORE INTO project_alias (alias, project, noted_ms) VALUES (?, ?, ?)",
                    (alias, project, to_ms(at)),
                )

    def drop_aliases(self, project: ProjectId, aliases: Collection[ProjectId]) -> None:
        with self._database.write() as connection:
            connection.execute(
                "DELETE FROM project_alias WHERE project = ? AND alias IN (SELECT value FROM json_each(?))",
                (project, json.dumps(list(aliases))),
            )

    def projects(self) -> list[ProjectFacts]:
        prefix = len("project:") + 1
        with self._database.read() as connection:
            rows = connection.execute(
                f"""
                SELECT project, sum(memories) AS memories, max(last_ms) AS last_ms FROM (
                    SELECT substr(scope, {prefix}) AS project, count(*) AS memories, max(created_ms) AS last_ms
                    FROM memory WHERE scope >= 'project:' AND scope < 'project;' AND forgotten_ms IS NULL GROUP BY scope
                    UNION ALL SELECT project, 0, max(started_ms) FROM session
                    WHERE project IS NOT NULL AND host <> '{ASKED}' GROUP BY project
                    UNION ALL SELECT project, 0, max(noted_ms) FROM project_alias GROUP BY project
                    UNION ALL SELECT project, 0, max(at_ms) FROM turn WHERE project IS NOT NULL GROUP BY project
                ) WHERE project NOT GLOB '{HIDDEN_PREFIX}*' GROUP BY project ORDER BY last_ms DESC, project
                """
            ).fetchall()
            known = connection.execute("SELECT project, alias FROM project_alias ORDER BY alias").fetchall()
        aliases: dict[str, list[ProjectId]] = {}
        for row in known:
            aliases.setdefault(row["project"], []).append(ProjectId(row["alias"]))
        return [
            ProjectFacts(
                id=ProjectId(row["project"]),
                memories=row["memories"],
                last_at=from_ms(row["last_ms"]),
                aliases=tuple(aliases.get(row["project"], ())),
            )
            for row in rows
        ]

    def memory_ids_in(self, project: ProjectId) -> list[MemoryId]:
        rows = self._database.fetch_all(
            "SELECT id FROM memory WHERE scope = ? ORDER BY n", (str(Scope.project(project)),)
        )
        return [MemoryId(row["id"]) for row in rows]

    def session_ids_in(self, project: ProjectId) -> list[SessionId]:
        # A session that is only in the archive has no row of its own.
        rows = self._database.fetch_all(
            "SELECT id FROM session WHERE project = ? UNION SELECT session FROM turn WHERE project = ? ORDER BY id",
            (project, project),
        )
        return [SessionId(row["id"]) for row in rows]

    def move_sessions(self, sessions: Collection[SessionId], project: ProjectId) -> None:
        ids = json.dumps(list(sessions))
        with self._database.write() as connection:
            connection.execute(
                "UPDATE session SET project = ? WHERE id IN (SELECT value FROM json_each(?))", (project, ids)
            )
            old_recaps = connection.execute(
                "SELECT recap.* FROM json_each(?) AS moved JOIN recap ON recap.session = moved.value", (ids,)
            ).fetchall()
            for recap in filter(None, map(recap_of, old_recaps)):
                recaps.rewrite(connection, replace(recap, project=project))
            turns = connection.execute(
                "SELECT turn.* FROM json_each(?) AS moved JOIN turn ON turn.session = moved.value", (ids,)
            ).fetchall()
            for row in turns:
                new_hash = row_hash({**dict(row), "project": project}, TURN_HASHED)
                connection.execute("UPDATE turn SET project = ?, hash = ? WHERE n = ?", (project, new_hash, row["n"]))
                index.drop_turn(connection, row["n"])
                index.add_turn(connection, row["n"], project, row["text"], row["at_ms"])
                vectors.move_turn(connection, row["n"], project)
