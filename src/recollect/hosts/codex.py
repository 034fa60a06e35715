"""Codex: turn a rollout, one JSON object per line, into events. Pure.

Newer rollouts wrap each record as `{timestamp, type, payload}`; the first versions wrote bare payloads after a line about
the session. Text that Codex writes in the user's name (instructions, the environment) is dropped.
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
from recollect.hosts import transcript
from recollect.hosts.question_tool import with_answers_of_codex

NAME = "codex"
_TEXTS = ("input_text", "output_text", "text")
_ITEMS = {
    *("message", "reasoning", "function_call", "function_call_output", "local_shell_call"),
    *("custom_tool_call", "custom_tool_call_output"),
}
# Codex itself puts these into messages of the user.
_CONTEXT = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|permissions instructions|skills?_instructions|skill|"
    r"collaboration_mode|apps_instructions|plugins_instructions|hook_prompt|hook_context|INSTRUCTIONS)\b|"
    r"# AGENTS\.md instructions\b)"
)
_NOTICES = re.compile(r"\s*<(?:turn_aborted|subagent_notification|user_action|task_notification)\b")
_SHELL = re.compile(r"\s*<user_shell_command>\s*(?:<command>(?P<line>.*?)</command>)?", re.DOTALL)
_REQUEST = re.compile(r"\A# Context from my IDE setup:.*?^## My request for Codex:\s*", re.DOTALL | re.MULTILINE)
_EXIT = re.compile(r"^(?:Process exited with code|Exit code:?) (?P<code>-?\d+)\s*$", re.MULTILINE)
_HEAD_CHARS = 600  # the exit code is at the beginning of a command's output
_REFUSED = (
    "exec_command failed",
    "execution error:",
    "failed to parse function arguments",
    "err: ",
    "unsupported call",
)
_SHELLS = ("bash", "sh", "zsh")
_SUMMARY = re.compile(r"\AAnother language model started to solve this problem[^\n]*\n+")


def parse(
    records: Iterable[TranscriptRecord], *, otherwise: datetime, bad: transcript.ReportBadLine
) -> Iterator[Event]:
    return transcript.read_events(RolloutReader(otherwise), records, bad)


class RolloutReader:
    def __init__(self, default_time: datetime) -> None:
        self._tracker = transcript.SessionTracker(NAME, default_time)
        self._session: SessionId | None = None
        self._is_child = False
        self._messages = 0

    def read(self, value: Mapping[str, Any]) -> Sequence[Event]:
        at = self._tracker.update_time(value.get("timestamp"))
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
                summary = _SUMMARY.sub("", transcript.clean_text(payload.get("message"))).strip()
                return [Compacted(summary=summary, **self._event_fields(at))]
            case _:
                return ()

    def finish(self) -> Sequence[Event]:
        return ()

    def _begin(self, meta: Mapping[str, Any], at: datetime) -> Sequence[Event]:
        name = transcript.name_field(meta, "id")
        if name is None:
            raise PayloadError("The session has no id.")
        if self._session is not None:  # the line of the session that this one was copied from
            return ()
        self._session = SessionId(name)
        parent = _parent(meta)
        self._is_child = parent is not None
        return self._tracker.begin(self._session, at, folder=transcript.name_field(meta, "cwd"), parent=parent)

    def _event_fields(self, at: datetime) -> dict[str, Any]:
        if self._session is None:
            raise PayloadError("The record comes before the line that names the session.")
        return self._tracker.event_fields(self._session, at)

    def _item(self, item: Mapping[str, Any], at: datetime) -> Sequence[Event]:
        fields = self._event_fields(at)
        call = str(item.get("call_id"))
        match item.get("type"):
            case "message":
                return self._message(item, fields)
            case "function_call":
                arguments = _with_command_line(_parse_json(item.get("arguments")))
                self._tracker.add_call(call, str(item.get("name")), arguments)
            case "custom_tool_call":
                self._tracker.add_call(call, str(item.get("name")), item.get("input"))
            case "local_shell_call":
                self._tracker.add_call(call, "local_shell", _with_command_line(item.get("action")))
            case "function_call_output" | "custom_tool_call_output":
                output, failed = _read_output(item.get("output"))
                events = self._tracker.finish_call(call, output, failed=failed, fields=fields)
                return [_with_answers(event, output) for event in events]
            case _:
                pass
        return ()

    def _message(self, item: Mapping[str, Any], fields: dict[str, Any]) -> Sequence[Event]:
        role = item.get("role")
        if role not in ("user", "assistant"):
            return ()
        self._messages += 1
        if role == "user":
            text, origin = _user_words(item.get("content"))
        else:
            text, origin = _text(item.get("content")), Origin.USER
        if not text:
            return ()
        own = transcript.name_field(item, "id")
        message = MessageId(own) if own else transcript.id_from_content(self._messages, role, text)
        if role == "assistant":
            return [Reply(message=message, text=text, final=item.get("phase") == "final_answer", **fields)]
        if self._is_child and origin is Origin.USER:
            origin = Origin.SUBAGENT
        return [Prompt(message=message, text=text, origin=origin, **fields)]


def _with_answers(event: Event, output: str) -> Event:
    if isinstance(event, ToolSucceeded) and event.tool == "request_user_input":
        return replace(event, input=with_answers_of_codex(event.input, output))
    return event


def _text(content: object) -> str:
    return transcript.clean_text(transcript.join_texts(content, *_TEXTS)).strip()


def _user_words(content: object) -> tuple[str, Origin]:
    """Return a message without the text that Codex added, and who wrote it."""
    blocks = [content] if isinstance(content, str) else content
    texts: list[str] = []
    for block in blocks if isinstance(blocks, list) else []:
        part = _text([block] if isinstance(block, Mapping) else block)
        if part and not _CONTEXT.match(part):
            texts.append(part)
    text = "\n".join(texts)
    if _NOTICES.match(text):
        return text, Origin.NOTIFICATION
    shell = _SHELL.match(text)
    if shell is not None:
        return f"! {(shell['line'] or '').strip()}", Origin.COMMAND
    return _REQUEST.sub("", text).strip(), Origin.USER


def _with_command_line(arguments: object) -> object:
    """Add the command line as one text, under the key that other hosts use."""
    if not isinstance(arguments, Mapping):
        return arguments
    command = arguments.get("cmd", arguments.get("command"))
    if isinstance(command, list):
        words = [str(word) for word in command]
        is_script = len(words) == 3 and words[0].rsplit("/", 1)[-1] in _SHELLS and words[1] in ("-lc", "-c")
        command = words[2] if is_script else " ".join(words)
    return {**arguments, "command": command} if isinstance(command, str) else arguments


def _parse_json(value: object) -> object:
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value


def _read_output(value: object) -> tuple[str, bool]:
    """Return the output of a tool, and whether the tool failed."""
    if isinstance(value, Mapping):
        return str(value.get("content") or ""), value.get("success") is False
    text = transcript.join_texts(value, *_TEXTS)
    if text.startswith("{"):
        wrapped = _parse_json(text)
        if isinstance(wrapped, Mapping) and isinstance(wrapped.get("output"), str):
            metadata = wrapped.get("metadata")
            code = metadata.get("exit_code") if isinstance(metadata, Mapping) else 0
            return wrapped["output"], code not in (0, None)
    exit_line = _EXIT.search(text, 0, _HEAD_CHARS)
    if exit_line is None:
        return text, text.startswith(_REFUSED)
    _, separator, output = text.partition("\nOutput:\n")
    return output if separator else text, exit_line["code"] != "0"


def _parent(meta: Mapping[str, Any]) -> SessionId | None:
    parent = transcript.name_field(meta, "parent_thread_id")
    source = meta.get("source")
    subagent: object = source.get("subagent") if isinstance(source, Mapping) else None
    spawn = subagent.get("thread_spawn") if isinstance(subagent, Mapping) else None
    if parent is None and isinstance(spawn, Mapping):
        parent = transcript.name_field(spawn, "parent_thread_id")
    return SessionId(parent) if parent else None
