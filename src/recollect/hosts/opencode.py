"""OpenCode: what its plugin sends becomes an event; an injection becomes what the plugin puts in place. Pure.

The plugin forwards what the client tells it as it is: `{"hook": ..., "sessionID": ..., ...}`, and says afterwards which
blocks it has really put in place. Fields that nobody knows are left alone: a newer client may say more.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from recollect.domain.errors import InvalidValue, PayloadError
from recollect.domain.event import (
    Carriers,
    Compacted,
    Compacting,
    Event,
    InitialMessage,
    Prompt,
    Reply,
    SessionDeleted,
    SessionEnded,
    SessionStarted,
    StartSource,
    ToolFailed,
    ToolSucceeded,
)
from recollect.domain.injection import Injection, Placement
from recollect.domain.learning import Origin
from recollect.domain.memory import MessageId, SessionId, check_name
from recollect.hosts.questions import with_answers_of_opencode
from recollect.text import json_fields as read
from recollect.text.json_fields import Fields

NAME = "opencode"
STABLE = "start"  # the stable block's name where the plugin lists what carries a block
MAX_WINDOW_TOKENS = 1_000_000_000
TOLD_WITHIN = timedelta(days=1)  # what the client dates further back, or ahead, has a wrong clock
AT_WORK = "Recollect is at work here; `recollect status` and `recollect why` tell what it knows and does."

_ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]|\\\\")  # also of Windows
_ARGUMENT = re.compile(r'"(?P<given>(?:[^"]|(?<=\\)")*)"(?=\s*(?:\n|\Z))')
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_MS = 253_402_300_799_999  # the last moment that a date has


def is_waited_for(payload: Mapping[str, Any]) -> bool:
    """Whether a person waits for the answer."""
    return payload.get("hook") in ("chat.message", "session.start")


def normalise(payload: Mapping[str, Any], now: datetime) -> Event:
    hook = read.text(payload, "hook")
    reads = HOOKS.get(hook)
    if reads is None:
        raise PayloadError(f"The OpenCode plugin sent an unknown hook {hook!r}; install the plugin again.")
    parent = read.optional_text(payload, "parentID")
    return reads(
        payload,
        {
            "session": SessionId(read.text(payload, "sessionID")),
            "at": _told(payload, now),
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
    besides: dict[str, Any] = {} if injection.kept else {"kept": False}  # it waits in memory for a disk that is full
    if injection.placement is Placement.SYSTEM and injection.quiet is None:
        besides["notice"] = injection.notice or AT_WORK  # for the person; the plugin shows the first one ever
    return {"block": injection.block, "placement": injection.placement, **besides}


def _started(payload: Fields, about: dict[str, Any]) -> Event:
    source = read.optional_text(payload, "source") or StartSource.STARTUP
    if source not in list(StartSource):
        raise PayloadError(f"There is no start source {source!r}; `source` is one of {', '.join(StartSource)}.")
    held = tuple(filter(None, map(_held, _objects(payload, "messages"))))
    # Of the others the plugin tells itself what it put in place.
    return SessionStarted(source=StartSource(source), holds=held, offered=True, **about)


def _prompt(payload: Fields, about: dict[str, Any]) -> Event:
    parts = [part for part in _list(payload, "parts") if isinstance(part, Mapping)]
    typed = [part["text"] for part in parts if _is_typed(part)]
    files = tuple(name for part in parts if part.get("type") == "file" and (name := _file(part)))
    return Prompt(
        message=MessageId(read.text(payload, "messageID")),
        text=unwrapped("\n".join(typed)) if payload.get("run") is True else "\n".join(typed),
        live=_live(payload),
        origin=_origin(payload, is_said=bool(typed or files or not parts)),
        files=files,
        **about,
    )


def _tool(payload: Fields, about: dict[str, Any]) -> Event:
    message, call = MessageId(read.text(payload, "messageID")), read.text(payload, "callID")
    tool, live, state = read.text(payload, "tool"), _live(payload), read.section(payload, "state")
    try:
        given, error = with_answers_of_opencode(read.section(state, "input"), state.get("metadata")), _error(state)
        output = read.optional_text(state, "output") or ""
    except PayloadError as wrong:
        raise PayloadError(f"`state`: {wrong}") from None
    if error is None:
        return ToolSucceeded(tool=tool, input=given, output=output, call=call, **about)
    return ToolFailed(tool=tool, input=given, error=error, message=message, call=call, live=live, **about)


def _reply(payload: Fields, about: dict[str, Any]) -> Event:
    final = read.flag(payload, "final", False)
    message = MessageId(read.text(payload, "messageID"))
    return Reply(message=message, text=read.any_text(payload, "text"), final=final, **about)


HOOKS: Mapping[str, Callable[[Fields, dict[str, Any]], Event]] = {
    "session.start": _started,
    "chat.message": _prompt,
    "tool": _tool,
    "reply": _reply,
    "session.compacting": lambda _, about: Compacting(**about),
    "session.compacted": lambda payload, about: Compacted(
        summary=read.optional_text(payload, "summary") or "", **about
    ),
    "session.ended": lambda _, about: SessionEnded(**about),
    "session.deleted": lambda _, about: SessionDeleted(**about),
}


def unwrapped(text: str) -> str:
    """What was given to `opencode run`: the client puts an argument with a blank between quotes, and its quotes behind
    backslashes. What was piped follows in a line of its own."""
    argument = _ARGUMENT.match(text)
    if argument is None or " " not in argument["given"]:
        return text
    return argument["given"].replace('\\"', '"') + text[argument.end() :]


def _is_typed(part: Fields) -> bool:
    """Not what the client made up itself (synthetic), nor what only the person sees (ignored)."""
    is_text = part.get("type") == "text" and isinstance(part.get("text"), str)
    return is_text and not part.get("synthetic") and not part.get("ignored")


def _file(part: Fields) -> str | None:
    named = (part.get("path"), part.get("filename"))
    return next((name for name in named if isinstance(name, str) and name.strip()), None)


def _origin(payload: Fields, *, is_said: bool) -> Origin:
    """Nothing but what the client made up is its own word: a turn that goes on after a compaction."""
    command = read.optional_text(payload, "command")
    if not is_said:
        return Origin.NOTIFICATION
    if read.optional_text(payload, "parentID"):
        return Origin.SUBAGENT
    return Origin.COMMAND if command else Origin.USER


def _error(state: Fields) -> str | None:
    """What a failed tool said; None: it did not fail. A shell that ended badly is done all the same, with its code."""
    status = read.text(state, "status")
    match status:
        case "error":
            return read.any_text(state, "error")
        case "completed":
            code = read.section(state, "metadata").get("exit")
            is_failure = isinstance(code, int) and not isinstance(code, bool) and code != 0
            return read.optional_text(state, "output") or "" if is_failure else None
        case _:
            raise PayloadError(f"`status` is completed or error, not {status!r}: tell of a tool when it is done.")


def _held(message: Fields) -> InitialMessage | None:
    """None: it has no usable name or time. One odd message of long ago must not cost a session its start."""
    try:
        held = InitialMessage(message=MessageId(read.text(message, "id")), at=_moment(message, "at"))
        calls = message.get("calls")
        done = map(_done, calls if isinstance(calls, list) else [])
        return replace(held, calls=dict(filter(None, done)))
    except (PayloadError, InvalidValue):
        return None


def _done(call: object) -> tuple[str, datetime] | None:
    """A call, and when it was done; None: it cannot be told from others."""
    try:
        fields = call if isinstance(call, Mapping) else {}
        name, at = read.text(fields, "id"), _moment(fields, "at")
        check_name(name, "call")
        return name, at
    except (PayloadError, InvalidValue):
        return None


def _live(payload: Fields) -> Carriers:
    """What carries a block in the request that this is part of: messages, tools (`message/call`), and "start" for the
    stable one."""
    if payload.get("live") is None:
        return None
    carriers = [carrier.partition("/")[0] for carrier in read.texts(payload, "live")]
    return tuple(None if carrier == STABLE else MessageId(carrier) for carrier in dict.fromkeys(carriers))


def _told(payload: Fields, now: datetime) -> datetime:
    """When it happened, by the client's clock: a copy of the session has the same times."""
    if payload.get("at") is None:
        return now
    moment = _moment(payload, "at")
    return moment if now - TOLD_WITHIN <= moment <= now else now


def _moment(fields: Fields, name: str) -> datetime:
    value = fields.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LAST_MS:
        raise PayloadError(f"`{name}` is a time in milliseconds since 1970.")
    return _EPOCH + timedelta(milliseconds=int(value))


def _folder(payload: Fields) -> str | None:
    """Where the session works; not `worktree`, which is "/" outside of git."""
    folder = read.optional_text(payload, "directory")
    if folder is not None and not _ABSOLUTE.match(folder):
        raise PayloadError("`directory` is not an absolute path; the daemon stands elsewhere and could not find it.")
    return folder


def _window(payload: Fields) -> int | None:
    """None: of a model that nobody described, or described wrongly. No session is lost for that."""
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
    objects = [one for one in value if isinstance(one, Mapping)]
    if len(objects) != len(value):
        raise PayloadError(f"`{name}` is a list of objects.")
    return objects
