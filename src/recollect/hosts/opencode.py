"""OpenCode: what its plugin sends becomes an event; an injection becomes what the plugin puts in place. Pure.

The plugin forwards hook inputs as they are: `{"hook": ..., "sessionID": ..., ...}`. `answerBy` is the moment (ms since
1970) at which it goes on without us.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from recollect.domain.errors import PayloadError
from recollect.domain.event import Event, Prompt, SessionStarted
from recollect.domain.injection import Injection
from recollect.domain.memory import MessageId, SessionId

NAME = "opencode"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def normalise(payload: Mapping[str, Any], now: datetime) -> Event:
    hook = _text(payload, "hook")
    about: dict[str, Any] = {
        "session": SessionId(_text(payload, "sessionID")),
        "at": now,
        "host": NAME,
        "folder": _optional_text(payload, "directory"),  # not `worktree`: that is "/" outside of git
        "agent": _optional_text(payload, "agent"),
        "answer_by": _moment(payload),
    }
    match hook:
        case "session.start":
            return SessionStarted(**about)
        case "chat.message":
            message = MessageId(_text(payload, "messageID"))
            return Prompt(message=message, text=_said(payload), live=_live(payload), **about)
        case _:
            raise PayloadError(f"The OpenCode plugin sent an unknown hook {hook!r}; install the plugin again.")


def render(injection: Injection) -> dict[str, Any]:
    return {"block": injection.block, "placement": injection.placement}


def _said(payload: Mapping[str, Any]) -> str:
    """What the user typed: text parts, without those that the host made up itself (synthetic, ignored)."""
    parts = payload.get("parts")
    if not isinstance(parts, Sequence) or isinstance(parts, str):
        raise PayloadError("`parts` is not a list.")
    texts = [
        part["text"]
        for part in parts
        if isinstance(part, Mapping)
        and part.get("type") == "text"
        and isinstance(part.get("text"), str)
        and not part.get("synthetic")
        and not part.get("ignored")
    ]
    return "\n".join(texts)


def _live(payload: Mapping[str, Any]) -> tuple[MessageId, ...] | None:
    """The ids of the messages in the request that the prompt is part of."""
    ids = payload.get("live")
    if ids is None:
        return None
    if not isinstance(ids, list) or not all(isinstance(message, str) for message in ids):
        raise PayloadError("`live` is not a list of message ids.")
    return tuple(map(MessageId, ids))


def _text(payload: Mapping[str, Any], name: str) -> str:
    value = payload.get(name)
    if not isinstance(value, str) or not value:
        raise PayloadError(f"`{name}` is missing or not a text.")
    return value


def _optional_text(payload: Mapping[str, Any], name: str) -> str | None:
    value = payload.get(name)
    if value is not None and not isinstance(value, str):
        raise PayloadError(f"`{name}` is not a text.")
    return value or None


def _moment(payload: Mapping[str, Any]) -> datetime | None:
    value = payload.get("answerBy")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 253_402_300_799_000:
        raise PayloadError("`answerBy` is not a moment in milliseconds.")
    return _EPOCH + timedelta(milliseconds=value)
