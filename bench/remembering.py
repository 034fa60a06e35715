"""Time to compare a new memory with all known ones, and whether it grows with their number."""

from functools import partial
from itertools import islice
from pathlib import Path

from bench.corpus import NOW, drafts
from bench.measure import Times, measure, row
from recollect import wiring
from recollect.domain.changes import ChangeAction
from recollect.domain.settings import Settings
from recollect.engine.memories.compare_draft import compare
from recollect.engine.memories.remember import import_draft
from recollect.engine.memories.teaching import remember_one
from recollect.store.sqlite.store import SqliteStore

SIZES = (1_000, 10_000, 100_000)
STORED, AT_ONCE, ASKED = 10_000, 5_000, 300
NOVELTY_MS = 5


def run(folder: Path) -> None:
    usual: Times | None = None
    for size in SIZES:
        store = SqliteStore(folder / f"known-{size}.db")
        _fill(store, size)
        took = measure(drafts(ASKED, seed=9, projects=1), partial(compare, store))
        usual = usual or took
        row(f"{size:>9,} in one project: comparing a new one", took, usual, target_ms=NOVELTY_MS)
        store.close()
    with wiring.open_engine(lambda _: Settings(), folder / "one-by-one.db") as engine:
        given = list(drafts(STORED, seed=3, projects=1))
        remember = partial(remember_one, engine.context(None, NOW))
        first = measure(given[:1000], remember)
        measure(given[1000:-1000], remember)
        last = measure(given[-1000:], remember)
        row(f"{STORED:>9,} one after another: each of the first thousand", first, first)
        row(f"{STORED:>9,} one after another: each of the last thousand", last, first)


def _fill(store: SqliteStore, size: int) -> None:
    """Store drafts with ids, which are not compared with the known ones."""
    known = drafts(size, projects=1)
    while chunk := list(islice(known, AT_ONCE)):
        with store.transaction():
            deed = store.begin_change(ChangeAction.IMPORT, chunk[0].at, "bench")
            for draft in chunk:
                import_draft(store, draft, deed)
