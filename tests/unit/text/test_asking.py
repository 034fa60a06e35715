import pytest

from recollect.text.asking import PromptPurpose, prompt_purpose, without_host_tags


@pytest.mark.parametrize(
    "prompt",
    [
        "how do we run the migrations",
        "why is the retry capped at three?",
        "which version of postgres are we on?",
        "what did we decide about the queue",
        "same as last time, please",
        "where did we leave off?",
        "can you remind me how the cart is stored?",
        "is the parser used in the backend?",
        "Warum läuft die Pipeline doppelt?",
        "¿cómo se despliega el servicio de pagos?",
        "comment est-ce que le cache est vidé ?",
        "为什么测试要单独运行？",
        "前回のデプロイの続き",
    ],
)
def test_who_asks_how_something_is_or_was_asks_a_question(prompt: str) -> None:
    assert prompt_purpose(prompt) is PromptPurpose.QUESTION


@pytest.mark.parametrize(
    "prompt",
    [
        "can you add a loading indicator to the list?",
        "what if we used redis for that queue?",
        "should we rename the flag to retries?",
        "do you think the shape of the config is confusing?",
        "what's next?",
        "what would be the next step",
        "when I run the tests I get an import error",
        "fix the flaky upload test",
        "why don't we drop the second parser?",
        "what does it do?",
        "did not deploy?",
        "comment on my conventions",
    ],
)
def test_who_wants_something_done_gives_a_task(prompt: str) -> None:
    assert prompt_purpose(prompt) is PromptPurpose.TASK


@pytest.mark.parametrize(
    "prompt",
    [
        "/review 12 --deep",
        "\n".join(f"{number}. do step {number}" for number in range(1, 8)),
        "## Context\n\n" + "The upload fails for large files, and here is all that is known about it. " * 30,
    ],
)
def test_commands_plans_and_long_texts_ask_for_nothing(prompt: str) -> None:
    assert prompt_purpose(prompt) is PromptPurpose.NOTHING


def test_a_path_is_no_command() -> None:
    assert prompt_purpose("/srv/data/report.csv is empty, find out why") is PromptPurpose.TASK


def test_the_wrapping_of_a_program_is_not_what_the_user_typed() -> None:
    wrapped = "<system_instruction>\nWork in this folder only.\n</system_instruction>\n\nwhy is the retry capped?"
    assert without_host_tags(wrapped).strip() == "why is the retry capped?"
    assert without_host_tags("a < b and b </ c") == "a < b and b </ c"
