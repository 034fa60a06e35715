"""A store for sessions that are only tried: what was said gets its meaning late, and the answers are the same."""

from datetime import timedelta

from recollect.domain.memory import MessageId
from recollect.domain.vector import Vector
from recollect.engine.memories.embedding import embed_missing
from recollect.engine.ports import Store
from recollect.store.sqlite.store import SqliteStore
from recollect.store.sqlite.trial import TrialStore
from recollect.text.passages import passages
from tests.builders import NOW, PROJECT, a_memory, a_turn
from tests.counting import count_unembedded
from tests.vectors import ConceptModel, asking

SAID = [
    "We deploy the shop from the main branch on Fridays. The build of the shop takes nine minutes now.",
    "The database of the shop is postgres, in version sixteen. Its backups are kept for thirty days.",
    "Yes, the second one.",
]


def filled(store: Store) -> Store:
    store.add(a_memory("We deploy on Fridays."))
    store.add_turns(
        [a_turn(text, message=MessageId(f"m{at}"), at=NOW + timedelta(seconds=at)) for at, text in enumerate(SAID)]
    )
    return store


def test_it_finds_what_any_other_store_finds() -> None:
    model = ConceptModel()
    usual, trial = filled(SqliteStore(None)), filled(TrialStore(model.embed))
    for store in (usual, trial):
        while embed_missing(store, model):
            pass
    question = model.embed("Which version of postgres has the database?")
    told = []
    for store in (usual, trial):
        turns = store.look_up_turns(["postgr"], PROJECT)
        cosines = store.turn_cosines(turns, asking(question, model.model))
        assert cosines is not None
        numbers = turns.numbers.tolist()
        told.append(
            (
                cosines.tolist(),
                store.passage_cosines(numbers, question),
                store.passage_vectors(dict.fromkeys(numbers, 0)),
                store.passage_vectors(dict.fromkeys(numbers, 1)).keys(),
            )
        )
    assert told[0] == told[1]
    assert [len(cosines) for cosines in told[0][1]] == [2, 2, 1]


def test_nothing_is_embedded_before_something_is_compared_with_it() -> None:
    model, asked = ConceptModel(), list[str]()

    def embed(text: str) -> Vector:
        asked.append(text)
        return model.embed(text)

    store = filled(TrialStore(embed))
    while embed_missing(store, model):
        pass
    assert (asked, count_unembedded(store, model.model)) == ([], len(SAID))
    turns = store.look_up_turns([], PROJECT)
    store.turn_cosines(turns, asking(model.embed("postgres"), model.model))
    assert (len(asked), count_unembedded(store, model.model)) == (len(SAID), 0)
    store.passage_cosines(turns.numbers.tolist()[1:2] * 2, model.embed("postgres"))
    assert asked[len(SAID) :] == passages(SAID[1])
