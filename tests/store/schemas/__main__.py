"""Write the dump of today's schema: see `tests.store.schemas`."""

import sys
import tempfile
from pathlib import Path

from recollect.domain.changes import ChangeAction
from recollect.domain.memory import ProjectId
from recollect.store.sqlite.migrations import MIGRATIONS
from recollect.store.sqlite.store import SqliteStore
from tests.store.schemas import HERE, contents, dump

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "data" / "recollect.db"
    store = SqliteStore(path)
    for session in (contents.SESSION, contents.FORK):
        store.begin_session(session)
        store.keep_session(session)
    for entry in contents.LOG:  # before the memories, which would count as shown
        store.record(entry)
    store.add_turns(contents.TURNS)
    store.keep_recap(contents.RECAP)
    for event in contents.EVENTS:
        store.put_event(event)
    store.note_aliases(contents.PROJECT, [ProjectId("path:/home/ada/shop")], contents.T)
    said = store.begin_change(ChangeAction.REMEMBER, contents.T, "cli")
    for memory in (contents.EARLIER, contents.PLAIN, contents.PAST, contents.PUBLIC, contents.GONE):
        store.note_memory_change(said, memory.id, None)
        store.add(memory)
    edited = store.begin_change(ChangeAction.EDIT, contents.T + 5 * contents.MINUTE, "cli")
    store.note_memory_change(edited, contents.FULL.id, contents.EARLIER)
    store.update(contents.FULL)
    store.close()
    file = HERE / f"schema-{len(MIGRATIONS):03}.sql"
    file.write_text(dump(path), encoding="utf-8")
    sys.stderr.write(f"wrote {file}\n")
