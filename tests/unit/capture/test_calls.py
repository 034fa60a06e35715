"""What a tool call is about, whatever the host calls its tools."""

from typing import Any

import pytest

from recollect.capture.calls import Change, changes_of, command_of

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
    assert changes_of(tool, given) == [Change(path=path, old=old, new=new) for path, old, new in changes]
