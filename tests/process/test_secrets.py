"""Real processes: whatever a secret comes in through, no file of ours and nothing that is printed has it."""

import json
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from recollect.domain.errors import DaemonError
from recollect.store.sqlite.store import SqliteStore
from tests.builders import a_memory
from tests.planted import found_below, found_in, of_every_sort, vendor_secret
from tests.process.conftest import Home, taught
from tests.process.test_doctor import flip
from tests.repositories import a_repository
from tests.requirements import covers
from tests.store.old_claude_mem import TABLES, made
from tests.unit.privacy.keys import VENDOR_KEYS

SECRETS = of_every_sort(seed=23)
SAID = " ".join(" ".join(secret.text.split()) for secret in SECRETS)
TITLE = SECRETS[3].text
NAMES = [secret.name for secret in SECRETS]
TOKEN = vendor_secret(next(row for row in VENDOR_KEYS if row[0] == "ghp_"), seed=23)
PLANTED = [*SECRETS, TOKEN]


def leaked(home: Home, *args: str, stdin: bytes = b"", cwd: Path | None = None) -> set[str]:
    """What a command prints of the secrets, whether it succeeds or not."""
    done = home.recollect(*args, stdin=stdin, cwd=cwd)
    assert b"Traceback" not in done.stderr, args
    return found_in(done.stdout + done.stderr, PLANTED)


@pytest.fixture
def folder(home: Home) -> Path:
    """A repository with a token in its path and another in its remote."""
    remote = f"https://bot:{TOKEN.name}@example.org/{TOKEN.name}/shop.git"
    return a_repository(home.path / "work" / TOKEN.name / "shop", remote=remote)


def imported_files(folder: Path) -> list[str]:
    """One of each format, with the secrets wherever a text or a name can stand."""
    folder.mkdir()
    notes = "# Rules\n\n" + "".join(f"- Never forget: {secret.text}\n" for secret in SECRETS)
    observation = {"type": "bugfix", "title": SAID, "narrative": SAID, "facts": [SAID], "project": TOKEN.name}
    record = {"text": SAID, "title": TITLE, "aliases": NAMES, "evidence": [SAID], "kind": "rule"}
    lines = [
        record,
        *({"id": name, "text": f"By id {n}."} for n, name in enumerate(NAMES)),
        *({"text": f"Kind {n}.", "kind": name} for n, name in enumerate(NAMES)),
        *({"text": f"Field {n}.", name: 1} for n, name in enumerate(NAMES)),
        *({"text": f"Time {n}.", "time": name} for n, name in enumerate(NAMES)),
        *({"text": f"Session {n}.", "source": {"session": name}} for n, name in enumerate(NAMES)),
    ]
    contents = {
        "CLAUDE.md": notes,
        "topic.md": f"---\nname: {TOKEN.name}\ndescription: {SAID}\ntype: feedback\n---\n{SAID}",
        "observations.json": json.dumps({"observations": [observation]}),
        "mem0.json": json.dumps({"results": [{"id": TOKEN.name, "memory": SAID, "user_id": TOKEN.name}]}),
        "lines.jsonl": "\n".join(map(json.dumps, lines)),
    }
    for name, content in contents.items():
        (folder / name).write_text(content)
    made(folder / "claude-mem.db", TABLES.replace("Refunds were counted twice", TOKEN.name).replace("A retry", SAID))
    return [str(file) for file in sorted(folder.iterdir())]


def sent_to_pipe() -> bytes:
    event = {"session": "s1", "project": "name:shop"}
    requests: list[dict[str, Any]] = [
        {"op": "remember", "memories": [{"text": SAID, "evidence": [SAID]}]},
        *({"op": "remember", "memories": [{"text": "x", "source": {"host": name}}]} for name in NAMES),
        {"op": "load", "messages": [{"id": "1", "text": SAID}]},
        *({"op": "load", "messages": [{"id": name, "text": "Hello."}]} for name in NAMES),
        {"op": "event", "event": {**event, "type": "session_started"}},
        *({"op": "event", "event": {**event, "type": "session_started", "session": name}} for name in NAMES),
        *({"op": "event", "event": {**event, "type": "session_started", "language": name}} for name in NAMES),
        {"op": "event", "event": {**event, "type": "prompt", "message": "m1", "text": SAID}},
        {"op": "event", "event": {**event, "type": "reply", "message": "m2", "text": SAID}},
        {"op": "event", "event": {**event, "type": "tool_succeeded", "tool": "x", "input": {"a": SAID}, "output": "-"}},
        {"op": "event", "event": {**event, "type": "tool_failed", "tool": "x", "error": SAID}},
        {"op": "search", "query": SAID},
        *({"op": name} for name in NAMES),
        *({"op": "search", "query": "x", name: 1} for name in NAMES),
        {"op": "redact", "text": SAID},
    ]  # fmt: skip
    return "\n".join(map(json.dumps, requests)).encode()


