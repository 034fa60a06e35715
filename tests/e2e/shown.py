"""What a request shows of Recollect: its blocks, once each, within what they may cost."""

import re
from collections import Counter

from recollect.domain.settings import Budgets
from tests.e2e.fake_model import Request
from tests.flows.blocks import priced

BUDGETS = Budgets()
_ENTRY = re.compile(r"^\[[A-Z]+\] .*\((?P<about>[^()]*)\)$", re.MULTILINE)


def turn_blocks(request: Request) -> list[str]:
    return [fence for fences in request.message_fences for fence in fences]


def tool_blocks(request: Request) -> list[list[str]]:
    """Those of each tool result, oldest first."""
    return [
        fences
        for message, fences in zip(request.messages, request.message_fences, strict=True)
        if message.role == "tool"
    ]


def assert_each_once_and_within_the_caps(request: Request) -> None:
    """Judged by a tokenizer that the product does not have."""
    every = request.fences
    assert [block for block, times in Counter(every).items() if times > 1] == []
    entries = Counter(entry.group(0) for block in every for entry in _ENTRY.finditer(block))
    assert [entry for entry, times in entries.items() if times > 1] == []
    assert len(request.system_fences) <= 1
    assert all(priced(block) <= BUDGETS.start_tokens for block in request.system_fences)
    costs = [priced(block) for block in turn_blocks(request)]
    assert all(cost <= BUDGETS.turn_tokens for cost in costs)
    assert all(priced(block) <= BUDGETS.error_tokens for fences in tool_blocks(request) for block in fences)
    assert sum(costs) <= BUDGETS.live_turn_tokens
    for word in ("<recollect>", "</recollect>"):
        assert request.prefix_text().count(word) == len(every), "a fence outside of a block"


def assert_bare(request: Request) -> None:
    assert request.fences == []
