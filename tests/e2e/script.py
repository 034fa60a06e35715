"""What the fake model does next, written into the user's own words.

    [[say TEXT]]            answer with TEXT
    [[tool NAME {json}]]    call the tool first; several run one after another, the words come after the last result
    [[usage N]]             report N input tokens with every answer of this turn; a high N makes the client compact
    [[wait MS]]             answer MS milliseconds late
    [[error STATUS]]        refuse every attempt with this HTTP status
    [[error STATUS TIMES]]  refuse the first TIMES attempts, then answer

`[[` followed by a letter is always meant as a directive: a misspelt one is an error, never silence.
"""

import json
import re
from dataclasses import dataclass, replace
from typing import Any

from tests.e2e.request import ToolCall

DEFAULT_SAY = "Understood."
DEFAULT_USAGE_TOKENS = 10
MAX_WAIT_MS = 60_000


class MalformedDirective(Exception):
    def __init__(self, directive: str, reason: str) -> None:
        super().__init__(f"malformed directive [[{directive.strip()} ...: {reason}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refuse:
    status: int


Step = Say | ToolCall | Refuse


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """Everything that one user message asks of the fake model."""

    say: str = DEFAULT_SAY
    tools: tuple[ToolCall, ...] = ()
    usage_tokens: int = DEFAULT_USAGE_TOKENS
    wait_ms: int = 0
    error: int | None = None
    error_times: int | None = None  # None: every attempt

    def step(self, *, results: int, attempt: int) -> Step:
        """The answer after so many tool results of this turn, at this attempt (0 = first) to get it."""
        if self.error is not None and (self.error_times is None or attempt < self.error_times):
            return Refuse(status=self.error)
        return self.tools[results] if results < len(self.tools) else Say(text=self.say)


_OPEN = re.compile(r"\[\[([A-Za-z]+)")
_TOOL_NAME = re.compile(r"\s+([^\s{\]]+)\s*")
_CLOSE = re.compile(r"\s*\]\]")
_JSON = json.JSONDecoder()
_NUMBERS = {"usage": ("usage_tokens",), "wait": ("wait_ms",), "error": ("error", "error_times")}


def script_of(text: str) -> Script:
    """Read the directives in what a user said; raises MalformedDirective."""
    script, at, seen = Script(), 0, set[str]()
    while opening := _OPEN.search(text, at):
        name, start = opening.group(1), opening.end()
        if name == "tool":
            call, at = _tool(text, start)
            script = replace(script, tools=(*script.tools, call))
            continue
        at = text.find("]]", start)
        if at < 0 or name in seen:
            raise MalformedDirective(name, "it never closes" if at < 0 else "it is said twice")
        seen.add(name)
        script = replace(script, **_fields(name, text[start:at].strip()))
    return script


def _fields(name: str, rest: str) -> dict[str, Any]:
    if name == "say":
        return {"say": rest}
    fields = _NUMBERS.get(name)
    if fields is None:
        raise MalformedDirective(f"{name} {rest}", "only say, tool, usage, wait and error are known")
    words = rest.split()
    if not 1 <= len(words) <= len(fields) or not all(word.isdecimal() for word in words):
        raise MalformedDirective(f"{name} {rest}", f"numbers expected: {', '.join(fields)}")
    numbers = dict(zip(fields, map(int, words), strict=False))
    if numbers.get("wait_ms", 0) > MAX_WAIT_MS or not 400 <= numbers.get("error", 400) <= 599:
        raise MalformedDirective(f"{name} {rest}", f"at most {MAX_WAIT_MS} ms, a status from 400 to 599")
    return numbers


def _tool(text: str, start: int) -> tuple[ToolCall, int]:
    """The call, and where its directive ends. Its arguments may themselves hold brackets and directives."""
    shown = "tool" + text[start : start + 80]
    named = _TOOL_NAME.match(text, start)
    if named is None:
        raise MalformedDirective(shown, "tool NAME {json arguments} expected")
    try:
        args, end = _JSON.raw_decode(text, named.end())
    except json.JSONDecodeError as error:
        raise MalformedDirective(shown, f"its arguments are not JSON: {error}") from error
    closing = _CLOSE.match(text, end)
    if closing is None or not isinstance(args, dict):
        raise MalformedDirective(shown, "one JSON object and then ]] expected")
    return ToolCall(name=named.group(1), args=args), closing.end()
