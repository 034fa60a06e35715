"""The one isolation rule: who may see a memory. Pure."""

from typing import assert_never

from recollect.domain.memory import Memory, ScopeLevel, Sensitivity, Viewer


def may_see(memory: Memory, viewer: Viewer) -> bool:
    """Whether a person or agent that asks may find it."""
    if memory.sensitivity is Sensitivity.SESSION and (
        viewer.session is None or memory.source.session != viewer.session
    ):
        return False
    match memory.scope.level:
        case ScopeLevel.UNIVERSAL:
            return True
        case ScopeLevel.LANGUAGE:
            return memory.scope.name == viewer.language
        case ScopeLevel.PROJECT:
            return memory.scope.name == viewer.project or memory.sensitivity is Sensitivity.PUBLIC
        case ScopeLevel.SESSION:
            return memory.scope.name == viewer.session
        case _ as never:
            assert_never(never)


def may_inject(memory: Memory, viewer: Viewer) -> bool:
    """Whether it may be put in front of the model unasked."""
    return memory.is_live and memory.sensitivity is not Sensitivity.RESTRICTED and may_see(memory, viewer)
