"""SpecStory: read the Markdown of one tool: its arguments, its output and whether it failed. Pure.

Cursor, Copilot and the agents in terminals write it in different ways. A part without arguments and result (`Listed
directory`, `Read file: undefined`, a change without its file) is no event.
"""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from recollect.hosts.question_tool import parse_object, with_answers_of_cursor

_FENCE = re.compile(r"^(?P<indent>\s*)(?P<mark>`{3,}|~{3,})(?P<language>[\w+-]*)")
_MARKDOWN = frozenset({"markdown", "md", "mdc", "mdx"})
_SHELLS = frozenset({"bash", "sh", "shell", "zsh"})
_CURSOR_SHELLS = frozenset({"", "run_terminal_cmd", "run_terminal_command_v2"})  # "": of its first versions
_SHELL_TOOLS = _SHELLS | _CURSOR_SHELLS - {""} | {"exec_command", "shell_command", "run_in_terminal"}
_MARKUP = re.compile(r"</?(?:details|summary|tool-use)\b[^>]*>")
_ATTRIBUTE = re.compile(r'data-tool-(?P<name>type|name)="(?P<value>[^"]*)"')
_TOOL_NAME = re.compile(r"^Tool use: \*\*(?P<name>[\w.:-]+)\*\*\s*(?P<rest>.*)$")
_FILE = re.compile(r"\b(?P<action>Edit|Read) file: (?P<path>\S.*)$")
_TICKS = re.compile(r"`(?P<inside>[^`]+)`")
_TASK = re.compile(r"^- \[(?P<mark>.)\]\s+(?:[^\w\s`'\"(]+\s+)?(?P<task>\S.*)$")
_EXIT = re.compile(r"(?:exited with code|[Ee]xit code:?|exit status) (?P<code>-?\d+)")
_ERROR = re.compile(r"^\s*(?:Error\b|error:|fatal:|npm ERR!|Traceback \(most recent call last\))", re.MULTILINE)
_TROUBLE = re.compile(
    r"(?<!\b0 )\b(?:errors?|fail(?:ed|s|ures?|ing)?|fatal|exception|traceback|denied|refused|(?:not|cannot) \w+)\b",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"^\*\*(?P<question>.+)\*\*(?: _\(select multiple\)_)?$")
_OPTION = re.compile(r"^- \*\*(?P<label>.+?)\*\*(?: - (?P<description>.*))?$")
_ANSWER = "**Answer:**"
_HEAD_LINES, _TAIL_LINES = 6, 2  # of an output: the exit code is in these


@dataclass(frozen=True, slots=True)
class ToolUse:
    tool: str
    arguments: dict[str, Any]
    output: str = ""
    failed: bool = False


class Fence:
    """Tracks whether the lines so far leave a block of code open. A block of Markdown may contain others."""

    def __init__(self) -> None:
        self._opening: re.Match[str] | None = None
        self._depth = 0

    @property
    def is_open(self) -> bool:
        return self._depth > 0

    def follow(self, line: str) -> None:
        mark = _FENCE.match(line)
        if mark is None:
            return
        if self._opening is None or not self._depth:
            self._opening, self._depth = mark, 1
        elif mark["indent"] == self._opening["indent"] and mark["mark"].startswith(self._opening["mark"]):
            if not mark["language"]:
                self._depth -= 1
            elif self._opening["language"] in _MARKDOWN:
                self._depth += 1


@dataclass(frozen=True, slots=True)
class _CodeBlock:
    label: str
    language: str
    text: str


def read_tool_use(lines: Sequence[str]) -> ToolUse | None:
    """Return None if the part says nothing usable."""
    attributes = dict(_ATTRIBUTE.findall(lines[0]))
    plain, blocks = _split(lines)
    tool = attributes.get("name") or _first_match(_TOOL_NAME, plain, "name")
    for line in plain:
        file = _FILE.search(line)
        if file is not None:
            return _file_use(file["action"], file["path"].strip(), blocks)
    if "todo" in tool.lower() or "## Todo List" in plain:
        return _todo_list(plain)
    if tool.lower() in _SHELL_TOOLS or attributes.get("type") == "shell" or (not tool and _is_command(blocks)):
        return _command_use(plain, blocks, has_outcome=tool not in _CURSOR_SHELLS)
    if tool == "AskUserQuestion":
        return _question_use(tool, plain)
    arguments = _arguments(plain, blocks)
    results = [block for block in blocks if block.label.startswith("Result")]
    output = _output(plain, results or [block for block in blocks if block.label != "Parameters:"])
    if tool == "ask_question":
        arguments = with_answers_of_cursor(arguments, output)
    if not tool or not (arguments or output):
        return None
    return ToolUse(tool, arguments, output, _is_failure(output))


