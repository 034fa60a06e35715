"""What happens is written down before it is answered, and learnt from in the background: nothing is lost on the way."""

from datetime import timedelta
from pathlib import Path

import pytest

from recollect.domain.errors import InvalidValue, StoreUnusable
from recollect.domain.event import Event, Prompt, Reply, SessionDeleted, ToolSucceeded
from recollect.domain.learning import Origin
from recollect.domain.memory import MessageId, SessionId
from recollect.domain.session import Summary, Turn
from recollect.domain.settings import Archive, Capture, Settings
from recollect.engine import upkeep
from recollect.engine.learning import inbox
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, PROJECT, a_failure, a_prompt, a_reply, a_start, an_end
from tests.counting import count_turns
from tests.driver import Engine
from tests.flows.conftest import engine_on
from tests.requirements import covers

S1 = SessionId("s1")


def work_off(engine: Engine) -> None:
    while engine.learn_some():
        pass


def archive(store: SqliteStore) -> list[Turn]:
    """All turns, the oldest first."""
    count = count_turns(store)
    return [turn for turn in store.turns(list(range(1, count + 10))) if turn is not None]


@covers("MEM-5")
def test_every_turn_is_kept_with_who_really_spoke(store: SqliteStore, engine: Engine) -> None:
    engine.handle(a_prompt("Our auth uses JWT in httpOnly cookies."))
    engine.handle(a_reply("Noted: JWT."))
    engine.handle(a_prompt("Review the diff.", message="m2", origin=Origin.COMMAND))
    work_off(engine)
    assert [(turn.role.value, turn.origin, turn.text) for turn in archive(store)] == [
        ("user", Origin.USER, "Our auth uses JWT in httpOnly cookies."),
        ("assistant", Origin.ASSISTANT, "Noted: JWT."),
        ("user", Origin.COMMAND, "Review the diff."),
    ]


@covers("CAP-5")
def test_what_waits_when_a_process_dies_is_learnt_from_by_the_next_one(tmp_path: Path) -> None:
    first = SqliteStore(tmp_path / "recollect.db")
    engine_on(first).handle(a_prompt("Our auth uses JWT."))
    first.close()
    second = SqliteStore(tmp_path / "recollect.db")
    assert archive(second) == []
    work_off(engine_on(second))
    assert [turn.text for turn in archive(second)] == ["Our auth uses JWT."]
    assert engine_on(second).learn_some() == 0
    second.close()


@covers("CAP-5")
def test_the_same_message_twice_is_one_turn_and_the_longer_one_stays(store: SqliteStore, engine: Engine) -> None:
    for text in ("With", "With Helm.", "With Helm."):
        engine.handle(a_reply(text))
        work_off(engine)
    assert [turn.text for turn in archive(store)] == ["With Helm."]


@covers("CAP-6", "INJ-8")
def test_a_prompt_that_opts_out_leaves_nothing_and_neither_does_its_answer(store: SqliteStore, engine: Engine) -> None:
    engine.handle(a_prompt("no-capture My manager is called Zorblatt."))
    engine.handle(a_failure("Zorblatt is not defined in module seven", message=None))
    engine.handle(a_reply("Zorblatt it is."))
    engine.handle(a_prompt("We deploy with Helm.", message="m2"))
    engine.handle(a_reply("Helm it is.", message=MessageId("r2")))
    work_off(engine)
    assert [turn.text for turn in archive(store)] == ["We deploy with Helm.", "Helm it is."]
    with store._database.read() as connection:
        assert "Zorblatt" not in "".join(connection.iterdump()).replace("zorblatt", "Zorblatt")


@covers("CAP-6", "INJ-8")
def test_an_opt_out_holds_for_the_answer_after_a_restart_too(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "recollect.db")
    engine_on(store).handle(a_prompt("no-capture My manager is called Zorblatt."))
    engine_on(store).handle(a_reply("Zorblatt it is."))
    work_off(engine_on(store))
    assert archive(store) == []
    store.close()


@pytest.mark.parametrize("settings", [Settings(capture=Capture(enabled=False)), Settings(archive=Archive(days=0))])
def test_where_capture_or_the_archive_is_off_no_turn_is_kept(store: SqliteStore, settings: Settings) -> None:
    engine = engine_on(store, settings)
    engine.handle(a_prompt("Our auth uses JWT."))
    work_off(engine)
    assert archive(store) == []


def test_a_session_that_wants_nothing_learnt_from_it_is_not_written_down(engine: Engine) -> None:
    engine.handle(a_start(captures=False))
    engine.handle(a_prompt("Our auth uses JWT."))
    assert engine.store.count_waiting_events() == 0


