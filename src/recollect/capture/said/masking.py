"""Separate what a speaker says from what they only show: code, logs, diffs, quotes, pastes. Pure.

Leaves out a line if it is not sure that the speaker says it. A fence that is never closed runs to the end of the
message.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from recollect.text.lazy_pattern import AnyCasePattern, LazyPattern

MAX_CHARS = 20_000  # of a message: people say what matters first, and paste after it
MAX_LINES = 600
MAX_ANNOUNCEMENT_CHARS = 160
MAX_NAME_WORDS = 3  # between fences within a line: a name, not a paste
LONG_TOKEN_CHARS = 160  # no word is as long
MAX_TESTED_CHARS = 400  # of a line, to recognise that a program printed it

_FENCE = LazyPattern(r"^\s{0,8}(?P<mark>`{3,}|~{3,})(?P<info>[^`]*)$")
# 3 to 12 marks are one fence. A longer run is a drawn line; without the bound, each of its marks would be tried.
_FENCED_SPAN = LazyPattern(
    r"(?<![`~])(?P<mark>`{3,12}|~{3,12})(?![`~])(?P<shown>.*?)(?<![`~])(?P=mark)(?![`~])|(?:```|~~~)[\w+-]*\n.*\Z",
    re.DOTALL,
)
_TAG = LazyPattern(r"^\s*<(?P<name>[a-z][\w:-]{1,40})(?:\s[^<>]*)?>", re.IGNORECASE)
_ANY_TAG = LazyPattern(r"</?[a-z][\w:-]{0,40}(?:\s[^<>]*)?/?>", re.IGNORECASE)
_COMMENT = LazyPattern(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_QUOTE = LazyPattern(r"^\s*>+(?:\s|\S)")
_ROW = LazyPattern(r"^\s*\|.*\|\s*$")
_RULER = LazyPattern(r"^[\s|:+=*_-]{3,}$")
_HEADING = LazyPattern(r"^\s{0,3}(?P<marks>#{1,6})\s+(?P<title>\S.*)$")
_ITEM = LazyPattern(r"^(?P<indent>\s*)(?P<mark>[-*+•‣◦–]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])\s+(?P<said>\S.*)$")
_DIFF = LazyPattern(
    r"^(?:diff --git|index [0-9a-f]{7}|@@ |\+\+\+ |--- (?:a/|b/|/dev)|[+-](?:\s{2,}|\t|[\w{}<(]+[({;=]))"
)
_INDENTED_LINE = LazyPattern(r"^(?: {6,}|\t)\S")
_PROGRAMS = "npm|pnpm|yarn|bun|pip|cargo|go|git|docker|kubectl|make(?:\\[\\d\\])?|brew|rustc|gradle|mvn|tsc|node"
_STEPS = (
    "Run|Downloading|Extracting|Installing|Fetching|Compiling|Building|Resolving|Unpacking|Collecting|Cloning|Pulling|"
    "Uploading|Restored?|Parsing|Syncing"
)
_SIGNS = "\u2714\u2716\u2717\u2718\u2713\u26a0\u2139\u2705\u274c\u23ed\u267b\u2728\u2a2f\U0001f300-\U0001faff"
_KEYWORDS = (
    r"import|package|func|def|class|const|let|var|return|public|private|export|from\s\S+\simport|\#include|fn|type|"
    r"struct|interface|if\s?\(|for\s?\(|while\s?\(|SELECT|INSERT|UPDATE|DELETE|CREATE"
)
_LOG = LazyPattern(
    rf"""^\s*(?:
      [$%❯➜»]\s+\S                                  # a prompt of a shell
    | \S+@\S+[:~]\S*[$\#%]\s
    | \[[^\]]*\d[^\]]*\].{{0,60}}[~/]\S*\]?\s+\S     # [date ~/folder] command
    | \[[^\]]*[~]/[^\]]*\]
    | \[?\d{{4}}[-/]\d\d[-/]\d\d[T\s]\d\d:\d\d        # times
    | \[?\d\d:\d\d:\d\d
    | \[?\d\d?/\d\d?/\d\d(?:\d\d)?\s+\d\d?:\d\d
    | (?:time|level|msg|ts)=
    | \[?(?:INFO|DEBUG|WARN(?:ING)?|ERROR|FATAL|TRACE|CRITICAL|PASS|FAIL|SKIP|OK)\]?[:\s|\[]
    | \[?(?:notice|warning|error)(?:\]|[:|\[])   # "error was expected" is said
    | (?:{_PROGRAMS})(?:\s(?:ERR!|WARN|error|warning):?|:)\s
    | (?:---|===)\s(?:PASS|FAIL|RUN|SKIP)
    | (?:ok|FAIL|\?)\s+[\w.-]+/\S+\s
    | (?:Traceback|Caused\sby|Exception\sin|panic:|goroutine\s\d|thread\s')
    | at\s+\S+\s?\(?\S*:\d+                          # frames of a stack
    | File\s"[^"]+",\sline\s\d+
    | [\w./\\-]+\.\w{{1,5}}:\d+(?::\d+)?:
    | [\w.]*(?:Error|Exception|Warning):\s
    | error(?:\[\w+\])?:\s
    | \#\d+\s+\[?
    | (?:{_STEPS})\s\S+.{{0,80}}(?:/|\.\.\.|v\d|@|\[\d+/\d+\])
    | [{_SIGNS}]\ufe0f?\s+\S.{{0,400}}$
    | (?:\^|~)+\s*$
    | \d+\s*\|\s
    | [{{}}\[\]()<>;,"']+\s*$                         # code
    | (?://|/\*)\s
    | .{{0,200}}(?:\)|\w)\s*\{{\s*$
    | .{{0,200}}[)}}\]"'\w];\s*$
    | (?:{_KEYWORDS})\s?\S.*(?:[;{{}}()=:,]\s*$|\s=\s|\w\(|\bFROM\b|\bTABLE\b)
    | [\w.\[\]"'-]+\s*(?::=|\+=|=)\s*\S+.*[;()"'\]}}]\s*$
    | "[\w.-]+"\s*:\s
    )""",
    re.VERBOSE,
)
BLANK = "\x00"
_LETTER = LazyPattern(r"\w")
_SIGN = LazyPattern(r"\S")
_SHELL_PROMPT = LazyPattern(r"\s*(?:[$❯➜]\s|\[[^\]]*[~/]\S*\])")
_LONG_TOKEN = LazyPattern(rf"\S{{{LONG_TOKEN_CHARS},}}")
_PASTED_ITEM = LazyPattern(
    r"^(?P<lead>[^.!?\n]{0,70}?\b(?:address|fix|consider|investigate|look at|do|handle|implement|resolve|tackle|about|"
    r"want|review|comment|feedback|suggestion|finding|observation|issue|item|this|these|following)\b[^.!?\n]{0,25}?)"
    r"(?::\s+|\s{2,})(?:\d{1,3}[.)]|[-*•\u26a0\u274c\u2705]\ufe0f?)\s",
    re.IGNORECASE,
)
_ANNOUNCES_QUOTE = AnyCasePattern(
    r"\b(?:comments?|feedback|suggestions?|observations?|findings?|reviews?|notes?|message|email|ticket|issue|"
    r"warnings?|errors?|logs?|output|traceback|got|get|says?|said|wrote|saw|see|following|below|here)\b[^.!?\n]{0,60}:\s*$"
    r"|\b(?:(?:comment|feedback|note|observation|suggestion) from|review (?:comment|feedback)|reviewer said)\b"
)
_ANNOUNCES_OWN = LazyPattern(r"\b(?:rules?|conventions?|preferences?|want|we|our|my|from now on)\b", re.IGNORECASE)
_FIRST_PERSON = LazyPattern(
    r"\b(?:we|our|us|i|i'm|wir|uns\w*|ich|nosotros|nuestr\w+|from now on|remember)\b", re.IGNORECASE
)


class LineForm(StrEnum):
    PROSE = "prose"
    ITEM = "item"  # of a list
    ROW = "row"  # of a table
    HEADING = "heading"


@dataclass(frozen=True, slots=True)
class MessageLine:
    text: str
    form: LineForm
    block: int  # lines of one paragraph, list or table share it


@dataclass(frozen=True, slots=True)
class MaskedMessage:
    lines: tuple[MessageLine, ...]
    said_lines: tuple[tuple[int, int], ...] = ()  # of each line: its number, and where its said part ends


def mask_message(text: str, *, is_agent: bool = False) -> MaskedMessage:
    """Keep the lines that the speaker says. `is_agent`: an agent writes the tables that it shows; people paste them."""
    masker = _Masker(is_agent)
    for number, (line, is_fenced) in enumerate(_mark_fenced(_without_spans(text[:MAX_CHARS]))):
        masker.read(number, line.rstrip(), is_fenced=is_fenced)
        if len(masker.lines) >= MAX_LINES:
            break
    return MaskedMessage(tuple(masker.lines), tuple(masker.said_lines))


@dataclass(slots=True)
class _Masker:
    is_agent: bool
    lines: list[MessageLine] = field(default_factory=list)
    said_lines: list[tuple[int, int]] = field(default_factory=list)
    block: int = 0
    is_closed: bool = True  # the block ended
    has_gap: bool = False  # an empty line came last
    last: LineForm = LineForm.PROSE
    in_paste: bool = False
    has_begun: bool = False  # the paste has a line already
    is_printed: bool = False  # the paste has lines that a program printed

    def read(self, number: int, line: str, *, is_fenced: bool) -> None:
        if not line.strip():
            self._close_block()
            self.has_gap = True
            return
        # A paste ends at an empty line; pasted prose goes on until the speaker says "I" or "we".
        if self.has_gap and self.has_begun and (self.is_printed or _FIRST_PERSON.search(line)):
            self.in_paste = False
        # People who type do not indent a sentence.
        is_copied = not self.is_agent and line.startswith("  ") and self.last is not LineForm.ITEM
        is_shown = is_fenced or is_copied or _is_pasted(line, is_agent=self.is_agent, after_blank=self.is_closed)
        if not is_shown and not self.in_paste:
            self._keep(number, line)
            return
        self._close_block()
        self.has_begun, self.has_gap = True, False
        self.is_printed = self.is_printed or is_shown
        if not is_fenced and _SHELL_PROMPT.match(line[:MAX_TESTED_CHARS]):
            self.in_paste = True

    def _close_block(self) -> None:
        if not self.is_closed:
            self.block += 1
        self.is_closed = True

    def _keep(self, number: int, line: str) -> None:
        form, text = _classify_line(line)
        end = len(line)
        if form is not self.last or form is LineForm.HEADING:
            self.block += 1
        if not self.is_agent and form is LineForm.PROSE:
            item = _PASTED_ITEM.match(line)
            self.has_begun = self.is_printed = item is not None
            self.in_paste = item is not None or _announces(line)
            if item is not None:
                text, end = item["lead"], item.end("lead")
        self.lines.append(MessageLine(text, form, self.block))
        self.said_lines.append((number, end))
        self.last, self.is_closed, self.has_gap = form, False, False


def blank_shown_text(text: str) -> str:
    """Replace each letter that is only shown by `BLANK`, so that every word keeps its place."""
    ends = dict(mask_message(text).said_lines)
    left, begin = list[str](), 0
    for number, line in enumerate(_without_spans(text[:MAX_CHARS]).splitlines(keepends=True)):
        left.append(_blank_line(text[begin : begin + len(line)], line, ends.get(number, 0)))
        begin += len(line)
    return "".join(left)


def _blank_line(original: str, masked: str, end: int) -> str:
    """Blank what is behind the end, or missing in the masked line."""
    if masked[:end] == original[:end]:
        return original[:end] + _LETTER.sub(BLANK, original[end:])
    letters = list(original)
    for at, letter in enumerate(original):
        if at >= end or masked[at] != letter:
            letters[at] = _LETTER.sub(BLANK, letter)
    return "".join(letters)


def _without_spans(text: str) -> str:
    """Replace comments, and pastes between fences within a line, by spaces. Line breaks stay."""
    if "<!--" in text:
        text = _COMMENT.sub(_replace_by_spaces, text)
    if "```" not in text and "~~~" not in text:
        return text
    return _FENCED_SPAN.sub(lambda span: _replace_by_spaces(span) if _is_within_a_line(text, span) else span[0], text)


def _is_within_a_line(text: str, fence: re.Match[str]) -> bool:
    """Return True for a paste whose fence is not on a line of its own; others are found line by line."""
    shown = fence["shown"]
    if shown is not None and "\n" not in shown:
        return len(shown.split()) > MAX_NAME_WORDS
    return bool(text[text.rfind("\n", 0, fence.start()) + 1 : fence.start()].strip())


def _replace_by_spaces(found: re.Match[str]) -> str:
    return _SIGN.sub(" ", found[0])


def _announces(line: str) -> bool:
    is_quote = len(line) < MAX_ANNOUNCEMENT_CHARS and bool(_ANNOUNCES_QUOTE.search(line))
    return is_quote and not _ANNOUNCES_OWN.search(line)


def _mark_fenced(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each line, and True if it is in a fence or between tags."""
    fence = tag = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if fence:
            if mark and mark["mark"].startswith(fence) and not mark["info"].strip():
                fence = ""
        elif tag:
            if f"</{tag}>" in line.lower():
                tag = ""
        elif mark:
            fence = mark["mark"]
        elif name := _opening_tag(line):
            tag = "" if f"</{name}>" in line.lower() else name
        else:
            yield line, False
            continue
        yield line, True


def _opening_tag(line: str) -> str:
    """The tag at the beginning; empty: there is none, or the line is about one (`a <form> tag in another`)."""
    opened = _TAG.match(line)
    if opened is None:
        return ""
    name = opened["name"].lower()
    is_mention = f"</{name}>" not in line.lower() and len(_ANY_TAG.sub("", line).split()) >= 4
    return "" if is_mention else name


def _is_pasted(line: str, *, is_agent: bool, after_blank: bool) -> bool:
    if _QUOTE.match(line) or _RULER.match(line) or (len(line) >= LONG_TOKEN_CHARS and _LONG_TOKEN.search(line)):
        return True
    if _ROW.match(line):
        return not is_agent
    if _LOG.match(line[:MAX_TESTED_CHARS]) or _DIFF.match(line):
        return not _ITEM.match(line) or line.endswith((";", "{", "}"))
    if _INDENTED_LINE.match(line) and not _ITEM.match(line):
        return after_blank or not _is_made_of_words(line)
    return len(line) > 60 and not _is_made_of_words(line)


def _is_made_of_words(line: str) -> bool:
    letters = sum(map(str.isalpha, line)) + line.count(" ")
    return letters >= 0.62 * len(line)


def _classify_line(line: str) -> tuple[LineForm, str]:
    if heading := _HEADING.match(line):
        title = heading["title"].rstrip()
        return LineForm.HEADING, title.rstrip("#").rstrip() or title
    if _ROW.match(line):
        cells = map(str.strip, line.strip().strip("|").split("|"))
        return LineForm.ROW, ": ".join(filter(None, cells))
    if item := _ITEM.match(line):
        return LineForm.ITEM, item["said"]
    return LineForm.PROSE, line.strip()
