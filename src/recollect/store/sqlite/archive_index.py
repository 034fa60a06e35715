"""The shape of a project's archive, in memory: its turns, their order and speakers, without their texts."""

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from recollect.domain.memory import ProjectId, SessionId
from recollect.domain.search import Filters, TurnMatches
from recollect.store.sqlite.rows import to_ms
from recollect.text.passages import SPEAKER_CHARS, speaker_of

if TYPE_CHECKING:
    from recollect.domain.search import Flags, Numbers, Reals

MAX_PROJECTS = 16  # in memory
MAX_QUOTABLE = 5_000  # turns of one project
_ROWS = f"""
    SELECT n, session, role, at_ms, substr(text, 1, {SPEAKER_CHARS}) AS opening,
        role = 'user' AND substr(rtrim(text, ' ' || char(9, 10, 13)), -1) IN ('?', '？') AS asks
    FROM turn WHERE
"""


@dataclass(frozen=True, slots=True)
class ArchiveShape:
    """Sorted by session, and by time within it."""

    project: ProjectId | None
    numbers: "Numbers"
    by_number: "Numbers"  # positions, in the order of the numbers
    sessions: "Numbers"
    at_ms: "Numbers"
    from_user: "Flags"
    asks: "Flags"  # a user's turn that ends with a question
    speakers: "Numbers"  # -1: unknown
    codes: Mapping[str, int]  # numbers of sessions and speakers; a speaker has a colon before the name

    @property
    def first_quotable(self) -> int:
        """In a very long archive, only the newest turns are quoted unasked, because a prompt waits for it."""
        if len(self.numbers) <= MAX_QUOTABLE:
            return 0
        return int(self.numbers[self.by_number[-MAX_QUOTABLE]])

    def only_quotable(self, running: Collection[SessionId]) -> "ArchiveShape":
        """Leave out these sessions, and questions without an answer."""
        import numpy as np

        codes = [self.codes[session] for session in running if session in self.codes]
        has_answer = np.zeros(len(self.numbers), np.bool_)
        has_answer[:-1] = (self.sessions[1:] == self.sessions[:-1]) & ~self.from_user[1:]
        kept = ~np.isin(self.sessions, np.array(codes, np.int64)) & (has_answer | ~self.asks)
        kept &= self.numbers >= self.first_quotable
        if kept.all():
            return self
        new_positions = np.cumsum(kept) - 1
        return replace(
            self,
            numbers=self.numbers[kept],
            by_number=new_positions[self.by_number[kept[self.by_number]]],
            sessions=self.sessions[kept],
            at_ms=self.at_ms[kept],
            from_user=self.from_user[kept],
            asks=self.asks[kept],
            speakers=self.speakers[kept],
        )

    def match_words(self, having: Mapping[str, Sequence[int]], filters: Filters, *, first: int = 0) -> TurnMatches:
        """Return the positions of the turns that have each word, and which turns pass the filters."""
        import numpy as np

        wanted = np.ones(len(self.numbers), np.bool_)
        if filters.since is not None:
            wanted &= self.at_ms >= to_ms(filters.since)
        for end in (filters.until, filters.as_of):
            if end is not None:
                wanted &= self.at_ms < to_ms(end)
        speakers = [self.codes[f":{word}"] for word in having if f":{word}" in self.codes]
        positions: dict[str, Numbers] = {}
        for word, numbers in having.items():
            positions[word], _ = _positions(self.numbers, self.by_number, np.array(numbers, np.int64))
        return TurnMatches(
            project=self.project,
            numbers=self.numbers,
            sessions=self.sessions,
            at_ms=self.at_ms,
            from_user=self.from_user,
            by_named_speaker=np.isin(self.speakers, np.array(speakers, np.int64)),
            passes_filters=wanted,
            first_number=first,
            positions_by_word=positions,
        )


ERASED_PROJECTS = "\t"  # counts projects whose own counters were erased; no project has this id


