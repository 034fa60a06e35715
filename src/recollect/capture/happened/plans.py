"""The tasks that are still open, as the agent's own list or plan says: exact, and no memory.

The last list counts. A plan in prose counts as long as there is no list, and nothing is done yet.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from recollect.capture.happened.calls import normalise_tool
from recollect.capture.patterns import LazyPattern
from recollect.domain.event import Event, ToolSucceeded

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
    """Hears a session; knows what its last list of tasks leaves open."""

    def __init__(self) -> None:
        self._tasks: dict[str, str] = {}  # what is open, by the name that its tool knows it by
        self._is_list = False

    @property
    def open(self) -> list[str]:
        return list(self._tasks.values())

    def hear(self, event: Event, *, has_changed: bool = False) -> None:
        """`has_changed`: files. A plan in prose that is being worked off does not say how far."""
        if has_changed and not self._is_list:
            self._tasks = {}
        if not isinstance(event, ToolSucceeded):
            return
        tool, given = normalise_tool(event.tool), event.input
        if tool == _CREATES:
            self._create(str(given.get("subject") or ""), event.output)
        elif tool == _UPDATES:
            self._update(str(given.get("taskId") or ""), _status(given))
        elif tool in _LISTS and (found := _open_items(given)) is not None:
            self._tasks, self._is_list = dict(_number_items(found)), True
        elif tool in _PLANS and not (self._is_list and self._tasks) and isinstance(given.get("plan"), str):
            self._tasks, self._is_list = dict(_number_items(_plan_items(given["plan"][:MAX_PLAN_CHARS]))), False

    def _create(self, subject: str, output: str) -> None:
        if not self._is_list:
            self._tasks, self._is_list = {}, True
        number = _TASK_NUMBER.search(output[:200])
        if subject.strip() and len(self._tasks) < MAX_ITEMS:
            self._tasks[number[1] if number else str(len(self._tasks) + 1)] = _line(subject)

    def _update(self, task: str, status: str) -> None:
        if status in _DONE | _DROPPED:
            self._tasks.pop(task, None)


def _number_items(items: Iterable[str]) -> Iterator[tuple[str, str]]:
    return ((str(number), item) for number, item in enumerate(items, 1))


def _status(given: Mapping[str, Any]) -> str:
    return str(given.get("status", "pending")).lower().replace("-", "_")


def _open_items(given: Mapping[str, Any]) -> list[str] | None:
    """The open ones; None: this is no list."""
    items = next((given[name] for name in ("todos", "plan", "items") if isinstance(given.get(name), list)), None)
    if items is None:
        return None
    left = [item for item in items[:MAX_ITEMS] if isinstance(item, Mapping) and _status(item) not in _DONE | _DROPPED]
    names = ("content", "step", "text", "title")
    said = (next((item[name] for name in names if isinstance(item.get(name), str)), "") for item in left)
    return [_line(one) for one in said if one.strip()]


def _plan_items(plan: str) -> list[str]:
    """The items of a plan; a plan without a list has none."""
    found = list(_ITEM.finditer(plan))[:MAX_ITEMS]
    return [_line(item["said"]) for item in found if (item["mark"] or " ") == " "]


def _line(said: str) -> str:
    line = " ".join(_MARKS.sub("", said).split())
    return line if len(line) <= MAX_ITEM_CHARS else f"{line[: MAX_ITEM_CHARS - 1]}…"
