import pytest

from recollect.capture.session import Listener
from recollect.text.sentences import sentences
from tests.unit.capture.saying import a_prompt
from tests.unit.effort import LIMIT, growth, least

CHARS = 5_000
SPOKEN = "The build takes a while on my machine, so I had a look at it. "
# Full stops that end no sentence, code spans that stay open, and marks of structure without end.
REPEATED = (". A", "e.g. A ", "No. 5 ", "`a. ", "1. a\n", "a:\n", "a - ", "**a ")


def hear(text: str) -> None:
    Listener().hear(a_prompt(text))


@pytest.mark.parametrize("piece", REPEATED)
def test_an_odd_prompt_takes_no_more_than_a_few_times_the_work_of_an_ordinary_one(piece: str) -> None:
    """Of a long prompt only a part is weighed, so the work cannot be told from its growth."""
    ordinary, odd = (least(hear, part * (CHARS // len(part))) for part in (SPOKEN, piece))
    assert odd < 8 * ordinary


@pytest.mark.parametrize("piece", [". A", "e.g. A ", "No. 5 "])
def test_a_text_of_short_forms_is_cut_in_one_go(piece: str) -> None:
    assert growth(sentences, piece) < LIMIT
