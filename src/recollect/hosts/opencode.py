"""OpenCode: turn what its plugin sends into events, and an injection into what the plugin inserts. Pure.

The plugin forwards what the client sends, unchanged: `{"hook": ..., "sessionID": ..., ...}`, and later confirms which
blocks it really inserted. Unknown fields are ignored: a newer client may send more.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from recollect.domain import event as events
from recollect.domain.errors import InvalidValue, PayloadError
from recollect.domain.injection import Injection, Placement
from recollect.domain.learning import Origin
from recollect.domain.memory import MessageId, SessionId, check_name
from recollect.hosts.question_tool import with_answers_of_opencode
from recollect.hosts.script import MAX_WINDOW_TOKENS, parse_choice
from recollect.text import json_fields as read
from recollect.text.json_fields import Fields

NAME = "opencode"
STABLE = "start"  # the start block's name in the plugin's list of blocks in the context
MAX_CLOCK_LAG = timedelta(days=1)  # a time further back, or ahead, comes from a wrong clock
AT_WORK = "Recollect is active here. `recollect status` and `recollect why` show what it knows and does."

_ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]|\\\\")  # Windows too
_ARGUMENT = re.compile(r'"(?P<words>(?:[^"]|(?<=\\)")*)"(?=\s*(?:\n|\Z))')
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_MS = 253_402_300_799_999  # the last millisecond that a datetime can have


def is_waited_for(payload: Mapping[str, Any]) -> bool:
    return payload.get("hook") in ("chat.message", "session.start")


def normalise(payload: Mapping[str, Any], now: datetime) -> events.Event:
    hook = read.text(payload, "hook")
    read_hook = HOOKS.get(hook)
    if read_hook is None:
        raise PayloadError(f"The OpenCode plugin sent an unknown hook {hook!r}; install the plugin again.")
    parent = read.optional_text(payload, "parentID")
    return read_hook(
        payload,
        {
            "session": SessionId(read.text(payload, "sessionID")),
            "at": _event_time(payload, now),
            "host": NAME,
            "folder": _folder(payload),
            "agent": read.optional_text(payload, "agent"),
            "parent": SessionId(parent) if parent else None,
            "window_tokens": _window(payload),
            "headless": payload.get("headless") is True,
            "confirms": True,
        },
    )


def render(injection: Injection) -> dict[str, Any]:
    reply: dict[str, Any] = {"block": injection.block, "placement": injection.placement}
    if not injection.kept:
        reply["kept"] = False  # the disk is full: the event waits in memory
    if injection.placement is Placement.SYSTEM and injection.quiet is None:
        reply["notice"] = injection.notice or AT_WORK  # for the user; the plugin shows only the first one ever
    return reply


def _session_start(payload: Fields, about: dict[str, Any]) -> events.Event:
    source = parse_choice(payload, "source", events.StartSource, events.StartSource.STARTUP)
    messages = tuple(filter(None, map(_live_message, _objects(payload, "messages"))))
    # For the other blocks, the plugin confirms itself what it inserted.
    return events.SessionStarted(source=source, holds=messages, offered=True, **about)


def _prompt(payload: Fields, about: dict[str, Any]) -> events.Event:
    parts = [part for part in _list(payload, "parts") if isinstance(part, Mapping)]
    typed = [part["text"] for part in parts if is_typed(part)]
    files = tuple(filter(None, map(_file_name, parts)))
    text = "\n".join(typed)
    if payload.get("run") is True:
        text = unquote_argument(text)
    return events.Prompt(
        message=MessageId(read.text(payload, "messageID")),
        text=text,
        live=_live(payload),
        origin=_origin(payload, has_words=bool(typed or files or not parts)),
        files=files,
        **about,
    )


def _tool(payload: Fields, about: dict[str, Any]) -> events.Event:
    message, call = MessageId(read.text(payload, "messageID")), read.text(payload, "callID")
    tool, live, state = read.text(payload, "tool"), _live(payload), read.section(payload, "state")
    try:
        arguments = with_answers_of_opencode(read.section(state, "input"), state.get("metadata"))
        error = _error(state)
        output = read.optional_text(state, "output") or ""
    except PayloadError as wrong:
        raise PayloadError(f"`state`: {wrong}") from None
    if error is None:
        return events.ToolSucceeded(tool=tool, input=arguments, output=output, call=call, **about)
    return events.ToolFailed(tool=tool, input=arguments, error=error, message=message, call=call, live=live, **about)


def _reply(payload: Fields, about: dict[str, Any]) -> events.Event:
    final = read.flag(payload, "final", False)
    message = MessageId(read.text(payload, "messageID"))
    return events.Reply(message=message, text=read.any_text(payload, "text"), final=final, **about)


HOOKS: Mapping[str, Callable[[Fields, dict[str, Any]], events.Event]] = {
    "session.start": _session_start,
    "chat.message": _prompt,
    "tool": _tool,
    "reply": _reply,
    "session.compacting": lambda _, about: events.Compacting(**about),
    "session.compacted": lambda payload, about: events.Compacted(
        summary=read.optional_text(payload, "summary") or "", **about
    ),
    "session.ended": lambda _, about: events.SessionEnded(**about),
    "session.deleted": lambda _, about: events.SessionDeleted(**about),
}


def unquote_argument(text: str) -> str:
    """Undo the quotes and escapes of an argument of `opencode run` that has a blank. Piped text follows on its own line."""
    argument = _ARGUMENT.match(text)
    if argument is None or " " not in argument["words"]:
        return text
    return argument["words"].replace('\\"', '"') + text[argument.end() :]


def is_typed(part: Fields) -> bool:
    """Return False for text that the client made up (synthetic) or that only the user sees (ignored)."""
    is_text = part.get("type") == "text" and isinstance(part.get("text"), str)
    return is_text and not part.get("synthetic") and not part.get("ignored")


def _file_name(part: Fields) -> str | None:
    if part.get("type") == "file":
        for name in (part.get("path"), part.get("filename")):
            if isinstance(name, str) and name.strip():
                return name
    return None


def _origin(payload: Fields, *, has_words: bool) -> Origin:
    """A message without words of the user comes from the client: a turn that continues after a compaction."""
    command = read.optional_text(payload, "command")
    if not has_words:
        return Origin.NOTIFICATION
    if read.optional_text(payload, "parentID"):
        return Origin.SUBAGENT
    return Origin.COMMAND if command else Origin.USER


def _error(state: Fields) -> str | None:
    """Return the error of a failed tool; None: it did not fail. A failed shell command is completed, with an exit code."""
    status = read.text(state, "status")
    match status:
        case "error":
            return read.any_text(state, "error")
        case "completed":
            code = read.section(state, "metadata").get("exit")
            is_failure = isinstance(code, int) and not isinstance(code, bool) and code != 0
            return read.optional_text(state, "output") or "" if is_failure else None
        case _:
            raise PayloadError(f"`status` is completed or error, not {status!r}: report a tool when it has finished.")


def _live_message(message: Fields) -> events.InitialMessage | None:
    """Return None for a message without a usable id or time: one odd old message must not cost a session its start."""
    try:
        calls = message.get("calls")
        finished = map(_finished_call, calls if isinstance(calls, list) else [])
        message_id, at = MessageId(read.text(message, "id")), _moment(message, "at")
        return events.InitialMessage(message=message_id, at=at, calls=dict(filter(None, finished)))
    except (PayloadError, InvalidValue):
        return None


def _finished_call(call: object) -> tuple[str, datetime] | None:
    try:
        fields = call if isinstance(call, Mapping) else {}
        name, at = read.text(fields, "id"), _moment(fields, "at")
        check_name(name, "call")
        return name, at
    except (PayloadError, InvalidValue):
        return None


def _live(payload: Fields) -> events.Carriers:
    """Return the messages whose blocks are in this request; None in it: the start block."""
    if payload.get("live") is None:
        return None
    # The plugin lists message ids, tool calls as `message/call`, and "start".
    carriers = [carrier.partition("/")[0] for carrier in read.texts(payload, "live")]
    return tuple(None if carrier == STABLE else MessageId(carrier) for carrier in dict.fromkeys(carriers))


def _event_time(payload: Fields, now: datetime) -> datetime:
    """Return the time by the client's clock: a copy of the session has the same times."""
    if payload.get("at") is None:
        return now
    moment = _moment(payload, "at")
    return moment if now - MAX_CLOCK_LAG <= moment <= now else now


