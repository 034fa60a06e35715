"""Sessions of CI and scripts are served, and teach nothing: nobody sits there who could mean what is said."""

from dataclasses import replace

import pytest

from recollect.domain.event import Event
from recollect.domain.memory import Kind, SessionId
from recollect.domain.settings import Capture, Settings
from recollect.domain.transcript import Mark
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, PROJECT, a_draft, a_prompt, a_reply, a_start, an_end
from tests.flows.conftest import engine_on
from tests.requirements import covers

SESSION = (a_start(), a_prompt("We use yarn, not npm."), a_reply("Understood, yarn it is."), an_end())


@pytest.mark.parametrize("learns", [False, True])
@covers("CAP-5", "INJ-8")
def test_a_headless_session_is_served_and_teaches_only_if_its_user_says_so(store: SqliteStore, learns: bool) -> None:
    engine = engine_on(store, Settings(capture=Capture(headless=learns)))
    engine.remember(a_draft("We never deploy on Fridays.", kind=Kind.RULE))
    blocks = [engine.handle(_headless(event)).block for event in SESSION]
    while engine.learn_some():
        pass
    assert "Fridays" in blocks[0]
    assert any("yarn" in memory.text for memory in engine.all_memories()) is learns
    assert (store.recap(SessionId("s1")) is not None) is learns
    assert store.has_turns(SessionId("s1")) is learns


def _headless(event: Event) -> Event:
    return replace(event, headless=True)


@pytest.mark.parametrize("learns", [False, True])
@covers("CAP-5", "IMP-1")
def test_a_transcript_that_a_script_began_teaches_only_if_its_user_says_so(store: SqliteStore, learns: bool) -> None:
    engine = engine_on(store, Settings(capture=Capture(headless=learns)))
    told = [_headless(event) for event in SESSION]
    engine.backfill(Mark(source="a file", state="new"), lambda: told, now=NOW, project=PROJECT)
    assert any("yarn" in memory.text for memory in engine.all_memories()) is learns
    assert store.has_turns(SessionId("s1")) is learns
