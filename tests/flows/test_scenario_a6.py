"""A question, and what the agent decided: found again as a decision."""

import pytest

from recollect.domain.event import Event
from recollect.domain.memory import Kind, Tier
from tests.builders import NOW, PROJECT, a_prompt, a_reply, an_end
from tests.driver import Engine
from tests.requirements import covers

ASKED = a_prompt("Should we use JWT or sessions?", message="p1")
DECIDED = a_reply("I decided to use JWT with RS256 because the gateway can check it without a lookup.")
AGREED = a_prompt("sounds good", message="p2")


@covers("SCN-A6")
@pytest.mark.parametrize(
    ("events", "tier"),
    [((ASKED, DECIDED), Tier.CANDIDATE), ((ASKED, DECIDED, AGREED), Tier.CANDIDATE)],
    ids=["decided", "agreed"],
)
def test_what_the_agent_decided_is_found_first(engine: Engine, events: tuple[Event, ...], tier: Tier) -> None:
    for event in (*events, an_end()):
        engine.handle(event)
    while engine.learn_some():
        pass
    first = engine.recall("JWT RS256", engine.viewer(PROJECT), limit=5, now=NOW)[0].memory
    assert (first.kind, first.tier) == (Kind.DECISION, tier)
