"""Real processes: keys and blocks of several lines, through every entrance. Folding white space must not save one."""

import json
from pathlib import Path
from typing import Any

import pytest

from recollect.privacy.secrets import redact
from tests.planted import Planted, found_below, found_in, of_several_lines
from tests.process.conftest import Home
from tests.process.transcripts import (
    a_project,
    claude_file,
    codex_file,
    opencode_database,
    opencode_session,
    specstory_file,
)
from tests.requirements import covers

PLANTED = of_several_lines(seed=5)
SAID = "\n\n".join(secret.text for secret in PLANTED)


@pytest.mark.parametrize("secret", PLANTED, ids=lambda secret: secret.kind)
@pytest.mark.parametrize("fold", [str, lambda text: " ".join(text.split()), lambda text: text.replace("\n", "\\n")])
def test_a_secret_of_several_lines_is_one_in_one_line_too(secret: Planted, fold: Any) -> None:
    assert found_in(redact(fold(secret.text)).text.encode(), [secret]) == set()


def events() -> bytes:
    about = {"session": "s1", "project": "name:shop"}
    todos = [{"content": secret.text, "status": "pending"} for secret in PLANTED]
    sent: list[dict[str, Any]] = [
        {"type": "session_started"},
        {"type": "prompt", "message": "m1", "text": f"We always deploy with Helm. {SAID}"},
        {"type": "reply", "message": "m2", "text": f"I will do that next. {SAID}"},
        {"type": "tool_succeeded", "tool": "bash", "input": {"command": f"cat <<X\n{SAID}\nX"}, "output": SAID},
        {"type": "tool_failed", "tool": "bash", "input": {"command": "make"}, "error": f"Error: it failed\n{SAID}"},
        {"type": "tool_succeeded", "tool": "todowrite", "input": {"todos": todos}, "output": SAID},
        {"type": "compacted", "summary": f"## Worth remembering\n- [decision] {SAID}"},
        {
            "type": "session_ended",
            "notes": [f"dec: {secret.text}" for secret in PLANTED],
            "summary": {"asked": SAID, "done": [secret.text for secret in PLANTED], "open": [SAID[:400]]},
        },
    ]
    requests = [{"op": "event", "event": {**about, **event}} for event in sent]
    return "\n".join(map(json.dumps, [*requests, {"op": "remember", "memories": [{"text": SAID}]}])).encode()


def old_sessions(home: Home, shop: Path) -> list[Path]:
    """One of each host, in which the user and the agent say them."""
    files = [claude_file(home, shop), codex_file(home, shop), specstory_file(shop)]
    words = ("Please look at the ledger, step 0.", "The ledger of step 1 adds up.", "Go on.", "Ok.")
    for file in files:
        text = file.read_text()
        said = SAID if file.suffix == ".md" else json.dumps(SAID)[1:-1]
        for known in (*words, "How is the ledger closed?", "At midnight, by a job."):
            text = text.replace(known, f"{known} {said}")
        file.write_text(text)
    session = opencode_session(shop)
    for message in session["messages"]:
        message["parts"][0]["text"] += f" {SAID}"
    return [*files, opencode_database(home, session)]


@covers("PRI-1")
def test_no_line_of_them_gets_into_a_file_of_ours(home: Home) -> None:
    shop = a_project(home)
    notes = home.path / "files"
    notes.mkdir()
    (notes / "CLAUDE.md").write_text(f"# Rules\n\n- Never forget this.\n\n{SAID}\n\n## Keys\n\n" + f"- {SAID}\n")
    (notes / "topic.md").write_text(
        f"---\nname: keys\ndescription: {PLANTED[0].text[:40]}\ntype: feedback\n---\n{SAID}"
    )
    observation = {"type": "bugfix", "title": SAID[:900], "narrative": SAID, "facts": [SAID], "project": "shop"}
    (notes / "observations.json").write_text(json.dumps({"observations": [observation]}))
    (notes / "lines.jsonl").write_text(json.dumps({"text": SAID, "evidence": [SAID]}))
    own = [notes, shop, *old_sessions(home, shop), home.path / ".claude", home.path / ".codex"]
    home.recollect("import", *(str(file) for file in sorted(notes.iterdir())), cwd=shop)
    home.recollect("remember", "-", stdin=SAID.encode(), cwd=shop)
    home.recollect("pipe", "--db", str(home.places.database), stdin=events(), cwd=shop)
    done = home.json("capture", "--yes", "--json", cwd=shop)
    assert done["sessions"] == 4
    assert home.json("list", "--limit", "999", cwd=shop)["memories"] != []
    assert found_below(home.path, PLANTED, but=own) == set()
