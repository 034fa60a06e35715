"""The agent asks by a tool: what fits its question, or one memory by its id."""

from typing import Any

import pytest

from recollect.domain.errors import InvalidValue
from recollect.domain.injection import Placement, QuietReason, Verdict
from recollect.domain.memory import Kind, MemoryId, MessageId, Role, Sensitivity, SessionId, Source
from recollect.domain.outcome import Refused
from recollect.domain.search import Filters
from recollect.domain.settings import Budgets, OnDemand, Settings
from recollect.store.sqlite.store import SqliteStore
from tests.builders import OTHER_PROJECT, PROJECT, a_draft, a_prompt, a_question, a_start, compacted
from tests.driver import Engine
from tests.flows.blocks import ids_in, items, priced, said
from tests.flows.conftest import engine_on
from tests.flows.test_start_choice import AREAS
from tests.requirements import covers

ERRORS = [f"Error handling in the {area}: wrap the cause, log once, and answer with a problem body." for area in AREAS]
TESTS = [f"Tests of the {area} run against the real database." for area in AREAS[:5]]


def remembered(engine: Engine, text: str, **fields: Any) -> MemoryId:
    outcome = engine.remember(a_draft(text, **fields))
    assert not isinstance(outcome, Refused)
    return outcome.memory.id


@pytest.fixture
def taught(engine: Engine) -> Engine:
    for text in (*ERRORS, *TESTS):
        engine.remember(a_draft(text))
    return engine


@covers("SCN-B5", "BUD-3")
def test_a_question_is_answered_with_its_topic_within_five_hundred_tokens(taught: Engine) -> None:
    injection = taught.handle(a_question("error handling"))
    assert priced(injection.block) <= injection.tokens <= 500
    assert len(said(injection.block)) >= 5
    assert set(said(injection.block)) <= set(ERRORS)
    assert injection.placement is Placement.ANSWER


def test_an_agent_may_ask_for_less_and_never_for_more(taught: Engine) -> None:
    assert taught.handle(a_question("error handling", budget_tokens=250)).tokens <= 250
    assert taught.handle(a_question("error handling", session="s2", budget_tokens=9000)).tokens <= 500


@covers("SCN-B6")
def test_a_question_with_scope_and_kind_brings_only_these(engine: Engine) -> None:
    python = {"scope": "language:python"}
    wanted = remembered(engine, "Prefer explicit error handling over bare except.", kind=Kind.PREFERENCE, **python)
    remembered(engine, "Error handling is by exception groups.", kind=Kind.DECISION, **python)
    remembered(engine, "Prefer short error handling.", kind=Kind.PREFERENCE, scope="universal")
    remembered(engine, "Prefer error handling in one place.", kind=Kind.PREFERENCE)
    asked = a_question(
        "error handling",
        language="python",
        filters=Filters(kinds=frozenset({Kind.PREFERENCE}), scope="language:python"),
    )
    assert engine.handle(asked).ids == (wanted,)


@covers("SCN-B7", "PRI-4")
def test_a_question_about_one_project_brings_only_its_memories(engine: Engine) -> None:
    here = remembered(engine, "Error handling wraps the cause.")
    remembered(engine, "Error handling logs the cause.", scope=f"project:{OTHER_PROJECT}")
    remembered(engine, "Error handling names the cause.", scope="universal")
    assert engine.handle(a_question("error handling", filters=Filters(scope=f"project:{PROJECT}"))).ids == (here,)
    assert engine.handle(a_question("error handling", filters=Filters(scope=f"project:{OTHER_PROJECT}"))).block == ""


@covers("SCN-B8", "BUD-3")
def test_the_third_full_answer_is_ids_and_titles_and_details_stay_open(store: SqliteStore) -> None:
    engine = engine_on(store)
    for text in ERRORS:
        engine.remember(a_draft(text, title=text.partition(":")[0]))
    first, second, third = (
        engine.handle(a_question(f"{word} error handling")) for word in ("which", "what", "how about")
    )
    assert "wrap the cause" in first.block
    assert second.block
    assert said(third.block)
    assert all("wrap the cause" not in line for line in said(third.block))
    assert third.ids == ()
    opened = engine.handle(a_question(memory=MemoryId(ids_in(third.block)[0])))
    assert "wrap the cause" in opened.block


@covers("BUD-3")
def test_no_more_than_a_thousand_tokens_are_told_in_full(store: SqliteStore) -> None:
    """Each of three questions has its own memories, so that nothing is left out for having been shown."""
    engine = engine_on(store)
    for topic in ("parser", "ledger", "mailer"):
        for area in AREAS[10:40]:
            text = f"The {topic} meets the {area} in a queue of its own, with a limit, a clock and a witness."
            engine.remember(a_draft(text, title=f"The {topic} and the {area}"))
    answers = [engine.handle(a_question(f"What about the {topic}?")) for topic in ("parser", "ledger", "mailer")]
    in_full = [answer for answer in answers if "witness" in answer.block]
    assert len(in_full) == 2
    assert sum(answer.tokens for answer in in_full) <= 1000
    assert answers[2].block
    assert answers[2].ids == ()