def _first_match(pattern: re.Pattern[str], lines: Sequence[str], group: str) -> str:
    for line in lines:
        found = pattern.search(line)
        if found is not None:
            return found[group]
    return ""


def _arguments(plain: Sequence[str], blocks: Sequence[_CodeBlock]) -> dict[str, Any]:
    for block in blocks:
        if block.label.startswith("Parameters"):
            arguments = parse_object(block.text)
            if arguments:
                return arguments
            break
    inline = _first_match(_TICKS, plain, "inside")
    return {"file_path": inline} if inline else {}


def _output(plain: Sequence[str], blocks: Sequence[_CodeBlock]) -> str:
    reports = [line for line in plain if _ERROR.match(line) or _EXIT.search(line)]
    return "\n".join([*reports, *(block.text for block in blocks)]).strip()


def _split(lines: Sequence[str]) -> tuple[list[str], list[_CodeBlock]]:
    """Return the lines outside code without their markup, and the blocks of code."""
    plain, blocks, inside, language, fence = list[str](), list[_CodeBlock](), list[str](), "", Fence()

    def add_block() -> None:
        blocks.append(_CodeBlock(plain[-1] if plain else "", language, html.unescape("\n".join(inside))))

    for line in lines:
        was_open = fence.is_open
        fence.follow(line)
        if fence.is_open and was_open:
            inside.append(line)
        elif fence.is_open:
            mark = _FENCE.match(line)
            language = mark["language"] if mark else ""
        elif was_open:
            add_block()
            inside = []
        else:
            words = _MARKUP.sub("", line).strip()
            if words:
                plain.append(words)
    if inside:
        add_block()
    return plain, blocks


def _is_command(blocks: Sequence[_CodeBlock]) -> bool:
    """Check for a command and its output, as the first versions for Cursor wrote it."""
    return len(blocks) > 1 and blocks[0].language in _SHELLS and not blocks[1].language


def _command_use(plain: Sequence[str], blocks: Sequence[_CodeBlock], *, has_outcome: bool) -> ToolUse | None:
    if blocks and blocks[0].language in _SHELLS:
        command, blocks = blocks[0].text.strip(), blocks[1:]
    else:
        command = _first_match(_TICKS, plain, "inside")
    if not command:
        return None
    output = _output(plain, blocks)
    failed = _is_failure(output)
    # Cursor gives no exit code, and shows a cancelled command without output: then the outcome is unknown.
    if not has_outcome and not failed and (not output or _TROUBLE.search(output)):
        return None
    return ToolUse("bash", {"command": command}, output, failed)


def _file_use(action: str, path: str, blocks: Sequence[_CodeBlock]) -> ToolUse | None:
    if path == "undefined":
        return None
    if action == "Read":
        return ToolUse("read", {"file_path": path})
    arguments: dict[str, Any] = {"file_path": path}
    if blocks:
        arguments["edits"] = [_edit(block.text) for block in blocks]
    return ToolUse("edit", arguments)


def _edit(diff: str) -> dict[str, str]:
    lines = diff.splitlines()
    old = [line[2:] for line in lines if line.startswith("- ")]
    new = [line[2:] for line in lines if line.startswith("+ ")]
    return {"old_string": "\n".join(old), "new_string": "\n".join(new)}


def _todo_list(plain: Sequence[str]) -> ToolUse | None:
    todos: list[dict[str, str]] = []
    for line in plain:
        task = _TASK.match(line)
        if task is not None:
            status = "completed" if task["mark"] in "xX" else "pending"
            todos.append({"content": task["task"], "status": status})
    return ToolUse("todowrite", {"todos": todos}) if todos else None


def _question_use(tool: str, plain: Sequence[str]) -> ToolUse | None:
    """The answer is written once, after all questions."""
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
    arguments: dict[str, Any] = {"questions": questions}
    if len(questions) == 1:
        arguments["answers"] = {questions[0]["question"]: answer}
    return ToolUse(tool, arguments, answer)


def _is_failure(output: str) -> bool:
    lines = output.splitlines()  # those between are what a command printed, perhaps about another command
    code = _first_match(_EXIT, [*lines[:_HEAD_LINES], *lines[_HEAD_LINES:][-_TAIL_LINES:]], "code")
    return code != "0" if code else bool(_ERROR.match(output))
