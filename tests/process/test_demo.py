"""The demo shows what its story promises, with the model and without it."""

import re
from pathlib import Path
from typing import Any

import pytest
from splintr import Tokenizer

from recollect import wiring
from recollect.cli.demo import story
from recollect.cli.demo.stage import PlayedStory, StoryStep, play
from recollect.domain.event import Compacted, Compacting, Prompt, SessionStarted, ToolFailed
from recollect.domain.injection import Injection
from recollect.domain.memory import Role
from recollect.domain.settings import TurnPlacement
from recollect.engine.engine import NO_MODEL
from tests.process.conftest import Home, without_styles

REAL = Tokenizer.from_pretrained("o200k_base")


@pytest.fixture(params=["by words", "by meaning"], scope="module")
def model(request: pytest.FixtureRequest) -> Any:
    return NO_MODEL if request.param == "by words" else wiring.Model(request.getfixturevalue("model_folder"))


@pytest.fixture(scope="module")
def played(model: Any) -> PlayedStory:
    return play(TurnPlacement.MESSAGE, model)


def on_prompt(played: PlayedStory, words: str) -> Injection:
    (found,) = [s.injection for s in played.second if isinstance(s.event, Prompt) and words in s.event.text]
    return found


def all_steps(played: PlayedStory) -> list[StoryStep]:
    return [*played.older, *played.first, *played.second]


def test_everything_is_learnt_from_the_sessions(played: PlayedStory) -> None:
    learnt = [memory for step in (*played.older, *played.first) for memory in step.learnt]
    assert sorted(memory.kind for memory in learnt) == ["decision", "decision", "error_pattern", "research", "rule"]
    for memory in learnt:
        assert memory.source.session in ("january", "monday")
        assert memory.source.role in (Role.USER, Role.ASSISTANT)


def test_tuesday_starts_with_what_monday_taught_and_left_open(played: PlayedStory) -> None:
    first, again = [s.injection.block for s in played.second if isinstance(s.event, SessionStarted)]
    for words in ("pnpm here, never npm", "sessions in Postgres", "- open: Limit login", 'asked: "Add a login route'):
        assert words in first
    assert "webhook" not in first
    assert again == first  # after the compaction


def test_a_prompt_brings_what_fits_and_one_off_topic_brings_nothing(played: PlayedStory) -> None:
    assert "payment webhook once" in on_prompt(played, "two receipts").block
    assert on_prompt(played, "emoji").block == ""


def test_the_known_error_brings_its_fix(played: PlayedStory) -> None:
    monday, tuesday = [s for s in all_steps(played) if isinstance(s.event, ToolFailed)]
    assert monday.injection.block == ""
    assert "docker compose up -d db" in tuesday.injection.block


def test_nothing_is_shown_twice_before_the_compaction_and_it_comes_back_after_it(played: PlayedStory) -> None:
    shown: list[str] = []
    for step in played.second:
        if isinstance(step.event, Compacted):
            break
        if not isinstance(step.event, Compacting):
            shown += step.injection.ids
    assert len(shown) == len(set(shown))
    after = on_prompt(played, "arrives twice").ids
    assert after
    assert set(after) <= set(shown)


def test_every_block_of_the_story_is_within_its_budget(played: PlayedStory) -> None:
    for step in all_steps(played):
        injection = step.injection
        assert len(REAL.encode_ordinary(injection.block)) <= injection.tokens <= max(0, injection.budget_tokens)


def test_each_request_begins_the_next_one_unless_blocks_go_into_the_system_prompt(
    played: PlayedStory, model: Any
) -> None:
    assert played.kept_share == 1.0
    in_system = play(TurnPlacement.SYSTEM, model)
    assert len(in_system.pairs) == len(played.pairs) > 3
    assert in_system.kept_share < 0.95


def test_the_story_goes_the_same_way_each_time(played: PlayedStory, model: Any) -> None:
    again = play(TurnPlacement.MESSAGE, model)
    assert [step.injection for step in again.second] == [step.injection for step in played.second]
    assert again.pairs == played.pairs


def test_the_page_prints_what_the_engine_answered(home: Home) -> None:
    record = home.json("demo")
    assert record["by_meaning"] is False
    assert record["prefix"]["message"]["kept"] == 1.0
    shown = " ".join(line[8:].removeprefix("│ ").strip() for line in home.said("demo").splitlines())
    for moment in record["moments"]:
        for memory in moment["learnt"]:
            assert moment["session"] == "tuesday" or memory["text"] in shown
        if moment["session"] == "tuesday" and moment["event"] != "compacting":  # of that one, long lines are cut
            for line in moment["block"].splitlines():
                assert line in shown
    assert "Recollect adds nothing: no memory comes near." in shown
    assert not home.places.database.exists()


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_the_demo_fits_its_terminal_and_is_never_wider_than_a_page(home: Home, columns: int) -> None:
    shown = home.in_terminal("demo", columns=columns)
    assert "\x1b[" in shown
    page = without_styles(shown).split("Your turn")[0]  # the command below has a path of any length
    lines = page.split(story.TITLE)[1].splitlines()
    assert max(map(len, lines)) <= min(columns, 100)


def test_the_demo_has_no_styles_where_that_is_wanted(home: Home) -> None:
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
def test_a_figure_and_its_unit_are_on_one_line(home: Home, columns: int) -> None:
    shown = without_styles(home.in_terminal("demo", columns=columns))
    figures = r"[\d.]+ ms|[\d,]+ of [\d,]+ tokens"
    assert len(re.findall(figures, shown)) == len(re.findall(figures, " ".join(shown.split()))) > 10


def test_the_demo_says_whether_it_searches_by_meaning(home: Home, model_folder: Path) -> None:
    assert "by words alone" in " ".join(home.said("demo").split())
    assert "by words alone" not in " ".join(home.with_model(model_folder).said("demo").split())
