"""Taking back: whatever was done to memories, one step or several, and the taking back itself."""

from dataclasses import replace
from datetime import timedelta

import pytest

from recollect.api.undo import UNDO, TakenBack, Undo
from recollect.domain.changes import ChangeAction, ChangeId
from recollect.domain.errors import InvalidValue
from recollect.domain.memory import Draft, Memory, MemoryId, Mention, Role, Sensitivity, Source, Usage, Viewer
from recollect.domain.outcome import New, Same
from recollect.domain.settings import ForgetSettings, Settings
from recollect.engine.engine import NO_MODEL
from recollect.mcp.tools import HISTORY_NAME as MCP
from recollect.operations import answer
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW, PROJECT, a_draft, a_prompt
from tests.driver import Engine
from tests.flows.conftest import engine_on

HERE = Viewer(project=PROJECT)
HELM = "We deploy with Helm."


def undo(engine: Engine, deed: ChangeId | None = None) -> TakenBack:
    return engine.undo(deed, at=NOW, by="cli")


def seen(engine: Engine) -> list[Memory]:
    """What a search finds is what a list shows."""
    listed = engine.newest(HERE, limit=10)
    found = [hit.memory for hit in engine.recall("deploy helm argo", HERE, limit=10, now=NOW)]
    assert {memory.id for memory in found} == {memory.id for memory in listed}
    return listed


def last_deed(engine: Engine) -> ChangeId:
    return engine.changes(limit=1)[0].id


def test_there_is_nothing_to_undo_at_first(engine: Engine) -> None:
    with pytest.raises(InvalidValue, match="nothing to undo"):
        undo(engine)
    with pytest.raises(InvalidValue, match="no change 7"):
        undo(engine, ChangeId(7))


def test_what_was_remembered_is_taken_back(engine: Engine) -> None:
    memory = engine.remember(a_draft(HELM)).memory
    undone = undo(engine)
    assert (undone.deed.kind, [gone.id for gone in undone.removed], undone.restored) == ("remember", [memory.id], ())
    assert seen(engine) == []
    assert engine.store.count() == 0


def test_several_that_were_remembered_together_are_taken_back_together(engine: Engine) -> None:
    engine.remember_all([a_draft(HELM), a_draft("We deploy with Argo.")])
    assert len(undo(engine).removed) == 2
    assert seen(engine) == []


def test_where_an_agent_did_something_later_an_undo_asks_which_one(engine: Engine) -> None:
    mine = engine.remember(a_draft(HELM)).memory
    agents = engine.remember(a_draft("We deploy with Argo.", source=Source(role=Role.ASSISTANT, host=MCP))).memory
    deed = last_deed(engine)
    with pytest.raises(
        InvalidValue, match=f"an agent's: remember of 1 memory, .*Argo.* `recollect undo {deed}` undoes"
    ):
        undo(engine)
    assert {memory.id for memory in seen(engine)} == {mine.id, agents.id}, "nothing is taken back"
    assert [gone.id for gone in undo(engine, deed).removed] == [agents.id]
    assert [gone.id for gone in undo(engine).removed] == [mine.id], "the agent's is undone: no doubt is left"


def test_an_agent_of_any_host_is_known_as_one(engine: Engine) -> None:
    engine.remember(a_draft(HELM, source=Source(role=Role.ASSISTANT, host="opencode")))
    with pytest.raises(InvalidValue, match="nothing to undo of what you did"):
        undo(engine)


def test_what_an_agent_forgot_for_good_does_not_keep_a_person_from_their_own_undo(engine: Engine) -> None:
    mine = engine.remember(a_draft(HELM)).memory
    gone = engine.remember(a_draft("We deploy with Argo.", source=Source(role=Role.ASSISTANT, host=MCP))).memory
    engine.forget_now([gone.id], at=NOW, by=MCP)
    assert [removed.id for removed in undo(engine).removed] == [mine.id]


def test_what_was_said_once_more_is_as_it_was_before(engine: Engine) -> None:
    first = engine.remember(a_draft(HELM, title="deploy")).memory
    engine.remember(a_draft(HELM, aliases=("argo",), evidence=("So!",), sensitivity=Sensitivity.RESTRICTED))
    undone = undo(engine)
    assert (undone.removed, undone.restored) == ((), (first,))
    assert seen(engine) == [first]


def test_what_was_shown_meanwhile_stays_counted(engine: Engine, store: SqliteStore) -> None:
    first = engine.remember(a_draft(HELM)).memory
    again = engine.remember(a_draft(HELM)).memory
    store.update(replace(again, use=Usage(shown=3, last_shown_at=NOW)))
    undo(engine)
    assert seen(engine) == [replace(first, use=Usage(shown=3, last_shown_at=NOW))]


