"""An error is known again: the same on another day has the same key, another one has another."""

import re
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text import error_lines
from recollect.text.signature import MAX_HEADLINE_CHARS, MAX_KEY_CHARS, MAX_TERMS, signature
from tests.requirements import covers
from tests.unit.text.error_examples import DIFFERENT, EXAMPLES, GENERIC, Example


def drifted(error: str, by: int) -> str:
    """Other lines, ports, counts and times, and another user's folder."""
    moved = re.sub(r"/home/\w+", "/srv/build", error)
    # Not the digits of a code or a name, which are no numbers, nor an HTTP status.
    return re.sub(
        r"(?<![\w.#])(?<!status code )\d{1,4}(?![\w.]*[A-Za-z])", lambda number: str(int(number[0]) + by), moved
    )


def named(example: Example) -> str:
    return example.name


@covers("CAP-4")
@pytest.mark.parametrize("example", EXAMPLES, ids=named)
def test_the_same_error_on_another_day_has_the_same_key(example: Example) -> None:
    assert signature(example.once).key == signature(example.again).key


@covers("CAP-4")
@pytest.mark.parametrize("example", EXAMPLES, ids=named)
@pytest.mark.parametrize("by", [1, 7, 93])
def test_other_numbers_and_another_folder_are_the_same_error(example: Example, by: int) -> None:
    assert signature(drifted(example.once, by)).key == signature(example.once).key


def test_no_two_examples_are_the_same_error() -> None:
    keys = {example.name: signature(example.once).key for example in EXAMPLES}
    assert [pair for pair in combinations(keys, 2) if keys[pair[0]] == keys[pair[1]]] == []


@covers("CAP-4")
@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_two_errors_of_one_tool_have_two_keys(one: str, other: str) -> None:
    assert signature(one).key != signature(other).key


@pytest.mark.parametrize("example", EXAMPLES, ids=named)
def test_people_read_what_is_wrong(example: Example) -> None:
    found = signature(example.once)
    assert example.headline in found.headline
    assert set(example.terms) <= set(found.terms)
    assert not found.is_generic


@pytest.mark.parametrize("example", EXAMPLES, ids=named)
def test_the_headline_alone_is_the_same_error(example: Example) -> None:
    found = signature(example.once)
    assert signature(found.headline).key == found.key


@pytest.mark.parametrize("error", GENERIC)
def test_what_says_nothing_is_generic(error: str) -> None:
    assert signature(error).is_generic


def test_a_refusal_that_lists_its_rules_is_the_same_however_many_there_are() -> None:
    refused = "A rule prevents you from using this specific tool call. Relevant rules: "
    one, two = '{"permission":"bash","action":"deny"}', '{"permission":"*","action":"allow"}'
    keys = {signature(f"{refused}[{','.join(rules)}]").key for rules in ([one], [two], [two, one], [two, two, one])}
    assert len(keys) == 1


def test_an_empty_text_has_no_signature() -> None:
    for empty in ("", " \n\t\r\n", "\x1b[0m"):
        found = signature(empty)
        assert (found.key, found.headline, found.terms, found.is_generic) == ("", "", (), True)


def test_terms_are_not_taken_from_values_and_paths() -> None:
    found = signature('ValueError: badName is no userId: "some_value of_today" in /home/ann/my_project/my_file.py')
    assert found.terms == ("ValueError", "badName", "userId")


@pytest.mark.parametrize(
    ("error", "term"),
    [
        ("psycopg.errors.InvalidPassword: 28P01: password authentication failed", "28P01"),
        ("error[E0499]: cannot borrow twice", "E0499"),
        ("Error: listen EACCES: permission denied 0.0.0.0:80", "EACCES"),
        ("npm ERR! code ENOTFOUND\nnpm ERR! network request to registry failed", "ENOTFOUND"),
        ("TypeError [ERR_INVALID_ARG_TYPE]: The argument must be a string", "ERR_INVALID_ARG_TYPE"),
        ("the container was ended by SIGKILL after it took all memory", "SIGKILL"),
        ("zsh: command not found: terraform", "terraform"),
    ],
)
def test_codes_and_commands_are_terms(error: str, term: str) -> None:
    assert term in signature(error).terms


@given(st.text(max_size=2000))
def test_any_text_has_a_signature_within_limits(text: str) -> None:
    found = signature(text)
    assert len(found.headline) <= MAX_HEADLINE_CHARS
    assert len(found.key) <= MAX_KEY_CHARS
    assert len(found.terms) <= MAX_TERMS
    assert "\n" not in found.headline
    assert "\x1b" not in found.headline
    assert found.is_generic or found.key


WORDS = st.sampled_from(
    "cannot open the pool of shop.cart because UserId is missing in openPool while total_price".split()
)


@given(
    words=st.lists(WORDS, min_size=4, max_size=12),
    numbers=st.lists(st.integers(0, 99_999), min_size=2, max_size=2),
    folders=st.lists(st.from_regex(r"/(?:home|Users)/[a-z]{2,8}", fullmatch=True), min_size=2, max_size=2),
)
def test_numbers_and_home_folders_are_not_part_of_a_key(
    words: list[str], numbers: list[int], folders: list[str]
) -> None:
    said = " ".join(words)
    one, other = (
        f"Error: {said} {number} at {folder}/shop/app.py:{number} (0x{number:08x}, {number}ms)"
        for number, folder in zip(numbers, folders, strict=True)
    )
    assert signature(one).key == signature(other).key


@given(
    unit=st.sampled_from(
        ["a", " ", "\n", '"', "'", "`", "/", "a/", "a.", "a:1:", "\x1b[", "<a ", "[", "error=", "A.b", "1:"]
    )
    | st.text(min_size=1, max_size=6),
    tail=st.text(max_size=20),
)
def test_however_long_a_text_is_only_so_much_of_it_is_read(unit: str, tail: str) -> None:
    text = unit * (error_lines.MAX_TEXT_CHARS * 2 // len(unit)) + tail
    read = list(error_lines._read(text))
    assert len(read) <= 2 * error_lines.LINES_AT_EACH_END + error_lines.MAX_LINES_BETWEEN
    assert all(len(line) <= error_lines.MAX_LINE_CHARS for line in read)
    assert len(signature(text).headline) <= MAX_HEADLINE_CHARS


def test_an_error_in_the_midst_of_a_long_log_is_found() -> None:
    around = "\n".join(f"request {number} took {number % 7} ms" for number in range(2000))
    found = signature(f"{around}\nOSError: [Errno 28] No space left on device\n{around}")
    assert found.headline == "OSError: [Errno 28] No space left on device"
