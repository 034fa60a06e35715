"""The closed loop: what replies take something from stands higher, and that is all that it does."""

from collections.abc import Collection
from dataclasses import replace

import pytest

from recollect.domain.memory import Kind, Memory, MemoryId, MessageId, SessionId, Usage
from recollect.domain.settings import Loop, Settings, Start, StartStyle
from recollect.rank.score import use_factor, use_rate, was_used
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, a_draft, a_failure, a_memory, a_prompt, a_reply, a_start, an_end, compacted
from tests.driver import Engine
from tests.flows.blocks import said
from tests.flows.conftest import engine_on
from tests.flows.test_tool_error import FAILED, a_fix
from tests.requirements import covers

COOKIE, HOUR = MemoryId("cookie"), MemoryId("hour")
ASK = "How does the auth token work?"
USES_IT = "It lies in an httpOnly cookie, so JavaScript cannot read it."
ELSE = "Let me look at the tests first."


@pytest.fixture
def taught(engine: Engine) -> Engine:
    engine.remember(a_draft("The auth token lies in an httpOnly cookie.", id=COOKIE, days_old=90))
    return engine


def use(store: SqliteStore, memory: MemoryId = COOKIE) -> tuple[int, int, int]:
    known = store.get(memory)
    assert known is not None
    return known.use.shown, known.use.used, known.use.unused


@covers("SCO-9")
@pytest.mark.parametrize(
    ("replies", "expected"),
    [
        ([USES_IT], (1, 1, 0)),
        ([ELSE, USES_IT], (1, 1, 0)),
        ([USES_IT, USES_IT], (1, 1, 0)),
        ([ELSE], (1, 0, 1)),
        ([], (1, 0, 0)),
    ],
    ids=["used", "used later", "counted once", "not used", "a host that tells of no replies"],
)
@pytest.mark.parametrize("how", ["next prompt", "end"])
def test_what_a_reply_takes_up_is_used(
    taught: Engine, store: SqliteStore, replies: list[str], expected: tuple[int, int, int], how: str
) -> None:
    assert taught.handle(a_prompt(ASK)).ids == (COOKIE,)
    for reply in replies:
        taught.handle(a_reply(reply))
    taught.handle(a_prompt("ok", message="m2") if how == "next prompt" else an_end())
    assert use(store) == expected


@covers("SCO-9")
def test_what_only_the_prompt_said_was_not_taken_from_the_memory() -> None:
    memory = a_memory("The auth token lies in an httpOnly cookie.")
    prompt = "Does the auth token lie in an httpOnly cookie?"
    assert was_used(memory, "The auth token lies in an httpOnly cookie.", "How does it work?")
    assert not was_used(memory, "The auth token lies in an httpOnly cookie.", prompt)
    assert not was_used(memory, "", prompt)


@covers("SCO-9")
def test_what_a_failed_tool_brought_counts_too(engine: Engine, store: SqliteStore) -> None:
    fix = engine.remember(a_fix()).memory.id
    engine.handle(a_prompt("Run the nightly import of the orders"))
    assert engine.handle(a_failure(FAILED)).ids == (fix,)
    engine.handle(a_reply("I close the cursor, then retry."))
    assert use(store, fix) == (1, 1, 0)


def test_a_slow_reply_to_the_last_prompt_does_not_undo_the_next_one() -> None:
    class PromptsMeanwhile(SqliteStore):
        is_next_due = False

        def find_readable(self, memories: Collection[MemoryId]) -> list[Memory]:
            if self.is_next_due:
                self.is_next_due = False
                assert engine.handle(a_prompt("When does the hourly report run?", message="m2")).ids == (HOUR,)
            return super().find_readable(memories)

    store = PromptsMeanwhile(None)
    engine = engine_on(store)
    engine.remember(a_draft("The auth token lies in an httpOnly cookie.", id=COOKIE, days_old=90))
    engine.remember(a_draft("The hourly report runs at minute seven.", id=HOUR, days_old=90))
    assert engine.handle(a_prompt(ASK)).ids == (COOKIE,)
    store.is_next_due = True
    engine.handle(a_reply(ELSE))
    engine.handle(a_reply("It runs at minute seven."))
    assert use(store, HOUR) == (1, 1, 0)
    store.close()


@covers("SCO-9")
def test_the_start_block_and_what_was_never_sent_are_not_judged(taught: Engine, store: SqliteStore) -> None:
    taught.remember(a_draft("Always use type hints.", kind=Kind.PREFERENCE, id=HOUR))
    taught.handle(a_start())
    taught.handle(a_reply(ELSE))
    taught.handle(a_prompt("ok", message="m1"))
    taught.handle(a_reply(ELSE))
    taught.handle(an_end())
    assert use(store, HOUR) == (1, 0, 0)
    assert use(store) == (0, 0, 0)


