from dataclasses import replace

from recollect.domain.injection import Choice, Injection, Placement, Sent, Session, Verdict
from recollect.domain.memory import Kind, MemoryId, MessageId, SessionId
from recollect.engine.ports import Store
from tests.builders import NOW, PROJECT

S1 = SessionId("s1")


def sent(
    message: str | None, block: str, *, session: SessionId = S1, context: int = 0, ids: tuple[str, ...] = ()
) -> Sent:
    placement = Placement.SYSTEM if message is None else Placement.MESSAGE
    injection = Injection(
        placement=placement, block=block, tokens=len(block), ids=tuple(map(MemoryId, ids)), considered=3
    )
    name = None if message is None else MessageId(message)
    return Sent(session=session, context=context, message=name, injection=injection, at=NOW, took_ms=1.5)


def test_a_session_reads_back_as_it_was_written(store: Store) -> None:
    session = Session(id=S1, host="opencode", project=PROJECT, language=None, started_at=NOW, context=2)
    assert store.session(S1) is None
    assert store.begin_session(session) == session
    assert store.session(S1) == session


def test_first_begun_is_final_and_contexts_are_counted(store: Store) -> None:
    session = Session(id=S1, host="opencode", project=PROJECT, language=None, started_at=NOW)
    store.begin_session(session)
    assert store.begin_context(S1).context == 1
    assert store.begin_session(session).context == 1


def test_what_was_sent_reads_back_as_it_was_written(store: Store) -> None:
    turn, stable = sent("m1", "turn", ids=("a", "b")), sent(None, "stable")
    assert store.record(turn) == turn
    assert store.record(stable) == stable
    assert store.sent_with(S1, [MessageId("m1"), MessageId("m2")]) == [turn]
    assert store.stable(S1, 0) == stable
    assert store.stable(S1, 1) is None


def test_first_recorded_is_final(store: Store) -> None:
    store.record(sent("m1", "first"))
    assert store.record(sent("m1", "second")).injection.block == "first"


def test_what_was_offered_is_confirmed_by_message(store: Store) -> None:
    for message in ("m1", "m2", None):
        store.record(replace(sent(message, "offered"), confirmed=False))
    store.confirm(S1, [MessageId("m1"), MessageId("unknown")])
    logged = store.sent_with(S1, [MessageId("m1"), MessageId("m2")])
    assert {row.message: row.confirmed for row in logged} == {"m1": True, "m2": False}


def test_blocks_are_found_by_message_and_unknown_messages_left_out(store: Store) -> None:
    store.record(sent("m1", "one"))
    store.record(sent("m2", ""))
    store.record(sent("m1", "another session's", session=SessionId("s2")))
    assert blocks(store, "m1", "m2", "m3") == {"m1": "one", "m2": ""}


def test_a_message_keeps_what_it_was_first_sent_with_in_every_context(store: Store) -> None:
    store.record(sent("m1", "first"))
    store.record(sent("m1", "again", context=1))
    assert blocks(store, "m1") == {"m1": "first"}


def blocks(store: Store, *messages: str) -> dict[MessageId | None, str]:
    return {sent.message: sent.injection.block for sent in store.sent_with(S1, list(map(MessageId, messages)))}


def test_a_live_context_holds_what_was_sent_in_it(store: Store) -> None:
    store.record(sent(None, "stable"))
    store.record(sent("m1", "one"))
    store.record(sent("m2", "after compaction", context=1))
    assert {s.injection.block for s in store.in_context(S1, 0)} == {"stable", "one"}
    assert [s.message for s in store.in_context(S1, 1)] == ["m2"]


def test_the_reasons_are_read_only_by_who_asks_for_them(store: Store) -> None:
    why = Choice(id=MemoryId("a"), kind=Kind.RULE, verdict=Verdict.THRESHOLD, relevance=0.1, score=0.2)
    turn = sent("m1", "turn")
    turn = replace(turn, injection=replace(turn.injection, choices=(why,)))
    without = replace(turn, injection=replace(turn.injection, choices=()))
    store.record(turn)
    assert store.log_of(S1) == store.sent_with(S1, [MessageId("m1")], why=True) == [turn]
    assert store.in_context(S1, 0) == store.sent_with(S1, [MessageId("m1")]) == [without]
