"""A person's word on what was shown: it helped, or it did not."""

from dataclasses import dataclass

from recollect.api.operation import Desk, Operation, Request
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback(Request):
    ids: tuple[str, ...]  # or their beginnings
    useful: bool

    def __post_init__(self) -> None:
        if not self.ids:
            raise InvalidValue("The `ids` are missing: say which memories are meant.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    memories: list[Memory]  # as they are now


def feedback(desk: Desk, asked: Feedback) -> Judged:
    found = list(dict.fromkeys(desk.engine.find(given).id for given in asked.ids))
    desk.engine.feedback(found, useful=asked.useful)
    return Judged(memories=[desk.engine.find(memory_id) for memory_id in found])


FEEDBACK = Operation("feedback", "Says whether memories helped.", Feedback, Judged, feedback, writes=True)
