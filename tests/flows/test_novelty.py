"""What becomes of something that is said, among what is known."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Draft, Kind, Memory, MemoryId, Mention, MessageId, Role, SessionId, Source, Viewer
from recollect.domain.outcome import Contradicts, New, Same, Updates
from recollect.domain.search import Filters
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, PROJECT, a_draft, a_prompt
from tests.driver import Engine
from tests.flows.conftest import engine_on
from tests.requirements import covers

HERE = Viewer(project=PROJECT)
BY_AGENT = Source(role=Role.ASSISTANT, host="opencode")
BY_TOOL = Source(role=Role.TOOL, host="opencode")


def found(engine: Engine, query: str, **filters: Any) -> list[str]:
    hits = engine.recall(query, HERE, limit=10, now=NOW, filters=Filters(**filters))
    return [hit.memory.text for hit in hits]


def said(text: str, days_old: float, **fields: Any) -> Draft:
    return a_draft(text, days_old=days_old, **fields)


@covers("CAP-9")
def test_said_again_in_other_words_it_is_one_memory_that_keeps_both_sources(engine: Engine) -> None:
    first = Source(role=Role.USER, session=SessionId("s1"), message=MessageId("m1"))
    second = Source(role=Role.USER, session=SessionId("s2"), message=MessageId("m7"))
    engine.remember(said("The payments service is owned by Marta.", 9, source=first, importance=1.2))
    outcome = engine.remember(said("Marta owns the payments service", 2, source=second, aliases=("billing",)))
    assert isinstance(outcome, Same)
    memory = outcome.memory
    assert (engine.store.count(), memory.seen, memory.importance) == (1, 2, 1.3)
    assert memory.source == first
    assert memory.mentions == (Mention.of(second, memory.mentions[0].at),)
    assert memory.evidence == ("Marta owns the payments service",)
    assert memory.aliases == ("billing",)


@pytest.mark.parametrize("source", [BY_AGENT, BY_TOOL])
def test_an_echo_of_an_agent_or_a_tool_makes_nothing_more_important(engine: Engine, source: Source) -> None:
    engine.remember(said("The payments service is owned by Marta.", 9))
    again = engine.remember(said("Marta owns the payments service.", 2, source=source)).memory
    assert again.importance == 1.0


@covers("CAP-10")
def test_of_two_that_contradict_each_other_the_newest_is_shown_first(engine: Engine) -> None:
    engine.remember(said("Always use semicolons in TypeScript.", 9, importance=2.0))
    engine.remember(said("Do not use semicolons in TypeScript.", 1, importance=0.1))
    assert found(engine, "semicolons TypeScript")[0] == "Do not use semicolons in TypeScript."
    block = engine.handle(a_prompt("Should I put semicolons in this TypeScript file?")).block
    assert block.index("Do not use") < block.index("Always use")


@covers("CAP-10")
def test_a_changed_value_takes_the_place_of_the_old_one_which_stays_in_the_history(engine: Engine) -> None:
    old = engine.remember(said("The API listens on port 8080.", 40)).memory
    outcome = engine.remember(said("The API listens on port 9090.", 10))
    assert isinstance(outcome, Updates)
    (ended,) = outcome.replaced
    assert (ended.id, ended.superseded_by, ended.valid_to) == (old.id, outcome.memory.id, outcome.memory.valid_from)
    assert found(engine, "API port") == ["The API listens on port 9090."]
    assert found(engine, "API port", as_of=NOW - timedelta(days=20)) == ["The API listens on port 8080."]
    story = engine.history(outcome.memory)
    assert [memory.id for memory in story.before] == [old.id]


@covers("CAP-10")
def test_in_doubt_both_stay_and_what_tells_of_the_change_leads(engine: Engine) -> None:
    engine.remember(said("We keep our feature flags in LaunchDarkly.", 9, importance=2.0))
    outcome = engine.remember(said("We got rid of the pricey LaunchDarkly: feature flags are in a plain file now.", 1))
    assert isinstance(outcome, New)
    first, second = found(engine, "where do we keep feature flags, LaunchDarkly?")
    assert (first[:6], second[:7]) == ("We got", "We keep")


@covers("CAP-10")
def test_an_update_is_undone_as_a_whole(engine: Engine) -> None:
    engine.remember(said("The API listens on port 8080.", 40))
    engine.remember(said("The API listens on port 9090.", 10))
    engine.undo(None, at=NOW, by="test")
    assert found(engine, "API port") == ["The API listens on port 8080."]


def test_a_chain_of_values_is_told_in_order(engine: Engine) -> None:
    texts = [f"The API listens on port {port}." for port in (8080, 9090, 7070)]
    last = [engine.remember(said(text, 30 - 10 * n)).memory for n, text in enumerate(texts)][-1]
    assert [memory.text for memory in engine.history(last).before] == texts[:2]


@covers("CAP-10")
def test_an_unclear_conflict_keeps_both_and_waits_for_a_person(engine: Engine) -> None:
    old = engine.remember(said("Always use semicolons.", 9, kind=Kind.RULE)).memory
    outcome = engine.remember(said("Do not use semicolons.", 1, kind=Kind.RULE))
    assert isinstance(outcome, Contradicts)
    assert [known.id for known in outcome.known] == [old.id]
    assert set(found(engine, "semicolons")) == {"Always use semicolons.", "Do not use semicolons."}
    (case,) = engine.cases()
    assert (case.memory.id, [other.id for other in case.against]) == (outcome.memory.id, [old.id])


@covers("CAP-10")
def test_a_correction_by_the_user_outranks_what_it_contradicts(engine: Engine) -> None:
    engine.remember(said("Always use semicolons.", 9, kind=Kind.RULE))
    outcome = engine.remember(said("Do not use semicolons.", 1, kind=Kind.CORRECTION))
    assert isinstance(outcome, Updates)
    assert found(engine, "semicolons") == ["Do not use semicolons."]


@pytest.mark.parametrize("source", [BY_AGENT, BY_TOOL])
def test_what_an_agent_or_a_tool_says_never_replaces_what_a_person_said(engine: Engine, source: Source) -> None:
    engine.remember(said("The API listens on port 8080.", 40))
    outcome = engine.remember(said("The API listens on port 9090.", 10, source=source))
    assert isinstance(outcome, Contradicts if source is BY_AGENT else New)
    assert "The API listens on port 8080." in found(engine, "API port")


def test_what_was_said_earlier_than_what_holds_goes_into_the_history(engine: Engine) -> None:
    newer = engine.remember(said("The API listens on port 9090.", 10)).memory
    outcome = engine.remember(said("The API listens on port 8080.", 40))
    assert isinstance(outcome, New)
    assert (outcome.memory.superseded_by, outcome.memory.valid_to) == (newer.id, newer.valid_from)
    assert found(engine, "API port") == ["The API listens on port 9090."]


def test_in_a_chain_it_ends_where_the_next_one_began(engine: Engine) -> None:
    second = engine.remember(said("The API listens on port 9090.", 20)).memory
    engine.remember(said("The API listens on port 7070.", 5))
    first = engine.remember(said("The API listens on port 8080.", 40)).memory
    assert (first.superseded_by, first.valid_to) == (second.id, second.valid_from)


def test_what_is_said_in_one_breath_is_a_list(engine: Engine) -> None:
    outcomes = engine.remember_all([said(f"The API listens on port {port}.", 1) for port in (8080, 9090)])
    assert [type(outcome) for outcome in outcomes] == [New, New]


def test_something_of_another_project_or_session_is_not_touched(engine: Engine) -> None:
    engine.remember(said("The API listens on port 8080.", 40, scope="project:other"))
    assert isinstance(engine.remember(said("The API listens on port 9090.", 10)), New)


def test_what_came_from_a_file_with_its_id_is_taken_as_it_is(engine: Engine) -> None:
    engine.remember(said("The API listens on port 8080.", 40))
    _, (outcome,) = engine.bring_back([said("The API listens on port 9090.", 10, id=MemoryId("x1"))], at=NOW, by="test")
    assert isinstance(outcome, New)


def test_a_file_is_read_again_without_reviving_what_was_replaced_since(engine: Engine) -> None:
    drafts = [said("The API listens on port 8080.", 40)]
    engine.bring_back(drafts, at=NOW, by="test")
    engine.remember(said("The API listens on port 9090.", 10))
    _, (outcome,) = engine.bring_back([replace(drafts[0], at=NOW)], at=NOW, by="test")
    assert isinstance(outcome, Same)
    assert found(engine, "API port") == ["The API listens on port 9090."]


def test_a_forgotten_one_is_neither_the_same_nor_contradicted(engine: Engine) -> None:
    old = engine.remember(said("Always use semicolons.", 9)).memory
    engine.forget([old.id], at=NOW, by="test")
    assert isinstance(engine.remember(said("Do not use semicolons.", 1)), New)


def test_an_empty_text_is_refused_and_nothing_is_lost(engine: Engine) -> None:
    with pytest.raises(InvalidValue):
        engine.remember(said("\u200b", 1))
    assert engine.store.count() == 0


PHRASES = st.sampled_from(
    ["Use tabs", "Do not use tabs", "The port is 80", "The port is 81", "We use npm", "We switched from npm to pnpm"]
)


@covers("CAP-9")
@given(st.lists(PHRASES, min_size=1, max_size=6))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_remembering_twice_is_remembering_once(texts: list[str]) -> None:
    def known(times: int) -> list[tuple[str, str, tuple[MemoryId, ...]]]:
        engine = engine_on(SqliteStore(None))
        for number, text in enumerate(texts):
            for again in range(times):
                engine.remember(said(text, 50 - number - again / 100))
        return sorted(map(_state, engine.all_memories()))

    assert known(2) == known(1)


def _state(memory: Memory) -> tuple[str, str, tuple[MemoryId, ...]]:
    return memory.text, memory.superseded_by or "", memory.conflicts