@covers("SCO-9")
def test_what_is_used_stands_before_its_equal_and_what_is_not_behind_it(store: SqliteStore) -> None:
    engine = engine_on(store)
    texts = {
        MemoryId("a"): "The auth token lies in a cookie.",
        MemoryId("b"): "The auth token lives one hour.",
        MemoryId("c"): "The auth token names its tenant.",
    }
    for memory_id, text in texts.items():
        engine.remember(a_draft(text, id=memory_id, days_old=90))
    before = [choice.relevance for choice in engine.handle(a_prompt(ASK, session="before")).choices]
    store.note_use([MemoryId("c")] * 1, [MemoryId("a")], NOW)
    for _ in range(20):
        store.note_use([MemoryId("c")], [MemoryId("a")], NOW)
    after = engine.handle(a_prompt(ASK, session="after"))
    assert after.ids == ("c", "b", "a")
    assert sorted(choice.relevance for choice in after.choices) == sorted(before), "relevance is as it was"


@covers("SCO-9")
def test_a_thousand_times_unused_is_still_shown_and_a_thousand_times_used_is_not_above_a_better_one(
    store: SqliteStore,
) -> None:
    engine = engine_on(store)
    fits, near = MemoryId("fits"), MemoryId("near")
    engine.remember(a_draft("The auth token refresh runs every hour.", id=fits, days_old=90))
    engine.remember(a_draft("The auth token cookie is httpOnly.", id=near, days_old=90))
    for _ in range(1000):
        store.note_use([near], [fits], NOW)
    ask = "How often does the auth token refresh run every hour?"
    assert engine.handle(a_prompt(ask)).ids[:1] == (fits,)


@covers("SCO-9")
def test_in_the_start_block_what_was_never_used_stays_above_the_floor(store: SqliteStore) -> None:
    engine = engine_on(store, Settings(start=Start(style=StartStyle.FULL)))
    memory = engine.remember(
        a_draft("Files of the parser lie in src.", kind=Kind.FILE_CONTEXT, scope="universal")
    ).memory
    known = store.get(memory.id)
    assert known is not None
    for _ in range(1000):
        store.note_use([], [memory.id], NOW)
    assert engine.handle(a_start()).ids == (memory.id,)


@covers("SCO-9")
def test_use_moves_a_score_within_narrow_bounds_and_one_look_decides_little() -> None:
    loop = Loop()
    least, most = use_factor(Usage(unused=10**9), loop), use_factor(Usage(used=10**9), loop)
    assert [least, most] == pytest.approx([0.85, 1.15])
    assert use_factor(Usage(), loop) == 1.0
    assert abs(use_factor(Usage(unused=1), loop) - 1) < 0.04
    assert use_rate(Usage(feedback=1), loop) > use_rate(Usage(used=2), loop)
    assert use_rate(Usage(feedback=-1), loop) < use_rate(Usage(unused=2), loop)
    assert use_factor(Usage(unused=9), Loop(enabled=False)) == 1.0


@covers("SCO-9")
def test_the_loop_can_be_switched_off(store: SqliteStore) -> None:
    engine = engine_on(store, Settings(loop=Loop(enabled=False)))
    engine.remember(a_draft("The auth token lies in an httpOnly cookie.", id=COOKIE, days_old=90))
    engine.handle(a_prompt(ASK))
    engine.handle(a_reply(USES_IT))
    assert use(store) == (1, 0, 0)


def facts(memory: Memory) -> Memory:
    return replace(memory, use=Usage())


@covers("SCO-9")
def test_fifty_sessions_of_echo_confirm_nothing_and_lift_no_importance(taught: Engine, store: SqliteStore) -> None:
    """A model that says its block again in every reply and every note."""
    before = [facts(memory) for memory in store.everything()]
    for n in range(50):
        session = f"s{n}"
        echo = taught.handle(a_start(session)).block + taught.handle(a_prompt(ASK, session=session)).block
        taught.handle(a_reply(echo + USES_IT, session=session))
        taught.handle(compacted(session))
        taught.handle(an_end(session, f"dec: {said(echo)[-1]}"))
    assert [facts(memory) for memory in store.everything()] == before
    known = store.get(COOKIE)
    assert known is not None
    assert (known.seen, known.importance, known.mentions) == (1, before[0].importance, ())


@covers("SCO-9")
def test_what_was_offered_and_never_sent_does_not_count_as_shown(taught: Engine, store: SqliteStore) -> None:
    taught.handle(a_prompt(ASK, message="late", confirms=True))
    assert use(store) == (0, 0, 0)
    taught.store.confirm(SessionId("s1"), [MessageId("late")])
    taught.store.confirm(SessionId("s1"), [MessageId("late")])
    assert use(store) == (1, 0, 0)
