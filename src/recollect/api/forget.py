"""Forgetting: named memories, or all that have certain words; on request only what that would be."""

from dataclasses import dataclass

from recollect.api.operation import Desk, Operation, Request
from recollect.api.places import viewer_of
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Memory
from recollect.domain.search import Filters, MemoryStatus

MATCHES_AT_MOST = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget(Request):
    ids: tuple[str, ...] = ()  # or the beginnings of them
    match: str | None = None  # instead of ids: all that have every one of these words, also what no longer holds
    project: str | None = None  # for `match`; None: that of the folder
    language: str | None = None  # for `match`
    now: bool = False  # gone for good at once; cannot be undone
    dry_run: bool = False  # only say what would be forgotten

    def __post_init__(self) -> None:
        if bool(self.ids) == bool(self.match):
            raise InvalidValue("Name the memories by their `ids`, or by the words that they `match`.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    outcome: str  # nothing matches, would be forgotten, forgotten or gone for good
    memories: list[Memory]
    out_of_sight: int = 0  # so many more match that were forgotten or undone before; with `now` these are gone, too
    is_clean: bool = True  # no byte is left of what should be gone


def forget(desk: Desk, asked: Forget) -> Forgotten:
    chosen = [desk.engine.find(given) for given in asked.ids] or _matching(desk, asked)
    hidden = [memory for memory in chosen if memory.forgotten_at is not None] if asked.match and not asked.now else []
    chosen = [memory for memory in chosen if memory not in hidden]
    if not chosen or asked.dry_run:
        outcome = "would be forgotten" if chosen else "nothing matches"
        return Forgotten(outcome=outcome, memories=chosen, out_of_sight=len(hidden))
    forget_them = desk.engine.forget_now if asked.now else desk.engine.forget
    done = forget_them([memory.id for memory in chosen], at=desk.now, by=asked.by)
    outcome = "gone for good" if done.for_good else "forgotten"
    return Forgotten(outcome=outcome, memories=done.memories, out_of_sight=len(hidden), is_clean=done.is_clean)


def _matching(desk: Desk, asked: Forget) -> list[Memory]:
    from recollect.privacy.visibility import is_of_another_project  # whoever asks the daemon does without
    from recollect.text.query import search_words
    from recollect.text.words import words_of

    words = asked.match or ""
    wanted = set(search_words(words))
    if not wanted:
        raise InvalidValue(f"There is no word to look for in {words!r}.")
    viewer = viewer_of(desk.engine, asked.folder, asked.project, asked.language)
    # Whoever wants something gone wants it gone from the history too.
    also_past = Filters(status=MemoryStatus.ANY)
    hits = desk.engine.recall(words, viewer, limit=MATCHES_AT_MOST, now=desk.now, filters=also_past)
    found = [(memory, memory) for memory in (*(hit.memory for hit in hits), *desk.engine.out_of_sight(viewer))]
    found += desk.engine.edited(viewer)
    # What another project shares with this one is not this one's to forget.
    own = [(memory, wording) for memory, wording in found if not is_of_another_project(memory, viewer)]
    matching = {memory.id: memory for memory, wording in own if wanted <= set(words_of(wording))}
    return list(matching.values())


FORGET = Operation(
    "forget", "Forgets memories: out of sight at once, or gone for good.", Forget, Forgotten, forget, writes=True
)
