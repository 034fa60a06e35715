from dataclasses import replace
from datetime import timedelta

from recollect.domain.injection import Choice, Injection, LogEntry, Moment, MomentUsage, Placement, QuietReason, Verdict
from recollect.domain.memory import Kind, MemoryId, MessageId, SessionId
from recollect.domain.session import Session
from recollect.engine.ports import Store
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, OTHER_PROJECT, PROJECT, a_memory
from tests.requirements import covers

S1 = SessionId("s1")


def sent(
    message: str | None, block: str, *, session: SessionId = S1, context: int = 0, ids: tuple[str, ...] = ()
) -> LogEntry:
    placement = Placement.SYSTEM if message is None else Placement.MESSAGE
    injection = Injection(
        placement=placement, block=block, tokens=len(block), ids=tuple(map(MemoryId, ids)), considered=3
    )
    name = None if message is None else MessageId(message)
    return LogEntry(session=session, context=context, message=name, injection=injection, at=NOW, took_ms=1.5)


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
    assert store.find_sent(S1, [MessageId("m1"), MessageId("m2")]) == [turn]
    assert store.start_block(S1, 0) == stable
    assert store.start_block(S1, 1) is None


def test_first_recorded_is_final(store: Store) -> None:
    store.record(sent("m1", "first"))
    assert store.record(sent("m1", "second")).injection.block == "first"


def test_what_was_offered_is_confirmed_by_message(store: Store) -> None:
    for message in ("m1", "m2", None):
        store.record(replace(sent(message, "offered"), confirmed=False))
    store.confirm(S1, [MessageId("m1"), MessageId("unknown")])
    logged = store.find_sent(S1, [MessageId("m1"), MessageId("m2")])
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
    return {sent.message: sent.injection.block for sent in store.find_sent(S1, list(map(MessageId, messages)))}


def test_a_live_context_holds_what_was_sent_in_it(store: Store) -> None:
    store.record(sent(None, "stable"))
    store.record(sent("m1", "one"))
    store.record(sent("m2", "after compaction", context=1))
    assert {s.injection.block for s in store.log_of_context(S1, 0)} == {"stable", "one"}
    assert [s.message for s in store.log_of_context(S1, 1)] == ["m2"]


CHOICES = (
    Choice(id=MemoryId("a"), kind=Kind.RULE, verdict=Verdict.SHOWN, relevance=0.5, score=0.7, factors={"words": 0.25}),
    Choice(id=MemoryId('b"]'), kind=Kind.DECISION, verdict=Verdict.THRESHOLD, relevance=0.1, score=0.2, needed=0.4),
)


def explained(message: str | None, **fields: object) -> LogEntry:
    plain = sent(message, "block", ids=("a",))
    told = replace(
        plain.injection, choices=CHOICES, corrected=(MemoryId("c"),), quiet=QuietReason.CAP, budget_tokens=800
    )
    return replace(plain, injection=told, **fields)  # type: ignore[arg-type]


@covers("INJ-11")
def test_reasons_read_back_where_they_are_asked_for(store: Store) -> None:
    turn = explained("m1", point=Moment.TOOL_ERROR, call="c1")
    store.record(turn)
    assert store.find_sent(S1, [MessageId("m1")], why=True) == [turn]
    assert store.log_of(S1) == [turn]
    without = replace(turn, injection=replace(turn.injection, choices=()))
    assert store.find_sent(S1, [MessageId("m1")]) == store.log_of_context(S1, 0) == [without]


def test_reasons_are_dropped_by_age_and_what_was_sent_stays(store: Store) -> None:
    store.record(explained("m1"))
    store.record(explained("m2", at=NOW + timedelta(hours=1)))
    store.drop_reasons_before(NOW + timedelta(minutes=1))
    assert [len(row.injection.choices) for row in store.log_of(S1)] == [0, 2]
    assert [row.injection.block for row in store.log_of(S1)] == ["block", "block"]


def test_each_call_of_a_message_has_its_own_block(store: Store) -> None:
    for call in ("", "c1", "c2"):
        store.record(replace(sent("m1", f"of {call}"), call=call))
    assert [row.injection.block for row in store.find_sent(S1, [MessageId("m1")])] == ["of ", "of c1", "of c2"]


