"""Figures of the stored data of each project, and forgetting a whole project."""

from dataclasses import dataclass

from recollect.api.operation import Operation, Request
from recollect.domain.memory import ProjectId
from recollect.domain.outcome import Removal
from recollect.domain.project import StoredCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class Data(Request):
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredData:
    holdings: list[StoredCounts]  # the most recently used first


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetProject(Request):
    project: str | None = None  # None: the folder's project
    now: bool = False  # delete for good at once; cannot be undone
    dry_run: bool = False  # only say what would be forgotten


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenProject:
    outcome: Removal
    project: ProjectId
    holding: StoredCounts  # as it was


DATA = Operation("data", "Reports how much is stored for each project, and how old it is.", Data, StoredData)
FORGET_PROJECT = Operation(
    "forget_project",
    "Forgets everything of a project: hidden at once, or deleted for good.",
    ForgetProject,
    ForgottenProject,
    writes=True,
    within_s=900.0,  # with thousands of memories, every place that quotes one is checked
)
