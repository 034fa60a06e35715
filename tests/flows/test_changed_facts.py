"""A fact that changed: every later block tells the new one first, and never the old one alone."""

from datetime import timedelta

import pytest

from recollect.domain.event import Event
from recollect.domain.memory import MessageId
from tests.builders import NOW, a_prompt, a_question, a_reply, a_start, an_end, compacting
from tests.driver import Engine
from tests.requirements import covers

OTHER = "Please look at the invoice export, it writes the wrong header."
# What session 1 says, what session 3 says, what is asked later, and the words that tell them apart.
CHANGES = {
    "library": (
        "We use Jest for the unit tests of the web app.",
        "We switched from Jest to Vitest for the unit tests of the web app.",
        "Which library runs the unit tests of the web app?",
        ("Jest for", "Vitest"),
    ),
    "port": (
        "The billing service listens on port 8080.",
        "The billing service now listens on port 9443, no longer on 8080.",
        "Which port does the billing service listen on?",
        ("port 8080", "9443"),
    ),
    "rule": (
        "Always squash commits before you merge a branch.",
        "From now on never squash commits before you merge a branch; we keep the history.",
        "Do I squash commits before I merge a branch?",
        ("Always squash", "never squash"),
    ),
    "decision": (
        "We decided to keep sessions in Redis.",
        "We moved sessions from Redis to Postgres, so that we run one database less.",
        "Where do we keep sessions?",
        ("sessions in Redis", "Postgres"),
    ),
    "day": (
        "remember that prod deploys happen on tuesdays",
        "prod deploys are on thursdays now",
        "when are prod deploys",
        ("tuesdays", "thursdays"),
    ),
}


def lived(engine: Engine, *events: Event) -> None:
    for event in events:
        engine.handle(event)
        while engine.learn_some():
            pass


def a_session(name: str, text: str, day: int, reply: str = "Done.") -> list[Event]:
    at = NOW + timedelta(days=day)
    return [
        a_start(name, at=at),
        a_prompt(text, session=name, message=f"{name}1", at=at),
        a_reply(reply, session=name, message=MessageId(f"{name}2"), at=at),
        an_end(name, at=at),
    ]


def tells_the_new_one_first(block: str, old: str, new: str) -> bool:
    return old not in block or (new in block and block.index(new) < block.index(old))


@covers("CAP-10", "CAP-13")
@pytest.mark.parametrize("reply", ["Done.", "Noted: {before}"])
@pytest.mark.parametrize("what", CHANGES)
def test_every_later_block_tells_the_new_one_first_and_never_the_old_one_alone(
    engine: Engine, what: str, reply: str
) -> None:
    before, after, question, (old, new) = CHANGES[what]
    lived(engine, *a_session("one", before, 0, reply.format(before=before)))
    lived(engine, *a_session("two", OTHER, 1), *a_session("three", after, 2))
    told = False
    for day in (3, 10, 40):
        at = NOW + timedelta(days=day)
        session = f"later{day}"
        blocks = [
            engine.handle(a_start(session, at=at)).block,
            engine.handle(a_prompt(question, session=session, message=f"{session}-1", at=at)).block,
            engine.handle(a_question(question, session=f"{session}-asked", at=at)).block,
            engine.handle(compacting(session, at=at)).block,
        ]
        for block in blocks:
            assert tells_the_new_one_first(block, old, new), block
        told = told or any(new in block for block in blocks)
    assert told, "the new one is told at all"