def test_what_was_forgotten_comes_back(engine: Engine) -> None:
    memory = engine.remember(a_draft(HELM, aliases=("argo",), evidence=("So!",))).memory
    engine.forget([memory.id], at=NOW, by="cli")
    assert seen(engine) == []
    assert undo(engine).restored == (memory,)
    assert seen(engine) == [memory]


def test_an_import_is_taken_back_as_a_whole(engine: Engine) -> None:
    known = engine.remember(a_draft(HELM)).memory
    gone = engine.remember(a_draft("We deploy with Argo.", id=MemoryId("argo"))).memory
    engine.forget([gone.id], at=NOW, by="cli")
    before = seen(engine)

    deed = None
    for draft in (
        a_draft("Another: deploy.", id=MemoryId("new")),
        a_draft(HELM, seen=5, aliases=("argo",)),
        a_draft("We deploy with Argo.", id=MemoryId("argo")),
    ):
        deed, _ = engine.bring_back([draft], at=NOW, by="cli", change=deed)  # batch by batch
    assert {memory.id for memory in seen(engine)} == {known.id, "argo", "new"}

    undone = undo(engine)
    assert (undone.deed.id, undone.deed.memories) == (deed, 3)
    assert seen(engine) == before


def test_the_same_file_twice_changes_nothing(engine: Engine) -> None:
    drafts = [
        a_draft(HELM, seen=4),
        a_draft("Ports: deploy to 80.", superseded_by=MemoryId("argo")),
        a_draft("We deploy with Argo.", id=MemoryId("argo")),
    ]

    def bring_all() -> list[type]:
        return [type(outcome) for outcome in engine.bring_back(drafts, at=NOW, by="cli")[1]]

    assert bring_all() == [New, New, New]
    kept = list(engine.all_memories())
    assert bring_all() == [Same, Same, Same]
    assert list(engine.all_memories()) == kept
    assert [one.memories for one in engine.changes(limit=1)] == [3], "an empty change does not use up the limit"


def test_a_record_that_repeats_itself_brought_twice_changes_nothing(engine: Engine) -> None:
    mention = Mention(role=Role.USER, at=NOW)
    draft = a_draft(HELM, aliases=("charts", "charts"), evidence=("Helm!", "Helm!"), mentions=(mention, mention))
    engine.bring_back([draft], at=NOW, by="cli")
    [kept] = engine.all_memories()
    assert (kept.aliases, kept.evidence, kept.mentions) == (("charts",), ("Helm!",), (mention,))
    engine.bring_back([draft], at=NOW, by="cli")
    assert [*engine.all_memories()] == [kept]


@pytest.mark.parametrize("memory_id", [None, MemoryId("helm")])
def test_what_is_said_again_since_it_was_forgotten_is_not_doubled_by_an_import(
    engine: Engine, memory_id: MemoryId | None
) -> None:
    draft = a_draft(HELM, id=memory_id)
    engine.forget([engine.remember(draft).memory.id], at=NOW, by="cli")
    said_again = engine.remember(a_draft(HELM, days_old=-1)).memory
    _, (outcome,) = engine.bring_back([draft], at=NOW, by="cli")
    assert outcome == Same(said_again)
    assert seen(engine) == [said_again]


def test_an_undo_is_undone(engine: Engine) -> None:
    memory = engine.remember(a_draft(HELM)).memory
    first = undo(engine)
    again = undo(engine, first.by)
    assert (again.deed.kind, again.restored) == (ChangeAction.UNDO, (memory,))
    assert seen(engine) == [memory]
    assert undo(engine).deed.id == first.deed.id, "it holds again, so it can be undone again"
    assert seen(engine) == []


def test_undoing_twice_goes_further_back(engine: Engine) -> None:
    first = engine.remember(a_draft(HELM)).memory
    engine.remember(a_draft(HELM))
    engine.forget([first.id], at=NOW, by="cli")
    assert [undo(engine).deed.kind for _ in range(3)] == [
        ChangeAction.FORGET,
        ChangeAction.REMEMBER,
        ChangeAction.REMEMBER,
    ]
    assert seen(engine) == []
    with pytest.raises(InvalidValue, match="nothing to undo"):
        undo(engine)


def test_undone_once_is_undone(engine: Engine) -> None:
    engine.remember(a_draft(HELM))
    undone = undo(engine)
    with pytest.raises(InvalidValue, match=f"undone already; `recollect undo {undone.by}` applies it again"):
        undo(engine, undone.deed.id)


def test_an_older_deed_is_not_undone_while_something_is_built_on_it(engine: Engine) -> None:
    memory = engine.remember(a_draft(HELM)).memory
    first = last_deed(engine)
    other = engine.remember(a_draft("We deploy with Argo.")).memory
    engine.remember(a_draft(HELM))
    with pytest.raises(InvalidValue, match=f"cannot be undone: {memory.id} changed since"):
        undo(engine, first)
    assert {m.id for m in seen(engine)} == {memory.id, other.id}
    undo(engine)
    undo(engine, first)  # what was built on it is gone
    assert seen(engine) == [other]


