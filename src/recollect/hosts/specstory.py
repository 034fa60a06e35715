"""SpecStory: the Markdown that it keeps of other agents' sessions becomes events. Pure, line by line.

`_**User (time)**_` and `_**Agent (model time)**_` begin a turn; older files say `Assistant`, or no time at all. What a
tool did stands between `<tool-use>` tags, in older files behind `Tool use: **Name**`; how it went is read from there.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from recollect.domain.event import Event, Prompt, Reply
from recollect.domain.learning import Origin
from recollect.domain.memory import SessionId
from recollect.domain.transcript import Record
from recollect.hosts.claude_code import spoken
from recollect.hosts.transcript import Bad, Scribe, done, events, moment, named_by_content, said_in

NAME = "specstory"
MAX_PART_LINES = 20_000  # of one turn or one tool; the rest of it is left out

_SESSION = re.compile(r"<!--\s*(?P<agent>[A-Za-z][\w .+-]*?)\s+Session\s+(?P<id>[\w-]{8,})(?:\s+\((?P<at>[^)]*)\))?")
_HEADING = re.compile(
    r"^_\*\*(?P<who>User|Agent|Assistant)(?P<side> - sidechain)?(?:\s+\((?P<about>.*)\))?(?: - sidechain)?\*\*_\s*$"
)
_TIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?")
_TOOL = re.compile(r"^\s*<tool-use\b(?P<attributes>[^>]*)>")
_ATTRIBUTE = re.compile(r'data-tool-(?P<name>type|name)="(?P<value>[^"]*)"')
_OLD_TOOL = re.compile(r"^Tool use: \*\*(?P<name>[\w.:-]+)\*\*(?P<rest>.*)$")
_OLD_OUTPUT = re.compile(r"^(?:Result|Output):")
_THINKING, _THOUGHT = re.compile(r"^\s*<think>"), "</think>"
_FENCE = re.compile(r"^\s*(?P<mark>`{3,}|~{3,})(?P<language>[\w+-]*)")
_TICKS = re.compile(r"`(?P<inside>[^`]+)`")
_EXIT = re.compile(r"(?:exited with code|[Ee]xit code:?|exit status) (?P<code>-?\d+)")
_ERROR = re.compile(r"^\s*(?:Error\b|error:|fatal:|npm ERR!|Traceback \(most recent call last\))", re.MULTILINE)
_SHELLS = {"bash", "sh", "shell", "zsh"}
_MARKUP = re.compile(r"</?(?:details|summary|tool-use)\b[^>]*>")


def parse(
    records: Iterable[Record], *, otherwise: datetime, bad: Bad, name: str, folder: str | None = None
) -> Iterator[Event]:
    """Of lines of text. `name`: of the file, for a session that has none of its own; `folder`: its project's."""
    return events(History(otherwise, name, folder), records, bad)


def session_of(agents_own: str) -> SessionId:
    """Not the agent's own name of it: what SpecStory tells of the session is told with other messages."""
    return SessionId(f"{NAME}:{agents_own}")


@dataclass(slots=True)
class _Part:
    """What is being read: a turn's words, or a tool."""

    role: str  # user, agent, tool
    lines: list[str] = field(default_factory=list)
    tool: str = ""
    kind: str = ""
    is_old: bool = False
    is_aside: bool = False  # another agent's
    output: bool = False  # of an old tool: its output has begun
    fence: str = ""


