"""The version of the capture rules, and the check whether today's rules still confirm an older memory. Pure.

The check uses what is stored: the messages around the memory, its evidence, its form. Tool calls are not archived: they
are rebuilt from the memory and replayed.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from recollect.capture.echo import is_echo, words_of
from recollect.capture.happened.choices import Choices, is_choice
from recollect.capture.happened.commands import Commands
from recollect.capture.said.conversation import CLAIMED, OUTRIGHT, find_proposals
from recollect.domain.event import Prompt, Reply, ToolSucceeded
from recollect.domain.memory import Kind, Memory, MessageId, Role, SessionId, Tier
from recollect.text.lazy_pattern import LazyPattern

RULES_VERSION = 4  # raise it whenever the rules confirm other things than before: stored memories are then judged again

_SESSION, _AT = SessionId("again"), datetime(2026, 1, 1, tzinfo=UTC)  # of replayed events
_CHOICE = LazyPattern(r'\bover (?P<others>.+?)(?:\)\.$| \(asked: "(?P<question>.+?)\??"\)$)', re.DOTALL)


def still_confirms(memory: Memory, heard: Sequence[Prompt | Reply]) -> bool:
    """Return True if today's rules confirm it. `heard`: the archived messages up to its own; empty: no longer there."""
    if memory.use.feedback > 0:  # as good as approved
        return True
    if memory.kind is Kind.ERROR_PATTERN and memory.source.role is not Role.USER:
        # The first rules took anything said before a success for a fix, and kept no change that could prove it.
        return memory.rules is not None
    if memory.source.role is not Role.USER:
        return _is_command(memory)
    if _CHOICE.search(memory.text):
        return _is_valid_choice(memory)
    return is_choice(memory) or _is_stated(memory, heard)  # choices in the form of rules 2 and later stay valid


def _is_stated(memory: Memory, heard: Sequence[Prompt | Reply]) -> bool:
    """Return True if the user stated it outright, or as a candidate in two sessions."""
    words = memory.text
    if len(memory.evidence) == 1 and memory.text.startswith(memory.evidence[0]):
        words = memory.evidence[0]  # a correction adds to the user's words what was refused
    text = "\n\n".join(memory.evidence) or memory.text
    messages = heard or [Prompt(session=_SESSION, at=_AT, message=MessageId("again"), text=text)]
    least = CLAIMED if _is_repeated_elsewhere(memory) else OUTRIGHT
    found = find_proposals(messages[-1], messages[:-1])
    stated = [one for one in found if one.role is Role.USER and one.durability >= least]
    return is_echo(words, [words_of(one.text) for one in stated])


def _is_repeated_elsewhere(memory: Memory) -> bool:
    """Return True if the user said it in another session. A resumed session begins with copies of the same messages."""
    first = memory.source
    return any(
        again.role is Role.USER
        and again.session != first.session
        and (again.message, again.at) != (first.message, memory.created_at)
        for again in memory.mentions
    )


def _is_valid_choice(memory: Memory) -> bool:
    """Replay a choice in a host's question, which was answered with the name of an option."""
    asked = _CHOICE.search(memory.text)
    if asked is None or len(memory.evidence) < 2:
        return False
    question, taken = memory.evidence[:2]
    if not taken or not (question.startswith(taken) or f"? {taken}" in memory.text):
        return False
    options = [{"label": name} for name in (taken, *asked["others"].split(", "))]
    question = f"{asked['question'] or question.rstrip('?')}?"
    given = {"questions": [{"question": question, "options": options}], "answers": {question: taken}}
    return _is_confirmed(Choices(), ToolSucceeded(session=_SESSION, at=_AT, tool="AskUserQuestion", input=given))


def _is_command(memory: Memory) -> bool:
    """Replay a command: it is the project's own if it worked twice."""
    line = memory.evidence[0] if memory.evidence and memory.title else ""
    if not line or f"`{line}`" not in memory.text:
        return False
    ran = ToolSucceeded(session=_SESSION, at=_AT, tool="Bash", input={"command": line})
    return _is_confirmed(Commands(), ran, ran)


def _is_confirmed(part: Choices | Commands, *events: ToolSucceeded) -> bool:
    return any(one.tier is Tier.CONFIRMED for event in events for one in part.hear(event))
