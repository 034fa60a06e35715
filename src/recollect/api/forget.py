"""Forgetting memories by id, or all that contain certain words; a dry run only lists them."""

from dataclasses import dataclass

from recollect.api.operation import Operation, Request
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Memory
from recollect.domain.outcome import NoMatch, Removal


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget(Request):
    ids: tuple[str, ...] = ()  # or the beginnings of ids
    match: str | None = None  # instead of ids: all that contain every one of these words, past ones too
    project: str | None = None  # for `match`; None: the folder's project
    language: str | None = None  # for `match`
    now: bool = False  # delete for good at once; cannot be undone
    dry_run: bool = False  # only say what would be forgotten

    def __post_init__(self) -> None:
        if bool(self.ids) == bool(self.match):
            raise InvalidValue("Give either `ids` or `match`, the words that the memories contain.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    outcome: NoMatch | Removal
    memories: list[Memory]
    out_of_sight: int = 0  # more matches that were forgotten or undone before; `now` deletes these too


FORGET = Operation("forget", "Forgets memories: hidden at once, or deleted for good.", Forget, Forgotten, writes=True)
