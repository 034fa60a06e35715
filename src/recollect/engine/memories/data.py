"""The stored data of each project, and forgetting a whole project."""

from recollect.api.data import Data, ForgetProject, ForgottenProject, StoredData
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import ProjectId
from recollect.domain.outcome import Hidden, Planned, Removal
from recollect.domain.project import StoredCounts
from recollect.engine.context import Context
from recollect.engine.memories.folder_project import named_project
from recollect.engine.memories.forget import finish_deletion, has_no_undo
from recollect.engine.memories.forget_project import delete_now, hide, is_forgotten


def list_data(ctx: Context, asked: Data) -> StoredData:  # noqa: ARG001
    return StoredData(holdings=ctx.store.holdings())


def forget_project(ctx: Context, asked: ForgetProject) -> ForgottenProject:
    """Hide everything of a project, or delete it for good; a dry run only counts it."""
    project = named_project(ctx, asked.project, may_be_new=True)
    holding = next((one for one in ctx.store.holdings() if one.place == project), None)
    if holding is None and not (asked.now and is_forgotten(ctx.store, project)):
        raise InvalidValue(f"There is no project {project!r}; `recollect data` lists all.")
    outcome = Planned() if asked.dry_run else _remove(ctx, asked, project)
    return ForgottenProject(outcome=outcome, project=project, holding=holding or StoredCounts(place=project))


def _remove(ctx: Context, asked: ForgetProject, project: ProjectId) -> Removal:
    change = hide(ctx.store, project, at=ctx.now, by=asked.by)
    if asked.now or has_no_undo(ctx):
        return finish_deletion(ctx, delete_now(ctx.store, project))
    return Hidden(undo=change)
