from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.errors import InvalidValue, PayloadError
from recollect.mcp.schema import TOOLS, Tool
from tests.requirements import covers

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
NAMES = st.sampled_from([name for tool in TOOLS.values() for name in tool.arguments]) | st.text(max_size=5)


@covers("MCP-1")
@given(tool=st.sampled_from([*TOOLS.values()]), given=st.dictionaries(NAMES, JSON, max_size=4))
def test_whatever_a_tool_is_called_with_is_read_or_refused(tool: Tool, given: dict[str, Any]) -> None:
    refusal = ""
    try:
        read = tool.read(given)
    except (PayloadError, InvalidValue) as error:
        read, refusal = {}, str(error)
    needed = {name for name, argument in tool.arguments.items() if argument.required}
    assert (needed <= set(read) <= set(tool.arguments)) != bool(refusal)
    assert len(refusal) < 400


@pytest.mark.parametrize("tool", TOOLS.values(), ids=lambda tool: tool.name)
def test_every_schema_is_an_object_that_names_what_it_needs(tool: Tool) -> None:
    schema = tool.schema
    assert schema["type"] == "object"
    assert set(schema.get("required", [])) <= set(schema["properties"])
    assert tool.reads_only == (tool.name not in ("add", "change"))


@pytest.mark.parametrize("given", [{"query": ""}, {"scope": "x" * 1_000}, {"kinds": ["x" * 1_000]}])
def test_a_wrong_value_is_named_in_a_short_sentence(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidValue) as refused:
        TOOLS["search"].read(given)
    assert len(str(refused.value)) < 400


def test_what_is_left_out_and_what_is_null_are_the_same() -> None:
    assert TOOLS["search"].read({"query": "x", "kinds": None, "max_tokens": 100.0}) == {"query": "x", "max_tokens": 100}
