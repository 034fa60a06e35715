"""Twenty turns with tools in the real client: nothing that was sent is ever sent differently."""

import json
from collections.abc import Iterator
from statistics import mean

import pytest

from tests.e2e.fake_model import Request, Wire, assert_prefix_kept, kept_shares
from tests.e2e.opencode import Project, Server
from tests.e2e.shop import (
    BOTH,
    LEDGER,
    NEWER_TOKEN,
    ON_INVOICES,
    ON_TOKEN,
    POOL,
    TOKEN,
    UNKNOWN_ERROR,
    ask,
    bash,
    read,
    taught_project,
    teach,
)
from tests.e2e.shown import assert_each_once_and_within_the_caps, tool_blocks, turn_blocks
from tests.e2e.taught import DEPLOYMENT, INVOICES, OFF_TOPIC, ON_TOPIC, STANDING, remember
from tests.requirements import covers

pytestmark = pytest.mark.alone


def write(name: str, text: str) -> str:
    return f"[[tool write {json.dumps({'filePath': name, 'content': text})}]]"


def edit(name: str, old: str, new: str) -> str:
    return f"[[tool edit {json.dumps({'filePath': name, 'oldString': old, 'newString': new})}]]"


def conversation(file: str) -> tuple[list[str], list[str]]:
    """What is asked before and after something that was shown stops being true: twenty prompts."""
    before = [
        ON_TOPIC,
        f"Look around first. {bash('ls')}",
        OFF_TOPIC,
        ON_TOKEN,
        f"Run the shop's orders now. {POOL.tool}",
        f"Look at what is set. {LEDGER.tool} {bash('pwd')}",
        ON_INVOICES,
        f"Write it down. {write(file, 'one = 1')}",
        f"Make it two. {edit(file, 'one = 1', 'two = 2')}",
        "Thanks!",
        "And once more: how does the Helm deployment reach GKE?",
    ]
    after = [
        "Fine, go on with that list.",
        "So, how long does the auth token live by now?",
        f"Run the shop's orders again. {POOL.tool}",
        f"Read what you wrote. {read(file)}",
        "What is the capital of France, by the way?",
        f"And the barometer? {UNKNOWN_ERROR} {bash('true')}",
        "Do the invoice numbers restart at 1 for the tax office?",
        f"Two failures in a row, then. {LEDGER.tool} {UNKNOWN_ERROR}",
        "Good, that is all for today.",
    ]
    assert len(before) + len(after) == 20
    return before, after


def talk(server: Server, wire: Wire) -> list[Request]:
    """The whole conversation in one session; it begins with a token of 15 minutes and ends with one of 60."""
    project, session = server.project, server.session()
    before, after = conversation(str(project.path / f"numbers-{session.id}.toml"))
    turns = [ask(session, prompt, wire=wire) for prompt in before]
    remember(project, NEWER_TOKEN, "research")
    turns += [ask(session, prompt, wire=wire) for prompt in after]
    assert [turn.error for turn in turns] == [None] * 20
    return [chat for turn in turns for chat in turn.chats]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    with taught_project(tmp_path_factory.mktemp("machine")) as taught:
        yield taught


def another(project: Project, name: str) -> Project:
    """On the same machine, where nobody has said yet that the token lives longer."""
    other = project.machine.project(name)
    teach(other)
    return other


def shown(name: str, requests: list[Request]) -> str:
    shares = kept_shares(requests)
    whole = sum(share == 1.0 for share in shares)
    kept = f"{mean(shares):.1%} (least {min(shares):.1%}; whole in {whole} of {len(shares)})"
    return f"\n  prefix kept over {len(requests)} requests, {name}: {kept}"


@covers("INJ-2", "INJ-3", "INJ-5", "INJ-7", "SCN-D3", "BUD-4")
@pytest.mark.parametrize("wire", BOTH)
def test_twenty_turns_with_tools_keep_every_byte_and_show_each_thing_once(
    project: Project, wire: Wire, capsys: pytest.CaptureFixture[str]
) -> None:
    with another(project, f"shop-{wire}").serve() as server:
        chats = talk(server, wire)
        server.model.assert_no_errors()
    with capsys.disabled():
        print(shown(wire, chats))  # noqa: T201
    assert_prefix_kept(chats)
    assert len({chat.system_fences[0] for chat in chats}) == 1
    for chat in chats:
        assert_each_once_and_within_the_caps(chat)
    last = chats[-1]
    assert STANDING in last.system_fences[0]
    told = "\n".join(last.fences)
    assert [told.count(text) for text in (DEPLOYMENT, INVOICES, TOKEN, POOL.fix, LEDGER.fix)] == [1, 1, 1, 1, 1]
    fixes = ["".join(fences) for fences in tool_blocks(last) if fences]
    assert [[known.fix in fix for known in (POOL, LEDGER)] for fix in fixes] == [[True, False], [False, True]]
    (corrected,) = [block for block in turn_blocks(last) if NEWER_TOKEN in block]
    assert "replaces" in corrected
    asked = next(text for text in last.user_texts if NEWER_TOKEN in text)
    assert asked.startswith("Fine, go on with that list.")  # the very next prompt, whatever it is about


def test_the_same_conversation_with_all_of_it_in_the_system_prompt_keeps_less(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the setting costs; nobody has it by default."""
    other = another(project, "shop-system")
    other.write(".recollect.toml", '[inject]\nplacement = "system"\n')
    with other.serve() as server:
        chats = talk(server, "openai")
        server.model.assert_no_errors()
    with capsys.disabled():
        print(shown('with placement = "system"', chats))  # noqa: T201
    assert mean(kept_shares(chats)) < 1.0
