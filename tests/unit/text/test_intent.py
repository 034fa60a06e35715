import pytest

from recollect.domain.memory import Anchor, Kind
from recollect.text.intent import KINDS_FOR, Task, intent
from tests.builders import a_memory
from tests.requirements import covers


@covers("RET-2")
@pytest.mark.parametrize(
    ("prompt", "task", "files", "functions", "technologies"),
    [
        ("fix the login bug in src/auth/login.py", Task.BUG_FIX, ["src/auth/login.py"], [], []),
        ("add authentication with JWT", Task.FEATURE, [], [], ["JWT"]),
        ("Refactor parse_config() and UserService.", Task.REFACTOR, [], ["parse_config", "UserService"], []),
        ("why does pytest fail on app.py with postgres 16?", Task.BUG_FIX, ["app.py"], [], ["pytest", "postgres"]),
        ("write tests for the webpack config", Task.TEST, [], [], ["webpack"]),
        ("explain how k8s and Node.js are set up", Task.DOCUMENTATION, [], [], ["k8s", "Node.js"]),
        ("which structure do the modules have?", Task.ARCHITECTURE, [], [], []),
        ("where do we stand?", Task.GENERAL, [], [], []),
        ("", Task.GENERAL, [], [], []),
        ("修复登录错误 in login.py", Task.GENERAL, ["login.py"], [], []),
    ],
)
def test_a_prompt_names_things_and_a_task(
    prompt: str, task: Task, files: list[str], functions: list[str], technologies: list[str]
) -> None:
    found = intent(prompt)
    assert found.task is task
    assert (list(found.files), list(found.functions), list(found.technologies)) == (files, functions, technologies)


def test_each_task_has_its_kinds_and_a_bug_fix_begins_with_errors() -> None:
    assert intent("fix the crash").kinds[0] is Kind.ERROR_PATTERN
    assert intent("add a page").kinds[0] is Kind.DECISION
    assert intent("explain this").kinds == KINDS_FOR[Task.GENERAL]
    assert all(len(set(kinds)) == len(kinds) for kinds in KINDS_FOR.values())


def test_a_memory_is_about_what_the_prompt_names_or_what_the_session_works_on() -> None:
    about = intent("why is parse_config slow?", ["src/shop/cart.py", "/home/me/shop/README.md"])
    assert about.is_named_in(a_memory("parse_config reads the file twice."))
    assert about.is_named_in(a_memory("cart.py holds the totals."))
    assert about.is_named_in(a_memory("Totals live there.", anchors=(Anchor("src/shop/cart.py", "1f"),)))
    assert not about.is_named_in(a_memory("We deploy with Helm."))
    assert not intent("is it written in Go?").is_named_in(a_memory("The category tree of the algorithm."))


def test_a_very_long_prompt_is_read_quickly() -> None:
    assert intent("fix " + "a/b.c " * 200_000).task is Task.BUG_FIX


@pytest.mark.parametrize("text", ["src/pool.py holds the connections.", "pool.py holds the connections."])
def test_a_file_that_was_worked_on_is_named_with_or_without_its_folder(text: str) -> None:
    assert intent("Go on with it.", ["/home/me/shop/src/pool.py"]).is_named_in(a_memory(text))
    assert not intent("Go on with it.", ["/home/me/shop/src/queue.py"]).is_named_in(a_memory(text))