@covers("PRI-2")
def test_what_a_tool_did_to_an_ignored_file_is_not_written_down(engine: Engine) -> None:
    for given in ({"filePath": "/srv/shop/.env"}, {"command": "cat .env"}):
        engine.handle(ToolSucceeded(session=S1, at=NOW, project=PROJECT, tool="read", input=given, output="PORT=1"))
    assert engine.store.count_waiting_events() == 0
    engine.handle(ToolSucceeded(session=S1, at=NOW, tool="read", input={"filePath": "src/a.py"}, output="x = 1"))
    assert engine.store.count_waiting_events() == 1


def test_what_a_tool_printed_is_cut_in_the_middle(store: SqliteStore, engine: Engine) -> None:
    engine.handle(ToolSucceeded(session=S1, at=NOW, tool="bash", output="begin" + "x" * 500_000 + "end"))
    (received,) = store.waiting_events(limit=1)
    assert isinstance(received.event, ToolSucceeded)
    assert received.event.output.startswith("beginx")
    assert received.event.output.endswith("xend")
    assert len(received.event.output) < 10_000


@covers("CAP-5")
def test_what_cannot_be_learnt_from_is_left_alone_after_a_few_tries(store: SqliteStore, engine: Engine) -> None:
    engine.handle(a_prompt("Our auth uses JWT."))
    (received,) = store.waiting_events(limit=1)
    for _ in range(3):  # as if it had brought the process down each time
        received = store.try_event(received)
    assert engine.learn_some() == 1
    assert archive(store) == []
    assert engine.store.count_waiting_events() == 0


@covers("MEM-7")
def test_a_session_that_ended_in_a_crash_is_closed_at_the_next_start(store: SqliteStore, engine: Engine) -> None:
    engine.handle(a_prompt("Our auth uses JWT."))
    engine.handle(a_start("s2", at=NOW + timedelta(minutes=5)))
    work_off(engine)
    session = store.session(S1)
    assert session is not None
    assert session.ended_at is None, "it may still be at work"
    engine.handle(a_start("s3", at=NOW + timedelta(hours=8)))
    work_off(engine)
    session = store.session(S1)
    assert session is not None
    assert session.ended_at == NOW
    assert store.past_events(S1, limit=9) == []


def test_a_session_that_ends_leaves_nothing_in_the_inbox(store: SqliteStore, engine: Engine) -> None:
    engine.handle(a_prompt("Our auth uses JWT."))
    engine.handle(an_end())
    work_off(engine)
    with store._database.read() as connection:
        assert connection.execute("SELECT count(*) FROM inbox").fetchone()[0] == 0


@covers("CAP-5", "REL-1")
def test_two_who_work_at_one_inbox_lose_nothing(tmp_path: Path) -> None:
    one, other = SqliteStore(tmp_path / "recollect.db"), SqliteStore(tmp_path / "recollect.db")
    engine_on(one).handle(a_prompt("Our auth uses JWT."))
    (seen,), (seen_too,) = one.waiting_events(limit=5), other.waiting_events(limit=5)
    first, second = one.try_event(seen), other.try_event(seen_too)
    assert [one.finish_event(first), other.finish_event(second)] == [False, True], (
        "exactly one of them has learnt from it"
    )
    assert one.count_waiting_events() == 0
    one.close()
    other.close()


@covers("CAP-5")
def test_what_was_tried_before_lets_the_others_pass(store: SqliteStore, engine: Engine) -> None:
    for number in range(3):
        engine.handle(a_prompt("Our auth uses JWT.", message=f"m{number}"))
    first, *_ = store.waiting_events(limit=5)
    store.try_event(first)
    assert [one.number for one in store.waiting_events(limit=5)][-1] == first.number


def written(store: SqliteStore) -> str:
    with store._database.read() as connection:
        return "\n".join(row["event"] for row in connection.execute("SELECT event FROM inbox ORDER BY n"))


@covers("PRI-1", "PRI-2")
def test_what_a_session_leaves_is_written_down_without_secrets_and_private_parts(
    store: SqliteStore, engine: Engine
) -> None:
    key = "sk-proj-" + "Ab3dE6gH9jK2mN5pQ8sT1vW4" * 2
    summary = Summary(asked=f"Use {key} here", done=("<private>Zorblatt</private>", "Moved the queue"))
    engine.handle(an_end("s1", f"next: rotate {key}", "dec: <private>Zorblatt</private>", summary=summary))
    assert key not in written(store)
    assert "Zorblatt" not in written(store)
    assert "Moved the queue" in written(store)


