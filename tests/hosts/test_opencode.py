from typing import Any

import pytest

from recollect.domain.errors import PayloadError
from recollect.domain.event import Prompt, SessionStarted
from recollect.domain.injection import Injection, Placement
from recollect.hosts.opencode import normalise, render
from tests.builders import NOW

# As the plugin sends them from OpenCode 1.18.33.
START: dict[str, Any] = {
    "directory": "/home/dev/shop",
    "hook": "session.start",
    "sessionID": "ses_e1f068797ffebEN3IFXLFsm9qS",
}
PROMPT: dict[str, Any] = {
    "directory": "/home/dev/shop",
    "hook": "chat.message",
    "sessionID": "ses_e1f068797ffebEN3IFXLFsm9qS",
    "messageID": "msg_1e0f97894001GpWcKqB0jP0a1B",
    "agent": "build",
    "live": ["start", "msg_1e0f97894001GpWcKqB0jP0a1A"],
    "parts": [
        {"type": "text", "text": "How is auth handled?"},
        {"type": "text", "text": "Called the Read tool with ...", "synthetic": True},
        {"type": "text", "text": "not for the model", "ignored": True},
        {"type": "file", "mime": "text/plain", "url": "file:///home/dev/shop/auth.py"},
    ],
}


def test_a_session_that_is_heard_of_starts() -> None:
    event = normalise(START, NOW)
    assert isinstance(event, SessionStarted)
    assert (event.session, event.folder, event.host, event.at) == (
        START["sessionID"],
        "/home/dev/shop",
        "opencode",
        NOW,
    )


def test_a_prompt_is_what_the_user_typed() -> None:
    event = normalise(PROMPT, NOW)
    assert isinstance(event, Prompt)
    assert (event.text, event.message, event.agent) == ("How is auth handled?", PROMPT["messageID"], "build")
    assert event.live == (None, "msg_1e0f97894001GpWcKqB0jP0a1A")
    assert event.confirms


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hook": None}, "`hook`"),
        ({"hook": "chat.massage"}, "unknown hook 'chat.massage'"),
        ({"sessionID": ""}, "`sessionID`"),
        ({"sessionID": 7}, "`sessionID`"),
        ({"messageID": None}, "`messageID`"),
        ({"parts": "text"}, "`parts`"),
        ({"parts": None}, "`parts`"),
        ({"directory": 3}, "`directory`"),
        ({"live": "m1"}, "`live`"),
        ({"live": [1]}, "`live`"),
    ],
)
def test_a_payload_of_another_form_is_refused_with_the_field(change: dict[str, Any], message: str) -> None:
    with pytest.raises(PayloadError, match=message):
        normalise(PROMPT | change, NOW)


def test_parts_of_a_strange_form_are_passed_over() -> None:
    event = normalise(PROMPT | {"parts": [None, 3, {"type": "text"}, {"type": "text", "text": "Hi"}]}, NOW)
    assert isinstance(event, Prompt)
    assert event.text == "Hi"


def test_the_reply_carries_the_block() -> None:
    assert render(Injection(placement=Placement.SYSTEM, block="b")) == {"block": "b", "placement": "system"}