@covers("PRI-1")
def test_no_secret_is_in_what_commands_write_or_print(home: Home, folder: Path) -> None:
    files = imported_files(home.path / "files")
    commands = [["remember", SAID, "--title", TITLE, "--alias", TOKEN.name]]
    for name in NAMES:
        commands += [["remember", "x", "--scope", f"project:{name}"], ["remember", "x", "--kind", name]]
        commands += [["show", name], ["project", "name", name], [f"--{name}"]]
    for file in files:
        commands += [["import", file], ["import", file, "--dry-run", "--json"]]
    for asked in (["list"], ["recall", SAID], ["recall", SAID, "--archive"], ["project", "list"], ["project", "show"]):
        commands += [asked, [*asked, "--json"]]
    commands += [["undo", "--list"], ["review"], ["forget", "--match", TOKEN.name], ["forget", "--match", SAID]]
    commands += [["export"], ["export", "--format", "markdown"]]
    assert not leaked(home, "remember", "-", stdin=SAID.encode(), cwd=folder)
    assert not leaked(home, "pipe", "--db", str(home.places.database), stdin=sent_to_pipe(), cwd=folder)
    assert {" ".join(command): leaked(home, *command, cwd=folder) for command in commands} == {
        " ".join(command): set() for command in commands
    }
    home.said("export", str(home.path / "out.jsonl"))
    home.said("export", str(home.path / "out.md"))
    assert home.json("list", "--limit", "999", cwd=folder)["memories"] != []
    assert found_below(home.path, PLANTED, but=[home.path / "files", home.path / "work"]) == set()


@covers("PRI-1")
def test_no_secret_is_in_what_the_daemon_keeps_logs_or_answers(home: Home, folder: Path) -> None:
    taught(home, "The deployment needs care.", "--scope", "universal", "--kind", "rule")
    home.said("start")
    start = {"hook": "session.start", "sessionID": "s1", "directory": str(folder), "agent": "build"}
    parts = [{"type": "text", "text": f"How is the deployment done? {SAID}"}]
    prompt = {**start, "hook": "chat.message", "messageID": "m1", "parts": parts, "live": [TOKEN.name]}
    bodies = [
        start,
        prompt,
        *({**start, "sessionID": name} for name in NAMES),
        *({**start, "agent": name} for name in NAMES),
        *({**start, "hook": name} for name in NAMES),
        *({**prompt, "messageID": name} for name in NAMES),
        *({**start, "sessionID": "s2", "directory": f"/srv/{name}\0"} for name in NAMES),
    ]
    answers: list[object] = []
    for path, body in [
        *(("/v1/hosts/opencode", body) for body in bodies),
        *((f"/v1/hosts/{TOKEN.name}", body) for body in bodies[:1]),
        *(("/v1/replay", {"session": name, "messages": [name]}) for name in NAMES),
        *(("/v1/sent", {"session": name, "messages": [name]}) for name in NAMES),
    ]:
        try:
            answers.append(home.post(path, body))
        except DaemonError as error:
            answers.append(str(error))
    assert "The deployment needs care." in str(answers[0])
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as raw, suppress(OSError):
        raw.connect(str(home.places.socket))
        raw.sendall(f"GET /{TOKEN.name} HTTP/1.1\r\n{SAID}\r\n\r\n".encode())
        raw.settimeout(5)
        answers.append(raw.recv(10_000))
    assert found_in(str(answers).encode(), PLANTED) == set()
    assert found_below(home.path, PLANTED, but=[home.path / "work"]) == set()
    home.said("stop")
    assert home.places.log.read_text()
    assert found_below(home.path, PLANTED, but=[home.path / "work"]) == set()


@covers("PRI-1")
def test_no_secret_is_in_what_a_repair_puts_aside(home: Home) -> None:
    taught(home, f"Quicksilver goes to Zanzibar. {SAID}")
    flip(home.places.database, b"Quicksilver goes")
    home.said("doctor", "--repair")
    assert list(home.places.database.parent.glob("damaged-*.jsonl"))
    assert found_below(home.path, PLANTED) == set()


@covers("PRI-1")
def test_doctor_says_that_an_older_version_kept_secrets_and_repair_takes_them_out(home: Home) -> None:
    taught(home)
    store = SqliteStore(home.places.database)
    store.add(a_memory(SAID, scope="universal"))
    store.close()
    done = home.recollect("doctor")
    assert done.returncode == 4
    assert b"possible secrets stored by an older version: 1 memories" in done.stdout
    assert b"secrets" in home.said("doctor", "--repair").encode()
    assert home.json("doctor")["healthy"]
    assert found_below(home.path, PLANTED) == set()
