"""What may have changed is told with the newer statement first, and never without it."""

from bench.novelty.judge import SAID, WEEKS_LATER, _draft

from recollect.domain.memory import Hit, Kind, ProjectId, Viewer
from recollect.domain.settings import Settings
from recollect.engine.moments.disputes import Disputes
from recollect.engine.moments.situation import Situation
from tests.driver import Engine


def test_an_older_version_brings_the_newer_one_along(engine: Engine) -> None:
    old = engine.remember(_draft("db is pg 15", Kind.DECISION, SAID)).memory
    new = engine.remember(_draft("turns out rds is pg 16 now", Kind.DECISION, SAID + WEEKS_LATER)).memory
    assert new.conflicts == (old.id,)
    situation = Situation(
        viewer=Viewer(project=ProjectId("name:bench")), now=SAID + 2 * WEEKS_LATER, settings=Settings()
    )
    hit = Hit(memory=old, relevance=0.9, score=0.9)
    told = Disputes(engine.store, situation).leave_out_lone_claims([hit])
    assert [hit.memory.id for hit in told] == [new.id, old.id]
