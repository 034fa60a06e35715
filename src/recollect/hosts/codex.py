"""Codex: a rollout, one JSON object a line, becomes events. Pure.

Newer ones wrap each record as `{timestamp, type, payload}`; the first versions wrote the payloads bare, behind a line
about the session. What Codex tells its model in the user's name (instructions, the environment) was said by nobody.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from recollect.domain.errors import PayloadError
from recollect.domain.event import Compacted, Event, Prompt, Reply, ToolSucceeded
from recollect.domain.learning import Origin
from recollect.domain.memory import MessageId, SessionId
from recollect.domain.transcript import TranscriptRecord
from recollect.hosts.questions import with_answers_of_codex
from recollect.hosts.transcript import Bad, Scribe, events, name_of, named_by_content, said_in, texts_in

NAME = "codex"
_TEXTS = ("input_text", "output_text", "text")
_ITEMS = {
    *("message", "reasoning", "function_call", "function_call_output", "local_shell_call"),
    *("custom_tool_call", "custom_tool_call_output"),
}
# What Codex itself puts into messages of the user, by how it begins.
_CONTEXT = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|permissions instructions|skills?_instructions|skill|"
    r"collaboration_mode|apps_instructions|plugins_instructions|hook_prompt|hook_context|INSTRUCTIONS)\b|"
    r"# AGENTS\.md instructions\b)"
)
_NOTICES = re.compile(r"\s*<(?:turn_aborted|subagent_notification|user_action|task_notification)\b")
_SHELL = re.compile(r"\s*<user_shell_command>\s*(?:<command>(?P<line>.*?)</command>)?", re.DOTALL)
_REQUEST = re.compile(r"\A# Context from my IDE setup:.*?^## My request for Codex:\s*", re.DOTALL | re.MULTILINE)
_EXIT = re.compile(r"^(?:Process exited with code|Exit code:?) (?P<code>-?\d+)\s*$", re.MULTILINE)
_HEAD_CHARS = 600  # the exit code stands at the beginning of what a command said
_REFUSED = (
    "exec_command failed",
    "execution error:",
    "failed to parse function arguments",
    "err: ",
    "unsupported call",
)
_SHELLS = ("bash", "sh", "zsh")
_SUMMARY = re.compile(r"\AAnother language model started to solve this problem[^\n]*\n+")


def parse(records: Iterable[TranscriptRecord], *, otherwise: datetime, bad: Bad) -> Iterator[Event]:
    """`otherwise`: the time of what has none."""
    return events(Rollout(otherwise), records, bad)


class Rollout:
    def __init__(self, otherwise: datetime) -> None:
        self._scribe = Scribe(NAME, otherwise)
        self._session: SessionId | None = None
        self._is_child = False
        self._messages = 0

    def read(self, value: Mapping[str, Any]) -> Sequence[Event]:
        at = self._scribe.time(value.get("timestamp"))
        payload, kind = value.get("payload"), value.get("type")
        if not isinstance(payload, Mapping):
            if kind is None and "id" in value and "timestamp" in value:
                return self._begin(value, at)
            return self._item(value, at) if kind in _ITEMS else ()
        match kind:
            case "session_meta":
                return self._begin(payload, at)
            case "response_item":
                return self._item(payload, at)
            case "compacted":
                summary = _SUMMARY.sub("", said_in(payload.get("message"))).strip()
                return [Compacted(summary=summary, **self._about(at))]
            case _:
                return ()

    def rest(self) -> Sequence[Event]:
        return ()

    def _begin(self, meta: Mapping[str, Any], at: datetime) -> Sequence[Event]:
        name = name_of(meta, "id")
        if name is None:
            raise PayloadError("The session has no id.")
        if self._session is not None:  # of the session of which this one is a copy
            return ()
        self._session = SessionId(name)
        parent = _parent(meta)
        self._is_child = parent is not None
        return self._scribe.begin(self._session, at, folder=name_of(meta, "cwd"), parent=parent)

    def _about(self, at: datetime) -> dict[str, Any]:
        if self._session is None:
            raise PayloadError("It comes before the line that says which session this is.")
        return self._scribe.about(self._session, at)

    def _item(self, item: Mapping[str, Any], at: datetime) -> Sequence[Event]:
        about = self._about(at)
        match item.get("type"):
            case "message":
                return self._message(item, about)
            case "function_call":
                given = _given(_parsed(item.get("arguments")))
                self._scribe.call(str(item.get("call_id")), str(item.get("name")), given)
            case "custom_tool_call":
                self._scribe.call(str(item.get("call_id")), str(item.get("name")), item.get("input"))
            case "local_shell_call":
                self._scribe.call(str(item.get("call_id")), "local_shell", _given(item.get("action")))
            case "function_call_output" | "custom_tool_call_output":
                output, failed = _output(item.get("output"))
                found = self._scribe.answer(str(item.get("call_id")), output, failed=failed, about=about)
                return [_with_answers(event, output) for event in found]
            case _:
                pass
        return ()

    def _message(self, item: Mapping[str, Any], about: dict[str, Any]) -> Sequence[Event]:
        role = item.get("role")
        if role not in ("user", "assistant"):
            return ()
        self._messages += 1
        text, origin = _spoken(item.get("content")) if role == "user" else (_text(item.get("content")), Origin.USER)
        if not text:
            return ()
        own = name_of(item, "id")
        message = MessageId(own) if own else named_by_content(self._messages, role, text)
        if role == "assistant":
            return [Reply(message=message, text=text, final=item.get("phase") == "final_answer", **about)]
        if self._is_child and origin is Origin.USER:
            origin = Origin.SUBAGENT
        return [Prompt(message=message, text=text, origin=origin, **about)]


def _with_answers(event: Event, output: str) -> Event:
    if isinstance(event, ToolSucceeded) and event.tool == "request_user_input":
        return replace(event, input=with_answers_of_codex(event.input, output))
    return event


def _text(content: object) -> str:
    return said_in(texts_in(content, *_TEXTS)).strip()


def _spoken(content: object) -> tuple[str, Origin]:
    """What is left of a message without what Codex put there, and who said it."""
    blocks = [content] if isinstance(content, str) else content if isinstance(content, list) else []
    texts = [said_in(texts_in([block] if isinstance(block, Mapping) else block, *_TEXTS)).strip() for block in blocks]
    text = "\n".join(part for part in texts if part and not _CONTEXT.match(part))
    if _NOTICES.match(text):
        return text, Origin.NOTIFICATION
    shell = _SHELL.match(text)
    if shell is not None:
        return f"! {(shell['line'] or '').strip()}", Origin.COMMAND
    return _REQUEST.sub("", text).strip(), Origin.USER


def _given(told: object) -> object:
    """With the command line as a text, under the name that other hosts have for it."""
    if not isinstance(told, Mapping):
        return told
    command = told.get("cmd", told.get("command"))
    if isinstance(command, list):
        words = [str(word) for word in command]
        is_script = len(words) == 3 and words[0].rsplit("/", 1)[-1] in _SHELLS and words[1] in ("-lc", "-c")
        command = words[2] if is_script else " ".join(words)
    return {**told, "command": command} if isinstance(command, str) else told


def _parsed(told: object) -> object:
    try:
        return json.loads(told) if isinstance(told, str) else told
    except (ValueError, RecursionError):
        return told


def _output(told: object) -> tuple[str, bool]:
    """What a tool said, and whether it failed."""
    if isinstance(told, Mapping):
        return str(told.get("content") or ""), told.get("success") is False
    text = texts_in(told, *_TEXTS)
    if text.startswith("{"):
        wrapped = _parsed(text)
        if isinstance(wrapped, Mapping) and isinstance(wrapped.get("output"), str):
            metadata = wrapped.get("metadata")
            code = metadata.get("exit_code") if isinstance(metadata, Mapping) else 0
            return wrapped["output"], code not in (0, None)
    ended = _EXIT.search(text, 0, _HEAD_CHARS)
    if ended is None:
        return text, text.startswith(_REFUSED)
    _, marked, output = text.partition("\nOutput:\n")
    return output if marked else text, ended["code"] != "0"


def _parent(meta: Mapping[str, Any]) -> SessionId | None:
    """The session whose agent began this one."""
    source = meta.get("source")
    spawned: object = source.get("subagent") if isinstance(source, Mapping) else None
    spawn = spawned.get("thread_spawn") if isinstance(spawned, Mapping) else None
    parent = name_of(meta, "parent_thread_id") or (
        name_of(spawn, "parent_thread_id") if isinstance(spawn, Mapping) else None
    )
    return SessionId(parent) if parent else None
