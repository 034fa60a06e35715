"""Forgetting memories by id, or all that contain certain words; a dry run only lists them."""

from dataclasses import dataclass

from recollect.api.operation import Operation, OperationContext, Request
from recollect.api.request_scope import viewer_of
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Memory
from recollect.domain.search import Filters, MemoryStatus

MATCHES_AT_MOST = 1000


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
    outcome: str  # nothing matches, would be forgotten, forgotten or gone for good
    memories: list[Memory]
    out_of_sight: int = 0  # more matches that were forgotten or undone before; `now` deletes these too
    is_clean: bool = True  # False: bytes of the deleted data may be left in the file


def forget(desk: OperationContext, asked: Forget) -> Forgotten:
    chosen = list(map(desk.engine.find, asked.ids)) or _matching(desk, asked)
    hidden = 0
    if asked.match and not asked.now:
        visible = [memory for memory in chosen if memory.forgotten_at is None]
        chosen, hidden = visible, len(chosen) - len(visible)
    if not chosen or asked.dry_run:
        outcome = "would be forgotten" if chosen else "nothing matches"
        return Forgotten(outcome=outcome, memories=chosen, out_of_sight=hidden)
    forget_them = desk.engine.forget_now if asked.now else desk.engine.forget
    done = forget_them([memory.id for memory in chosen], at=desk.now, by=asked.by)
    outcome = "gone for good" if done.for_good else "forgotten"
    return Forgotten(outcome=outcome, memories=done.memories, out_of_sight=hidden, is_clean=done.is_clean)


def _matching(desk: OperationContext, asked: Forget) -> list[Memory]:
    from recollect.privacy.visibility import is_of_another_project  # a client of the daemon never loads these
    from recollect.text.query import search_words
    from recollect.text.words import words_of

    words = asked.match or ""
    wanted = set(search_words(words))
    if not wanted:
        raise InvalidValue(f"{words!r} has no word to search for.")
    viewer = viewer_of(desk.engine, asked.folder, asked.project, asked.language)
    # A user who wants something gone wants it gone from the history too.
    also_past = Filters(status=MemoryStatus.ANY)
    hits = desk.engine.recall(words, viewer, limit=MATCHES_AT_MOST, now=desk.now, filters=also_past)
    found = [hit.memory for hit in hits] + desk.engine.hidden_memories(viewer)
    wordings = [(memory, memory) for memory in found] + desk.engine.edits(viewer)
    matching = {}
    for memory, wording in wordings:
        # This project may not forget what another project shares with it.
        if not is_of_another_project(memory, viewer) and wanted <= set(words_of(wording)):
            matching[memory.id] = memory
    return list(matching.values())


FORGET = Operation(
    "forget", "Forgets memories: hidden at once, or deleted for good.", Forget, Forgotten, forget, writes=True
)
