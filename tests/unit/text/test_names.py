import pytest

from recollect.text.names import is_name, named_in


def test_a_prompt_names_things_by_their_spelling_and_files_by_their_last_part() -> None:
    found = named_in("look at src/upload/retry.py and CloudFront, see https://example.org/wiki and /Users/me/notes")
    assert {"retry.py", "cloudfront"} <= set(found)
    assert not any("example" in word or "wiki" in word or "note" in word for word in found)


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("cloudfront", "All of it goes through CloudFront, which buffers."),
        ("sakana", "We take the weights that Sakana publishes."),
        ("realtime_measurements", "Only realtime_measurements has them."),
        ("wrangler", "It needs `wrangler` of this year."),
    ],
)
def test_a_word_that_is_written_as_a_name_is_one(word: str, text: str) -> None:
    assert is_name(word, ["deploy it by " + word, text])


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("phrase", "Phrase boards come first. The phrase is too long."),
        ("deploy", "Deploy it. Then deploy again."),
        ("absent", "Nothing here."),
    ],
)
def test_a_word_of_the_language_is_none(word: str, text: str) -> None:
    assert not is_name(word, [text])
