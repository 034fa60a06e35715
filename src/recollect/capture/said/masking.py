"""What of a message somebody says, and what they only show: code, logs, diffs, quotes, pastes are not theirs. Pure.

Refuses to repair: where it is not sure that a line is said, the line is left out. A fence that never ends runs to the
end of the message.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from recollect.capture.patterns import LazyPattern

MAX_CHARS = 20_000  # of a message that are looked at: people say what matters first, and paste after it
MAX_LINES = 600
MAX_ANNOUNCEMENT_CHARS = 160
MAX_NAME_WORDS = 3  # so few between fences within a line are a name, not a paste
MAX_TESTED_CHARS = 400  # characters of a line, to see that a program printed it

_FENCE = LazyPattern(r"^\s{0,8}(?P<mark>`{3,}|~{3,})(?P<info>[^`]*)$")
# A run of marks is one fence. A longer run is a drawn line; tried at each of its marks, it would take for ever.
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
_LONG_TOKEN = LazyPattern(r"\S{160,}")
_PASTED_ITEM = LazyPattern(
    r"^(?P<lead>[^.!?\n]{0,70}?\b(?:address|fix|consider|investigate|look at|do|handle|implement|resolve|tackle|about|"
    r"want|review|comment|feedback|suggestion|finding|observation|issue|item|this|these|following)\b[^.!?\n]{0,25}?)"
    r"(?::\s+|\s{2,})(?:\d{1,3}[.)]|[-*•\u26a0\u274c\u2705]\ufe0f?)\s",
    re.IGNORECASE,
)
_ANNOUNCES_QUOTE = LazyPattern(
    r"\b(?:comments?|feedback|suggestions?|observations?|findings?|reviews?|notes?|message|email|ticket|issue|"
    r"warnings?|errors?|logs?|output|traceback|got|get|says?|said|wrote|saw|see|following|below|here)\b[^.!?\n]{0,60}:\s*$"
    r"|\b(?:(?:comment|feedback|note|observation|suggestion) from|review (?:comment|feedback)|reviewer said)\b",
    re.IGNORECASE,
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
    depth: int = 0  # of an item


@dataclass(frozen=True, slots=True)
class MaskedMessage:
    """A message without what is only shown in it."""

    lines: tuple[MessageLine, ...]
    shown_chars: int  # of what was masked
    said_lines: tuple[tuple[int, int], ...] = ()  # the numbers of the lines that are left, and how far each one is


def mask_message(text: str, *, own: bool = False) -> MaskedMessage:
    """`own`: the speaker writes what they show, tables too; whoever types pastes what others wrote."""
    looked_at = _without_spans(text[:MAX_CHARS])
    lines, block, shown, blank, last = list[MessageLine](), 0, 0, True, LineForm.PROSE
    said: list[tuple[int, int]] = []
    pasted = False  # inside a text that the speaker only shows
    begun = printed = gap = False  # it ends at an empty line after it began; prose goes on until the speaker is named
    for number, (raw, masked) in enumerate(_mark_fenced(looked_at)):
        line = raw.rstrip()
        if not line.strip():
            block, blank, gap = block + (not blank), True, True
            continue
        pasted = pasted and not (gap and begun and (printed or _FIRST_PERSON.search(line)))
        copied = not own and line.startswith("  ") and last is not LineForm.ITEM  # nobody who types indents a sentence
        if masked or pasted or copied or _is_pasted(line, own=own, after_blank=blank):
            printed = printed or masked or copied or _is_pasted(line, own=own, after_blank=blank)
            shown += len(line)
            block, blank, begun, gap = block + (not blank), True, True, False
            pasted = pasted or bool(not masked and _SHELL_PROMPT.match(line[:MAX_TESTED_CHARS]))
            continue
        found, until = _classify_line(line, block), len(line)
        if found.form is not last or found.form is LineForm.HEADING:
            block += 1
            found = MessageLine(found.text, found.form, block, found.depth)
        if not own and found.form is LineForm.PROSE:
            item = _PASTED_ITEM.match(line)
            begun = printed = item is not None
            pasted = begun or _announces(line)
            if item is not None:
                until = item.end("lead")
                shown += len(line) - until
                found = MessageLine(item["lead"], found.form, block)
        lines.append(found)
        said.append((number, until))
        last, blank, gap = found.form, False, False
        if len(lines) >= MAX_LINES:
            break
    return MaskedMessage(tuple(lines), shown, tuple(said))


def blanked(text: str) -> str:
    """The same text with `BLANK` for each letter that is only shown: every word keeps its place."""
    until = dict(mask_message(text).said_lines)
    left, begin = list[str](), 0
    for number, line in enumerate(_without_spans(text[:MAX_CHARS]).splitlines(keepends=True)):
        original, end = text[begin : begin + len(line)], until.get(number, 0)
        begin += len(line)
        if line[:end] == original[:end]:
            left += [original[:end], _LETTER.sub(BLANK, original[end:])]
        else:
            left += [
                letter if at < end and line[at] == letter else _LETTER.sub(BLANK, letter)
                for at, letter in enumerate(original)
            ]
    return "".join(left)


def _without_spans(text: str) -> str:
    """With blanks, in as many lines, for comments and for what is pasted between fences within a line."""
    text = _COMMENT.sub(_replace_by_spaces, text) if "<!--" in text else text
    if "```" not in text and "~~~" not in text:
        return text
    return _FENCED_SPAN.sub(
        lambda found: _replace_by_spaces(found) if _is_within_a_line(text, found) else found[0], text
    )


def _is_within_a_line(text: str, fence: re.Match[str]) -> bool:
    """Whether it is a paste that no line of its own opens; those that one opens are seen line by line."""
    shown = fence["shown"]
    if shown is not None and "\n" not in shown:
        return len(shown.split()) > MAX_NAME_WORDS
    return bool(text[text.rfind("\n", 0, fence.start()) + 1 : fence.start()].strip())


def _replace_by_spaces(found: re.Match[str]) -> str:
    return _SIGN.sub(" ", found[0])


def _announces(line: str) -> bool:
    return (
        len(line) < MAX_ANNOUNCEMENT_CHARS and bool(_ANNOUNCES_QUOTE.search(line)) and not _ANNOUNCES_OWN.search(line)
    )


def _mark_fenced(text: str) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it stands in a fence or between tags."""
    fence, tag = "", ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if fence:
            yield line, True
            if mark and mark["mark"].startswith(fence) and not mark["info"].strip():
                fence = ""
            continue
        if tag:
            yield line, True
            if f"</{tag}>" in line.lower():
                tag = ""
            continue
        if mark:
            fence = mark["mark"]
            yield line, True
            continue
        opened = _TAG.match(line)
        if opened and not _is_inline_tag(line, opened["name"].lower()):
            name = opened["name"].lower()
            tag = "" if f"</{name}>" in line.lower() else name
            yield line, True
            continue
        yield line, False


