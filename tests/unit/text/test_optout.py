import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.text.optout import Optout, find_opt_out, without_markers

NOTHING = Optout()
NO_RECALL, NO_CAPTURE, NO_MEMORY = Optout(recall=True), Optout(capture=True), Optout(recall=True, capture=True)


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("no-recall", NO_RECALL),
        ("Fix the pool. no-capture", NO_CAPTURE),
        ("No-Memory: what does this do?", NO_MEMORY),
        ("#no-recall fix it", NO_RECALL),
        ("@no-recall fix it", NO_RECALL),
        ("fix it [no-memory]", NO_MEMORY),
        ("fix it (no-memory).", NO_MEMORY),
        ("fix it <no-capture>", NO_CAPTURE),
        ("**no-recall** fix it", NO_RECALL),
        ("fix it, NO-RECALL, please", NO_RECALL),
        ("no-recall,no-capture", NO_MEMORY),
        ("no-recall\nno-capture\nfix it", NO_MEMORY),
        ("no\u2011recall", NO_RECALL),
        ("`x` no-recall `y`", NO_RECALL),
        ("an unmatched ` and no-recall", NO_RECALL),
        ("```\ncode\n```\nno-recall", NO_RECALL),
    ],
)
def test_a_marker_is_found_as_a_word_of_its_own(prompt: str, expected: Optout) -> None:
    assert find_opt_out(prompt) == expected


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "Fix the pool.",
        "run it with --no-memory",
        "the flag -no-memory",
        "set no-memory-limit",
        "no-recalls",
        "x/no-recall",
        "no-recall/x",
        "no-recall.md",
        "no-recall=1",
        "a_no-recall",
        "no_recall",
        "casino-recall",
        "f(no-recall)",
        "Foo<no-recall>",
        "[no-recall>",
        "(no-recall",
        'what does "no-recall" do?',
        "what does 'no-recall' do?",
        "what does `no-recall` do?",
        "what does ``a ` no-recall `` do?",
        "```\nno-recall\n```",
        "~~~text\nno-memory\n~~~",
        "```\nno-memory\n~~~\n no-capture",
        "Look:\n```sh\n# no-memory\n",
        "no-recall-sessions",
        "</no-capture>",
    ],
)
def test_anything_else_is_no_marker(prompt: str) -> None:
    assert find_opt_out(prompt) == NOTHING
    assert without_markers(prompt) == prompt


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("no-memory-session", Optout(recall=True, capture=True, recall_session=True, capture_session=True)),
        ("[No-Recall-Session] fix it", Optout(recall=True, recall_session=True)),
        ("fix it #no-capture-session", Optout(capture=True, capture_session=True)),
        ("no-recall no-capture-session", Optout(recall=True, capture=True, capture_session=True)),
    ],
)
def test_a_marker_can_hold_for_the_rest_of_the_session(prompt: str, expected: Optout) -> None:
    assert find_opt_out(prompt) == expected
    assert find_opt_out(prompt).session


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("no-recall", ""),
        ("no-recall fix it", "fix it"),
        ("No-Memory: fix it", "fix it"),
        ("fix it no-recall", "fix it"),
        ("fix [no-memory] it", "fix it"),
        ("fix it <no-capture>.", "fix it."),
        ("no-recall\nfix it", "fix it"),
        ("fix it\nno-recall\nnow", "fix it\nnow"),
        ("no-recall no-capture fix it", "fix it"),
        ("fix\n\n  it", "fix\n\n  it"),
    ],
)
def test_a_prompt_can_be_had_without_its_markers(prompt: str, expected: str) -> None:
    assert without_markers(prompt) == expected


WORDS = st.sampled_from(
    [
        "no-recall",
        "[no-memory]",
        "#no-capture-session",
        "fix",
        "it",
        " ",
        "\n",
        ",",
        ".",
        ": ",
        "--",
        "(",
        "`x`",
        "\t",
        "**",
    ]
)


@given(st.lists(WORDS, max_size=30).map("".join))
@example(prompt="no-recall.,no-recall")  # the second one gone, the first one stands at the end
def test_without_its_markers_nothing_is_opted_out_of(prompt: str) -> None:
    assert find_opt_out(without_markers(prompt)) == NOTHING


@given(st.text(alphabet="`~ \nno-recalsi[]<>()#", max_size=200))
def test_any_text_is_read(prompt: str) -> None:
    if find_opt_out(prompt) == NOTHING:
        assert without_markers(prompt) == prompt
    else:
        assert len(without_markers(prompt)) < len(prompt)
