"""The user's feedback on shown memories: useful or not."""

from dataclasses import dataclass

from recollect.api.operation import Operation, Request, check_ids
from recollect.domain.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback(Request):
    ids: tuple[str, ...]  # or the beginnings of ids
    useful: bool

    def __post_init__(self) -> None:
        check_ids(self.ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    memories: list[Memory]  # as they are now


FEEDBACK = Operation("feedback", "Records whether memories were useful.", Feedback, Judged, writes=True)
