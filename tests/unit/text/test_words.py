import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text import words
from recollect.text.aliases import SHORT_FORMS
from recollect.text.words import MAX_WORD_CHARS, identifiers, index_words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("snake_case_name", {"snake", "case", "name", "snake_case_name"}),
        ("getUserName", {"get", "user", "name", *index_words("getusername")}),
        ("HTTPServer", {"http", "server", "httpserver"}),
        ("src/auth/login.py", {"src", "auth", "login", "py", "src/auth/login.py"}),
        ("E1234", {"e1234"}),
        ("error-handling", {"error", "handl", "error-handling"}),
        ("C++ and C#", {"c++", "c#"}),
        ("deploys Deployment deployed", {"deploy"}),
        ("naïve café", {"naiv", "cafe"}),
        ("日本語", {"日本", "本語"}),
        ("データbase", {"デー", "ータ", "base"}),
    ],
)
def test_names_are_found_whole_and_in_parts_words_by_their_stem(text: str, expected: set[str]) -> None:
    assert expected <= set(index_words(text))


def test_a_sentence_ends_without_taking_its_full_stop_along() -> None:
    assert index_words("Run make. Then login.py.") == ["run", "make", "then", "login", "py", "login.py"]


@given(st.text())
def test_every_word_can_be_written_between_blanks(text: str) -> None:
    for word in index_words(text):
        assert word
        assert not any(character.isspace() for character in word)


def test_blobs_are_not_words() -> None:
    assert index_words("x" * (MAX_WORD_CHARS + 1)) == []


def test_identifiers_are_told_from_words() -> None:
    found = identifiers("Look at parse_date in src/date.py, version v2, the end. OK?")
    assert found == ["parse_date", "src/date.py", "v2"]


def test_short_forms_and_long_ones_are_the_same_word_where_they_stand_alone() -> None:
    assert index_words("k8s") == index_words("Kubernetes")
    assert index_words("pg, Postgres, psql") == index_words("postgresql Postgresql POSTGRESQL")
    assert set(index_words("pg")) < set(index_words("PostgreSQL"))
    assert index_words("GHA") == index_words("github actions")
    assert index_words("pg_dump") == ["pg", "dump", "pg_dump"]
    assert "python" not in index_words("src/main.py")


def test_no_short_form_leads_to_another() -> None:
    for long in SHORT_FORMS.values():
        assert not any(word in SHORT_FORMS for word in long.split()), long


def test_a_tower_of_marks_on_one_letter_takes_no_time() -> None:
    tower = "a" + "\u0301\u0327" * 50_000
    began = time.process_time()
    assert len(index_words(f"{tower} deploy {tower}")) <= 3
    assert time.process_time() - began < 2  # the square of their number would be half a minute


def test_what_is_long_is_not_remembered() -> None:
    before = words._cached_parts.cache_info().currsize
    index_words(" ".join(f"{n}" + "x" * 1000 for n in range(50)))
    assert words._cached_parts.cache_info().currsize == before
