import logging
from contextlib import AbstractContextManager, nullcontext

import pytest

from recollect.daemon.agents import Agents
from recollect.mcp.tools import ToolAnswer
from recollect.store.sqlite.store import SqliteStore
from tests.flows.conftest import engine_on


class Notes:
    def __init__(self) -> None:
        self.of_hosts = 0

    def note(self) -> None: ...

    def note_work(self) -> None:
        self.of_hosts += 1

    def answering(self) -> AbstractContextManager[None]:
        return nullcontext()


def test_a_bug_in_a_tool_is_an_answer_and_a_line_without_what_was_said(caplog: pytest.LogCaptureFixture) -> None:
    store, notes = SqliteStore(None), Notes()
    agents = Agents(engine_on(store), notes)

    def breaks() -> ToolAnswer:
        raise RuntimeError("what the user said")

    with caplog.at_level(logging.ERROR):
        answer = agents._run_tool(breaks)
    store.close()
    assert (answer.code, "RuntimeError" in answer.text) == ("internal", True)
    assert "RuntimeError" in caplog.text
    assert "what the user said" not in caplog.text + answer.text
    assert notes.of_hosts == 1
