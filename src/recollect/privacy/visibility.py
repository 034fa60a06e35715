"""The one isolation rule: which viewer may see a memory. Pure."""

from enum import StrEnum
from typing import assert_never

from recollect.domain.memory import Kind, Memory, ScopeLevel, Sensitivity, Viewer


class Reach(StrEnum):
    """Why other projects can see a project's memory."""

    PUBLIC = "public"  # from everywhere
    PREFERENCE = "preference"  # where preferences are shared


def reach_of(memory: Memory) -> Reach | None:
    """None: it stays in its project."""
    if memory.scope.level is not ScopeLevel.PROJECT:
        return None
    if memory.sensitivity is Sensitivity.PUBLIC:
        return Reach.PUBLIC
    if memory.kind is Kind.PREFERENCE and memory.sensitivity is Sensitivity.PROJECT:
        return Reach.PREFERENCE
    return None


def reaches(viewer: Viewer) -> list[Reach]:
    return [Reach.PUBLIC, Reach.PREFERENCE] if viewer.shares_preferences else [Reach.PUBLIC]


def may_see(memory: Memory, viewer: Viewer) -> bool:
    """Check whether a person or agent that asks may find it."""
    if memory.forgotten_at is not None:
        return False
    is_own_session = viewer.session is not None and memory.source.session == viewer.session
    if memory.sensitivity is Sensitivity.SESSION and not is_own_session:
        return False
    match memory.scope.level:
        case ScopeLevel.UNIVERSAL:
            return True
        case ScopeLevel.LANGUAGE:
            return memory.scope.name == viewer.language
        case ScopeLevel.PROJECT:
            return memory.scope.name == viewer.project or reach_of(memory) in reaches(viewer)
        case ScopeLevel.SESSION:
            return memory.scope.name == viewer.session
        case _ as never:
            assert_never(never)


def is_of_another_project(memory: Memory, viewer: Viewer) -> bool:
    """Such a memory is visible here because it is public or a shared preference; its own project decides about it."""
    return memory.scope.level is ScopeLevel.PROJECT and memory.scope.name != viewer.project


def may_inject(memory: Memory, viewer: Viewer) -> bool:
    """Check whether it may be injected without a question for it."""
    if memory.flag is not None or memory.sensitivity is Sensitivity.RESTRICTED:
        return False
    return memory.is_live and may_see(memory, viewer)
