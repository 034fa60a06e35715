"""Editing a memory by hand: its meaning, its tier, and what else was known of it."""

from dataclasses import replace
from datetime import timedelta

from recollect.domain.changes import Wording
from recollect.domain.memory import MessageId, Role, SessionId, Source, Tier, Viewer
from recollect.engine.engine import Engine
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, PROJECT, a_draft
from tests.flows.conftest import engine_on
from tests.vectors import ConceptModel

LATER = NOW + timedelta(hours=1)
READ = Source(role=Role.ASSISTANT, host="opencode", session=SessionId("s1"), message=MessageId("m1"))


def test_the_meaning_is_made_anew_once_the_words_change(store: SqliteStore) -> None:
    engine = engine_on(store, model=ConceptModel())
    known = engine.remember(a_draft("We deploy with Helm.")).memory
    assert engine.embed_some() == 1
    engine.edit(known.id, Wording(title="Deployment"), at=LATER, by="cli")
    engine.edit(known.id, Wording(text="We deploy with Argo."), at=LATER, by="cli")
    assert engine.embed_some() == 1


def test_an_edited_candidate_is_confirmed_and_remembers_where_it_was_read(engine: Engine) -> None:
    known = engine.remember(
        a_draft("We deploy with Helm.", source=READ, tier=Tier.CANDIDATE, durability=0.4, evidence=("Helm, I guess.",))
    ).memory
    edited = engine.edit(known.id, Wording(text="We deploy with Argo."), at=LATER, by="cli").memory
    assert (edited.tier, edited.durability, edited.source) == (Tier.CONFIRMED, 1.0, Source(role=Role.USER, host="cli"))
    assert [mention.source for mention in edited.mentions] == [READ]
    assert edited.evidence == ()
    assert (edited.created_at, edited.seen, edited.use) == (known.created_at, known.seen, known.use)
    engine.undo(None, at=LATER, by="cli")
    assert replace(engine.find(known.id), use=known.use) == known
    assert [memory.id for memory in engine.newest(Viewer(project=PROJECT), limit=5)] == [known.id]
