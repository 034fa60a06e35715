"""Editing a memory by hand: its meaning, its tier, and what else was known of it."""

from dataclasses import replace
from datetime import timedelta

import pytest

from recollect.api.edit import EDIT, Edit
from recollect.api.remember import REMEMBER, Remember
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import MAX_PARTS, Mention, MessageId, Role, SessionId, Source, Tier, Viewer
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, PROJECT, a_draft
from tests.driver import Engine
from tests.flows.conftest import engine_on
from tests.vectors import ConceptModel

LATER = NOW + timedelta(hours=1)
READ = Source(role=Role.ASSISTANT, host="opencode", session=SessionId("s1"), message=MessageId("m1"))


def test_the_meaning_is_made_anew_once_the_words_change(store: SqliteStore) -> None:
    engine = engine_on(store, model=ConceptModel())
    known = engine.remember(a_draft("We deploy with Helm.")).memory
    assert engine.embed_some() == 1
    engine.answer(EDIT, Edit(id=known.id, title="Deployment"), at=LATER)
    engine.answer(EDIT, Edit(id=known.id, text="We deploy with Argo."), at=LATER)
    assert engine.embed_some() == 1


def test_an_edited_candidate_is_confirmed_and_remembers_where_it_was_read(engine: Engine) -> None:
    known = engine.remember(
        a_draft("We deploy with Helm.", source=READ, tier=Tier.CANDIDATE, durability=0.4, evidence=("Helm, I guess.",))
    ).memory
    change = Edit(id=known.id, text="We deploy with Argo.", by="cli")
    edited = engine.answer(EDIT, change, at=LATER).outcome.memory
    assert (edited.tier, edited.durability, edited.source) == (Tier.CONFIRMED, 1.0, Source(role=Role.USER, host="cli"))
    assert edited.mentions == (Mention.of(READ, known.created_at),)
    assert edited.evidence == ()
    assert (edited.created_at, edited.seen, edited.use) == (known.created_at, known.seen, known.use)
    engine.undo(None, at=LATER, by="cli")
    assert replace(engine.find(known.id), use=known.use) == known
    assert [memory.id for memory in engine.newest(Viewer(project=PROJECT), limit=5)] == [known.id]


def test_an_edit_keeps_no_more_mentions_than_an_import_takes(engine: Engine) -> None:
    mentions = tuple(Mention(role=Role.USER, at=NOW + timedelta(seconds=n)) for n in range(MAX_PARTS))
    known = engine.remember(a_draft("We deploy with Helm.", source=READ, mentions=mentions)).memory
    edited = engine.answer(EDIT, Edit(id=known.id, text="We deploy with Argo."), at=LATER).outcome.memory
    assert edited.mentions == (Mention.of(READ, known.created_at), *mentions[1:])


def test_a_memory_that_no_search_would_find_is_not_stored(engine: Engine) -> None:
    known = engine.remember(a_draft("We deploy with Helm.")).memory
    for refused in ("session:foo", "galaxy"):
        with pytest.raises(InvalidValue, match=r"universal, language:NAME, project"):
            engine.answer(REMEMBER, Remember(text="We test with pytest.", scope=refused))
        with pytest.raises(InvalidValue, match=r"universal, language:NAME, project"):
            engine.answer(EDIT, Edit(id=known.id, scope=refused))
    assert [memory.text for memory in engine.all_memories()] == ["We deploy with Helm."]
