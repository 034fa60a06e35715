from hypothesis import given
from hypothesis import strategies as st

from recollect.text.excerpt import CUT, excerpt
from recollect.text.query import search_words

FILLER = "Nothing of interest is said in this sentence. " * 40


def test_a_short_text_is_shown_whole() -> None:
    assert excerpt("We deploy with Helm.", ["helm"], chars=300) == "We deploy with Helm."


def test_a_long_text_is_shown_from_the_sentence_that_answers() -> None:
    shown = excerpt(f"{FILLER}We deploy with Helm to GKE. {FILLER}", search_words("helm deployment"), chars=100)
    assert shown.startswith(f"{CUT}We deploy with Helm to GKE. ") or " We deploy with Helm to GKE. " in shown
    assert shown.endswith(CUT)


def test_where_more_of_the_words_stand_together_is_shown() -> None:
    text = f"The chart is old. {FILLER}The Helm chart has a release name. {FILLER}A release."
    assert "Helm chart has a release" in excerpt(text, search_words("helm chart release"), chars=120)


def test_without_any_of_the_words_its_beginning_is_shown() -> None:
    assert excerpt(f"First things first. {FILLER}", ["zebra"], chars=60).startswith("First things first. ")


def test_words_are_not_cut_and_a_text_without_spaces_is() -> None:
    text = " ".join(["alpha", "beta", "gamma", "delta"] * 50)
    shown = excerpt(text, ["gamma"], chars=50).strip(CUT).split()
    assert set(shown) <= {"alpha", "beta", "gamma", "delta"}
    assert "数据库" in excerpt(
        "这里没有什么可看的" * 60 + "数据库在东京" + "这里没有什么可看的" * 60, ["数据"], chars=60
    )


@given(st.text(max_size=400), st.sampled_from(["a", "a b", "数"]), st.integers(min_value=10, max_value=120))
def test_an_excerpt_is_a_part_of_the_text_and_never_longer_than_asked(text: str, query: str, chars: int) -> None:
    shown = excerpt(text, search_words(query), chars=chars)
    assert len(shown) <= chars + 2 * len(CUT)
    assert shown == text or shown.removeprefix(CUT).removesuffix(CUT) in text
