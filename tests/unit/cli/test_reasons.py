"""Why something was or was not shown, in words: every verdict and every silence has its sentence, with its number."""

from dataclasses import replace
from typing import Any

import pytest

from recollect.cli.display.reasons import breakdown, count_shown, number, silence, why_not
from recollect.domain.errors import InvalidValue
from recollect.domain.injection import Choice, Injection, LogEntry, Moment, Placement, QuietReason, QuotedTurn, Verdict
from recollect.domain.memory import Kind, MemoryId, MessageId, SessionId
from recollect.engine.moments.why import pick_moment
from tests.builders import NOW


def a_choice(verdict: Verdict, **fields: Any) -> Choice:
    known: dict[str, Any] = {"id": MemoryId("a"), "kind": Kind.ERROR_PATTERN, "relevance": 0.31, "score": 0.42}
    return Choice(verdict=verdict, **(known | {"needed": 0.5} | fields))


def a_sent(*choices: Choice, message: str | None = "m2", tokens: int = 780, ids: tuple[str, ...] = ()) -> LogEntry:
    placement = Placement.MESSAGE if message else Placement.SYSTEM
    injection = Injection(
        placement=placement, tokens=tokens, budget_tokens=800, choices=choices, ids=tuple(map(MemoryId, ids))
    )
    point = Moment.PROMPT if message else Moment.START
    name = MessageId(message) if message else None
    return LogEntry(
        session=SessionId("s"), context=0, message=name, injection=injection, at=NOW, took_ms=1, point=point
    )


BEST = a_choice(Verdict.SHOWN, id=MemoryId("b"), relevance=0.95)


@pytest.mark.parametrize(
    ("verdict", "sentence"),
    [
        (Verdict.THRESHOLD, "relevance .31, an error pattern needs .50"),
        (Verdict.CUT, "relevance .31, too far behind the best, .95"),
        (Verdict.OTHER, "relevance .31, but it is about another error"),
        (Verdict.FLOOR, "score .42, a session start needs at least .50"),
        (Verdict.LIVE, "in the live context already, since prompt m1"),
        (Verdict.BUDGET, "no room: 20 of 800 tokens were left"),
        (Verdict.LINES, "no line was left: 1 memory was before it"),
        (Verdict.SWITCHED_OFF, "the settings leave this kind out: error pattern (`[kinds.injected]`)"),
        (Verdict.LISTED, "listed by its title"),
        (Verdict.SHOWN, "shown"),
    ],
)
def test_a_verdict_is_told_with_the_number_that_decided(verdict: Verdict, sentence: str) -> None:
    choice = a_choice(verdict)
    before, sent = a_sent(message="m1", ids=("a",)), a_sent(BEST, choice, ids=("b",))
    assert why_not(choice, sent, [before, sent]) == sentence


def test_what_stands_in_a_block_in_short_or_as_a_quote_is_counted_too() -> None:
    short = a_choice(Verdict.SHORT)
    quoted = (QuotedTurn(session=SessionId("old"), message=MessageId("m")),)
    said = replace(a_sent(short, a_choice(Verdict.CUT)).injection, considered=2, quoted=quoted)
    assert count_shown(said) == "1 in short of 2 considered, 1 quoted"
    assert (
        count_shown(replace(said, choices=(BEST, short), ids=(BEST.id,), quoted=()))
        == "1 shown, 1 in short of 2 considered"
    )
    assert count_shown(replace(said, choices=())) == "0 shown of 2 considered, 1 quoted"


def test_every_verdict_and_every_silence_has_words() -> None:
    for verdict in Verdict:
        assert why_not(a_choice(verdict), a_sent(), [])
    for quiet in QuietReason:
        for point in Moment:
            assert silence(Injection(placement=Placement.MESSAGE, quiet=quiet), point).startswith("Nothing shown: ")


def test_an_answer_has_one_threshold_for_all_kinds() -> None:
    choice = a_choice(Verdict.THRESHOLD)
    assert why_not(choice, replace(a_sent(choice), point=Moment.ON_DEMAND), []).endswith("an answer needs .50")


def test_a_share_that_has_ended_is_told_from_a_budget_that_has() -> None:
    choice = a_choice(Verdict.BUDGET)
    assert "in its share of the budget" in why_not(choice, a_sent(choice, tokens=100), [])


def test_silence_tells_whether_nothing_fits_or_the_model_has_it() -> None:
    live = a_choice(Verdict.LIVE, relevance=0.9)
    for choice, words in ((a_choice(Verdict.THRESHOLD), "none fits well enough"), (live, "in the live context")):
        given = Injection(placement=Placement.MESSAGE, considered=3, choices=(choice,))
        assert words in silence(given, Moment.PROMPT)
    assert "comes near" in silence(Injection(placement=Placement.MESSAGE), Moment.PROMPT)


def test_a_breakdown_names_the_relevance_only_where_something_was_asked() -> None:
    factors = {"relevance": 0.31, "words": 0.2, "recency": 1.0}
    asked = a_choice(Verdict.SHOWN, factors=factors)
    assert breakdown(asked, Moment.PROMPT) == "score .42: relevance .31 (needed .50; words .20), recency 1"
    started = a_choice(Verdict.SHOWN, needed=0.0, relevance=1.0, factors={"scope": 1.0, "base": 0.4})
    assert breakdown(started, Moment.START) == "score .42: scope 1"
    assert breakdown(started, Moment.PROMPT) == "score .42: scope 1"  # beside a prompt, in one block


@pytest.mark.parametrize(("value", "told"), [(0.831, ".83"), (1.0, "1"), (1.05, "1.05"), (0.0, ".00"), (0.999, "1")])
def test_numbers_are_written_as_thresholds_are(value: float, told: str) -> None:
    assert number(value) == told


def test_a_turn_is_picked_by_message_call_number_or_point() -> None:
    start, first, second = a_sent(message=None), a_sent(message="m1"), a_sent(message="m2")
    tools = [replace(a_sent(message="x9"), call=call, point=Moment.TOOL_ERROR) for call in ("c1", "c2")]
    log = [start, first, second, *tools]
    assert pick_moment(log, None) is tools[1]
    assert [pick_moment(log, turn) for turn in ("start", "1", "2", "m1", "c1", "tool_error")] == [
        start,
        first,
        second,
        first,
        tools[0],
        tools[1],
    ]
    with pytest.raises(InvalidValue, match="x9 c1, x9 c2"):
        pick_moment(log, "x9")
    for unknown in ("3", "0", "compaction", "zz"):
        with pytest.raises(InvalidValue, match="it has start, tool_error, prompts 1 to 2"):
            pick_moment(log, unknown)