def test_what_was_sent_counts_as_shown_once_it_is_confirmed(store: Store) -> None:
    store.add(a_memory("The cache is Redis.", id=MemoryId("a")))
    store.record(replace(sent("m1", "offered", ids=("a",)), confirmed=False))
    store.record(sent("m2", "sent", ids=("a",)))
    store.record(sent("m2", "sent again", ids=("a",)))

    def shown() -> int:
        memory = store.get(MemoryId("a"))
        assert memory is not None
        return memory.use.shown

    assert shown() == 1
    for _ in range(2):
        store.confirm(S1, [MessageId("m1")])
        assert shown() == 2


def begun(store: Store, name: str, **fields: object) -> Session:
    known: dict[str, object] = {"host": "opencode", "project": PROJECT, "language": None, "started_at": NOW}
    return store.begin_session(Session(id=SessionId(name), **(known | fields)))  # type: ignore[arg-type]


@covers("INJ-6")
def test_a_copied_log_has_the_named_messages_in_their_contexts(store: Store) -> None:
    begun(store, "s1")
    child = begun(store, "child")
    store.record(sent(None, "old start"))
    store.record(sent("m1", "one"))
    parent = store.begin_context(S1)
    store.record(sent(None, "start", context=1))
    store.record(sent("m2", "two", context=1))
    store.record(sent("m3", "three", context=1))
    names = {None: None, MessageId("m1"): MessageId("f1"), MessageId("m2"): MessageId("f2")}
    named = [replace(row, message=names[row.message]) for row in store.log_of(S1) if row.message in names]
    copied = store.copy_log(parent, child, named, context=1)
    assert (copied.context, copied.parent) == (1, parent.id)
    assert store.session(SessionId("child")) == copied
    kept = store.start_block(SessionId("child"), 1)
    assert kept is not None
    assert kept.injection.block == "start"
    assert [(row.message, row.context) for row in store.log_of(SessionId("child"))] == [
        (None, 0),
        ("f1", 0),
        (None, 1),
        ("f2", 1),
    ]


def test_usage_is_told_by_moment(store: Store) -> None:
    store.record(replace(explained(None), point=Moment.START))
    store.record(explained("m1"))
    store.record(replace(sent("m2", ""), point=Moment.PROMPT))
    store.record(sent("m1", "elsewhere", session=SessionId("s2")))
    assert store.usage(S1) == [
        MomentUsage(point=Moment.START, injections=1, blocks=1, tokens=5, memories=1, budget_tokens=800, took_ms=1.5),
        MomentUsage(point=Moment.PROMPT, injections=2, blocks=1, tokens=5, memories=1, budget_tokens=800, took_ms=1.5),
    ]
    assert sum(usage.injections for usage in store.usage()) == 4
    assert store.usage(SessionId("unknown")) == []


def test_wishes_and_ends_of_a_session_are_kept(store: Store) -> None:
    session = begun(store, "s1", parent=SessionId("p"), recalls=False)
    assert store.session(S1) == session
    changed = replace(session, recalls=True, captures=False, ended_at=NOW)
    store.keep_session(changed)
    assert store.session(S1) == changed


def test_the_last_session_is_the_one_that_something_was_last_sent_in(store: Store) -> None:
    assert store.last_session() is None
    for minutes, name, project in ((0, "s1", PROJECT), (5, "s2", OTHER_PROJECT), (2, "s3", PROJECT)):
        begun(store, name, project=project)
        store.record(replace(sent("m1", "", session=SessionId(name)), at=NOW + timedelta(minutes=minutes)))
    last, here = store.last_session(), store.last_session(PROJECT)
    assert last is not None
    assert here is not None
    assert (last.id, here.id) == ("s2", "s3")
    assert [session.id for session in store.sessions_with_prefix("s", limit=2)] == ["s1", "s2"]


def test_what_no_hash_covers_may_be_damaged_and_nothing_breaks(store: Store) -> None:
    assert isinstance(store, SqliteStore)
    for column, wrong in (("point", "zebra"), ("quiet", "zebra"), ("corrected", "{"), ("reasons", "[[1]]")):
        store.record(explained(column))
        with store._database.write() as connection:
            connection.execute(f"UPDATE injection SET {column} = ? WHERE message = ?", (wrong, column))
    assert [row.message for row in store.log_of(S1)] == ["reasons"]
    assert [row.message for row in store.log_of_context(S1, 0)] == ["reasons"]
