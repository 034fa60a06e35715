from recollect.domain.memory import Hit, MemoryId, Role, Source
from recollect.novelty.conflicts import order_conflicts
from tests.builders import a_memory
from tests.requirements import covers


def a_hit(name: str, *, days_old: float, against: tuple[str, ...] = (), by: Role = Role.USER) -> Hit:
    conflicts, source = tuple(map(MemoryId, against)), Source(role=by, host="test")
    memory = a_memory(name, id=MemoryId(name), days_old=days_old, conflicts=conflicts, source=source)
    return Hit(memory=memory, relevance=1, score=1)


def order(*hits: Hit) -> list[str]:
    return [hit.memory.text for hit in order_conflicts(hits)]


@covers("CAP-10")
def test_of_two_that_contradict_each_other_the_newer_comes_first() -> None:
    assert order(a_hit("other", days_old=9), a_hit("old", days_old=5), a_hit("new", days_old=1, against=("old",))) == [
        "other",
        "new",
        "old",
    ]


def test_whoever_notes_the_conflict_the_newer_comes_first() -> None:
    assert order(a_hit("old", days_old=5, against=("new",)), a_hit("new", days_old=1)) == ["new", "old"]


def test_without_a_conflict_the_order_stays() -> None:
    assert order(a_hit("old", days_old=5), a_hit("new", days_old=1)) == ["old", "new"]


def test_what_contradicts_something_that_is_not_there_stays_in_its_place() -> None:
    assert order(a_hit("a", days_old=5), a_hit("b", days_old=1, against=("gone",))) == ["a", "b"]


@covers("CAP-10")
def test_what_the_user_said_comes_before_what_an_agent_said_later() -> None:
    claim = a_hit("claim", days_old=1, against=("word",), by=Role.ASSISTANT)
    assert order(claim, a_hit("word", days_old=5)) == ["word", "claim"]
    assert order(a_hit("word", days_old=5), claim) == ["word", "claim"]