def test_a_session_with_too_many_notes_is_refused_before_anything_is_written(
    store: SqliteStore, engine: Engine
) -> None:
    with pytest.raises(InvalidValue, match="51 notes"):
        engine.handle(an_end("s1", *(f"next: step {number}" for number in range(51))))
    assert written(store) == ""


@covers("PRI-1")
@pytest.mark.parametrize(
    "given",
    [
        {"password": "Zq9!xT4#vB"},
        {"password": "correct horse Zq9!xT4#vB"},
        {"api_key": "Zq9axT4gvB7Zq9axT4gvB7"},
        {"env": {"DB_PASSWORD": "Zq9!xT4#vB"}},
        {"env": [{"name": "DB_PASSWORD", "value": "Zq9!xT4#vB"}]},
        {"headers": [["Authorization", "Zq9!xT4#vB"]]},
        {"headers": {"Authorization": "Basic Zq9axT4gvB7Zq9axT4gvB7"}},
        {"args": ["login", "--password", "Zq9!xT4#vB"]},
    ],
)
def test_a_value_that_its_name_tells_to_be_a_secret_is_redacted(
    store: SqliteStore, engine: Engine, given: dict[str, object]
) -> None:
    engine.handle(ToolSucceeded(session=S1, at=NOW, tool="x" * 500, input={**given, "k" * 500: "v"}))
    assert "Zq9" not in written(store)
    assert "[redacted:" in written(store)
    assert "x" * 201 not in written(store)
    assert "k" * 201 not in written(store)


@pytest.mark.parametrize(
    "given",
    [
        {"password": "$DB_PASSWORD"},
        {"token_count": "12345"},
        {"name": "worker", "value": "three"},
        {"args": ["run", "--key", "name"]},
    ],
)
def test_ordinary_values_stay(store: SqliteStore, engine: Engine, given: dict[str, object]) -> None:
    engine.handle(ToolSucceeded(session=S1, at=NOW, tool="x", input=given))
    assert "[redacted:" not in written(store)


def test_half_a_character_is_no_error(store: SqliteStore, engine: Engine) -> None:
    engine.handle(a_prompt("We deploy \ud83d with Helm."))
    engine.handle(ToolSucceeded(session=S1, at=NOW, tool="x\ud83d", input={"a\ud83d": ["\ud83d"]}, output="\ud83d"))
    work_off(engine)
    assert [turn.text for turn in archive(store)] == ["We deploy ? with Helm."]