def _is_inline_tag(line: str, name: str) -> bool:
    """`a <form> tag in another` speaks of a tag; `<summary>...` uses one."""
    rest = _ANY_TAG.sub("", line)
    return f"</{name}>" not in line.lower() and len(rest.split()) >= 4


def _is_pasted(line: str, *, own: bool, after_blank: bool) -> bool:
    if _QUOTE.match(line) or _RULER.match(line) or _LONG_TOKEN.search(line):
        return True
    if _ROW.match(line):
        return not own
    if _LOG.match(line[:MAX_TESTED_CHARS]) or _DIFF.match(line):
        return not _ITEM.match(line) or line.endswith((";", "{", "}"))
    if _INDENTED_LINE.match(line) and not _ITEM.match(line):
        return after_blank or not _is_made_of_words(line)
    return not _is_made_of_words(line) and len(line) > 60


def _is_made_of_words(line: str) -> bool:
    """Whether it is made of words rather than of signs."""
    letters = sum(map(str.isalpha, line)) + line.count(" ")
    return letters >= 0.62 * len(line)


def _classify_line(line: str, block: int) -> MessageLine:
    heading = _HEADING.match(line)
    if heading:
        title = heading["title"].rstrip()
        return MessageLine(title.rstrip("#").rstrip() or title, LineForm.HEADING, block)
    if _ROW.match(line):
        return MessageLine(
            ": ".join(filter(None, (cell.strip() for cell in line.strip().strip("|").split("|")))), LineForm.ROW, block
        )
    item = _ITEM.match(line)
    if item:
        return MessageLine(item["said"], LineForm.ITEM, block, min(len(item["indent"]) // 2, 5))
    return MessageLine(line.strip(), LineForm.PROSE, block)
