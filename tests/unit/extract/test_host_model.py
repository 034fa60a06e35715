"""The host's own model: questions wait for a plugin, and answers come when they come."""

from recollect.domain.memory import Role, SessionId
from recollect.domain.session import Turn
from recollect.domain.settings import Extractor as Settings
from recollect.domain.settings import Provider
from recollect.extract.budget import Budget
from recollect.extract.host_model import KEPT, MAX_WAITING, HostModel
from tests.builders import a_turn
from tests.exchanges import MORNING, RULE, Clock, Counted, an_exchange, an_item, answered
from tests.requirements import covers

SETTINGS = Settings(provider=Provider.HOST)


def a_host(per_day: int = 50_000, clock: Clock | None = None) -> HostModel:
    return HostModel(SETTINGS, Budget(Counted(), per_day=per_day), clock or Clock())


def an_exchange_of(session: str, message: str = "m1") -> list[Turn]:
    return [a_turn(f"{RULE} ({message})", session=session, message=message, role=Role.USER)]


@covers("CAP-12")
def test_a_question_waits_for_the_plugin_and_its_answer_brings_candidates() -> None:
    host = a_host()
    assert host.propose(an_exchange()) == []
    (question,) = host.pending()
    assert question.session == "s1"
    assert RULE in question.text
    (proposal,) = host.answered(question.id, answered(an_item()), tokens=900)
    assert proposal.role is Role.USER
    assert host.state.spent_tokens == 900
    assert host.state.problem is None


def test_a_question_is_handed_out_once_and_answered_once() -> None:
    host = a_host()
    host.propose(an_exchange())
    (question,) = host.pending(limit=5)
    assert host.pending(limit=5) == []
    assert len(host.answered(question.id, answered(an_item()))) == 1
    assert host.answered(question.id, answered(an_item())) == []


def test_an_answer_to_what_was_not_asked_brings_nothing() -> None:
    host = a_host()
    host.propose(an_exchange())
    assert host.answered("made up", answered(an_item())) == []


def test_an_answer_to_a_question_that_nobody_fetched_brings_nothing_and_the_question_stays() -> None:
    host = a_host()
    host.propose(an_exchange())
    known = a_host()
    known.propose(an_exchange())
    (same,) = known.pending()  # who knows the exchange can work out the id
    assert host.answered(same.id, answered(an_item())) == []
    assert [question.id for question in host.pending()] == [same.id]


def test_a_plugin_gets_the_questions_of_its_session_the_newest_first() -> None:
    host = a_host()
    for session, message in (("a", "m1"), ("b", "m1"), ("a", "m2")):
        host.propose(an_exchange_of(session, message))
    assert ["(m2)" in question.text for question in host.pending(session=SessionId("a"), limit=9)] == [True, False]
    assert [question.session for question in host.pending(limit=9)] == ["b"]


def test_the_queue_is_bounded_and_drives_out_the_oldest() -> None:
    host = a_host(per_day=10**6)
    for number in range(3 * MAX_WAITING):
        host.propose(an_exchange_of("s", f"m{number}"))
    waiting = host.pending(limit=1000)
    assert len(waiting) == MAX_WAITING
    assert f"(m{3 * MAX_WAITING - 1})" in waiting[0].text


def test_what_waits_too_long_is_dropped() -> None:
    clock = Clock()
    host = a_host(clock=clock)
    host.propose(an_exchange())
    clock.passes(seconds=KEPT.total_seconds() + 1)
    assert host.pending() == []


def test_beyond_the_tokens_of_the_day_nothing_is_handed_out() -> None:
    host = a_host(per_day=100)
    host.propose(an_exchange())
    assert host.pending() == []
    assert host.state.problem == "the tokens of today do not suffice for another question"
    assert host.state.spent_tokens == 0


def test_garbage_of_the_host_brings_nothing_and_is_told() -> None:
    host = a_host()
    host.propose(an_exchange())
    (question,) = host.pending()
    assert host.answered(question.id, "Sure! I will remember that.") == []
    assert host.state.problem == "its answer is not the JSON list that it was asked for"


def test_a_short_exchange_is_not_worth_a_question() -> None:
    host = a_host()
    host.propose([a_turn("go on", at=MORNING)])
    assert host.pending() == []
