"""The host's own model: a plugin fetches one question about a session, and brings the answer."""

from recollect.domain.extraction import Question
from recollect.domain.learning import Origin, Proposal
from recollect.domain.memory import Role, SessionId, Tier
from recollect.domain.session import Session, Turn
from recollect.domain.settings import ExtractorSettings as Settings
from recollect.domain.settings import Provider
from recollect.extract.budget import Budget
from recollect.extract.host_model import QUESTION_LIFETIME, HostModel
from tests.builders import a_turn
from tests.exchanges import FIX, MORNING, RULE, Clock, Counted, an_item, answered
from tests.requirements import covers

SETTINGS = Settings(provider=Provider.HOST)
SESSION = Session(id=SessionId("s1"), host="test", project=None, language=None, started_at=MORNING)
ASKED = "Fix the pager in the list of invoices, please."


def a_host(per_day: int = 50_000, clock: Clock | None = None) -> HostModel:
    return HostModel(SETTINGS, Budget(Counted(), per_day=per_day), clock or Clock())


def a_session() -> list[Turn]:
    return [
        a_turn(ASKED, message="m1"),
        a_turn(FIX * 2, message="m2", role=Role.ASSISTANT),
        a_turn(RULE, message="m3"),
        a_turn("Understood, I keep away from them.", message="m4", role=Role.ASSISTANT),
    ]


def asked(host: HostModel, turns: list[Turn] | None = None) -> Question:
    question = host.question(SESSION, a_session() if turns is None else turns, purges=0)
    assert question is not None
    return question


def found(host: HostModel, question: Question, text: str, tokens: int | None = None) -> list[Proposal]:
    answer = host.read_answer(question.id, text, tokens)
    assert answer is not None
    assert (answer[0], question.session) == (SESSION, SESSION.id)
    return answer[1]


@covers("CAP-12", "WOR-3")
def test_what_the_model_names_is_confirmed_by_the_users_own_words() -> None:
    host = a_host()
    question = asked(host)
    (proposal,) = found(host, question, answered(an_item()), tokens=900)
    assert (proposal.role, proposal.tier, proposal.messages) == (Role.USER, Tier.CONFIRMED, ("m3",))
    assert host.state.spent_tokens == 900
    assert host.state.problem is None


def test_a_session_is_shown_as_its_prompts_with_the_end_of_the_reply_before_each() -> None:
    text = asked(a_host()).text
    assert ASKED in text
    assert RULE in text
    assert FIX[-200:] in text
    assert FIX * 2 not in text
    assert "Understood" not in text


def test_what_a_program_sent_in_the_users_name_is_not_shown() -> None:
    template = a_turn("Review the branch by the checklist of the team.", message="m5", origin=Origin.COMMAND)
    assert "checklist" not in asked(a_host(), [*a_session(), template]).text


def test_a_long_session_is_bounded() -> None:
    long = [a_turn(f"{n}: {RULE * 20}", message=f"m{n}") for n in range(300)]
    question = asked(a_host(), long)
    assert len(question.text) < 4 * SETTINGS.request_tokens * 1.2
    assert "299:" in question.text


def test_a_question_is_answered_once() -> None:
    host = a_host()
    question = asked(host)
    assert host.is_asked(question.session)
    assert len(found(host, question, answered(an_item()))) == 1
    assert host.read_answer(question.id, answered(an_item()), None) is None
    assert not host.is_asked(question.session)


def test_an_answer_to_what_was_not_asked_brings_nothing() -> None:
    assert a_host().read_answer("made up", answered(an_item()), None) is None


def test_who_brings_no_answer_is_not_waited_for() -> None:
    clock = Clock()
    host = a_host(clock=clock)
    question = asked(host)
    clock.passes(seconds=QUESTION_LIFETIME.total_seconds() + 1)
    assert not host.is_asked(question.session)
    assert host.read_answer(question.id, answered(an_item()), None) is None


def test_beyond_the_tokens_of_the_day_nothing_is_handed_out() -> None:
    host = a_host(per_day=100)
    assert host.question(SESSION, a_session(), purges=0) is None
    assert host.is_worth_asking(a_session())
    assert host.state.problem == "too few of today's tokens are left for another question"
    assert host.state.spent_tokens == 0


def test_garbage_of_the_host_brings_nothing_and_is_told() -> None:
    host = a_host()
    assert found(host, asked(host), "Sure! I will remember that.") == []
    assert host.state.problem == "its answer is not the JSON list that it was asked for"


def test_a_short_session_is_not_worth_a_question() -> None:
    host = a_host()
    assert host.question(SESSION, [a_turn("go on", at=MORNING)], purges=0) is None
    assert not host.is_worth_asking([a_turn("go on", at=MORNING)])


def test_an_exchange_alone_is_no_reason_to_ask() -> None:
    assert a_host().propose(a_session()) == []
