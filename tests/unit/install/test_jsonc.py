"""Somebody's configuration is changed at one place and kept at every other."""

import json
from itertools import cycle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.install.jsonc import Json, NotJsonc, entry_of, is_blank, parse, with_entry, with_value, without_entry

ENTRY: dict[str, Json] = {"type": "local", "command": ["recollect", "mcp"]}

COMMENTS = ["// plain\n", "/* mcp: {\n*/", '// "mcp": {},\n', "// https://x\r\n", "//\r"]
BETWEEN = st.sampled_from(["", " ", "\n", "\n  ", "\t", *COMMENTS, *(f"\n {comment}  " for comment in COMMENTS)])
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()
)
KEYS = st.one_of(st.text(max_size=4), st.sampled_from(["$schema", "a", "//", "mcp ", "recollect"]))
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=5
)

INDENTS: st.SearchStrategy[int | str] = st.sampled_from([0, 1, 2, 4, "\t"])


class Writer:
    """Writes values down in one of the many ways that there are."""

    def __init__(self, between: list[str], last_comma: bool) -> None:
        self._between = cycle(between)
        self._last_comma = last_comma

    def gap(self) -> str:
        return next(self._between)

    def written(self, value: Any) -> str:
        if isinstance(value, dict):
            items = [f"{json.dumps(key)}{self.gap()}:{self.gap()}{self.written(held)}" for key, held in value.items()]
        elif isinstance(value, list):
            items = [self.written(held) for held in value]
        else:
            return json.dumps(value, ensure_ascii=self._last_comma)
        last = f",{self.gap()}" if items and self._last_comma else ""
        first, end = "{}" if isinstance(value, dict) else "[]"
        return first + (",".join(f"{self.gap()}{item}{self.gap()}" for item in items) or self.gap()) + last + end


WRITERS = st.builds(Writer, st.lists(BETWEEN, min_size=1, max_size=7), st.booleans())


@st.composite
def configurations(draw: st.DrawFn) -> str:
    value: dict[str, Any] = draw(st.dictionaries(KEYS, VALUES, max_size=3))
    value.pop("mcp", None)
    if draw(st.booleans()):
        others: dict[str, Any] = draw(st.dictionaries(KEYS, VALUES, max_size=2))
        others.pop("recollect", None)
        value = {"mcp": others} | value if draw(st.booleans()) else value | {"mcp": others}
    if draw(st.booleans()):
        text = json.dumps(value, indent=draw(INDENTS))
    else:
        writer = draw(WRITERS)
        text = f"{writer.gap()}{writer.written(value)}{writer.gap()}"
    text = text.replace("\n", "\r\n") if draw(st.booleans()) and "\r" not in text else text
    return draw(st.sampled_from(["", "\ufeff"])) + text


@given(configurations())
def test_an_entry_put_in_and_taken_out_gives_the_same_bytes_back(text: str) -> None:
    assert without_entry(with_entry(text, "mcp", "recollect", ENTRY), "mcp", "recollect") == text


@given(configurations())
def test_with_the_entry_all_else_says_what_it_said(text: str) -> None:
    before: Any = parse(text).value
    text_after = with_entry(text, "mcp", "recollect", ENTRY)
    assert parse(text_after).value == before | {"mcp": before.get("mcp", {}) | {"recollect": ENTRY}}
    assert entry_of(text_after, "mcp", "recollect") == ENTRY


@given(configurations(), st.lists(st.text(), max_size=3))
def test_another_command_changes_the_command_alone(text: str, command: list[str]) -> None:
    mine = with_entry(text, "mcp", "recollect", ENTRY)
    other = with_value(mine, "mcp", "recollect", "command", list(command))
    assert entry_of(other, "mcp", "recollect") == ENTRY | {"command": command}
    assert with_value(other, "mcp", "recollect", "command", ["recollect", "mcp"]) == mine


@given(VALUES, WRITERS)
def test_what_was_written_is_what_is_read(value: Any, writer: Writer) -> None:
    assert parse(writer.written(value)).value == value


@given(st.text('{}[]",:/*\\ \n\r1-.eEtrufalsn\ufeffx'))
def test_what_json_refuses_is_refused_comments_and_last_commas_aside(text: str) -> None:
    try:
        value = json.loads(text)
    except ValueError:
        return
    assert parse(text).value == value


