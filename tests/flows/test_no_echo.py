"""A model tells back what it was shown. That makes nothing truer: nothing is learnt from our own words."""

from datetime import timedelta

import pytest

from recollect.domain.event import Event
from recollect.domain.memory import Kind, Memory, MessageId, Role, SessionId, Source, Tier, Viewer
from recollect.domain.settings import Settings
from recollect.engine.learning.drafts import rehearse
from recollect.store.sqlite.store import SqliteStore
from recollect.text.block import CLOSE, OPEN
from tests.builders import NOW, PROJECT, a_draft, a_prompt, a_reply, a_start, an_end, compacted
from tests.driver import Engine
from tests.requirements import covers

HERE = Viewer(project=PROJECT)
BY_AGENT = Source(role=Role.ASSISTANT, session=SessionId("s0"))

KNOWN = (
    a_draft("Always run the tests with pytest -q before you commit.", kind=Kind.RULE),
    a_draft("We decided to keep sessions in Redis because the API runs on three hosts.", kind=Kind.DECISION),
    a_draft(
        "The export job fails with exit code 137: its container has 256 MB and needs memory: 1Gi in deploy/job.yaml.",
        kind=Kind.ERROR_PATTERN,
        tier=Tier.CANDIDATE,
        durability=0.6,
        source=BY_AGENT,
    ),
    a_draft(
        "src/billing/rounding.py rounds half to even since the tax office asked for it.",
        kind=Kind.FILE_CONTEXT,
        tier=Tier.CANDIDATE,
        durability=0.6,
        source=BY_AGENT,
    ),
)
PROMPTS = (
    "Which tests do I run before a commit?",
    "Where do sessions of the API live, and why Redis?",
    "Why does the export job fail with exit code 137 again?",
    "How does src/billing/rounding.py round?",
)
# In the words of the block, and in others.
REPLIES = (
    """As noted, you always run the tests with pytest -q before you commit. The root cause is always the same: people
    forget it. Before each commit, run pytest -q; that is a rule of this project.""",
    """Sessions are kept in Redis, since the API runs on three hosts. It was decided to keep sessions in Redis because
    of the three hosts on which the API runs.""",
    """The export job fails with exit code 137 because its container only has 256 MB. The fix is memory: 1Gi in
    deploy/job.yaml, because the job needs more memory than that.""",
    "src/billing/rounding.py rounds half to even, because the tax office asked for it.",
)


def work_off(engine: Engine) -> None:
    while engine.learn_some():
        pass


def state(memory: Memory) -> tuple[object, ...]:
    return memory.text, memory.tier, memory.importance, memory.seen, memory.durability, memory.mentions


@covers("SCN-X1", "CAP-13")
@pytest.mark.parametrize("sums_up", [False, True])
def test_fifty_sessions_of_a_model_that_repeats_its_blocks_confirm_nothing(
    store: SqliteStore, engine: Engine, sums_up: bool
) -> None:
    engine.remember_all(KNOWN)
    before = sorted(map(state, store.newest(HERE, limit=100)))
    for day in range(50):
        session, at = f"echo{day}", NOW + timedelta(days=day / 10)
        shown = [engine.handle(a_start(session, at=at)).block]
        for number, (prompt, reply) in enumerate(zip(PROMPTS, REPLIES, strict=True)):
            name = f"{session}-{number}"
            shown.append(engine.handle(a_prompt(prompt, session=session, message=name, at=at)).block)
            engine.handle(a_reply(reply, session=session, message=MessageId(f"{name}r"), at=at))
            work_off(engine)
        assert "pytest -q" in shown[0]
        if sums_up:
            told = "\n".join(f"- {line}" for block in shown for line in block.splitlines() if line.startswith("["))
            summary = f"## Decisions and rules\n{told}\n\n## Worth remembering\n" + "\n".join(f"- {r}" for r in REPLIES)
            engine.handle(compacted(session, at=at, summary=summary))
        engine.handle(an_end(session, at=at))
        work_off(engine)
    after = store.newest(HERE, limit=1000)
    known = {text for text, *_ in before}
    assert sorted(state(memory) for memory in after if memory.text in known) == before
    assert [memory for memory in after if memory.text not in known and memory.tier is Tier.CONFIRMED] == []


@covers("CAP-6")
def test_what_is_captured_with_our_blocks_in_the_text_is_what_is_captured_without() -> None:
    block = f"{OPEN}\nReference data.\n[RULE] Never push to main without a review. (2026-03-01, m1)\n{CLOSE}"
    said = [
        ("u", "Always run the tests with pytest -q before you commit."),
        (
            "a",
            "The root cause is the pool in src/db.py: it never released a connection, because a timeout raises first.",
        ),
        ("u", "We use Redis for caching, not memcached."),
    ]

    def session(around: str) -> list[Event]:
        def event(number: int, who: str, text: str) -> Event:
            wrapped = "\n".join([around, text, around]).strip()
            message = MessageId(f"m{number}")
            if who == "u":
                return a_prompt(wrapped, message=message)
            return a_reply(wrapped, message=message)

        return [event(number, who, text) for number, (who, text) in enumerate(said)]

    without = rehearse(session(""), Settings())
    assert without != []
    assert rehearse(session(block), Settings()) == without


@covers("CAP-13", "CAP-10")
def test_only_the_user_confirms_what_an_agent_had_said(store: SqliteStore, engine: Engine) -> None:
    (candidate,) = [one for one in KNOWN if "rounding" in one.text]
    engine.remember(candidate)
    for session in ("s1", "s2", "s3"):  # it is shown in none of these
        engine.handle(a_reply(candidate.text, session=session, project=PROJECT))
        work_off(engine)
    (memory,) = [one for one in store.newest(HERE, limit=9) if one.text == candidate.text]
    assert memory.tier is Tier.CANDIDATE
    engine.remember(
        a_draft(candidate.text, kind=candidate.kind, source=Source(role=Role.USER, session=SessionId("s4")))
    )
    (memory,) = [one for one in store.newest(HERE, limit=9) if one.text == candidate.text]
    assert memory.tier is Tier.CONFIRMED
