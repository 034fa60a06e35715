"""The user's feedback on shown memories: useful or not."""

from dataclasses import dataclass

from recollect.api.operation import Operation, OperationContext, Request
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback(Request):
    ids: tuple[str, ...]  # or the beginnings of ids
    useful: bool

    def __post_init__(self) -> None:
        if not self.ids:
            raise InvalidValue("`ids` is missing: name the memories.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    memories: list[Memory]  # as they are now


def feedback(desk: OperationContext, asked: Feedback) -> Judged:
    found = list(dict.fromkeys(desk.engine.find(given).id for given in asked.ids))
    desk.engine.note_feedback(found, useful=asked.useful)
    return Judged(memories=list(map(desk.engine.find, found)))


FEEDBACK = Operation("feedback", "Records whether memories were useful.", Feedback, Judged, feedback, writes=True)