def test_what_no_disk_could_take_is_dropped_and_in_nobodys_way(
    store: SqliteStore, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    puts = store.put_event

    def put_event(event: Event) -> None:
        if isinstance(event, Reply):
            raise UnicodeEncodeError("utf-8", "\ud83d", 0, 1, "surrogates not allowed")
        puts(event)

    with monkeypatch.context() as odd:
        odd.setattr(store, "put_event", put_event)
        with pytest.raises(UnicodeEncodeError):
            engine.handle(a_reply("It cannot be written."))
        assert engine.handle(a_prompt("We deploy with Helm.", session="s2")).kept
    assert (len(engine.live.unwritten.events), engine.live.unwritten.dropped) == (0, 1)
    work_off(engine)
    assert [turn.text for turn in archive(store)] == ["We deploy with Helm."]


def test_what_waits_with_it_for_the_disk_is_not_dropped(
    store: SqliteStore, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    puts = store.put_event

    def full(_: Event) -> None:
        raise StoreUnusable("The disk is full.")

    def put_event(event: Event) -> None:
        if isinstance(event, Reply):
            raise UnicodeEncodeError("utf-8", "\ud83d", 0, 1, "surrogates not allowed")
        puts(event)

    with monkeypatch.context() as odd:
        odd.setattr(store, "put_event", full)
        assert not engine.handle(a_prompt("We deploy with Helm.")).kept
        assert not engine.handle(a_reply("It cannot be written.")).kept
        assert not engine.handle(a_prompt("We log with structlog.", message="m2")).kept
        odd.setattr(store, "put_event", put_event)
        with pytest.raises(UnicodeEncodeError):
            inbox.write_waiting_events(engine.store, engine.live)
        assert len(engine.live.unwritten.events) == 2
        inbox.write_waiting_events(engine.store, engine.live)
    assert (len(engine.live.unwritten.events), engine.live.unwritten.dropped) == (0, 1)
    work_off(engine)
    assert [turn.text for turn in archive(store)] == ["We deploy with Helm.", "We log with structlog."]


@covers("PRI-1")
@pytest.mark.parametrize("lines", [20, 600])
@pytest.mark.parametrize("begins", [True, False])
@pytest.mark.parametrize("ending", ["\n", "\\n", "\r\n"])
def test_a_private_key_is_redacted_however_long_it_is_and_wherever_it_begins(
    store: SqliteStore, engine: Engine, lines: int, begins: bool, ending: str
) -> None:
    body = ("MIIEpAIBAAKCAQEA" + "q7Zx9vB2" * 6 + ending) * lines
    begin = "-----BEGIN RSA PRIVATE KEY-----\n" if begins else ""
    printed = f"{begin}{body}-----END RSA PRIVATE KEY-----\ndone"
    engine.handle(ToolSucceeded(session=S1, at=NOW, tool="bash", input={"command": "tail it"}, output=printed))
    assert "q7Zx9vB2" not in written(store)
    assert "done" in written(store)


@covers("PRI-2")
@pytest.mark.parametrize(
    "command",
    [
        "cat<.env", "cat '.env'", 'x=$(cat ".env")', "cat .ENV", "docker run --env-file=.env x", "curl -d @.env y",
        "cat {.env,a}", "cat .env;ls", "cp .env* /srv", "echo " + "x " * 3000 + "; cat .env", "cat src/../.env|sort",
    ],
)  # fmt: skip
def test_an_ignored_file_is_recognised_however_a_shell_names_it(engine: Engine, command: str) -> None:
    engine.handle(ToolSucceeded(session=S1, at=NOW, tool="bash", input={"command": command}, output="PORT=1"))
    engine.handle(ToolSucceeded(session=S1, at=NOW, tool="bash", input={"files": {command: "x"}}, output="PORT=1"))
    assert engine.store.count_waiting_events() == 0


@covers("PRI-2")
def test_lines_of_an_ignored_file_that_a_search_printed_are_not_written_down(engine: Engine) -> None:
    for printed in ("src/a.py:1:x\n./.env:3:HOST=zorblatt\n", ".env:3:HOST=zorblatt"):
        given = {"command": "grep -r HOST"}
        engine.handle(ToolSucceeded(session=S1, at=NOW, tool="bash", input=given, output=printed))
    assert engine.store.count_waiting_events() == 0


@pytest.mark.parametrize(
    "command", ["cat environment.py", "cat src/env.ts", "cat .env.example", "node -e 'process.env.PORT'", "pip list"]
)
def test_an_ordinary_command_is_written_down(engine: Engine, command: str) -> None:
    printed = ".env.example:1:PORT=\nsrc/env.ts:2: x"
    engine.handle(ToolSucceeded(session=S1, at=NOW, tool="bash", input={"command": command}, output=printed))
    assert engine.store.count_waiting_events() == 1


@covers("CAP-6", "INJ-8")
@pytest.mark.parametrize("between", ["[Request interrupted by user]", "<task-notification>done</task-notification>"])
@pytest.mark.parametrize("restarts", [False, True])
def test_a_notice_does_not_lift_an_opt_out_and_sets_none(tmp_path: Path, between: str, restarts: bool) -> None:
    store = SqliteStore(tmp_path / "recollect.db")
    engine = engine_on(store)
    engine.handle(a_prompt("no-capture My manager is called Zorblatt."))
    engine = engine_on(store) if restarts else engine
    engine.handle(a_prompt(f"{between} Zorblatt", message="m2"))
    engine.handle(a_reply("Zorblatt it is."))
    assert "Zorblatt" not in written(store)
    engine.handle(a_prompt("We deploy with Helm.", message="m3"))
    engine.handle(a_prompt(f"{between} no-capture", message="m4"))
    engine = engine_on(store) if restarts else engine
    engine.handle(a_reply("Helm it is.", message=MessageId("r2")))
    assert "Helm it is." in written(store)
    store.close()


@covers("CAP-6", "INJ-8")
def test_the_end_of_a_session_that_opted_out_tells_nothing_of_it(store: SqliteStore, engine: Engine) -> None:
    engine.handle(a_prompt("no-capture My manager is called Zorblatt."))
    engine.handle(an_end("s1", "next: ask Zorblatt", summary=Summary(asked="Who is Zorblatt?")))
    assert "Zorblatt" not in written(store)
    work_off(engine)
    assert store.recap(S1) is None
    session = store.session(S1)
    assert session is not None
    assert session.ended_at == NOW


@covers("CAP-6", "INJ-8")
def test_an_agent_begun_by_a_prompt_that_opted_out_is_not_listened_to(store: SqliteStore, engine: Engine) -> None:
    engine.handle(a_prompt("no-capture My manager is called Zorblatt."))
    engine.handle(a_prompt("Find Zorblatt.", session="s2", message="m2", parent=S1))
    engine.handle(a_reply("Zorblatt found.", session="s2", parent=S1))
    engine.handle(a_prompt("We deploy with Helm.", message="m3"))
    engine.handle(a_reply("Zorblatt again.", session="s2", message=MessageId("r3"), parent=S1))
    engine.handle(a_reply("Started later.", session="s3", parent=S1))
    assert "Zorblatt" not in written(store)
    assert "Started later." in written(store)


def test_what_a_full_disk_did_not_take_is_written_later_in_its_order(
    store: SqliteStore, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.handle(a_start())
    with monkeypatch.context() as full:
        full.setattr(store, "put_event", refusing)
        answers = [engine.handle(a_prompt(f"Rename table {n}.", message=f"m{n}")) for n in range(3)]
    assert [answer.kept for answer in answers] == [False] * 3
    assert len(engine.live.unwritten.events) == 3
    assert engine.handle(a_prompt("And the last one.", message="m3")).kept
    assert len(engine.live.unwritten.events) == 0
    heard = store.past_events(S1, limit=10, waiting=True)
    assert [event.message for event in heard if isinstance(event, Prompt)] == ["m0", "m1", "m2", "m3"]


def refusing(_: object) -> None:
    raise StoreUnusable("no space")


def test_what_finds_no_room_in_memory_either_is_counted(
    store: SqliteStore, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.handle(a_start())
    monkeypatch.setattr("recollect.engine.learning.inbox.MOST_UNWRITTEN", 2)
    with monkeypatch.context() as full:
        full.setattr(store, "put_event", refusing)
        for n in range(5):
            engine.handle(a_prompt(f"Rename table {n}.", message=f"m{n}"))
    assert (len(engine.live.unwritten.events), engine.live.unwritten.dropped) == (2, 3)
    inbox.write_waiting_events(engine.store, engine.live)
    heard = store.past_events(S1, limit=10, waiting=True)
    assert [event.message for event in heard if isinstance(event, Prompt)] == ["m3", "m4"]


def refuse(*_: object) -> None:
    raise StoreUnusable("The disk is full.")


def test_a_trial_leaves_the_events_that_wait_in_memory_alone(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = engine_on(store)
    engine.handle(a_start())
    with monkeypatch.context() as full:
        full.setattr(store, "put_event", refuse)
        engine.handle(a_reply("The tabs are set."))
    assert len(engine.live.unwritten.events) == 1
    upkeep.warm_up(engine, "/", NOW)
    assert len(engine.live.unwritten.events) == 1


def test_an_event_of_a_session_that_is_deleted_while_it_is_written_does_not_come_back(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = engine_on(store)
    engine.handle(a_start())
    with monkeypatch.context() as full:

        def delete_and_fail(*_: object) -> None:
            engine.live.deleted.note(SessionDeleted(session=SessionId("s1"), at=NOW, host=a_start().host))
            engine.live.forget(SessionId("s1"))  # finds nothing: the event is in the hands of its writer
            refuse()

        full.setattr(store, "put_event", delete_and_fail)
        engine.handle(a_reply("The plan is secret."))
    inbox.write_waiting_events(engine.store, engine.live)
    assert engine.store.count_waiting_events() == 0
    assert len(engine.live.unwritten.events) == 0


@covers("CAP-5", "REL-1")
def test_no_event_is_given_up_because_the_disk_is_full_while_it_is_learnt_from(
    store: SqliteStore, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: object) -> int:
        raise StoreUnusable("The disk is full.")

    engine.handle(a_prompt("Our auth uses JWT."))
    with monkeypatch.context() as refusing:
        refusing.setattr(store, "add_turns", full)
        for _ in range(5):
            with pytest.raises(StoreUnusable):
                engine.learn_some()
    work_off(engine)
    assert [turn.text for turn in archive(store)] == ["Our auth uses JWT."]


@covers("REL-1")
def test_a_damaged_time_keeps_no_other_silent_session_open(store: SqliteStore, engine: Engine) -> None:
    for session in ("s1", "s2"):
        engine.handle(a_prompt("Our auth uses JWT.", session=session))
    work_off(engine)
    with store._database.write() as connection:
        connection.execute("UPDATE inbox SET at_ms = -5 WHERE session = 's1'")
    engine.handle(a_start("s3", at=NOW + timedelta(days=1)))
    work_off(engine)
    ended = [store.session(SessionId(session)) for session in ("s1", "s2")]
    assert [session is not None and session.ended_at is not None for session in ended] == [False, True]
