"""The injection log for whoever asks afterwards: which session, what was sent in it, and what it came to."""

import pytest

from recollect.api.feedback import FEEDBACK, Feedback
from recollect.domain.errors import InvalidValue
from recollect.domain.injection import Moment, Verdict
from recollect.domain.memory import Kind, MemoryId, SessionId
from recollect.engine.moments import sent_log
from tests.builders import NOW, OTHER_PROJECT, PROJECT, a_draft, a_prompt, a_start
from tests.driver import Engine
from tests.requirements import covers

ASKS = "How do we deploy with Helm?"


@pytest.fixture
def used(engine: Engine) -> Engine:
    """A session: a start that shows nothing, a prompt that does, one that gets nothing new, one that asks nothing."""
    engine.handle(a_start())
    engine.remember(a_draft("We deploy with Helm.", id=MemoryId("helm")))
    for message, text in (("m1", ASKS), ("m2", ASKS), ("m3", "go on")):
        engine.handle(a_prompt(text, message=message))
    return engine


@covers("INJ-11")
def test_the_log_of_a_session_has_every_moment_with_its_reasons(used: Engine) -> None:
    log = used.log.entries(SessionId("s1"))
    assert [(sent.point, sent.message) for sent in log] == [
        (Moment.START, None),
        (Moment.PROMPT, "m1"),
        (Moment.PROMPT, "m2"),
        (Moment.PROMPT, "m3"),
    ]
    assert [choice.verdict for sent in log for choice in sent.injection.choices] == [Verdict.SHOWN, Verdict.LIVE]
    assert log[3].injection.quiet == "idle"
    assert log[1].injection.budget_tokens >= log[1].injection.tokens > 0
    assert log[1].injection.relevance == log[1].injection.choices[0].relevance


def test_the_last_session_is_that_of_the_project_or_of_all(used: Engine) -> None:
    used.handle(a_start("s2", project=OTHER_PROJECT, at=NOW.replace(hour=10)))
    here, everywhere = used.log.last_session(PROJECT), used.log.last_session()
    assert here is not None
    assert everywhere is not None
    assert (here.id, everywhere.id) == ("s1", "s2")


def test_a_session_is_found_by_its_id_or_the_beginning_of_it(used: Engine) -> None:
    for session in ("ses_abc", "ses_abd", "ses_x"):
        used.handle(a_start(session))
    found = [used.log.find(name) for name in ("s1", "ses_x", "ses_abc")]
    assert [session.id for session in found if session] == ["s1", "ses_x", "ses_abc"]
    assert used.log.find("ses_y") is None
    assert used.log.find("s") is None  # it could be almost any
    with pytest.raises(InvalidValue, match=r"ses_abc, ses_abd\. Give more"):
        used.log.find("ses_a")


def test_memories_are_as_they_are_now_and_what_is_forgotten_is_not_among_them(used: Engine) -> None:
    asked = [MemoryId("helm"), MemoryId("never")]
    assert [memory.text for memory in used.log.memories(asked).values()] == ["We deploy with Helm."]
    used.forget([MemoryId("helm")], at=NOW, by="test")
    assert used.log.memories(asked) == {}


def test_usage_is_counted_by_moment(used: Engine) -> None:
    start, prompt = used.log.usage()
    assert (start.point, start.injections, start.blocks) == (Moment.START, 1, 0)
    assert (prompt.point, prompt.injections, prompt.blocks, prompt.memories) == (Moment.PROMPT, 3, 1, 1)
    assert used.log.usage(SessionId("s1")) == used.log.usage()
    assert used.log.usage(SessionId("other")) == []


def test_a_persons_word_is_counted_and_taken_back_by_the_opposite(used: Engine) -> None:
    helm = MemoryId("helm")
    used.answer(FEEDBACK, Feedback(ids=(helm,), useful=True))
    used.answer(FEEDBACK, Feedback(ids=(helm,), useful=True))
    used.answer(FEEDBACK, Feedback(ids=(helm,), useful=False))
    assert used.find("helm").use.feedback == 1


def test_what_was_offered_counts_as_shown_only_when_it_was_delivered(engine: Engine) -> None:
    engine.remember(a_draft("We deploy with Helm to GKE.", kind=Kind.DECISION))
    asked = "How do we deploy with Helm to GKE?"
    late = engine.handle(a_prompt(asked, message="m1", offered=True))
    assert "Helm" in late.block
    again = engine.handle(a_prompt(asked, message="m2", offered=True))
    assert again.ids == late.ids, "nobody has seen it"
    sent_log.confirm_delivery(engine.store, again)
    assert not engine.handle(a_prompt(asked, message="m3", offered=True)).block
    assert engine.find(again.ids[0]).use.shown == 1
    sent_log.confirm_delivery(
        engine.store, engine.handle(a_prompt(asked, message="m1", offered=True))
    )  # asked again, and heard this time
    assert engine.find(again.ids[0]).use.shown == 2
