"""What is read from files of others, in the engine: once is enough, whatever the text."""

from collections.abc import Sequence

from hypothesis import example, given
from hypothesis import strategies as st

from recollect.domain.memory import Memory
from recollect.domain.outcome import Same
from recollect.imports.entry import KeptEntry
from recollect.imports.markdown import parse
from recollect.store.sqlite.store import SqliteStore
from tests.builders import NOW
from tests.driver import Engine
from tests.flows.conftest import engine_on
from tests.unit.imports.reading import FILE

WORDS = "the queue is drained before deploys never log tokens prefer small commits src/app.py port 8080".split()


def everything(engine: Engine) -> Sequence[Memory]:
    return list(engine.all_memories())


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["- ", "  - ", "## ", "", "1. "]), st.lists(st.sampled_from(WORDS), min_size=1, max_size=6)
        ),
        max_size=12,
    )
)
@example([("- ", ["queue", "drained"]), ("  - ", ["queue", "queue"]), ("- ", ["drained", "queue"])])
@example([("- ", ["drained", "queue", "queue"]), ("- ", ["drained", "queue"]), ("- ", ["drained", "drained", "queue"])])
@example(
    [
        ("- ", ["drained", "queue", "queue"]),
        ("  - ", ["drained", "the", "drained", "queue"]),
        ("- ", ["drained", "the", "drained", "queue"]),
    ]
)
def test_a_file_that_is_read_twice_is_read_once(lines: list[tuple[str, list[str]]]) -> None:
    text = "\n".join(mark + " ".join(words) for mark, words in lines)
    drafts = [entry.draft for entry in parse(text, FILE) if isinstance(entry, KeptEntry)]
    store = SqliteStore(None)
    try:
        engine = engine_on(store)
        engine.bring_back(drafts, at=NOW, by="test")
        before = everything(engine)
        _, outcomes = engine.bring_back(drafts, at=NOW, by="test")
        assert all(isinstance(outcome, Same) for outcome in outcomes)
        assert everything(engine) == before
    finally:
        store.close()
