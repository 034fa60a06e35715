"""SpecStory: the Markdown of one tool becomes what was asked and what came of it. Pure.

Cursor, Copilot and the agents in terminals are shown in different ways. A part that says neither what was done nor
what came of it (`Listed directory`, `Read file: undefined`, a change without its file) is no event.
"""

import html
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from recollect.hosts.questions import with_answers_of_cursor

_FENCE = re.compile(r"^(?P<indent>\s*)(?P<mark>`{3,}|~{3,})(?P<language>[\w+-]*)")
_MARKDOWN = frozenset({"markdown", "md", "mdc", "mdx"})
_SHELLS = frozenset({"bash", "sh", "shell", "zsh"})
_CURSOR_SHELLS = frozenset({"", "run_terminal_cmd", "run_terminal_command_v2"})  # "": its first versions named no tool
_SHELL_TOOLS = _SHELLS | _CURSOR_SHELLS - {""} | {"exec_command", "shell_command", "run_in_terminal"}
_MARKUP = re.compile(r"</?(?:details|summary|tool-use)\b[^>]*>")
_ATTRIBUTE = re.compile(r'data-tool-(?P<name>type|name)="(?P<value>[^"]*)"')
_NAMED = re.compile(r"^Tool use: \*\*(?P<name>[\w.:-]+)\*\*\s*(?P<rest>.*)$")
_FILE = re.compile(r"\b(?P<deed>Edit|Read) file: (?P<path>\S.*)$")
_TICKS = re.compile(r"`(?P<inside>[^`]+)`")
_TASK = re.compile(r"^- \[(?P<mark>.)\]\s+(?:[^\w\s`'\"(]+\s+)?(?P<said>\S.*)$")
_EXIT = re.compile(r"(?:exited with code|[Ee]xit code:?|exit status) (?P<code>-?\d+)")
_ERROR = re.compile(r"^\s*(?:Error\b|error:|fatal:|npm ERR!|Traceback \(most recent call last\))", re.MULTILINE)
_TROUBLE = re.compile(
    r"(?<!\b0 )\b(?:errors?|fail(?:ed|s|ures?|ing)?|fatal|exception|traceback|denied|refused|(?:not|cannot) \w+)\b",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"^\*\*(?P<question>.+)\*\*(?: _\(select multiple\)_)?$")
_OPTION = re.compile(r"^- \*\*(?P<label>.+?)\*\*(?: - (?P<description>.*))?$")
_ANSWER = "**Answer:**"
_HEAD, _TAIL = 6, 2  # lines of an output where its exit code is


@dataclass(frozen=True, slots=True)
class ToolUse:
    tool: str
    given: dict[str, Any]
    output: str = ""
    failed: bool = False


class Fence:
    """Whether the lines so far leave a block of code open. A block of Markdown may hold others."""

    def __init__(self) -> None:
        self._opened: re.Match[str] | None = None
        self._depth = 0

    @property
    def is_open(self) -> bool:
        return self._depth > 0

    def follow(self, line: str) -> None:
        mark = _FENCE.match(line)
        if mark is None:
            return
        if self._opened is None or not self._depth:
            self._opened, self._depth = mark, 1
        elif mark["indent"] == self._opened["indent"] and mark["mark"].startswith(self._opened["mark"]):
            if not mark["language"]:
                self._depth -= 1
            elif self._opened["language"] in _MARKDOWN:
                self._depth += 1


@dataclass(frozen=True, slots=True)
class _CodeBlock:
    """A block of code, and the line that stands before it."""

    label: str
    language: str
    text: str


def used(lines: Sequence[str]) -> ToolUse | None:
    """None: the part says nothing that can be used."""
    attributes = dict(_ATTRIBUTE.findall(lines[0]))
    plain, blocks = _read(lines)
    named = next((found for line in plain for found in [_NAMED.match(line)] if found), None)
    tool = attributes.get("name") or (named["name"] if named else "")
    file = next((found for line in plain for found in [_FILE.search(line)] if found), None)
    if file is not None:
        return _on_file(file["deed"], file["path"].strip(), blocks)
    if "todo" in tool.lower() or "## Todo List" in plain:
        return _todo_list(plain)
    if tool.lower() in _SHELL_TOOLS or attributes.get("type") == "shell" or (not tool and _is_run(blocks)):
        return _run(plain, blocks, tells_outcome=tool not in _CURSOR_SHELLS)
    if tool == "AskUserQuestion":
        return _asked(tool, plain)
    given = next((_object(block.text) for block in blocks if block.label.startswith("Parameters")), {})
    if not given:
        inline = next((found["inside"] for line in plain for found in [_TICKS.search(line)] if found), "")
        given = {"file_path": inline} if inline else {}
    said = [line for line in plain if _ERROR.match(line) or _EXIT.search(line)]
    results = [block for block in blocks if block.label.startswith("Result")] or [
        block for block in blocks if block.label != "Parameters:"
    ]
    output = "\n".join([*said, *(block.text for block in results)]).strip()
    if tool == "ask_question":
        given = with_answers_of_cursor(given, output)
    return ToolUse(tool, given, output, _failed(output)) if tool and (given or output) else None