def test_what_stood_on_an_undone_deed_is_not_brought_back_alone(engine: Engine) -> None:
    engine.remember(a_draft(HELM))
    engine.remember(a_draft(HELM))
    second = undo(engine)
    undo(engine)  # the first: now it was never said
    with pytest.raises(InvalidValue, match="changed since"):
        undo(engine, second.by)
    assert seen(engine) == []


def test_what_is_gone_for_good_is_not_brought_back(engine: Engine) -> None:
    memory = engine.remember(a_draft(HELM)).memory
    remembered = last_deed(engine)
    engine.forget_now([memory.id], at=NOW, by="cli")
    with pytest.raises(InvalidValue, match="cannot be undone"):
        undo(engine)
    with pytest.raises(InvalidValue, match="deleted for good"):
        undo(engine, remembered)
    assert engine.store.count() == 0


def test_a_forgetting_that_is_done_again_has_its_whole_window(engine: Engine) -> None:
    memory = engine.remember(a_draft(HELM)).memory
    engine.forget([memory.id], at=NOW, by="cli")
    back = engine.undo(None, at=NOW, by="cli")
    later = NOW + timedelta(days=9)
    again = engine.undo(back.by, at=later, by="cli")
    engine.tidy(later + timedelta(hours=1))
    engine.undo(again.by, at=later + timedelta(hours=2), by="cli")
    assert [m.id for m in seen(engine)] == [memory.id]


def test_what_was_said_again_since_it_was_forgotten_does_not_come_back_twice(engine: Engine) -> None:
    engine.forget([engine.remember(a_draft(HELM)).memory.id], at=NOW, by="cli")
    forgetting = last_deed(engine)
    again = engine.remember(a_draft(HELM, days_old=-1)).memory
    assert engine.undo(forgetting, at=NOW, by="cli").restored == ()
    assert seen(engine) == [again]


def test_a_clock_that_went_back_changes_neither_the_order_nor_the_window(engine: Engine, store: SqliteStore) -> None:
    def forget(text: str, days: int) -> Draft:
        draft = a_draft(text)
        engine.forget([engine.remember(draft).memory.id], at=NOW + timedelta(days=days), by="cli")
        return draft

    forget(HELM, days=0)
    forget("We deploy with Argo.", days=-400)
    deeds = engine.changes(limit=10)
    assert [deed.id for deed in deeds] == sorted((deed.id for deed in deeds), reverse=True)
    engine.tidy(NOW - timedelta(days=400))
    assert len(store.memory_ids_in(PROJECT)) == 2, "neither window is over"
    undone = engine.undo(None, at=NOW - timedelta(days=500), by="cli")
    assert [memory.text for memory in undone.restored] == ["We deploy with Argo."]
    assert [memory.text for memory in seen(engine)] == ["We deploy with Argo."]


def test_the_story_of_a_memory_tells_what_was_done_and_what_was_undone(engine: Engine) -> None:
    memory = engine.remember(a_draft(HELM)).memory
    engine.remember(a_draft(HELM))
    undo(engine)
    told = engine.history(engine.find(memory.id))
    assert [(change.deed.kind, change.before and change.before.seen) for change in told.changes] == [
        (ChangeAction.REMEMBER, None),
        (ChangeAction.REMEMBER, 1),
        (ChangeAction.UNDO, 2),
    ]


def test_an_undo_says_that_what_a_session_taught_later_stays(engine: Engine) -> None:
    engine.remember(a_draft(HELM))
    engine.handle(a_prompt("Remember: always run make lint before you push."))
    while engine.learn_some():
        pass
    undone = answer(engine, UNDO, Undo(), NOW, NO_MODEL)
    assert undone.deed.about == HELM
    assert undone.passed_over is not None
    assert undone.passed_over.kind is ChangeAction.LEARN


def test_without_an_undo_window_what_is_taken_back_is_gone_at_once(store: SqliteStore) -> None:
    settings = Settings(forget=ForgetSettings(undo_hours=0))
    engine = engine_on(store, settings)
    memory = engine.remember(a_draft(HELM)).memory
    later = NOW + timedelta(seconds=1)
    assert answer(engine, UNDO, Undo(), later, NO_MODEL).for_good
    with pytest.raises(InvalidValue, match="There is no memory"):
        engine.find(memory.id)


def test_a_session_to_unlearn_is_named_by_at_least_three_characters(engine: Engine) -> None:
    engine.handle(a_prompt("Always run the linter before you commit.", session="ses_1"))
    with pytest.raises(
        InvalidValue, match=r"^There is no session 'se'; give at least 3 characters of its id\. `recollect undo --list`"
    ):
        answer(engine, UNDO, Undo(session="se"), NOW, NO_MODEL)
