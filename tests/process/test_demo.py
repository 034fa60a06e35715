"""The demo keeps what its story promises, with the model and without it."""

import re
from pathlib import Path
from typing import Any

import pytest
from splintr import Tokenizer

from recollect import wiring
from recollect.cli.demo import story
from recollect.cli.demo.stage import Lesson, Played, StoryMoment, play
from recollect.domain.event import Asked, Compacted, Compacting, Prompt, SessionStarted, ToolFailed
from recollect.domain.injection import Injection, Quiet
from recollect.domain.outcome import Updates
from recollect.domain.settings import Placing
from recollect.engine.engine import no_model
from tests.process.conftest import Home, without_styles

REAL = Tokenizer.from_pretrained("o200k_base")


@pytest.fixture(params=["by words", "by meaning"], scope="module")
def model(request: pytest.FixtureRequest) -> Any:
    return no_model if request.param == "by words" else wiring.Model(request.getfixturevalue("model_folder"))


@pytest.fixture(scope="module")
def played(model: Any) -> Played:
    return play(Placing.MESSAGE, model)


def evening(played: Played) -> list[StoryMoment]:
    return [step for step in played.evening if isinstance(step, StoryMoment)]


def on_prompt(played: Played, words: str) -> Injection:
    (found,) = [m.injection for m in evening(played) if isinstance(m.event, Prompt) and words in m.event.text]
    return found


def test_the_evening_starts_with_what_the_morning_taught_and_left(played: Played) -> None:
    first, again = [m.injection.block for m in evening(played) if isinstance(m.event, SessionStarted)]
    for words in ("show diffs", "Type hints", "Orders close at 18:00", "- open: stop Saturday's", 'asked: "allergens'):
        assert words in first
    assert "Redis" not in first
    assert "Orders now close at 20:00" in again
    assert "18:00" not in again


def test_each_topic_brings_what_belongs_to_it(played: Played) -> None:
    slots, webhook = on_prompt(played, "overbooked").block, on_prompt(played, "webhook").block
    assert "row lock" in slots
    assert "event id" not in slots
    assert "event id" in webhook
    assert "row lock" not in webhook


def test_silence_is_kept_and_says_why(played: Played) -> None:
    idle, unknown = on_prompt(played, "continue"), on_prompt(played, "chart")
    assert (idle.block, idle.quiet) == ("", Quiet.IDLE)
    assert (unknown.block, unknown.quiet) == ("", None)
    assert unknown.choices
    assert all(choice.relevance < choice.needed for choice in unknown.choices)


def test_the_known_error_is_answered_and_the_unknown_one_is_not(played: Played) -> None:
    known, unknown = [m.injection for m in evening(played) if isinstance(m.event, ToolFailed)]
    assert "orders/clock.py" in known.block
    assert unknown.block == ""


def test_what_was_shown_and_no_longer_holds_is_corrected_once(played: Played) -> None:
    (old,) = [
        step.stored.replaced[0].id
        for step in played.evening
        if isinstance(step, Lesson) and isinstance(step.stored, Updates)
    ]
    blocks = [m.injection.block for m in evening(played)]
    assert sum(f"; replaces {old})" in block for block in blocks) == 1
    assert f"; replaces {old})" in on_prompt(played, "countdown").block


def test_nothing_is_shown_twice_before_the_compaction_and_something_again_after_it(played: Played) -> None:
    moments = evening(played)
    cut = next(number for number, moment in enumerate(moments) if isinstance(moment.event, Compacted))
    shown = [
        memory
        for moment in moments[:cut]
        if not isinstance(moment.event, Asked | Compacting)
        for memory in moment.injection.ids
    ]
    assert len(shown) == len(set(shown))
    assert set(on_prompt(played, "Once more").ids) <= set(shown)


def test_the_agent_gets_an_answer_when_it_asks(played: Played) -> None:
    (asked,) = [moment.injection for moment in evening(played) if isinstance(moment.event, Asked)]
    assert "48 characters" in asked.block


def test_every_block_of_the_story_is_within_its_budget(played: Played) -> None:
    for moment in evening(played):
        injection = moment.injection
        assert len(REAL.encode_ordinary(injection.block)) <= injection.tokens <= max(0, injection.budget_tokens)


def test_all_of_a_request_begins_the_next_one_unless_blocks_are_put_into_the_system_prompt(
    played: Played, model: Any
) -> None:
    assert played.kept == 1.0
    assert all(call.kept_bytes == call.before_bytes for call in played.calls)
    in_system = play(Placing.SYSTEM, model)
    assert len(in_system.calls) == len(played.calls)
    assert in_system.kept < 0.9
    assert in_system.kept_said < in_system.kept


def test_the_story_goes_the_same_way_each_time(played: Played, model: Any) -> None:
    again = play(Placing.MESSAGE, model)
    assert [m.injection for m in evening(again)] == [m.injection for m in evening(played)]
    assert again.calls == played.calls


def test_the_demo_shows_every_line_of_the_story(home: Home) -> None:
    told = home.json("demo")
    assert told["by_meaning"] is False
    assert told["prefix"]["message"]["kept"] == 1.0
    shown = " ".join(line[7:].removeprefix("│ ").strip() for line in home.said("demo").splitlines())
    for moment in told["moments"]:
        for line in moment.get("block", "").splitlines():
            assert line in shown
    assert "silence: the prompt asks nothing" in shown
    assert not (home.places.database).exists()


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_the_demo_fits_its_terminal_and_is_never_wider_than_a_page(home: Home, columns: int) -> None:
    shown = home.in_terminal("demo", columns=columns)
    assert "\x1b[" in shown
    story = without_styles(shown).split("Your turn")[0].splitlines()  # the command below has a path of any length
    assert max(map(len, story)) <= min(columns, 100)


def test_the_demo_is_plain_where_that_is_wanted(home: Home) -> None:
    assert "\x1b[" not in home.in_terminal("demo", TERM="dumb")
    assert "\x1b[" not in home.in_terminal("demo", NO_COLOR="1")


def test_a_terminal_without_unicode_gets_the_demo_too(home: Home) -> None:
    done = home.recollect("demo", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0, done.stderr
    assert b"| [DEC]" in done.stdout


def test_two_runs_of_the_demo_differ_in_milliseconds_alone(home: Home) -> None:
    # Words, not lines: 9.8 ms and 10.2 ms differ in width, so a line may end elsewhere.
    first, second = (re.sub(r"[\d.]+ ms", "ms", home.said("demo")).split() for _ in range(2))
    assert first == second


@pytest.mark.parametrize("columns", [60, 80])
def test_a_figure_and_what_it_counts_stand_on_one_line(home: Home, columns: int) -> None:
    shown = without_styles(home.in_terminal("demo", columns=columns))
    figures = r"best score \.\d\d|[\d.]+ ms|[\d,]+ of [\d,]+ tokens"
    assert len(re.findall(figures, shown)) == len(re.findall(figures, " ".join(shown.split()))) > 10


def test_the_demo_says_whether_it_goes_by_meaning(home: Home, model_folder: Path) -> None:
    assert "by words alone" in " ".join(home.said("demo").split())
    assert "by word and meaning" in " ".join(home.with_model(model_folder).said("demo").split())
    assert story.TITLE in home.said("demo")
