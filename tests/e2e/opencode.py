"""Drives the real OpenCode client, as npm ships it, against the fake model. It never looks inside the client."""

import http.client
import json
import re
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.fake_model import FakeModel, Request, Wire
from tests.e2e.machine import Machine

CLIENT = Path(__file__).parent / "npm" / "node_modules" / ".bin" / "opencode"

# The client compacts when the reported tokens reach context minus output: [[usage 29000]] does it.
_LIMIT = {"context": 30_000, "output": 2_000}
_PROVIDERS: dict[Wire, tuple[str, str]] = {
    "openai": ("fake", "@ai-sdk/openai-compatible"),
    "anthropic": ("fakeanthropic", "@ai-sdk/anthropic"),
}
_LISTENING = re.compile(r"listening on http://127\.0\.0\.1:(\d+)")
_numbers = count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One `opencode run`, from start to exit."""

    exit_code: int
    stdout: str
    stderr: str
    seconds: float
    requests: list[Request]

    @property
    def chats(self) -> list[Request]:
        """The requests of the conversation itself: no title, no compaction."""
        return [request for request in self.requests if request.is_chat]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One prompt in a session of `opencode serve`, until the client is idle again."""

    text: str  # the last thing the model said
    error: Any  # the client's own description of what went wrong, or None
    user_message: str  # the client's id of the prompt
    seconds: float
    requests: list[Request]

    @property
    def chats(self) -> list[Request]:
        return [request for request in self.requests if request.is_chat]


