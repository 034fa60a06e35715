"""What belongs to a project stays there, at every moment."""

import pytest

from recollect.domain.memory import Kind, Sensitivity
from recollect.domain.settings import Privacy, Settings
from recollect.store.sqlite.store import SqliteStore
from tests.builders import OTHER_PROJECT, PROJECT, a_draft, a_prompt, a_start
from tests.flows.conftest import engine_on
from tests.requirements import covers


@covers("PRI-4", "SCN-A12")
@pytest.mark.parametrize(("shared", "seen"), [(False, []), (True, ["Prefer tabs over spaces."])])
def test_only_preferences_cross_projects_and_only_where_they_are_shared(
    store: SqliteStore, shared: bool, seen: list[str]
) -> None:
    engine = engine_on(store, Settings(privacy=Privacy(share_preferences=shared)))
    engine.remember(a_draft("Prefer tabs over spaces.", kind=Kind.PREFERENCE))
    engine.remember(a_draft("Prefer tabs in secret.", kind=Kind.PREFERENCE, sensitivity=Sensitivity.RESTRICTED))
    engine.remember(a_draft("Tabs were decided over spaces.", kind=Kind.DECISION))
    start = engine.handle(a_start("there", project=OTHER_PROJECT)).block
    turn = engine.handle(a_prompt("Do we use tabs or spaces?", session="turn", project=OTHER_PROJECT)).block
    for block in (start, turn):
        assert [line for line in seen if line in block] == seen
        assert "secret" not in block
        assert "decided" not in block
    assert [memory.text for memory in engine.newest(engine.viewer(OTHER_PROJECT), limit=9)] == seen
    home = engine.handle(a_start("here", project=PROJECT)).block
    assert "decided" in home
