"""TEMPORARY, goes at the merge with the table of projects: here they are known for the life of one process only."""

from collections.abc import Collection, Mapping
from datetime import datetime
from functools import cached_property

from recollect.domain.memory import ProjectId
from recollect.domain.project import BY_ROOT


class ProjectsUntilMerge:
    @cached_property
    def _having(self) -> dict[ProjectId, frozenset[ProjectId]]:
        return {}

    def known_as(self, aliases: Collection[ProjectId]) -> Mapping[ProjectId, frozenset[ProjectId]]:
        return {alias: self._having[alias] for alias in aliases if alias in self._having}

    def aliases_of(self, project: ProjectId) -> frozenset[ProjectId]:
        return frozenset(alias for alias, having in self._having.items() if project in having)

    def note_aliases(self, project: ProjectId, aliases: Collection[ProjectId], at: datetime) -> None:  # noqa: ARG002
        for alias in aliases:
            before = self._having.get(alias, frozenset()) if alias.startswith(BY_ROOT) else frozenset()
            self._having[alias] = before | {project}
