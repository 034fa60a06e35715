from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from splintr import Tokenizer

from recollect.domain.memory import Kind, MemoryId
from recollect.rank.budget import BlockItem, fill, item_for_memory
from tests.builders import a_memory
from tests.requirements import covers

REAL = Tokenizer.from_pretrained("o200k_base")

TEXTS = st.one_of(
    st.text(min_size=1, max_size=400),
    st.sampled_from(["We deploy with Helm.", "価格は税込みで表示する。", "🚀" * 40, "x" * 3000, "a(b)[c]{d};" * 60]),
).filter(lambda text: bool(text.strip()) and "\x00" not in text and not any("\ud800" <= c <= "\udfff" for c in text))


def offers_of(texts: list[str], **fields: Any) -> list[BlockItem]:
    return [item_for_memory(a_memory(text, id=MemoryId(f"m{number}"), **fields)) for number, text in enumerate(texts)]


@covers("BUD-1")
@given(st.lists(TEXTS, max_size=12), st.integers(0, 400))
@settings(max_examples=60, deadline=None)
def test_a_selection_never_costs_more_than_its_budget(texts: list[str], budget_tokens: int) -> None:
    selection = fill(offers_of(texts), budget_tokens=budget_tokens)
    assert selection.tokens <= budget_tokens
    assert len(REAL.encode_ordinary(selection.block)) <= selection.tokens


def test_nothing_fits_into_no_budget() -> None:
    assert fill(offers_of(["Anything."]), budget_tokens=5).block == ""


def test_what_does_not_fit_is_counted_and_never_cut() -> None:
    selection = fill(offers_of(["Short one.", "long " * 500, "Short two."]), budget_tokens=120)
    assert selection.shown_whole == ("m0", "m2")
    assert "(1 more not shown)" in selection.block
    assert "long" not in selection.block


def test_a_long_memory_is_shown_by_its_title_and_does_not_count_as_shown() -> None:
    selection = fill(offers_of(["long " * 500], title="The long story"), budget_tokens=120)
    assert "The long story" in selection.block
    assert selection.shown_whole == ()


def test_lines_are_limited_too() -> None:
    selection = fill(offers_of([f"Fact {n}." for n in range(9)]), budget_tokens=800, max_lines=4)
    assert selection.shown_whole == ("m0", "m1", "m2", "m3")
    assert "(5 more not shown)" in selection.block


def test_sections_come_in_their_order_whatever_the_order_of_the_offers() -> None:
    late, early = a_memory("Late."), a_memory("Early.", kind=Kind.PREFERENCE)
    block = fill(
        [item_for_memory(late, "B"), item_for_memory(early, "A")], budget_tokens=200, sections=("A", "B")
    ).block
    assert block.index("A:") < block.index("Early.") < block.index("B:") < block.index("Late.")


def test_the_same_offers_give_the_same_bytes() -> None:
    first, second = (fill(offers_of(["One.", "Two.", "Three."]), budget_tokens=90) for _ in range(2))
    assert first == second