def _moment(fields: Fields, name: str) -> datetime:
    value = fields.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LAST_MS:
        raise PayloadError(f"`{name}` is a time in milliseconds since 1970.")
    return _EPOCH + timedelta(milliseconds=int(value))


def _folder(payload: Fields) -> str | None:
    """Return the folder that the session works in; not `worktree`, which is "/" outside git."""
    folder = read.optional_text(payload, "directory")
    if folder is not None and not _ABSOLUTE.match(folder):
        raise PayloadError(
            "`directory` is not an absolute path; the daemon runs in another folder and could not find it."
        )
    return folder


def _window(payload: Fields) -> int | None:
    """Return None for a missing or invalid size: no session is lost because of it."""
    value = payload.get("window")
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 1 <= value <= MAX_WINDOW_TOKENS else None


def _list(payload: Fields, name: str) -> Sequence[object]:
    value = payload.get(name)
    if not isinstance(value, list):
        raise PayloadError(f"`{name}` is not a list.")
    return value


def _objects(fields: Fields, name: str) -> Sequence[Fields]:
    value = [] if fields.get(name) is None else _list(fields, name)
    objects = [item for item in value if isinstance(item, Mapping)]
    if len(objects) != len(value):
        raise PayloadError(f"`{name}` is a list of objects.")
    return objects
