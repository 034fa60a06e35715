"""Old sessions played again through the real engine, as if they were live."""

from datetime import datetime, timedelta
from typing import Any

from recollect.domain.event import Event
from recollect.domain.memory import MessageId
from recollect.engine.learning.replay_sessions import RecordedTranscript, Replay, events_in_time
from tests.builders import NOW, a_failure, a_prompt, a_reply, a_start, an_end, compacted
from tests.driver import Engine

ERROR = "sqlite3.OperationalError: no such table: ledger_entries"
RULE = "Remember: we never mock the postgres database in integration tests."


def recorded(name: str, *events: Event, counts: bool = True) -> RecordedTranscript:
    return RecordedTranscript(name=name, began=events[0].at, events=lambda: iter(events), counts=counts)


def a_session(
    name: str, *, day: int, said: str = RULE, project: str = "name:shop", **fields: Any
) -> RecordedTranscript:
    at = NOW + timedelta(days=day)
    about: dict[str, Any] = {"session": name, "project": project, **fields}
    return recorded(
        name,
        a_start(at=at, **about),
        a_prompt(said, message=f"{name}-1", at=at + timedelta(seconds=1), **about),
        a_reply("Noted.", message=MessageId(f"{name}-2"), at=at + timedelta(seconds=2), **about),
        a_failure(ERROR, message=None, call=f"{name}-3", at=at + timedelta(seconds=3), **about),
        an_end(at=at + timedelta(seconds=4), **about),
    )


def played(engine: Engine, *sessions: RecordedTranscript, **how: Any) -> Replay:
    replay = Replay(engine, **how)
    assert len(list(replay.play(sessions))) == len(sessions)
    return replay


def test_a_later_session_is_told_what_an_earlier_one_taught(engine: Engine) -> None:
    replay = played(engine, a_session("s2", day=1), a_session("s1", day=0))
    starts = [moment for moment in replay.record.moments if moment.point == "start"]
    assert [bool(moment.lines) for moment in starts] == [False, True]
    assert "postgres" in starts[1].lines[0].text
    (again,) = replay.record.repetitions
    assert again.block_line is not None
    assert [one.error for one in replay.record.errors] == [ERROR]


def test_what_the_user_did_not_let_a_tool_do_is_no_error_that_came_back(engine: Engine) -> None:
    refused = "The user doesn't want to proceed with this tool use. The tool use was rejected."

    def a_refusal(name: str, day: int) -> RecordedTranscript:
        about: dict[str, Any] = {"session": name, "project": "name:shop", "at": NOW + timedelta(days=day)}
        return recorded(name, a_start(**about), a_failure(refused, message=None, call=name, **about), an_end(**about))

    assert played(engine, a_refusal("s1", 0), a_refusal("s2", 1)).record.errors == []


def test_sessions_of_another_project_are_no_repetition(engine: Engine) -> None:
    replay = played(engine, a_session("s1", day=0), a_session("s2", day=1, project="name:other"))
    assert (replay.record.repetitions, replay.record.errors) == ([], [])


def test_what_is_only_learnt_from_is_not_counted(engine: Engine) -> None:
    first = a_session("s1", day=0)
    replay = played(engine, recorded("s1", *first.events(), counts=False), a_session("s2", day=1))
    assert {moment.session for moment in replay.record.moments} == {"s2"}
    assert (replay.record.sessions, len(replay.record.repetitions)) == (1, 1)


def test_an_agents_session_is_not_counted(engine: Engine) -> None:
    replay = played(engine, a_session("s1", day=0), a_session("s2", day=1, parent="s1"))
    assert replay.record.sessions == 1


def test_what_a_resumed_session_copies_is_not_played_twice(engine: Engine) -> None:
    first = list(a_session("s1", day=0).events())
    copy = [type(event)(**{**_fields(event), "session": "s2"}) for event in first]
    moments = played(engine, recorded("a", *first), recorded("b", *copy)).record.moments
    assert [moment.point for moment in moments].count("prompt") == 1


def test_in_turn_each_is_played_whole(engine: Engine) -> None:
    first = list(a_session("s1", day=0).events())
    copy = [type(event)(**{**_fields(event), "session": "s2"}) for event in first]
    moments = played(engine, recorded("a", *first), recorded("b", *copy), in_turn=True).record.moments
    assert [moment.point for moment in moments].count("prompt") == 2


def test_a_compaction_begins_anew(engine: Engine) -> None:
    start, prompt, reply, failed, end = a_session("s1", day=0).events()
    summed = compacted(session="s1", project="name:shop", at=reply.at)
    moments = played(engine, recorded("s1", start, prompt, reply, summed, failed, end)).record.moments
    assert [moment.point for moment in moments] == ["start", "prompt", "compaction", "tool_error"]


def test_a_prompt_that_opts_out_is_never_quoted(engine: Engine) -> None:
    sessions = [a_session(name, day=day, said=f"#no-capture {RULE}") for day, name in enumerate(("s1", "s2"))]
    assert played(engine, *sessions).record.repetitions == []


def test_events_come_by_their_time_whatever_their_transcript() -> None:
    one, other = a_session("s1", day=0), a_session("s2", day=0)
    told = [(transcript.name, event) for transcript, event in events_in_time([one, other])]
    times: list[datetime] = [event.at for _, event in told if event is not None]
    assert times == sorted(times)
    assert [name for name, event in told if event is None] == ["s1", "s2"]


def _fields(event: Event) -> dict[str, Any]:
    return {name: getattr(event, name) for name in event.__dataclass_fields__}