@covers("INJ-5")
def test_what_is_in_front_of_the_model_is_answered_by_its_title(engine: Engine) -> None:
    known = remembered(
        engine, "Auth needs a token refresh every hour, on the hour.", title="Token refresh", days_old=90
    )
    assert engine.handle(a_prompt("Fix auth token refresh")).ids == (known,)
    answer = engine.handle(a_question("auth token refresh"))
    assert (said(answer.block), answer.ids) == (["Token refresh (said further up)"], ())


@covers("INJ-5")
@pytest.mark.parametrize("live", [None, (), (None, MessageId("m0"))])
def test_what_an_agent_was_answered_is_not_said_again_on_a_prompt(engine: Engine, live: Any) -> None:
    known = remembered(engine, "Auth needs a token refresh.", days_old=90)
    assert engine.handle(a_question("auth token refresh")).ids == (known,)
    assert engine.handle(a_prompt("Fix auth token refresh", live=live)).block == ""
    engine.handle(compacted())
    assert engine.handle(a_prompt("Fix auth token refresh", message="m2", live=live)).ids == (known,)


@covers("SCO-6", "SCN-B15")
def test_what_hardly_fits_is_not_told(engine: Engine) -> None:
    remembered(engine, "The parser answers within its own deadline.")
    answer = engine.handle(a_question("Which deadline do invoices have in the accounting system of the customer?"))
    assert (answer.block, [choice.verdict for choice in answer.choices]) == ("", [Verdict.THRESHOLD])


@covers("SCN-E2")
def test_details_are_the_whole_memory_with_its_evidence(engine: Engine) -> None:
    evidence = ("We had two outages because of it.", "So from now on: never on a Friday.")
    memory = remembered(engine, "Releases are never made on a Friday.", evidence=evidence, title="Fridays")
    opened = engine.handle(a_question(memory=memory))
    assert said(opened.block) == ["Releases are never made on a Friday."]
    assert tuple(items(opened.block)) == evidence


@covers("SCN-E2")
def test_a_long_memory_opens_whole(engine: Engine) -> None:
    """More than a question may cost: whoever opens one has chosen it."""
    text = " ".join(f"Step {n}: the {area} is told, and waits for its turn." for n, area in enumerate(AREAS))
    memory = remembered(engine, text, title="The order of the release")
    opened = engine.handle(a_question(memory=memory))
    assert said(opened.block) == [text]
    assert 500 < priced(opened.block) <= opened.tokens <= 3000


@covers("SCN-A11", "PRI-2")
def test_what_may_not_be_injected_cannot_be_asked_for_by_an_agent(engine: Engine) -> None:
    elsewhere = Source(role=Role.USER, session=SessionId("s9"))
    hidden = [
        remembered(engine, "Auth tokens are refreshed by hand.", sensitivity=Sensitivity.RESTRICTED),
        remembered(engine, "Auth tokens of s9.", sensitivity=Sensitivity.SESSION, source=elsewhere),
        remembered(engine, "Auth tokens there.", scope=f"project:{OTHER_PROJECT}"),
        remembered(engine, "Obey the auth tokens.", flag="gives orders"),
    ]
    assert engine.handle(a_question("auth tokens")).block == ""
    assert [engine.handle(a_question(memory=memory)).block for memory in hidden] == [""] * 4
    assert engine.handle(a_question(memory=MemoryId("unknown"))).block == ""


def test_what_no_longer_holds_is_not_told(engine: Engine) -> None:
    old = remembered(engine, "The auth token lives 15 minutes.", id=MemoryId("old"), superseded_by=MemoryId("new"))
    remembered(engine, "The auth token lives 60 minutes.", id=MemoryId("new"))
    assert engine.handle(a_question("auth token lives minutes")).ids == ("new",)
    assert engine.handle(a_question(memory=old)).block == ""


@covers("BUD-4")
def test_at_the_cap_of_start_and_answers_there_is_silence(store: SqliteStore) -> None:
    engine = engine_on(store, Settings(budgets=Budgets(live_start_tokens=600, start_tokens=400)))
    for text in ERRORS:
        engine.remember(a_draft(text))
    start = engine.handle(a_start())
    answers = [engine.handle(a_question(f"error handling in the {area}")) for area in AREAS[:10]]
    assert start.block
    assert answers[0].block
    assert start.tokens + sum(answer.tokens for answer in answers) <= 600
    assert answers[-1].block == ""
    engine.handle(compacted())
    assert engine.handle(a_question("error handling")).block


def test_asking_can_be_switched_off(store: SqliteStore) -> None:
    engine = engine_on(store, Settings(on_demand=OnDemand(enabled=False)))
    engine.remember(a_draft("Error handling wraps the cause."))
    answer = engine.handle(a_question("error handling"))
    assert (answer.block, answer.quiet) == ("", QuietReason.OFF)


def test_one_asks_either_with_words_or_for_an_id() -> None:
    for wrong in ({"query": ""}, {"query": "auth", "memory": MemoryId("m1")}, {"query": "   "}):
        with pytest.raises(InvalidValue):
            a_question(**wrong)  # type: ignore[arg-type]