class History:
    def __init__(self, otherwise: datetime, name: str, folder: str | None) -> None:
        self._scribe = Scribe(NAME, otherwise)
        self._session = session_of(name)
        self._folder = folder
        self._at = otherwise
        self._position = 0
        self._turn: _Part | None = None  # who speaks
        self._tool: _Part | None = None
        self._is_thinking = False

    def read(self, value: str) -> Sequence[Event]:
        heading = _HEADING.match(value)
        if heading is not None:  # wins over everything that was left open
            return self._next_turn(heading)
        if self._turn is None:
            self._header(value)
            return ()
        return self._line(value)

    def rest(self) -> Sequence[Event]:
        return [*self._end_tool(), *self._end_turn()]

    def _header(self, line: str) -> None:
        session = _SESSION.search(line)
        if session is not None and not self._scribe.knows(self._session):
            self._session = session_of(session["id"])
            self._at = _time_in(session["at"]) or self._at
        elif line.startswith("# "):
            self._at = _time_in(line) or self._at

    def _next_turn(self, heading: re.Match[str]) -> list[Event]:
        found = self.rest()
        self._at = max(self._at, _time_in(heading["about"]) or self._at)
        aside = heading["side"] is not None or "sidechain" in heading[0]
        self._turn = _Part(role="user" if heading["who"] == "User" else "agent", is_aside=aside)
        self._is_thinking = False
        return [*found, *self._scribe.begin(self._session, self._at, folder=self._folder)]

    def _line(self, line: str) -> Sequence[Event]:
        if self._is_thinking or _THINKING.match(line):
            self._is_thinking = _THOUGHT not in line
            return ()
        if self._tool is not None:
            return self._tool_line(self._tool, line)
        new, old = _TOOL.match(line), _OLD_TOOL.match(line)
        if (new or old) and self._turn is not None and self._turn.role == "agent":
            said = self._end_turn()
            self._tool = _begun(line, new, old)
            return [*said, *(self._end_tool() if new and "</tool-use>" in line else ())]
        if self._turn is not None and len(self._turn.lines) < MAX_PART_LINES:
            self._turn.lines.append(line)
        return ()

    def _tool_line(self, tool: _Part, line: str) -> Sequence[Event]:
        if tool.is_old and not tool.fence and (_OLD_TOOL.match(line) or _TOOL.match(line)):
            return [*self._end_tool(), *self._line(line)]
        if len(tool.lines) < MAX_PART_LINES:
            tool.lines.append(line)
        fence = _FENCE.match(line)
        closes = bool(fence and tool.fence and fence["mark"].startswith(tool.fence))
        if fence:
            tool.fence = "" if closes else tool.fence or fence["mark"]
        tool.output = tool.output or bool(tool.is_old and _OLD_OUTPUT.match(line))
        if tool.is_old:
            return self._end_tool() if closes and tool.output else ()
        return self._end_tool() if "</tool-use>" in line else ()

    def _about(self) -> dict[str, Any]:
        """Files tell seconds, or nothing: what follows in them is a little later."""
        self._position += 1
        return self._scribe.about(self._session, self._at + timedelta(milliseconds=self._position))

    def _end_turn(self) -> list[Event]:
        """What was said so far; the turn may go on behind a tool."""
        turn = self._turn
        if turn is None:
            return []
        text = _without_rule("\n".join(turn.lines))
        turn.lines = []
        text, origin = spoken(said_in(text)) if turn.role == "user" else (said_in(text).strip(), Origin.ASSISTANT)
        if not text:
            return []
        about = self._about()
        message = named_by_content(self._position, turn.role, text)
        if turn.role == "agent":
            return [Reply(message=message, text=text, **about)]
        origin = Origin.SUBAGENT if turn.is_aside and origin is Origin.USER else origin
        return [Prompt(message=message, text=text, origin=origin, **about)]

    def _end_tool(self) -> list[Event]:
        tool, self._tool = self._tool, None
        if tool is None:
            return []
        given, output, failed = _read(tool)
        return [done(tool.tool, given, output, failed=failed, call=None, about=self._about())]


def _begun(line: str, new: re.Match[str] | None, old: re.Match[str] | None) -> _Part:
    if new is None and old is not None:
        return _Part(role="tool", tool=old["name"], is_old=True, lines=[old["rest"].strip()])
    told = dict(_ATTRIBUTE.findall(line))
    return _Part(role="tool", tool=told.get("name") or "unknown", kind=told.get("type", ""), lines=[line])


def _read(tool: _Part) -> tuple[dict[str, str], str, bool]:
    """What the tool was given, what it said, and whether that reads like a failure."""
    asked, told = _halves(tool.lines)
    inline = next((found["inside"] for line in asked for found in [_TICKS.search(line)] if found), "")
    is_shell = tool.kind == "shell" or tool.tool.lower() in {*_SHELLS, "exec_command", "shell_command"}
    command = "\n".join(line for line in asked if line.startswith("\t")).replace("\t", "") or inline
    given = {"command": command} if is_shell and command else {"file_path": inline} if inline else {}
    output = "\n".join(told).strip()
    code = _EXIT.search(output)
    return given, output, code["code"] != "0" if code else bool(_ERROR.match(output))


def _halves(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """What was asked and what came of it: a block of shell is the question, every other block is the answer.

    In the question, a line of a block of shell begins with a tab.
    """
    asked, told, fence, is_question = list[str](), list[str](), "", False
    for line in lines:
        mark = _FENCE.match(line)
        if mark and fence and mark["mark"].startswith(fence):
            fence = ""
        elif mark and not fence:
            fence, is_question = mark["mark"], mark["language"] in _SHELLS and not told
        elif fence:
            (asked if is_question else told).append(f"\t{line}" if is_question else line)
        else:
            plain = _MARKUP.sub("", line).strip()
            if plain:
                (told if told or _ERROR.match(plain) or _EXIT.search(plain) else asked).append(plain)
    return asked, told


def _time_in(text: str | None) -> datetime | None:
    found = _TIME.search(text or "")
    return moment(found[0]) if found else None


def _without_rule(text: str) -> str:
    """The line between two speakers is nobody's."""
    text = text.strip()
    while text == "---" or text.endswith("\n---"):
        text = text.removesuffix("---").rstrip()
    return text.removeprefix("---\n").strip() if text.startswith("---\n") else text
