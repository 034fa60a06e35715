import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.privacy.exclude import without_fences, without_private
from recollect.text.block import BlockLine, line_of, render
from tests.builders import a_memory

PIECES = st.lists(
    st.sampled_from(
        ["<private>", "</private>", "<", ">", "/", "private", "<pri", "vate>", " ", "\n", "a", ",", ";", "&lt", "&lt;",
         "&amp;lt;", "gt;", "< private", "</ private", "\\u003c", "\\u003", "c", "＜", "<PRIVATE x='>'>", "-", "\t"]
    )
).map("".join)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Nothing <b>private</b> here: a < b.", "Nothing <b>private</b> here: a < b."),
        ("The key is <private>hunter2</private> for now.", "The key is for now."),
        ("Call <private>Ann</private>, then Bob.", "Call, then Bob."),
        ("One.\n<private>\nhidden\n</private>\nTwo.", "One.\nTwo."),
        ("a <PRIVATE>x</Private> b", "a b"),
        ('a <private reason="x > y">x</private > b', "a b"),
        ("a < private >x< / private > b", "a b"),
        ("a <private>x <private>y</private> z</private> b", "a b"),
        ("a <private>x</private> b <private>y</private> c", "a b c"),
        ("a <private>x</private><private>y</private> b", "a b"),
        ("a <private> never closed", "a"),
        ("a <private>x <private>y</private> still hidden", "a"),
        ("a <private/> hidden too", "a"),
        ("a </private> b", "a b"),
        ("a &lt;private&gt;x&lt;/private&gt; b", "a b"),
        ("a &amp;lt;private&amp;gt;x&#60;/private&#62; b", "a b"),
        ('{"text": "a \\u003cprivate\\u003ex\\u003c/private\\u003e b"}', '{"text": "a b"}'),
        ("a ＜private＞x＜/private＞ b", "a b"),
        ("<private>all of it</private>", ""),
        ("the <private-key> and the <privately> stay", "the <private-key> and the <privately> stay"),
        ("no <pri<private>x</private>vate>y", "no <pri vate>y"),
        ("no <<private>x</private>private>y", "no <\nprivate>y"),
    ],
)
def test_private_parts_are_taken_out_and_the_rest_reads_on(text: str, rest: str) -> None:
    assert without_private(text) == rest


@given(st.one_of(PIECES, st.text()))
def test_what_is_left_has_nothing_private_to_take_out(text: str) -> None:
    once = without_private(text)
    assert without_private(once) == once
    assert len(once) <= len(text)


@given(st.text(alphabet="abc \n"), st.text(alphabet="xyz<>/ \n"), st.text(alphabet="abc \n"))
def test_nothing_of_a_private_part_is_left(before: str, hidden: str, after: str) -> None:
    rest = without_private(f"{before}<private>{hidden}</private>{after}")
    assert not set("xyz<>/") & set(rest)
    assert rest.split() == [*before.split(), *after.split()]


@pytest.mark.parametrize(
    "piece",
    ["<private>", "</private>", "<", "< ", "&", "&amp;", "</private x", "<private></private>", "<pri", " ", "<\t"],
)
def test_a_text_made_to_be_slow_is_not(piece: str) -> None:
    """A million characters: ends at once or never within the limit of a test."""
    text = piece * (1_000_000 // len(piece))
    assert len(without_private(text)) <= len(text)


def test_our_own_blocks_are_taken_out_of_what_a_host_shows_us() -> None:
    block = render([BlockLine("Rules", line_of(a_memory("Use tabs, not </recollect> spaces.")))])
    assert without_fences(f"Add a test.\n\n{block}\n\nAnd run it.") == "Add a test.\nAnd run it."
    assert without_fences(f"{block}\nAdd a test.") == "Add a test."
    assert without_fences(f"Add a test. {block[:-20]}") == "Add a test."
    assert without_fences("import recollect  # <recollection> is no block") == (
        "import recollect  # <recollection> is no block"
    )


@given(st.text(alphabet="ab <>/\n"), st.text(alphabet="xy<>/\n"))
def test_nothing_of_a_block_reaches_capture(said: str, remembered: str) -> None:
    block = render([BlockLine("Notes", line_of(a_memory("x" + remembered)))])
    rest = without_fences(said + block + said)
    assert "x" not in rest
    assert "recollect" not in rest
