"""Answers of every form, also such as no host writes."""

from collections.abc import Callable
from typing import Any

import pytest

from recollect.hosts.question_tool import (
    with_answers_of_claude,
    with_answers_of_codex,
    with_answers_of_cursor,
    with_answers_of_opencode,
)

ODD: list[Any] = [None, [], {}, "text", 1, [[]], {"answers": [{}]}, {"answers": {"q": []}}, {"answers": [[{}], None]}]


@pytest.mark.parametrize("answer", [with_answers_of_claude, with_answers_of_opencode])
@pytest.mark.parametrize("told", ODD)
@pytest.mark.parametrize("asked", [*ODD, [{"question": {}}], [{"id": [], "prompt": 3}]])
def test_what_is_odd_adds_no_answer(answer: Callable[[Any, Any], dict[str, Any]], told: Any, asked: Any) -> None:
    given = {"questions": asked}
    assert "notes" not in answer(given, told)
    assert answer(given, told)["questions"] == asked


@pytest.mark.parametrize("told", ["", "[]", "no JSON", '{"answers": []}', '{"answers": {"[]": 1}}', "[" * 5000])
@pytest.mark.parametrize("asked", [*ODD, [{"question": {}}], [{"id": [], "prompt": 3, "options": 1}]])
def test_what_is_odd_in_a_text_adds_no_answer(told: str, asked: Any) -> None:
    for answer in (with_answers_of_codex, with_answers_of_cursor):
        assert "answers" not in answer({"questions": asked}, told)
