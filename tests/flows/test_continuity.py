"""What a session leaves for the next one, and what of it may not be kept; start blocks here are in the style `full`."""

from datetime import timedelta

import pytest

from recollect.domain.errors import InvalidValue
from recollect.domain.event import StartSource
from recollect.domain.memory import Kind, MemoryId, Role, SessionId, Source
from recollect.domain.session import Note, NoteCode, Summary
from recollect.domain.settings import Archive, Budgets, Settings, Start, StartStyle
from recollect.engine.moments.continuity import EARLIER, LAST, SESSIONS
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, OTHER_PROJECT, PROJECT, a_draft, a_prompt, a_start, an_end, compacting
from tests.driver import Engine
from tests.flows.blocks import items, section
from tests.flows.conftest import engine_on
from tests.flows.test_start_choice import AREAS
from tests.requirements import covers

FULL_START = Start(style=StartStyle.FULL)
ONE_SESSION = Start(style=StartStyle.FULL, sessions=1)
KEY = "AKIA" + "QWERTYUIOPASDFGH"
FULL = Summary(
    asked="make login faster",
    done=("the pool is shared",),
    decided=("no cache for now",),
    files=("src/pool.py", "src/auth.py"),
    open=("measure it",),
)


@pytest.fixture
def engine(store: SqliteStore) -> Engine:
    return engine_on(store, Settings(start=FULL_START))


@covers("MEM-6")
def test_a_note_is_a_code_and_one_line() -> None:
    assert str(Note.parse("next: rotate the keys")) == "next: rotate the keys"
    assert [Note.parse(f"{code}: done").code for code in NoteCode] == list(NoteCode)
    for wrong in ("", "rotate the keys", "todo: rotate", "next:", "next: two\nlines"):
        with pytest.raises(InvalidValue):
            Note.parse(wrong)


@covers("MEM-6", "MEM-7")
def test_what_a_session_leaves_reads_back_as_it_was_said(engine: Engine, store: SqliteStore) -> None:
    engine.handle(a_start())
    engine.handle(an_end("s1", "impl: tokens are refreshed", "next: ship it", summary=FULL))
    recap = store.recap(SessionId("s1"))
    assert recap is not None
    assert (recap.project, recap.summary, list(map(str, recap.notes))) == (
        PROJECT,
        FULL,
        ["impl: tokens are refreshed", "next: ship it"],
    )
    ended = store.session(SessionId("s1"))
    assert ended is not None
    assert ended.ended_at == NOW


@covers("MEM-7", "FMT-2")
def test_the_next_start_tells_what_was_asked_done_decided_touched_and_left_open(engine: Engine) -> None:
    engine.handle(an_end("s1", summary=FULL))
    (told,) = section(engine.handle(a_start("s2")).block, SESSIONS)
    assert told == (
        "- 2026-03-02 asked: make login faster; done: the pool is shared; decided: no cache for now; "
        "files: src/pool.py, src/auth.py; open: measure it"
    )


def test_a_session_that_goes_on_is_not_told_what_it_said_itself(engine: Engine) -> None:
    engine.handle(a_start("s1"))
    engine.handle(an_end("s1", "next: ship it", summary=FULL))
    engine.handle(an_end("s2", "next: rotate the keys"))
    compacted = engine.handle(a_start("s1", source=StartSource.COMPACT)).block
    assert ("ship it" in compacted, "rotate the keys" in compacted) == (False, True)
    cleared = engine.handle(a_start("s1", source=StartSource.CLEAR)).block
    assert "ship it" in cleared


@covers("MEM-6")
def test_a_session_that_ends_again_replaces_what_it_left(engine: Engine) -> None:
    engine.handle(an_end("s1", "next: ship it"))
    engine.handle(an_end("s1", "impl: shipped"))
    assert items(engine.handle(a_start("s2")).block) == ["impl: shipped"]


@covers("MEM-6")
def test_an_end_without_notes_keeps_what_was_left_before(engine: Engine) -> None:
    engine.handle(an_end("s1", "next: ship it"))
    engine.handle(an_end("s1"))
    assert items(engine.handle(a_start("s2")).block) == ["next: ship it"]


@covers("MEM-6", "PRI-4")
def test_what_a_session_leaves_stays_in_its_project(engine: Engine) -> None:
    engine.handle(an_end("s1", "next: ship it"))
    engine.handle(an_end("nowhere", "next: everywhere", project=None))
    assert engine.handle(a_start("s2", project=OTHER_PROJECT)).block == ""
    assert engine.handle(a_start("s3", project=None)).block == ""


