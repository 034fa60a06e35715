"""Markdown as a list of blocks: headings, items, paragraphs, code, table rows. Pure.

It never fails: what is no Markdown is a paragraph. No whole grammar: what people write into notes and instructions.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from recollect.domain.memory import MAX_TEXT_CHARS

BOLD_HEADING = 7  # a line that is nothing but bold heads what follows, below every real heading
_FENCE = re.compile(r"^\s*(?P<mark>`{3,}|~{3,})\s*(?P<language>[\w+#.-]*)[^`]*$")
_HEADING = re.compile(r"^ {0,3}(?P<marks>#{1,6})(?:[ \t]+(?P<text>.*))?$")
_BOLD = re.compile(r"^\s*(?:\*\*|__)(?P<text>[^*_`]{1,80}?)(?<!:)(?:\*\*|__)\s*$")
_ITEM = re.compile(r"^(?P<indent> *)(?:[-*+•]|\d{1,9}[.)])(?: +(?P<text>.*))?$")
_RULER = re.compile(r"^ {0,3}(?:(?:- *){3,}|(?:_ *){3,}|(?:\* *){3,}|=+ *)$")
_DELIMITERS = frozenset(" |:-")
_QUOTE = re.compile(r"^ {0,3}(?:> ?)+(?:\[![A-Za-z]+\] *)?")


class What(Enum):
    HEADING = auto()
    ITEM = auto()
    PARAGRAPH = auto()
    CODE = auto()
    ROW = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    what: What
    line: int
    text: str  # without its mark; of a row, the cells as one sentence
    raw: str  # as it stood
    depth: int = 0  # of a heading, its level; of an item, its indent
    language: str = ""  # of code


def blocks(lines: list[str], first: int = 0) -> list[Block]:
    """`first`: how many lines to pass over."""
    return list(_BlockReader(_without_comments(lines), first))


def _without_comments(lines: list[str]) -> list[str]:
    """Not inside of code; a comment that never ends is none. As many lines as before."""
    last_end = max((number for number, line in enumerate(lines) if "-->" in line), default=-1)
    shown, fence, inside = [], "", False
    for number, line in enumerate(lines):
        if fence:
            shown.append(line)
            fence = "" if _closes(line, fence) else fence
            continue
        kept, inside = _outside(line, inside, ends_later=number < last_end)
        shown.append(kept)
        opened = None if inside else _FENCE.match(kept)
        fence = opened["mark"] if opened else ""
    return shown


def _outside(line: str, inside: bool, *, ends_later: bool) -> tuple[str, bool]:
    """What of a line is no comment, and whether one goes on behind it."""
    kept, at, last_end, in_code = "", 0, line.rfind("-->"), False
    while True:
        if inside:
            end = line.find("-->", at)
            if end < 0:
                return kept, True
            at, inside = end + 3, False
        begun = line.find("<!--", at)
        if begun < 0 or not (ends_later or last_end > begun):
            return kept + line[at:], False
        in_code ^= line.count("`", at, begun) % 2 == 1
        if in_code:  # somebody speaks of a comment
            kept, at = kept + line[at : begun + 4], begun + 4
        else:
            kept, at, inside = kept + line[at:begun], begun + 4, True


def _closes(line: str, mark: str) -> bool:
    text = line.strip()
    return len(text) >= len(mark) and not text.strip(mark[0])


class _BlockReader:
    def __init__(self, lines: list[str], first: int) -> None:
        self._lines = lines
        self._at = first
        self._open: list[str] = []  # lines of a paragraph or an item that goes on
        self._begun = self._until = first  # where it begins and ends
        self._indent: int | None = None  # of the item; None: it is a paragraph
        self._gap = False  # an empty line lies between

    def __iter__(self) -> Iterator[Block]:
        while self._at < len(self._lines):
            line = _QUOTE.sub("", self._lines[self._at].expandtabs(4), count=1)
            yield from self._next(line)
        yield from self._ended()

    def _next(self, line: str) -> Iterator[Block]:
        if not line.strip():
            self._gap = True
            self._at += 1
        elif len(line) > MAX_TEXT_CHARS:  # no memory, whatever it is: nothing is looked for in it
            yield from self._text(line)
        elif fence := _FENCE.match(line):
            yield from self._ended()
            yield self._code(fence["mark"], fence["language"].lower())
        elif heading := _HEADING.match(line):
            yield from self._ended()
            yield self._heading(line, len(heading["marks"]), (heading["text"] or "").strip().rstrip("#"))
        elif _RULER.match(line):
            yield from self._underlined(line)
        elif bold := _BOLD.match(line):
            yield from self._ended()
            yield self._heading(line, BOLD_HEADING, bold["text"])
        elif "|" in line and self._at + 1 < len(self._lines) and self._is_table():
            yield from self._ended()
            yield from self._rows(line)
        elif item := _ITEM.match(line):
            yield from self._ended()
            self._begin(item["text"] or "", len(item["indent"]))
        else:
            yield from self._text(line)

    def _text(self, line: str) -> Iterator[Block]:
        indented = len(line) - len(line.lstrip())
        goes_on = bool(self._open) and (not self._gap or (self._indent is not None and indented > self._indent))
        if goes_on:
            self._open.append(line.strip())
            self._gap = False
            self._at += 1
            self._until = self._at
            return
        yield from self._ended()
        self._begin(line, None)

    def _begin(self, text: str, indent: int | None) -> None:
        self._open, self._begun, self._indent, self._gap = [text.strip()], self._at, indent, False
        self._at += 1
        self._until = self._at

    def _ended(self) -> Iterator[Block]:
        if any(self._open):
            raw = "\n".join(self._lines[self._begun : self._until]).strip()
            what = What.PARAGRAPH if self._indent is None else What.ITEM
            text = "\n".join(self._open).strip()
            yield Block(what=what, line=self._begun + 1, text=text, raw=raw or text, depth=self._indent or 0)
        self._open, self._indent, self._gap = [], None, False

    def _heading(self, line: str, depth: int, text: str) -> Block:
        self._at += 1
        return Block(what=What.HEADING, line=self._at, text=text.strip().rstrip(":"), raw=line.strip(), depth=depth)

    def _underlined(self, line: str) -> Iterator[Block]:
        is_heading = len(self._open) == 1 and self._indent is None and not self._gap and line.strip()[0] in "=-"
        if is_heading:
            text, self._open = self._open[0], []
            yield self._heading(text, 1 if line.strip()[0] == "=" else 2, text)
            return
        yield from self._ended()
        self._at += 1

    def _code(self, mark: str, language: str) -> Block:
        begun = self._at
        self._at += 1
        while self._at < len(self._lines) and not _closes(self._lines[self._at], mark):
            self._at += 1
        body = self._lines[begun + 1 : self._at]
        self._at += 1  # the line that closes it
        margin = min((len(line) - len(line.lstrip()) for line in body if line.strip()), default=0)
        text = "\n".join(line[margin:].rstrip() for line in body).strip("\n")
        return Block(what=What.CODE, line=begun + 1, text=text, raw="\n".join(body), language=language)

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
                yield Block(what=What.ROW, line=self._at, text=text, raw=row.strip())


def _cells(row: str) -> list[str]:
    return [cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]


def _sentence(head: list[str], cells: list[str]) -> str:
    """`make test`: Description Runs all tests. The first cell is what the row is about."""
    subject, *rest = cells
    if len(head) == 2:
        said = [cell for cell in rest if cell]
    else:
        names = [*head[1:], *[""] * len(rest)]
        said = [f"{name}: {cell}" if name else cell for name, cell in zip(names, rest, strict=False) if cell]
    return f"{subject}: {'; '.join(said)}" if subject and said else subject or "; ".join(said)
