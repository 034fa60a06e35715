"""Changes one entry in somebody's JSONC and keeps every other byte: comments, order, indentation, line ends, BOM.

A scanner with offsets, and edits of the text at them; nothing is ever written out anew. Pure. It reads what the
clients' own parsers read: JSON, comments, a comma after the last one. It refuses everything else, and names the place.

What is put in can be told from what was there, so that taking it out gives the same bytes back: in an object that was
empty the entry stands directly after the brace; in one that we made there is a space or a new line between.
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
    """The text is not what it should be: where, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """`"key": value` in an object."""

    key: str
    start: int  # of the key
    node: "Node"
    comma: int | None  # where the comma after it stands, if there is one


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A value and where it stands. Values are plain Python; of an object also the members."""

    start: int
    end: int
    value: Json
    members: tuple[Member, ...] | None = None  # None: no object
    inside: int = 0  # of an object: where the last thing before its closing brace ends, white space aside

    def member(self, key: str) -> Member | None:
        """The one of this name; refuses two of them: parsers disagree on which one counts."""
        found = [member for member in self.members or () if member.key == key]
        if len(found) > 1:
            raise NotJsonc(f"{json.dumps(key)} is there {len(found)} times")
        return found[0] if found else None


def parsed(text: str) -> Node:
    """The one value that the text holds."""
    scanner = _Scanner(text)
    scanner.skip()
    node = scanner.value(0)
    scanner.skip()
    if scanner.at < len(text):
        raise scanner.wrong("nothing may follow the last brace")
    return node


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = len(BOM) if text.startswith(BOM) else 0

    @property
    def next(self) -> str:
        return self.text[self.at : self.at + 1]

    def wrong(self, why: str) -> NotJsonc:
        before = self.text[: self.at]
        why = why if self.at < len(self.text) else "it ends too early"
        return NotJsonc(f"line {before.count(LINE) + 1}, column {self.at - before.rfind(LINE)}: {why}")

    def skip(self) -> int:
        """Over white space and comments; says where the last comment ends, or else where it began."""
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
            raise self.wrong(f"more than {MAX_DEPTH} levels")
        start = self.at
        match self.next:
            case "{":
                return self._object(depth)
            case "[":
                values = self._array(depth)
                return Node(start=start, end=self.at, value=values)
            case '"':
                said = self._string()
                return Node(start=start, end=self.at, value=said)
            case _:
                word = self._word()
                return Node(start=start, end=self.at, value=word)

    def _string(self) -> str:
        found = _STRING.match(self.text, self.at)
        if found is None:
            raise self.wrong("a text in double quotes, on one line, is expected")
        self.at = found.end()
        said: str = json.loads(found.group())
        return said

    def _word(self) -> Json:
        found = _WORD.match(self.text, self.at)
        if found is None or _WORD_GOES_ON.match(self.text, found.end()):
            raise self.wrong("a value is expected")
        if len(found.group()) > MAX_NUMBER_CHARS:  # Python reads no number of thousands of digits
            raise self.wrong("a number with so many digits is not understood")
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
                raise self.wrong("a colon is expected")
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
            raise self.wrong(f"a comma or {closing} is expected")
        return None


def is_blank(text: str) -> bool:
    """White space and comments alone, or nothing at all."""
    scanner = _Scanner(text)
    scanner.skip()
    return scanner.at == len(text)


def with_entry(text: str, section: str, name: str, value: Json) -> str:
    """With `"name": value` in the object `section` at the top, which is made where there is none."""
    root = _object_at_top(text)
    holder = _holder(root, section)
    if holder is None:
        return _with(text, root, root, section, {name: value})
    if holder.node.member(name) is not None:
        raise NotJsonc(f'"{section}.{name}" is there already')
    return _with(text, root, holder.node, name, value)


def with_value(text: str, section: str, name: str, key: str, value: Json) -> str:
    """With another value under a key of an entry; all else of the entry stays."""
    entry = _entry(text, section, name)
    at = entry.node.member(key) if entry is not None else None
    if at is None:
        raise NotJsonc(f'there is no "{section}.{name}.{key}"')
    return text[: at.node.start] + _on_one_line(value) + text[at.node.end :]


def without_entry(text: str, section: str, name: str) -> str:
    """Without the entry, and without the section where `with_entry` made it for this entry alone."""
    root = _object_at_top(text)
    holder = _holder(root, section)
    entry = holder.node.member(name) if holder is not None else None
    if holder is None or entry is None:
        return text
    before, after = text[holder.node.start + 1 : entry.start], text[entry.node.end : holder.node.end - 1]
    is_made = text[holder.start : holder.node.start] == f"{_on_one_line(section)}: "  # as we write it, and no comment
    if is_made and before and not before.strip(_WHITE) and not after.strip(_WHITE + ","):
        return _without(text, root, holder)
    return _without(text, holder.node, entry)


def entry_of(text: str, section: str, name: str) -> Json | None:
    """What the section holds under this name; None: nothing."""
    entry = _entry(text, section, name)
    return None if entry is None else entry.node.value


def _entry(text: str, section: str, name: str) -> Member | None:
    holder = _holder(_object_at_top(text), section)
    return None if holder is None else holder.node.member(name)


def _object_at_top(text: str) -> Node:
    root = parsed(text)
    if root.members is None:
        raise NotJsonc("there is no object ({ ... }) at its top")
    return root


def _holder(root: Node, section: str) -> Member | None:
    holder = root.member(section)
    if holder is not None and holder.node.members is None:
        raise NotJsonc(f'"{section}" is not an object ({{ ... }})')
    return holder


def _with(text: str, root: Node, node: Node, key: str, value: Json) -> str:
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


def _without(text: str, node: Node, member: Member) -> str:
    members = node.members or ()
    number = members.index(member)
    before, after = text[: member.start].rstrip(_WHITE), text[member.node.end :]
    in_comment = _ends_in_comment(before)
    if member.comma is not None:
        comma = member.comma - member.node.end
        after = after[:comma] + after[comma + 1 :]
    elif number:
        comma = members[number - 1].comma or 0  # there is one: a member follows it
        before = before[:comma] + before[comma + 1 :]
    return f"{before}\n{after}" if in_comment and after[:1] not in ("\r", "\n") else before + after


def _ends_in_comment(text: str) -> bool:
    """In one that goes on to the end of its line: what is added there would become part of it."""
    at = 0
    while found := _TOKEN.search(text, at):
        at = found.end()
        if at == len(text):
            return found.group().startswith("//")
    return False


def _own_line_indent(text: str, start: int) -> str | None:
    """The white space before it, where nothing else stands before it on its line."""
    before = text[:start].rpartition(LINE)
    return before[2] if before[1] and not before[2].strip(" \t") else None


def _member(key: str, value: Json, line: str | None = None, unit: str = "") -> str:
    """Over several lines, each of which begins with `line`, or on one."""
    if line is None:
        # A section that we make has a space after its brace: see above.
        if isinstance(value, dict) and all(isinstance(inner, dict) for inner in value.values()):
            inner = ", ".join(_member(name, held) for name, held in value.items())
            return f"{_on_one_line(key)}: {{ {inner} }}"
        return f"{_on_one_line(key)}: {_on_one_line(value)}"
    if not isinstance(value, dict) or not value:
        return f"{_on_one_line(key)}: {_on_one_line(value)}"
    inner = ",".join(f"{line}{unit}{_member(name, held, line + unit, unit)}" for name, held in value.items())
    return f"{_on_one_line(key)}: {{{inner}{line}}}"


def _on_one_line(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)
