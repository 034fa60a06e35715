"""What the user has just said is in front of the model: it is no news from earlier sessions."""

from datetime import timedelta

import pytest

from recollect.domain.event import StartSource
from recollect.domain.memory import Kind, Role, SessionId, Source
from recollect.domain.settings import InjectSettings, Settings, TurnPlacement
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, a_draft, a_failure, a_prompt, a_reply, a_start, compacted
from tests.driver import Engine
from tests.flows.conftest import engine_on
from tests.requirements import covers

RULE = "Always deploy the billing service with Helm to GKE, never with kubectl."
ASKS = "How do we deploy the billing service?"
LATER = NOW + timedelta(minutes=5)


def said(engine: Engine, session: str = "s1") -> None:
    engine.handle(a_prompt(f"Remember: {RULE}", session=session, message="m0"))
    engine.handle(a_reply("Understood.", session=session))
    while engine.learn_some():
        pass


@covers("INJ-5")
@pytest.mark.parametrize("placing", list(TurnPlacement))
def test_what_the_user_confirmed_is_told_to_every_session_but_this_one(
    store: SqliteStore, placing: TurnPlacement
) -> None:
    engine = engine_on(store, Settings(inject=InjectSettings(placement=placing)))
    engine.handle(a_start())
    said(engine)
    assert engine.handle(a_prompt(ASKS, at=LATER)).block == ""
    assert RULE in engine.handle(a_prompt(ASKS, session="s2", at=LATER)).block
    assert RULE in engine.handle(a_start("s3", at=LATER)).block


def test_a_start_that_comes_after_the_first_prompt_does_not_repeat_it(engine: Engine) -> None:
    said(engine)
    assert engine.handle(a_start(at=LATER)).block == ""


@pytest.mark.parametrize("source", [StartSource.COMPACT, StartSource.CLEAR])
def test_once_a_summary_has_taken_it_it_is_told(engine: Engine, source: StartSource) -> None:
    engine.handle(a_start())
    said(engine)
    engine.handle(compacted(at=LATER))
    assert RULE in engine.handle(a_start(source=source, at=LATER + timedelta(seconds=1))).block


def test_a_known_rule_that_the_user_says_again_is_not_told_back(engine: Engine) -> None:
    engine.remember(a_draft(RULE, kind=Kind.RULE))
    said(engine)
    assert engine.handle(a_prompt(ASKS, at=LATER)).block == ""


def test_a_copy_of_the_session_has_heard_it_and_an_agent_that_it_started_has_not(engine: Engine) -> None:
    engine.handle(a_start())
    said(engine)
    engine.handle(a_start("fork", source=StartSource.FORK, parent=SessionId("s1"), at=LATER))
    assert engine.handle(a_prompt(ASKS, session="fork", message="f1", at=LATER)).block == ""
    assert RULE in engine.handle(a_start("agent", parent=SessionId("s1"), at=LATER)).block


def test_a_fix_that_is_proven_is_told_at_the_error_all_the_same(engine: Engine) -> None:
    error = "PoolTimeoutError: no connection in pool after 30 s"
    source = Source(role=Role.USER, session=SessionId("s1"))
    engine.handle(a_start())
    engine.remember(a_draft(f"{error}: raise pool_size in db.toml.", kind=Kind.ERROR_PATTERN, source=source))
    assert engine.handle(a_failure(error, at=LATER)).ids
