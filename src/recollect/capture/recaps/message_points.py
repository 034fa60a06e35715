"""Split a message into points that can be read alone: sentences, and lists with the line that leads to them. Pure.

Code is left out, except a few commands or settings that the reader has to type. Does not judge what a point is worth.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from recollect.text.lazy_pattern import LazyPattern
from recollect.text.sentences import shorten

MAX_MESSAGE_CHARS = 12_000  # a longer one is cut in the middle
MAX_LINE_CHARS = 260
MAX_ITEM_CHARS = 2000  # that are kept
MAX_LEAD_CHARS = 120
MAX_ITEMS = 24  # of one list
MAX_TYPED, MAX_TYPED_CHARS = 6, 110
MAX_PARENT_CHARS = 100
MIN_WORDS = 2

_FENCE = LazyPattern(r"^\s*(?:```|~~~)\s*([\w+-]*)")
_SHELLS = frozenset({"bash", "sh", "shell", "console", "zsh", "fish", "powershell", "cmd", "terminal"})
_CONFIGS = frozenset({"toml", "ini", "env", "dotenv", "yaml", "yml", "properties", ""})
_SETTING = LazyPattern(r"^[\w.\"'-]{2,60}\s?[=:]\s?\S.{0,80}$")
_STATEMENT = LazyPattern(r"^(?:CREATE|ALTER|DROP|GRANT) .{5,}$", re.IGNORECASE)
_HEADING = LazyPattern(r"^\s{0,3}#{1,6}\s+(.+)$")
_BULLET = LazyPattern(r"^(\s*)(?:[-*+•–]|\d{1,2}[.)])\s+(?:\[([ xX~-])\]\s*)?(.+)$")
_NUMBERED_HEADING = LazyPattern(r"^(?:\*\*)?\d{1,2}[.)]\s+(?:\*\*)?([A-Z][^:*\n]{2,50}):?(?:\*\*)?:\s*$")
_ROW = LazyPattern(r"^\s*\|(.+)\|\s*$")
_RULE = LazyPattern(r"^[\s|:=_*-]+$")
_LEAD = LazyPattern(r"^(?:\*\*|__)?([^*\n]{2,160}?)(?:\s*:\s*(?:\*\*|__)?|(?:\*\*|__)\s*(?:\([^()]{1,80}\)\s*)?:?)$")
_LINK = LazyPattern(r"!?\[([^\]\n]{1,200})\]\([^)\s]{1,500}\)")
_EMPHASIS = LazyPattern(r"(\*\*|__)(?=\S)(.{1,300}?)(?<=\S)\1")
_ITALIC = LazyPattern(r"(?<![\w*])\*(?=[^\s*])([^*\n]{1,200}?)(?<=[^\s*])\*(?![\w*])")
_PICTURE = LazyPattern("[\u2300-\u23ff\u2500-\u27bf\u2b00-\u2bff\ufe0f\U0001f000-\U0001faff]+")
_SENTENCE_END = LazyPattern(
    r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[`*_-]*[A-Z0-9\u00c0-\U0010ffff])|(?<=[。！？])|(?<=[.!?])\s+(?=`)"
)
_SHORT_FORM = LazyPattern(r"\b(?:e\.g|i\.e|cf|vs|etc|approx|resp|incl|Mr|Mrs|Dr|St|No|Nos|Fig|Sec|Inc|Ltd)\.$")
_PROMPT_SIGN = LazyPattern(r"^\s*(?:[$>%]\s+|PS [^>]*>\s*)")
_COMMENT = LazyPattern(r"(?:^|\s+)(?:#|--|//)\s.*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecapPoint:
    text: str = ""
    lead: str = ""  # the heading or line above it: what its list is about
    items: tuple[str, ...] = ()
    is_typed: bool = False  # commands and settings

    @property
    def lines(self) -> tuple[str, ...]:
        return self.items or (self.text,)


def read_points(message: str) -> list[RecapPoint]:
    if len(message) > MAX_MESSAGE_CHARS:
        half = MAX_MESSAGE_CHARS // 2
        message = f"{message[:half]}\n\n{message[-half:]}"
    reader = _PointReader()
    for line in message.splitlines():
        reader.read(line)
    return reader.finish()


@dataclass(slots=True)
class _PointReader:
    """Reads line by line; the start of something new closes what is open."""

    found: list[RecapPoint] = field(default_factory=list)
    heading: str = ""
    lead: str = ""  # of the list or code that comes next
    prose: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    parents: list[tuple[int, str]] = field(default_factory=list)  # depth and text of the items above a deeper one
    fence: list[str] | None = None  # its language, then its lines

    def read(self, line: str) -> None:
        fence = _FENCE.match(line)
        if self.fence is not None:
            if fence and not fence[1]:
                self._close_fence(self.fence)
            elif len(self.fence) <= MAX_ITEMS:
                self.fence.append(line)
        elif fence:
            self._close_list()
            self._close_prose()
            self.fence = [fence[1].lower()]
        elif title := _HEADING.match(line):
            self._open_heading(title[1].rstrip().rstrip("#"))
        elif not line.strip() or _RULE.match(line):
            self._close_list()
            if self.prose:
                self.prose.append("")
        elif row := _ROW.match(line):
            self._add_row(row[1].split("|"))
        elif title := _NUMBERED_HEADING.match(line):
            self._open_heading(title[1])
        elif bullet := _BULLET.match(line):
            self._add_item(strip_markdown(bullet[3]), len(bullet[1].expandtabs(4)))
        elif self.items and line[:1].isspace():  # the bullet goes on
            self.items[-1] = f"{self.items[-1]} {strip_markdown(line)}"
        else:
            self._close_list()
            self.lead = ""
            self.prose.append(line.strip())

    def finish(self) -> list[RecapPoint]:
        self._close_list()
        self._close_prose()
        return self.found

    def _open_heading(self, title: str) -> None:
        self._close_list()
        self._close_prose()
        self.heading, self.lead = strip_markdown(title).rstrip(":"), ""

    def _add_row(self, cells: Sequence[str]) -> None:
        first, *others = map(strip_markdown, cells)
        self._add_item(": ".join(filter(None, (first, ", ".join(filter(None, others))))))

    def _add_item(self, text: str, depth: int = 0) -> None:
        """Add an item; below a short item it is about that one: `src/pool.py: shares connections`."""
        if not self.items:
            self._close_prose()
            self.parents = []
        self.parents = [one for one in self.parents if one[0] < depth]
        parent = self.parents[-1][1] if self.parents else None
        if parent is not None and len(parent) <= MAX_PARENT_CHARS:
            if self.items and self.items[-1] == parent:
                self.items.pop()
            text = f"{parent.rstrip(' :')}: {text}"
        else:
            self.parents.append((depth, text))
        if text and len(self.items) < MAX_ITEMS:
            self.items.append(text[:MAX_ITEM_CHARS])

    def _close_list(self) -> None:
        if self.items:
            self.found.append(RecapPoint(lead=self.lead or self.heading, items=tuple(self.items)))
            self.lead = ""
        self.items = []

    def _close_prose(self) -> None:
        """Close the paragraph. `Key settings:` at its end leads to what comes below."""
        pieces: list[str] = []
        for paragraph in " ".join(line or "\n" for line in self.prose).split("\n"):
            pieces += _split_sentences(paragraph)
        self.prose = []
        lead = _LEAD.match(pieces[-1]) if pieces else None
        if lead:
            self.lead = strip_markdown(lead[1]).rstrip(":")
            if len(self.lead) > MAX_LEAD_CHARS:
                self.lead = ""
            else:
                pieces.pop()
        for text in map(strip_markdown, pieces):
            if len(text.split()) >= MIN_WORDS or "。" in text:
                self.found.append(RecapPoint(text=shorten(text, chars=MAX_LINE_CHARS), lead=self.heading))

    def _close_fence(self, fence: Sequence[str]) -> None:
        self.fence = None
        typed = _read_typed_lines(fence[0], fence[1:])
        if typed:
            self.found.append(RecapPoint(lead=self.lead or self.heading, items=tuple(typed), is_typed=True))
        elif self.lead and len(self.lead.split()) > MIN_WORDS:  # the code is left out, what it does is not
            self.found.append(RecapPoint(text=self.lead, lead=self.heading))
        self.lead = ""


def _read_typed_lines(language: str, lines: Sequence[str]) -> list[str]:
    """Return a few lines for a shell, a settings file or a database; of other code, nothing."""
    typed = [_COMMENT.sub("", _PROMPT_SIGN.sub("", line)).strip() for line in lines]
    typed = [line for line in typed if line and not (line.startswith("[") and line.endswith("]"))]
    if len(typed) > MAX_TYPED or any(len(line) > MAX_TYPED_CHARS for line in typed):
        return []
    if language in _SHELLS or (language in _CONFIGS and all(map(_SETTING.match, typed))):
        return typed
    if language == "sql" and all(map(_STATEMENT.match, typed)):
        return [line.rstrip(";") for line in typed]
    return []


def _split_sentences(paragraph: str) -> Iterator[str]:
    begin = at = 0
    for end in _SENTENCE_END.finditer(paragraph):
        piece, at = paragraph[at : end.start()].strip(), end.end()
        if piece and not _SHORT_FORM.search(piece):
            yield paragraph[begin : end.start()].strip()
            begin = at
    last = paragraph[begin:].strip()
    if last:
        yield last


def strip_markdown(text: str) -> str:
    """Return the text without Markdown marks, in one printable line."""
    if not text.isascii():
        text = _PICTURE.sub(" ", text)
    if "[" in text:
        text = _LINK.sub(r"\1", text)
    if "*" in text or "__" in text:
        text = _ITALIC.sub(r"\1", _EMPHASIS.sub(r"\2", text)).replace("**", "")
    text = " ".join(text.replace("`", "").split())
    return text if text.isprintable() else "".join(filter(str.isprintable, text)).strip()
