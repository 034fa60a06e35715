"""Synthetic sessions of coding agents, sent over kept-alive connections to the daemon's real socket.

The client does as little as possible, so that a measurement shows the cost of the daemon.
"""

import json
import random
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import corpus
from bench.vocabulary import NOUNS

HOST_PATH = "/v1/hosts/script"
TIMEOUT_S = 30.0
TURNS = 12  # of one session


class Connection:
    """Minimal HTTP over the daemon's socket."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(TIMEOUT_S)
        self._socket.connect(str(path))
        self._received = b""

    def ask(self, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the answer. Raises ValueError unless the status is 200."""
        self._socket.sendall(_request(path, body))
        while b"\r\n\r\n" not in self._received:
            self._receive()
        head, _, rest = self._received.partition(b"\r\n\r\n")
        status, *fields = head.lower().split(b"\r\n")
        length = next(int(field.partition(b":")[2]) for field in fields if field.startswith(b"content-length:"))
        self._received = rest
        while len(self._received) < length:
            self._receive()
        answer, self._received = self._received[:length], self._received[length:]
        if status.split(b" ")[1] != b"200":
            raise ValueError(f"{path}: {status.decode()}: {answer.decode()}")
        found: dict[str, Any] = json.loads(answer)
        return found

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _receive(self) -> None:
        chunk = self._socket.recv(65536)
        if not chunk:
            raise ConnectionError("the daemon hung up")
        self._received += chunk


def _request(path: str, body: Mapping[str, Any] | None) -> bytes:
    if body is None:
        return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    payload = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(payload)}\r\n\r\n"
    return head.encode() + payload


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    path: str
    body: Mapping[str, Any] | None = None

    @property
    def name(self) -> tuple[str, str] | None:
        """Return session and name of the event that the daemon must store; None if it stores nothing."""
        body = self.body or {}
        match body.get("type"):
            case "prompt" | "reply" as kind:
                return body["session"], f"{kind}/{body['message']}"
            case "tool_succeeded" | "tool_failed":
                return body["session"], f"call/{body['call']}"
            case _:
                return None


def session(name: str, folder: str, seed: int, *, turns: int = TURNS, ends: bool = True) -> Iterator[Request]:
    """Yield start, prompts, tools (some fail), replies, the other requests of a plugin, and the end."""
    chance = random.Random(seed)
    prompts, errors = corpus.prompts(turns, seed), corpus.errors(turns, seed)
    about = {"session": name, "folder": folder}

    def event(kind: str, **fields: Any) -> Request:
        return Request(path=HOST_PATH, body={"type": kind, **about, **fields})

    yield event("session_started")
    for number in range(turns):
        message = f"{name}-p{number}"
        edits = {"filePath": f"src/{chance.choice(NOUNS)}.py"}
        yield event("prompt", message=message, text=prompts[number])
        yield event("tool_succeeded", tool="edit", call=f"{name}-e{number}", input=edits, output="Edited.")
        if chance.random() < 0.3:
            command = {"command": f"pytest -k {chance.choice(NOUNS)}"}
            yield event("tool_failed", tool="bash", call=f"{name}-f{number}", input=command, error=errors[number])
        reply = " ".join(corpus.sentence(chance, number) for _ in range(3))
        yield event("reply", message=f"{name}-r{number}", text=reply, final=True)
        if number % 4 == 0:
            yield Request(path="/v1/replay", body={"session": name, "messages": [message]})
            yield Request(path="/v1/sent", body={"session": name, "messages": [message]})
    if ends:
        yield event("session_ended")