class OpenCodeMachine(Machine):
    """A machine with the client on it, whose every model is the fake one."""

    def __init__(self, root: Path, model: FakeModel) -> None:
        super().__init__(root)
        self.model = model
        catalogue = root / "models.json"  # an empty one: the client's own costs the first turn of each process seconds
        catalogue.write_text("{}")
        self.env |= {
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_MODELS_PATH": str(catalogue),
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "npm_config_offline": "true",  # else it installs its SDK into every config folder
            "BUN_TMPDIR": str(self.scratch),  # not TMPDIR: that would move sockets too
        }

    def project(self, name: str = "project") -> "Project":
        project = Project(machine=self, path=self.git_project(name))
        project.configure(_configuration(self.model))
        return project

    def folder(self, name: str) -> "Project":
        """A project that is in no repository."""
        path = self.projects / name
        path.mkdir()
        project = Project(machine=self, path=path)
        project.configure(_configuration(self.model))
        return project

    def client_log(self) -> str:
        """What the client itself wrote down of its work, and what plugins told it to."""
        return "".join(path.read_text() for path in sorted((self.home / ".local/share/opencode/log").glob("*.log")))

    def host_history_bytes(self) -> bytes:
        """Everything that the client keeps of its conversations, raw: database, write-ahead log, storage folders."""
        data = self.home / ".local/share/opencode"
        kept = [path for path in sorted(data.rglob("*")) if path.is_file() and path.parent != data / "log"]
        assert data / "opencode.db" in kept, "the client has no history where the bench looks for it"
        return b"\n".join(path.read_bytes() for path in kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    machine: OpenCodeMachine
    path: Path

    def write(self, name: str, text: str) -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def configure(self, changes: dict[str, Any]) -> None:
        """Sets top-level keys of the project's opencode.json; takes effect at the next start of the client."""
        path = self.path / "opencode.json"
        before = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(json.dumps(before | changes, indent=2))

    def worktree(self, name: str) -> "Project":
        """Another folder of the same repository, configured alike."""
        path = self.path.with_name(name)
        done = self.machine.run("git", "worktree", "add", "-q", str(path), cwd=self.path)
        assert done.returncode == 0, done.stderr
        tree = Project(machine=self.machine, path=path)
        tree.configure(_configuration(self.machine.model))
        return tree

    def slash_command(self, name: str, template: str) -> None:
        self.write(f".opencode/command/{name}.md", f"---\ndescription: {name}\n---\n{template}\n")

    def mcp_server(self, name: str, command: Sequence[str | Path]) -> None:
        """One more MCP server; its tools become NAME_tool."""
        known = json.loads((self.path / "opencode.json").read_text()).get("mcp", {})
        self.configure({"mcp": known | {name: {"type": "local", "command": list(map(str, command))}}})

    def install_recollect(self, where: str = "--project") -> None:
        done = self.machine.recollect("install", "opencode", where, cwd=self.path)
        assert done.returncode == 0, f"install failed with {done.returncode}:\n{done.stdout}{done.stderr}"

    def run(
        self,
        prompt: str,
        *args: str,
        wire: Wire = "openai",
        title: str | None = "t",
        timeout_s: float = 120,
        as_one: bool = False,
    ) -> Run:
        """`opencode run` in a process of its own. `title=None` lets the client ask the model for a title;
        `as_one` gives the prompt as one argument, as people do."""
        heard, began = self.machine.model.record(), time.monotonic()
        options = ["-m", "/".join(_model(wire).values()), *args, *(() if title is None else ("--title", title))]
        # An argument with a blank would reach the model in literal quotes; blanks between arguments stay blanks.
        command = [_client(), "run", *options, "--", *([prompt] if as_one else prompt.split(" "))]
        done = self.machine.run(*command, cwd=self.path, timeout_s=timeout_s)
        return Run(
            exit_code=done.returncode,
            stdout=done.stdout,
            stderr=done.stderr,
            seconds=time.monotonic() - began,
            requests=heard.requests,
        )

    @contextmanager
    def serve(self) -> Iterator["Server"]:
        log = self.machine.home / f"serve-{next(_numbers)}.log"
        command = (_client(), "serve", "--hostname", "127.0.0.1", "--port", "0")
        process = self.machine.start(*command, cwd=self.path, log=log)
        try:
            yield Server(project=self, process=process, port=_port(process, log), log=log)
        finally:
            self.machine.end(process)


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A running `opencode serve`: quick turns, one process for all sessions of a project."""

    project: Project
    process: subprocess.Popen[str]
    port: int
    log: Path

    @property
    def model(self) -> FakeModel:
        return self.project.machine.model

    def session(self, title: str | None = "t", *, at: Project | None = None) -> "Session":
        """A new session. `title=None` lets the client ask the model for a title at the first prompt; `at`: in another
        project than the one that the process was started in."""
        folder = None if at is None else at.path
        made = self.call("POST", "/session", {} if title is None else {"title": title}, folder=folder)
        return Session(server=self, id=made["id"], folder=folder)

    def resume(self, session_id: str) -> "Session":
        """A session that an earlier process began."""
        return Session(server=self, id=self.call("GET", f"/session/{session_id}")["id"])

    def dispose(self) -> None:
        """Unloads the project; a plugin's dispose runs soon after this returns. Ending the process never calls it."""
        self.call("POST", "/instance/dispose", {})

    def call(
        self, method: str, path: str, body: Any = None, *, folder: Path | None = None, timeout_s: float = 120
    ) -> Any:
        """One request to the client's own HTTP API; fails the test when the client refuses it."""
        about = {"Content-Type": "application/json"} | ({} if folder is None else {"x-opencode-directory": str(folder)})
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout_s)
        try:
            content = None if body is None else json.dumps(body)
            connection.request(method, path, content, about)
            response = connection.getresponse()
            text = response.read().decode()
        finally:
            connection.close()
        assert response.status < 300, f"{method} {path}: {response.status} {text}\n{self.log.read_text()}"
        return json.loads(text) if text else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    server: Server
    id: str
    folder: Path | None = None  # None: where the server was started

    def prompt(
        self,
        text: str,
        *,
        files: Sequence[Path] = (),
        wire: Wire = "openai",
        agent: str = "build",
        timeout_s: float = 120,
    ) -> Turn:
        """What the user types, with the files that they attach to it."""
        parts = [{"type": "text", "text": text}, *map(_attached, files)]
        return self._turn("message", {"model": _model(wire), "agent": agent, "parts": parts}, timeout_s)

    def command(self, name: str, arguments: str = "", *, wire: Wire = "openai", agent: str = "build") -> Turn:
        """A slash command: `/name arguments`."""
        model = "/".join(_model(wire).values())
        return self._turn("command", {"command": name, "arguments": arguments, "model": model, "agent": agent}, 60)

    def summarize(self, *, wire: Wire = "openai") -> list[Request]:
        """Compacts the session, as the user's /compact does; the requests that it caused."""
        heard = self.server.model.record()
        self._call("POST", "/summarize", _model(wire))
        return heard.requests

    def undo(self, turn: Turn) -> None:
        """Takes a prompt and everything after it back, as the user's /undo does."""
        self._call("POST", "/revert", {"messageID": turn.user_message})

    def fork(self) -> "Session":
        return Session(server=self.server, id=self._call("POST", "/fork", {})["id"], folder=self.folder)

    def children(self) -> list["Session"]:
        """The sessions of the subagents that it began."""
        begun = self._call("GET", "/children")
        return [Session(server=self.server, id=child["id"], folder=self.folder) for child in begun]

    def abort(self) -> None:
        self._call("POST", "/abort", {})

    def delete(self) -> None:
        self._call("DELETE", "")

    def history(self) -> list[Any]:
        """The messages as the client keeps and shows them, in its own format."""
        messages: list[Any] = self._call("GET", "/message")
        return messages

    def _turn(self, what: str, body: Any, timeout_s: float) -> Turn:
        heard, began = self.server.model.record(), time.monotonic()
        answer = self._call("POST", f"/{what}", body, timeout_s=timeout_s)
        said = [part["text"] for part in answer["parts"] if part["type"] == "text"]
        return Turn(
            text="\n".join(said),
            error=answer["info"].get("error"),
            user_message=answer["info"]["parentID"],
            seconds=time.monotonic() - began,
            requests=heard.requests,
        )

    def _call(self, method: str, path: str, body: Any = None, *, timeout_s: float = 120) -> Any:
        return self.server.call(method, f"/session/{self.id}{path}", body, folder=self.folder, timeout_s=timeout_s)


