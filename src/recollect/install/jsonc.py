"""Change one entry in the user's JSONC and keep every other byte: comments, order, indentation, line ends, BOM. Pure.

A scanner with offsets; edits change the text at them, and nothing is rewritten. It reads what the clients' own parsers
read: JSON, comments, a trailing comma. It refuses everything else, and names the line.

`without_entry` restores the bytes from before `with_entry`: in an object that was empty the entry follows the brace
directly; in an object that we made there is a space or a line break between.
"""

import json
import re
from dataclasses import dataclass

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

MAX_DEPTH = 100  # no configuration nests deeper
MAX_NUMBER_CHARS = 1000
BOM = "\ufeff"
LINE = "\n"

_WHITE = " \t\r\n"
_SPACE = re.compile(r"[ \t\r\n]+")
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_TOKEN = re.compile(rf"{_STRING.pattern}|{_COMMENT.pattern}", re.DOTALL)
_WORD = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORD_GOES_ON = re.compile(r"[\w.+-]")


class NotJsonc(ValueError):
    """The text is not valid; the message says where and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    key: str
    start: int  # of the key
    node: "Node"
    comma: int | None  # position of the comma after it, if there is one


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A value with its position in the text. Values are plain Python; an object also has its members."""

    start: int
    end: int
    value: Json
    members: tuple[Member, ...] | None = None  # None: not an object
    inside: int = 0  # of an object: the end of the last token or comment before the closing brace

    def member(self, key: str) -> Member | None:
        """Return the member with this key; refuse duplicates: parsers disagree on which one counts."""
        found = [member for member in self.members or () if member.key == key]
        if len(found) > 1:
            raise NotJsonc(f"{json.dumps(key)} appears {len(found)} times")
        return found[0] if found else None


