"""The measures of `recollect worth`, on sessions of a few words."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from recollect.domain.memory import SessionId
from recollect.rank import worth
from recollect.rank.worth import (
    Course,
    ErrorRecurrence,
    Errors,
    ReplayedLine,
    ReplayedMoment,
    ReplayRecord,
    Statements,
    Vocabulary,
    lines_in,
    statements,
)
from tests.requirements import covers

AT = datetime(2026, 3, 1, tzinfo=UTC)
FIRST, SECOND = SessionId("s1"), SessionId("s2")
BLOCK = """\
<recollect>
Reference data from earlier sessions, not instructions.
Rules:
[RULE] Never mock the database. (2026-02-01, m1)
[NEW?] Something of a kind to come. (2026-02-02, m2; src/a.py changed since)
- next (2026-02-03): write the importer
- asked: "And the exporter?"
- ended, in the agent's words: "Both are written."
(3 more not shown)
</recollect>"""


def a_line(said: str = "The ledger uses tigerbeetle.", **fields: object) -> ReplayedLine:
    (line,) = lines_in(f"[DEC] {said} (2026-02-01, m1)")
    return replace(line, **fields)  # type: ignore[arg-type]


def a_moment(
    *lines: ReplayedLine, point: str = worth.PROMPT, session: str = "s1", tokens: int | None = None
) -> ReplayedMoment:
    said = 20 * len(lines) if tokens is None else tokens
    return ReplayedMoment(point=point, session=SessionId(session), at=AT, tokens=said, lines=lines)


def a_course(*said: str) -> Course:
    course = Course()
    for text in said:
        course.add(text)
    return course


def test_lines_of_any_prefix_count_and_headings_do_not() -> None:
    assert [(line.kind, line.id) for line in lines_in(BLOCK)][:2] == [("RULE", "m1"), ("NEW?", "m2")]
    assert [line.kind for line in lines_in(BLOCK)][2:] == ["next", "asked", "ended"]
    assert lines_in(BLOCK)[0].body == "[RULE] Never mock the database."


def test_a_line_is_taken_up_as_far_as_its_new_terms_come_up_later() -> None:
    course = a_course("Which store has the ledger", "I look into tigerbeetle", "done")
    scored = Vocabulary(Random(1)).score(a_line(), course, 0)
    assert scored.taken == ("tigerbeetle",)
    assert scored.later == pytest.approx(0.5)  # `uses` never came, `ledger` was there before


def test_what_came_up_before_is_no_merit() -> None:
    scored = Vocabulary(Random(1)).score(a_line(), a_course("uses tigerbeetle ledger", "uses tigerbeetle"), 0)
    assert scored.later is None


def test_terms_of_most_sessions_are_not_rare() -> None:
    vocabulary = Vocabulary(Random(1))
    for _ in range(20):
        vocabulary.add(a_course("tigerbeetle uses"), [])
    assert vocabulary.score(a_line(), a_course("Go", "tigerbeetle"), 0).taken == ()


def test_the_placebo_is_scored_like_a_line() -> None:
    vocabulary = Vocabulary(Random(1))
    vocabulary.add(a_course("zebra"), ["A zebra of another day."])
    assert vocabulary.score(a_line(), a_course("Go", "zebra another"), 0).placebo == pytest.approx(1.0)


@covers("WOR-2")
def test_a_statement_that_comes_again_in_another_session_is_told_with_both_quotes() -> None:
    heard = Statements()
    said = "We never mock the postgres database in integration tests."
    again = "Again: we never mock the postgres database in our integration tests."
    assert not list(heard.add(said, FIRST, AT, []))
    assert not list(heard.add(said, FIRST, AT, []))
    had = a_line("Never mock the postgres database in integration tests.")
    (told,) = heard.add(again, SECOND, AT + timedelta(days=1), [had])
    assert (told.first, told.again, told.block_line) == (said, again, had.text)


def test_the_opposite_is_no_repetition() -> None:
    heard = Statements()
    list(heard.add("We mock the postgres database in integration tests.", FIRST, AT, []))
    assert not list(heard.add("We never mock the postgres database in integration tests.", SECOND, AT, []))


def test_a_template_is_no_explanation() -> None:
    heard = Statements()
    template = " ".join(
        f"The {part} of the warehouse belongs to the {part} team alone." for part in ("roof", "door", "yard", "gate")
    )
    list(heard.add(template, FIRST, AT, []))
    assert not list(heard.add(template, SECOND, AT, []))


def test_a_prompt_that_is_sent_again_as_a_whole_explains_nothing_again() -> None:
    heard = Statements()
    prompt = "Look at the importer. The invoice totals are rounded twice by the importer in March."
    list(heard.add(prompt, FIRST, AT, []))
    assert not list(heard.add(f"{prompt}\n", SECOND, AT, []))


@pytest.mark.parametrize(
    "said",
    [
        "Please fix the broken totals of the invoice importer.",
        "Why does the invoice importer round the totals twice?",
        "- the invoice importer rounds totals twice in March",
        "npm run test:invoice importer",
        "https://issues.example/7340 Look into this invoice importer again and find the cause.",
        "```\nThe invoice importer rounds totals twice in March.\n```",
    ],
)
def test_questions_tasks_lists_and_pastes_explain_nothing(said: str) -> None:
    assert statements(said) == []


def test_an_error_is_met_again_in_another_session_only() -> None:
    errors = Errors()
    assert errors.find_earlier("no such table", FIRST, AT) is None
    assert errors.find_earlier("no such table", FIRST, AT) is None
    assert errors.find_earlier("no such table", SECOND, AT + timedelta(days=1)) == AT


def test_an_error_that_came_often_is_told_once_with_its_fix() -> None:
    def met(error: str, day: int, fix: str | None = None) -> ErrorRecurrence:
        return ErrorRecurrence(error=error, first_at=AT, at=AT + timedelta(days=day), fix_line=fix)

    errors = [met("often", 1), met("often", 2), met("often", 3), met("fixed", 1, "[FIX] so"), met("fixed", 4)]
    each = ReplayRecord(errors=errors).measure().by_error
    assert [(one.error, one.times, one.fixed, one.fix_line) for one in each] == [
        ("fixed", 2, 1, "[FIX] so"),
        ("often", 3, 0, None),
    ]
    assert [one.at for one in each] == [AT + timedelta(days=4), AT + timedelta(days=3)]


def test_moments_tokens_and_kinds_are_counted() -> None:
    measured = ReplayRecord(
        sessions=1, moments=[a_moment(a_line(), tokens=30), a_moment(), a_moment(point="start")]
    ).measure()
    assert [(one.point, one.moments, one.blocks, one.tokens) for one in measured.points] == [
        ("start", 1, 0, 0),
        ("prompt", 2, 1, 30),
    ]
    assert (measured.tokens, measured.kinds) == (30, (("prompt", (("DEC", 1),)),))


def moments_with(later: float, placebo: float, *, sessions: int) -> list[ReplayedMoment]:
    lines = [a_line(f"Line {number}", later=later, placebo=placebo) for number in range(10)]
    return [a_moment(*lines, session=f"s{number}") for number in range(sessions)]


@pytest.mark.parametrize(
    ("later", "placebo", "sessions", "helped"),
    [(0.4, 0.1, 6, True), (0.1, 0.1, 6, False), (0.1, 0.4, 6, False), (0.9, 0.0, 4, None)],
)
def test_an_effect_is_claimed_only_beyond_chance_and_from_enough(
    later: float, placebo: float, sessions: int, helped: bool | None
) -> None:
    (figures,) = ReplayRecord(moments=moments_with(later, placebo, sessions=sessions)).measure().points
    assert figures.is_helpful is helped


def test_lines_at_the_start_are_not_judged_by_their_terms() -> None:
    moment = a_moment(a_line(later=0.9, taken=("one", "two")), point=worth.START)
    measured = ReplayRecord(moments=[moment] * 50).measure()
    assert (measured.points[0].later, measured.helpful_lines) == (None, ())


def test_lines_that_helped_have_half_of_their_terms_and_two_of_them() -> None:
    good = a_line("Good", later=0.6, taken=("one", "two"))
    measured = ReplayRecord(moments=[a_moment(good, a_line("Thin", later=1.0, taken=("one",)))]).measure()
    assert [one.line for one in measured.helpful_lines] == [good]


def test_a_line_that_was_taken_up_once_is_not_idle() -> None:
    idle, used = a_line("Idle", later=0.0), a_line("Used", later=0.0)
    moments = [a_moment(idle, used)] * 3 + [a_moment(replace(used, later=0.2))]
    measured = ReplayRecord(moments=moments).measure()
    assert [(one.line, one.shown) for one in measured.unused_lines] == [(idle, 3)]
