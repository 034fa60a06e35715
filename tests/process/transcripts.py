"""Old sessions of every host, written into a home as the hosts lay them out. The words are ours."""

import json
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.process.conftest import Home

BEGAN = datetime(2026, 2, 20, 10, tzinfo=UTC)
AT_MS = 1_771_581_600_000
SESSION = "5f0d1b6e-3a54-4a7e-8a54-0f3a5c9d2b11"


def a_project(home: Home, name: str = "shop") -> Path:
    folder = home.path / name
    folder.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=folder, env=home.env, check=True)
    return folder


def claude_lines(folder: Path, turns: int = 4, session: str = SESSION) -> Iterator[str]:
    """Asked and answered in turn."""
    for number in range(turns):
        is_user = number % 2 == 0
        said = f"Please look at the ledger, step {number}." if is_user else f"The ledger of step {number} adds up."
        content = said if is_user else [{"type": "text", "text": said}]
        line = {
            "type": "user" if is_user else "assistant",
            "message": {"role": "user" if is_user else "assistant", "content": content},
            "uuid": f"{session[:4]}-{number}",
            "sessionId": session,
            "cwd": str(folder),
            "timestamp": (BEGAN + timedelta(seconds=number)).isoformat(),
            "isSidechain": False,
        }
        yield json.dumps(line) + "\n"


def claude_file(home: Home, folder: Path, turns: int = 4, session: str = SESSION) -> Path:
    place = home.path / ".claude/projects" / str(folder).replace("/", "-")
    place.mkdir(parents=True, exist_ok=True)
    file = place / f"{session}.jsonl"
    with file.open("w") as out:
        out.writelines(claude_lines(folder, turns, session))
    return file


def codex_file(home: Home, folder: Path) -> Path:
    lines: list[tuple[str, dict[str, Any]]] = [
        ("session_meta", {"id": "0199d491-7d51", "cwd": str(folder), "source": "cli"}),
        ("response_item", {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go on."}]}),
        (
            "response_item",
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Ok."}]},
        ),
    ]
    file = home.path / ".codex/sessions/2026/02/20/rollout-2026-02-20T10-00-00-0199d491-7d51.jsonl"
    file.parent.mkdir(parents=True)
    at = "2026-02-20T10:00:00Z"
    file.write_text("".join(json.dumps({"timestamp": at, "type": kind, "payload": p}) + "\n" for kind, p in lines))
    return file


def opencode_session(folder: Path, name: str = "ses_1") -> dict[str, Any]:
    messages = [
        ("msg_1", {"role": "user", "time": {"created": AT_MS + 1}}, "Where is the cash book kept?"),
        ("msg_2", {"role": "assistant", "time": {"created": AT_MS + 2}, "finish": "stop"}, "In the vault."),
    ]
    return {
        "info": {"id": name, "directory": str(folder), "time": {"created": AT_MS, "updated": AT_MS + 2}},
        "messages": [
            {"info": {**info, "id": f"{name}_{own}"}, "parts": [{"id": "prt_1", "type": "text", "text": text}]}
            for own, info, text in messages
        ],
    }


def opencode_database(home: Home, *sessions: dict[str, Any]) -> Path:
    file = home.path / ".local/share/opencode/opencode.db"
    file.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.executescript(
            "CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT NOT NULL, agent TEXT,"
            " time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL);"
            "CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT NOT NULL);"
            "CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, data TEXT NOT NULL);"
        )
        for session in sessions:
            info = session["info"]
            row = (info["id"], None, info["directory"], "build", info["time"]["created"], info["time"]["updated"])
            connection.execute("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?)", row)
            for message in session["messages"]:
                own = message["info"]["id"]
                data = json.dumps({name: value for name, value in message["info"].items() if name != "id"})
                at = message["info"]["time"]["created"]
                connection.execute("INSERT INTO message VALUES (?, ?, ?, ?)", (own, info["id"], at, data))
                for part in message["parts"]:
                    connection.execute("INSERT INTO part VALUES (?, ?, ?)", (f"{own}-1", own, json.dumps(part)))
    return file


def opencode_files(home: Home, session: dict[str, Any]) -> Path:
    storage = home.path / ".local/share/opencode/storage"
    own = session["info"]["id"]
    files = {f"session/a-project/{own}.json": session["info"]}
    for message in session["messages"]:
        files[f"message/{own}/{message['info']['id']}.json"] = message["info"]
        files |= {f"part/{message['info']['id']}/{part['id']}.json": part for part in message["parts"]}
    for name, value in files.items():
        path = storage / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))
    return storage / f"session/a-project/{own}.json"


def specstory_file(folder: Path, session: str = "0a0a0a0a-1111-2222-3333-444444444444") -> Path:
    file = folder / ".specstory/history/2026-02-20_10-00Z-the-ledger.md"
    file.parent.mkdir(parents=True)
    file.write_text(
        "<!-- Generated by SpecStory -->\n\n# 2026-02-20 10:00:00Z\n\n"
        f"<!-- Claude Code Session {session} (2026-02-20 10:00:00Z) -->\n\n"
        "_**User (2026-02-20 10:00:00Z)**_\n\nHow is the ledger closed?\n\n---\n\n"
        "_**Agent (a-model 2026-02-20 10:00:05Z)**_\n\nAt midnight, by a job.\n"
    )
    return file
