"""Pause and resume. During a pause nothing is captured and nothing is injected."""

from recollect.api.pause import Paused, PauseRequest, Resumed, ResumeRequest
from recollect.domain.memory import ProjectId
from recollect.domain.pause import new_pause
from recollect.engine.context import Context
from recollect.engine.memories.folder_project import named_project


def pause(ctx: Context, asked: PauseRequest) -> Paused:
    return Paused(pause=ctx.pauses.begin(new_pause(asked.minutes, _project(ctx, asked), ctx.now)))


def resume(ctx: Context, asked: ResumeRequest) -> Resumed:
    ended = ctx.pauses.end(_project(ctx, asked), ctx.now)
    return Resumed(ended=[*ended], still_on=[*ctx.pauses.on()])


def _project(ctx: Context, asked: PauseRequest | ResumeRequest) -> ProjectId | None:
    if not asked.here and asked.project is None:
        return None
    return named_project(ctx, asked.project, may_be_new=True)