def _read(lines: Sequence[str]) -> tuple[list[str], list[_CodeBlock]]:
    plain, blocks, held, language, fence = list[str](), list[_CodeBlock](), list[str](), "", Fence()
    for line in lines:
        was_open = fence.is_open
        fence.follow(line)
        if fence.is_open and was_open:
            held.append(line)
        elif fence.is_open:
            mark = _FENCE.match(line)
            language = mark["language"] if mark else ""
        elif was_open:
            blocks.append(_CodeBlock(plain[-1] if plain else "", language, html.unescape("\n".join(held))))
            held = []
        elif said := _MARKUP.sub("", line).strip():
            plain.append(said)
    if held:
        blocks.append(_CodeBlock(plain[-1] if plain else "", language, html.unescape("\n".join(held))))
    return plain, blocks


def _is_run(blocks: Sequence[_CodeBlock]) -> bool:
    """A command and what it printed, as the first versions for Cursor wrote it."""
    return len(blocks) > 1 and blocks[0].language in _SHELLS and not blocks[1].language


def _run(plain: Sequence[str], blocks: Sequence[_CodeBlock], *, tells_outcome: bool) -> ToolUse | None:
    is_block = bool(blocks) and blocks[0].language in _SHELLS
    inline = next((found["inside"] for line in plain for found in [_TICKS.search(line)] if found), "")
    command = blocks[0].text.strip() if is_block else inline
    said = [line for line in plain if _ERROR.match(line) or _EXIT.search(line)]
    output = "\n".join([*said, *(block.text for block in blocks[is_block:])]).strip()
    failed = _failed(output)
    if tells_outcome or failed:
        return ToolUse("bash", {"command": command}, output, failed) if command else None
    # Cursor tells no exit code, and shows a cancelled command without its output: then nothing says how it went.
    return ToolUse("bash", {"command": command}, output) if command and output and not _TROUBLE.search(output) else None


def _on_file(deed: str, path: str, blocks: Sequence[_CodeBlock]) -> ToolUse | None:
    if path == "undefined":
        return None
    if deed == "Read":
        return ToolUse("read", {"file_path": path})
    edits = [dict(zip(("old_string", "new_string"), _sides(block.text), strict=True)) for block in blocks]
    return ToolUse("edit", {"file_path": path, **({"edits": edits} if edits else {})})


def _sides(diff: str) -> tuple[str, str]:
    """What an edit took away, and what it put there."""
    lines = diff.splitlines()
    old, new = ("\n".join(line[2:] for line in lines if line.startswith(sign)) for sign in ("- ", "+ "))
    return old, new


def _todo_list(plain: Sequence[str]) -> ToolUse | None:
    tasks = [found for line in plain for found in [_TASK.match(line)] if found]
    todos = [{"content": task["said"], "status": "completed" if task["mark"] in "xX" else "pending"} for task in tasks]
    return ToolUse("todowrite", {"todos": todos}) if todos else None


def _asked(tool: str, plain: Sequence[str]) -> ToolUse | None:
    """The answer is written once, behind all questions."""
    questions: list[dict[str, Any]] = []
    answer = ""
    for number, line in enumerate(plain):
        question, option = _QUESTION.match(line), _OPTION.match(line)
        if line.startswith(_ANSWER):
            answer = "\n".join([line.removeprefix(_ANSWER).strip(), *plain[number + 1 :]])
            break
        if question is not None:
            questions.append({"question": question["question"], "options": []})
        elif option is not None and questions:
            questions[-1]["options"].append({"label": option["label"], "description": option["description"] or ""})
    if not questions or not answer:
        return None
    if len(questions) > 1:
        return ToolUse(tool, {"questions": questions}, answer)
    return ToolUse(tool, {"questions": questions, "answers": {questions[0]["question"]: answer}}, answer)


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _failed(output: str) -> bool:
    lines = output.splitlines()  # what stands between is what a command printed, perhaps of another one
    codes = [
        found["code"] for line in [*lines[:_HEAD], *lines[_HEAD:][-_TAIL:]] for found in [_EXIT.search(line)] if found
    ]
    return codes[0] != "0" if codes else bool(_ERROR.match(output))