@covers("SCO-3", "SCN-B10")
def test_notes_of_earlier_sessions_are_told_for_two_half_lives_beside_the_last(engine: Engine) -> None:
    for days, text in ((5, "old"), (1.5, "young"), (0, "last")):
        engine.handle(an_end(text, f"next: {text}", at=NOW - timedelta(days=days)))
    assert section(engine.handle(a_start("s2")).block, LAST) == ["- next: last", "- next (2026-02-28): young"]


@covers("SCO-3")
def test_the_last_notes_are_told_however_old_they_are(engine: Engine) -> None:
    engine.handle(an_end("s1", "next: ship it", at=NOW - timedelta(days=200)))
    assert items(engine.handle(a_start("s2")).block) == ["next: ship it"]


def test_what_two_sessions_left_alike_is_told_once(engine: Engine) -> None:
    for n in range(3):
        engine.handle(an_end(f"s{n}", "next: Ship it", "next: ship IT"))
    assert len(items(engine.handle(a_start("s9")).block)) == 1


@covers("MEM-6", "PRI-1", "PRI-2")
@pytest.mark.parametrize(
    "line", [f"use {KEY} there", "use <private>zebra</private> there", f"use AKIA\ufe0f{KEY[4:]} there"]
)
def test_secrets_and_private_parts_are_not_kept_or_told(engine: Engine, store: SqliteStore, line: str) -> None:
    engine.handle(an_end("s1", f"next: {line}", summary=Summary(asked=line, done=(line,), files=(line,))))
    recap = store.recap(SessionId("s1"))
    assert recap is not None
    block = engine.handle(a_start("s2")).block
    assert "there" in block
    for hidden in (KEY, KEY[4:], "zebra"):
        assert hidden not in block
    assert KEY not in "\n".join(recap.lines)
    assert "zebra" not in "\n".join(recap.lines)


@covers("PRI-2")
def test_a_note_that_is_private_as_a_whole_leaves_nothing(engine: Engine) -> None:
    private = "<private>zebra</private>"
    engine.handle(an_end("s1", f"next: {private}", summary=Summary(asked=private, done=(private,))))
    assert engine.handle(a_start("s2")).block == ""


@covers("PRI-7", "MEM-6")
def test_what_is_forgotten_for_good_is_gone_from_notes_blocks_and_reasons(engine: Engine, store: SqliteStore) -> None:
    said = "Auth needs a token refresh."
    memory = engine.remember(a_draft(said, days_old=90)).memory
    engine.handle(a_start())
    assert engine.handle(a_prompt("Fix auth token handling")).ids == (memory.id,)
    engine.handle(an_end("s1", f"dec: {said}", "next: ship it", summary=Summary(asked="fix it", decided=(said,))))
    assert "refresh" in engine.handle(a_start("s2")).block
    assert engine.forget_now([memory.id], at=NOW, by="cli").is_clean
    recap = store.recap(SessionId("s1"))
    assert recap is not None
    assert recap.lines == ["ship it", "fix it"]
    for session in ("s1", "s2"):
        for sent in store.log_of(SessionId(session)):
            assert "refresh" not in sent.injection.block
            assert memory.id not in [choice.id for choice in sent.injection.choices]
            assert memory.id not in sent.injection.ids


@covers("PRI-5", "MEM-6")
def test_two_projects_that_become_one_have_what_both_left(engine: Engine) -> None:
    engine.handle(an_end("s1", "next: ship it"))
    engine.handle(an_end("s2", "next: sell it", project=OTHER_PROJECT))
    deed = engine.join(OTHER_PROJECT, PROJECT, at=NOW, by="cli")
    assert sorted(items(engine.handle(a_start("s3")).block)) == ["next (2026-03-02): sell it", "next: ship it"]
    engine.undo(deed, at=NOW, by="cli")
    assert items(engine.handle(a_start("s4")).block) == ["next: ship it"]
    assert items(engine.handle(a_start("s5", project=OTHER_PROJECT)).block) == ["next: sell it"]


def test_what_sessions_left_goes_when_their_time_is_over(store: SqliteStore) -> None:
    engine = engine_on(store, Settings(archive=Archive(days=30)))
    engine.handle(an_end("old", "next: old", at=NOW - timedelta(days=31)))
    engine.handle(an_end("new", "next: new", at=NOW - timedelta(days=29)))
    engine.tidy(NOW)
    assert (store.recap(SessionId("old")) is None, store.recap(SessionId("new")) is None) == (True, False)
    none = engine_on(store, Settings(archive=Archive(days=0)))
    none.handle(an_end("s9", "next: nothing"))
    assert store.recap(SessionId("s9")) is None


