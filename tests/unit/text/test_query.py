import pytest

from recollect.text.query import (
    IDLE,
    MAX_QUERY_WORDS,
    STOP_WORDS,
    TASK_WORDS,
    asks_something,
    content_words,
    search_words,
)
from recollect.text.words import index_words


def test_a_prompt_is_about_its_content_words() -> None:
    assert content_words("How do I fix the login timeout, please?") == ["login", "timeout"]


def test_a_question_made_of_function_words_can_still_be_searched_by_whoever_asks() -> None:
    assert content_words("what is it") == []
    assert search_words("what is it") == ["what", "is", "it"]


def test_a_pasted_log_does_not_make_an_endless_query() -> None:
    assert len(content_words(" ".join(f"word{n}" for n in range(5000)))) == MAX_QUERY_WORDS


@pytest.mark.parametrize("prompt", ["", "ok", "continue", "thanks!", "yes please", "go on then, do it now please"])
def test_idle_prompts_ask_nothing(prompt: str) -> None:
    assert not asks_something(prompt, min_chars=20)


@pytest.mark.parametrize("prompt", ["fix login.py", "How is auth handled?", "why does parse_date fail"])
def test_questions_ask_something(prompt: str) -> None:
    assert asks_something(prompt, min_chars=20)


def test_the_stems_that_are_written_down_are_those_of_the_stop_words() -> None:
    words = STOP_WORDS | TASK_WORDS
    assert words | {stem for word in words for stem in index_words(word)} == IDLE
