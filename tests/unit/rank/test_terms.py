"""Terms of a text."""

from recollect.rank.worth import terms


def test_a_path_gives_itself_and_its_parts() -> None:
    assert terms("see src/auth/login.py.") == {"src/auth/login.py", "auth", "login"}


def test_short_words_and_punctuation_are_left_out() -> None:
    assert terms("The cat: HTTP-500, über 8080!") == {"http-500", "http", "über", "8080"}
