"""What is still to be done, as the agent's own todo list or plan says it: exact, and no memory.

The last list counts. A plan in prose counts as long as there is no list.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recollect.capture.calls import named
from recollect.capture.patterns import Pattern
from recollect.domain.event import Event, ToolSucceeded

MAX_ITEMS, MAX_ITEM_CHARS = 40, 200
MAX_PLAN_CHARS = 20_000

_LISTS = frozenset({"todowrite", "updateplan", "todo", "writetodos", "updatetodos"})
_PLANS = frozenset({"exitplanmode", "planexit", "submitplan"})
_DONE = frozenset({"completed", "complete", "done", "finished"})
_DROPPED = frozenset({"cancelled", "canceled", "skipped", "deleted"})
_ITEM = Pattern(r"^[ ]{0,3}(?:[-*•]|\d{1,2}[.)])\s+(?:\[(?P<mark>[ xX])\]\s+)?(?P<said>\S.*)$", re.MULTILINE)
_MARKS = Pattern(r"\*\*|`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the agent wrote down that it has to do."""

    open: tuple[str, ...] = ()
    done: tuple[str, ...] = ()


NO_PLAN = Plan()


class Plans:
    """Hears a session; knows its last plan."""

    def __init__(self) -> None:
        self.plan = NO_PLAN
        self._is_list = False

    def hear(self, event: Event) -> None:
        if not isinstance(event, ToolSucceeded):
            return
        tool = named(event.tool)
        if tool in _LISTS and (found := _listed(event.input)) is not None:
            self.plan, self._is_list = found, True
        elif tool in _PLANS and not (self._is_list and self.plan.open) and isinstance(event.input.get("plan"), str):
            self.plan = _told(event.input["plan"][:MAX_PLAN_CHARS])
            self._is_list = False


def _listed(given: Mapping[str, Any]) -> Plan | None:
    items = next((given[name] for name in ("todos", "plan", "items") if isinstance(given.get(name), list)), None)
    if items is None:
        return None
    opened: list[str] = []
    done: list[str] = []
    for item in items[:MAX_ITEMS]:
        if not isinstance(item, Mapping):
            continue
        said = next(
            (item[name] for name in ("content", "step", "text", "title") if isinstance(item.get(name), str)), ""
        )
        status = str(item.get("status", "pending")).lower().replace("-", "_")
        if not said.strip() or status in _DROPPED:
            continue
        (done if status in _DONE else opened).append(_line(said))
    return Plan(open=tuple(opened), done=tuple(done))


def _told(plan: str) -> Plan:
    """The items of a plan; a plan without a list has none."""
    found = list(_ITEM.finditer(plan))[:MAX_ITEMS]
    opened = tuple(_line(item["said"]) for item in found if (item["mark"] or " ") == " ")
    return Plan(open=opened, done=tuple(_line(item["said"]) for item in found if (item["mark"] or " ") in "xX"))


def _line(said: str) -> str:
    line = " ".join(_MARKS.sub("", said).split())
    return line if len(line) <= MAX_ITEM_CHARS else f"{line[: MAX_ITEM_CHARS - 1]}…"
