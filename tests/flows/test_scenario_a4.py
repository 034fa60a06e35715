"""SCN-A4: what a short prompt finds, one memory at a time, with the real model. Unasked it would get nothing."""

from pathlib import Path

import pytest

from recollect import wiring
from recollect.domain.memory import Kind, Viewer
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, PROJECT, a_draft
from tests.flows.conftest import engine_on
from tests.requirements import covers

LOGIN = ("Login timeout caused by missing await", Kind.ERROR_PATTERN)
JWT = ("JWT vs session tokens decision", Kind.DECISION)
POSTGRES = ("Use PostgreSQL for the database", Kind.DECISION)
CSS = ("CSS styling preferences", Kind.PREFERENCE)


@covers("SCN-A4")
@pytest.mark.parametrize(
    ("prompt", "memory", "finds"),
    [
        ("fix the login bug", LOGIN, True),
        ("add authentication", JWT, True),
        ("fix the login bug", POSTGRES, False),
        ("fix the login bug", CSS, False),
        ("add authentication", POSTGRES, False),
        ("add authentication", CSS, False),
    ],
)
def test_a_short_prompt_finds_what_it_is_about(
    store: SqliteStore, model_folder: Path, prompt: str, memory: tuple[str, Kind], finds: bool
) -> None:
    text, kind = memory
    engine = engine_on(store, model=wiring.Model(model_folder)())
    engine.remember(a_draft(text, kind=kind))
    while engine.embed_some():
        pass
    found = [hit.memory.text for hit in engine.recall(prompt, Viewer(project=PROJECT), limit=None, now=NOW)]
    assert found == ([text] if finds else [])
