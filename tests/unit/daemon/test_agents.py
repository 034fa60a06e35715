import logging

import pytest

from recollect.daemon.mcp_routes import Agents
from recollect.daemon.request_queue import Activity
from recollect.mcp.tools import ToolAnswer
from recollect.store.sqlite.store import SqliteStore
from tests.flows.conftest import engine_on


def test_a_bug_in_a_tool_is_an_answer_and_a_line_without_what_was_said(caplog: pytest.LogCaptureFixture) -> None:
    store, activity, woken = SqliteStore(None), Activity(), []
    activity.wake_background = lambda: woken.append(True)
    agents = Agents(engine_on(store), activity)

    def breaks() -> ToolAnswer:
        raise RuntimeError("what the user said")

    with caplog.at_level(logging.ERROR):
        answer = agents._run_tool(breaks)
    store.close()
    assert (answer.code, "RuntimeError" in answer.text) == ("internal", True)
    assert "RuntimeError" in caplog.text
    assert "what the user said" not in caplog.text + answer.text
    assert len(woken) == 1