def _attached(file: Path) -> dict[str, str]:
    return {"type": "file", "mime": "text/plain", "filename": file.name, "url": file.as_uri()}


def _client() -> Path:
    if not CLIENT.exists():
        pytest.fail("the OpenCode client is not installed: run `make test`, which installs it")
    return CLIENT


def _model(wire: Wire) -> dict[str, str]:
    return {"providerID": _PROVIDERS[wire][0], "modelID": "tiny"}


def _configuration(model: FakeModel) -> dict[str, Any]:
    options = {"baseURL": model.base_url, "apiKey": "none"}
    providers = {
        name: {"npm": package, "name": name, "options": options, "models": {"tiny": {"name": "tiny", "limit": _LIMIT}}}
        for name, package in _PROVIDERS.values()
    }
    return {
        "$schema": "https://opencode.ai/config.json",  # without it the client rewrites the file
        "model": "fake/tiny",
        "small_model": "fake/tiny",  # titles: always in OpenAI's format
        "share": "disabled",
        "snapshot": False,  # else it copies the repository at each step, which takes longer than the rest of a turn
        "permission": {"*": "allow"},
        "provider": providers,
    }


def _port(process: subprocess.Popen[str], log: Path, *, timeout_s: float = 30) -> int:
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline and process.poll() is None:
        if found := _LISTENING.search(log.read_text()):
            return int(found.group(1))
        time.sleep(0.02)
    raise AssertionError(f"`opencode serve` did not come up in {timeout_s} s:\n{log.read_text()}")
