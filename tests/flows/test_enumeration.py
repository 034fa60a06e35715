"""Questions that ask for all of something get all of it."""

from recollect.domain.memory import Kind, Viewer
from recollect.domain.search import Filters, MemoryStatus
from tests.builders import NOW, OTHER_PROJECT, PROJECT, a_draft
from tests.driver import Engine
from tests.requirements import covers

HERE = Viewer(project=PROJECT)


def taught(engine: Engine) -> None:
    engine.remember_all(
        [
            *(a_draft(f"The auth service uses token form {n}.", kind=Kind.DECISION) for n in range(25)),
            *(a_draft(f"The queue is drained at {n} o'clock.", kind=Kind.DECISION) for n in range(5)),
            a_draft("Auth code is reviewed by two people.", kind=Kind.RULE),
            a_draft("Auth of the others.", kind=Kind.DECISION, scope=f"project:{OTHER_PROJECT}"),
        ]
    )


@covers("RET-7")
def test_all_decisions_about_a_topic_are_found_not_the_best_ten(engine: Engine) -> None:
    taught(engine)
    hits = engine.recall("list all decisions about auth", HERE, limit=None, now=NOW)
    assert len(hits) == 25
    assert all(hit.memory.kind is Kind.DECISION and "auth service" in hit.memory.text for hit in hits)


def test_without_a_topic_all_of_a_kind_are_found(engine: Engine) -> None:
    taught(engine)
    assert len(engine.recall("list all decisions", HERE, limit=None, now=NOW)) == 30
    assert [hit.memory.text for hit in engine.recall("show me every rule", HERE, limit=None, now=NOW)] == [
        "Auth code is reviewed by two people."
    ]
    assert len(engine.recall("list every memory", HERE, limit=None, now=NOW)) == 31


def test_whoever_asks_for_a_number_gets_that_number(engine: Engine) -> None:
    taught(engine)
    assert len(engine.recall("list all decisions about auth", HERE, limit=3, now=NOW)) == 3


def test_a_filter_that_is_given_beside_it_holds(engine: Engine) -> None:
    taught(engine)
    rules = Filters(kinds=frozenset({Kind.RULE}))
    assert len(engine.recall("list all decisions about auth", HERE, limit=None, now=NOW, filters=rules)) == 1
    past = Filters(status=MemoryStatus.SUPERSEDED)
    assert engine.recall("list all decisions about auth", HERE, limit=None, now=NOW, filters=past) == []


def test_other_questions_get_the_usual_number(engine: Engine) -> None:
    taught(engine)
    assert len(engine.recall("which token form does auth use", HERE, limit=None, now=NOW)) == 10
