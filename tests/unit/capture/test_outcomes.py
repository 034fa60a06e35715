"""Commits, open tasks, and the purposes of written files."""

from typing import Any

import pytest

from recollect.capture.happened.commits import commit_message
from recollect.capture.happened.plans import Plans
from recollect.domain.learning import Basis
from recollect.domain.memory import Kind, Tier
from tests.builders import a_reply
from tests.requirements import covers
from tests.unit.capture.hearing import FOLDER, failed, heard, ran, used

WRITTEN = used("Write", {"file_path": f"{FOLDER}/shop/rounding.py", "content": "def rounded(): ..."})
HEREDOC = """\
git add -A && git commit -m "$(cat <<'EOF'
Round totals half up

The tax office asks for it.
EOF
)\""""


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ('git commit -m "Round totals half up"', "Round totals half up"),
        ("git commit -am 'Round totals half up' && git push", "Round totals half up"),
        ('git -c user.name=a commit --message="Say \\"hello\\" twice"', 'Say "hello" twice'),
        (HEREDOC, "Round totals half up\n\nThe tax office asks for it."),
        ("git commit -F - <<EOF\nfix(cart): round half up\nEOF", "fix(cart): round half up"),
        ("git commit --amend --no-edit", ""),
        ("git log --grep commit", ""),
        ('echo "git commit -m no"', ""),
    ],
)
def test_the_message_of_a_commit_is_read_from_its_command(command: str, message: str) -> None:
    assert commit_message(command) == message


@covers("CAP-2")
def test_a_commit_is_a_candidate_for_an_outcome() -> None:
    [proposal] = heard(WRITTEN, ran(HEREDOC, "[main 1a2b3c4] Round totals half up"))
    assert proposal.text == "Committed: Round totals half up"
    assert (proposal.kind, proposal.tier, proposal.basis) == (Kind.OUTCOME, Tier.CANDIDATE, Basis.DEED)
    assert proposal.paths == ("shop/rounding.py",)


@pytest.mark.parametrize(
    "event",
    [
        failed('git commit -m "Round totals"', "pre-commit hook failed: trailing whitespace in cart.py"),
        ran('git commit -m "Round totals"', "On branch main\nnothing to commit, working tree clean"),
        ran("git commit -m wip"),
    ],
)
def test_a_commit_that_did_not_happen_or_says_nothing_is_no_outcome(event: Any) -> None:
    assert heard(WRITTEN, event) == []


@covers("CAP-2")
@pytest.mark.parametrize(
    ("tool", "given"),
    [
        (
            "TodoWrite",
            {
                "todos": [
                    {"content": "Add the column", "status": "completed", "activeForm": "Adding"},
                    {"content": "Backfill it", "status": "in_progress", "activeForm": "Backfilling"},
                    {"content": "Drop the old one", "status": "pending", "activeForm": "Dropping"},
                    {"content": "Ask Bo", "status": "cancelled", "activeForm": "Asking"},
                ]
            },
        ),
        (
            "update_plan",
            {
                "plan": [
                    {"step": "Add the column", "status": "completed"},
                    {"step": "Backfill it", "status": "in_progress"},
                    {"step": "Drop the old one", "status": "pending"},
                ]
            },
        ),
        ("ExitPlanMode", {"plan": "# Plan\n\n- [x] Add the column\n- [ ] **Backfill** it\n3. Drop the old one\n"}),
    ],
)
def test_the_agents_own_list_says_what_is_open(tool: str, given: dict[str, Any]) -> None:
    plans, before = Plans(), used(tool, {"todos": [{"content": "Old", "status": "completed"}]})
    assert heard(before, used(tool, given)) == []
    for event in (before, used(tool, given)):
        plans.hear(event)
    assert plans.open == ["Backfill it", "Drop the old one"]


@covers("CAP-2")
@pytest.mark.parametrize(
    ("path", "content", "text"),
    [
        (
            "shop/rounding.py",
            '"""Rounds amounts of money half up, as the tax office asks.\n\nMore."""\n\nX = 1\n',
            "shop/rounding.py: Rounds amounts of money half up, as the tax office asks.",
        ),
        (
            "pkg/rates/rates.go",
            "// Package rates fetches exchange rates once a day.\n// And more.\npackage rates\n",
            "pkg/rates/rates.go: Package rates fetches exchange rates once a day.",
        ),
        (
            "src/cart.ts",
            "/**\n * Keeps the lines of a cart and their totals.\n * @module\n */\nexport {}\n",
            "src/cart.ts: Keeps the lines of a cart and their totals.",
        ),
        (
            "bin/release.sh",
            "#!/bin/sh\n# Builds, signs and uploads a release.\nset -eu\n",
            "bin/release.sh: Builds, signs and uploads a release.",
        ),
        ("src/lib.rs", "//! Parses bank statements in MT940.\n", "src/lib.rs: Parses bank statements in MT940."),
    ],
)
def test_a_new_file_that_says_what_it_is_for_is_a_candidate(path: str, content: str, text: str) -> None:
    [proposal] = heard(used("write", {"filePath": f"{FOLDER}/{path}", "content": content}))
    assert proposal.text == text
    assert (proposal.kind, proposal.tier, proposal.paths) == (Kind.FILE_CONTEXT, Tier.CANDIDATE, (path,))


def test_a_file_whose_purpose_the_agent_states_is_a_candidate() -> None:
    told = "Done. `shop/rounding.py` holds the rounding rules of the tax office. Tests pass."
    [proposal] = heard(WRITTEN, a_reply(told))
    assert proposal.text == "`shop/rounding.py` holds the rounding rules of the tax office."
    assert proposal.paths == ("shop/rounding.py",)


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("shop/a.py", "import json\n"),
        ("shop/a.py", "# Copyright 2026 The Shop\n# SPDX-License-Identifier: MIT\nimport json\n"),
        ("tests/test_a.py", '"""Rounding goes half up, as the tax office asks."""\n'),
        ("notes.md", "# Notes on rounding of taxes\n"),
        ("/etc/hosts.py", '"""Rounds amounts of money half up."""'),
    ],
)
def test_a_file_without_a_stated_purpose_is_no_memory(path: str, content: str) -> None:
    assert heard(used("write", {"filePath": path, "content": content})) == []


def test_a_file_that_was_not_written_here_is_no_memory() -> None:
    assert heard(WRITTEN, a_reply("`shop/tax.py` holds the rates of all countries of the union.")) == []
