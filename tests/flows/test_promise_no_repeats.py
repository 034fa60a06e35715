"""A long session: nothing is shown twice while the model has it, and what it has stays within the caps."""

from collections import Counter
from collections.abc import Iterator

import pytest

from recollect.domain.event import Carriers, StartSource
from recollect.domain.injection import Injection, Placement
from recollect.domain.memory import Kind, MemoryId, MessageId
from recollect.domain.settings import Budgets, Settings
from recollect.store.sqlite.store import SqliteStore
from tests.builders import a_failure, a_memory, a_prompt, a_question, a_start, compacted, compacting
from tests.driver import Engine
from tests.flows.blocks import priced
from tests.flows.conftest import engine_on
from tests.flows.test_start_choice import AREAS
from tests.requirements import covers

ASPECTS = ["cache", "retry", "schema", "deadline", "owner", "metrics"]
SAYING = "The {aspect} of the {area} is decided by the {area} team alone, after the outage in spring."


@pytest.fixture(scope="module")
def store() -> Iterator[SqliteStore]:
    """Three hundred memories: six aspects of fifty areas."""
    opened = SqliteStore(None)
    kinds = [Kind.DECISION, Kind.ERROR_PATTERN, Kind.FILE_CONTEXT, Kind.RULE]
    with opened.transaction():
        for n, area in enumerate(AREAS):
            for aspect in ASPECTS:
                text = SAYING.format(aspect=aspect, area=area)
                opened.add(
                    a_memory(text, id=MemoryId(f"{area}-{aspect}"), kind=kinds[n % len(kinds)], days_old=20 + n % 7)
                )
    yield opened
    opened.close()


class Watched:
    """A session whose host keeps count."""

    def __init__(self, engine: Engine, name: str, budgets: Budgets, says_what_is_live: bool) -> None:
        self._engine, self.name, self._budgets, self._says = engine, name, budgets, says_what_is_live
        self._sent: list[tuple[MessageId | None, Injection]] = []
        self._cost: Counter[Placement] = Counter()  # in real tokens
        self._messages = 0

    def start(self, source: StartSource = StartSource.STARTUP) -> None:
        self._note(None, self._engine.handle(a_start(self.name, source=source)))

    def turn(self, number: int) -> None:
        area = AREAS[number * 7 % len(AREAS)]
        asked = f"Who decides the {ASPECTS[number % 6]} and the {ASPECTS[(number + 1) % 6]} of the {area}?"
        message = MessageId(f"m{self._messages}")
        self._messages += 1
        prompt = a_prompt(asked, session=self.name, message=message, live=self._live())
        self._note(message, self._engine.handle(prompt))
        if number % 5 == 0:
            error = f"DeadlineError: the {area} team has no deadline for its {ASPECTS[number % 6]} in {area}_client"
            tool = MessageId(f"t{self._messages}")
            failure = a_failure(error, session=self.name, message=tool, call="c", live=self._live())
            self._note(tool, self._engine.handle(failure))
        if number % 9 == 0:
            self._note(None, self._engine.handle(a_question(f"{area} retry", session=self.name)))

    def compact(self) -> dict[MemoryId, int]:
        """What it had shown until now."""
        shown = Counter(memory for _, injection in self._sent for memory in injection.ids)
        self._engine.handle(compacting(self.name))
        self._engine.handle(compacted(self.name))
        self._sent.clear()
        self._cost.clear()
        self.start(StartSource.COMPACT)
        return shown

    def _live(self) -> Carriers:
        return (None, *(message for message, _ in self._sent if message is not None)) if self._says else None

    def _note(self, message: MessageId | None, injection: Injection) -> None:
        before = {memory for _, sent in self._sent for memory in sent.ids}
        assert before.isdisjoint(injection.ids), "shown twice"
        assert len(set(injection.ids)) == len(injection.ids)
        self._sent.append((message, injection))
        self._cost[injection.placement] += priced(injection.block)
        assert self._cost[Placement.SYSTEM] + self._cost[Placement.ANSWER] <= self._budgets.live_start_tokens
        assert self._cost[Placement.MESSAGE] + self._cost[Placement.TOOL] <= self._budgets.live_turn_tokens


@covers("SCN-B9", "INJ-5", "BUD-4")
@pytest.mark.parametrize("says_what_is_live", [False, True])
def test_two_hundred_turns_on_many_topics_repeat_nothing_and_stay_within_the_caps(
    store: SqliteStore, says_what_is_live: bool
) -> None:
    budgets = Budgets()
    session = Watched(engine_on(store), f"long {says_what_is_live}", budgets, says_what_is_live)
    session.start()
    for number in range(120):
        session.turn(number)
    lost = session.compact()
    for number in range(120, 200):
        session.turn(number)
    again = session.compact()
    assert len(lost) > 40
    assert set(lost) & set(again), "after a compaction what was lost may come again"


@covers("BUD-4")
def test_at_the_cap_there_is_silence_until_a_compaction(store: SqliteStore) -> None:
    budgets = Budgets(live_turn_tokens=400)
    engine = engine_on(store, Settings(budgets=budgets))
    session = Watched(engine, "capped", budgets, says_what_is_live=False)
    session.start()
    for number in range(30):
        session.turn(number)
    asked = [f"Who decides the owner of the {area}?" for area in AREAS[20:30]]
    silent = [engine.handle(a_prompt(ask, session="capped", message=f"{ask} 1")).block for ask in asked]
    session.compact()
    spoken = [engine.handle(a_prompt(ask, session="capped", message=f"{ask} 2")).block for ask in asked]
    assert not any(silent)
    assert any(spoken)