def test_notes_are_no_memories(engine: Engine) -> None:
    engine.handle(an_end("s1", "next: ship it", summary=FULL))
    assert list(engine.all_memories()) == []
    assert engine.store.count() == 0


def test_how_many_sessions_are_told_of_is_a_setting(store: SqliteStore) -> None:
    engine = engine_on(store, Settings(start=Start(style=StartStyle.FULL, sessions=1)))
    engine.remember(a_draft("Always use type hints.", kind=Kind.PREFERENCE))
    for n in range(3):
        engine.handle(an_end(f"s{n}", summary=Summary(done=(f"number {n}",)), at=NOW + timedelta(minutes=n)))
    assert [line.rpartition(" ")[2] for line in section(engine.handle(a_start("s9")).block, SESSIONS)] == ["2"]


def test_a_session_that_only_asked_is_not_told_of(engine: Engine) -> None:
    engine.remember(a_draft("Always use type hints.", kind=Kind.PREFERENCE))
    engine.handle(an_end("s1", summary=Summary(asked="How is the weather?")))
    engine.handle(an_end("s2", summary=Summary(asked="Add a refund page.", done=("refunds are at /refunds",))))
    for block in (engine.handle(a_start("s9")).block, engine.handle(compacting("s9")).block):
        assert "/refunds" in block
        assert "weather" not in block


@covers("MEM-7", "BUD-2")
def test_earlier_sessions_are_told_in_a_line_each_where_room_is_left(store: SqliteStore) -> None:
    engine = engine_on(store, Settings(start=Start(style=StartStyle.FULL, sessions=1, older_sessions=2)))
    for n, (asked, done) in enumerate(
        (
            ("Move the mails to a queue.", "nothing is told of this one"),
            ("Let's build the refund page. It needs a form.", "`refund_form` posts to /refunds"),
            ("We're hitting timeouts in the pool.", "max_connections=50"),
            ("Rename the ledger.", "it is called journal"),
        )
    ):
        summary = Summary(asked=asked, done=(done,), open=("tidy up",))
        engine.handle(an_end(f"s{n}", summary=summary, at=NOW + timedelta(minutes=n)))
    block = engine.handle(a_start("s9", at=NOW + timedelta(hours=1))).block
    assert section(block, SESSIONS) == [
        "- 2026-03-02 asked: Rename the ledger.; done: it is called journal; open: tidy up"
    ]
    assert section(block, EARLIER) == [
        "- 2026-03-02 We're hitting timeouts in the pool: max_connections=50; tidy up",
        "- 2026-03-02 Let's build the refund page. It needs a form: `refund_form` posts to /refunds; tidy up",
    ]


def test_where_something_finds_no_room_earlier_sessions_are_not_told_of(store: SqliteStore) -> None:
    engine = engine_on(
        store, Settings(start=Start(style=StartStyle.FULL, sessions=1), budgets=Budgets(start_tokens=300))
    )
    for n, area in enumerate(AREAS):
        engine.remember(a_draft(f"The {area} never touches what the others own and answers in time."))
        engine.handle(an_end(f"s{n}", summary=Summary(asked=f"tidy the {area}"), at=NOW + timedelta(minutes=n)))
    assert section(engine.handle(a_start("s9", at=NOW + timedelta(hours=1))).block, EARLIER) == []


def test_a_summary_does_not_repeat_the_notes(engine: Engine) -> None:
    summary = Summary(
        asked="Make the login faster.", done=("the pool is shared by all workers",), files=("src/pool.py",)
    )
    engine.handle(an_end("s1", "impl: the pool is shared by all workers", summary=summary))
    block = engine.handle(a_start("s2")).block
    assert block.count("shared by all workers") == 1
    assert section(block, SESSIONS) == ["- 2026-03-02 asked: Make the login faster.; files: src/pool.py"]


@covers("PRI-4")
def test_a_line_that_repeats_what_was_forgotten_is_not_told(engine: Engine) -> None:
    place = Source(role=Role.USER, session=SessionId("s1"))
    engine.handle(a_start("s1"))
    for number, text in enumerate(("Orders live in Postgres on port 5433.", "Invoices go out by Mailgun at noon.")):
        engine.remember(a_draft(text, id=MemoryId(f"m{number}"), source=place))
    both = "Orders live in Postgres on port 5433. Invoices go out by Mailgun at noon."
    engine.handle(
        an_end("s1", f"dec: {both}", "next: Ship the importer on Friday. Orders live in Postgres on port 5433.")
    )
    engine.forget([MemoryId("m0"), MemoryId("m1")], at=NOW, by="cli")
    block = engine.handle(a_start("s2")).block
    assert ("5433" in block, "Mailgun" in block, "Ship the importer on Friday." in block) == (False, False, True)
