from recollect.text.embedding_text import common_words, memory_meaning, prompt_meaning
from tests.builders import a_memory


def test_a_memory_means_its_title_and_its_text() -> None:
    assert memory_meaning(a_memory("Use RS256.", title="Tokens", aliases=("jwt",))) == "Tokens. Use RS256."
    assert memory_meaning(a_memory("Use RS256.")) == "Use RS256."


def test_words_that_most_texts_have_and_the_name_of_the_project_are_common() -> None:
    assert common_words({"shop": 40, "refund": 3}, memories=100, project="pantry") == {"shop", "pantri"}


def test_in_a_small_store_no_word_is_common() -> None:
    assert common_words({"login": 1}, memories=1) == set()


def test_a_prompt_means_what_is_left_without_common_words() -> None:
    common = common_words({}, 0, project="pantry")
    assert prompt_meaning("why does Pantry lose refunds in pantry/refunds.py?", common) == (
        "why does lose refunds in pantry/refunds.py?"
    )


def test_a_prompt_of_common_words_alone_stays_whole() -> None:
    assert prompt_meaning("pantry!", common_words({}, 0, project="pantry")) == "pantry!"
