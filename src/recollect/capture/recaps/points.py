"""What a message says, cut into points that stand alone: sentences, and lists with what leads to them. Pure.

Code is left out, but for what somebody has to type or set: a few commands, a few settings. Nothing here judges what a
point is worth.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from recollect.capture.patterns import LazyPattern
from recollect.text.sentences import shortened

MAX_MESSAGE_CHARS = 12_000  # of a longer one, its beginning and its end
MAX_LINE_CHARS = 260
MAX_ITEM_CHARS = 2000  # as much of one as is looked at
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
    """A sentence, or a list."""

    text: str = ""
    lead: str = ""  # the heading or line above it: what its list is about
    items: tuple[str, ...] = ()
    ticks: tuple[bool | None, ...] = ()  # of a list of things to do: which of them are done
    is_typed: bool = False  # commands and settings


def read_points(message: str) -> list[RecapPoint]:
    """In their order."""
    reader = _PointReader()
    for line in _limit_length(message).splitlines():
        reader.read(line)
    return reader.finish()


def _limit_length(message: str) -> str:
    if len(message) <= MAX_MESSAGE_CHARS:
        return message
    half = MAX_MESSAGE_CHARS // 2
    return f"{message[:half]}\n\n{message[-half:]}"


@dataclass(slots=True)
class _PointReader:
    """Line by line; what is open is closed when something else begins."""

    found: list[RecapPoint] = field(default_factory=list)
    heading: str = ""
    lead: str = ""  # of the list or code that comes next
    prose: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    ticks: list[bool | None] = field(default_factory=list)
    parents: list[tuple[int, str]] = field(default_factory=list)  # the items that a deeper one belongs to
    fence: list[str] | None = None  # its language, then its lines

    def read(self, line: str) -> None:
        opens = _FENCE.match(line)
        if self.fence is not None:
            if opens and not opens[1]:
                self._close_fence(self.fence)
            elif len(self.fence) <= MAX_ITEMS:
                self.fence.append(line)
        elif opens:
            self._close_list()
            self._close_prose()
            self.fence = [opens[1].lower()]
        elif title := _HEADING.match(line):
            self._open_heading(title[1].rstrip().rstrip("#"))
        elif not line.strip() or _RULE.match(line):
            self._close_list()
            if self.prose:
                self.prose.append("")
        elif row := _ROW.match(line):
            cells = [strip_markdown(cell) for cell in row[1].split("|")]
            self._add_item(": ".join(filter(None, (cells[0], ", ".join(filter(None, cells[1:]))))), None)
        elif title := _NUMBERED_HEADING.match(line):
            self._open_heading(title[1])
        elif bullet := _BULLET.match(line):
            self._add_item(
                strip_markdown(bullet[3]),
                None if bullet[2] is None else bullet[2] in "xX",
                len(bullet[1].expandtabs(4)),
            )
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

    def _add_item(self, text: str, tick: bool | None, depth: int = 0) -> None:
        """What stands below a short item speaks of it: `src/pool.py: shares connections`."""
        if not self.items:
            self._close_prose()
            self.parents = []
        self.parents = [one for one in self.parents if one[0] < depth]
        if self.parents and len(self.parents[-1][1]) <= MAX_PARENT_CHARS:
            if self.items and self.items[-1] == self.parents[-1][1]:
                self.items.pop()
                self.ticks.pop()
            text = f"{self.parents[-1][1].rstrip(' :')}: {text}"
        else:
            self.parents.append((depth, text))
        if text and len(self.items) < MAX_ITEMS:
            self.items.append(text[:MAX_ITEM_CHARS])
            self.ticks.append(tick)

    def _close_list(self) -> None:
        if self.items:
            lead = self.lead or self.heading
            self.found.append(RecapPoint(lead=lead, items=tuple(self.items), ticks=tuple(self.ticks)))
            self.lead = ""
        self.items, self.ticks = [], []

    def _close_prose(self) -> None:
        """`Key settings:` at the end of it speaks of what comes below."""
        paragraphs = " ".join(line or "\n" for line in self.prose).split("\n")
        self.prose = []
        pieces = [piece for paragraph in paragraphs for piece in _split_sentences(paragraph)]
        if pieces and (lead := _LEAD.match(pieces[-1])):
            self.lead = strip_markdown(lead[1]).rstrip(":")
            if len(self.lead) > MAX_LEAD_CHARS:
                self.lead = ""
            else:
                pieces.pop()
        told = (strip_markdown(piece) for piece in pieces)
        self.found += [
            RecapPoint(text=shortened(one, chars=MAX_LINE_CHARS), lead=self.heading)
            for one in told
            if len(one.split()) >= MIN_WORDS or "。" in one
        ]

    def _close_fence(self, fence: Sequence[str]) -> None:
        self.fence = None
        typed = _read_typed_lines(fence[0], fence[1:])
        if typed:
            self.found.append(RecapPoint(lead=self.lead or self.heading, items=tuple(typed), is_typed=True))
        elif self.lead and len(self.lead.split()) > MIN_WORDS:
            self.found.append(
                RecapPoint(text=self.lead, lead=self.heading)
            )  # the code is left out, what it does is not
        self.lead = ""


def _read_typed_lines(language: str, lines: Sequence[str]) -> list[str]:
    """Of a few lines for a shell, a file of settings or a database, what is typed; of other code, nothing."""
    typed = [_COMMENT.sub("", _PROMPT_SIGN.sub("", line)).strip() for line in lines]
    typed = [line for line in typed if line and not (line.startswith("[") and line.endswith("]"))]
    if not typed or len(typed) > MAX_TYPED or any(len(line) > MAX_TYPED_CHARS for line in typed):
        return []
    if language in _SHELLS:
        return typed
    if language in _CONFIGS:
        return typed if all(map(_SETTING.match, typed)) else []
    return [line.rstrip(";") for line in typed] if language == "sql" and all(map(_STATEMENT.match, typed)) else []


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
    """Without the marks of Markdown, in one line of what can be printed."""
    if not text.isascii():
        text = _PICTURE.sub(" ", text)
    if "[" in text:
        text = _LINK.sub(r"\1", text)
    if "*" in text or "__" in text:
        text = _ITALIC.sub(r"\1", _EMPHASIS.sub(r"\2", text)).replace("**", "")
    text = " ".join(text.replace("`", "").split())
    return text if text.isprintable() else "".join(filter(str.isprintable, text)).strip()
