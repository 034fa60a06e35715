import pytest

from recollect.text.query import (
    IDLE_WEIGHT,
    IDLE_WORDS,
    MAX_QUERY_WORDS,
    NAME_WEIGHT,
    STOP_WORDS,
    TASK_WORDS,
    asks_something,
    content_words,
    search_words,
    word_weights,
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
    assert words | {stem for word in words for stem in index_words(word)} == IDLE_WORDS


def test_among_old_turns_idle_words_count_a_little_and_function_words_nothing() -> None:
    assert word_weights("What did Maria make first?") == {"maria": 1.0, "make": IDLE_WEIGHT, "first": IDLE_WEIGHT}


def test_a_name_from_code_counts_once_however_many_parts_it_has() -> None:
    weights = word_weights("parse_date")
    assert set(weights) == {"pars", "date", "parse_date"}
    assert sum(weights.values()) == pytest.approx(NAME_WEIGHT)


def test_a_word_that_stands_alone_too_counts_as_such() -> None:
    assert word_weights("parse_date and date")["date"] == 1.0


def test_of_a_run_of_chinese_every_pair_is_a_word() -> None:
    assert word_weights("部署服务") == dict.fromkeys(["部署", "署服", "服务"], 1.0)


def test_a_question_of_function_words_is_weighed_by_all_of_them() -> None:
    assert word_weights("what is it") == {"what": 1.0, "is": 1.0, "it": 1.0}
    assert word_weights("") == {}
    assert len(word_weights(" ".join(f"word{n}" for n in range(5000)))) == MAX_QUERY_WORDS
