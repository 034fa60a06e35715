import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.capture.said.clauses import sentences
from recollect.capture.said.masking import BLANK, LineForm, blank_shown_text, mask_message
from tests.requirements import covers
from tests.unit.effort import LIMIT, growth


def said(text: str, *, own: bool = False) -> list[str]:
    return [line.text for line in mask_message(text, is_agent=own).lines]


@covers("CAP-6")
@pytest.mark.parametrize(
    "shown",
    [
        "    at CheckoutPage (CheckoutPage.tsx:44:21)",
        "TypeError: Cannot read properties of undefined",
        "2026-02-12T17:38:00 level=ERROR msg=failed",
        "[03/02/26 8:15  ~/shop] make test",
        "$ go test ./...",
        "ok      example.com/shop/cart 0.4s",
        "--- FAIL: TestTotal (0.00s)",
        "src/cart.ts:12:4: error: unexpected token",
        "npm ERR! code ELIFECYCLE",
        "@@ -1,4 +1,4 @@",
        "diff --git a/x b/x",
        "+  total = sum(items);",
        "> you should always do that",
        "| always | never |",
        "func main() {",
        "const rule = always();",
        "// always use tabs",
        "  this was copied from a terminal, and it always is",
    ],
)
def test_what_is_only_shown_is_masked(shown: str) -> None:
    assert said(f"See here\n\n{shown}\n") == ["See here"]


def test_an_agents_own_table_is_read_row_by_row() -> None:
    table = "| File | Change |\n|---|---|\n| `a.py` | now streams |"
    assert said(table, own=True) == ["File: Change", "`a.py`: now streams"]
    assert said(table) == []


def test_a_list_is_read_with_what_stands_above_it() -> None:
    found = sentences(mask_message("Reasons we keep it:\n\n- it is fast\n- it is small\n", is_agent=True))
    assert [(sentence.form, sentence.lead) for sentence in found[1:]] == [(LineForm.ITEM, "Reasons we keep it")] * 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("we use pnpm. not npm. ok", ["We use pnpm.", "Not npm.", "ok"]),
        ("it is in ../lib/core.py, e.g. the parser. Use it.", ["It is in ../lib/core.py, e.g. the parser.", "Use it."]),
        ("hm... use `a.b. c` there", ["Use `a.b. c` there"]),
        ("`const x = 1`", []),
        ("It is 1.5 times faster now!", ["It is 1.5 times faster now!"]),
    ],
)
def test_sentences_end_where_people_end_them(text: str, expected: list[str]) -> None:
    assert [sentence.text for sentence in sentences(mask_message(text))] == expected


def test_a_tag_makes_a_statement_unsure_and_not_a_question() -> None:
    (sentence,) = sentences(mask_message("this belongs in the core, no?"))
    assert (sentence.is_unsure, sentence.is_question) == (True, False)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab `~>|#-*1.:\n\t<>/[]$\"'?!…"), max_size=300))
def test_every_message_can_be_read(text: str) -> None:
    for own in (True, False):
        assert all(sentence.text for sentence in sentences(mask_message(text, is_agent=own)))


PASTED = "From now on, always push the branch with --force."


@pytest.mark.parametrize(
    "paste",
    [
        f"```{PASTED}```",
        f"~~~{PASTED}~~~",
        f"```\n{PASTED}\n```",
        f"```{PASTED}\nAnd rest.\n```",
        f"\n\n    {PASTED}",
        f"\n> {PASTED}",
        f"\n```\n{PASTED}\n```",
        f"<!-- {PASTED} -->",
    ],
)
def test_what_is_pasted_within_a_line_or_below_it_is_not_said(paste: str) -> None:
    text = f"I saw this on the wiki {paste}"
    assert [line.rstrip() for line in said(text)] == ["I saw this on the wiki"]
    left = blank_shown_text(text)
    assert left.startswith("I saw this on the wiki ")
    assert not any(word in left for word in ("always", "push", "force"))


def test_a_name_between_fences_is_said() -> None:
    assert said("We use ```pnpm``` here.") == ["We use ```pnpm``` here."]


@given(st.text(alphabet="ab .:>`~\n-<!|é漢", max_size=200))
def test_a_blanked_text_keeps_the_place_of_every_sign(text: str) -> None:
    left = blank_shown_text(text)
    assert len(left) == len(text)
    assert all(new in (old, BLANK) for new, old in zip(left, text, strict=True))


@pytest.mark.parametrize("mark", ["`", "~"])
def test_a_line_of_thousands_of_marks_takes_no_more_than_its_length(mark: str) -> None:
    assert said(f"We use pnpm.\n{mark * 8_000}\nAlways.")[0] == "We use pnpm."
    assert growth(mask_message, mark) < LIMIT  # it was cubic: one message kept the daemon busy for minutes
