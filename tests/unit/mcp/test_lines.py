import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.mcp.lines import InvalidMessage, read_message

WRONG_IDS: list[Any] = [1.5, True, {}, [], None]


def a_request(**fields: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/list"} | fields


@pytest.mark.parametrize(
    ("message", "code", "of"),
    [
        ({"jsonrpc": "2.0", "id": 77}, -32600, 77),
        ({"id": 7, "method": "tools/list"}, -32600, 7),
        (a_request(jsonrpc="1.0", id="a"), -32600, "a"),
        (a_request(method=5), -32600, 7),
        (a_request(params=[1]), -32602, 7),
        (a_request(id="\ud83d"), -32600, "\ud83d"),
        *[(a_request(id=wrong), -32600, None) for wrong in WRONG_IDS],
        ([], -32600, None),
    ],
)
def test_what_is_wrong_is_said_under_its_id_where_it_has_one(message: Any, code: int, of: Any) -> None:
    with pytest.raises(InvalidMessage) as wrong:
        read_message(json.dumps(message).encode())
    assert (wrong.value.code, wrong.value.id) == (code, of)


def test_half_of_a_character_is_read_as_a_question_mark() -> None:
    message = a_request(params={"name": "search", "arguments": {"query": "a \ud83d smile"}})
    read_params = read_message(json.dumps(message).encode()).model_dump()["params"]
    assert read_params["arguments"] == {"query": "a ? smile"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # how long it takes is the machine's affair
@given(message=st.dictionaries(st.sampled_from(["jsonrpc", "id", "method", "params", "result", "error"]), JSON))
def test_every_line_is_read_or_wrong(message: dict[str, Any]) -> None:
    answered = None
    try:
        read_message(json.dumps(message | {"jsonrpc": "2.0"}).encode())
    except InvalidMessage as wrong:
        answered = wrong.id
    assert answered in (None, message.get("id"))
