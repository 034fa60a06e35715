"""What a tool call is about, whatever the host calls its tools."""

from typing import Any

import pytest

from recollect.capture.happened.calls import TextChange, changes_of, command_of, is_own
from recollect.capture.session import Listener
from recollect.domain.event import Event
from recollect.mcp.schema import TOOLS
from tests.builders import a_failure, a_prompt, a_reply, an_end
from tests.requirements import covers
from tests.unit.capture.hearing import used

APPLIED = """\
*** Begin Patch
*** Update File: shop/cart.py
@@ def total
-    return sum(lines)
+    return rounded(sum(lines))
*** Add File: shop/rounding.py
+def rounded(amount): ...
*** End Patch"""
UNIFIED = "--- a/shop/cart.py\n+++ b/shop/cart.py\n@@ -1 +1 @@\n-old\n+new\n"


@pytest.mark.parametrize(
    ("tool", "given", "command"),
    [
        ("Bash", {"command": "make test"}, "make test"),
        ("shell", {"command": ["bash", "-lc", "cd api && make test"]}, "cd api && make test"),
        ("shell", {"command": ["make", "test"]}, "make test"),
        ("run_shell_command", {"command": " make test "}, "make test"),
        ("Read", {"command": "make test"}, ""),
        ("bash", {"command": 7}, ""),
    ],
)
def test_a_command_line_is_found_under_every_name(tool: str, given: dict[str, Any], command: str) -> None:
    assert command_of(tool, given) == command


@pytest.mark.parametrize(
    ("tool", "given", "changes"),
    [
        ("Edit", {"file_path": "a.py", "old_string": "x", "new_string": "y"}, [("a.py", "x", "y")]),
        ("edit", {"filePath": "a.py", "oldString": "x", "newString": "y"}, [("a.py", "x", "y")]),
        ("replace", {"file_path": "a.py", "old_string": "x", "new_string": "y"}, [("a.py", "x", "y")]),
        ("Write", {"file_path": "a.py", "content": "y"}, [("a.py", "", "y")]),
        (
            "MultiEdit",
            {
                "file_path": "a.py",
                "edits": [{"old_string": "x", "new_string": "y"}, {"old_string": "v", "new_string": "w"}],
            },
            [("a.py", "x", "y"), ("a.py", "v", "w")],
        ),
        (
            "apply_patch",
            {"input": APPLIED},
            [
                ("shop/cart.py", "    return sum(lines)", "    return rounded(sum(lines))"),
                ("shop/rounding.py", "", "def rounded(amount): ..."),
            ],
        ),
        ("patch", {"patchText": UNIFIED}, [("shop/cart.py", "old", "new")]),
        ("apply_patch", {}, []),
        ("Read", {"file_path": "a.py"}, []),
        ("Edit", {"old_string": "x"}, []),
    ],
)
def test_a_change_is_found_under_every_name(
    tool: str, given: dict[str, Any], changes: list[tuple[str, str, str]]
) -> None:
    assert changes_of(tool, given) == [TextChange(path=path, old=old, new=new) for path, old, new in changes]


@pytest.mark.parametrize("name", TOOLS)
@pytest.mark.parametrize("written", ["recollect_{}", "mcp__recollect__{}", "recollect.{}", "mcp__plugin_recollect__{}"])
def test_our_own_tools_are_known_however_a_host_writes_their_names(name: str, written: str) -> None:
    assert is_own(written.format(name))


@pytest.mark.parametrize("tool", ["search", "bash", "github_search", "recollection_search", "recollect", "recollect_x"])
def test_a_tool_of_somebody_else_is_not_taken_for_ours(tool: str) -> None:
    assert not is_own(tool)


@covers("CAP-6")
@pytest.mark.parametrize(("tool", "adds"), [("recollect_search", False), ("bash", True)])
def test_nothing_is_learnt_from_what_our_own_tools_are_given_and_answer(tool: str, adds: bool) -> None:
    """The same with another tool shows that there was something to learn."""
    error = "ConnectionRefusedError: cannot reach warehouse.internal:5432 as reader"
    edit = used("edit", {"filePath": "tunnel.cfg", "oldString": "port = 1", "newString": "port = 5432"}, call="c2")
    given = {"query": "make deploy", "command": "make deploy"}
    asked: list[Event] = [
        a_failure(error, tool=tool, input=given, message=None, call="c1"),
        edit,
        used(tool, given, "Helm deploys on Mondays.", call="c3"),
    ]
    around = (a_prompt("Look up why the deploy fails."), a_reply("Done.", message="r1"), an_end())

    def learnt(*events: Event) -> tuple[object, ...]:
        listener = Listener()
        proposals = [one for event in (around[0], *events, *around[1:]) for one in listener.hear(event)]
        return proposals, listener.build_recap()

    assert (learnt(*asked) != learnt(edit)) == adds
