"""Split Markdown into front matter and blocks: headings, items, paragraphs, code, table rows. Pure.

It never fails: anything that is not Markdown is a paragraph. Not the whole grammar, only what notes and instructions use.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from recollect.domain.memory import MAX_TEXT_CHARS

MAX_FRONT_MATTER_LINES = 200
BOLD_HEADING = 7  # a line that is all bold is a heading below every real one
_FENCE = re.compile(r"^\s*(?P<mark>`{3,}|~{3,})\s*(?P<language>[\w+#.-]*)[^`]*$")
_HEADING = re.compile(r"^ {0,3}(?P<marks>#{1,6})(?:[ \t]+(?P<text>.*))?$")
_BOLD = re.compile(r"^\s*(?:\*\*|__)(?P<text>[^*_`]{1,80}?)(?<!:)(?:\*\*|__)\s*$")
_ITEM = re.compile(r"^(?P<indent> *)(?:[-*+•]|\d{1,9}[.)])(?: +(?P<text>.*))?$")
_RULER = re.compile(r"^ {0,3}(?:(?:- *){3,}|(?:_ *){3,}|(?:\* *){3,}|=+ *)$")
_PAIR = re.compile(r"^\s*(?P<name>[A-Za-z_][\w-]*)\s*:\s*(?P<value>.*?)\s*$")
_DELIMITERS = frozenset(" |:-")
_QUOTE = re.compile(r"^ {0,3}(?:> ?)+(?:\[![A-Za-z]+\] *)?")


class BlockKind(Enum):
    HEADING = auto()
    ITEM = auto()
    PARAGRAPH = auto()
    CODE = auto()
    ROW = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    kind: BlockKind
    line: int
    text: str  # without its mark; the cells of a row as one sentence
    raw: str  # as in the file
    depth: int = 0  # of a heading, its level; of an item, its indent
    language: str = ""  # of code


def split_front_matter(lines: list[str]) -> tuple[dict[str, str], int]:
    """Return the values between `---` at the top, and their line count. Only `name: value` is read, no other YAML."""
    if not lines or lines[0].strip() != "---":
        return {}, 0
    values: dict[str, str] = {}
    for number, line in enumerate(lines[1:MAX_FRONT_MATTER_LINES], start=1):
        if line.strip() in ("---", "..."):
            return (values, number + 1) if values else ({}, 0)  # without values: two rules with a text between them
        pair = _PAIR.match(line)
        if pair is not None:
            values[pair["name"].lower()] = _unquote(pair["value"])
    return {}, 0


def _unquote(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1]
    return value.split(" #")[0].strip()


def blocks(lines: list[str], skip: int) -> list[Block]:
    return list(_BlockReader(_without_comments(lines), skip))


def _without_comments(lines: list[str]) -> list[str]:
    """Return as many lines as before. A comment inside code, or one that never ends, is not a comment."""
    last_end = max((number for number, line in enumerate(lines) if "-->" in line), default=-1)
    visible, fence, in_comment = [], "", False
    for number, line in enumerate(lines):
        if fence:
            visible.append(line)
            if _closes(line, fence):
                fence = ""
            continue
        rest, in_comment = _strip_comments(line, in_comment, ends_later=number < last_end)
        visible.append(rest)
        opening = None if in_comment else _FENCE.match(rest)
        if opening is not None:
            fence = opening["mark"]
    return visible


def _strip_comments(line: str, in_comment: bool, *, ends_later: bool) -> tuple[str, bool]:
    """Return the line without comments, and whether a comment continues after it."""
    rest, at, last_end, in_code = "", 0, line.rfind("-->"), False
    while True:
        if in_comment:
            end = line.find("-->", at)
            if end < 0:
                return rest, True
            at, in_comment = end + 3, False
        start = line.find("<!--", at)
        if start < 0 or not (ends_later or last_end > start):
            return rest + line[at:], False
        in_code ^= line.count("`", at, start) % 2 == 1
        if in_code:  # the text mentions a comment
            rest, at = rest + line[at : start + 4], start + 4
        else:
            rest, at, in_comment = rest + line[at:start], start + 4, True


def _closes(line: str, mark: str) -> bool:
    text = line.strip()
    return len(text) >= len(mark) and not text.strip(mark[0])


class _BlockReader:
    def __init__(self, lines: list[str], first: int) -> None:
        self._lines = lines
        self._at = first
        self._open: list[str] = []  # lines so far of a paragraph or an item
        self._start = self._end = first  # of the open block
        self._indent: int | None = None  # of an item; None: a paragraph
        self._gap = False  # an empty line comes before this one

    def __iter__(self) -> Iterator[Block]:
        while self._at < len(self._lines):
            line = _QUOTE.sub("", self._lines[self._at].expandtabs(4), count=1)
            yield from self._next(line)
        yield from self._end_block()

    def _next(self, line: str) -> Iterator[Block]:
        if not line.strip():
            self._gap = True
            self._at += 1
        elif len(line) > MAX_TEXT_CHARS:  # too long for a memory: it is not searched
            yield from self._text(line)
        elif fence := _FENCE.match(line):
            yield from self._end_block()
            yield self._code(fence["mark"], fence["language"].lower())
        elif heading := _HEADING.match(line):
            yield from self._end_block()
            yield self._heading(line, len(heading["marks"]), (heading["text"] or "").strip().rstrip("#"))
        elif _RULER.match(line):
            yield from self._ruler(line)
        elif bold := _BOLD.match(line):
            yield from self._end_block()
            yield self._heading(line, BOLD_HEADING, bold["text"])
        elif "|" in line and self._at + 1 < len(self._lines) and self._is_table():
            yield from self._end_block()
            yield from self._rows(line)
        elif item := _ITEM.match(line):
            yield from self._end_block()
            self._begin(item["text"] or "", len(item["indent"]))
        else:
            yield from self._text(line)

    def _text(self, line: str) -> Iterator[Block]:
        indented = len(line) - len(line.lstrip())
        belongs_to_item = self._indent is not None and indented > self._indent
        if self._open and (not self._gap or belongs_to_item):
            self._open.append(line.strip())
            self._gap = False
            self._at += 1
            self._end = self._at
            return
        yield from self._end_block()
        self._begin(line, None)

    def _begin(self, text: str, indent: int | None) -> None:
        self._open, self._start, self._indent, self._gap = [text.strip()], self._at, indent, False
        self._at += 1
        self._end = self._at

    def _end_block(self) -> Iterator[Block]:
        if any(self._open):
            raw = "\n".join(self._lines[self._start : self._end]).strip()
            kind = BlockKind.PARAGRAPH if self._indent is None else BlockKind.ITEM
            text = "\n".join(self._open).strip()
            yield Block(kind=kind, line=self._start + 1, text=text, raw=raw or text, depth=self._indent or 0)
        self._open, self._indent, self._gap = [], None, False

    def _heading(self, line: str, depth: int, text: str) -> Block:
        self._at += 1
        words = text.strip().rstrip(":")
        return Block(kind=BlockKind.HEADING, line=self._at, text=words, raw=line.strip(), depth=depth)

    def _ruler(self, line: str) -> Iterator[Block]:
        """End the open block; a line of = or - below a single line makes that line a heading."""
        if len(self._open) == 1 and self._indent is None and not self._gap and line.strip()[0] in "=-":
            text, self._open = self._open[0], []
            yield self._heading(text, 1 if line.strip()[0] == "=" else 2, text)
            return
        yield from self._end_block()
        self._at += 1

    def _code(self, mark: str, language: str) -> Block:
        start = self._at
        self._at += 1
        while self._at < len(self._lines) and not _closes(self._lines[self._at], mark):
            self._at += 1
        body = self._lines[start + 1 : self._at]
        self._at += 1  # the line that closes it
        margin = min((len(line) - len(line.lstrip()) for line in body if line.strip()), default=0)
        text = "\n".join(line[margin:].rstrip() for line in body).strip("\n")
        return Block(kind=BlockKind.CODE, line=start + 1, text=text, raw="\n".join(body), language=language)

    def _is_table(self) -> bool:
        below = self._lines[self._at + 1].strip()
        return "|" in below and "-" in below and set(below) <= _DELIMITERS

    def _rows(self, line: str) -> Iterator[Block]:
        head = _cells(line)
        self._at += 2
        while self._at < len(self._lines) and "|" in self._lines[self._at]:
            row = self._lines[self._at]
            self._at += 1
            text = _sentence(head, _cells(row))
            if text:
                yield Block(kind=BlockKind.ROW, line=self._at, text=text, raw=row.strip())


def _cells(row: str) -> list[str]:
    return [cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]


def _sentence(head: list[str], cells: list[str]) -> str:
    """`make test`: Description Runs all tests. The first cell is the subject of the row."""
    subject, *rest = cells
    details: list[str] = []
    for number, cell in enumerate(rest, start=1):
        name = head[number] if len(head) != 2 and number < len(head) else ""
        if cell:
            details.append(f"{name}: {cell}" if name else cell)
    if not subject:
        return "; ".join(details)
    return f"{subject}: {'; '.join(details)}" if details else subject