class ArchiveIndex:
    """Thread-safe: a shape is never changed, only replaced."""

    def __init__(self) -> None:
        self._shapes: OrderedDict[ProjectId | None, tuple[tuple[int, tuple[int, int]], ArchiveShape]] = OrderedDict()
        self._lock = threading.Lock()

    def shape_of(self, connection: sqlite3.Connection, project: ProjectId | None) -> ArchiveShape:
        # A number is reused only after its turn was deleted; deletions and moves are counted.
        state = connection.execute(
            "SELECT coalesce((SELECT max(n) FROM turn), 0), "
            "coalesce((SELECT times FROM turn_change WHERE project = coalesce(:project, '')), 0), "
            "coalesce((SELECT times FROM turn_change WHERE project = :erased), 0)",
            {"project": project, "erased": ERASED_PROJECTS},
        ).fetchone()
        current = (int(state[0]), (int(state[1]), int(state[2])))  # the last turn, and the counts of changes
        with self._lock:
            known = self._shapes.get(project)
            if known is not None and known[0] == current:
                self._shapes.move_to_end(project)
                return known[1]
        if known is not None and known[0][1] == current[1]:
            shape = _extend(connection, project, known[1], known[0][0])
        else:
            rows = connection.execute(f"{_ROWS} project IS ?", (project,)).fetchall()
            shape = _with_rows(_empty_shape(project), rows)
        with self._lock:
            self._shapes[project] = (current, shape)
            while len(self._shapes) > MAX_PROJECTS:
                self._shapes.popitem(last=False)
        return shape


def _extend(connection: sqlite3.Connection, project: ProjectId | None, known: ArchiveShape, last: int) -> ArchiveShape:
    """Add the turns since then, most of which may belong to other projects."""
    # The plus keeps SQLite from using the index over projects: the few last rows are found by their numbers.
    rows = connection.execute(f"{_ROWS} n > ? AND +project IS ?", (last, project)).fetchall()
    return _with_rows(known, rows) if rows else known


def _empty_shape(project: ProjectId | None) -> ArchiveShape:
    import numpy as np

    numbers = np.zeros(0, np.int64)
    flags = np.zeros(0, np.bool_)
    return ArchiveShape(project, numbers, numbers, numbers, numbers, flags, flags, numbers, {})


def _with_rows(known: ArchiveShape, rows: Sequence[sqlite3.Row]) -> ArchiveShape:
    import numpy as np

    codes = dict(known.codes)

    def code(name: str) -> int:
        return codes.setdefault(name, len(codes))

    def append(before: "Numbers", after: list[int]) -> "Numbers":
        return np.concatenate([before, np.array(after, np.int64)])

    numbers = append(known.numbers, [row["n"] for row in rows])
    sessions = append(known.sessions, [code(str(row["session"])) for row in rows])
    at_ms = append(known.at_ms, [row["at_ms"] for row in rows])
    from_user = append(known.from_user.astype(np.int64), [row["role"] == "user" for row in rows])
    asks = append(known.asks.astype(np.int64), [row["asks"] for row in rows])
    speakers = []
    for row in rows:
        speaker = speaker_of(row["opening"])
        speakers.append(code(f":{speaker}") if speaker else -1)
    order = np.lexsort((numbers, at_ms, sessions))
    return ArchiveShape(
        project=known.project,
        numbers=numbers[order],
        by_number=np.argsort(numbers[order]),
        sessions=sessions[order],
        at_ms=at_ms[order],
        from_user=from_user[order].astype(np.bool_),
        asks=asks[order].astype(np.bool_),
        speakers=append(known.speakers, speakers)[order],
        codes=codes,
    )


def spread(turns: "Numbers", numbers: "Numbers", values: "Reals") -> "Reals":
    """Put the values at the positions of their turns, NaN elsewhere."""
    import numpy as np

    found = np.full(len(turns), np.nan, np.float32)
    positions, known = _positions(turns, np.argsort(turns), numbers)
    found[positions] = values[known]
    return found


def _positions(turns: "Numbers", order: "Numbers", numbers: "Numbers") -> tuple["Numbers", "Flags"]:
    """Return the positions of these among the turns, and which of them are there; `order` sorts the turns."""
    import numpy as np

    if not len(turns) or not len(numbers):
        return np.zeros(0, np.int64), np.zeros(len(numbers), np.bool_)
    at = order[np.minimum(np.searchsorted(turns, numbers, sorter=order), len(order) - 1)]
    known = turns[at] == numbers
    return at[known], known
