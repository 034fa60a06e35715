import pytest

from recollect.domain.memory import Kind
from recollect.text.enumeration import enumeration
from tests.requirements import covers


@covers("RET-7")
@pytest.mark.parametrize(
    ("query", "kinds", "topic"),
    [
        ("list all decisions about auth", {Kind.DECISION}, "auth"),
        ("List all decisions.", {Kind.DECISION}, ""),
        ("please show me every rule on testing", {Kind.RULE}, "testing"),
        ("what are all the environment variables of the worker?", set(), "environment variables of the worker"),
        ("Which decisions did we make about caching?", {Kind.DECISION}, "caching"),
        ("what decisions have been made regarding the database", {Kind.DECISION}, "the database"),
        ("what rules do we have for tests", {Kind.RULE}, "tests"),
        ("give me all known errors about webpack", {Kind.ERROR_PATTERN}, "webpack"),
        ("all preferences", {Kind.PREFERENCE}, ""),
        ("list every memory", set(), ""),
        ("list our conventions for Go", {Kind.RULE, Kind.PREFERENCE}, "Go"),
    ],
)
def test_a_question_for_all_of_something_says_of_what(query: str, kinds: set[Kind], topic: str) -> None:
    found = enumeration(query)
    assert found is not None
    assert (set(found.kinds), found.topic) == (kinds, topic)


@pytest.mark.parametrize(
    "query",
    ["How do we deploy?", "show the login page", "what error do we get", "every", "", "Are all tests green?", "all"],
)
def test_other_questions_ask_for_the_best(query: str) -> None:
    assert enumeration(query) is None
