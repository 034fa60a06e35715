"""Read the open tasks from the agent's own list or plan: exact, and no memory.

The last list counts. A plan in prose counts only without a list, and until the first edit.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from recollect.capture.happened.calls import normalise_tool
from recollect.domain.event import Event, ToolSucceeded
from recollect.text.lazy_pattern import LazyPattern

MAX_ITEMS, MAX_ITEM_CHARS = 40, 200
MAX_PLAN_CHARS = 20_000

_LISTS = frozenset({"todowrite", "updateplan", "todo", "writetodos", "updatetodos"})
_CREATES, _UPDATES = "taskcreate", "taskupdate"
_TASK_NUMBER = LazyPattern(r"#(\d{1,6})\b")
_PLANS = frozenset({"exitplanmode", "planexit", "submitplan"})
_DONE = frozenset({"completed", "complete", "done", "finished"})
_DROPPED = frozenset({"cancelled", "canceled", "skipped", "deleted"})
_ITEM = LazyPattern(r"^[ ]{0,3}(?:[-*•]|\d{1,2}[.)])\s+(?:\[(?P<mark>[ xX])\]\s+)?(?P<said>\S.*)$", re.MULTILINE)
_MARKS = LazyPattern(r"\*\*|`")


class Plans:
    def __init__(self) -> None:
        self._tasks: dict[str, str] = {}  # open tasks, by the id that their tool uses
        self._is_list = False

    @property
    def open(self) -> list[str]:
        return list(self._tasks.values())

    def hear(self, event: Event, *, has_changed: bool = False) -> None:
        """`has_changed`: files were edited. A plan in prose does not say how much of it is done by then."""
        if has_changed and not self._is_list:
            self._tasks = {}
        if not isinstance(event, ToolSucceeded):
            return
        tool, given = normalise_tool(event.tool), event.input
        if tool == _CREATES:
            self._create(str(given.get("subject") or ""), event.output)
        elif tool == _UPDATES:
            if _is_finished(given):
                self._tasks.pop(str(given.get("taskId") or ""), None)
        elif tool in _LISTS:
            items = next((given[key] for key in ("todos", "plan", "items") if isinstance(given.get(key), list)), None)
            if items is not None:
                self._tasks, self._is_list = _number_items(_open_items(items)), True
        elif tool in _PLANS and not (self._is_list and self._tasks) and isinstance(given.get("plan"), str):
            self._tasks, self._is_list = _number_items(_plan_items(given["plan"][:MAX_PLAN_CHARS])), False

    def _create(self, subject: str, output: str) -> None:
        if not self._is_list:
            self._tasks, self._is_list = {}, True
        number = _TASK_NUMBER.search(output[:200])
        if subject.strip() and len(self._tasks) < MAX_ITEMS:
            self._tasks[number[1] if number else str(len(self._tasks) + 1)] = _line(subject)


def _number_items(items: Iterable[str]) -> dict[str, str]:
    return {str(number): item for number, item in enumerate(items, 1)}


def _is_finished(item: Mapping[str, Any]) -> bool:
    return str(item.get("status", "pending")).lower().replace("-", "_") in _DONE | _DROPPED


def _open_items(items: Sequence[Any]) -> Iterator[str]:
    for item in items[:MAX_ITEMS]:
        if isinstance(item, Mapping) and not _is_finished(item):
            texts = (item.get(key) for key in ("content", "step", "text", "title"))
            text = next((text for text in texts if isinstance(text, str)), "")
            if text.strip():
                yield _line(text)


def _plan_items(plan: str) -> Iterator[str]:
    for item in list(_ITEM.finditer(plan))[:MAX_ITEMS]:
        if item["mark"] in (None, " "):
            yield _line(item["said"])


def _line(said: str) -> str:
    line = " ".join(_MARKS.sub("", said).split())
    return line if len(line) <= MAX_ITEM_CHARS else f"{line[: MAX_ITEM_CHARS - 1]}…"
