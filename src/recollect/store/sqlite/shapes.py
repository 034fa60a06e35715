"""The shape of a project's archive, in memory: which turns there are, in which order, of whom. Not what they say."""

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recollect.domain.memory import ProjectId
from recollect.domain.search import Filters, SightedTurns
from recollect.store.sqlite.rows import to_ms
from recollect.text.speakers import SPEAKER_CHARS, speaker_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    Flags = NDArray[np.bool_]
    Reals = NDArray[np.float32]

KEPT = 16  # projects whose shape is kept
_ROWS = f"SELECT n, session, role, at_ms, substr(text, 1, {SPEAKER_CHARS}) AS opening FROM turn WHERE project IS ?"


@dataclass(frozen=True, slots=True)
class Shape:
    """Sorted by session, and by time within it."""

    project: ProjectId | None
    numbers: "Numbers"
    by_number: "Numbers"  # positions, in the order of the numbers
    sessions: "Numbers"
    at_ms: "Numbers"
    from_user: "Flags"
    speakers: "Numbers"  # -1: it does not say
    codes: Mapping[str, int]  # the numbers of sessions and of speakers; these have a colon before them

    def sighted(self, having: Mapping[str, Sequence[int]], filters: Filters) -> SightedTurns:
        """With the positions of the turns that have each word."""
        import numpy as np

        wanted = np.ones(len(self.numbers), np.bool_)
        if filters.since is not None:
            wanted &= self.at_ms >= to_ms(filters.since)
        for end in (filters.until, filters.as_of):
            if end is not None:
                wanted &= self.at_ms < to_ms(end)
        named = [self.codes[f":{word}"] for word in having if f":{word}" in self.codes]
        return SightedTurns(
            project=self.project,
            numbers=self.numbers,
            sessions=self.sessions,
            from_user=self.from_user,
            by_asked=np.isin(self.speakers, np.array(named, np.int64)),
            wanted=wanted,
            having={
                word: _places(self.numbers, self.by_number, np.array(found, np.int64))[0]
                for word, found in having.items()
            },
        )


class Shapes:
    """Thread-safe: a shape is never changed, only replaced."""

    def __init__(self) -> None:
        self._shapes: OrderedDict[ProjectId | None, tuple[tuple[int, int, int], Shape]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, connection: sqlite3.Connection, project: ProjectId | None) -> Shape:
        # Numbers are given again, and turns move to and fro: their count and the last of them do not tell everything.
        state = connection.execute(
            "SELECT count(*), coalesce(max(n), 0), "
            "coalesce((SELECT times FROM turn_change WHERE project = coalesce(:project, '')), 0) "
            "FROM turn WHERE project IS :project",
            {"project": project},
        ).fetchone()
        current = (int(state[0]), int(state[1]), int(state[2]))
        with self._lock:
            known = self._shapes.get(project)
            if known is not None and known[0] == current:
                self._shapes.move_to_end(project)
                return known[1]
        only_grown = known is not None and known[0][2] == current[2]
        shape = _grown(connection, project, known[1], *current[:2]) if known is not None and only_grown else None
        if shape is None:
            shape = _shape(connection.execute(_ROWS, (project,)).fetchall(), project, None)
        with self._lock:
            self._shapes[project] = (current, shape)
            while len(self._shapes) > KEPT:
                self._shapes.popitem(last=False)
        return shape


def _grown(
    connection: sqlite3.Connection, project: ProjectId | None, known: Shape, count: int, last: int
) -> Shape | None:
    """The same with what came since; None: something is gone, and all has to be read again."""
    newest = int(known.numbers.max()) if len(known.numbers) else 0
    if last <= newest:
        return None
    rows = connection.execute(f"{_ROWS} AND n > ?", (project, newest)).fetchall()
    return _shape(rows, project, known) if len(known.numbers) + len(rows) == count else None


def _shape(rows: Sequence[sqlite3.Row], project: ProjectId | None, known: Shape | None) -> Shape:
    import numpy as np

    none = np.zeros(0, np.int64)
    known = known or Shape(project, none, none, none, none, none.astype(np.bool_), none, {})
    codes = dict(known.codes)

    def code(name: str) -> int:
        return codes.setdefault(name, len(codes))

    def joined(before: "Numbers", after: list[int]) -> "Numbers":
        return np.concatenate([before, np.array(after, np.int64)])

    said_by = [speaker_of(row["opening"]) for row in rows]
    numbers = joined(known.numbers, [row["n"] for row in rows])
    sessions = joined(known.sessions, [code(str(row["session"])) for row in rows])
    at_ms = joined(known.at_ms, [row["at_ms"] for row in rows])
    users = joined(known.from_user.astype(np.int64), [row["role"] == "user" for row in rows])
    speakers = joined(known.speakers, [code(f":{who}") if who else -1 for who in said_by])
    order = np.lexsort((numbers, at_ms, sessions))
    return Shape(
        project=project,
        numbers=numbers[order],
        by_number=np.argsort(numbers[order]),
        sessions=sessions[order],
        at_ms=at_ms[order],
        from_user=users[order].astype(np.bool_),
        speakers=speakers[order],
        codes=codes,
    )


def spread(turns: "Numbers", numbers: "Numbers", values: "Reals") -> "Reals":
    """The values at the positions of their turns, NaN elsewhere."""
    import numpy as np

    found = np.full(len(turns), np.nan, np.float32)
    positions, known = _places(turns, np.argsort(turns), numbers)
    found[positions] = values[known]
    return found


def _places(turns: "Numbers", order: "Numbers", numbers: "Numbers") -> tuple["Numbers", "Flags"]:
    """Where these stand among the turns, and which of them stand there at all; `order` sorts the turns."""
    import numpy as np

    if not len(turns) or not len(numbers):
        return np.zeros(0, np.int64), np.zeros(len(numbers), np.bool_)
    at = order[np.minimum(np.searchsorted(turns, numbers, sorter=order), len(order) - 1)]
    known = turns[at] == numbers
    return at[known], known
