"""Which of a host's sessions is about to ask."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.memory import SessionId
from recollect.mcp.asking_sessions import MAX_FOLDERS, MAX_WAITING, VALID_S, AskingSessions, HostSession


def session(name: str) -> HostSession:
    return HostSession(id=SessionId(name), host="opencode")


def test_the_next_call_of_the_folder_is_the_sessions_and_the_one_after_is_nobodys() -> None:
    asking = AskingSessions()
    asking.announce("/shop", session("s1"), 10.0)
    assert asking.take("/other", 10.0) is None
    assert asking.take(None, 10.0) is None
    assert asking.take("/shop", 10.1) == session("s1")
    assert asking.take("/shop", 10.2) is None


def test_two_sessions_that_ask_at_once_are_taken_in_their_order() -> None:
    asking = AskingSessions()
    for name in ("s1", "s2"):
        asking.announce("/shop", session(name), 10.0)
    assert [asking.take("/shop", 10.1) for _ in range(3)] == [session("s1"), session("s2"), None]


def test_a_call_that_never_came_is_forgotten_and_does_not_stand_in_the_way() -> None:
    asking = AskingSessions()
    asking.announce("/shop", session("refused"), 10.0)
    asking.announce("/shop", session("s2"), 10.0 + VALID_S)
    assert asking.take("/shop", 10.1 + VALID_S) == session("s2")


def test_a_folder_is_known_by_a_link_to_it(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    asking = AskingSessions()
    asking.announce(str(tmp_path / "link"), session("s1"), 10.0)
    assert asking.take(str(tmp_path / "real"), 10.0) == session("s1")


@given(st.lists(st.tuples(st.sampled_from(["/a", "/b"]), st.integers(0, 5)), max_size=60))
def test_nobody_is_taken_twice_and_nobody_from_elsewhere(told: list[tuple[str, int]]) -> None:
    asking = AskingSessions()
    for number, (folder, _) in enumerate(told):
        asking.announce(folder, session(f"{folder}{number}"), 0.0)
    taken = [one for folder in ("/a", "/b") for _ in told for one in [asking.take(folder, 0.0)] if one is not None]
    assert len(taken) == len({one.id for one in taken}) <= 2 * MAX_WAITING
    assert all(asking.take(folder, 0.0) is None for folder in ("/a", "/b"))


def test_a_host_that_tells_and_never_asks_takes_no_more_room_than_there_is() -> None:
    asking = AskingSessions()
    for number in range(2 * MAX_FOLDERS):
        asking.announce(f"/p{number}", session("s"), 0.0)
    assert asking.take("/p0", 0.0) is None
    assert asking.take(f"/p{2 * MAX_FOLDERS - 1}", 0.0) == session("s")
