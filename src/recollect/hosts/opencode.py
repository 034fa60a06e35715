"""OpenCode: what its plugin sends becomes an event; an injection becomes what the plugin puts in place. Pure.

The plugin forwards hook inputs as they are: `{"hook": ..., "sessionID": ..., ...}`, and says afterwards which blocks it
has really put in place.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from recollect.domain.errors import PayloadError
from recollect.domain.event import Event, Prompt, SessionStarted
from recollect.domain.injection import Injection
from recollect.domain.memory import MessageId, SessionId

NAME = "opencode"
STABLE = "start"  # the stable block's name where the plugin lists what carries a block


def normalise(payload: Mapping[str, Any], now: datetime) -> Event:
    hook = _text(payload, "hook")
    about: dict[str, Any] = {
        "session": SessionId(_text(payload, "sessionID")),
        "at": now,
        "host": NAME,
        "folder": _optional_text(payload, "directory"),  # not `worktree`: that is "/" outside of git
        "agent": _optional_text(payload, "agent"),
        "confirms": True,
    }
    match hook:
        case "session.start":
            return SessionStarted(offered=True, **about)  # of the others the plugin tells itself
        case "chat.message":
            message = MessageId(_text(payload, "messageID"))
            return Prompt(message=message, text=_said(payload), live=_live(payload), **about)
        case _:
            raise PayloadError(f"The OpenCode plugin sent an unknown hook {hook!r}; install the plugin again.")


def render(injection: Injection) -> dict[str, Any]:
    unkept = {} if injection.kept else {"kept": False}  # it waits in memory for a disk that takes nothing
    return {"block": injection.block, "placement": injection.placement, **unkept}


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


def _live(payload: Mapping[str, Any]) -> tuple[MessageId | None, ...] | None:
    """What carries a block in the request that the prompt is part of: message ids, and "start" for the stable one."""
    carriers = payload.get("live")
    if carriers is None:
        return None
    if not isinstance(carriers, list) or not all(isinstance(carrier, str) for carrier in carriers):
        raise PayloadError("`live` is not a list of message ids.")
    return tuple(None if carrier == STABLE else MessageId(carrier) for carrier in carriers)


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
