"""The version of the rules by which sessions are learnt from, and whether they still confirm what earlier ones did.

Pure. A memory is judged by what is kept of it: the messages around it, its evidence, its form. Tools are not archived:
what they showed is played once more as far as the memory tells it.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from recollect.capture.echo import is_echo, words_of
from recollect.capture.happened.choices import Choices, is_choice
from recollect.capture.happened.commands import Commands
from recollect.capture.patterns import LazyPattern
from recollect.capture.said.conversation import CLAIMED, OUTRIGHT, find_proposals
from recollect.domain.event import Prompt, Reply, ToolSucceeded
from recollect.domain.memory import Kind, Memory, MessageId, Role, SessionId, Tier

RULES = 4  # one more whenever other things are confirmed than before: then what is stored is judged again

_SESSION, _AT = SessionId("again"), datetime(2026, 1, 1, tzinfo=UTC)  # of what is played once more
_CHOICE = LazyPattern(r'\bover (?P<others>.+?)(?:\)\.$| \(asked: "(?P<question>.+?)\??"\)$)', re.DOTALL)


def still_confirms(memory: Memory, heard: Sequence[Prompt | Reply]) -> bool:
    """Whether today's rules confirm a captured memory. `heard`: the message it comes from, as the archive has it, and
    those before it; empty: it is not there any more."""
    if memory.use.feedback > 0:  # as good as approved
        return True
    if memory.kind is Kind.ERROR_PATTERN and memory.source.role is not Role.USER:
        return _is_fix(memory)
    if memory.source.role is not Role.USER:
        return _is_command(memory)
    if _CHOICE.search(memory.text):
        return _is_valid_choice(memory)
    return is_choice(memory) or _is_stated(memory, heard)  # choices in the form since the second rules hold


def _is_stated(memory: Memory, heard: Sequence[Prompt | Reply]) -> bool:
    """Outright; or so that it would be a candidate, and in two sessions."""
    # What was refused is told behind the words that refused it.
    is_told_more = len(memory.evidence) == 1 and memory.text.startswith(memory.evidence[0])
    words = memory.evidence[0] if is_told_more else memory.text
    messages = heard or [_prompt("\n\n".join(memory.evidence) or memory.text)]
    least = CLAIMED if _is_repeated_elsewhere(memory) else OUTRIGHT
    stated = [
        one for one in find_proposals(messages[-1], messages[:-1]) if one.role is Role.USER and one.durability >= least
    ]
    return is_echo(words, [words_of(one.text) for one in stated])


def _is_repeated_elsewhere(memory: Memory) -> bool:
    """By its user, in another session; a session that was resumed begins with copies of the same messages."""
    first = memory.source
    return any(
        again.source.role is Role.USER
        and again.source.session != first.session
        and (again.source.message, again.at) != (first.message, memory.created_at)
        for again in memory.mentions
    )


def _is_valid_choice(memory: Memory) -> bool:
    """A choice in a question of the host, which was answered with the name of an option."""
    asked = _CHOICE.search(memory.text)
    told, taken = memory.evidence[:2] if len(memory.evidence) > 1 else ("", "")
    if asked is None or not taken or not (told.startswith(taken) or f"? {taken}" in memory.text):
        return False
    options = [{"label": name} for name in (taken, *asked["others"].split(", "))]
    question = f"{asked['question'] or told.rstrip('?')}?"
    given = {"questions": [{"question": question, "options": options}], "answers": {question: taken}}
    return _is_confirmed(Choices(), ToolSucceeded(session=_SESSION, at=_AT, tool="AskUserQuestion", input=given))


def _is_command(memory: Memory) -> bool:
    """A command that is the project's own when it has worked twice."""
    line = memory.evidence[0] if memory.evidence and memory.title else ""
    if not line or f"`{line}`" not in memory.text:
        return False
    ran = ToolSucceeded(session=_SESSION, at=_AT, tool="Bash", input={"command": line})
    return _is_confirmed(Commands(), ran, ran)


def _is_fix(memory: Memory) -> bool:
    """The first rules took for a fix whatever was said before something passed. The change itself is not kept: nothing
    proves it."""
    return memory.rules is not None


def _is_confirmed(part: Choices | Commands, *events: ToolSucceeded) -> bool:
    return any(one.tier is Tier.CONFIRMED for event in events for one in part.hear(event))


def _prompt(text: str) -> Prompt:
    return Prompt(session=_SESSION, at=_AT, message=MessageId("again"), text=text)
