from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.passages import (
    MAX_PASSAGES,
    MAX_TURN_CHARS,
    MAX_WORDS,
    MIN_WORDS,
    PREVIOUS_WORDS,
    is_informative,
    passages,
    speaker_of,
    with_previous_turn,
    without_speaker,
)
from recollect.text.words import date_words


def test_sentences_are_passages_and_short_ones_go_with_the_next() -> None:
    text = "Yes. We moved the whole build to the new runner. It takes nine minutes now instead of twenty.\nFine."
    assert passages(text) == [
        "Yes. We moved the whole build to the new runner.",
        "It takes nine minutes now instead of twenty.",
        "Fine.",
    ]


@pytest.mark.parametrize("text", ["", "   \n ", "Maria: "])
def test_where_nothing_is_said_there_is_no_passage(text: str) -> None:
    assert passages(text) == []


def test_a_long_text_is_known_by_its_first_passages() -> None:
    text = " ".join(f"This is the sentence with number {n}." for n in range(1000))
    found = passages(text)
    assert len(found) == MAX_PASSAGES
    assert found[0] == "This is the sentence with number 0."


@given(st.text(alphabet="ab .!\n[:", max_size=600))
def test_every_word_is_in_a_passage_and_none_is_too_long(text: str) -> None:
    found = passages(text)
    assert all(0 < len(passage.split()) <= MAX_WORDS for passage in found)
    assert all(len(passage.split()) >= MIN_WORDS for passage in found[:-1]) or len(found) == MAX_PASSAGES
    if len(found) < MAX_PASSAGES:
        words = "".join(without_speaker(text).split())
        assert "".join("".join(passage.split()) for passage in found) == words


def test_a_turn_is_understood_with_the_end_of_what_came_before_it() -> None:
    before = "Tom: " + " ".join(f"word{n}" for n in range(100))
    end = " ".join(f"word{n}" for n in range(100 - PREVIOUS_WORDS, 100))
    assert with_previous_turn("Maria: yes, the second one", before) == f"{end}\nyes, the second one"
    assert with_previous_turn("Maria: yes", None) == with_previous_turn("yes", "") == "yes"


def test_of_a_pasted_file_only_the_beginning_is_looked_at() -> None:
    assert len(with_previous_turn("x" * 10 * MAX_TURN_CHARS, "y" * 10 * MAX_TURN_CHARS)) <= 2 * MAX_TURN_CHARS + 1
    assert sum(map(len, passages("word " * MAX_TURN_CHARS))) <= MAX_TURN_CHARS


@pytest.mark.parametrize(
    ("text", "speaker", "said"),
    [
        ("Maria: we moved it", "maria", "we moved it"),
        ("**Tom**: fine", "tom", "fine"),
        ("[Ana]: fine", "ana", "fine"),
        ("<Li> : fine", "", "<Li> : fine"),
        ("Jörg: gut", "jorg", "gut"),
        ("The plan is this: we go", "", "The plan is this: we go"),
        ("https://example.org is down", "", "https://example.org is down"),
        ("12:30 is too late", "", "12:30 is too late"),
        ("snake_case: no name", "", "snake_case: no name"),
        ("Maria:no blank", "", "Maria:no blank"),
        (" " * 50 + "Maria: too far", "", " " * 50 + "Maria: too far"),
        ("", "", ""),
    ],
)
def test_who_speaks_is_told_by_a_name_of_one_word(text: str, speaker: str, said: str) -> None:
    assert speaker_of(text) == speaker
    assert without_speaker(text) == said


@given(st.text(max_size=80))
def test_without_its_speaker_a_text_is_its_own_end(text: str) -> None:
    assert text.endswith(without_speaker(text))
    assert speaker_of(text) != "" or without_speaker(text) == text


def test_a_date_is_written_as_people_ask_for_it() -> None:
    assert date_words(datetime(2023, 5, 8)) == "8 May 2023"
    assert date_words(datetime(1999, 12, 31, 23, 59)) == "31 December 1999"


def test_a_question_a_courtesy_and_a_label_tell_nothing() -> None:
    for empty in ("Noted.", "Got it. Will do.", "What do you suggest? Which one do you want?", "Option 2:"):
        assert not is_informative(empty)
    assert is_informative("Got it. The cache lives for ten minutes.")
