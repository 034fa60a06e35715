import pytest

from recollect.domain.memory import Memory, Role, Sensitivity, SessionId, Source, Viewer
from recollect.privacy.visibility import may_inject, may_see
from tests.builders import OTHER_PROJECT, PROJECT, a_memory
from tests.requirements import covers

HERE = Viewer(project=PROJECT, language="go", session=SessionId("s1"))
NOWHERE = Viewer()

IN_SESSION = a_memory(sensitivity=Sensitivity.SESSION, source=Source(role=Role.USER, session=SessionId("s1")))


@covers("MEM-3")
@pytest.mark.parametrize(
    ("memory", "seen_by"),
    [
        (a_memory(scope="universal"), {"here", "other", "nowhere"}),
        (a_memory(scope="language:go"), {"here"}),
        (a_memory(scope="language:python"), set()),
        (a_memory(scope=f"project:{PROJECT}"), {"here"}),
        (a_memory(scope=f"project:{OTHER_PROJECT}"), {"other"}),
        (a_memory(scope=f"project:{OTHER_PROJECT}", sensitivity=Sensitivity.PUBLIC), {"here", "other", "nowhere"}),
        (a_memory(scope="session:s1"), {"here"}),
        (a_memory(scope="session:s2"), {"other"}),
        (IN_SESSION, {"here"}),
        (a_memory(scope="universal", sensitivity=Sensitivity.SESSION), set()),
    ],
)
def test_a_memory_is_seen_where_it_holds_and_nowhere_else(memory: Memory, seen_by: set[str]) -> None:
    viewers = {"here": HERE, "other": Viewer(project=OTHER_PROJECT, session=SessionId("s2")), "nowhere": NOWHERE}
    assert {name for name, viewer in viewers.items() if may_see(memory, viewer)} == seen_by


def test_restricted_and_superseded_memories_are_never_injected() -> None:
    assert not may_inject(a_memory(sensitivity=Sensitivity.RESTRICTED), HERE)
    assert may_see(a_memory(sensitivity=Sensitivity.RESTRICTED), HERE)
    assert not may_inject(a_memory(superseded_by="m2"), HERE)
    assert may_inject(a_memory(), HERE)