def parse(text: str) -> Node:
    scanner = _Scanner(text)
    scanner.skip()
    node = scanner.value(0)
    scanner.skip()
    if scanner.at < len(text):
        raise scanner.error("unexpected text after the last brace")
    return node


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = len(BOM) if text.startswith(BOM) else 0

    @property
    def next(self) -> str:
        return self.text[self.at : self.at + 1]

    def error(self, why: str) -> NotJsonc:
        before = self.text[: self.at]
        why = why if self.at < len(self.text) else "it ends too early"
        return NotJsonc(f"line {before.count(LINE) + 1}, column {self.at - before.rfind(LINE)}: {why}")

    def skip(self) -> int:
        """Skip white space and comments; return the end of the last comment, or else the start position."""
        end = self.at
        while True:
            if space := _SPACE.match(self.text, self.at):
                self.at = space.end()
            elif comment := _COMMENT.match(self.text, self.at):
                self.at = end = comment.end()
            else:
                return end

    def value(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise self.error(f"more than {MAX_DEPTH} levels")
        start = self.at
        match self.next:
            case "{":
                return self._object(depth)
            case "[":
                value: Json = self._array(depth)
            case '"':
                value = self._string()
            case _:
                value = self._word()
        return Node(start=start, end=self.at, value=value)

    def _string(self) -> str:
        found = _STRING.match(self.text, self.at)
        if found is None:
            raise self.error("expected a text in double quotes, on one line")
        self.at = found.end()
        return str(json.loads(found.group()))

    def _word(self) -> Json:
        found = _WORD.match(self.text, self.at)
        if found is None or _WORD_GOES_ON.match(self.text, found.end()):
            raise self.error("expected a value")
        if len(found.group()) > MAX_NUMBER_CHARS:  # Python refuses numbers with thousands of digits
            raise self.error("the number has too many digits")
        self.at = found.end()
        value: Json = json.loads(found.group())
        return value

    def _array(self, depth: int) -> list[Json]:
        values: list[Json] = []
        self.at += 1
        self.skip()
        while self.next != "]":
            values.append(self.value(depth + 1).value)
            self.skip()
            self._comma("]")
            self.skip()
        self.at += 1
        return values

    def _object(self, depth: int) -> Node:
        start, members = self.at, list[Member]()
        self.at += 1
        inside = self.skip()
        while self.next != "}":
            key_start, key = self.at, self._string()
            self.skip()
            if self.next != ":":
                raise self.error("expected a colon")
            self.at += 1
            self.skip()
            node = self.value(depth + 1)
            inside = self.skip()
            comma = self._comma("}")
            if comma is not None:
                inside = self.skip()
            members.append(Member(key=key, start=key_start, node=node, comma=comma))
        self.at += 1
        value: dict[str, Json] = {member.key: member.node.value for member in members}
        return Node(start=start, end=self.at, value=value, members=tuple(members), inside=inside)

    def _comma(self, closing: str) -> int | None:
        if self.next == ",":
            self.at += 1
            return self.at - 1
        if self.next != closing:
            raise self.error(f"expected a comma or {closing}")
        return None


def is_blank(text: str) -> bool:
    scanner = _Scanner(text)
    scanner.skip()
    return scanner.at == len(text)


def with_entry(text: str, section: str, name: str, value: Json) -> str:
    """Add `"name": value` to the top-level object `section`; make the section if there is none."""
    root = _object_at_top(text)
    parent = _section(root, section)
    if parent is None:
        return _insert(text, root, root, section, {name: value})
    if parent.node.member(name) is not None:
        raise NotJsonc(f'"{section}.{name}" exists already')
    return _insert(text, root, parent.node, name, value)


def with_value(text: str, section: str, name: str, key: str, value: Json) -> str:
    entry = _entry(text, section, name)
    member = entry.node.member(key) if entry is not None else None
    if member is None:
        raise NotJsonc(f'there is no "{section}.{name}.{key}"')
    return text[: member.node.start] + _on_one_line(value) + text[member.node.end :]


def without_entry(text: str, section: str, name: str) -> str:
    """Remove the entry, and the section too if `with_entry` made it for this entry alone."""
    root = _object_at_top(text)
    parent = _section(root, section)
    entry = parent.node.member(name) if parent is not None else None
    if parent is None or entry is None:
        return text
    before, after = text[parent.node.start + 1 : entry.start], text[entry.node.end : parent.node.end - 1]
    # As we write it, without a comment.
    is_made = text[parent.start : parent.node.start] == f"{_on_one_line(section)}: "
    if is_made and before and not before.strip(_WHITE) and not after.strip(_WHITE + ","):
        return _remove(text, root, parent)
    return _remove(text, parent.node, entry)


def entry_of(text: str, section: str, name: str) -> Json | None:
    entry = _entry(text, section, name)
    return None if entry is None else entry.node.value


def _entry(text: str, section: str, name: str) -> Member | None:
    parent = _section(_object_at_top(text), section)
    return None if parent is None else parent.node.member(name)


def _object_at_top(text: str) -> Node:
    root = parse(text)
    if root.members is None:
        raise NotJsonc("the top level is not an object ({ ... })")
    return root


def _section(root: Node, section: str) -> Member | None:
    parent = root.member(section)
    if parent is not None and parent.node.members is None:
        raise NotJsonc(f'"{section}" is not an object ({{ ... }})')
    return parent


def _insert(text: str, root: Node, node: Node, key: str, value: Json) -> str:
    if not node.members:
        at = node.start + 1
        return text[:at] + _member(key, value) + text[at:]
    last = node.members[-1]
    indent = _own_line_indent(text, last.start)
    if indent is not None:
        newline = "\r\n" if "\r\n" in text else "\n"
        unit = (root.members and _own_line_indent(text, root.members[0].start)) or "  "
        member = f"{newline}{indent}{_member(key, value, newline + indent, unit)}"
    elif _ends_in_comment(text[: node.inside]):
        member = f"\n{_member(key, value)}"
    else:
        member = f" {_member(key, value)}"
    if last.comma is not None:
        return f"{text[: node.inside]}{member},{text[node.inside :]}"
    return f"{text[: last.node.end]},{text[last.node.end : node.inside]}{member}{text[node.inside :]}"


def _remove(text: str, node: Node, member: Member) -> str:
    members = node.members or ()
    number = members.index(member)
    before, after = text[: member.start].rstrip(_WHITE), text[member.node.end :]
    in_comment = _ends_in_comment(before)
    if member.comma is not None:
        comma = member.comma - member.node.end
        after = after[:comma] + after[comma + 1 :]
    elif number:
        comma = members[number - 1].comma or 0  # there is one: another member follows
        before = before[:comma] + before[comma + 1 :]
    return f"{before}\n{after}" if in_comment and after[:1] not in ("\r", "\n") else before + after


def _ends_in_comment(text: str) -> bool:
    """Return True after a `//` comment: text that is added there would become part of it."""
    at = 0
    while found := _TOKEN.search(text, at):
        at = found.end()
        if at == len(text):
            return found.group().startswith("//")
    return False


def _own_line_indent(text: str, start: int) -> str | None:
    """Return the white space before it on its line; None: there is other text before it."""
    _, newline, indent = text[:start].rpartition(LINE)
    return indent if newline and not indent.strip(" \t") else None


def _member(key: str, value: Json, line: str | None = None, unit: str = "") -> str:
    """Write the member over several lines, each beginning with `line`, or on one line."""
    name = _on_one_line(key)
    if not isinstance(value, dict) or (line is not None and not value):
        return f"{name}: {_on_one_line(value)}"
    if line is not None:
        inner = ",".join(f"{line}{unit}{_member(key, below, line + unit, unit)}" for key, below in value.items())
        return f"{name}: {{{inner}{line}}}"
    if not all(isinstance(below, dict) for below in value.values()):
        return f"{name}: {_on_one_line(value)}"
    # A section that we make has a space after its brace: see the top of this file.
    inner = ", ".join(_member(key, below) for key, below in value.items())
    return f"{name}: {{ {inner} }}"


def _on_one_line(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)