@given(st.dictionaries(KEYS, VALUES, max_size=2), WRITERS)
def test_taken_out_of_a_file_that_was_edited_since_it_leaves_all_else(others: dict[str, Any], writer: Writer) -> None:
    value = {"mcp": others | {"recollect": ENTRY, "other": {}}, "last": 1}
    others.pop("recollect", None)
    after = parse(without_entry(writer.written(value), "mcp", "recollect")).value
    assert after == {"mcp": others | {"other": {}}, "last": 1}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "ends too early"),
        ("{", "ends too early"),
        ('{"a": 1', "ends too early"),
        ('{"a": 1}\n}', "line 2, column 1: unexpected text"),
        ('{\n  "a" 1}', "line 2, column 7: expected a colon"),
        ('{"a": 1 "b": 2}', "a comma or }"),
        ("{a: 1}", "double quotes"),
        ("{'a': 1}", "double quotes"),
        ('{"a": tru}', "a value"),
        ('{"a": 01}', "a value"),
        ('{"a": NaN}', "a value"),
        ('{"a": "\n"}', "on one line"),
        ('{"a": "\\x"}', "double quotes"),
        ("{,}", "double quotes"),
        ('{"a": 1,,}', "double quotes"),
        ("{} /* on", "unexpected text"),
        ('{"a": {env:KEY}}', "double quotes"),
        ("[1,2", "ends too early"),
        ("[" * 200, "levels"),
        ("[]", "not an object"),
        ('"text"', "not an object"),
        ('{"mcp": []}', '"mcp" is not an object'),
        ('{"mcp": {}, "mcp": {}}', '"mcp" appears 2 times'),
        ('{"mcp": {"recollect": 1, "recollect": 2}}', '"recollect" appears 2 times'),
    ],
)
def test_what_is_not_understood_is_refused_with_its_place(text: str, why: str) -> None:
    with pytest.raises(NotJsonc) as refused:
        with_entry(text, "mcp", "recollect", ENTRY)
    assert why in str(refused.value)
    with pytest.raises(NotJsonc):
        without_entry(text, "mcp", "recollect")


def test_an_entry_looks_as_if_a_person_had_written_it() -> None:
    text = '{\n  "model": "a/b", // the quick one\n  // "share": "auto"\n}\n'
    assert with_entry(text, "mcp", "recollect", ENTRY) == (
        '{\n  "model": "a/b", // the quick one\n  // "share": "auto"\n'
        '  "mcp": {\n    "recollect": {\n      "type": "local",\n'
        '      "command": ["recollect", "mcp"]\n    }\n  },\n}\n'
    )
    assert with_entry('{\r\n\t"mcp": {\r\n\t\t"a": {}\r\n\t}\r\n}', "mcp", "recollect", {"type": "local"}) == (
        '{\r\n\t"mcp": {\r\n\t\t"a": {},\r\n\t\t"recollect": {\r\n\t\t\t"type": "local"\r\n\t\t}\r\n\t}\r\n}'
    )
    assert with_entry('{"a": 1}', "mcp", "recollect", {"b": 2}) == '{"a": 1, "mcp": { "recollect": {"b": 2} }}'
    assert with_entry('{"mcp": {}}', "mcp", "recollect", {"b": 2}) == '{"mcp": {"recollect": {"b": 2}}}'


def test_a_comment_of_the_users_in_the_section_keeps_the_section() -> None:
    text = '{\n  "mcp": {\n    // mine\n    "recollect": {}\n  }\n}'
    assert without_entry(text, "mcp", "recollect") == '{\n  "mcp": {\n    // mine\n  }\n}'


def test_taking_out_what_is_not_there_changes_nothing() -> None:
    for text in ("{}", '{"mcp": {"a": 1}}'):
        assert without_entry(text, "mcp", "recollect") == text


@pytest.mark.parametrize("note", ["/* mine */ ", "// mine\n  "])
def test_a_section_with_a_note_of_its_own_stays(note: str) -> None:
    held = f'{{"mcp": {note}{{ "recollect": {{"a": 1}} }}}}'
    assert f'"mcp": {note}{{' in without_entry(held, "mcp", "recollect")
    assert entry_of(without_entry(held, "mcp", "recollect"), "mcp", "recollect") is None


@pytest.mark.parametrize(
    ("text", "blank"), [("", True), ("\ufeff // a\n/* b */", True), ("{}", False), ("/* a", False)]
)
def test_comments_alone_are_blank(text: str, blank: bool) -> None:
    assert is_blank(text) == blank
