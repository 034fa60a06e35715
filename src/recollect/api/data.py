"""Figures of the stored data of each project, and forgetting a whole project."""

from dataclasses import dataclass

from recollect.api.operation import Operation, OperationContext, Request
from recollect.api.request_scope import project_of
from recollect.domain.changes import ChangeId
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import ProjectId
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
    outcome: str  # would be forgotten, forgotten or gone for good
    project: ProjectId
    holding: StoredCounts  # as it was
    undo: ChangeId | None  # the change to undo
    is_clean: bool = True  # False: bytes of the deleted data may be left in the file


def data(desk: OperationContext, _: Data) -> StoredData:
    return StoredData(holdings=desk.engine.holdings())


def forget_project(desk: OperationContext, asked: ForgetProject) -> ForgottenProject:
    project = project_of(desk.engine, asked.folder, asked.project, may_be_new=True)
    holding = next((one for one in desk.engine.holdings() if one.place == project), None)
    if holding is None and not (asked.now and desk.engine.is_forgotten(project)):
        raise InvalidValue(f"There is no project {project!r}; `recollect data` lists all.")
    holding = holding or StoredCounts(place=project)
    if asked.dry_run:
        return ForgottenProject(outcome="would be forgotten", project=project, holding=holding, undo=None)
    for_good = asked.now or desk.engine.has_no_undo
    # The engine of the live sessions must forget what it has in memory, too.
    deed, is_clean = desk.live.forget_project(project, at=desk.now, by=asked.by, for_good=for_good)
    return ForgottenProject(
        outcome="gone for good" if for_good else "forgotten",
        project=project,
        holding=holding,
        undo=None if for_good else deed,
        is_clean=is_clean,
    )


DATA = Operation("data", "Reports how much is stored for each project, and how old it is.", Data, StoredData, data)
FORGET_PROJECT = Operation(
    "forget_project",
    "Forgets everything of a project: hidden at once, or deleted for good.",
    ForgetProject,
    ForgottenProject,
    forget_project,
    writes=True,
    within_s=900.0,  # with thousands of memories, every place that quotes one is checked
)
