"""The task and the session's files decide what comes first among what fits."""

from dataclasses import replace

from recollect.domain.event import Prompt, ToolSucceeded
from recollect.domain.memory import Kind, MessageId, SessionId, Viewer
from recollect.domain.settings import Settings
from recollect.store.sqlite.store import SqliteStore
from recollect.workspace import git
from tests.builders import NOW, PROJECT, a_draft
from tests.driver import Engine
from tests.requirements import covers

HERE = Viewer(project=PROJECT)


@covers("RET-2", "SCO-4")
def test_where_something_is_to_be_fixed_errors_come_first(engine: Engine) -> None:
    engine.remember_all(
        [
            a_draft("The invoice export uses the queue.", kind=Kind.PREFERENCE),
            a_draft("The invoice export breaks the queue.", kind=Kind.ERROR_PATTERN),
        ]
    )

    def kinds(query: str) -> list[Kind]:
        return [hit.memory.kind for hit in engine.recall(query, HERE, limit=2, now=NOW)]

    assert kinds("the invoice export queue") == [Kind.PREFERENCE, Kind.ERROR_PATTERN]
    assert kinds("fix the invoice export queue") == [Kind.ERROR_PATTERN, Kind.PREFERENCE]


@covers("RET-2")
def test_a_file_that_the_session_has_worked_on_comes_first(engine: Engine) -> None:
    engine.remember_all(
        [
            a_draft("Totals are rounded in ledger.py before they are shown.", kind=Kind.DECISION, id="ledger"),
            a_draft("Totals are rounded in basket.py before they are shown.", kind=Kind.DECISION, id="basket"),
        ]
    )

    def block(session: str, *files: str) -> str:
        about = {"session": SessionId(session), "at": NOW, "project": PROJECT}
        for path in files:
            engine.handle(ToolSucceeded(tool="edit", input={"filePath": path}, output="ok", **about))  # type: ignore[arg-type]
        prompt = "where are the totals rounded before they are shown?"
        return engine.handle(Prompt(message=MessageId("m1"), text=prompt, **about)).block  # type: ignore[arg-type]

    for session, path in (("s1", "src/shop/basket.py"), ("s2", "src/shop/ledger.py")):
        shown = block(session, path)
        name = path.rpartition("/")[2]
        assert shown.index(name) == min(shown.index("basket.py"), shown.index("ledger.py"))


def test_of_equal_ones_the_kind_that_helps_with_the_task_comes_first() -> None:
    equal = replace(Settings().kinds, priority=dict.fromkeys(Kind, 1.0), half_life_days={})
    engine = Engine(SqliteStore(None), lambda _: replace(Settings(), kinds=equal), git, lambda: 0.0)
    said = "The invoice export uses the queue."
    engine.remember_all([a_draft(said, kind=kind) for kind in (Kind.OUTCOME, Kind.PREFERENCE, Kind.DECISION)])

    def kinds(query: str) -> list[Kind]:
        return [hit.memory.kind for hit in engine.recall(query, HERE, limit=3, now=NOW)]

    assert kinds("add an invoice export queue") == [Kind.DECISION, Kind.PREFERENCE, Kind.OUTCOME]
    assert kinds("refactor the invoice export queue") == [Kind.PREFERENCE, Kind.DECISION, Kind.OUTCOME]
